//! What happens between antennas.

use airtcp_units::{BitRate, Dbm, Decibel, Metre};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::interferer::Interferer;

/// Propagation and reception.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelPlan {
    /// Mean received power.
    pub propagation: Propagation,
    /// Slow variation by obstacles (shadowing).
    pub shadowing: Option<Shadowing>,
    /// Fast variation by multipath propagation (fading).
    pub fading: Fading,
    /// Links whose power, loss or rate follow a recording.
    pub traces: Vec<LinkTrace>,
    /// Frame loss.
    pub reception: Reception,
    /// Fixed loss of data frames, in addition to losses of reception.
    pub losses: Vec<LinkLoss>,
    /// Sources of interference that are no NICs.
    pub interferers: Vec<Interferer>,
    /// A PPDU at least this much stronger than all others together at a receiver survives, and a stronger one that
    /// starts later is received instead of the first; `null`: a receiver stays with the first, and
    /// with ideal reception whatever overlaps is lost.
    pub capture_db: Option<Decibel>,
    /// Weakest PPDU of a NIC that one exchanges no frames with that makes the medium busy (preamble detection).
    pub carrier_sense_dbm: Dbm,
    /// Weakest PPDU that a receiver can synchronise to. PPDUs of NICs that one exchanges frames with (access point and stations,
    /// mesh stations) make the medium busy from here on.
    pub sensitivity_dbm: Dbm,
    /// Weakest power of any kind in its primary 20 MHz that makes the medium busy for a NIC (energy detection; IEEE 802.11-2020,
    /// 17.3.10.6). At least `carrier_sense_dbm`.
    pub energy_detection_dbm: Dbm,
    /// Weakest power of a PPDU in the primary 20 MHz that makes the medium busy for a NIC which missed its preamble. No more than
    /// `energy_detection_dbm` counts.
    pub midpacket_detection_dbm: Dbm,
    /// Time in which a receiver detects a preamble (IEEE 802.11-2020, 17.3.10.6: 4 us); of PPDUs that start within it
    /// the strongest is received. More than 0, at most 16 us.
    pub preamble_detection_ns: u64,
    /// Noise figure of every receiver over thermal noise.
    pub noise_figure_db: Decibel,
    /// Time between updates of positions. (Traces change at their own times.)
    pub update_ns: u64,
}

/// How strongly a NIC is received by another, on average.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Propagation {
    /// Received power is given, the same in both directions.
    Rssi {
        /// Pairs that differ from the default.
        links: Vec<RssiLink>,
        /// Every other pair.
        default_dbm: Dbm,
    },
    /// Free space (Friis, Proc. IRE 34, 1946).
    FreeSpace,
    /// Path loss grows with the logarithm of the distance.
    LogDistance {
        /// Path loss exponent.
        exponent: f64,
        /// Loss at the reference distance; `null`: that of free space at the sender's frequency.
        reference_loss_db: Option<Decibel>,
        /// Reference distance; nearer counts as at this distance.
        reference_distance_m: Metre,
    },
    /// Direct ray and reflection on flat ground; heights are the third coordinates.
    TwoRay {
        /// Relative permittivity of the ground (15 for average ground); `null`: total reflection.
        permittivity: Option<f64>,
    },
    /// Indoor (Recommendation ITU-R P.1238).
    ItuIndoor {
        /// Distance power loss coefficient N (30 in offices at 2 GHz).
        coefficient: f64,
        /// Floor penetration loss of 1, 2, 3 ... floors; more floors count as the last.
        floor_loss_db: Vec<Decibel>,
        /// Height of a floor.
        floor_height_m: Metre,
    },
    /// Log-distance, and a loss for every wall between (COST 231 multi-wall).
    MultiWall {
        /// Path loss exponent without walls (2).
        exponent: f64,
        /// Loss at 1 m; `null`: that of free space at the sender's frequency.
        reference_loss_db: Option<Decibel>,
        /// Walls and floors.
        floor_plan: FloorPlan,
    },
}

/// Received power between two NICs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RssiLink {
    /// One NIC.
    pub a: u32,
    /// The other NIC of the pair.
    pub b: u32,
    /// Received power, in both directions.
    pub rssi_dbm: Dbm,
}

/// Walls of a building.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FloorPlan {
    /// The walls.
    pub walls: Vec<Wall>,
}

/// A vertical wall over a line on the ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// One end of its line.
    pub from_m: [Metre; 2],
    /// The other end of the wall's line, in metres.
    pub to_m: [Metre; 2],
    /// Lower and upper edge.
    pub height_m: [Metre; 2],
    /// Loss of a ray that crosses it.
    pub loss_db: Decibel,
}

