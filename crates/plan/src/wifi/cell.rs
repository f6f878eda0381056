//! Basic service sets.

use airtcp_units::BitRate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LinuxCell, LinuxSetup, MuEdcaParameters, MultiUserPlan};

/// One basic service set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Name of the cell (SSID).
    pub name: String,
    /// An access point with stations, or equal stations.
    pub kind: CellKind,
    /// Newest PHY of its members, but of those that have one of their own; of an infrastructure cell that of the access point.
    pub standard: Standard,
    /// Channel of the cell. Cells whose channels overlap, or leak into each other, share a medium.
    pub channel: RadioChannel,
    /// What NICs of the cell do when a part of the channel beside the primary 20 MHz is busy.
    pub bandwidth_operation: BandwidthOperation,
    /// Slot time at 2.4 GHz.
    pub slot: Slot,
    /// The short preamble of HR/DSSS.
    pub short_preamble: bool,
    /// How OFDM frames at 2.4 GHz are protected from 11b stations.
    pub protection: ErpProtection,
    /// How PPDUs with an MCS are protected where a member is older or narrower.
    pub ht_protection: HtProtection,
    /// Rates every member can receive; control responses use them
    /// (IEEE 802.11-2020, 10.6.6.5).
    pub basic_rates_bps: Vec<BitRate>,
    /// Rate of group-addressed frames and beacons; one of the basic rates.
    pub group_rate_bps: BitRate,
    /// Channel access: one entry for DCF, four for EDCA in the order background, best effort,
    /// video, voice. Of an infrastructure cell, what the access point announces to its stations.
    pub access: Vec<AccessParameters>,
    /// Channel access of the access point itself, as many entries; `null`: as `access`.
    pub ap_access: Option<Vec<AccessParameters>>,
    /// Attempts for frames up to the RTS threshold (dot11ShortRetryLimit).
    pub short_retry_limit: u32,
    /// Attempts for longer frames (dot11LongRetryLimit).
    pub long_retry_limit: u32,
    /// Attempts for an MPDU under block acknowledgement, whatever its length.
    pub subframe_retry_limit: u32,
    /// Failures in a row that widen the contention window of an access function; the next returns it to `CWmin` (the limit of
    /// QSRC; IEEE 802.11-2020, 10.23.2.2).
    pub station_retry_limit: u32,
    /// RTS frames without CTS for one MPDU, counted apart from attempts with data; `null`: each counts as an attempt.
    pub rts_retry_limit: Option<u32>,
    /// Attempts for a `BlockAckReq`; `null`: as for other frames of its length.
    pub block_ack_req_retry_limit: Option<u32>,
    /// Whether HE and EHT PPDUs name the duration of their TXOP in the header, so that NICs which do not decode the
    /// rest set a NAV (IEEE 802.11ax-2021, 26.2.4).
    pub txop_duration: bool,
    /// PSDUs longer than this many octets begin with RTS and CTS (dot11RTSThreshold).
    pub rts_threshold_bytes: u32,
    /// Data PPDUs longer than this begin with RTS and CTS; `null`: there is no such limit.
    pub rts_threshold_us: Option<u32>,
    /// What else begins with RTS and CTS.
    pub rts_policy: RtsPolicy,
    /// How beacons gain access to the medium.
    pub beacon_access: BeaconAccess,
    /// Beacons; `null`: none are sent, or they are frames of mac80211.
    pub beacon: Option<BeaconPlan>,
    /// PPDUs of its access point to several stations at once; absent: every PPDU has one receiver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = null))]
    pub multi_user: Option<MultiUserPlan>,
    /// The kernel's mac80211 as upper half of the MAC; `null`: airtcp's own.
    pub linux: Option<LinuxCell>,
}

impl Cell {
    /// Whether one of its NICs is an access point from the beginning: programs make theirs themselves.
    pub fn has_access_point(&self) -> bool {
        let by_programs = self.linux.as_ref().is_some_and(|linux| linux.setup == LinuxSetup::Programs);
        self.kind == CellKind::Infrastructure && !by_programs
    }

