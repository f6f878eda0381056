//! The guard: it outlives the worker, and does nothing but clean up after it.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, wait};

use super::children::end_children;
use super::journal;
use super::worker::WORKER;
use crate::sys::signals;

/// The option by which the program removes its own file, which was copied for this measurement only.
const REMOVE: &str = "--remove-program";

/// The whole life of the guard.
pub(super) fn run() -> ExitCode {
    if std::env::args().any(|word| word == REMOVE)
        && let Ok(own) = std::env::current_exe()
    {
        // It can still be started: by /proc/self/exe.
        let _ = std::fs::remove_file(own);
    }
    // A signal to all processes of a session must not end guard and worker at once.
    signals::ignore_ends();
    let parent = std::env::temp_dir();
    let mut failures = journal::undo_abandoned(&parent);
    let (folder, _lock) = match journal::create(&parent) {
        Ok(made) => made,
        Err(error) => {
            eprintln!("a folder can't be made in {}: {error}; set TMPDIR to another one", parent.display());
            return ExitCode::FAILURE;
        }
    };
    let ended = guarded(&folder);
    failures.extend(journal::undo_all(&folder));
    for failure in &failures {
        eprintln!("not undone: {failure}");
    }
    if ended.is_ok_and(|clean| clean) && failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Starts the worker, and returns when it and all that it has started are gone; whether the worker ended in the regular way.
fn guarded(folder: &Path) -> std::io::Result<bool> {
    // Processes whose parents end become this one's.
    set_child_subreaper(Some(getpid()))?;
    let mut command = Command::new("/proc/self/exe");
    command.arg0(WORKER).arg(folder);
    let worker = command.spawn()?;
    let worker = Pid::from_raw(worker.id().cast_signed()).expect("a process has a number");
    let clean = loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == worker => break status.exit_status() == Some(0),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    };
    end_children();
    Ok(clean)
}
