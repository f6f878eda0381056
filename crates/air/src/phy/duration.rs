//! Durations of PPDUs and the limits of their length.

use airtcp_units::Duration;

use super::{Band, Coding, Format, NominalPadding, TxVector, dmg, eht, he, hr_dsss, ht, legacy_ofdm, vht};

impl TxVector {
    /// Duration of a PPDU with this PSDU in octets, without signal extension (TXTIME), by its own code
    /// ([`Self::coding`]).
    #[inline]
    pub const fn ppdu_duration(self, psdu_bytes: u32) -> Duration {
        self.ppdu_duration_coded(self.coding(), psdu_bytes)
    }

    /// Duration of a PPDU with this PSDU in octets and this code (HT, VHT, HE and EHT; the others do not look at it).
    #[inline]
    pub const fn ppdu_duration_coded(self, coding: Coding, psdu_bytes: u32) -> Duration {
        match self.format {
            Format::HrDsss => hr_dsss::ppdu_duration(self.index, self.has_short_preamble(), psdu_bytes),
            Format::Ofdm => legacy_ofdm::ppdu_duration(self.index, psdu_bytes),
            Format::Ht => ht::ppdu_duration(self, coding, psdu_bytes),
            Format::Vht => vht::ppdu_duration(self, coding, psdu_bytes),
            Format::He => he::ppdu_duration(self, coding, psdu_bytes),
            Format::Eht => eht::ppdu_duration(self, coding, psdu_bytes),
            Format::Dmg => dmg::ppdu_duration(self, psdu_bytes),
        }
    }

    /// Packet extension at the end of a PPDU with this PSDU, part of its duration.
    #[inline]
    pub const fn packet_extension(self, psdu_bytes: u32) -> Duration {
        match self.padding() {
            NominalPadding::Us0 => Duration::ZERO,
            _ => Duration::from_nanos(he::data_nanos(self, self.coding(), psdu_bytes)[1]),
        }
    }

    /// The part of a PPDU before its data: preamble and headers.
    #[inline]
    pub const fn preamble_duration(self) -> Duration {
        match self.format {
            Format::HrDsss => hr_dsss::preamble_and_header(self.has_short_preamble()),
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

    /// This mode, or if a PPDU with this PSDU would be too long in it, the slowest with a higher MCS in which it would not. Still
    /// this one if there is none.
    #[must_use]
    pub fn fitting(self, band: Band, psdu_bytes: u32) -> Self {
        let Some(limit) = self.max_ppdu_duration() else { return self };
        let faster = (self.index..=self.format.max_index()).map(|index| Self { index, ..self });
        let mut legal = faster.filter(|faster| *faster == self || faster.check(band).is_ok());
        legal.find(|tx| tx.ppdu_duration(psdu_bytes) <= limit).unwrap_or(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Guard, Width};

    #[test]
    fn what_is_too_long_goes_faster() {
        let vht = |mcs, streams| TxVector::mimo(Format::Vht, mcs, streams, Width::Mhz20, Guard::Ns800);
        let fitting = |tx: TxVector, bytes| tx.fitting(Band::Ghz5, bytes);
        // 6.5 and 13 Mbit/s carry some 4400 and 8800 octets in 5.484 ms.
        assert_eq!(fitting(vht(0, 1), 4_000), vht(0, 1));
        assert_eq!(fitting(vht(0, 1), 8_000), vht(1, 1));
        assert_eq!(fitting(vht(0, 1), 11_454), vht(2, 1));
        // MCS 9 does not exist at 20 MHz with one stream: nothing above MCS 8 is tried.
        assert_eq!(fitting(vht(8, 1), 1_000_000), vht(8, 1));
        assert_eq!(fitting(TxVector::ofdm(0), 100_000), TxVector::ofdm(0));
    }
}
