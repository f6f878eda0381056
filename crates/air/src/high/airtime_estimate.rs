//! The medium time that an MPDU will probably take, as mac80211 estimates it for its airtime queue limit.
//!
//! `ieee80211_calc_expected_tx_airtime` (net/mac80211/airtime.c) takes the mode in which the station was last sent to. Of a
//! frame in an aggregate it counts the time of its octets and a share of the overhead of the PPDU that falls with the rate,
//! since faster modes have more frames in a PPDU. mac80211 takes every frame for a part of an aggregate but those of access
//! category voice and of legacy modes.

use airtcp_units::Duration;

use crate::border::AccessCategory;
use crate::phy::{FCS_BYTES, Format, TxVector};

/// Octets that it adds to every frame.
const ADDED_BYTES: u32 = 38;
/// The least estimate for a frame in an aggregate.
const LEAST_US: u64 = 4;
/// Preamble and SIFS of OFDM; HT and newer formats have 4 us more for each stream.
const OFDM_OVERHEAD_US: u64 = 36;
/// Preamble, header and SIFS of HR/DSSS, with the long and the short preamble.
const HR_DSSS_OVERHEAD_US: [u64; 2] = [202, 106];
/// Octets of the frame by whose duration the share of overhead is chosen.
const AVERAGE_BYTES: u64 = 1024;

/// The estimate for an MPDU of this length, FCS included, that has this user priority; queues keep it in units of 4 us. Frames have
/// no FCS yet when mac80211 counts them.
#[inline(never)]
pub(super) fn estimated_airtime(tx: TxVector, priority: u8, mpdu_bytes: u32) -> Duration {
    if tx.format == Format::Dmg {
        // mac80211 has no rates of DMG.
        return tx.ppdu_duration(mpdu_bytes);
    }
    let data_us = octets_nanos(tx, u64::from(mpdu_bytes + ADDED_BYTES - FCS_BYTES)) / 1000;
    let is_voice = AccessCategory::of_priority(priority) == AccessCategory::Voice;
    let overhead_us = overhead_us(tx);
    Duration::from_micros(match tx.format {
        Format::HrDsss | Format::Ofdm => data_us + overhead_us,
        _ if is_voice => data_us + overhead_us,
        _ => (data_us + (overhead_us >> overhead_shift(tx))).max(LEAST_US),
    })
}

fn octets_nanos(tx: TxVector, bytes: u64) -> u64 {
    bytes * 8 * 1_000_000_000 / tx.bit_rate().as_bps()
}

fn overhead_us(tx: TxVector) -> u64 {
    match tx.format {
        Format::HrDsss => HR_DSSS_OVERHEAD_US[usize::from(tx.has_short_preamble())],
        Format::Ofdm => OFDM_OVERHEAD_US,
        _ => OFDM_OVERHEAD_US + 4 * u64::from(tx.streams),
    }
}

/// A frame carries a fraction of the overhead, one over two to this power: aggregates are assumed to be as long as rates allow.
fn overhead_shift(tx: TxVector) -> u32 {
    match octets_nanos(tx, AVERAGE_BYTES) {
        400_001.. => 1,
        250_001.. => 2,
        150_001.. => 3,
        70_001.. => 4,
        ..=20_000 if tx.format == Format::He => 6,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Guard, Width};
    use crate::queue::kept_estimate;

    fn estimate_us(tx: TxVector, priority: u8) -> u64 {
        kept_estimate(estimated_airtime(tx, priority, 1534)).as_nanos() / 1000
    }

    /// 1534 octets count as 1568, which are 12,544 bits.
    #[test]
    fn overhead_of_aggregates_falls_with_the_rate() {
        let vht = |mcs, streams, width| TxVector::mimo(Format::Vht, mcs, streams, width, Guard::Ns400);
        // 7.2 Mbit/s: 1736.9 us, and 40 us / 2; MCS 9, 80 MHz, 2 streams, 866.7 Mbit/s: 14.5 us, and 44 us / 32, of which 1 us counts.
        assert_eq!(estimate_us(vht(0, 1, Width::Mhz20), 0), 1756);
        assert_eq!(estimate_us(vht(9, 2, Width::Mhz80), 0), 12);
        // MCS 3, 28.9 Mbit/s: 434.2 us; 1024 octets take 283.6 us, so 40 us / 4.
        assert_eq!(estimate_us(vht(3, 1, Width::Mhz20), 0), 444);
    }

    /// The sum is at least 4 us, not the share of overhead.
    #[test]
    fn the_fastest_modes_count_less_than_4_us_of_overhead() {
        let he = |width, streams| TxVector::mimo(Format::He, 11, streams, width, Guard::Ns800);
        // 1201 Mbit/s: 10.4 us, and 44 us / 64.
        assert_eq!(estimate_us(he(Width::Mhz80, 2), 0), 8);
        // 2402 Mbit/s: 5.2 us, and 44 us / 64.
        assert_eq!(estimate_us(he(Width::Mhz160, 2), 0), 4);
        // 9608 Mbit/s, 8 streams: 94 octets count as 128, 0.1 us; and 68 us / 64.
        assert_eq!(estimated_airtime(he(Width::Mhz160, 8), 0, 94), Duration::from_micros(4));
    }

    /// mac80211 compares durations in units of 1/1024 us: 1024 octets at 117 Mbit/s take 70.02 us, more than 70.
    #[test]
    fn a_fraction_of_a_microsecond_decides_the_share_of_overhead() {
        let tx = TxVector::mimo(Format::Vht, 3, 1, Width::Mhz80, Guard::Ns800);
        // 107.2 us, and 40 us / 16 of which 2 us count.
        assert_eq!(estimated_airtime(tx, 0, 1534), Duration::from_micros(109));
    }

    #[test]
    fn voice_and_legacy_modes_count_the_whole_overhead() {
        let vht = TxVector::mimo(Format::Vht, 9, 2, Width::Mhz80, Guard::Ns400);
        // 14.5 us, and 44 us / 32 or 44 us.
        assert_eq!([5, 6, 7].map(|priority| estimate_us(vht, priority)), [12, 56, 56]);
        // 54 Mbit/s: 232.3 us and 36 us. 11 Mbit/s: 1140.4 us and 202 or 106 us.
        assert_eq!(estimate_us(TxVector::ofdm(7), 0), 268);
        assert_eq!([false, true].map(|short| estimate_us(TxVector::hr_dsss(3, short), 0)), [1340, 1244]);
    }

    #[test]
    fn an_estimate_has_ten_bits() {
        // 1 Mbit/s: 12.5 ms.
        assert_eq!(estimate_us(TxVector::hr_dsss(0, false), 0), 4092);
    }
}
