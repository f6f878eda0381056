//! Watches a guest: progress, stalls, signals; leaves nothing running.

use std::fs;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use airtcp_plan::report::{AGENT_PROGRESS_FILE, PROGRESS_FILE};
use airtcp_plan::{Plan, Session};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::console::calm;
use crate::events::{self, Event};
use crate::failure::{Kind, RunFailure};
use crate::guest_file;
use crate::own_core::Core;
use crate::room::Room;

/// How often progress is read.
const LOOK: Duration = Duration::from_millis(100);
/// A guest whose agent does not end it this long after the plan's end is stuck.
const OVERTIME_NS: u64 = 60_000_000_000;

/// A guest that goes on for so long without its user is stuck.
const ALONE_MOST: Duration = Duration::from_secs(2);

/// A progress file has three words.
const PROGRESS_BYTES_MOST: u64 = 64;

/// Set by SIGINT and SIGTERM.
pub type Interrupted = Arc<AtomicBool>;

/// Registers the signals that interrupt a run.
///
/// # Errors
/// An error of the system.
pub fn on_signals() -> std::io::Result<Interrupted> {
    let interrupted = Interrupted::default();
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))?;
    }
    Ok(interrupted)
}

/// Whether a signal has interrupted the run.
pub fn interruption(interrupted: &Interrupted) -> bool {
    interrupted.load(Ordering::Relaxed)
}

/// Waits for the guest's end, or ends it.
///
/// # Errors
/// A [`RunFailure`] if it stalled, ran over its time, or the user interrupted.
pub fn watch(
    child: Child,
    plan: &Plan,
    work: &Path,
    interrupted: &Interrupted,
    stall_limit: Duration,
) -> Result<ExitStatus, RunFailure> {
    let mut stall = Stall::new(stall_limit);
    watch_by(child, work, || look(plan, work, interrupted, &mut stall))
}

/// Waits for the end of a guest with a user, or ends it. A guest ends itself when its user has gone, unless a program in it never
/// waits.
///
/// # Errors
/// A [`RunFailure`] if the runner is told to end, or the guest does not end after its user.
pub fn wait_for_end(child: Child, work: &Path, interrupted: &Interrupted) -> Result<ExitStatus, RunFailure> {
    let mut alone_since = None;
    watch_by(child, work, || {
        let alone =
            events::reader_gone() && alone_since.get_or_insert_with(Instant::now).elapsed() > ALONE_MOST;
        (alone || interruption(interrupted)).then(|| RunFailure::interrupted("the session"))
    })
}

/// Waits for the guest's end, or ends it when `look` finds a reason.
fn watch_by(
    child: Child,
    work: &Path,
    mut look: impl FnMut() -> Option<RunFailure>,
) -> Result<ExitStatus, RunFailure> {
    let guest = Guest(Pid::from_raw(child.id().cast_signed()));
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut child = child;
        // The receiver may have returned already.
        let _ = sender.send(child.wait());
    });
    let (mut room, mut core) = (Room::of(work), Core::of(guest.0));
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(status) => {
                calm(work);
                return status.map_err(|e| {
                    RunFailure::new(Kind::Internal, e.to_string(), "waiting for the guest", "report this")
                });
            }
            Err(RecvTimeoutError::Disconnected) => unreachable!("the waiting thread sends before it ends"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(core) = &mut core {
            core.look();
        }
        let verdict = room.look().or_else(&mut look);
        if let Some(failure) = verdict {
            guest.end();
            let _ = receiver.recv();
            calm(work);
            return Err(failure.with_console(work));
        }
    }
}

