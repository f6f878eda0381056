//! Where antennas are, and when they move.

use airtcp_plan::wifi::{AirNic, Waypoint};
use airtcp_units::Metre;

/// A place: coordinates in metres, the third is the height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Position(pub(crate) [f64; 3]);

/// The way of one NIC. Times are nanoseconds from the epoch.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    start: Position,
    points: Vec<Stop>,
}

/// A place on the way.
#[derive(Clone, Copy, Debug)]
struct Stop {
    time_ns: u64,
    place: Position,
}

impl Position {
    /// The place of the plan.
    pub(crate) fn new(metres: [Metre; 3]) -> Self {
        Self(metres.map(Metre::get))
    }

    /// Distance in metres.
    pub(crate) fn distance(self, other: Self) -> f64 {
        let square: f64 = self.0.iter().zip(other.0).map(|(a, b)| (a - b) * (a - b)).sum();
        libm::sqrt(square)
    }

    /// The place at this share (0 to 1) of the straight line to another.
    fn towards(self, other: Self, share: f64) -> Self {
        Self([0, 1, 2].map(|i| self.0[i] + share * (other.0[i] - self.0[i])))
    }
}

impl Track {
    /// The way of a NIC of the plan.
    pub(crate) fn new(nic: &AirNic) -> Self {
        let stop = |w: &Waypoint| Stop { time_ns: w.time_ns, place: Position::new(w.position_m) };
        Self { start: Position::new(nic.position_m), points: nic.waypoints.iter().map(stop).collect() }
    }

    /// Where it is: on the straight line between two waypoints at constant speed, at the start before the first
    /// waypoint (there it may jump), at the last one for ever after.
    pub(crate) fn position(&self, time_ns: u64) -> Position {
        let passed = self.passed(time_ns);
        let Some(last) = passed.checked_sub(1).map(|i| self.points[i]) else { return self.start };
        let Some(next) = self.points.get(passed) else { return last.place };
        let share = (time_ns - last.time_ns) as f64 / (next.time_ns - last.time_ns) as f64;
        last.place.towards(next.place, share)
    }

    /// The first time after this one at which it may be elsewhere; `None` if it stays.
    pub(crate) fn next_change_ns(&self, time_ns: u64) -> Option<u64> {
        let passed = self.passed(time_ns);
        let next = self.points.get(passed)?;
        let moves = passed.checked_sub(1).is_some_and(|i| self.points[i].place != next.place);
        Some(if moves { time_ns + 1 } else { next.time_ns })
    }

    /// How many waypoints it has reached.
    fn passed(&self, time_ns: u64) -> usize {
        self.points.partition_point(|p| p.time_ns <= time_ns)
    }
}
