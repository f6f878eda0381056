//! Rates and rate control.

use airtcp_units::BitRate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a PPDU is modulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Mode {
    /// A rate of HR/DSSS or OFDM.
    Legacy {
        /// Bit rate of the mode.
        rate_bps: BitRate,
    },
    /// A modulation and coding scheme.
    Mcs {
        /// Format of the PPDU.
        format: McsFormat,
        /// MCS; for HT that of one stream, 0 to 7.
        mcs: u32,
        /// Spatial streams.
        streams: u32,
        /// Width.
        width_mhz: u32,
        /// Guard interval.
        guard_ns: u32,
    },
}

/// Formats that number their rates as MCS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum McsFormat {
    /// HT-mixed.
    Ht,
    /// VHT.
    Vht,
    /// HE single user.
    He,
    /// EHT, one user.
    Eht,
    /// DMG single carrier.
    Dmg,
}

/// A rate control and its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum RateControlPlan {
    /// Always this mode.
    Fixed {
        /// The mode.
        mode: Mode,
    },
    /// Auto rate fallback (Kamerman and Monteban, Bell Labs Technical Journal 2(3), 1997).
    Arf {
        /// Successes in a row before the next higher rate is tried (10).
        success_threshold: u32,
        /// Frames after which it is tried anyway (15).
        timeout_frames: u32,
        /// Failures in a row before the next lower rate (2).
        failure_threshold: u32,
    },
    /// Adaptive ARF (Lacage, Manshaei and Turletti, `MSWiM` 2004).
    Aarf {
        /// Least successes in a row before the next higher rate (10).
        success_min: u32,
        /// Most successes in a row that are required before the next higher rate (50).
        success_max: u32,
        /// Factor after a failed probe (2).
        success_factor: f64,
        /// Least frames before the next higher rate is tried anyway (15).
        timeout_min_frames: u32,
        /// Factor after a failed probe (2).
        timeout_factor: f64,
    },
    /// Collision-aware rate adaptation (Kim, Kim, Choi and Qiao, INFOCOM 2006).
    Cara {
        /// Failures in a row before RTS is used (1).
        probe_threshold: u32,
        /// Failures in a row before the next lower rate (2).
        failure_threshold: u32,
        /// Successes in a row before the next higher rate (10).
        success_threshold: u32,
        /// Frames after which it is tried anyway (15).
        timeout_frames: u32,
    },
    /// Minstrel for legacy rates (Linux until 5.x, `rc80211_minstrel.c`).
    Minstrel {
        /// Time between evaluations (100 ms).
        interval_us: u32,
        /// Weight of the past in the moving average, percent (75).
        ewma_percent: u32,
        /// Share of frames that sample other rates, percent (10).
        sample_percent: u32,
    },
    /// Minstrel-HT for HT, VHT, HE and EHT rates (Linux 6.12, `rc80211_minstrel_ht.c`).
    MinstrelHt {
        /// Time between evaluations (50 ms).
        interval_us: u32,
        /// Weight of the past in the mean length of A-MPDUs, percent (75); error rates have a filter without parameter.
        ewma_percent: u32,
    },
    /// The fastest rate whose error rate at the true signal-to-noise ratio is low enough.
    Ideal {
        /// Highest packet error rate of a frame of 1500 octets (0.01).
        error_rate: f64,
    },
}
