//! One plan, from its text to its run folder.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use airtcp_plan::{PARTS, Plan, PlanError};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::events::Event;
use crate::failure::{Kind, RunFailure};
use crate::identity::{Engine, Identity};
use crate::installation::Installation;
use crate::kept_output;
use crate::launch::launch_all;
use crate::memory_folder::MemoryFolder;
use crate::parts::{Left, join};
use crate::room::check_programs;
use crate::run_lock::RunLock;
use crate::seal::{Computed, Cost, finished_s, seal};
use crate::verdict::{Reports, judge};
use crate::watch::{Interrupted, Watched, reap_orphans, watch};
use crate::workspace::{Workspace, prepare_store};

/// Options of the execution; none of them changes the result.
#[derive(Clone, Debug)]
pub struct Request {
    /// The folder of finished runs.
    pub store: PathBuf,
    /// For how long the guest may compute without moving virtual time.
    pub stall_limit: Duration,
    /// Compute even if the run is in the store.
    pub fresh: bool,
    /// How many guests compute a network that the plan splits: 1, or one for each of its parts.
    pub guests: usize,
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Name of the run.
    pub run: String,
    /// Folder of the run.
    pub folder: PathBuf,
    /// Whether the run was in the store before.
    pub cached: bool,
}

/// Reads a plan.
///
/// # Errors
/// A [`RunFailure`] naming the file and the key.
pub fn read_plan(path: &Path) -> Result<Plan, RunFailure> {
    // Of a pipe there is nothing to name: the other end knows what it wrote.
    let is_piped = path == Path::new("/dev/stdin");
    let place = if is_piped { "the plan".to_owned() } else { path.display().to_string() };
    let text = std::fs::read_to_string(path).map_err(|error| {
        RunFailure::new(Kind::Plan, error.to_string(), &place, "give the path of an existing plan")
    })?;
    parse_plan(&text, &place)
}

/// A plan from its text.
///
/// # Errors
/// A [`RunFailure`] whose place is the key at fault, or that of the plan if it is none.
pub fn parse_plan(text: &str, place: &str) -> Result<Plan, RunFailure> {
    Plan::from_json(text).map_err(|error| match error {
        PlanError::Value { key, why } => RunFailure::new(Kind::Plan, why, key, "correct the value"),
        other => {
            let remedy = "compile the scenario again: airtcp show-plan FILE.toml";
            RunFailure::new(Kind::Plan, other.to_string(), place, remedy)
        }
    })
}

/// Executes a plan and prints what happens.
///
/// # Errors
/// A [`RunFailure`]; then nothing is left in the store and nothing is running.
pub fn execute(
    plan: &Plan,
    parts: &Installation,
    request: &Request,
    interrupted: &Interrupted,
) -> Result<Finished, RunFailure> {
    check_kernel(plan, parts)?;
    let engine = Engine::of(parts).map_err(|error| RunFailure::disk(&error, &parts.library))?;
    let identity = Identity::of(plan, engine);
    let folder = request.store.join(&identity.run);
    let shown = folder.display().to_string();
    Event::Start { run: &identity.run, folder: &shown }.print();
    if let Some(finished) = cached(&identity, &folder, request) {
        return Ok(finished);
    }
    prepare_store(&request.store)?;
    let lock = RunLock::take(&request.store, &identity.run, interrupted)?;
    // Another process may have made it while we waited.
    if let Some(finished) = cached(&identity, &folder, request) {
        return Ok(finished);
    }
    let computation = Computation { plan, parts, identity: &identity, request, folder: &folder };
    let (cost, end_ns) = computation.run(&lock, interrupted)?;
    let (Cost { wall_s, cpu_s }, virtual_s) = (cost, end_ns as f64 / 1e9);
    Event::Done { run: &identity.run, folder: &shown, cached: false, wall_s, cpu_s, virtual_s }.print();
    Ok(Finished { run: identity.run, folder, cached: false })
}

/// Refuses a plan that is for another kernel than this one.
///
/// # Errors
/// A [`RunFailure`] of kind kernel.
pub fn check_kernel(plan: &Plan, parts: &Installation) -> Result<(), RunFailure> {
    if plan.kernel == parts.kernel_info.series {
        return Ok(());
    }
    let what = format!("the plan needs kernel {}, this one is {}", plan.kernel, parts.kernel_info.series);
    let remedy = format!("build it: airtcp kernel build --series {}", plan.kernel);
    Err(RunFailure::new(Kind::Kernel, what, parts.kernel.display().to_string(), remedy))
}