    /// MU EDCA parameters of its stations, in the order of `access`.
    pub fn mu_edca(&self) -> Option<[MuEdcaParameters; 4]> {
        self.multi_user?.uplink?.mu_edca
    }

    /// Channel access of its members in this role.
    pub fn access_of(&self, role: NicRole) -> &[AccessParameters] {
        match &self.ap_access {
            Some(own) if role == NicRole::AccessPoint => own,
            _ => &self.access,
        }
    }
}

/// What a basic service set is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CellKind {
    /// One access point and its stations.
    Infrastructure,
    /// Mesh stations with 4-address frames; static routes, or HWMP in a cell of mac80211.
    Mesh,
    /// Equal stations without an access point or forwarding; in cells of mac80211 only.
    Ibss,
}

/// A physical layer that airtcp models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Standard {
    /// HR/DSSS at 2.4 GHz (IEEE 802.11-2020, clauses 15 and 16).
    #[serde(rename = "11b")]
    HrDsss,
    /// OFDM at 5 GHz (clause 17).
    #[serde(rename = "11a")]
    Ofdm,
    /// ERP at 2.4 GHz (clause 18).
    #[serde(rename = "11g")]
    Erp,
    /// HT at 2.4 or 5 GHz (clause 19).
    #[serde(rename = "11n")]
    Ht,
    /// VHT at 5 GHz (clause 21).
    #[serde(rename = "11ac")]
    Vht,
    /// HE at 2.4, 5 or 6 GHz (IEEE 802.11ax-2021, clause 27).
    #[serde(rename = "11ax")]
    He,
    /// EHT at 2.4, 5 or 6 GHz (IEEE 802.11be, clause 36).
    #[serde(rename = "11be")]
    Eht,
    /// DMG single carrier at 60 GHz (clause 20).
    #[serde(rename = "11ad")]
    Dmg,
}

/// What a station does that may send in a wide channel of which a part is busy (IEEE 802.11-2020, 10.3.2.9 and 10.23.2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BandwidthOperation {
    /// The station waits, with a new backoff, until the whole channel is idle.
    Static,
    /// The station sends in the widest part that is idle.
    Dynamic,
}

/// Width of every channel of 11ad (IEEE 802.11-2020, 20.3.1).
const DMG_WIDTH_MHZ: u32 = 2160;

/// A channel: its primary 20 MHz and the whole of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RadioChannel {
    /// Centre of the primary 20 MHz channel (of the whole channel in 11ad).
    pub primary_mhz: u32,
    /// Centre of the whole channel.
    pub centre_mhz: u32,
    /// Width of the channel in MHz: 20, 40, 80, 160, 320, or 2160 in 11ad.
    pub width_mhz: u32,
}

impl RadioChannel {
    /// How far from the centre of a channel of this width power may be, whatever is sent: the last corner of the widest transmit
    /// spectral mask, one and a half widths (IEEE 802.11-2020, 17.3.9.3, 19.3.18.1, 21.3.17.1). Channels at 60 GHz leak nothing.
    pub fn reach_mhz(width_mhz: u32) -> u32 {
        if width_mhz == DMG_WIDTH_MHZ { width_mhz / 2 } else { 3 * width_mhz / 2 }
    }

    /// Whether something of what is sent on one channel may reach the other, whatever is sent.
    pub fn may_touch(self, other: Self) -> bool {
        let apart_mhz = self.centre_mhz.abs_diff(other.centre_mhz);
        let reaches = |from: Self, to: Self| apart_mhz < Self::reach_mhz(from.width_mhz) + to.width_mhz / 2;
        reaches(self, other) || reaches(other, self)
    }

    /// The part of this width that contains the primary channel; the whole of a channel that is not wider.
    #[must_use]
    pub const fn part(self, width_mhz: u32) -> Self {
        if width_mhz >= self.width_mhz {
            return self;
        }
        let lowest = self.centre_mhz - self.width_mhz / 2;
        let place = (self.primary_mhz - lowest) / width_mhz;
        Self { centre_mhz: lowest + place * width_mhz + width_mhz / 2, width_mhz, ..self }
    }

