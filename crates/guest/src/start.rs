//! From the run's working folder to an engine.

use std::io;
use std::path::{Path, PathBuf};

use airtcp_air::{SetupError, World, WorldOptions};
use airtcp_plan::report::{PART_FILE, PLAN_FILE, PROGRESS_FILE};
use airtcp_plan::{Plan, PlanError, computed_part};
use airtcp_units::{Duration, Instant};
use thiserror::Error;

use crate::capture::air_capture::AirCaptures;
use crate::engine::{Engine, RunFiles};
use crate::heartbeat::Heartbeat;
use crate::host::Host;
use crate::parts::{Exchange, Parts};
use crate::progress::Progress;
use crate::radios::Radios;
use crate::recorder::Recorder;
use crate::session::{Session, UserChannel};
use crate::watch::Watch;

/// Why the air can't start.
#[derive(Debug, Error)]
pub enum StartError {
    /// A file of the working folder can't be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// An error of the file system.
        source: io::Error,
    },
    /// The plan is refused.
    #[error("plan: {0}")]
    Plan(#[from] PlanError),
    /// The air of the plan can't be.
    #[error("plan: {0}")]
    Air(#[from] SetupError),
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> StartError {
    let path = path.to_owned();
    move |source| StartError::File { path, source }
}

/// Everything of a run inside the guest.
pub struct Started<H, R> {
    /// The air.
    pub engine: Engine<H, R>,
    /// The kernel's records.
    pub watch: Watch,
    /// The parts of the network, if it is split.
    pub parts: Option<Parts>,
    /// What is executed.
    pub plan: Plan,
}

/// Reads the plan in `folder` and makes what it needs. `user`: of the plan's session, if it has one. `tcp_info_bytes`: of the
/// kernel's `struct tcp_info`.
///
/// # Errors
/// [`StartError`] naming the file or the key of the plan.
pub fn start<H: Host, R: Radios>(
    folder: &Path,
    user: Option<UserChannel>,
    host: H,
    radios: R,
    tcp_info_bytes: u16,
) -> Result<Started<H, R>, StartError> {
    let path = folder.join(PLAN_FILE);
    let text = std::fs::read_to_string(&path).map_err(at(&path))?;
    let plan = Plan::from_json(&text)?;
    let epoch = Instant::from_nanos(plan.epoch_ns);
    let options = WorldOptions {
        epoch,
        end: epoch + Duration::from_nanos(plan.duration_ns),
        sample_interval: Duration::from_nanos(plan.sampling.air_interval_ns),
        ppdu_trace: plan.sampling.ppdus,
    };
    let session = Session::of(&plan, folder, user).map_err(at(folder))?;
    let seen = WorldOptions {
        ppdu_trace: options.ppdu_trace || session.as_ref().is_some_and(Session::watches_ppdus),
        ..options
    };
    let world = World::new(&plan.air, plan.seed, seen)?;
    let recorder = Recorder::create(folder, &options).map_err(at(folder))?;
    let progress = Progress::create(&folder.join(PROGRESS_FILE)).map_err(at(folder))?;
    let heartbeat = Heartbeat::until_after(options.end);
    let watch = Watch::create(folder, &plan, tcp_info_bytes).map_err(at(folder))?;
    let mut engine = Engine::new(host, radios, world, RunFiles { recorder, progress }, heartbeat);
    engine.set_dscp_map(plan.dscp_map);
    if let Some(captures) = AirCaptures::create(folder, &plan).map_err(at(folder))? {
        engine.capture_air(captures, epoch);
    }
    if let Some(session) = session {
        engine.open_session(session);
    }
    let mut parts = None;
    if let Some(split) = &plan.split {
        let own = part_of_guest(folder).map_err(at(folder))?;
        parts = Some(Parts::new(split.clone(), epoch, own));
        engine.split(parts_of_nics(&plan));
    }
    Ok(Started { engine, watch, parts, plan })
}

/// The part that the guest of this folder computes, and its way to the other guest; `None`: it computes both.
fn part_of_guest(folder: &Path) -> io::Result<Option<(usize, Exchange)>> {
    let text = std::fs::read_to_string(folder.join(PART_FILE))?;
    let part = computed_part(&text).map_err(io::Error::other)?;
    part.map(|part| Ok((part, Exchange::inherited(part)?))).transpose()
}

fn parts_of_nics(plan: &Plan) -> Vec<u32> {
    let part = |node: &str| plan.part_of(node).expect("a split has a part for each node");
    plan.air.nics.iter().map(|nic| part(&nic.node) as u32).collect()
}
