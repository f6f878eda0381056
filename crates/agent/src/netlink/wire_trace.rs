//! Rate, delay and loss of an end of a wire over time
//! (`kernel/src/arch/um/drivers/airtcp/wire/trace.h`).

use airtcp_plan::{Egress, WirePoint, WireTrace};

use super::Request;
use super::link::{change_link, of_kind};
use super::message::{find, u64_at};

/// The kernel's name of a wire, as a kind of device.
pub(super) const KIND: &str = "airtcp_wire";
const AIRTCP_WIRE_TRACE: u16 = 7;
const AIRTCP_WIRE_STEPS: u16 = 8;
/// `AIRTCP_WIRE_UNLIMITED`.
const UNLIMITED: u64 = u64::MAX;
/// A probability of 1 (`AIRTCP_WIRE_LOSS_BITS`).
const ALWAYS: f64 = (1_u64 << 53) as f64;
/// Bytes of a step: four u64.
const STEP_BYTES: usize = 32;
/// Steps in one request: its attributes, which contain each other, have at most 64 KiB.
const STEPS_IN_REQUEST: usize = 1000;

/// What a trace is besides its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceHead {
    /// Virtual time at which its times begin.
    start_ns: u64,
    /// After which the steps begin again; 0: the last one holds for ever.
    period_ns: u64,
    /// Key of the losses: the seed, and the number of the end among all ends of wires.
    key: [u64; 2],
    /// Number of its steps.
    steps: u64,
}

/// From a time on, until that of the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    time_ns: u64,
    rate_bps: u64,
    delay_ns: u64,
    loss: u64,
}

/// The trace of an end of a wire, as the kernel takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TraceSteps {
    /// Start, period, random key and number of steps of the trace.
    pub(crate) head: TraceHead,
    steps: Vec<Step>,
}

impl TraceSteps {
    /// The trace of an egress, whose own rate and delay hold where the trace has none.
    ///
    /// `start_ns`: the epoch. `key`: the plan's seed, and the number of the end.
    pub(crate) fn of(egress: &Egress, trace: &WireTrace, start_ns: u64, key: [u64; 2]) -> Self {
        let mut points = trace.points.clone();
        let period_ns = if trace.repeat { points.pop().map_or(0, |last| last.time_ns) } else { 0 };
        if points.first().is_none_or(|first| first.time_ns > 0) {
            points.insert(0, WirePoint { time_ns: 0, rate_bps: None, delay_ns: None, loss: None });
        }
        let steps: Vec<_> = points.iter().map(|point| Step::of(egress, point)).collect();
        Self { head: TraceHead { start_ns, period_ns, key, steps: steps.len() as u64 }, steps }
    }

    /// The requests that set it, in their order.
    pub(crate) fn requests(&self, index: u32) -> Vec<Request> {
        let parts = self.steps.chunks(STEPS_IN_REQUEST).enumerate();
        parts
            .map(|(number, steps)| {
                let bytes: Vec<u8> = steps.iter().flat_map(|step| step.bytes()).collect();
                of_kind(change_link(index), KIND, |r| {
                    let r = if number == 0 { r.attribute(AIRTCP_WIRE_TRACE, &self.head.bytes()) } else { r };
                    r.attribute(AIRTCP_WIRE_STEPS, &bytes)
                })
            })
            .collect()
    }
}

impl TraceHead {
    /// From the data of a link of this kind.
    pub(super) fn read(data: &[u8]) -> Option<Self> {
        let value = find(data, AIRTCP_WIRE_TRACE)?;
        let [start_ns, period_ns, seed, end, steps] = [0, 1, 2, 3, 4].map(|n| u64_at(value, 8 * n));
        Some(Self { start_ns, period_ns, key: [seed, end], steps })
    }

    fn bytes(self) -> Vec<u8> {
        let [seed, end] = self.key;
        [self.start_ns, self.period_ns, seed, end, self.steps].iter().flat_map(|n| n.to_ne_bytes()).collect()
    }
}

impl Step {
    fn of(egress: &Egress, point: &WirePoint) -> Self {
        Self {
            time_ns: point.time_ns,
            rate_bps: point.rate_bps.or(egress.rate_bps).unwrap_or(UNLIMITED),
            delay_ns: point.delay_ns.unwrap_or(egress.delay_ns),
            loss: (point.loss.unwrap_or(0.0) * ALWAYS).round() as u64,
        }
    }

    fn bytes(self) -> [u8; STEP_BYTES] {
        let mut bytes = [0; STEP_BYTES];
        let numbers = [self.time_ns, self.rate_bps, self.delay_ns, self.loss];
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_ne_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::Queue;

    use super::*;

    fn point(time_ns: u64, rate_bps: Option<u64>, delay_ns: Option<u64>, loss: Option<f64>) -> WirePoint {
        WirePoint { time_ns, rate_bps, delay_ns, loss }
    }

    fn steps(repeat: bool, points: Vec<WirePoint>) -> TraceSteps {
        let trace = WireTrace { repeat, points };
        let egress = Egress { delay_ns: 7, rate_bps: Some(1_000), trace: None, queue: Queue::None };
        TraceSteps::of(&egress, &trace, 50, [3, 9])
    }

    fn step(time_ns: u64, rate_bps: u64, delay_ns: u64, loss: u64) -> Step {
        Step { time_ns, rate_bps, delay_ns, loss }
    }

    #[test]
    fn what_a_point_leaves_out_is_as_the_egress_has_it() {
        let made = steps(false, vec![point(0, Some(0), None, None), point(5, None, Some(0), Some(1.0))]);
        assert_eq!(made.steps, [step(0, 0, 7, 0), step(5, 1_000, 0, 1 << 53)]);
        assert_eq!(made.head, TraceHead { start_ns: 50, period_ns: 0, key: [3, 9], steps: 2 });
    }

    #[test]
    fn before_its_first_point_a_trace_says_nothing() {
        let made = steps(false, vec![point(5, Some(2), Some(3), Some(0.5))]);
        assert_eq!(made.steps, [step(0, 1_000, 7, 0), step(5, 2, 3, 1 << 52)]);
    }

    #[test]
    fn the_last_point_of_a_repeated_trace_marks_its_end() {
        let made = steps(true, vec![point(0, Some(1), None, None), point(9, Some(2), None, None)]);
        assert_eq!((made.steps, made.head.period_ns), (vec![step(0, 1, 7, 0)], 9));
        let nothing = steps(true, vec![point(9, Some(2), None, None)]);
        assert_eq!((nothing.steps, nothing.head.period_ns), (vec![step(0, 1_000, 7, 0)], 9));
    }

    #[test]
    fn a_long_trace_is_set_by_several_requests() {
        let points = (0..2_500).map(|n| point(n, Some(n), None, None)).collect();
        let made = steps(false, points);
        let bytes: Vec<usize> = made.requests(1).into_iter().map(|r| r.finish(1, 0).len()).collect();
        assert_eq!(bytes.len(), 3);
        assert!(bytes.iter().all(|&bytes| bytes < 33_000), "{bytes:?}");
        assert!(bytes[2] < bytes[1] / 2 + 200, "{bytes:?}");
    }
}
