//! Queues of a NIC, and aggregation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The queues of airtcp's high MAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum QueuePlan {
    /// First in, first out, one per access category.
    Fifo {
        /// Most frames in all of them, those on the air included.
        packets: u32,
    },
    /// FQ-CoDel for each station and TID, with airtime fairness, as mac80211 has it.
    FqCodel(FqCodelPlan),
    /// No queue in the MAC: the qdisc queues, and the NIC takes only what fills this many aggregates (frames, where there is no
    /// aggregation) per access category.
    Direct {
        /// 1 or 2.
        aggregates: u32,
    },
}

/// FQ-CoDel with airtime fairness (Linux, `net/mac80211/tx.c`, `include/net/fq_impl.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FqCodelPlan {
    /// Frames in all queues of the radio together (Linux: 8192).
    pub packets: u32,
    /// Bytes in all queues of the radio together (Linux: 16 MiB; 4 MiB without VHT).
    pub memory_bytes: u32,
    /// Flow queues (Linux: 4096).
    pub flows: u32,
    /// Quantum of a flow in bytes (Linux: 300).
    pub quantum_bytes: u32,
    /// Target delay (Linux: 20 ms).
    pub target_us: u32,
    /// Interval in which the delay must fall below the target once (Linux: 100 ms).
    pub interval_us: u32,
    /// Whether ECN-capable frames are marked instead of dropped.
    pub ecn: bool,
    /// What holds towards slow stations in place of these three; `null`: nothing else.
    pub slow_stations: Option<SlowStationCodel>,
    /// Airtime quantum of a station, per weight (Linux: 256 us).
    pub airtime_quantum_us: u32,
    /// Airtime deficit round robin between stations.
    pub airtime_fairness: bool,
    /// Airtime queue limit of one station and access category, low and high (Linux: 5000 and
    /// 12000 us); `null`: none.
    pub aql_us: Option<[u32; 2]>,
    /// Pending airtime of all stations above which the low limit holds (Linux: 24000 us).
    pub aql_threshold_us: u32,
}

/// `CoDel` towards a station with a low expected throughput, without ECN (`sta_update_codel_params` of `net/mac80211/sta_info.c`
/// up to Linux 6.12.34).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlowStationCodel {
    /// A station is slow if rate control expects less than this for each station of the radio, in kbit/s (Linux: 6000).
    pub below_kbps: u32,
    /// Target delay (Linux: 50 ms).
    pub target_us: u32,
    /// Interval in which the delay must fall below the target once (Linux: 300 ms).
    pub interval_us: u32,
}

/// Aggregation and block acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Aggregation {
    /// Most octets of an A-MPDU; 0: no A-MPDU (but perhaps A-MSDU).
    pub ampdu_bytes: u32,
    /// Longest PPDU that carries an A-MPDU (at most 5484 us; ath9k uses 4000).
    pub ampdu_us: u32,
    /// MPDUs in the block acknowledgement window: up to 64, HE 256, EHT 1024.
    pub block_ack_window: u32,
    /// Least time between the starts of two MPDUs of an A-MPDU to this receiver: 0, 250, 500, 1000, 2000, 4000, 8000 or 16000.
    pub start_spacing_ns: u32,
    /// Most octets of an A-MSDU; 0: none.
    pub amsdu_bytes: u32,
    /// Most frames in an A-MSDU; 0: as many as fit.
    pub amsdu_frames: u32,
    /// Whether frames of access category voice go under block acknowledgement, too.
    pub voice: bool,
}
