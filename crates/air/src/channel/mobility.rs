//! Where antennas are, and when they move.

use airtcp_plan::{AirNic, Waypoint};
use airtcp_units::Metre;

/// A place: coordinates in metres, the third is the height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position(pub(crate) [f64; 3]);

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
    pub fn new(metres: [Metre; 3]) -> Self {
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

    /// The way of a NIC that stays at a place.
    pub(crate) fn staying(at: Position) -> Self {
        Self { start: at, points: Vec::new() }
    }

    /// The position at a time: on the straight line between two waypoints at constant speed, at the start before the first
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

#[cfg(test)]
mod tests {
    use super::super::scene;
    use super::*;

    /// Starts at the origin; from 2 s to 4 s from 1 m to 5 m, jumps at 6 s, rises until 10 s.
    fn track() -> Track {
        let mut plan = scene::plan(&[[0.0, 0.0, 1.0]]);
        plan.nics[0].waypoints = vec![
            scene::waypoint(2.0, [1.0, 0.0, 1.0]),
            scene::waypoint(4.0, [5.0, -2.0, 1.0]),
            scene::waypoint(6.0, [5.0, -2.0, 1.0]),
            scene::waypoint(6.000_000_001, [7.0, 7.0, 1.0]),
            scene::waypoint(10.0, [7.0, 7.0, 9.0]),
        ];
        Track::new(&plan.nics[0])
    }

    #[test]
    fn places_by_hand() {
        let track = track();
        for (time_s, place) in [
            (0.0, [0.0, 0.0, 1.0]),
            (1.999_999_999, [0.0, 0.0, 1.0]),
            (2.0, [1.0, 0.0, 1.0]),
            (2.5, [2.0, -0.5, 1.0]),
            (4.0, [5.0, -2.0, 1.0]),
            (5.5, [5.0, -2.0, 1.0]),
            (6.000_000_001, [7.0, 7.0, 1.0]),
            (8.0, [7.0, 7.0, 5.0]),
            (10.0, [7.0, 7.0, 9.0]),
            (1e9, [7.0, 7.0, 9.0]),
        ] {
            let found = track.position(scene::nanos(time_s));
            assert!(found.distance(Position(place)) < 1e-8, "{found:?} at {time_s} s");
        }
    }

    #[test]
    fn speed_is_constant_between_waypoints() {
        let track = track();
        let places: Vec<Position> =
            (0..=20).map(|i| track.position(scene::nanos(2.0 + 0.1 * f64::from(i)))).collect();
        let step = 20.0_f64.sqrt() / 20.0;
        assert!(places.windows(2).all(|p| (p[0].distance(p[1]) - step).abs() < 1e-12));
    }

    #[test]
    fn changes_are_announced() {
        let track = track();
        let next = |time_s: f64| track.next_change_ns(scene::nanos(time_s));
        assert_eq!(next(0.0), Some(scene::nanos(2.0)));
        assert_eq!(next(2.0), Some(scene::nanos(2.0) + 1), "it moves");
        assert_eq!(next(3.0), Some(scene::nanos(3.0) + 1));
        assert_eq!(next(4.0), Some(scene::nanos(6.0)), "it stands");
        assert_eq!(next(6.0), Some(scene::nanos(6.0) + 1));
        assert_eq!(next(10.0), None);
        let still = scene::plan(&[[0.0; 3]]);
        assert_eq!(Track::new(&still.nics[0]).next_change_ns(0), None);
    }
}
