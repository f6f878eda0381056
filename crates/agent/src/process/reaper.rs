//! Waits for every child: process 1 inherits all orphans of the users' programs.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::{Condvar, Mutex, MutexGuard, Once, PoisonError};

use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, wait};

use crate::failure::Outcome;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The process exited with this status.
    Status(i32),
    /// A signal with this number ended the process.
    Signal(i32),
}

#[derive(Debug, Default)]
struct Children {
    /// Programs by process number; `None` while they run.
    programs: BTreeMap<i32, Option<Exit>>,
    /// Children started so far.
    started: u64,
}

static CHILDREN: Mutex<Children> = Mutex::new(Children { programs: BTreeMap::new(), started: 0 });
static CHANGED: Condvar = Condvar::new();
static REAPER: Once = Once::new();

fn children() -> MutexGuard<'static, Children> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a program. The reaper can't report its end before its process number is recorded.
pub(crate) fn start(command: &mut Command) -> std::io::Result<Pid> {
    let mut children = children();
    let child = command.spawn()?;
    let pid = Pid::from_raw(child.id().cast_signed()).expect("a process has a number");
    children.programs.insert(pid.as_raw_pid(), None);
    children.started += 1;
    CHANGED.notify_all();
    Ok(pid)
}

/// Starts the reaping thread, once.
pub(crate) fn run() -> Outcome<()> {
    let mut result = Ok(());
    REAPER.call_once(|| result = super::spawn("reaper".to_owned(), reap));
    result
}

fn reap() {
    loop {
        let started = children().started;
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) => {
                let exit = match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => Exit::Status(code),
                    (None, signal) => Exit::Signal(signal.unwrap_or(0)),
                };
                // Anything else is an orphan, whose exit status nothing uses.
                if let Some(program) = children().programs.get_mut(&pid.as_raw_pid()) {
                    *program = Some(exit);
                }
                CHANGED.notify_all();
            }
            Err(Errno::CHILD) => {
                let no_new = |c: &mut Children| c.started == started;
                drop(CHANGED.wait_while(children(), no_new).unwrap_or_else(PoisonError::into_inner));
            }
            Ok(None) | Err(_) => {}
        }
    }
}

/// Waits until the program has ended.
pub(crate) fn wait_for(pid: Pid) -> Exit {
    let mut children = children();
    loop {
        if let Some(Some(exit)) = children.programs.get(&pid.as_raw_pid()) {
            let exit = *exit;
            children.programs.remove(&pid.as_raw_pid());
            return exit;
        }
        children = CHANGED.wait(children).unwrap_or_else(PoisonError::into_inner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reaper takes the end of every child of its process, also of those that other tests wait for: it has a process of its own.
    #[test]
    fn every_program_gets_its_own_exit() {
        let alone = "process::reaper::tests::every_program_gets_its_own_exit_alone";
        let tests = std::env::current_exe().expect("the tests are a program");
        let status = Command::new(tests).args(["--exact", alone, "--ignored"]).status();
        assert!(status.expect("the tests start").success());
    }

    #[test]
    #[ignore = "started by every_program_gets_its_own_exit"]
    fn every_program_gets_its_own_exit_alone() {
        run().unwrap();
        let shell = |line: &str| start(Command::new("/bin/sh").args(["-c", line])).unwrap();
        let (three, killed) = (shell("exit 3"), shell("kill -9 $$"));
        assert_eq!(wait_for(killed), Exit::Signal(9));
        assert_eq!(wait_for(three), Exit::Status(3));
        // After the reaper has run out of children it wakes up for the next one.
        assert_eq!(wait_for(shell("exit 0")), Exit::Status(0));
    }
}
