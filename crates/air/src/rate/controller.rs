//! One interface for every algorithm.

use airtcp_plan::RateControlPlan;
use airtcp_units::{BitRate, Duration, Instant};

use super::aarf::{Aarf, Adaptation};
use super::airtime::{FCS_BYTES, REFERENCE_BYTES};
use super::arf::{self, Arf};
use super::cara::{self, Cara};
use super::ideal::{ErrorModel, Ideal};
use super::minstrel::{self, Minstrel};
use super::minstrel_ht::{self, MinstrelHt};
use super::{LinkState, RateError, RateSet, fixed, stages};
use crate::border::{PpduStatus, Protection, RateChain, RateStage};
use crate::phy::TxVector;
use crate::random::Stream;

/// Rate control of one sender towards one receiver.
#[derive(Clone, Debug)]
pub(crate) struct Controller {
    rates: RateSet,
    algorithm: Algorithm,
}

/// The algorithms; a closed set, so that state is plain data.
#[derive(Clone, Debug)]
enum Algorithm {
    Fixed(TxVector),
    Arf(Arf),
    Aarf(Aarf),
    Cara(Cara),
    Minstrel(Minstrel),
    MinstrelHt(MinstrelHt),
    Ideal(Ideal),
}

impl Controller {
    /// The rate control of a plan, on the modes of a link. Only `Ideal` reads the error model.
    ///
    /// # Errors
    /// A fixed mode that the link does not have, a parameter outside its range, legacy Minstrel on MCS.
    pub(crate) fn new(
        plan: &RateControlPlan,
        mut rates: RateSet,
        errors: &dyn ErrorModel,
    ) -> Result<Self, RateError> {
        let algorithm = match *plan {
            RateControlPlan::Fixed { mode } => Algorithm::Fixed(fixed::mode(mode, &rates)?),
            RateControlPlan::Arf { success_threshold, timeout_frames, failure_threshold } => {
                let thresholds = arf::Thresholds {
                    success: success_threshold,
                    timeout_frames,
                    failure: failure_threshold,
                };
                Algorithm::Arf(Arf::new(thresholds, &rates)?)
            }
            RateControlPlan::Aarf {
                success_min,
                success_max,
                success_factor,
                timeout_min_frames,
                timeout_factor,
            } => {
                let adaptation = Adaptation {
                    success_min,
                    success_max,
                    success_factor,
                    timeout_min_frames,
                    timeout_factor,
                };
                Algorithm::Aarf(Aarf::new(adaptation, &rates)?)
            }
            RateControlPlan::Cara {
                probe_threshold,
                failure_threshold,
                success_threshold,
                timeout_frames,
            } => {
                let thresholds = cara::Thresholds {
                    probe: probe_threshold,
                    failure: failure_threshold,
                    success: success_threshold,
                    timeout_frames,
                };
                Algorithm::Cara(Cara::new(thresholds, &rates)?)
            }
            RateControlPlan::Minstrel { interval_us, ewma_percent, sample_percent } => {
                let interval = Duration::from_micros(u64::from(interval_us));
                let parameters = minstrel::Parameters { interval, ewma_percent, sample_percent };
                Algorithm::Minstrel(Minstrel::new(parameters, &rates)?)
            }
            RateControlPlan::MinstrelHt { interval_us, ewma_percent } => {
                let interval = Duration::from_micros(u64::from(interval_us));
                let parameters = minstrel_ht::Parameters { interval, ewma_percent };
                rates = rates.without_long_guards_of_he();
                Algorithm::MinstrelHt(MinstrelHt::new(parameters, &rates)?)
            }
            RateControlPlan::Ideal { error_rate } => {
                Algorithm::Ideal(Ideal::new(error_rate, &rates, errors)?)
            }
        };
        Ok(Self { rates, algorithm })
    }

    /// The rates of the next attempts: requested when an MPDU is first sent, when a chain is used up, and for every A-MPDU.
    #[inline]
    pub(crate) fn chain(&mut self, now: Instant, link: LinkState, rng: &mut Stream) -> RateChain {
        let chain = match &mut self.algorithm {
            Algorithm::Fixed(tx) => {
                RateChain::one(RateStage { tx: *tx, tries: 1, protection: Protection::None })
            }
            Algorithm::Arf(arf) => arf.chain(link),
            Algorithm::Aarf(aarf) => aarf.chain(link),
            Algorithm::Cara(cara) => cara.chain(link),
            Algorithm::Minstrel(minstrel) => minstrel.chain(now, rng),
            Algorithm::MinstrelHt(minstrel) => minstrel.chain(now, rng),
            Algorithm::Ideal(ideal) => ideal.chain(link),
        };
        link.rate_cap.map_or(chain, |cap| self.within(chain, cap))
    }