fn look(plan: &Plan, work: &Path, interrupted: &Interrupted, stall: &mut Stall) -> Option<RunFailure> {
    if interruption(interrupted) || events::reader_gone() {
        return Some(RunFailure::interrupted(&plan.name));
    }
    let now_ns = read_progress(work);
    if let Some(stalled) = stall.look(now_ns) {
        let what = format!("virtual time stopped at {:.6} s", now_ns as f64 / 1e9);
        let place = format!("nothing moved for {:.0} s of real time", stalled.as_secs_f64());
        let remedy = "a program that never waits (a busy loop) stops an infinitely fast CPU: let it sleep; \
                      on a very slow machine raise --stall-limit-s";
        return Some(RunFailure::new(Kind::Hang, what, place, remedy));
    }
    if now_ns > plan.epoch_ns.saturating_add(plan.duration_ns).saturating_add(OVERTIME_NS) {
        let what = "the agent did not end the run in time";
        return Some(RunFailure::new(Kind::Internal, what, &plan.name, "report this with the scenario"));
    }
    if now_ns > 0 {
        // A session may last a day, but for an input that ends it.
        let of_ns = plan.session.as_ref().and_then(Session::end_ns).unwrap_or(plan.duration_ns);
        let virtual_ns = now_ns.saturating_sub(plan.epoch_ns).min(of_ns);
        Event::Progress { virtual_ns, of_ns }.print();
    }
    None
}

/// Virtual nanoseconds since boot, as the air shows them, or the agent where there is none; 0 before they have started.
fn read_progress(work: &Path) -> u64 {
    word(&work.join(PROGRESS_FILE), 0).max(word(&work.join(AGENT_PROGRESS_FILE), 0))
}

/// A word of a progress file; 0 before it is there.
fn word(file: &Path, index: usize) -> u64 {
    let bytes = guest_file::read(file, PROGRESS_BYTES_MOST).unwrap_or_default();
    let octets = bytes.get(8 * index..).and_then(|rest| rest.first_chunk());
    octets.map_or(0, |octets| u64::from_le_bytes(*octets))
}

/// Seconds of CPU time that the guest had taken when it sent its first frame; 0 if it sent none.
pub fn first_frame_cpu_s(work: &Path) -> f64 {
    word(&work.join(PROGRESS_FILE), 2) as f64 / 1e9
}

/// Notices when virtual time no longer moves.
struct Stall {
    limit: Duration,
    last_ns: u64,
    moved: Instant,
}

impl Stall {
    fn new(limit: Duration) -> Self {
        Self { limit, last_ns: 0, moved: Instant::now() }
    }

    fn look(&mut self, now_ns: u64) -> Option<Duration> {
        if now_ns != self.last_ns {
            self.last_ns = now_ns;
            self.moved = Instant::now();
        }
        let still = self.moved.elapsed();
        (still >= self.limit).then_some(still)
    }
}

/// The kernel's process; it leads a process group of its own.
struct Guest(Pid);

impl Guest {
    fn end(&self) {
        // Its guest processes are killed by the host with it (PTRACE_O_EXITKILL).
        let _ = kill(self.0, Signal::SIGKILL);
    }
}

/// Kills and reaps processes that the guest has left: the runner is their subreaper.
pub fn reap_orphans() {
    for pid in children_of(std::process::id()) {
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
    while let Ok(status) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
        if status == WaitStatus::StillAlive {
            break;
        }
    }
}

fn children_of(parent: u32) -> Vec<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| parent_of(*pid) == Some(parent)).collect()
}

fn parent_of(pid: i32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything; state and parent follow the last one.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_is_time_that_does_not_move() {
        let mut stall = Stall::new(Duration::ZERO);
        assert!(stall.look(0).is_some());
        let mut stall = Stall::new(Duration::from_secs(3600));
        assert!(stall.look(5).is_none() && stall.look(5).is_none());
    }

    #[test]
    fn the_air_or_the_agent_shows_how_far_time_is() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read_progress(folder.path()), 0);
        fs::write(folder.path().join(AGENT_PROGRESS_FILE), 5u64.to_le_bytes()).unwrap();
        assert_eq!(read_progress(folder.path()), 5);
        let words: Vec<u8> = [9u64, 2, 7_000_000_000].iter().flat_map(|word| word.to_le_bytes()).collect();
        fs::write(folder.path().join(PROGRESS_FILE), words).unwrap();
        assert_eq!((read_progress(folder.path()), first_frame_cpu_s(folder.path())), (9, 7.0));
    }

    #[test]
    fn this_process_has_a_parent() {
        let me = i32::try_from(std::process::id()).unwrap();
        assert!(parent_of(me).is_some());
        assert!(parent_of(-1).is_none());
    }
}
