//! The times between PPDUs.

use airtcp_units::Duration;

use super::legacy_ofdm::PREAMBLE_AND_SIGNAL_NANOS;
use super::{ACK_BYTES, Band, Coding, Format, TxVector, eht, hr_dsss};

/// Which of the two slot times of 2.4 GHz a BSS uses; the other bands have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlotTime {
    /// 20 us: HR/DSSS, and ERP as soon as an HR/DSSS station is there (IEEE 802.11-2020, Tables 16-4 and 18-5).
    Long,
    /// 9 us: ERP among its own (Table 18-5).
    Short,
}

/// Inter-frame times of a BSS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterFrame {
    /// aSlotTime.
    pub slot: Duration,
    /// aSIFSTime.
    pub sifs: Duration,
    /// DIFS = SIFS + 2 slots (10.3.2.3.5, 10.3.7).
    pub difs: Duration,
    /// aSignalExtension: silence that belongs to the end of OFDM, HT and HE PPDUs at 2.4 GHz (18.5.4).
    pub signal_extension: Duration,
    /// EIFS - DIFS after an HR/DSSS, a DMG and any other PPDU.
    eifs_extra: [Duration; 3],
}

impl InterFrame {
    /// The times of a BSS in this band.
    ///
    /// 2.4 GHz: Tables 16-4 and 18-5. 5 GHz: Table 17-21. 6 GHz: IEEE 802.11ax-2021, Table 27-54. 60 GHz:
    /// Table 20-32; contention in a CBAP counts slots and DIFS like DCF (10.38.5).
    pub const fn new(band: Band, slot: SlotTime) -> Self {
        let (slot_us, sifs_us, extension_us) = match (band, slot) {
            (Band::Ghz2_4, SlotTime::Long) => (20, 10, 6),
            (Band::Ghz2_4, SlotTime::Short) => (9, 10, 6),
            (Band::Ghz5 | Band::Ghz6, _) => (9, 16, 0),
            (Band::Ghz60, _) => (5, 3, 0),
        };
        let difs_us = sifs_us + 2 * slot_us;
        let mut times = Self {
            slot: Duration::from_micros(slot_us),
            sifs: Duration::from_micros(sifs_us),
            difs: Duration::from_micros(difs_us),
            signal_extension: Duration::from_micros(extension_us),
            eifs_extra: [Duration::ZERO; 3],
        };
        let dmg_control = TxVector { format: Format::Dmg, ..TxVector::ofdm(0) };
        let slowest = [TxVector::hr_dsss(0, false), dmg_control, TxVector::ofdm(0)];
        let mut class = 0;
        while class < slowest.len() {
            let ack = times.ppdu_duration(slowest[class], ACK_BYTES).as_nanos();
            times.eifs_extra[class] = Duration::from_nanos(times.sifs.as_nanos() + ack);
            class += 1;
        }
        times
    }

    /// EIFS - DIFS after a PPDU of this mode: SIFS and an Ack at the lowest mandatory rate of its modulation class
    /// (`EstimatedAckTxTime` with dynamic EIFS; IEEE 802.11-2020, 10.3.2.3.7, and IEEE 802.11-2016, Table 10-5).
    #[inline]
    pub const fn eifs_extra(&self, ppdu: TxVector) -> Duration {
        let [hr_dsss, dmg, other] = self.eifs_extra;
        match ppdu.format {
            Format::HrDsss => hr_dsss,
            Format::Dmg => dmg,
            _ => other,
        }
    }

    /// Time that the medium has to be idle before the backoff of an access category with this AIFSN
    /// (10.23.2.4): SIFS + AIFSN slots.
    #[inline]
    pub const fn aifs(&self, aifsn: u32) -> Duration {
        Duration::from_nanos(self.sifs.as_nanos() + self.slot.as_nanos() * aifsn as u64)
    }

