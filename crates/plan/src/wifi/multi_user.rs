//! PPDUs to several stations at once (OFDMA).

use airtcp_units::Dbm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// PPDUs of the access point to several stations at once, each in a resource unit (IEEE 802.11ax-2021, 27.3.1.1; IEEE 802.11be,
/// 36.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MultiUserPlan {
    /// Who decides which stations share a PPDU, and in which resource units.
    pub scheduler: MultiUserScheduler,
    /// Most stations of a PPDU, from 2.
    pub stations: u32,
    /// How the stations acknowledge what they were sent.
    pub acknowledgement: MultiUserAcknowledgement,
    /// Whether MU-RTS, which all stations of a PPDU answer at once, takes the place of RTS before it.
    pub mu_rts: bool,
    /// PPDUs of several stations to the access point at once, when it asks for them; absent: stations send for themselves only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = null))]
    pub uplink: Option<UplinkPlan>,
}

/// PPDUs with which several stations answer a trigger frame of their access point (IEEE 802.11ax-2021, 26.5.2).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UplinkPlan {
    /// Whether the access point asks for the stations' buffer status first (BSRP trigger frame).
    pub bsrp: bool,
    /// Microseconds after its last access to the medium at which it asks stations, if it had nothing to send itself; 0: never.
    pub interval_us: u32,
    /// Microseconds for which the access point goes by a station's report of its buffer status.
    pub report_lifetime_us: u32,
    /// Power with which it wants to receive each station, in dBm; `null`: stations send with all of their power.
    pub target_rssi_dbm: Option<Dbm>,
    /// How stations contend for some time after they have sent data in answer to a trigger frame, in the order background, best
    /// effort, video, voice; absent: as always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = null))]
    pub mu_edca: Option<[MuEdcaParameters; 4]>,
    /// Resource units of each trigger frame for stations that it does not name; absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = null))]
    pub random_access: Option<RandomAccessPlan>,
}

/// Uplink OFDMA random access (UORA; IEEE 802.11ax-2021, 26.5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomAccessPlan {
    /// Random access resource units (RA-RUs) of each trigger frame.
    pub rus: u32,
    /// Smallest OFDMA contention window (`OCWmin`); one less than a power of two, to 127.
    pub ocw_min: u32,
    /// Largest OFDMA contention window (`OCWmax`); one less than a power of two, to 127.
    pub ocw_max: u32,
}

/// MU EDCA parameters of an access category (IEEE 802.11ax-2021, 9.4.2.251 and 26.2.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MuEdcaParameters {
    /// Slots after SIFS before backoff counts; 0: the category does not contend.
    pub aifsn: u32,
    /// Smallest contention window; one less than a power of two.
    pub cw_min: u32,
    /// Largest contention window; one less than a power of two.
    pub cw_max: u32,
    /// How long they hold, in units of 8 time units of 1024 us, from 1 to 255.
    pub timer: u8,
}

impl MuEdcaParameters {
    /// Microseconds of a unit of the timer.
    pub const TIMER_UNIT_US: u64 = 8 * 1024;
}

/// Who decides which stations share a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MultiUserScheduler {
    /// The stations whose queues have their turns next, in resource units of equal size.
    RoundRobin,
    /// The same among stations of which each has little; one with much is sent its PPDU alone.
    Latency,
    /// The stations whose queues have their turns next, in resource units by the time that what waits for each would take.
    Proportional,
}

impl MultiUserScheduler {
    /// Every scheduler.
    pub const ALL: [Self; 3] = [Self::RoundRobin, Self::Latency, Self::Proportional];
}

/// How the stations of a PPDU acknowledge what they were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MultiUserAcknowledgement {
    /// The first station by itself, each other one when a `BlockAckReq` asks it.
    Sequential,
    /// All at once, each in its resource unit, when a trigger frame after the PPDU asks them (MU-BAR).
    MuBar,
    /// All at once, each in its resource unit, when the trigger frame at the end of its A-MPDU asks it (aggregated MU-BAR).
    AggregatedMuBar,
}
