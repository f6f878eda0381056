//! The processes of a guest, as the system shows them: its kernel's, and those that run its programs.

use std::fs;
use std::time::Duration;

use nix::unistd::Pid;

/// What the processes of guests do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// CPU time that the existing processes have taken.
    pub cpu: Duration,
    /// Whether one runs, waits for a core or for a disk, or has been stopped by the user: all others sleep until something happens.
    pub goes_on: bool,
}

impl Activity {
    /// Activity of the guests whose kernels these processes are; `None` if the system does not show it.
    pub fn of(kernels: &[Pid]) -> Option<Self> {
        let mut all = Self { cpu: Duration::ZERO, goes_on: false };
        let mut shown = false;
        for &kernel in kernels {
            with_descendants(kernel, &mut |thread| {
                let Some(activity) = of_thread(thread) else { return };
                shown = true;
                all.cpu += activity.cpu;
                all.goes_on |= activity.goes_on;
            });
        }
        shown.then_some(all)
    }
}

/// Activity of one thread: the first number of `schedstat` is its time on a core in ns, and the word after the name in `stat` its
/// state (`proc_pid_stat(5)`).
fn of_thread(thread: Pid) -> Option<Activity> {
    let schedstat = fs::read_to_string(format!("/proc/{thread}/schedstat")).ok()?;
    let cpu = Duration::from_nanos(schedstat.split_whitespace().next()?.parse().ok()?);
    let stat = fs::read_to_string(format!("/proc/{thread}/stat")).ok()?;
    let state = stat.rsplit_once(')')?.1.trim_start().chars().next()?;
    Some(Activity { cpu, goes_on: matches!(state, 'R' | 'D' | 'T') })
}

/// Every thread of a process, and of what these have started.
pub fn with_descendants(process: Pid, act: &mut impl FnMut(Pid)) {
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    for thread in threads.into_iter().flatten().flatten() {
        if let Some(number) = thread.file_name().to_str().and_then(|name| name.parse().ok()) {
            act(Pid::from_raw(number));
        }
        let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        for child in children.split_whitespace().filter_map(|word| word.parse().ok()) {
            with_descendants(Pid::from_raw(child), act);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    fn start(command: &str) -> (Child, Pid) {
        let child = Command::new("sh").args(["-c", command]).spawn().unwrap();
        let pid = Pid::from_raw(child.id().cast_signed());
        (child, pid)
    }

    fn end(mut child: Child) {
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn who_computes_takes_time_and_goes_on() {
        let (child, pid) = start("while :; do :; done");
        let taken = |least: Duration| {
            (0..600).any(|_| {
                std::thread::sleep(Duration::from_millis(50));
                Activity::of(&[pid]).is_some_and(|activity| activity.goes_on && activity.cpu >= least)
            })
        };
        assert!(taken(Duration::from_millis(20)));
        end(child);
    }

    #[test]
    fn who_sleeps_does_not_go_on_and_who_is_stopped_does() {
        let (child, pid) = start("exec sleep 600");
        let reaches = |goes_on: bool| {
            (0..600).any(|_| {
                std::thread::sleep(Duration::from_millis(50));
                Activity::of(&[pid]).is_some_and(|activity| activity.goes_on == goes_on)
            })
        };
        assert!(reaches(false));
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGSTOP).unwrap();
        assert!(reaches(true));
        end(child);
    }

    #[test]
    fn nothing_is_known_of_what_has_ended() {
        let (mut child, pid) = start("true");
        child.wait().unwrap();
        assert_eq!(Activity::of(&[pid]), None);
    }
}