    /// Whether the rate control reads the signal-to-noise ratio of a link.
    #[inline]
    pub(crate) const fn reads_snr(&self) -> bool {
        matches!(self.algorithm, Algorithm::Ideal(_))
    }

    /// Takes what became of an attempt; called after every one.
    #[inline]
    pub(crate) fn report(&mut self, now: Instant, status: &PpduStatus) {
        match &mut self.algorithm {
            Algorithm::Fixed(_) | Algorithm::Ideal(_) => {}
            Algorithm::Arf(arf) => {
                arf.report(status);
            }
            Algorithm::Aarf(aarf) => aarf.report(status),
            Algorithm::Cara(cara) => cara.report(status),
            Algorithm::Minstrel(minstrel) => {
                if let Some(place) = self.rates.place(status.tx) {
                    minstrel.report(now, place, status);
                }
            }
            Algorithm::MinstrelHt(minstrel) => {
                if let Some(place) = self.rates.place(status.tx) {
                    minstrel.report(now, place, status);
                }
            }
        }
    }

    /// The throughput that it expects, in kbit/s as mac80211 counts them (`minstrel_ht_get_expected_throughput` of
    /// `net/mac80211/rc80211_minstrel_ht.c`): reference MPDUs of its best rate. A fixed mode counts as one that never fails. 0: it does
    /// not know; the other algorithms have no such estimate, like drivers whose firmware chooses the rates.
    pub(crate) fn expected_kbps(&self) -> f64 {
        let per_second = match &self.algorithm {
            Algorithm::Minstrel(minstrel) => minstrel.best_throughput(),
            Algorithm::MinstrelHt(minstrel) => minstrel.best_throughput(),
            Algorithm::Fixed(tx) => minstrel_ht::sure_throughput(*tx),
            Algorithm::Arf(_) | Algorithm::Aarf(_) | Algorithm::Cara(_) | Algorithm::Ideal(_) => 0.0,
        };
        per_second * f64::from(8 * (REFERENCE_BYTES - FCS_BYTES)) / 1024.0
    }

    /// The mode that it holds for the best on a link in this state. Nothing is sampled.
    pub(crate) fn mode_on(&mut self, link: LinkState) -> TxVector {
        let mode = match &mut self.algorithm {
            Algorithm::Ideal(ideal) => ideal.chain(link).stages()[0].tx,
            _ => self.mode(),
        };
        link.rate_cap.filter(|&cap| mode.bit_rate() > cap).map_or(mode, |cap| self.rates.within(cap))
    }

    /// The mode that it holds for the best at present.
    pub(crate) fn mode(&self) -> TxVector {
        match &self.algorithm {
            Algorithm::Fixed(tx) => *tx,
            Algorithm::Arf(arf) => arf.mode(),
            Algorithm::Aarf(aarf) => aarf.mode(),
            Algorithm::Cara(cara) => cara.mode(),
            Algorithm::Minstrel(minstrel) => minstrel.mode(),
            Algorithm::MinstrelHt(minstrel) => minstrel.mode(),
            Algorithm::Ideal(ideal) => ideal.mode(),
        }
    }

    /// The modes it may use, slowest first; one if it is fixed.
    pub(crate) fn modes(&self) -> Vec<TxVector> {
        match self.algorithm {
            Algorithm::Fixed(tx) => vec![tx],
            _ => self.rates.modes().collect(),
        }
    }

    /// The modes it chooses from.
    #[inline]
    pub(crate) const fn rates(&self) -> &RateSet {
        &self.rates
    }

    /// The chain with slower modes in place of those above a bit rate.
    fn within(&self, chain: RateChain, cap: BitRate) -> RateChain {
        let mut slower = [chain.stages()[0]; 4];
        for (slow, stage) in slower.iter_mut().zip(chain.stages()) {
            *slow = *stage;
            if stage.tx.bit_rate() > cap {
                slow.tx = self.rates.within(cap);
            }
        }
        let mut capped = stages::chain(&slower[..chain.stages().len()]);
        capped.probe = chain.probe && slower[0].tx == chain.stages()[0].tx;
        capped
    }
}
