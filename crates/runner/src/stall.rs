//! Notices when virtual time no longer moves though the guest has had the time to move it.
//!
//! What counts is the time for which the guest's processes computed: on a machine that does other things they wait for
//! a core, and that is no stall. If all of them sleep, nobody will wake them, and real time counts.

use std::time::{Duration, Instant};

use crate::processes::Activity;

/// Once a guest has stalled, it is asked so many times what runs in it, at successive looks.
const ASKS: u32 = 5;

/// What a look has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Time moves, or may still move.
    Moves,
    /// Time stands still for longer than it may; the guest is to be asked what runs in it.
    Stands,
    /// The guest has been asked what runs in it, and time still stands. The value is the CPU time that it took meanwhile.
    Stalled(Duration),
}

/// Watches virtual time.
#[derive(Debug)]
pub struct Stall {
    limit: Duration,
    last_ns: u64,
    standing: Option<Standing>,
}

/// Time that does not move.
#[derive(Clone, Copy, Debug)]
struct Standing {
    /// For how long the guest computed meanwhile.
    computed: Duration,
    looked: Instant,
    activity: Option<Activity>,
    asked: u32,
}

impl Stall {
    /// For how long a guest may compute without moving time.
    pub fn new(limit: Duration) -> Self {
        Self { limit, last_ns: 0, standing: None }
    }

    /// Virtual time is `now_ns`, and `activity` says what the guests do: it is called only if time has not moved.
    pub fn look(&mut self, now_ns: u64, activity: impl FnOnce() -> Option<Activity>) -> Found {
        if now_ns != self.last_ns {
            self.last_ns = now_ns;
            self.standing = None;
            return Found::Moves;
        }
        let (looked, activity) = (Instant::now(), activity());
        let before =
            self.standing.unwrap_or(Standing { computed: Duration::ZERO, looked, activity, asked: 0 });
        let elapsed = looked.duration_since(before.looked);
        let computed = before.computed + computed_in(elapsed, before.activity, activity);
        let stands = computed >= self.limit;
        let asked = before.asked + u32::from(stands);
        self.standing = Some(Standing { computed, looked, activity, asked });
        match (stands, asked > ASKS) {
            (false, _) => Found::Moves,
            (true, false) => Found::Stands,
            (true, true) => Found::Stalled(computed),
        }
    }
}

/// For how long of the time between two looks the guests computed, or slept for ever. Of those that have ended meanwhile nothing is
/// known.
fn computed_in(elapsed: Duration, before: Option<Activity>, now: Option<Activity>) -> Duration {
    match (before, now) {
        (Some(before), Some(now)) if now.goes_on || now.cpu != before.cpu => {
            now.cpu.saturating_sub(before.cpu).min(elapsed)
        }
        _ => elapsed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(50);

    fn activity(cpu_ms: u64, goes_on: bool) -> Activity {
        Activity { cpu: Duration::from_millis(cpu_ms), goes_on }
    }

    /// What looks 20 ms apart find at one instant.
    fn looks(seen: &[Option<Activity>]) -> Vec<Found> {
        let mut stall = Stall::new(LIMIT);
        assert_eq!(stall.look(7, || panic!("it moves")), Found::Moves);
        let look = |&activity: &Option<Activity>| {
            std::thread::sleep(Duration::from_millis(20));
            stall.look(7, || activity)
        };
        seen.iter().map(look).collect()
    }

    #[test]
    fn waiting_for_a_core_is_no_stall() {
        // Ten looks later, 200 ms have passed, of which the guest had 9 ms.
        let seen: Vec<_> = (0..10).map(|n| Some(activity(n, true))).collect();
        assert_eq!(looks(&seen), [Found::Moves; 10]);
    }

    #[test]
    fn computing_without_moving_time_is_one() {
        let seen: Vec<_> = (0..11).map(|n| Some(activity(20 * n, true))).collect();
        let found = looks(&seen);
        assert_eq!(found[..3], [Found::Moves; 3]);
        assert_eq!(found[3..8], [Found::Stands; 5]);
        assert!(matches!(found[8], Found::Stalled(computed) if computed >= LIMIT), "{found:?}");
    }

    #[test]
    fn sleeping_for_ever_is_one_and_so_is_what_nothing_is_known_of() {
        for seen in [Some(activity(3, false)), None] {
            let found = looks(&[seen; 9]);
            assert_eq!(found[3], Found::Stands, "{found:?}");
            assert!(matches!(found[8], Found::Stalled(_)), "{found:?}");
        }
    }

    #[test]
    fn two_guests_that_compute_at_once_have_the_time_that_passes() {
        let twice = computed_in(LIMIT, Some(activity(0, true)), Some(activity(100, true)));
        assert_eq!(twice, LIMIT);
    }

    #[test]
    fn time_that_moves_again_was_no_stall() {
        let mut stall = Stall::new(Duration::ZERO);
        assert_eq!(stall.look(0, || Some(activity(0, true))), Found::Stands);
        assert_eq!(stall.look(1, || Some(activity(0, true))), Found::Moves);
        assert_eq!(stall.look(1, || Some(activity(0, true))), Found::Stands);
    }
}
