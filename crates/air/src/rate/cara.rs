//! Collision-aware rate adaptation.
//!
//! Source: J. Kim, S. Kim, S. Choi and D. Qiao, "CARA: collision-aware rate adaptation for IEEE 802.11 WLANs", INFOCOM 2006,
//! the variant CARA-1 (RTS probing). CARA-2's detection of collisions by carrier sense is not part of it.
//!
//! Parameters: `probe_threshold` (1, the paper's `P_th`), `failure_threshold` (2, `N_th`), `success_threshold` (10,
//! `M_th`), `timeout_frames` (15).
//!
//! - Frames go without RTS until `probe_threshold` of them have failed in a row; then RTS goes before each attempt until
//!   one succeeds. An unanswered RTS is a collision and changes nothing.
//! - Down one rung after `failure_threshold` failures of data in a row: all but the first `probe_threshold` of them
//!   happened behind RTS and CTS, so they were no collisions.
//! - Up one rung as ARF: after `success_threshold` successes in a row or at the first success after `timeout_frames`
//!   attempts. A failure right after a step up has no rule of its own, RTS finds out what it was.

use super::arf::outcome;
use super::ladder::Ladder;
use super::{LinkState, RateError, RateSet};
use crate::border::{PpduStatus, Protection, RateChain};
use crate::phy::TxVector;

/// When RTS is used and the rate changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thresholds {
    /// Failures in a row before RTS.
    pub(super) probe: u32,
    /// Failures in a row before a step down.
    pub(super) failure: u32,
    /// Successes in a row before a step up.
    pub(super) success: u32,
    /// Attempts after which a success is enough for it.
    pub(super) timeout_frames: u32,
}

/// State of CARA for one receiver.
#[derive(Clone, Debug)]
pub(super) struct Cara {
    ladder: Ladder,
    thresholds: Thresholds,
    /// Successes since the last failure or step.
    successes: u32,
    /// Failures of data since the last success or step.
    failures: u32,
    /// Attempts with data since the last step.
    frames: u32,
}

impl Cara {
    /// CARA on the lowest rung.
    ///
    /// # Errors
    /// A threshold of zero, or RTS probing that would begin after the step down.
    pub(super) fn new(thresholds: Thresholds, rates: &RateSet) -> Result<Self, RateError> {
        RateError::unless_positive("cara", "success_threshold", thresholds.success)?;
        RateError::unless_positive("cara", "timeout_frames", thresholds.timeout_frames)?;
        RateError::unless_positive("cara", "probe_threshold", thresholds.probe)?;
        if thresholds.failure <= thresholds.probe {
            return Err(RateError::Parameter {
                algorithm: "cara",
                parameter: "failure_threshold",
                value: f64::from(thresholds.failure),
                legal: "above `probe_threshold`",
            });
        }
        Ok(Self { ladder: Ladder::new(rates), thresholds, successes: 0, failures: 0, frames: 0 })
    }

    /// One attempt at the present rate.
    #[inline]
    pub(super) fn chain(&mut self, link: LinkState) -> RateChain {
        self.ladder.limit_to(link.rate_cap);
        let probes = self.failures >= self.thresholds.probe;
        self.ladder.chain(if probes { Protection::RtsCts } else { Protection::None })
    }

    /// Takes the outcome of an attempt.
    #[inline]
    pub(super) fn report(&mut self, status: &PpduStatus) {
        match outcome(status) {
            None => {}
            Some(true) => self.succeeded(),
            Some(false) => self.failed(),
        }
    }

    /// The present rate.
    #[inline]
    pub(super) fn mode(&self) -> TxVector {
        self.ladder.mode()
    }

    fn succeeded(&mut self) {
        self.frames = self.frames.saturating_add(1);
        self.successes = self.successes.saturating_add(1);
        self.failures = 0;
        let due = self.successes >= self.thresholds.success || self.frames >= self.thresholds.timeout_frames;
        if due && self.ladder.up() {
            self.restart();
        }
    }

    fn failed(&mut self) {
        self.frames = self.frames.saturating_add(1);
        self.successes = 0;
        self.failures += 1;
        if self.failures >= self.thresholds.failure {
            self.ladder.down();
            self.restart();
        }
    }

    const fn restart(&mut self) {
        self.successes = 0;
        self.failures = 0;
        self.frames = 0;
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::Standard;

    use super::*;
    use crate::phy::Width;
    use crate::rate::conformance::status;
    use crate::rate::rate_set::example;

    const CARA: Thresholds = Thresholds { probe: 1, failure: 2, success: 10, timeout_frames: 15 };

    fn cara() -> Cara {
        Cara::new(CARA, &example(Standard::Ofdm, Width::Mhz20, 1)).expect("thresholds of the paper")
    }

    /// Reports outcomes (`+` success, `-` failure, `c` an unanswered RTS) and gives the index of the rate and whether
    /// RTS is next.
    fn step(cara: &mut Cara, outcomes: &str) -> (u8, bool) {
        for c in outcomes.chars() {
            let sent = status(cara.mode(), c == '+');
            cara.report(&PpduStatus { cleared: c != 'c', ..sent });
        }
        let stage = cara.chain(LinkState::default()).stages()[0];
        (stage.tx.index, stage.protection == Protection::RtsCts)
    }

    #[test]
    fn a_failure_is_probed_by_rts_and_only_the_second_steps_down() {
        let mut cara = cara();
        assert_eq!(step(&mut cara, &"+".repeat(20)), (2, false));
        assert_eq!(step(&mut cara, "-"), (2, true));
        assert_eq!(step(&mut cara, "-"), (1, false));
    }

    #[test]
    fn collisions_never_step_down() {
        let mut cara = cara();
        step(&mut cara, &"+".repeat(20));
        for _ in 0..100 {
            assert_eq!(step(&mut cara, "-ccccc"), (2, true));
            assert_eq!(step(&mut cara, "+"), (2, false));
            // The timer would step up in time; start again.
            cara.frames = 0;
        }
    }

    #[test]
    fn it_steps_up_like_arf_but_a_failed_first_frame_does_not_step_down() {
        let mut cara = cara();
        assert_eq!(step(&mut cara, &"+".repeat(10)), (1, false));
        assert_eq!(step(&mut cara, "-"), (1, true));
        assert_eq!(step(&mut cara, "+"), (1, false));
        // 1 + 1 + 12 attempts; then the fifteenth.
        assert_eq!(step(&mut cara, "-+-+-+-+-+-+"), (1, false));
        assert_eq!(step(&mut cara, "+"), (2, false));
    }

    #[test]
    fn rts_probing_begins_before_the_step_down() {
        let never = Thresholds { probe: 2, ..CARA };
        let said = Cara::new(never, &example(Standard::Ofdm, Width::Mhz20, 1)).expect_err("never probes");
        assert_eq!(
            said.to_string(),
            "`failure_threshold` of rate control `cara` is 2; it must be above `probe_threshold`"
        );
    }
}
