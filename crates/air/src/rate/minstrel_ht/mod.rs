//! Minstrel-HT.
//!
//! Source: Linux 6.12, `net/mac80211/rc80211_minstrel_ht.c` (behaviour and numbers) and the messages of the commits that made
//! it so, by F. Fietkau: "replace rate stats ewma with a better moving average" (5.5), "significantly redesign the rate
//! probing strategy" (5.12).
//!
//! Parameters: `interval_us` (50 ms between evaluations), `ewma_percent` (75, weight of the past in the mean length of
//! A-MPDUs; the shares of acknowledged MPDUs have a filter of their own without a parameter).
//!
//! - Rates are grouped by width, guard interval and streams ([`groups`]).
//! - The share of acknowledged MPDUs of every interval is filtered ([`probability`]). Times the airtime of an MPDU, with its
//!   part of the overhead of an A-MPDU of mean length, it gives a throughput; below 10 % it counts as none, above 90 % as 90 %.
//!   A rate that was never tried counts as probable as a faster one of its group.
//! - A chain is: best throughput, second best, most probable. All but the first go behind RTS. Each has as many attempts as
//!   fit into 6 ms; two if its probability is below 20 %.
//! - Every 20 ms one frame, alone in its PPDU, samples another rate ([`sampling`]).
//! - If more than 30 MPDUs of an interval went out at one of the two best rates and less than a quarter arrived, it is replaced
//!   at once by the best of the group below that has no more streams.
//!
//! Linux has no groups of HE, EHT and DMG rates. Here HE and EHT have groups like VHT, with the link's shortest guard interval
//! only, which firmware keeps constant; all DMG rates are one group.

mod groups;
mod probability;
mod samples;
mod sampling;

use airtcp_units::{Duration, Instant};

use self::groups::{Group, Overhead, Rate};
use self::samples::Sampling;
use super::airtime::{Backoffs, tries_in_segment};
use super::{RateError, RateSet, stages};
use crate::border::{PpduStatus, Protection, RateChain, RateStage};
use crate::phy::TxVector;
use crate::random::Stream;

/// Below this probability a rate has no throughput, above the other it has no more: losses of that size are collisions.
const USEFUL: (f64, f64) = (0.1, 0.9);
/// Above it a rate is robust enough for the last stage, and throughput decides.
const ROBUST: f64 = 0.75;
/// Below it a stage has two attempts.
const DOUBTFUL: f64 = 0.2;
/// Attempts of a stage at least.
const TRIES_MIN: u8 = 2;
/// A rate is judged before the end of an interval after more MPDUs than this.
const DEATH_ATTEMPTS: u32 = 30;

/// When and how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parameters {
    /// Time between evaluations.
    pub(super) interval: Duration,
    /// Weight of the past in the mean length of A-MPDUs, percent.
    pub(super) ewma_percent: u32,
}

/// Reference MPDUs per second of a mode in which every single MPDU arrives.
pub(super) fn sure_throughput(tx: TxVector) -> f64 {
    let nanos = groups::mpdu_nanos(tx) + Overhead::of(tx.format).of_attempt(false).as_nanos();
    USEFUL.1 * 1e9 / nanos as f64
}

/// State of Minstrel-HT for one receiver. Rates are named by their place in `rates`.
#[derive(Clone, Debug)]
pub(super) struct MinstrelHt {
    parameters: Parameters,
    /// Group after group, in each slowest first.
    rates: Vec<Rate>,
    groups: Vec<Group>,
    /// Place in `rates` of each mode of the set.
    places: Vec<u16>,
    overhead: Overhead,
    /// Best throughput and second best.
    best: [u16; 2],
    most_probable: u16,
    /// Mean number of MPDUs of a PPDU.
    mean_mpdus: f64,
    /// PPDUs of this interval, and MPDUs in them.
    counted: (u32, u32),
    /// The last evaluation; none before the first frame.
    evaluated: Option<Instant>,
    sampling: Sampling,
    /// The chain of a frame that is not a sample.
    chain: RateChain,
}

impl MinstrelHt {
    /// Minstrel-HT that begins at the first rate of the first group.
    ///
    /// # Errors
    /// An interval of zero; a weight above 100 %.
    pub(super) fn new(parameters: Parameters, set: &RateSet) -> Result<Self, RateError> {
        let interval_us = (parameters.interval.as_nanos() / 1_000) as u32;
        RateError::unless_positive("minstrel_ht", "interval_us", interval_us)?;
        RateError::unless_percent("minstrel_ht", "ewma_percent", parameters.ewma_percent)?;
        let (rates, groups) = groups::of(set);
        let place =
            |tx| rates.iter().position(|rate| rate.tx == tx).expect("every mode is in a group") as u16;
        let first = RateStage { tx: rates[0].tx, tries: TRIES_MIN, protection: Protection::None };
        let mut minstrel = Self {
            parameters,
            places: set.modes().map(place).collect(),
            overhead: Overhead::of(set.mode(0).format),
            best: [0; 2],
            most_probable: 0,
            mean_mpdus: 1.0,
            counted: (0, 0),
            evaluated: None,
            sampling: Sampling::default(),
            chain: RateChain::one(first),
            rates,
            groups,
        };
        minstrel.evaluate();
        Ok(minstrel)
    }

