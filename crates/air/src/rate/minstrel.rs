//! Minstrel for rates without spatial streams.
//!
//! Source: Linux until 5.11, `net/mac80211/rc80211_minstrel.c` (behaviour and numbers), and its description by D. Smithies
//! and F. Fietkau in the documentation of mac80211.
//!
//! Parameters: `interval_us` (100 ms between evaluations), `ewma_percent` (75, weight of the past), `sample_percent`
//! (10, share of frames that sample).
//!
//! - For each rate the share of acknowledged attempts of every interval goes into a moving average. Times the rate's
//!   airtime for 1200 octets it gives a throughput; below 10 % it counts as none, above 90 % as 90 %.
//! - A chain is: best throughput, second best, best probability, slowest. Each stage has as many attempts as fit into 6 ms;
//!   at most two for rates that fail or succeed nearly always.
//! - One frame in ten samples another rate, in the order of a random table of ten columns. A faster rate is tried first; a
//!   slower one second, so that it costs nothing unless the best rate fails. Rates that were not tried for 20 intervals are tried
//!   first even if they are slower.

use airtcp_units::{Duration, Instant};

use super::airtime::{Backoffs, REFERENCE_BYTES, ack, frame, tries_in_segment};
use super::sample_table::SampleTable;
use super::{RateError, RateSet, stages};
use crate::border::{PpduStatus, Protection, RateChain, RateStage};
use crate::phy::{Format, TxVector};
use crate::random::Stream;

/// Below this probability a rate has no throughput, above the other it has no more (Linux: 10 % and 90 %).
const USEFUL: (f64, f64) = (0.1, 0.9);
/// Outside these a rate is sampled less (Linux: 10 % and 95 %).
const SETTLED: (f64, f64) = (0.1, 0.95);
/// Samples of such a rate per interval.
const SETTLED_SAMPLES: u32 = 4;
/// Attempts of a stage with such a rate.
const SETTLED_TRIES: u8 = 2;
/// Intervals without an attempt after which a slow rate is sampled first.
const NEGLECTED: u32 = 20;
/// Frames after which the counters of sampling start again.
const COUNTED_FRAMES: u32 = 10_000;

/// When and how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parameters {
    /// Time between evaluations.
    pub(super) interval: Duration,
    /// Weight of the past, percent.
    pub(super) ewma_percent: u32,
    /// Share of frames that sample, percent.
    pub(super) sample_percent: u32,
}

/// Statistics of one rate.
#[derive(Clone, Copy, Debug)]
struct Rate {
    tx: TxVector,
    /// Airtime of the reference frame.
    airtime: Duration,
    /// Attempts that fit into a segment.
    tries: u8,
    /// Attempts of a stage at present.
    stage_tries: u8,
    /// Samples left in this interval; `None`: no limit.
    samples_left: Option<u32>,
    /// MPDUs sent in this interval.
    attempts: u32,
    /// MPDUs sent in this interval that were acknowledged.
    successes: u32,
    /// Moving average of the share of acknowledged MPDUs; `None`: never tried.
    probability: Option<f64>,
    /// Intervals since the last attempt.
    neglected: u32,
}

/// The rates of a chain, as places in the list of rates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Choice {
    best: usize,
    second: usize,
    most_probable: usize,
}

/// State of Minstrel for one receiver.
#[derive(Clone, Debug)]
pub(super) struct Minstrel {
    parameters: Parameters,
    /// Slowest first.
    rates: Vec<Rate>,
    choice: Choice,
    table: Option<SampleTable>,
    /// The last evaluation; none before the first frame.
    evaluated: Option<Instant>,
    /// Frames since the counters started.
    frames: u32,
    /// Samples among them.
    samples: u32,
    /// Slow samples on their way, which count when they are used.
    deferred: u32,
    /// The slow sample of the present chain.
    second_stage: Option<TxVector>,
}

