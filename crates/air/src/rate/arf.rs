//! Auto rate fallback.
//!
//! Source: A. Kamerman and L. Monteban, "WaveLAN-II: a high-performance wireless LAN for the unlicensed band", Bell Labs
//! Technical Journal 2(3), 1997. The timer counts frames, as in M. Lacage, M. H. Manshaei and T. Turletti, "IEEE 802.11
//! rate adaptation: a practical approach", `MSWiM` 2004.
//!
//! Parameters: `success_threshold` (10), `timeout_frames` (15), `failure_threshold` (2).
//!
//! - Up one rung after `success_threshold` acknowledged attempts in a row, or at the first success after `timeout_frames`
//!   attempts since the last change of rate.
//! - The first attempt after a step up is a probe: if it fails, down one rung at once.
//! - Down one rung after `failure_threshold` failed attempts in a row. Both restart the timer.

use crate::border::{PpduStatus, Protection, RateChain};
use crate::phy::TxVector;

use super::ladder::Ladder;
use super::{LinkState, RateError, RateSet};

/// When the rate changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thresholds {
    /// Successes in a row before a step up.
    pub(super) success: u32,
    /// Attempts after which a success is enough for it.
    pub(super) timeout_frames: u32,
    /// Failures in a row before a step down.
    pub(super) failure: u32,
}

/// What an attempt led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The rate stays.
    Stay,
    /// The next attempt probes the next higher rate.
    Up,
    /// A probe failed.
    ProbeFailed,
    /// Too many failures in a row.
    Down,
}

/// State of ARF for one receiver.
#[derive(Clone, Debug)]
pub(super) struct Arf {
    ladder: Ladder,
    pub(super) thresholds: Thresholds,
    /// Successes since the last failure or step.
    successes: u32,
    /// Failures since the last success or step.
    failures: u32,
    /// Attempts since the last step, the timer.
    frames: u32,
    /// The next attempt is the first after a step up.
    probing: bool,
}

impl Arf {
    /// ARF on the lowest rung.
    ///
    /// # Errors
    /// A threshold of zero.
    pub(super) fn new(thresholds: Thresholds, rates: &RateSet) -> Result<Self, RateError> {
        RateError::unless_positive("arf", "success_threshold", thresholds.success)?;
        RateError::unless_positive("arf", "timeout_frames", thresholds.timeout_frames)?;
        RateError::unless_positive("arf", "failure_threshold", thresholds.failure)?;
        Ok(Self::on(Ladder::new(rates), thresholds))
    }

    /// ARF on a ladder.
    pub(super) const fn on(ladder: Ladder, thresholds: Thresholds) -> Self {
        Self { ladder, thresholds, successes: 0, failures: 0, frames: 0, probing: false }
    }

    /// One attempt at the present rate.
    #[inline]
    pub(super) fn chain(&mut self, link: LinkState) -> RateChain {
        self.ladder.limit_to(link.rate_cap);
        self.ladder.chain(Protection::None)
    }

    /// Takes the outcome of an attempt.
    #[inline]
    pub(super) fn report(&mut self, status: &PpduStatus) -> Step {
        match outcome(status) {
            None => Step::Stay,
            Some(true) => self.succeeded(),
            Some(false) => self.failed(),
        }
    }

    /// The present rate.
    #[inline]
    pub(super) fn mode(&self) -> TxVector {
        self.ladder.mode()
    }

    fn succeeded(&mut self) -> Step {
        self.frames = self.frames.saturating_add(1);
        self.successes = self.successes.saturating_add(1);
        self.failures = 0;
        self.probing = false;
        let due = self.successes >= self.thresholds.success || self.frames >= self.thresholds.timeout_frames;
        if !(due && self.ladder.up()) {
            return Step::Stay;
        }
        self.restart();
        self.probing = true;
        Step::Up
    }

    fn failed(&mut self) -> Step {
        self.frames = self.frames.saturating_add(1);
        self.successes = 0;
        self.failures += 1;
        let step = if self.probing { Step::ProbeFailed } else { Step::Down };
        if step == Step::Down && self.failures < self.thresholds.failure {
            return Step::Stay;
        }
        self.restart();
        if self.ladder.down() { step } else { Step::Stay }
    }

    const fn restart(&mut self) {
        self.successes = 0;
        self.failures = 0;
        self.frames = 0;
        self.probing = false;
    }
}

/// Whether an attempt succeeded; `None` if it says nothing about the rate because its RTS was not answered.
///
/// The papers have one MPDU per PPDU. An A-MPDU counts as one frame here: it succeeds if its `BlockAck` came and holds at
/// least half of its MPDUs.
#[inline]
pub(super) const fn outcome(status: &PpduStatus) -> Option<bool> {
    if !status.cleared {
        return None;
    }
    Some(status.answered && status.acked > 0 && 2 * status.acked as u64 >= status.mpdus as u64)
}