    /// The stages of the next PPDU.
    #[inline]
    pub(super) fn chain(&mut self, now: Instant, rng: &mut Stream) -> RateChain {
        self.evaluated.get_or_insert(now);
        match self.sample(now, rng) {
            Some(sample) => self.sampling_chain(sample),
            None => self.chain,
        }
    }

    /// Takes the outcome of an attempt; `place` is that of its mode in the set.
    #[inline]
    pub(super) fn report(&mut self, now: Instant, place: usize, status: &PpduStatus) {
        if status.cleared {
            let rate = &mut self.rates[usize::from(self.places[place])];
            rate.attempts = rate.attempts.saturating_add(status.mpdus);
            rate.successes = rate.successes.saturating_add(status.acked);
            self.counted = (self.counted.0.saturating_add(1), self.counted.1.saturating_add(status.mpdus));
            self.replace_dead();
        }
        let last = *self.evaluated.get_or_insert(now);
        if now.saturating_since(last) > self.parameters.interval {
            self.evaluated = Some(now);
            self.evaluate();
        }
    }

    /// Reference MPDUs per second at the rate with the best throughput.
    pub(super) fn best_throughput(&self) -> f64 {
        self.throughput(self.best[0])
    }

    /// The rate with the best throughput.
    #[inline]
    pub(super) fn mode(&self) -> TxVector {
        self.rate(self.best[0]).tx
    }

    #[inline]
    fn rate(&self, place: u16) -> &Rate {
        &self.rates[usize::from(place)]
    }

    fn sampling_chain(&self, sample: u16) -> RateChain {
        let first = RateStage { tx: self.rate(sample).tx, tries: 1, protection: Protection::None };
        let mut chain =
            stages::chain(&[first, self.stage(self.best[1], true), self.stage(self.most_probable, true)]);
        chain.probe = true;
        chain
    }

    /// A stage with this rate, the first or one to fall back to.
    fn stage(&self, place: u16, fallback: bool) -> RateStage {
        let protection = if fallback { Protection::RtsCts } else { Protection::None };
        RateStage { tx: self.rate(place).tx, tries: self.tries(place, fallback), protection }
    }

    /// Attempts that fit into a segment.
    fn tries(&self, place: u16, rts: bool) -> u8 {
        let rate = self.rate(place);
        if rate.probability.get() < DOUBTFUL {
            return TRIES_MIN;
        }
        let data = Duration::from_nanos(rate.nanos * self.mpdus());
        let each = data + self.overhead.of_attempt(rts);
        let mut backoffs = Backoffs::new();
        let planned = each * u64::from(TRIES_MIN) + backoffs.next() + backoffs.next();
        tries_in_segment(TRIES_MIN, planned, each, backoffs)
    }

    /// Mean number of MPDUs of a PPDU, rounded down as in Linux.
    fn mpdus(&self) -> u64 {
        (self.mean_mpdus as u64).max(1)
    }

    /// Reference MPDUs per second at a rate, as of the last evaluation.
    #[inline]
    fn throughput(&self, place: u16) -> f64 {
        self.rate(place).throughput
    }

    /// Computes every rate's throughput from its probability and the mean length of A-MPDUs.
    fn estimate(&mut self) {
        let overhead = self.overhead.of_attempt(false).as_nanos() / self.mpdus();
        self.rates.iter_mut().for_each(|rate| rate.estimate(overhead));
    }

    /// Closes an interval and chooses anew.
    fn evaluate(&mut self) {
        let (ppdus, mpdus) = std::mem::take(&mut self.counted);
        if ppdus > 0 {
            let weight = f64::from(self.parameters.ewma_percent) / 100.0;
            let mean = f64::from(mpdus) / f64::from(ppdus);
            self.mean_mpdus = weight * self.mean_mpdus + (1.0 - weight) * mean;
        }
        self.rates.iter_mut().for_each(Rate::evaluate);
        self.infer_untried();
        self.estimate();
        self.choose_best();
        self.choose_most_probable();
        self.prefer_fewer_streams();
        self.sampling.expire();
        self.plan_chain();
    }