impl Minstrel {
    /// Minstrel that begins at the slowest rate.
    ///
    /// # Errors
    /// Rates with spatial streams; an interval of zero; a share above 100 %.
    pub(super) fn new(parameters: Parameters, rates: &RateSet) -> Result<Self, RateError> {
        let format = rates.mode(0).format;
        if !matches!(format, Format::HrDsss | Format::Ofdm | Format::Dmg) {
            return Err(RateError::NeedsMinstrelHt { format });
        }
        let interval_us = (parameters.interval.as_nanos() / 1_000) as u32;
        RateError::unless_positive("minstrel", "interval_us", interval_us)?;
        RateError::unless_percent("minstrel", "ewma_percent", parameters.ewma_percent)?;
        RateError::unless_percent("minstrel", "sample_percent", parameters.sample_percent)?;
        let slowest = rates.mode(0);
        Ok(Self {
            parameters,
            rates: rates.modes().map(|tx| Rate::new(tx, slowest)).collect(),
            choice: Choice::default(),
            table: None,
            evaluated: None,
            frames: 0,
            samples: 0,
            deferred: 0,
            second_stage: None,
        })
    }

    /// The stages of the next frame.
    #[inline]
    pub(super) fn chain(&mut self, now: Instant, rng: &mut Stream) -> RateChain {
        self.evaluated.get_or_insert(now);
        self.deferred = self.deferred.saturating_sub(1);
        self.second_stage = None;
        match self.sample(rng) {
            Some(sample) => self.sampling_chain(sample),
            None => self.stages([self.choice.best, self.choice.second]),
        }
    }

    /// Takes the outcome of an attempt.
    #[inline]
    pub(super) fn report(&mut self, now: Instant, place: usize, status: &PpduStatus) {
        if status.cleared {
            let rate = &mut self.rates[place];
            rate.attempts = rate.attempts.saturating_add(status.mpdus);
            rate.successes = rate.successes.saturating_add(status.acked);
            if self.second_stage == Some(status.tx) {
                self.second_stage = None;
                self.samples += 1;
            }
        }
        let last = *self.evaluated.get_or_insert(now);
        if now.saturating_since(last) > self.parameters.interval {
            self.evaluated = Some(now);
            self.evaluate();
        }
    }

    /// Reference frames per second at the rate with the best throughput.
    pub(super) fn best_throughput(&self) -> f64 {
        self.rates[self.choice.best].throughput()
    }

    /// The rate with the best throughput.
    #[inline]
    pub(super) fn mode(&self) -> TxVector {
        self.rates[self.choice.best].tx
    }

    /// The rate to sample with this frame, if it is one that samples.
    fn sample(&mut self, rng: &mut Stream) -> Option<usize> {
        self.frames += 1;
        let due = i64::from(self.frames * self.parameters.sample_percent / 100);
        let behind = due - i64::from(self.samples + self.deferred / 2);
        if behind < 0 || self.parameters.sample_percent == 0 {
            return None;
        }
        let backlog = i64::from(2 * self.rates.len() as u32);
        if self.frames >= COUNTED_FRAMES {
            (self.frames, self.samples, self.deferred) = (0, 0, 0);
        } else if behind > backlog {
            // Slow samples are planned more often than used; without this they would come in bursts when the link
            // gets worse.
            self.samples += (behind - backlog) as u32;
        }
        let count = self.rates.len();
        Some(self.table.get_or_insert_with(|| SampleTable::new(count, rng)).next())
    }

    fn sampling_chain(&mut self, sample: usize) -> RateChain {
        let Choice { best, second, .. } = self.choice;
        let slower = self.rates[sample].airtime > self.rates[best].airtime;
        if slower && self.rates[sample].neglected < NEGLECTED {
            self.deferred += 1;
            self.second_stage = Some(self.rates[sample].tx);
            return self.stages([best, sample]);
        }
        match &mut self.rates[sample].samples_left {
            Some(0) => return self.stages([best, second]),
            Some(left) => *left -= 1,
            None => {}
        }
        self.samples += 1;
        let mut chain = self.stages([sample, second]);
        chain.probe = true;
        chain
    }

    /// A chain of these two, the most probable and the slowest rate.
    fn stages(&self, first: [usize; 2]) -> RateChain {
        let stage = |place: usize| {
            let rate = &self.rates[place];
            RateStage { tx: rate.tx, tries: rate.stage_tries, protection: Protection::None }
        };
        stages::chain(&[first[0], first[1], self.choice.most_probable, 0].map(stage))
    }

    fn evaluate(&mut self) {
        let weight = f64::from(self.parameters.ewma_percent) / 100.0;
        self.rates.iter_mut().for_each(|rate| rate.evaluate(weight));
        self.choice = self.choose();
    }

