//! The guard: it outlives the worker, and does nothing but clean up after it.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, wait};

use super::{WORKER, journal};
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
    failures.iter().for_each(|failure| eprintln!("not undone: {failure}"));
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

/// Kills all children until there are none. Those of another user, which it may not kill, have undo commands.
fn end_children() {
    loop {
        let killed = children().filter(|&child| kill_process(child, Signal::KILL).is_ok()).count();
        if killed == 0 {
            break;
        }
        for _ in 0..killed {
            let _ = wait(WaitOptions::empty());
        }
    }
}

/// The processes whose parent this one is (proc_pid_stat(5): the name in parentheses, then the state, then the parent).
fn children() -> impl Iterator<Item = Pid> {
    let own = getpid().as_raw_nonzero().get();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers.filter(move |number| parent_of(*number) == Some(own)).filter_map(Pid::from_raw)
}

fn parent_of(process: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(PathBuf::from(format!("/proc/{process}/stat"))).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}
