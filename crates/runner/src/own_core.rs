//! One core for a guest. Its kernel and the process that it runs take turns, by ptrace, and never run at once: on two cores each
//! turn wakes the other one, which in a virtual machine costs more than all else (a flow of datagrams: twelve times the CPU).

use std::fs;
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use nix::unistd::Pid;

use crate::processes::with_descendants;

/// How often the load of the core is measured.
const LOOK: Duration = Duration::from_secs(1);
/// A guest that waits for more than this share of the time has a busy core.
const BUSY: f64 = 0.3;
/// A core that is idle for more than this share has room.
const ROOM: f64 = 0.5;

/// Keeps the calling process, and all that it starts, on the core on which it runs: the system put it on the idlest one. Best
/// effort: without it a run is slower and the same.
pub fn keep_to_one() {
    if let Ok(core) = sched_getcpu() {
        let _ = keep(Pid::from_raw(0), core);
    }
}

fn keep(process: Pid, core: usize) -> nix::Result<()> {
    let mut set = CpuSet::new();
    set.set(core)?;
    sched_setaffinity(process, &set)
}

/// The cores on which a guest may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cores(Vec<usize>);

impl Cores {
    /// All cores on which this process may run.
    pub fn all() -> Self {
        let own = sched_getaffinity(Pid::from_raw(0)).unwrap_or_default();
        Self((0..CpuSet::count()).filter(|&core| own.is_set(core).unwrap_or(false)).collect())
    }

    /// Divides the cores among guests that run at the same time and wait for each other: no core belongs to two of them, unless
    /// there are fewer cores than guests.
    pub fn shared_by(&self, guests: usize) -> Vec<Self> {
        if self.0.len() < guests {
            return vec![self.clone(); guests];
        }
        // Neighbouring cores are near each other, so that what guests exchange has a short way.
        (0..guests).map(|guest| Self(self.0.iter().copied().skip(guest).step_by(guests).collect())).collect()
    }

    /// Does something while this thread, and what it starts, runs on one of these. Best effort, as [`keep_to_one`].
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        let own = sched_getaffinity(Pid::from_raw(0)).unwrap_or_default();
        let mut set = CpuSet::new();
        let _ = self.0.iter().try_for_each(|&core| set.set(core));
        let _ = sched_setaffinity(Pid::from_raw(0), &set);
        let result = work();
        let _ = sched_setaffinity(Pid::from_raw(0), &own);
        result
    }
}

/// Moves a guest to another of its cores when other processes use the one on which it runs.
#[derive(Debug)]
pub struct Core {
    guest: Pid,
    allowed: Vec<usize>,
    looks: u32,
    last: Look,
}

/// The state at one instant.
#[derive(Clone, Debug)]
struct Look {
    at: Instant,
    /// How long the guest has waited for its core since it started.
    waited: Duration,
    /// Ticks for which each core had been idle, by its number, and all ticks of each.
    idle: Vec<(usize, u64, u64)>,
}

impl Core {
    /// The core of a guest that has just started on one of the allowed cores; `None` if only one is allowed.
    pub fn of(guest: Pid, Cores(allowed): Cores) -> Option<Self> {
        (allowed.len() > 1).then(|| Self { guest, allowed, looks: 0, last: Look::at(guest) })
    }

    /// Measures the load, if it is time to, and moves the guest.
    pub fn look(&mut self) {
        if self.last.at.elapsed() < LOOK {
            return;
        }
        let now = Look::at(self.guest);
        self.looks += 1;
        // Of several guests that share a core not all shall go at once.
        let my_turn =
            self.guest.as_raw().cast_unsigned().wrapping_mul(0x9e37_79b9) >> (self.looks % 32) & 1 == 1;
        if my_turn && now.waited_share(&self.last) > BUSY {
            if let Some(core) = now.idlest(&self.last, &self.allowed) {
                with_descendants(self.guest, &mut |process| {
                    let _ = keep(process, core);
                });
            }
        }
        self.last = now;
    }
}

impl Look {
    fn at(guest: Pid) -> Self {
        let schedstat = fs::read_to_string(format!("/proc/{guest}/schedstat")).unwrap_or_default();
        let waited = schedstat.split_whitespace().nth(1).and_then(|ns| ns.parse().ok()).unwrap_or_default();
        let idle = idle_ticks(&fs::read_to_string("/proc/stat").unwrap_or_default());
        Self { at: Instant::now(), waited: Duration::from_nanos(waited), idle }
    }

