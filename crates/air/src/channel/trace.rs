//! Links that follow a recording.

use airtcp_plan::wifi::{LinkTrace, TracePoint};

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
    /// Time after which it starts again: that of its last point, which only says where it ends.
    period_ns: Option<u64>,
    /// Place of the point that was asked for last.
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

    /// Whether this point holds at this time.
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
