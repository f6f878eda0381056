//! The fastest mode that the true signal-to-noise ratio allows.
//!
//! No device can do it: it uses the state of the channel at the receiver before it sends. It is the upper bound for the
//! others, and what studies use whose subject is not rate control.
//!
//! Parameter: `error_rate` (0.01), the highest packet error rate of a PSDU of 1500 octets at which a mode is used.
//!
//! The least signal-to-noise ratio of each mode is found once, by bisection of the error model.

use super::{LinkState, RateError, RateSet};
use crate::border::{Protection, RateChain, RateStage};
use crate::phy::{TxVector, Width};

/// The history of lost frames.
pub(crate) trait ErrorModel {
    /// Probability that a PSDU of this length is lost. `snr_db` is the power of all streams together over the noise in
    /// the width of the mode; the probability never rises with it.
    fn packet_error_rate(&self, tx: TxVector, snr_db: f64, psdu_bytes: u32) -> f64;
}

/// Length of the PSDU whose loss counts.
const REFERENCE_BYTES: u32 = 1_500;
/// Between these every mode has its limit: 20 dB below 1 Mbit/s, 20 dB above 4096-QAM.
const SEARCH_DB: (f64, f64) = (-30.0, 70.0);
/// Halvings of the range; the last is below a thousandth of a decibel.
const HALVINGS: u32 = 17;

/// A mode and what it needs.
#[derive(Clone, Copy, Debug)]
struct Limit {
    tx: TxVector,
    /// Least signal-to-noise ratio over the whole width of the link.
    snr_db: f64,
}

/// The limits of a link's modes.
#[derive(Clone, Debug)]
pub(super) struct Ideal {
    /// Fastest first; none needs as much as one before it.
    limits: Vec<Limit>,
    slowest: TxVector,
    /// The mode of the last chain.
    mode: TxVector,
}

impl Ideal {
    /// The limits of these modes under an error model.
    ///
    /// # Errors
    /// An error rate outside (0, 1).
    pub(super) fn new(error_rate: f64, rates: &RateSet, errors: &dyn ErrorModel) -> Result<Self, RateError> {
        if !(error_rate > 0.0 && error_rate < 1.0) {
            return Err(RateError::Parameter {
                algorithm: "ideal",
                parameter: "error_rate",
                value: error_rate,
                legal: "above 0 and below 1",
            });
        }
        let whole = rates.modes().map(TxVector::width).max().expect("a set is not empty");
        let mut limits: Vec<Limit> = Vec::new();
        for tx in rates.modes().rev() {
            let snr_db = least_snr_db(tx, error_rate, errors) - gain_db(whole, tx.width());
            let useful = limits.last().is_none_or(|faster| snr_db < faster.snr_db);
            if useful {
                drop_as_fast(&mut limits, tx);
                limits.push(Limit { tx, snr_db });
            }
        }
        let slowest = limits.last().expect("a set is not empty").tx;
        Ok(Self { limits, slowest, mode: slowest })
    }

    /// One attempt at the fastest mode that is good enough now; at the most robust one if none is.
    #[inline]
    pub(super) fn chain(&mut self, link: LinkState) -> RateChain {
        let enough = |limit: &&Limit| {
            link.snr_db_of(limit.tx.streams).is_none_or(|snr_db| snr_db >= limit.snr_db)
                && link.rate_cap.is_none_or(|cap| limit.tx.bit_rate() <= cap)
        };
        self.mode = self.limits.iter().find(enough).map_or(self.slowest, |limit| limit.tx);
        RateChain::one(RateStage { tx: self.mode, tries: 1, protection: Protection::None })
    }

    /// The mode of the last chain.
    #[inline]
    pub(super) const fn mode(&self) -> TxVector {
        self.mode
    }
}

/// Drops the last mode if `tx` has its bit rate: of modes with one bit rate only the one that needs least is useful.
fn drop_as_fast(limits: &mut Vec<Limit>, tx: TxVector) {
    if limits.last().is_some_and(|limit| limit.tx.bit_rate() == tx.bit_rate()) {
        limits.pop();
    }
}

/// A PPDU that fills less than the whole width has the same power against less noise.
fn gain_db(whole: Width, used: Width) -> f64 {
    10.0 * libm::log10(f64::from(whole.mhz()) / f64::from(used.mhz()))
}

fn least_snr_db(tx: TxVector, error_rate: f64, errors: &dyn ErrorModel) -> f64 {
    let (mut bad, mut good) = SEARCH_DB;
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(bad, good);
        if errors.packet_error_rate(tx, middle, REFERENCE_BYTES) <= error_rate {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

#[cfg(test)]
mod tests {
    use airtcp_plan::Standard;
    use airtcp_units::BitRate;

    use super::*;
    use crate::phy::{Format, Guard};
    use crate::rate::conformance::Threshold;
    use crate::rate::rate_set::example;

    fn at(ideal: &mut Ideal, snr_db: f64) -> TxVector {
        ideal.chain(LinkState { snr_db: Some(snr_db), ..LinkState::default() }).stages()[0].tx
    }

    /// The error model falls from 1 to 0 at three decibels per index above zero.
    #[test]
    fn the_fastest_mode_that_is_good_enough_is_used() {
        let rates = example(Standard::Ofdm, Width::Mhz20, 1);
        let mut ideal = Ideal::new(0.01, &rates, &Threshold).expect("a legal error rate");
        let indices = [-10.0, 0.0, 2.9, 3.1, 20.9, 21.1, 60.0].map(|snr_db| at(&mut ideal, snr_db).index);
        assert_eq!(indices, [0, 0, 0, 1, 6, 7, 7]);
        let unknown = ideal.chain(LinkState::default()).stages()[0].tx;
        assert_eq!(unknown, TxVector::ofdm(7));
        let cap =
            LinkState { snr_db: Some(60.0), rate_cap: Some(BitRate::from_mbps(30)), ..LinkState::default() };
        assert_eq!(ideal.chain(cap).stages()[0].tx, TxVector::ofdm(4));
    }

    /// In the threshold model two streams need no more than one, so only modes with two are useful; the narrower
    /// channel gives 3.01 dB.
    #[test]
    fn modes_that_are_beaten_are_never_used() {
        let rates = example(Standard::Ht, Width::Mhz40, 2);
        let mut ideal = Ideal::new(0.01, &rates, &Threshold).expect("a legal error rate");
        let ht = |mcs, width| TxVector::mimo(Format::Ht, mcs, 2, width, Guard::Ns400);
        assert_eq!(at(&mut ideal, 3.1), ht(1, Width::Mhz40));
        assert_eq!(at(&mut ideal, -0.5), ht(0, Width::Mhz20));
        assert_eq!(at(&mut ideal, -20.0), ht(0, Width::Mhz20));
        assert!(ideal.limits.iter().all(|limit| limit.tx.guard == Guard::Ns400 && limit.tx.streams == 2));
    }

    #[test]
    fn an_error_rate_is_a_probability() {
        let rates = example(Standard::Ofdm, Width::Mhz20, 1);
        for wrong in [0.0, 1.0, f64::NAN] {
            assert!(Ideal::new(wrong, &rates, &Threshold).is_err());
        }
    }
}