    /// Centre of the secondary 20 MHz channel, which makes 40 MHz with the primary one (IEEE 802.11-2020, 19.3.15.4); none in
    /// a channel of 20 MHz, or of 11ad.
    pub fn secondary_mhz(self) -> Option<u32> {
        // Pairs count from the lower end of the whole channel.
        let place = match self.width_mhz {
            40..=320 => (self.primary_mhz + self.width_mhz / 2 - self.centre_mhz) / 20,
            _ => return None,
        };
        Some(if place.is_multiple_of(2) { self.primary_mhz + 20 } else { self.primary_mhz - 20 })
    }
}

/// Length of a slot at 2.4 GHz; elsewhere there is only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// 20 us: 11b, and 11g with 11b stations in the cell.
    Long,
    /// 9 us.
    Short,
}

/// Protection of OFDM frames at 2.4 GHz (IEEE 802.11-2020, 10.27.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErpProtection {
    /// No 11b station is there.
    None,
    /// A CTS to itself at an HR/DSSS rate before each exchange.
    CtsToSelf,
    /// RTS and CTS at an HR/DSSS rate before each exchange.
    RtsCts,
}

/// Protection of HT and newer formats from members of the cell that can't receive them (IEEE 802.11-2020, 10.27.3): before every
/// PPDU with an MCS where a member has no HT, and before wider ones where a member with HT has 20 MHz.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HtProtection {
    /// The header of every PPDU, which all OFDM stations can read, and the response in a basic rate.
    #[default]
    None,
    /// A CTS to itself at a basic rate before each exchange.
    CtsToSelf,
    /// RTS and CTS at a basic rate before each exchange.
    RtsCts,
}

/// What begins with RTS and CTS beside what exceeds a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RtsPolicy {
    /// What rate control asks for.
    RateControl,
    /// Nothing.
    Threshold,
    /// Data PPDUs that begin with a retransmission.
    Retries,
    /// A-MPDUs with more than one MPDU.
    Aggregates,
}

/// How beacons gain access to the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BeaconAccess {
    /// After PIFS, without backoff: as from a queue of their own with AIFSN 1 and a contention window of 0.
    Pifs,
    /// By a backoff, as the first frames of voice, or of DCF.
    Edca,
}

/// Channel access of one access category, or of DCF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccessParameters {
    /// Slots after SIFS before backoff counts (AIFSN; DCF: 2).
    pub aifsn: u32,
    /// Smallest contention window; one less than a power of two.
    pub cw_min: u32,
    /// Largest contention window; one less than a power of two.
    pub cw_max: u32,
    /// TXOP limit; 0: one exchange.
    pub txop_us: u32,
}

/// Beacons of a cell: their airtime is modelled, not their content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeaconPlan {
    /// Time between beacons (100 TU are 102400 us).
    pub interval_us: u32,
    /// Length of the frame with header and FCS.
    pub bytes: u32,
}

/// Part of a NIC in its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NicRole {
    /// The access point.
    AccessPoint,
    /// A station associated with it.
    Station,
    /// A mesh station.
    Mesh,
    /// A station of an IBSS; in cells of mac80211 only.
    Ibss,
    /// A monitor: it receives everything on its channel and sends nothing; in cells of mac80211 only.
    Monitor,
}

#[cfg(test)]
mod tests {
    use super::RadioChannel;

    #[test]
    fn the_secondary_channel_makes_40_mhz_with_the_primary_one() {
        let secondary_mhz = |primary_mhz, centre_mhz, width_mhz| {
            RadioChannel { primary_mhz, centre_mhz, width_mhz }.secondary_mhz()
        };
        // Channels 36 to 48, by the table of operating classes (IEEE 802.11-2020, table E-4).
        for (primary_mhz, expected_mhz) in [(5180, 5200), (5200, 5180), (5220, 5240), (5240, 5220)] {
            assert_eq!(secondary_mhz(primary_mhz, 5210, 80), Some(expected_mhz));
        }
        assert_eq!(secondary_mhz(2432, 2422, 40), Some(2412));
        assert_eq!(secondary_mhz(5180, 5180, 20), None);
        assert_eq!(secondary_mhz(58_320, 58_320, 2160), None);
    }
}
