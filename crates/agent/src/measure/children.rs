//! The processes that a measurement has started: which there are, and their end.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

/// The variable by which everything that a measurement starts is known: a path below the folder of the measurement.
pub(super) const MARK: &str = "RUN_DIR";

/// How often processes are looked for that were started while others were killed, or that take long to end: for a second.
const ROUNDS_MOST: u32 = 200;
/// Time between two looks.
const ROUND: Duration = Duration::from_millis(5);
/// Looks in succession that find nothing before a search ends: a process in the middle of execve(2) has no environment.
const QUIET_ROUNDS: u32 = 3;

/// Kills all children until there are none. Those of another user, which it may not kill, have undo commands.
///
/// Descendants whose parents end become children of a process that is a subreaper (prctl(2)).
pub(super) fn end_children() {
    loop {
        let killed: Vec<_> = children().filter(|&child| kill_process(child, Signal::KILL).is_ok()).collect();
        if killed.is_empty() {
            break;
        }
        for child in killed {
            let _ = waitpid(Some(child), WaitOptions::empty());
        }
    }
}

/// Kills what a measurement has started whose guard and worker are gone: processes that have its mark.
pub(super) fn end_marked(folder: &Path) {
    let mark = [MARK.as_bytes(), b"=", folder.as_os_str().as_bytes(), b"/"].concat();
    let mut quiet_rounds = 0;
    for _ in 0..ROUNDS_MOST {
        // A process that has ended has no environment any more (proc_pid_environ(5)).
        let marked = processes().filter(|&process| has_variable(process, &mark)).filter_map(Pid::from_raw);
        let killed = marked.filter(|&pid| kill_process(pid, Signal::KILL).is_ok()).count();
        quiet_rounds = if killed == 0 { quiet_rounds + 1 } else { 0 };
        if quiet_rounds == QUIET_ROUNDS {
            break;
        }
        std::thread::sleep(ROUND);
    }
}

/// Whether a variable of its environment begins so; only of processes of the same user.
fn has_variable(process: i32, begin: &[u8]) -> bool {
    let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    environment.split(|&byte| byte == 0).any(|variable| variable.starts_with(begin))
}

/// The processes whose parent this one is.
fn children() -> impl Iterator<Item = Pid> {
    let own = getpid().as_raw_nonzero().get();
    processes().filter(move |&number| parent_of(number) == Some(own)).filter_map(Pid::from_raw)
}

fn processes() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// `/proc/PID/stat` (proc(5)): the name in parentheses, then the state, then the parent.
fn parent_of(process: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn what_has_the_mark_of_a_measurement_is_ended_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("airtcp-agent-marked-{}", std::process::id()));
        let sleeper = |below: &str| {
            let mut command = Command::new("/bin/sleep");
            command.arg("60").env(MARK, format!("{}{below}", folder.display())).spawn().unwrap()
        };
        let (mut own, mut other) = (sleeper("/run/programs"), sleeper("-1/run/programs"));
        // `spawn` returns when the new program has its memory, which is before its environment is there.
        for sleeper in [&own, &other] {
            while !has_variable(sleeper.id().cast_signed(), MARK.as_bytes()) {
                std::thread::yield_now();
            }
        }
        end_marked(&folder);
        assert_eq!(own.wait().unwrap().signal(), Some(9));
        assert!(other.try_wait().unwrap().is_none());
        assert!(children().any(|child| child.as_raw_nonzero().get().cast_unsigned() == other.id()));
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
