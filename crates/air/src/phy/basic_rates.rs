//! The rates that every member of a BSS can receive.

use airtcp_units::BitRate;

use super::{Format, TxVector, hr_dsss};

/// A set of HR/DSSS and OFDM rates: `BSSBasicRateSet` (IEEE 802.11-2020, 10.6.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BasicRates {
    /// One bit for each rate of HR/DSSS, slowest in the lowest bit.
    hr_dsss: u8,
    /// One bit for each rate of OFDM, slowest in the lowest bit.
    ofdm: u8,
}

const MASK_HR_DSSS: u8 = 0b1111;

impl BasicRates {
    /// No rate.
    pub const NONE: Self = Self { hr_dsss: 0, ofdm: 0 };
    /// What every HR/DSSS station can receive: 1, 2, 5.5 and 11 Mbit/s (16.1.1).
    pub const HR_DSSS_MANDATORY: Self = Self { hr_dsss: MASK_HR_DSSS, ofdm: 0 };
    /// What every OFDM station can receive: 6, 12 and 24 Mbit/s (17.2.2.3).
    pub const OFDM_MANDATORY: Self = Self { hr_dsss: 0, ofdm: 0b1_0101 };

    /// The set of these bit rates; the first one that is neither of HR/DSSS nor of OFDM is the error.
    ///
    /// # Errors
    /// A rate that no basic rate set can have.
    pub fn from_bit_rates(rates: &[BitRate]) -> Result<Self, BitRate> {
        rates.iter().try_fold(Self::NONE, |set, &rate| {
            let tx = Self::tx_vector_of(rate).ok_or(rate)?;
            Ok(set.with(tx))
        })
    }

    /// The HR/DSSS (with long preamble) or OFDM mode with this rate.
    pub fn tx_vector_of(rate: BitRate) -> Option<TxVector> {
        let hr_dsss = (0..4).map(|i| TxVector::hr_dsss(i, false));
        hr_dsss.chain((0..8).map(TxVector::ofdm)).find(|tx| tx.bit_rate() == rate)
    }

    /// The set and this mode; anything but HR/DSSS and OFDM changes nothing.
    #[must_use]
    pub const fn with(self, tx: TxVector) -> Self {
        match tx.format {
            Format::HrDsss => Self { hr_dsss: self.hr_dsss | 1 << tx.index, ..self },
            Format::Ofdm => Self { ofdm: self.ofdm | 1 << tx.index, ..self },
            _ => self,
        }
    }

    /// Whether this mode is in the set.
    #[inline]
    pub const fn contains(self, tx: TxVector) -> bool {
        match tx.format {
            Format::HrDsss => self.hr_dsss >> tx.index & 1 == 1,
            Format::Ofdm => self.ofdm >> tx.index & 1 == 1,
            _ => false,
        }
    }

    /// Whether there is no rate in it.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.hr_dsss == 0 && self.ofdm == 0
    }

    /// The slowest rate of the set, with a long preamble.
    pub fn slowest(self) -> Option<TxVector> {
        let hr_dsss = (self.hr_dsss != 0).then(|| self.hr_dsss.trailing_zeros() as u8);
        let ofdm = (self.ofdm != 0).then(|| self.ofdm.trailing_zeros() as u8);
        let modes = [hr_dsss.map(|i| TxVector::hr_dsss(i, false)), ofdm.map(TxVector::ofdm)];
        modes.into_iter().flatten().min_by_key(|tx| tx.bit_rate())
    }

    /// Index of the fastest HR/DSSS rate that is not above this one.
    #[inline]
    pub(super) const fn hr_dsss_up_to(self, index: u8) -> Option<u8> {
        highest_up_to(self.hr_dsss, index)
    }

    /// Index of the fastest OFDM rate that is not above this one.
    #[inline]
    pub(super) const fn ofdm_up_to(self, index: u8) -> Option<u8> {
        highest_up_to(self.ofdm, index)
    }

    /// Index of the fastest HR/DSSS rate that is not above this rate.
    pub(super) fn hr_dsss_up_to_rate(self, rate: BitRate) -> Option<u8> {
        let index = (0..4).rev().find(|&i| hr_dsss::bit_rate(i) <= rate)?;
        self.hr_dsss_up_to(index)
    }
}

#[inline]
const fn highest_up_to(set: u8, index: u8) -> Option<u8> {
    let below = set & (0xff >> (7 - index));
    if below == 0 { None } else { Some(7 - below.leading_zeros() as u8) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(kbps: &[u64]) -> Vec<BitRate> {
        kbps.iter().map(|&k| BitRate::from_bps(k * 1_000)).collect()
    }

    #[test]
    fn a_set_holds_what_was_put_in() {
        let set = BasicRates::from_bit_rates(&rates(&[5_500, 1_000, 24_000])).expect("legacy rates");
        let held: Vec<u64> = (0..4)
            .map(|i| TxVector::hr_dsss(i, true))
            .chain((0..8).map(TxVector::ofdm))
            .filter(|&tx| set.contains(tx))
            .map(|tx| tx.bit_rate().as_bps() / 1_000)
            .collect();
        assert_eq!(held, [1_000, 5_500, 24_000]);
        assert_eq!(set.slowest(), Some(TxVector::hr_dsss(0, false)));
        assert!(!set.is_empty());
        assert_eq!((BasicRates::NONE.is_empty(), BasicRates::NONE.slowest()), (true, None));
    }

    #[test]
    fn the_slowest_is_slowest_over_both_kinds() {
        let set = BasicRates::from_bit_rates(&rates(&[11_000, 6_000])).expect("legacy rates");
        assert_eq!(set.slowest(), Some(TxVector::ofdm(0)));
    }

    #[test]
    fn other_rates_are_named() {
        let wrong = BasicRates::from_bit_rates(&rates(&[1_000, 65_000]));
        assert_eq!(wrong, Err(BitRate::from_mbps(65)));
    }
}
