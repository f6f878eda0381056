//! Pings, programs and what is sampled.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Phase;

/// ICMP echo requests at a fixed interval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ping {
    /// Unique name, for people.
    pub name: String,
    /// Node that sends the requests.
    pub from: String,
    /// Node that answers; a label only.
    pub to: String,
    /// Address that answers.
    pub to_address: IpAddr,
    /// No request is sent before this time.
    pub start_ns: u64,
    /// Requests are sent before this time.
    pub stop_ns: u64,
    /// Time between requests.
    pub interval_ns: u64,
    /// When the first one is sent.
    pub phase: Phase,
    /// Bytes after the ICMP header (56 makes the usual 84-byte packet).
    pub payload_bytes: u32,
    /// Differentiated services code point of requests, which answers repeat (RFC 2474); 0 to 63.
    pub dscp: u8,
}

/// A command run in a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Unique name; its output goes to `programs/NAME.out` and `.err`.
    pub name: String,
    /// Node it runs in.
    pub node: String,
    /// Command line for `/bin/sh -c`.
    pub command: String,
    /// Start of the program.
    pub start_ns: u64,
    /// Time at which the program gets SIGTERM; `null`: at the end of the run.
    pub stop_ns: Option<u64>,
    /// Whether an exit status other than zero fails the run.
    pub must_succeed: bool,
}

/// Sampling in virtual time. Intervals are at least [`SAMPLING_INTERVAL_MIN_NS`], or 0 for none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    /// Interval of `tcp_info`, limits and byte counts of every flow.
    pub flows_interval_ns: u64,
    /// Interval of the statistics of every queueing discipline.
    pub qdiscs_interval_ns: u64,
    /// Interval of mac80211's statistics of each peer of a radio: airtime, queues, airtime limits.
    pub stations_interval_ns: u64,
    /// Interval of the kernel's `minstrel_ht` statistics of each rate to each peer.
    pub rates_interval_ns: u64,
    /// Interval of the air's counters.
    pub air_interval_ns: u64,
    /// Whether the state of a flow's sender is recorded at each segment it receives (`tcp:tcp_probe`).
    pub acks: bool,
    /// Whether the one-way delay of each packet of a flow is recorded.
    pub delays: bool,
    /// Whether each PPDU on the air is recorded.
    pub ppdus: bool,
    /// TCP connections and UDP flows of programs that deliver at least this many bytes are flows too; `null`: none are.
    pub sockets_least_bytes: Option<u64>,
}

/// Least interval between samples.
pub const SAMPLING_INTERVAL_MIN_NS: u64 = 1_000_000;