    /// The best throughput; the second best; of the rates above 95 % the one with the best throughput, or else the most
    /// probable of all.
    fn choose(&self) -> Choice {
        let mut choice = Choice::default();
        for (place, rate) in self.rates.iter().enumerate() {
            if rate.throughput() > self.rates[choice.best].throughput() {
                choice.second = choice.best;
                choice.best = place;
            } else if place != choice.best && rate.throughput() > self.rates[choice.second].throughput() {
                choice.second = place;
            }
            if rate.is_more_robust_than(&self.rates[choice.most_probable]) {
                choice.most_probable = place;
            }
        }
        choice
    }
}

impl Rate {
    fn new(tx: TxVector, slowest: TxVector) -> Self {
        let airtime = frame(tx, REFERENCE_BYTES);
        let tries = tries_in_segment(1, airtime + ack(slowest), airtime + ack(tx), Backoffs::new());
        Self {
            tx,
            airtime,
            tries,
            stage_tries: tries,
            samples_left: None,
            attempts: 0,
            successes: 0,
            probability: None,
            neglected: 0,
        }
    }

    /// Reference frames per second.
    fn throughput(&self) -> f64 {
        match self.probability {
            Some(probability) if probability >= USEFUL.0 => {
                probability.min(USEFUL.1) / self.airtime.as_secs_f64()
            }
            _ => 0.0,
        }
    }

    fn is_more_robust_than(&self, other: &Self) -> bool {
        let (mine, others) = (self.probability.unwrap_or(0.0), other.probability.unwrap_or(0.0));
        if mine >= SETTLED.1 && others >= SETTLED.1 {
            return self.throughput() > other.throughput();
        }
        mine > others
    }