/// Log-normal shadowing: one value per link for a place, the same in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shadowing {
    /// Standard deviation.
    pub sigma_db: Decibel,
    /// Distance after which a moving NIC meets new obstacles (Gudmundson, 1991: correlation falls as
    /// exp(-d / this)).
    pub decorrelation_m: Metre,
}

/// Fading: block fading, whose gain is flat and drawn anew after each coherence time, or tapped delay lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Fading {
    /// No fading.
    None,
    /// Rayleigh: many paths, none of them dominant.
    Rayleigh {
        /// Time for which a gain holds.
        coherence_ns: u64,
    },
    /// Rice: many paths and a direct one.
    Rician {
        /// Power of the direct path over that of all others.
        k_db: Decibel,
        /// Time for which a gain holds.
        coherence_ns: u64,
    },
    /// Nakagami (m = 1: Rayleigh).
    Nakagami {
        /// Shape, at least 0.5.
        m: f64,
        /// Time for which a gain holds.
        coherence_ns: u64,
    },
    /// Tapped delay lines: frequency-selective, correlated in time, with several antennas.
    Tapped {
        /// Delays and powers.
        profile: FadingProfile,
        /// Doppler spectrum of every tap.
        spectrum: DopplerSpectrum,
        /// Speed of what moves, in metres per second; 0: nothing does.
        speed_mps: f64,
        /// Whether `TGn` models have a direct path; `null`: up to their breakpoint distance, and not where received power is
        /// given.
        line_of_sight: Option<bool>,
    },
}

/// Delays and powers of tapped delay lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum FadingProfile {
    /// A model of IEEE 802.11-03/940r4 with the taps of 11-09/0308r12 for wide channels.
    Tgn {
        /// Letter of the model.
        model: TgnModel,
    },
    /// One's own.
    Taps {
        /// The taps, at most 64.
        taps: Vec<FadingTap>,
    },
}

/// A `TGn` channel model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TgnModel {
    /// Flat.
    A,
    /// Residential, 15 ns rms.
    B,
    /// Small office, 30 ns.
    C,
    /// Typical office, 50 ns.
    D,
    /// Large office, 100 ns.
    E,
    /// Large space, 150 ns.
    F,
}

/// A tap of one's own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FadingTap {
    /// Delay in nanoseconds.
    pub delay_ns: f64,
    /// Power relative to the other taps.
    pub power_db: Decibel,
    /// Power of its constant part over that of the changing one; `null`: all of it changes.
    pub k_db: Option<Decibel>,
    /// Speed for this tap alone, in metres per second; `null`: that of all.
    pub speed_mps: Option<f64>,
}

/// Shape of a Doppler spectrum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DopplerSpectrum {
    /// Fixed stations, surroundings that move: the bell of IEEE 802.11-03/940r4, 4.7.1.
    Bell,
    /// A moving station: Clarke's spectrum, which Jakes made known.
    Jakes,
}

/// A recording of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkTrace {
    /// Sender.
    pub from: u32,
    /// Receiver.
    pub to: u32,
    /// The recording starts again at the time of its last point, which only marks its end.
    pub repeat: bool,
    /// Points of the recording in the order of time. Each holds until the next, the last for ever (see `repeat`).
    pub points: Vec<TracePoint>,
}

/// One point of a recording; `null` leaves a quantity to the other models.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TracePoint {
    /// Time of the point, from the epoch.
    pub time_ns: u64,
    /// Received power.
    pub rssi_dbm: Option<Dbm>,
    /// Probability that a data MPDU is lost.
    pub loss: Option<f64>,
    /// Fastest rate that the sender uses towards the receiver.
    pub rate_bps: Option<BitRate>,
}

/// When a frame that met no collision is lost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Reception {
    /// Never: every loss is a collision.
    Ideal,
    /// By the packet error rate table at the frame's SINR, mode and length.
    Table {
        /// Code of HT and VHT data.
        code: CodeChoice,
    },
    /// By the NIST formula (Pei and Henderson, 2010), which is 3 to 5 dB pessimistic.
    Nist,
}

/// Code of HT and VHT data frames; older formats have BCC, newer ones LDPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CodeChoice {
    /// Binary convolutional code.
    Bcc,
    /// Low-density parity check code.
    Ldpc,
}

/// A fixed loss of data MPDUs in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkLoss {
    /// Sender.
    pub from: u32,
    /// Receiver.
    pub to: u32,
    /// Probability that a data MPDU is lost.
    pub loss: f64,
}
