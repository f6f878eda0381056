//! Watches the guests of a run: progress, stalls, signals; leaves nothing running.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
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
use crate::launch::Guest;
use crate::own_core::Core;
use crate::processes::Activity;
use crate::room::Room;
use crate::running_program;
use crate::stall::{Found, Stall};

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

/// A run that is watched.
#[derive(Clone, Copy, Debug)]
pub struct Watched<'a> {
    /// Plan of the run.
    pub plan: &'a Plan,
    /// Working folder of the run.
    pub work: &'a Path,
    /// Whether the user has ended the run.
    pub interrupted: &'a Interrupted,
    /// For how long the guest may compute without moving virtual time.
    pub stall_limit: Duration,
}

/// Waits for the end of all guests of a run, or ends them. `judge` says what one has left in its working folder; if that is a
/// failure, the others end at once, because they would wait for it.
///
/// # Errors
/// A [`RunFailure`] if they stalled, ran over their time, the user interrupted, or one failed: that of the first.
pub fn watch<T>(
    guests: Vec<Guest>,
    run: &Watched<'_>,
    judge: impl FnMut(&Path, ExitStatus) -> Result<T, RunFailure>,
) -> Result<Vec<T>, RunFailure> {
    let mut stall = Stall::new(run.stall_limit);
    watch_by(guests, run.work, |running| look(run, running, &mut stall), judge)
}

/// Waits for the end of a guest with a user, or ends it. A guest ends itself when its user has gone, unless a program in it never
/// waits.
///
/// # Errors
/// A [`RunFailure`] if the runner is told to end, or the guest does not end after its user.
pub fn wait_for_end(guest: Guest, interrupted: &Interrupted) -> Result<ExitStatus, RunFailure> {
    let mut alone_since = None;
    let look = |_: &RunningGuests| {
        let alone =
            events::reader_gone() && alone_since.get_or_insert_with(Instant::now).elapsed() > ALONE_MOST;
        (alone || interruption(interrupted)).then(|| RunFailure::interrupted("the session"))
    };
    let work = guest.work.clone();
    let ended = watch_by(vec![guest], &work, look, |_, status| Ok(status))?;
    Ok(ended[0])
}

/// Waits for the guests' end, or ends them when `look` finds a reason in those that run, or `judge` at the end of one.
fn watch_by<T>(
    guests: Vec<Guest>,
    work: &Path,
    mut look: impl FnMut(&RunningGuests) -> Option<RunFailure>,
    mut judge: impl FnMut(&Path, ExitStatus) -> Result<T, RunFailure>,
) -> Result<Vec<T>, RunFailure> {
    let mut running = RunningGuests::of(guests);
    let (mut room, mut judged) = (Room::of(work), BTreeMap::new());
    while let Some(slowest) = running.slowest().map(|guest| guest.work.clone()) {
        let Some(Ended { number, work, status }) = running.wait() else {
            if let Some(failure) = room.look().or_else(|| look(&running)) {
                running.end();
                return Err(failure.with_console(&slowest));
            }
            continue;
        };
        match status.and_then(|status| judge(&work, status)) {
            Ok(result) => judged.insert(number, result),
            Err(failure) => {
                running.end();
                return Err(failure);
            }
        };
    }
    Ok(judged.into_values().collect())
}

/// The guests of a run that have not ended.
struct RunningGuests {
    /// By their numbers.
    guests: BTreeMap<usize, Running>,
    ends: Receiver<(usize, io::Result<ExitStatus>)>,
}

/// A running guest.
struct Running {
    process: Process,
    work: PathBuf,
    core: Option<Core>,
}

/// A guest that has ended.
struct Ended {
    number: usize,
    work: PathBuf,
    status: Result<ExitStatus, RunFailure>,
}

impl RunningGuests {
    fn of(guests: Vec<Guest>) -> Self {
        let (sender, ends) = channel();
        let running = |(number, guest)| (number, Running::of(number, guest, &sender));
        Self { guests: guests.into_iter().enumerate().map(running).collect(), ends }
    }

