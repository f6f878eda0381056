//! Durations of PPDUs and the limits of their length.

use airtcp_units::Duration;

use super::{Coding, Format, TxVector, dmg, eht, he, hr_dsss, ht, legacy_ofdm, vht};

impl TxVector {
    /// Duration of a PPDU with this PSDU in octets, without signal extension (TXTIME), by its own code
    /// ([`Self::coding`]).
    #[inline]
    pub const fn ppdu_duration(self, psdu_bytes: u32) -> Duration {
        self.ppdu_duration_coded(self.coding(), psdu_bytes)
    }

    /// The same with another code (HT, VHT, HE and EHT; the others do not look at it).
    #[inline]
    pub const fn ppdu_duration_coded(self, coding: Coding, psdu_bytes: u32) -> Duration {
        match self.format {
            Format::HrDsss => hr_dsss::ppdu_duration(self.index, self.short_preamble, psdu_bytes),
            Format::Ofdm => legacy_ofdm::ppdu_duration(self.index, psdu_bytes),
            Format::Ht => ht::ppdu_duration(self, coding, psdu_bytes),
            Format::Vht => vht::ppdu_duration(self, coding, psdu_bytes),
            Format::He => he::ppdu_duration(self, coding, psdu_bytes),
            Format::Eht => eht::ppdu_duration(self, coding, psdu_bytes),
            Format::Dmg => dmg::ppdu_duration(self, psdu_bytes),
        }
    }

    /// The part of a PPDU before its data: preamble and headers.
    #[inline]
    pub const fn preamble_duration(self) -> Duration {
        match self.format {
            Format::HrDsss => hr_dsss::preamble_and_header(self.short_preamble),
            Format::Ofdm => Duration::from_nanos(legacy_ofdm::PREAMBLE_AND_SIGNAL_NANOS),
            Format::Ht => Duration::from_nanos(ht::preamble_nanos(self.streams)),
            Format::Vht => Duration::from_nanos(vht::preamble_nanos(self.streams)),
            Format::He => Duration::from_nanos(he::preamble_nanos(self)),
            Format::Eht => Duration::from_nanos(eht::preamble_nanos(self)),
            Format::Dmg => dmg::preamble(self.index),
        }
    }

    /// Most octets of a PSDU, aPSDUMaxLength (IEEE 802.11-2020, Tables 16-4, 17-21, 19-25, 20-32, 21-28; IEEE
    /// 802.11ax-2021, Table 27-54; IEEE 802.11be, Table 36-70).
    #[inline]
    pub const fn max_psdu_bytes(self) -> u32 {
        match self.format {
            Format::HrDsss | Format::Ofdm => 4_095,
            Format::Ht => 65_535,
            Format::Vht => 1_048_575,
            Format::He => 6_500_631,
            Format::Eht => 15_523_200,
            Format::Dmg => 262_143,
        }
    }

    /// Longest PPDU, aPPDUMaxTime; None where only the octets are limited. HT to EHT: what L-SIG can announce
    /// (IEEE 802.11-2020, Tables 19-25 and 21-28; IEEE 802.11ax-2021, Table 27-54). DMG: Table 20-32.
    #[inline]
    pub const fn max_ppdu_duration(self) -> Option<Duration> {
        match self.format {
            Format::HrDsss | Format::Ofdm => None,
            Format::Ht | Format::Vht | Format::He | Format::Eht => Some(Duration::from_micros(5_484)),
            Format::Dmg => Some(Duration::from_micros(2_000)),
        }
    }
}