/// The run from the store, reported as done, if it is there and no new one is requested.
fn cached(identity: &Identity, folder: &Path, request: &Request) -> Option<Finished> {
    let virtual_s = finished_s(folder, &identity.run).filter(|_| !request.fresh)?;
    let (run, shown) = (&identity.run, folder.display().to_string());
    Event::Done { run, folder: &shown, cached: true, wall_s: 0.0, cpu_s: 0.0, virtual_s }.print();
    Some(Finished { run: run.clone(), folder: folder.to_owned(), cached: true })
}

/// A run that is not in the store: what it is made of, and where its folder goes.
struct Computation<'a> {
    plan: &'a Plan,
    parts: &'a Installation,
    identity: &'a Identity,
    request: &'a Request,
    folder: &'a Path,
}

impl Computation<'_> {
    /// Runs the guest and creates the run folder; returns what that cost, and when the run ended, from the epoch.
    fn run(&self, lock: &RunLock, interrupted: &Interrupted) -> Result<(Cost, u64), RunFailure> {
        let &Self { plan, parts, identity, request, folder } = self;
        let begin = Instant::now();
        let workspace = Workspace::create(&request.store, &identity.run, plan, lock)?;
        let work = workspace.path();
        let computed = self.compute(&workspace, interrupted);
        let reports = computed.map_err(|f| kept_output::keep(f, work, &request.store, &identity.run))?;
        let cost = Cost { wall_s: begin.elapsed().as_secs_f64(), cpu_s: guest_cpu_s() };
        seal(work, plan, &Computed { identity, kernel: &parts.kernel_info, reports: &reports, cost })?;
        workspace.keep_as(folder).map_err(|error| RunFailure::disk(&error, folder))?;
        kept_output::forget(&request.store, &identity.run);
        Ok((Cost { wall_s: begin.elapsed().as_secs_f64(), ..cost }, reports.agent.end_ns))
    }

    /// Runs the guest, or the guests.
    fn compute(&self, workspace: &Workspace, interrupted: &Interrupted) -> Result<Reports, RunFailure> {
        let reports = if self.plan.split.is_some() {
            self.in_parts(workspace, interrupted)?
        } else {
            self.alone(workspace.path(), interrupted)?
        };
        check_programs(workspace.path())?;
        Ok(reports)
    }

    /// Runs one guest for both parts of a split network, or two, and makes one run of what they leave.
    fn in_parts(&self, workspace: &Workspace, interrupted: &Interrupted) -> Result<Reports, RunFailure> {
        let folders = workspace.for_guests(self.request.guests.clamp(1, PARTS), self.plan)?;
        let left = self.of_guests(workspace.path(), &folders, interrupted)?;
        join(self.plan, workspace.path(), &left)
    }

    /// Runs one guest in the run's working folder.
    fn alone(&self, work: &Path, interrupted: &Interrupted) -> Result<Reports, RunFailure> {
        let mut left = self.of_guests(work, &[work.to_owned()], interrupted)?;
        Ok(left.remove(0).reports)
    }

    /// Runs guests, each in its folder, in the run's working folder.
    fn of_guests(
        &self,
        work: &Path,
        folders: &[PathBuf],
        interrupted: &Interrupted,
    ) -> Result<Vec<Left>, RunFailure> {
        let &Self { plan, parts, request, .. } = self;
        let memory =
            MemoryFolder::create().map_err(|error| RunFailure::disk(&error, &std::env::temp_dir()))?;
        let guests = launch_all(plan, parts, folders, &memory).map_err(|error| {
            RunFailure::new(
                Kind::Kernel,
                error.to_string(),
                parts.kernel.display().to_string(),
                "run airtcp doctor to check this machine",
            )
        })?;
        let run = Watched { plan, work, interrupted, stall_limit: request.stall_limit };
        let left = watch(guests, &run, |folder, status| {
            Ok(Left { folder: folder.to_owned(), reports: judge(plan, folder, status)? })
        });
        reap_orphans();
        left
    }
}

/// CPU time of all processes that have ended below this one.
fn guest_cpu_s() -> f64 {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return 0.0 };
    (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6
}
