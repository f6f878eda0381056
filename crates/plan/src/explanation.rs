//! Properties of a plan's links in closed form, computed without a run.

use serde::{Deserialize, Serialize};

/// Every link of a plan, with every mode that it may use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    /// The plan's name.
    pub name: String,
    /// One entry for each pair of NICs, frame length and priority.
    pub links: Vec<LinkExplanation>,
    /// One entry for each cell whose access point sends to several stations at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_txops: Vec<SharedTxopExplanation>,
}

/// A TXOP of an access point with a PPDU for several stations, from a run of the air in which it always has frames for all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedTxopExplanation {
    /// Node of the access point.
    pub access_point: String,
    /// Length of each Ethernet frame with its header, without frame check sequence.
    pub frame_bytes: u32,
    /// When it began, from the time at which frames came first.
    pub began_ns: u64,
    /// Its length.
    pub duration_ns: u64,
    /// Its PPDUs, for each user one, in the order of their starts.
    pub ppdus: Vec<SharedPpduExplanation>,
}

/// A PPDU of a shared TXOP, as far as one of its users is concerned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedPpduExplanation {
    /// Start, from that of the TXOP.
    pub start_ns: u64,
    /// End, with signal extension.
    pub end_ns: u64,
    /// Node of its sender.
    pub from_node: String,
    /// Node of the user; `null`: a group.
    pub to_node: Option<String>,
    /// Kind of the PPDU.
    pub kind: String,
    /// Name of the user's mode, with its resource unit.
    pub mode: String,
    /// Octets of the user's PSDU.
    pub psdu_bytes: u32,
    /// What became of it.
    pub outcome: String,
}

/// One direction between two NICs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkExplanation {
    /// Number of the sending NIC.
    pub from: u32,
    /// Node of the transmitting NIC.
    pub from_node: String,
    /// Number of the receiving NIC.
    pub to: u32,
    /// Node of the receiving NIC.
    pub to_node: String,
    /// Length of each Ethernet frame with its header, without frame check sequence.
    pub frame_bytes: u32,
    /// User priority.
    pub priority: u8,
    /// How the sender chooses the mode, by its name in the plan.
    pub rate_control: String,
    /// Channel access.
    pub access: AccessExplanation,
    /// The fixed mode, or every mode that rate control chooses from, slowest first.
    pub modes: Vec<ModeExplanation>,
}

/// Times of channel access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessExplanation {
    /// Four access categories (EDCA), or one (DCF).
    pub edca: bool,
    /// A slot.
    pub slot_ns: u64,
    /// Between PPDUs of one exchange.
    pub sifs_ns: u64,
    /// Before backoff slots after a PPDU that was read.
    pub aifs_ns: u64,
    /// Before backoff slots after a PPDU that was not.
    pub eifs_ns: u64,
    /// Smallest contention window.
    pub cw_min: u32,
    /// Largest contention window.
    pub cw_max: u32,
    /// Half of the smallest, in slots: the mean backoff of a station whose attempts never fail.
    pub mean_backoff_ns: u64,
    /// TXOP limit; 0: one exchange.
    pub txop_limit_ns: u64,
}

/// A link in one mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModeExplanation {
    /// Name of the mode, for example `OFDM 54 Mbit/s`.
    pub mode: String,
    /// Nominal rate.
    pub rate_bps: u64,
    /// The frames that one access carries if there are always enough.
    pub exchanges: Vec<ExchangeExplanation>,
    /// The access, from its first PPDU to the end of its last.
    pub txop_ns: u64,
    /// Mean time from one access to the next of a station alone: AIFS, mean backoff, the access.
    pub cycle_ns: u64,
    /// Frames delivered per second by a station alone.
    pub frames_per_second: f64,
    /// Octets of these Ethernet frames in bits per second.
    pub throughput_bps: f64,
    /// What all senders of the cell together get if each of them always has frames and uses this mode; `null` with one sender.
    pub saturation: Option<SaturationExplanation>,
}

/// One frame exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExchangeExplanation {
    /// Ethernet frames in each MPDU; more than one: an A-MSDU.
    pub frames_per_mpdu: u32,
    /// MPDUs; more than one: an A-MPDU.
    pub mpdus: u32,
    /// Octets of each MPDU.
    pub mpdu_bytes: u32,
    /// PPDUs of the exchange in their order, a SIFS apart.
    pub ppdus: Vec<PpduExplanation>,
    /// The sum of its parts.
    pub duration_ns: u64,
}

/// One PPDU. Its parts add up to its duration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PpduExplanation {
    /// `rts`, `cts`, `data`, `ack` or `block_ack`.
    pub kind: String,
    /// Name of the mode in which the PPDU is sent.
    pub mode: String,
    /// Octets of its PSDU.
    pub psdu_bytes: u32,
    /// Preamble and headers.
    pub preamble_ns: u64,
    /// The part that carries the PSDU.
    pub payload_ns: u64,
    /// OFDM symbols of it; `null` without OFDM.
    pub payload_symbols: Option<u32>,
    /// Silence that belongs to its end.
    pub signal_extension_ns: u64,
    /// The sum of its parts.
    pub duration_ns: u64,
}

/// Several stations that always have frames (Bianchi's model).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaturationExplanation {
    /// How many.
    pub stations: u32,
    /// Share of attempts that collide.
    pub collision_probability: f64,
    /// Share of frames that are given up.
    pub give_up_probability: f64,
    /// Octets of the Ethernet frames of all stations in bits per second.
    pub throughput_bps: f64,
    /// Share of time in which nobody sends and slots are counted.
    pub idle_share: f64,
    /// Share of time for what is delivered, with inter-frame spaces.
    pub success_share: f64,
    /// Share of time lost in collisions, with what follows them.
    pub collision_share: f64,
}
