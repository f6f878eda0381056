//! A guest with a user: `airtcp-runner session` starts it, and it talks with whoever has started the runner.
//!
//! The user's orders are the runner's standard input, the answers its standard output: the guest's process has both. When the input
//! ends, the guest does. Nothing is kept: a session that shall be a run is computed again as one, from its inputs.

use std::io::{stdin, stdout};
use std::os::fd::AsFd;
use std::path::Path;

use airtcp_plan::Plan;

use crate::failure::{Kind, RunFailure};
use crate::installation::Installation;
use crate::launch::{Place, launch};
use crate::memory_folder::MemoryFolder;
use crate::own_core::Cores;
use crate::partner::{Partner, UserPipes};
use crate::run::check_kernel;
use crate::run_lock::RunLock;
use crate::verdict::judge_session;
use crate::watch::{Interrupted, reap_orphans, wait_for_end};
use crate::workspace::{Workspace, prepare_store};

/// Holds a session of a plan until its user has gone, or the run has ended; its working folder is in `store`.
///
/// # Errors
/// A [`RunFailure`] if the plan has no session, or the guest ends for another reason.
pub fn hold(
    plan: &Plan,
    parts: &Installation,
    store: &Path,
    interrupted: &Interrupted,
) -> Result<(), RunFailure> {
    check_kernel(plan, parts)?;
    if plan.session.is_none() {
        let remedy = "compile the scenario for a session";
        return Err(RunFailure::new(Kind::Plan, "session: the plan has none", &plan.name, remedy));
    }
    prepare_store(store)?;
    let name = format!("session-{}", std::process::id());
    let lock = RunLock::take(store, &name, interrupted)?;
    let workspace = Workspace::create(store, &name, plan, &lock)?;
    let memory = MemoryFolder::create().map_err(|error| RunFailure::disk(&error, &std::env::temp_dir()))?;
    let not_started = |error: std::io::Error| {
        let remedy = "run airtcp doctor to check this machine";
        RunFailure::new(Kind::Kernel, error.to_string(), parts.kernel.display().to_string(), remedy)
    };
    let pipes = UserPipes::of(stdin().as_fd(), stdout().as_fd()).map_err(not_started)?;
    let place = Place { work: workspace.path(), memory: &memory, cores: Cores::all() };
    let guest = launch(plan, parts, place, Partner::User(pipes)).map_err(not_started)?;
    let ended = wait_for_end(guest, interrupted);
    reap_orphans();
    judge_session(plan, workspace.path(), ended?)
}
