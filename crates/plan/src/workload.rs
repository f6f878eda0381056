//! What the application at the ends of a flow does. `docs/models/workloads.md` describes the steps of each end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Variate;

/// Fewest bytes of a request: the first eight say how many bytes are to be answered.
pub const REQUEST_BYTES_MIN: u32 = 8;

/// What an application sends or requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Workload {
    /// The sender writes as fast as TCP takes it, until the flow's stop.
    Bulk {},
    /// A bulk transfer of up to a number of bytes.
    Bytes {
        /// Application bytes.
        count: u64,
    },
    /// Bursts that alternate with silence.
    OnOff {
        /// The bursts.
        on: Burst,
        /// Silence after each.
        off_ns: Variate,
    },
    /// Requests, one after the other, each with an answer.
    Requests {
        /// Length of a request, at least [`REQUEST_BYTES_MIN`].
        request_bytes: u32,
        /// Length of an answer.
        response_bytes: Variate,
        /// Time from an answer to the next request.
        think_ns: Variate,
        /// How many requests; `null`: until the flow's stop.
        count: Option<u64>,
    },
    /// Web pages: a main object, then those embedded in it.
    Web {
        /// Length of a request, at least [`REQUEST_BYTES_MIN`].
        request_bytes: u32,
        /// Length of a main object.
        page_bytes: Variate,
        /// Number of objects embedded in it.
        objects: Variate,
        /// Length of each.
        object_bytes: Variate,
        /// Time from a main object to the requests for the embedded ones, which leave together.
        parse_ns: Variate,
        /// Time from a page to the next.
        reading_ns: Variate,
        /// How many pages; `null`: until the flow's stop.
        count: Option<u64>,
    },
    /// Adaptive streaming of a film in segments.
    Video {
        /// Length of a request, at least [`REQUEST_BYTES_MIN`].
        request_bytes: u32,
        /// Playing time of a segment.
        segment_ns: u64,
        /// Rates in which the film is available, in rising order.
        rates_bps: Vec<u64>,
        /// Buffer level at which playing begins.
        startup_ns: u64,
        /// Buffer level at which playing continues after a stall.
        resume_ns: u64,
        /// Buffer level above which no segment is requested.
        buffer_ns: u64,
        /// How the rate is chosen.
        adaptation: Adaptation,
        /// Playing time of the film; `null`: it has no end.
        length_ns: Option<u64>,
    },
}

impl Workload {
    /// Whether the receiver of the data requests it: the receiver connects, and the sender listens.
    pub fn is_asked_for(&self) -> bool {
        matches!(self, Self::Requests { .. } | Self::Web { .. } | Self::Video { .. })
    }

    /// Whether the flow's transfers are recorded one by one.
    pub fn has_transfers(&self) -> bool {
        self.is_asked_for() || matches!(self, Self::OnOff { .. })
    }
}

/// What ends a burst.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Burst {
    /// A time: nothing more is written then.
    Time {
        /// Length of the burst, in nanoseconds.
        on_ns: Variate,
    },
    /// An amount.
    Bytes {
        /// Application bytes.
        amount_bytes: Variate,
    },
}

/// How a player chooses the rate of the next segment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Adaptation {
    /// One rate for all segments.
    Fixed {},
    /// By the level of the buffer: BBA-0 (Huang et al., SIGCOMM 2014, algorithm 1).
    Buffer {
        /// Buffer level up to which the lowest rate is chosen (the reservoir).
        reservoir_ns: u64,
        /// Buffer level from which the highest rate is chosen; between the two levels the limit grows linearly.
        upper_ns: u64,
    },
    /// By the rate of past transfers: the highest rate below a part of their harmonic mean.
    Throughput {
        /// Number of last segments in the mean.
        segments: u32,
        /// The part of the mean that the rate must stay below.
        safety: f64,
    },
}