    /// The running guest with the earliest virtual time; `None` if all have ended.
    fn slowest(&self) -> Option<&Running> {
        self.guests.values().min_by_key(|guest| read_progress(&guest.work))
    }

    /// What all of them do.
    fn activity(&self) -> Option<Activity> {
        let kernels: Vec<_> = self.guests.values().map(|guest| guest.process.0).collect();
        Activity::of(&kernels)
    }

    /// Waits for the end of one, but not for long.
    fn wait(&mut self) -> Option<Ended> {
        match self.ends.recv_timeout(LOOK) {
            Ok((number, status)) => Some(self.ended(number, status)),
            Err(RecvTimeoutError::Disconnected) => unreachable!("the waiting threads send before they end"),
            Err(RecvTimeoutError::Timeout) => {
                self.guests.values_mut().filter_map(|guest| guest.core.as_mut()).for_each(Core::look);
                None
            }
        }
    }

    fn ended(&mut self, number: usize, status: io::Result<ExitStatus>) -> Ended {
        let Running { work, .. } = self.guests.remove(&number).expect("a guest ends once");
        calm(&work);
        let status = status.map_err(|error| {
            RunFailure::new(Kind::Internal, error.to_string(), "waiting for the guest", "report this")
        });
        Ended { number, work, status }
    }

    /// Ends all that run, and waits for their ends.
    fn end(&mut self) {
        self.guests.values().for_each(|guest| guest.process.end());
        while !self.guests.is_empty() {
            let (number, status) = self.ends.recv().expect("the waiting threads send before they end");
            self.ended(number, status);
        }
    }
}

impl Running {
    /// The end is reported to `ends`.
    fn of(number: usize, guest: Guest, ends: &Sender<(usize, io::Result<ExitStatus>)>) -> Self {
        let Guest { mut child, work, cores } = guest;
        let process = Pid::from_raw(child.id().cast_signed());
        let ends = ends.clone();
        std::thread::spawn(move || {
            // The receiver may have returned already.
            let _ = ends.send((number, child.wait()));
        });
        Self { process: Process(process), work, core: Core::of(process, cores) }
    }
}

