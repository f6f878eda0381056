//! Links that follow a recording.

use airtcp_plan::{LinkTrace, TracePoint};
use airtcp_units::Dbm;

/// The recordings of all links. Times are nanoseconds from the epoch.
#[derive(Debug)]
pub(super) struct Traces {
    nics: usize,
    /// Place of a link's recording by sender, then receiver; empty if there is none at all.
    by_link: Vec<Option<u32>>,
    recorded: Vec<Trace>,
}

/// The recording of one direction of a link.
#[derive(Clone, Debug)]
struct Trace {
    /// Sender and receiver.
    ends: [usize; 2],
    points: Vec<TracePoint>,
    /// Time after which it starts again: that of its last point, which only marks its end.
    period_ns: Option<u64>,
    /// Index of the point that was used last.
    cursor: usize,
}

impl Traces {
    pub(super) fn new(plan: &[LinkTrace], nics: usize) -> Self {
        let mut by_link = if plan.is_empty() { Vec::new() } else { vec![None; nics * nics] };
        for (i, trace) in plan.iter().enumerate() {
            by_link[trace.from as usize * nics + trace.to as usize] = Some(i as u32);
        }
        Self { nics, by_link, recorded: plan.iter().map(Trace::new).collect() }
    }

    /// The point that holds on a link at a time; `None` without a recording, or before it begins.
    #[inline]
    pub(super) fn point(&mut self, time_ns: u64, from: usize, to: usize) -> Option<TracePoint> {
        let place = (*self.by_link.get(from * self.nics + to)?)?;
        self.recorded[place as usize].point(time_ns)
    }

    /// On this link the power stays what it is given to be, and all else what it is.
    pub(super) fn fix_power(&mut self, time_ns: u64, [from, to]: [usize; 2], power: Dbm) {
        let held = self.point(time_ns, from, to);
        let (loss, rate_bps) = held.map_or((None, None), |point| (point.loss, point.rate_bps));
        let point = TracePoint { time_ns, rssi_dbm: Some(power), loss, rate_bps };
        let fixed = Trace { ends: [from, to], points: vec![point], period_ns: None, cursor: 0 };
        self.by_link.resize(self.nics * self.nics, None);
        let place = &mut self.by_link[from * self.nics + to];
        if let Some(recorded) = *place {
            self.recorded[recorded as usize] = fixed;
        } else {
            *place = Some(self.recorded.len() as u32);
            self.recorded.push(fixed);
        }
    }

    /// Sender and receiver of every link with a recorded power.
    pub(super) fn links_with_power(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        self.recorded.iter().filter(|t| t.has_power()).map(|t| t.ends)
    }

    /// The first time after this one at which a recorded power may change.
    pub(super) fn next_change_ns(&self, time_ns: u64) -> Option<u64> {
        self.recorded.iter().filter(|t| t.has_power()).filter_map(|t| t.next_change_ns(time_ns)).min()
    }
}

impl Trace {
    fn new(plan: &LinkTrace) -> Self {
        let end = plan.points.last().map(|p| p.time_ns);
        Self {
            ends: [plan.from as usize, plan.to as usize],
            points: plan.points.clone(),
            period_ns: end.filter(|_| plan.repeat),
            cursor: 0,
        }
    }

    fn has_power(&self) -> bool {
        self.points.iter().any(|p| p.rssi_dbm.is_some())
    }

    /// Looks at the point of the last call and at the next one before it searches, for time mostly flows.
    fn point(&mut self, time_ns: u64) -> Option<TracePoint> {
        let time_ns = self.phase(time_ns);
        let near = [self.cursor, self.cursor + 1].into_iter().find(|&i| self.holds(i, time_ns));
        let place = match near {
            Some(place) => place,
            None => self.passed(time_ns).checked_sub(1)?,
        };
        self.cursor = place;
        Some(self.points[place])
    }

    /// Time since the recording last started.
    fn phase(&self, time_ns: u64) -> u64 {
        self.period_ns.map_or(time_ns, |period| time_ns % period)
    }

    /// Whether the point at this place holds at this time.
    fn holds(&self, place: usize, time_ns: u64) -> bool {
        self.points.get(place).is_some_and(|p| p.time_ns <= time_ns)
            && self.points.get(place + 1).is_none_or(|p| time_ns < p.time_ns)
    }

    /// How many points have begun.
    fn passed(&self, time_ns: u64) -> usize {
        self.points.partition_point(|p| p.time_ns <= time_ns)
    }