    /// Silence that belongs to the end of this PPDU; HR/DSSS has none.
    #[inline]
    pub const fn extension_of(&self, tx: TxVector) -> Duration {
        match tx.format {
            Format::HrDsss => Duration::ZERO,
            _ => self.signal_extension,
        }
    }

    /// Duration of a PPDU with this PSDU in octets, with its signal extension.
    #[inline]
    pub const fn ppdu_duration(&self, tx: TxVector, psdu_bytes: u32) -> Duration {
        self.ppdu_duration_coded(tx, tx.coding(), psdu_bytes)
    }

    /// Duration of a PPDU with this PSDU in octets and a chosen code, with its signal extension
    /// ([`TxVector::ppdu_duration_coded`]).
    #[inline]
    pub const fn ppdu_duration_coded(&self, tx: TxVector, coding: Coding, psdu_bytes: u32) -> Duration {
        let nanos = tx.ppdu_duration_coded(coding, psdu_bytes).as_nanos() + self.extension_of(tx).as_nanos();
        Duration::from_nanos(nanos)
    }

    /// How long after the end of its PPDU a station waits for a response in this mode to begin: `AckTimeout` and
    /// `CTSTimeout` = SIFS + slot + aRxPHYStartDelay (10.3.2.9, 10.3.2.11).
    #[inline]
    pub const fn response_timeout(&self, response: TxVector) -> Duration {
        let start = rx_phy_start_delay(response).as_nanos();
        Duration::from_nanos(self.sifs.as_nanos() + self.slot.as_nanos() + start)
    }
}