    fn waited_share(&self, before: &Self) -> f64 {
        let elapsed = self.at.duration_since(before.at).as_secs_f64();
        self.waited.saturating_sub(before.waited).as_secs_f64() / elapsed.max(f64::MIN_POSITIVE)
    }

    fn idlest(&self, before: &Self, allowed: &[usize]) -> Option<usize> {
        let share = |&(core, idle, all): &(usize, u64, u64)| {
            let (_, idle_before, all_before) = before.idle.iter().find(|(other, ..)| *other == core)?;
            let ticks = all.saturating_sub(*all_before).max(1);
            allowed.contains(&core).then(|| (core, idle.saturating_sub(*idle_before) as f64 / ticks as f64))
        };
        let shares = self.idle.iter().filter_map(share);
        let (core, share) = shares.max_by(|a, b| a.1.total_cmp(&b.1))?;
        (share > ROOM).then_some(core)
    }
}

/// Lines `cpuN user nice system idle iowait ...` (`proc_stat(5)`).
fn idle_ticks(stat: &str) -> Vec<(usize, u64, u64)> {
    let of_line = |line: &str| {
        let mut words = line.strip_prefix("cpu")?.split_whitespace();
        let core = words.next()?.parse().ok()?;
        let ticks: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
        Some((core, ticks.get(3)? + ticks.get(4)?, ticks.iter().take(8).sum()))
    };
    // Of all cores together the first word has no number.
    stat.lines().filter(|line| !line.starts_with("cpu ")).filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str =
        "cpu  1 0 1 10 0 0 0 0 0 0\ncpu0 10 0 10 100 5 0 0 0 0 0\ncpu1 10 0 10 100 5 0 0 0 0 0\nintr 5\n";
    const AFTER: &str =
        "cpu  1 0 1 10 0 0 0 0 0 0\ncpu0 90 0 20 105 10 0 0 0 0 0\ncpu1 20 0 10 180 15 0 0 0 0 0\nintr 9\n";

    fn look(stat: &str, at: Instant, waited_ms: u64) -> Look {
        Look { at, waited: Duration::from_millis(waited_ms), idle: idle_ticks(stat) }
    }

    #[test]
    fn the_idlest_core_is_one_with_room() {
        let start = Instant::now();
        let (before, after) = (look(BEFORE, start, 100), look(AFTER, start + LOOK, 600));
        assert_eq!(before.idle, [(0, 105, 125), (1, 105, 125)]);
        assert_eq!(after.idlest(&before, &[0, 1]), Some(1));
        assert_eq!(after.idlest(&before, &[0]), None);
        assert!((after.waited_share(&before) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn guests_that_run_together_have_cores_of_their_own() {
        let shares = |cores: &[usize], guests| Cores(cores.to_vec()).shared_by(guests);
        assert_eq!(shares(&[0, 1], 2), [Cores(vec![0]), Cores(vec![1])]);
        assert_eq!(shares(&[2, 3, 5, 6, 7], 2), [Cores(vec![2, 5, 7]), Cores(vec![3, 6])]);
        assert_eq!(shares(&[2, 3], 1), [Cores(vec![2, 3])]);
        assert_eq!(shares(&[4], 2), [Cores(vec![4]), Cores(vec![4])]);
    }

    #[test]
    fn what_is_started_meanwhile_runs_on_these_cores() {
        let own = Cores::all();
        let last = Cores(own.0.last().copied().into_iter().collect());
        assert_eq!(last.during(Cores::all), last);
        assert_eq!(Cores::all(), own);
    }

    #[test]
    fn a_process_and_its_children_move() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let mut seen = Vec::new();
        with_descendants(Pid::this(), &mut |process| seen.push(process.as_raw()));
        assert!(
            seen.contains(&child.id().cast_signed()) || !std::path::Path::new("/proc/self/task").exists()
        );
        let core =
            (0..CpuSet::count()).find(|&core| sched_getaffinity(Pid::this()).unwrap().is_set(core).unwrap());
        keep(Pid::from_raw(child.id().cast_signed()), core.unwrap()).unwrap();
        let set = sched_getaffinity(Pid::from_raw(child.id().cast_signed())).unwrap();
        assert_eq!((0..CpuSet::count()).filter(|&n| set.is_set(n).unwrap()).count(), 1);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