    fn next_change_ns(&self, time_ns: u64) -> Option<u64> {
        let phase = self.phase(time_ns);
        // With a period the last point is its end, and after it comes the start.
        let next = self.points.get(self.passed(phase))?;
        (time_ns - phase).checked_add(next.time_ns)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn recording(times_ns: &[u64], repeat: bool) -> LinkTrace {
        let point = |&time_ns: &u64| TracePoint {
            time_ns,
            rssi_dbm: Some(Dbm::new(-(time_ns as f64))),
            loss: None,
            rate_bps: None,
        };
        LinkTrace { from: 2, to: 0, repeat, points: times_ns.iter().map(point).collect() }
    }

    /// The time of the point that holds at this time.
    fn held(traces: &mut Traces, time_ns: u64) -> Option<u64> {
        traces.point(time_ns, 2, 0).map(|p| p.time_ns)
    }

    #[test]
    fn each_point_holds_until_the_next_and_the_last_for_ever() {
        let mut traces = Traces::new(&[recording(&[10, 20, 21, 50], false)], 3);
        let at = [0, 9, 10, 19, 20, 21, 49, 50, 51, u64::MAX];
        let holds = at.map(|t| held(&mut traces, t));
        let expected =
            [None, None, Some(10), Some(10), Some(20), Some(21), Some(21), Some(50), Some(50), Some(50)];
        assert_eq!(holds, expected);
    }

    #[test]
    fn a_repeated_recording_starts_again_at_its_last_point() {
        let mut traces = Traces::new(&[recording(&[0, 20, 50], true)], 3);
        let at = [0, 19, 20, 49, 50, 69, 70, 99, 100, 50_000_019];
        let holds = at.map(|t| held(&mut traces, t));
        let expected = [0, 0, 20, 20, 0, 0, 20, 20, 0, 0].map(Some);
        assert_eq!(holds, expected);
    }

    #[test]
    fn before_its_first_point_a_repeated_recording_says_nothing_each_time() {
        let mut traces = Traces::new(&[recording(&[10, 50], true)], 3);
        assert_eq!(
            [5, 10, 49, 50, 59, 60].map(|t| held(&mut traces, t)),
            [None, Some(10), Some(10), None, None, Some(10)]
        );
    }

    #[test]
    fn only_the_recorded_direction_has_points() {
        let mut traces = Traces::new(&[recording(&[0], false)], 3);
        assert!(traces.point(5, 2, 0).is_some());
        assert!(traces.point(5, 0, 2).is_none());
        assert!(traces.point(5, 1, 0).is_none());
        assert!(Traces::new(&[], 3).point(5, 2, 0).is_none());
    }

    #[test]
    fn a_fixed_power_replaces_the_recorded_one_and_keeps_losses() {
        let mut lossy = recording(&[0, 20], false);
        lossy.points[0].loss = Some(0.25);
        let mut traces = Traces::new(&[lossy], 3);
        traces.fix_power(7, [2, 0], Dbm::new(-61.0));
        traces.fix_power(8, [1, 2], Dbm::new(-70.0));
        let found = traces.point(30, 2, 0).unwrap();
        assert_eq!((found.rssi_dbm, found.loss), (Some(Dbm::new(-61.0)), Some(0.25)));
        assert_eq!(traces.point(30, 1, 2).unwrap().rssi_dbm, Some(Dbm::new(-70.0)));
        assert!(traces.point(7, 1, 2).is_none() && traces.point(30, 2, 1).is_none());
        assert_eq!(traces.next_change_ns(8), None);
        assert_eq!(traces.links_with_power().collect::<Vec<_>>(), [[2, 0], [1, 2]]);
        let mut none = Traces::new(&[], 3);
        none.fix_power(0, [0, 1], Dbm::new(-50.0));
        assert!(none.point(0, 0, 1).is_some() && none.point(0, 1, 0).is_none());
    }

    #[test]
    fn changes_are_announced() {
        let once = Traces::new(&[recording(&[10, 20], false)], 3);
        assert_eq!([0, 10, 19, 20].map(|t| once.next_change_ns(t)), [Some(10), Some(20), Some(20), None]);
        let again = Traces::new(&[recording(&[10, 50], true)], 3);
        assert_eq!([0, 10, 50, 60].map(|t| again.next_change_ns(t)), [10, 50, 60, 100].map(Some));
        let mut unpowered = recording(&[10, 50], true);
        unpowered.points.iter_mut().for_each(|p| p.rssi_dbm = None);
        assert_eq!(Traces::new(&[unpowered], 3).next_change_ns(0), None);
    }

    proptest! {
        /// Jumps of time forwards and back, against a search through all points.
        #[test]
        fn jumps_of_time_find_the_same_point(
            gaps in prop::collection::vec(1..50_u64, 1..40),
            first in 0..20_u64,
            asked in prop::collection::vec(0..5000_u64, 1..60),
            repeat: bool,
        ) {
            let mut end = first;
            let mut times = vec![first];
            times.extend(gaps.iter().map(|gap| {
                end += gap;
                end
            }));
            let mut traces = Traces::new(&[recording(&times, repeat)], 3);
            for time_ns in asked {
                let phase = if repeat { time_ns % end } else { time_ns };
                let expected = times.iter().copied().rfind(|&t| t <= phase);
                prop_assert_eq!(held(&mut traces, time_ns), expected);
            }
        }
    }
}