/// aRxPHYStartDelay: from the beginning of a PPDU until a receiver reports its start.
///
/// Of HR/DSSS preamble and header (Table 16-4), of OFDM 20 us (Tables 17-21 and 18-5), of HT-mixed 28 us (Table
/// 19-25), of VHT 72 us (Table 21-28), of HE SU 32 us (IEEE 802.11ax-2021, Table 27-54), of EHT MU 32 us and EHT-SIG
/// (IEEE 802.11be, Table 36-70), of the DMG control mode 10 us and of its single carrier 3.6 us (Table 20-32). A
/// response comes in a non-HT PPDU whatever the PHY of the station, so that 20 us, or those of HR/DSSS, are what a
/// response timeout contains from 11b to 11be.
#[inline]
pub const fn rx_phy_start_delay(tx: TxVector) -> Duration {
    match tx.format {
        Format::HrDsss => hr_dsss::preamble_and_header(tx.has_short_preamble()),
        Format::Ofdm => Duration::from_nanos(PREAMBLE_AND_SIGNAL_NANOS),
        Format::Ht => Duration::from_micros(28),
        Format::Vht => Duration::from_micros(72),
        Format::He => Duration::from_micros(32),
        Format::Eht => Duration::from_micros(32 + 4 * eht::sig_symbols(tx.index)),
        Format::Dmg if tx.index == 0 => Duration::from_micros(10),
        Format::Dmg => Duration::from_nanos(3_600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::CTS_BYTES;

    fn us(times: [Duration; 4]) -> [u64; 4] {
        times.map(|t| t.as_nanos() / 1_000)
    }

    /// Slot, SIFS, DIFS and EIFS as textbooks have them: 11b 364 us, 11a 94 us, 11g alone 88 us.
    #[test]
    fn times_of_each_band() {
        let times = |band: Band, slot, hr_dsss| {
            let t = InterFrame::new(band, slot);
            us([t.slot, t.sifs, t.difs, t.difs + t.eifs_extra(band.lowest_mandatory(hr_dsss))])
        };
        assert_eq!(times(Band::Ghz2_4, SlotTime::Long, true), [20, 10, 50, 10 + 304 + 50]);
        assert_eq!(times(Band::Ghz2_4, SlotTime::Short, false), [9, 10, 28, 10 + 50 + 28]);
        assert_eq!(times(Band::Ghz5, SlotTime::Short, false), [9, 16, 34, 16 + 44 + 34]);
        assert_eq!(times(Band::Ghz6, SlotTime::Long, true), [9, 16, 34, 16 + 44 + 34]);
        assert_eq!(times(Band::Ghz60, SlotTime::Short, false)[..3], [5, 3, 13]);
    }

    /// In a cell with 11b stations EIFS after an OFDM PPDU is that of OFDM.
    #[test]
    fn eifs_is_that_of_the_ppdu_which_caused_it() {
        let mixed = InterFrame::new(Band::Ghz2_4, SlotTime::Long);
        let extra = |tx| mixed.eifs_extra(tx).as_nanos() / 1_000;
        assert_eq!(extra(TxVector::hr_dsss(3, true)), 10 + 304);
        assert_eq!(extra(TxVector::ofdm(7)), 10 + 44 + 6);
        let five = InterFrame::new(Band::Ghz5, SlotTime::Short);
        let vht = TxVector::mimo(Format::Vht, 5, 1, crate::phy::Width::Mhz80, crate::phy::Guard::Ns800);
        assert_eq!(five.eifs_extra(vht), Duration::from_micros(16 + 44));
    }

    /// AIFS of the access categories at 5 GHz and in 11b.
    #[test]
    fn arbitration_times() {
        let a = InterFrame::new(Band::Ghz5, SlotTime::Short);
        assert_eq!(us([2, 3, 7, 1].map(|n| a.aifs(n))), [34, 43, 79, 25]);
        assert_eq!(a.aifs(2), a.difs);
        let b = InterFrame::new(Band::Ghz2_4, SlotTime::Long);
        assert_eq!(us([2, 3, 7, 1].map(|n| b.aifs(n))), [50, 70, 150, 30]);
    }

    #[test]
    fn only_ofdm_at_2_4_ghz_has_a_signal_extension() {
        let g = InterFrame::new(Band::Ghz2_4, SlotTime::Short);
        let cts = |tx| g.ppdu_duration(tx, CTS_BYTES).as_nanos() / 1_000;
        assert_eq!(cts(TxVector::ofdm(4)), 28 + 6);
        assert_eq!(cts(TxVector::hr_dsss(3, true)), 96 + 11);
        let a = InterFrame::new(Band::Ghz5, SlotTime::Short);
        assert_eq!(a.ppdu_duration(TxVector::ofdm(4), CTS_BYTES), Duration::from_micros(28));
    }

    #[test]
    fn response_timeouts() {
        let b = InterFrame::new(Band::Ghz2_4, SlotTime::Long);
        assert_eq!(b.response_timeout(TxVector::hr_dsss(1, false)), Duration::from_micros(10 + 20 + 192));
        assert_eq!(b.response_timeout(TxVector::hr_dsss(1, true)), Duration::from_micros(10 + 20 + 96));
        let g = InterFrame::new(Band::Ghz2_4, SlotTime::Short);
        assert_eq!(g.response_timeout(TxVector::ofdm(4)), Duration::from_micros(10 + 9 + 20));
        let a = InterFrame::new(Band::Ghz5, SlotTime::Short);
        assert_eq!(a.response_timeout(TxVector::ofdm(4)), Duration::from_micros(16 + 9 + 20));
        let control = Band::Ghz60.lowest_mandatory(false);
        let ad = InterFrame::new(Band::Ghz60, SlotTime::Short);
        assert_eq!(ad.response_timeout(control), Duration::from_micros(3 + 5 + 10));
        let single_carrier = TxVector { index: 4, ..control };
        assert_eq!(ad.response_timeout(single_carrier), Duration::from_nanos(3_000 + 5_000 + 3_600));
        // An Ack in the control mode: 7552 chips, and 32 for each of 88 + 64 + 336 bits.
        let ack = Duration::from_nanos(((7_552_u64 + 32 * 488) * 1_000).div_ceil(1_760));
        assert_eq!(ad.eifs_extra(single_carrier), Duration::from_micros(3) + ack);
    }
}