#[cfg(test)]
mod tests {
    use airtcp_plan::{MacAddress, Standard};

    use super::*;
    use crate::phy::Width;
    use crate::random::{Purpose, Stream};
    use crate::rate::conformance::status;
    use crate::rate::rate_set::example;

    const ARF: Thresholds = Thresholds { success: 10, timeout_frames: 15, failure: 2 };

    fn arf() -> Arf {
        Arf::new(ARF, &example(Standard::Ofdm, Width::Mhz20, 1)).expect("thresholds of the paper")
    }

    /// Reports outcomes (`+` success, `-` failure) and gives the index of the rate after each.
    fn rates(arf: &mut Arf, outcomes: &str) -> Vec<u8> {
        let each = outcomes.chars().map(|c| {
            arf.report(&status(arf.mode(), c == '+'));
            arf.mode().index
        });
        each.collect()
    }

    #[test]
    fn ten_successes_step_up_and_a_failed_probe_steps_down() {
        let mut arf = arf();
        assert_eq!(rates(&mut arf, "++++++++++"), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(rates(&mut arf, "-"), [0]);
        // After the fallback it takes two failures again, and there is nothing below.
        assert_eq!(rates(&mut arf, "--"), [0, 0]);
    }

    #[test]
    fn after_a_good_probe_it_takes_two_failures_in_a_row() {
        let mut arf = arf();
        rates(&mut arf, "++++++++++ ".trim());
        assert_eq!(rates(&mut arf, "+-+-+--"), [1, 1, 1, 1, 1, 1, 0]);
    }

    #[test]
    fn each_two_failures_step_down_once() {
        let mut arf = arf();
        rates(&mut arf, &"+".repeat(31));
        assert_eq!(rates(&mut arf, "-------"), [3, 2, 2, 1, 1, 0, 0]);
    }

    /// Nine successes and a failure never make ten in a row; the fifteenth attempt is a success and steps up.
    #[test]
    fn the_timer_steps_up_without_ten_successes() {
        let mut arf = arf();
        let climb = rates(&mut arf, "+++++++++-+++++");
        assert_eq!((climb[13], climb[14]), (0, 1));
        let mut other = self::arf();
        // The fifteenth fails: the next success steps up.
        let climb = rates(&mut other, "+++++++++-++++-+");
        assert_eq!((climb[14], climb[15]), (0, 1));
    }

    #[test]
    fn two_failures_restart_the_timer() {
        let mut arf = arf();
        rates(&mut arf, &"+".repeat(11));
        assert_eq!(rates(&mut arf, "+++--").last(), Some(&0));
        assert_eq!(rates(&mut arf, "++++-++++-++++").last(), Some(&0));
        assert_eq!(rates(&mut arf, "+").last(), Some(&1));
    }

    #[test]
    fn an_unanswered_rts_changes_nothing() {
        let mut arf = arf();
        rates(&mut arf, &"+".repeat(10));
        let silent = PpduStatus { cleared: false, ..status(arf.mode(), false) };
        assert_eq!(arf.report(&silent), Step::Stay);
        assert_eq!(rates(&mut arf, "-"), [0]);
    }

    #[test]
    fn half_of_an_aggregate_is_a_success() {
        let of = |acked, answered| {
            let one = status(TxVector::ofdm(0), true);
            outcome(&PpduStatus { mpdus: 5, acked, answered, ..one })
        };
        let outcomes = [of(3, true), of(2, true), of(0, true), of(5, false)];
        assert_eq!(outcomes, [Some(true), Some(false), Some(false), Some(false)]);
    }

    /// Attempts until two failures in a row, each with probability p: (1 + p) / p^2 on average, 14.4 at 0.3.
    #[test]
    fn losses_that_are_no_fault_of_the_rate_pull_it_down() {
        let mut chance = Stream::new(1, Purpose::Data, MacAddress([2; 6]), MacAddress([4; 6]));
        let mut until_down = || {
            let mut arf = arf();
            rates(&mut arf, &"+".repeat(80));
            let falls = |_: &u32| {
                arf.report(&status(arf.mode(), chance.unit() >= 0.3));
                arf.mode().index < 7
            };
            (1..10_000).find(falls).expect("it falls some time")
        };
        let mean = f64::from((0..20_000).map(|_| until_down()).sum::<u32>()) / 20_000.0;
        // The standard deviation of one is 13: five standard errors are 0.47.
        assert!((mean - 1.3 / 0.09).abs() < 0.47, "{mean}");
    }

    #[test]
    fn zero_is_no_threshold() {
        let none = Thresholds { failure: 0, ..ARF };
        let said = Arf::new(none, &example(Standard::Ofdm, Width::Mhz20, 1)).expect_err("zero");
        assert_eq!(said.to_string(), "`failure_threshold` of rate control `arf` is 0; it must be at least 1");
    }
}