    fn plan_chain(&mut self) {
        let [best, second] = self.best;
        let last = self.most_probable;
        self.chain =
            stages::chain(&[self.stage(best, false), self.stage(second, true), self.stage(last, true)]);
    }

    /// What was never tried is at least as probable as the faster rates of its group.
    fn infer_untried(&mut self) {
        for group in &self.groups {
            let mut faster = 0.0_f64;
            for rate in self.rates[group.range()].iter_mut().rev() {
                if rate.tried {
                    faster = faster.max(rate.probability.get());
                } else {
                    rate.probability.infer(faster);
                }
            }
        }
    }

    /// The two rates with most throughput over all and in each group; of equal ones the more probable.
    fn choose_best(&mut self) {
        self.best = [0; 2];
        for number in 0..self.groups.len() {
            let first = self.groups[number].first;
            let mut best = [first; 2];
            for place in self.groups[number].places() {
                if self.throughput(place) > 0.0 {
                    self.insert(place, &mut best);
                }
            }
            self.groups[number].best = best;
            let mut over_all = self.best;
            for place in best {
                if self.throughput(place) > 0.0 && !over_all.contains(&place) {
                    self.insert(place, &mut over_all);
                }
            }
            self.best = over_all;
        }
    }

    fn insert(&self, place: u16, best: &mut [u16; 2]) {
        let key = |place: u16| (self.throughput(place), self.rate(place).probability.get());
        if key(place) > key(best[0]) {
            *best = [place, best[0]];
        } else if key(place) > key(best[1]) || best[0] == best[1] && place != best[0] {
            best[1] = place;
        }
    }

    /// Chooses the most probable rates: of the rates above 75 % the one with most throughput, or else the most probable one; over
    /// all and in each group.
    fn choose_most_probable(&mut self) {
        let (mut most, best) = (self.best[0], *self.rate(self.best[0]));
        let best_is_legacy = groups::is_legacy(best.tx.format);
        for number in 0..self.groups.len() {
            let mut of_group = self.groups[number].first;
            for place in self.groups[number].places() {
                let rate = self.rate(place);
                let faster = rate.nanos < best.nanos;
                if faster && rate.probability.get() < best.probability.get() {
                    continue;
                }
                if best_is_legacy || !groups::is_legacy(rate.tx.format) {
                    most = self.more_robust(most, place);
                }
                of_group = self.more_robust(of_group, place);
            }
            self.groups[number].most_probable = of_group;
        }
        self.most_probable = most;
    }

    fn more_robust(&self, present: u16, other: u16) -> u16 {
        let probability = self.rate(other).probability.get();
        let better = if probability > ROBUST {
            self.throughput(other) > self.throughput(present)
        } else {
            probability > self.rate(present).probability.get()
        };
        if better { other } else { present }
    }

    /// The last stage has fewer streams than the first if any such group works.
    fn prefer_fewer_streams(&mut self) {
        let streams = self.rate(self.best[0]).tx.streams;
        let mut most = 0.0;
        for number in 0..self.groups.len() {
            let group = self.groups[number];
            let throughput = self.throughput(group.most_probable);
            if group.streams < streams && throughput > most {
                most = throughput;
                self.most_probable = group.most_probable;
            }
        }
    }

    /// Spatial multiplexing may fail abruptly: the two best rates are judged before the end of an interval.
    #[inline]
    fn replace_dead(&mut self) {
        for rank in 0..2 {
            let rate = self.rate(self.best[rank]);
            if rate.attempts > DEATH_ATTEMPTS && rate.successes < rate.attempts / 4 {
                self.downgrade(rank);
            }
        }
    }

    fn downgrade(&mut self, rank: usize) {
        let number = usize::from(self.rate(self.best[rank]).group);
        let streams = self.groups[number].streams;
        if let Some(below) = self.groups[..number].iter().rev().find(|group| group.streams <= streams) {
            self.best[rank] = below.best[rank];
            self.plan_chain();
        }
    }
}

impl Rate {
    /// Closes an interval.
    fn evaluate(&mut self) {
        if self.attempts > 0 {
            self.probability.add(f64::from(self.successes) / f64::from(self.attempts));
            self.tried = true;
        }
        (self.attempts, self.successes) = (0, 0);
    }

    /// Computes the throughput; `overhead` in nanoseconds is an MPDU's share.
    fn estimate(&mut self, overhead: u64) {
        let probability = self.probability.get();
        self.throughput = if probability < USEFUL.0 {
            0.0
        } else {
            probability.min(USEFUL.1) * 1e9 / (self.nanos + overhead) as f64
        };
    }
}

#[cfg(test)]
mod tests;