    /// Closes an interval.
    fn evaluate(&mut self, weight: f64) {
        if self.attempts > 0 {
            let share = f64::from(self.successes) / f64::from(self.attempts);
            let average = |past: f64| weight * past + (1.0 - weight) * share;
            self.probability = Some(self.probability.map_or(share, average));
            self.neglected = 0;
        } else {
            self.neglected = self.neglected.saturating_add(1);
        }
        (self.attempts, self.successes) = (0, 0);
        let probability = self.probability.unwrap_or(0.0);
        let settled = probability < SETTLED.0 || probability > SETTLED.1;
        self.samples_left = settled.then_some(SETTLED_SAMPLES);
        let tries = if settled { SETTLED_TRIES.min(self.tries / 2) } else { self.tries };
        self.stage_tries = if tries == 0 { SETTLED_TRIES } else { tries };
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::{MacAddress, Standard};

    use super::*;
    use crate::phy::Width;
    use crate::random::Purpose;
    use crate::rate::conformance::status;
    use crate::rate::rate_set::example;

    const LINUX: Parameters =
        Parameters { interval: Duration::from_millis(100), ewma_percent: 75, sample_percent: 10 };
    const LATE: Duration = Duration::from_millis(101);

    fn minstrel() -> Minstrel {
        Minstrel::new(LINUX, &example(Standard::Ofdm, Width::Mhz20, 1)).expect("parameters of Linux")
    }

    fn rng() -> Stream {
        Stream::new(1, Purpose::Backoff, MacAddress([2; 6]), MacAddress([4; 6]))
    }

    /// One interval in which these shares (acknowledged, sent) were seen at some rates.
    fn interval(minstrel: &mut Minstrel, now: &mut Instant, shares: &[(usize, u32, u32)]) {
        for &(place, acked, mpdus) in shares {
            let one = status(TxVector::ofdm(place as u8), true);
            minstrel.report(*now, place, &PpduStatus { mpdus, acked, ..one });
        }
        *now += LATE;
        minstrel.report(*now, 0, &PpduStatus { mpdus: 0, acked: 0, ..status(TxVector::ofdm(0), true) });
    }

    #[test]
    fn the_average_keeps_three_quarters_of_the_past() {
        let mut minstrel = minstrel();
        let mut now = Instant::ZERO;
        let mut probability = |shares: &[(usize, u32, u32)]| {
            interval(&mut minstrel, &mut now, shares);
            minstrel.rates[3].probability
        };
        assert_eq!(probability(&[]), None);
        assert_eq!(probability(&[(3, 8, 10)]), Some(0.8));
        assert_eq!(probability(&[]), Some(0.8));
        // 0.75 x 0.8 + 0.25 x 0.4, then 0.75 x 0.7.
        assert!((probability(&[(3, 4, 10)]).expect("tried") - 0.7).abs() < 1e-12);
        assert!((probability(&[(3, 0, 5)]).expect("tried") - 0.525).abs() < 1e-12);
    }

    /// 216 us at 54 Mbit/s, 1648 us at 6 Mbit/s.
    #[test]
    fn throughput_is_probability_over_perfect_time() {
        let mut minstrel = minstrel();
        let mut now = Instant::ZERO;
        interval(&mut minstrel, &mut now, &[(7, 1, 2), (0, 10, 10), (1, 9, 100)]);
        let per_second = |place: usize| minstrel.rates[place].throughput();
        assert!((per_second(7) - 0.5 / 216e-6).abs() < 1e-6);
        assert!((per_second(0) - 0.9 / 1648e-6).abs() < 1e-6);
        assert!(per_second(1).abs() < 1e-12);
    }

    /// 6 Mbit/s: 1708 us, then 1775, 1847 us, and 1991 us do not fit. 54 Mbit/s: 276 us, then 323, 395, 539, 827, 1403 us.
    #[test]
    fn stages_have_as_many_tries_as_fit_into_the_segment() {
        let minstrel = minstrel();
        assert_eq!((minstrel.rates[0].tries, minstrel.rates[7].tries), (3, 6));
    }

    #[test]
    fn a_chain_is_best_second_most_probable_slowest() {
        let mut minstrel = minstrel();
        let mut now = Instant::ZERO;
        // Throughputs: 54 at 50 % 2315, 48 at 70 % 2917, 36 at 80 % 2564, 12 at 100 % 1069 per second.
        interval(&mut minstrel, &mut now, &[(7, 5, 10), (6, 7, 10), (5, 8, 10), (2, 9, 9)]);
        assert_eq!(minstrel.choice, Choice { best: 6, second: 5, most_probable: 2 });
        let chain = minstrel.stages([6, 5]);
        let stages: Vec<_> = chain.stages().iter().map(|stage| (stage.tx.index, stage.tries)).collect();
        // 12 Mbit/s is above 95 %: two tries; 6 Mbit/s below 10 %: half of its three.
        assert_eq!(stages, [(6, 6), (5, 6), (2, 2), (0, 1)]);
    }

    #[test]
    fn of_safe_rates_the_fastest_is_most_probable() {
        let mut minstrel = minstrel();
        let mut now = Instant::ZERO;
        interval(&mut minstrel, &mut now, &[(1, 100, 100), (3, 96, 100), (7, 90, 100)]);
        assert_eq!(minstrel.choice, Choice { best: 7, second: 3, most_probable: 3 });
    }

    #[test]
    fn one_frame_in_ten_samples_a_faster_rate_first() {
        let mut minstrel = minstrel();
        let mut rng = rng();
        let probes: Vec<bool> = (0..1_000).map(|_| minstrel.chain(Instant::ZERO, &mut rng).probe).collect();
        let count = probes.iter().filter(|&&probe| probe).count();
        assert!((100..=101).contains(&count), "{count}");
    }

    #[test]
    fn a_slower_rate_is_sampled_second_and_counts_when_it_is_used() {
        let mut minstrel = minstrel();
        let (mut rng, mut now) = (rng(), Instant::ZERO);
        interval(&mut minstrel, &mut now, &[(7, 8, 10)]);
        let slow = (0..100).find_map(|_| {
            let chain = minstrel.chain(now, &mut rng);
            minstrel.second_stage.map(|tx| (tx, chain))
        });
        let (sample, chain) = slow.expect("a slow sample in a hundred frames");
        assert_eq!((chain.stages()[0].tx.index, chain.stages()[1].tx, chain.probe), (7, sample, false));
        let samples = minstrel.samples;
        minstrel.report(now, 7, &status(TxVector::ofdm(7), false));
        assert_eq!(minstrel.samples, samples);
        minstrel.report(now, usize::from(sample.index), &status(sample, true));
        assert_eq!(minstrel.samples, samples + 1);
    }

    #[test]
    fn mcs_need_minstrel_ht() {
        let said = Minstrel::new(LINUX, &example(Standard::Ht, Width::Mhz20, 1)).expect_err("MCS");
        assert_eq!(said.to_string(), "rate control `minstrel` has no HT rates; use `minstrel_ht`");
    }
}
