//! Rate, delay and loss of a wire's direction that change over time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most points of one trace: one a millisecond for 10 minutes (`AIRTCP_WIRE_STEPS_MAX` of the kernel patches).
pub const WIRE_POINTS_MAX: usize = 600_000;
/// Rates of a trace are less than this: 2^53 bit/s, a thousand times more than any wire.
pub const WIRE_TRACE_RATE_MAX_BPS: u64 = 1 << 53;

/// How an end of a wire sends over time, instead of its `rate_bps` and `delay_ns`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireTrace {
    /// Whether the trace starts again at the time of its last point, which only marks its end.
    pub repeat: bool,
    /// Points of the trace in the order of time. Each holds until the next, the last for ever (see `repeat`). Before the first,
    /// rate and delay are those of the egress, and nothing is lost.
    pub points: Vec<WirePoint>,
}

/// One point of a wire's trace; `null` leaves rate or delay as the egress has it, and loses nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WirePoint {
    /// Time of the point, from the epoch.
    pub time_ns: u64,
    /// Rate; 0: nothing is sent meanwhile.
    pub rate_bps: Option<u64>,
    /// Propagation delay of frames that depart meanwhile.
    pub delay_ns: Option<u64>,
    /// Probability that a frame that departs meanwhile does not arrive.
    pub loss: Option<f64>,
}