fn look(run: &Watched<'_>, running: &RunningGuests, stall: &mut Stall) -> Option<RunFailure> {
    let &Watched { plan, interrupted, .. } = run;
    if interruption(interrupted) || events::reader_gone() {
        return Some(RunFailure::interrupted(&plan.name));
    }
    let slowest = running.slowest()?;
    let now_ns = read_progress(&slowest.work);
    match stall.look(now_ns, || running.activity()) {
        Found::Moves => {}
        Found::Stands => running_program::ask(slowest.process.0),
        Found::Stalled(computed) => return Some(stalled(plan, &slowest.work, now_ns, computed)),
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

/// Virtual time stopped at an instant, while the guest computed for so long.
fn stalled(plan: &Plan, work: &Path, now_ns: u64, computed: Duration) -> RunFailure {
    let what = format!("virtual time stopped at {:.6} s", now_ns as f64 / 1e9);
    let computed = format!("the guest computed for {:.0} s without moving it", computed.as_secs_f64());
    if let Some(programs) = running_program::told(plan, work) {
        let remedy = format!(
            "{computed}: this program never waits (a busy loop), or takes that long; let it sleep, or raise --stall-limit-s"
        );
        RunFailure::new(Kind::Hang, what, programs, remedy)
    } else {
        let remedy = "a program that never waits (a busy loop) stops an infinitely fast CPU: let it sleep; \
                      if it only computes for long, raise --stall-limit-s";
        RunFailure::new(Kind::Hang, what, computed, remedy)
    }
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

/// The kernel's process; it leads a process group of its own.
struct Process(Pid);

impl Process {
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
    use crate::own_core::Cores;
    use airtcp_plan::report::CONSOLE_FILE;
    use std::process::Command;

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

    fn plan() -> Plan {
        airtcp_testing::golden_plans::plan("idle")
    }

    /// A guest whose kernel is a shell: what that does, and how far virtual time is.
    type Sham<'a> = (&'a str, u64);

    /// Guests, each in its folder of the run's; the console of each has how far it is.
    fn guests(work: &Path, shams: &[Sham<'_>]) -> Vec<Guest> {
        let guest = |(number, &(command, progress_ns)): (usize, &Sham<'_>)| {
            let work = work.join(number.to_string());
            fs::create_dir(&work).unwrap();
            fs::write(work.join(AGENT_PROGRESS_FILE), progress_ns.to_le_bytes()).unwrap();
            fs::write(work.join(CONSOLE_FILE), progress_ns.to_string()).unwrap();
            let child = Command::new("sh").args(["-c", command]).spawn().unwrap();
            Guest { child, work, cores: Cores::all() }
        };
        shams.iter().enumerate().map(guest).collect()
    }

    /// The names of the folders of all, or why the run failed; an exit status other than 0 is a failure.
    fn watched(
        shams: &[Sham<'_>],
        interrupted: bool,
        stall_limit: Duration,
    ) -> Result<Vec<String>, RunFailure> {
        let folder = tempfile::tempdir().unwrap();
        let (plan, interrupted) = (plan(), Arc::new(AtomicBool::new(interrupted)));
        let run = Watched { plan: &plan, work: folder.path(), interrupted: &interrupted, stall_limit };
        let guests = guests(folder.path(), shams);
        let processes: Vec<_> = guests.iter().map(|guest| guest.child.id()).collect();
        let result = events::quietly(|| {
            watch(guests, &run, |work, status| {
                let place = work.file_name().unwrap().to_string_lossy().into_owned();
                if status.success() { Ok(place) } else { Err(RunFailure::new(Kind::Guest, "w", place, "r")) }
            })
        });
        for process in processes {
            assert!(!Path::new(&format!("/proc/{process}")).exists(), "none is left");
        }
        result
    }

    const LONG: Duration = Duration::from_secs(600);
    /// As a kernel it does not end when it is asked what runs in it.
    const SLEEPS: &str = "trap '' USR2; exec sleep 600";

    #[test]
    fn a_run_ends_with_the_last_of_its_guests() {
        let ended = watched(&[("sleep 0.3", 0), ("true", 0)], false, LONG).unwrap();
        assert_eq!(ended, ["0", "1"], "in their order, not in that of their ends");
    }

    #[test]
    fn a_guest_that_fails_ends_the_others() {
        for (commands, failed) in [([SLEEPS, "exit 3"], "1"), (["kill -9 $$", SLEEPS], "0")] {
            let failure = watched(&commands.map(|command| (command, 0)), false, LONG).unwrap_err();
            assert_eq!(failure.place, failed);
        }
    }

    #[test]
    fn an_interruption_ends_all() {
        assert_eq!(watched(&[(SLEEPS, 0); 2], true, LONG).unwrap_err().kind, Kind::Interrupted);
    }

    #[test]
    fn the_slowest_guest_says_how_far_the_run_is() {
        let (behind, ahead) = ((SLEEPS, 5_000), (SLEEPS, 7_000));
        for shams in [[ahead, behind], [behind, ahead]] {
            let failure = watched(&shams, false, Duration::ZERO).unwrap_err();
            assert_eq!((failure.kind, failure.console), (Kind::Hang, vec!["5000".to_owned()]));
            assert_eq!(failure.what, "virtual time stopped at 0.000005 s");
        }
    }

    #[test]
    fn this_process_has_a_parent() {
        let me = i32::try_from(std::process::id()).unwrap();
        assert!(parent_of(me).is_some());
        assert!(parent_of(-1).is_none());
    }
}
