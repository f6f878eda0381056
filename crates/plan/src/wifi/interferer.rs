//! Sources of interference that are no NICs.

use airtcp_units::{Dbm, Metre};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A source that emits power without a preamble, in bursts: a microwave oven, Bluetooth, radar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interferer {
    /// Name of the interferer, for people.
    pub name: String,
    /// How strong it is at the NICs.
    pub power: EmissionPower,
    /// Bandwidth, over which its power is flat.
    pub bandwidth_khz: u32,
    /// Centre frequencies; of several it draws one for each burst (frequency hopping).
    pub centres_khz: Vec<u32>,
    /// Times at which the interferer emits.
    pub pattern: EmissionPattern,
}

/// Power of an interferer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum EmissionPower {
    /// Received power is given.
    Received {
        /// NICs that differ from the default.
        levels: Vec<ReceivedEmission>,
        /// Every other NIC.
        default_dbm: Dbm,
    },
    /// Received power follows from the path loss between two places.
    Sent {
        /// Power over the whole bandwidth.
        tx_power_dbm: Dbm,
        /// Position of the interferer, in metres.
        position_m: [Metre; 3],
    },
}

/// Power of an interferer at a NIC.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceivedEmission {
    /// The NIC.
    pub nic: u32,
    /// Received power over the whole bandwidth.
    pub rssi_dbm: Dbm,
}

/// Bursts of an interferer, from the epoch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum EmissionPattern {
    /// One burst in each period.
    Periodic {
        /// Time between the beginnings of periods.
        period_ns: u64,
        /// Length of a burst.
        on_ns: u64,
        /// Beginning of the first period.
        phase_ns: u64,
        /// A burst begins at most this long after its period, uniformly distributed.
        jitter_ns: u64,
    },
    /// Bursts and pauses of exponentially distributed lengths, a pause first.
    Random {
        /// Mean length of a burst.
        mean_on_ns: u64,
        /// Mean length of a pause.
        mean_off_ns: u64,
    },
}
