//! The results of a scene without hosts ([`crate::AirScene`]).
//!
//! Every count and time is of the measured interval: what happened after `warmup_ns`, up to `end_ns`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crate::report::MediumReport;

/// The result of a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneReport {
    /// Version of the model: results may change when it does.
    pub model_version: u32,
    /// The scene's name.
    pub name: String,
    /// Seed of the scene.
    pub seed: u64,
    /// Beginning of the measured interval, from the start of virtual time.
    pub warmup_ns: u64,
    /// End of the scene, in nanoseconds from its start.
    pub end_ns: u64,
    /// Events the model handled since the start of virtual time.
    pub events: u64,
    /// One entry per source, in the order of the scene.
    pub sources: Vec<SourceReport>,
    /// One entry per NIC, in the order of the scene.
    pub nics: Vec<SceneNicReport>,
    /// One entry per medium (cells on one primary channel), by frequency. Its parts add up to the measured interval.
    pub media: Vec<MediumReport>,
}

/// How one source went. `in_flight_begin + offered.frames = sent.frames + dropped + in_flight_end`, which the driver checks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceReport {
    /// Name in the scene.
    pub name: String,
    /// Number of the sending NIC.
    pub from: u32,
    /// Number of the receiving NIC.
    pub to: u32,
    /// Frames given to the sending NIC.
    pub offered: FrameCount,
    /// Frames that left the sending NIC: acknowledged.
    pub sent: FrameCount,
    /// Frames that reached their receiver's host. A frame whose acknowledgements were all lost is delivered and dropped.
    pub delivered: FrameCount,
    /// Frames dropped by the sending NIC, by reason. Every reason is there.
    pub dropped: BTreeMap<String, u64>,
    /// Frames dropped by a NIC that forwarded them (an access point between two stations, a mesh station), by reason.
    pub dropped_forwarding: BTreeMap<String, u64>,
    /// Frames in the sending NIC when the interval began.
    pub in_flight_begin: u64,
    /// Frames in it at its end.
    pub in_flight_end: u64,
    /// Frames of a constant rate that wait at the end because the NIC takes no more (backpressure). They are not offered yet.
    pub held_back: u64,
    /// Octets of the delivered Ethernet frames in bits per second of the interval.
    pub throughput_bps: f64,
    /// Time from the instant a frame came until it was delivered, of the frames delivered; `null` if none was.
    pub delay: Option<DelayReport>,
}

/// A number of frames, and their octets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameCount {
    /// Frames.
    pub frames: u64,
    /// Octets of the Ethernet frames, without frame check sequence.
    pub bytes: u64,
}

/// A distribution of delays. Quantiles come from a histogram with 32 buckets for each factor of two and are the middle of a
/// bucket: at most 1.6 % wrong. Mean, smallest and largest are exact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelayReport {
    /// Mean.
    pub mean_ns: f64,
    /// Smallest.
    pub min_ns: u64,
    /// Half are smaller.
    pub p50_ns: u64,
    /// 90 % are smaller.
    pub p90_ns: u64,
    /// 95 % are smaller.
    pub p95_ns: u64,
    /// 99 % are smaller.
    pub p99_ns: u64,
    /// 99.9 % are smaller.
    pub p99_9_ns: u64,
    /// Largest.
    pub max_ns: u64,
}

/// What one NIC did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneNicReport {
    /// Node it belongs to.
    pub node: String,
    /// Frames taken from the host, or forwarded.
    pub accepted: u64,
    /// Frames acknowledged.
    pub sent: u64,
    /// Frames dropped, by reason. Every reason is there.
    pub dropped: BTreeMap<String, u64>,
    /// Frames queued or on the air at the end.
    pub in_flight: u64,
    /// Frames handed to the host.
    pub delivered: u64,
    /// Data PPDUs sent, repetitions included.
    pub transmissions: u64,
    /// Data PPDUs that were retries.
    pub retries: u64,
    /// Data PPDUs without response after another PPDU was on the air at the same time.
    pub collisions: u64,
    /// Data PPDUs without response that nothing disturbed: lost to noise.
    pub corrupted: u64,
    /// MPDUs in data PPDUs.
    pub mpdus: u64,
    /// MPDUs that were not received.
    pub mpdus_lost: u64,
    /// RTS frames.
    pub rts: u64,
    /// RTS frames without CTS.
    pub rts_failed: u64,
    /// Time its own PPDUs took, data and control.
    pub airtime_ns: u64,
    /// Data PPDUs by mode, slowest first.
    pub modes: Vec<ModeReport>,
}

/// Data PPDUs of one NIC in one mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModeReport {
    /// Name of the mode, for example `HE-MCS 11 x2 80 MHz`, as in scenarios.
    pub mode: String,
    /// Nominal rate.
    pub rate_bps: u64,
    /// PPDUs sent, repetitions included.
    pub ppdus: u64,
    /// MPDUs in them.
    pub mpdus: u64,
    /// MPDUs that were not received.
    pub mpdus_lost: u64,
}
