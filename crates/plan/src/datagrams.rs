//! UDP datagrams from one node to another.

use std::net::IpAddr;
use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fewest bytes of a datagram: the first eight are its sequence number.
pub const DATAGRAM_BYTES_MIN: u32 = 8;
/// Most bytes of a datagram over IPv4 (RFC 768, RFC 791): 65535 without headers of 20 and 8.
pub const DATAGRAM_BYTES_MAX: u32 = 65_535 - 28;

/// A stream of datagrams of one length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DatagramStream {
    /// Unique name, for people.
    pub name: String,
    /// Sending node.
    pub from: String,
    /// Receiving node.
    pub to: String,
    /// Address of the receiving node.
    pub address: IpAddr,
    /// UDP port of the receiver; unique per receiving node.
    pub port: u16,
    /// Bytes after the UDP header.
    pub payload_bytes: u32,
    /// Mean rate of these bytes.
    pub rate_bps: u64,
    /// When datagrams leave.
    pub spacing: Spacing,
    /// When the first one leaves; a Poisson process has no phase.
    pub phase: Phase,
    /// Differentiated services code point (RFC 2474); 0 to 63.
    pub dscp: u8,
    /// No datagram leaves before this time.
    pub start_ns: u64,
    /// Datagrams leave before this time.
    pub stop_ns: u64,
}

/// When the datagrams of a stream leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Spacing {
    /// At equal intervals.
    Constant {},
    /// At exponential intervals (a Poisson process), the first one after the start included.
    Poisson {},
    /// At equal intervals during talk spurts; talk spurts and pauses have exponential lengths.
    TalkSpurts {
        /// Mean length of a talk spurt.
        talk_ns: NonZeroU64,
        /// Mean length of a pause.
        pause_ns: NonZeroU64,
    },
}

/// When the first of events at equal intervals happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// At a time after the start that is drawn from the seed: uniform over one interval, or over the time until the stop if
    /// that is shorter. Sources with the same start are not synchronised.
    Random,
    /// At the start.
    None,
}
