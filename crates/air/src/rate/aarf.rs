//! Adaptive auto rate fallback.
//!
//! Source: M. Lacage, M. H. Manshaei and T. Turletti, "IEEE 802.11 rate adaptation: a practical approach", `MSWiM` 2004.
//!
//! Parameters: `success_min` (10), `success_max` (50), `success_factor` (2), `timeout_min_frames` (15),
//! `timeout_factor` (2).
//!
//! ARF whose thresholds adapt: a failed probe multiplies the success threshold, up to its maximum, and the timeout; a step
//! down after two failures in a row resets both. The paper bounds the success threshold only. Here the timeout is bounded
//! too, at as many times its minimum as the success threshold (75 frames), or a link on which some frames are always lost
//! would never probe again.

use super::arf::{Arf, Step, Thresholds};
use super::ladder::Ladder;
use super::{LinkState, RateError, RateSet};
use crate::border::{PpduStatus, RateChain};
use crate::phy::TxVector;

/// Failures in a row before a step down (section 4 of the paper).
const FAILURE_THRESHOLD: u32 = 2;

/// How the thresholds adapt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Adaptation {
    /// Least successes in a row before a step up.
    pub(super) success_min: u32,
    /// Most successes in a row that are required before a step up.
    pub(super) success_max: u32,
    /// Factor after a failed probe.
    pub(super) success_factor: f64,
    /// Least attempts after which a success is enough.
    pub(super) timeout_min_frames: u32,
    /// Factor after a failed probe.
    pub(super) timeout_factor: f64,
}

/// State of AARF for one receiver.
#[derive(Clone, Debug)]
pub(super) struct Aarf {
    arf: Arf,
    adaptation: Adaptation,
    timeout_max_frames: u32,
}

impl Aarf {
    /// AARF on the lowest rung.
    ///
    /// # Errors
    /// Thresholds of zero, a maximum below its minimum, a factor below one.
    pub(super) fn new(adaptation: Adaptation, rates: &RateSet) -> Result<Self, RateError> {
        let Adaptation { success_min, success_max, timeout_min_frames, .. } = adaptation;
        RateError::unless_positive("aarf", "success_min", success_min)?;
        RateError::unless_positive("aarf", "timeout_min_frames", timeout_min_frames)?;
        RateError::unless_factor("aarf", "success_factor", adaptation.success_factor)?;
        RateError::unless_factor("aarf", "timeout_factor", adaptation.timeout_factor)?;
        if success_max < success_min {
            return Err(RateError::Parameter {
                algorithm: "aarf",
                parameter: "success_max",
                value: f64::from(success_max),
                legal: "at least `success_min`",
            });
        }
        let bound = u64::from(timeout_min_frames) * u64::from(success_max) / u64::from(success_min);
        let timeout_max_frames = u32::try_from(bound).unwrap_or(u32::MAX);
        let arf = Arf::on(Ladder::new(rates), initial(&adaptation));
        Ok(Self { arf, adaptation, timeout_max_frames })
    }

    /// One attempt at the present rate.
    #[inline]
    pub(super) fn chain(&mut self, link: LinkState) -> RateChain {
        self.arf.chain(link)
    }

    /// Takes the outcome of an attempt.
    #[inline]
    pub(super) fn report(&mut self, status: &PpduStatus) {
        match self.arf.report(status) {
            Step::Stay | Step::Up => {}
            Step::ProbeFailed => self.back_off(),
            Step::Down => self.arf.thresholds = initial(&self.adaptation),
        }
    }

    /// The present rate.
    #[inline]
    pub(super) fn mode(&self) -> TxVector {
        self.arf.mode()
    }

    fn back_off(&mut self) {
        let Adaptation { success_max, success_factor, timeout_factor, .. } = self.adaptation;
        let thresholds = &mut self.arf.thresholds;
        thresholds.success = scaled(thresholds.success, success_factor).min(success_max);
        thresholds.timeout_frames =
            scaled(thresholds.timeout_frames, timeout_factor).min(self.timeout_max_frames);
    }
}

const fn initial(adaptation: &Adaptation) -> Thresholds {
    Thresholds {
        success: adaptation.success_min,
        timeout_frames: adaptation.timeout_min_frames,
        failure: FAILURE_THRESHOLD,
    }
}

/// A threshold times a factor, rounded down; what does not fit is the largest number.
fn scaled(threshold: u32, factor: f64) -> u32 {
    (f64::from(threshold) * factor) as u32
}

#[cfg(test)]
mod tests {
    use airtcp_plan::Standard;

    use super::*;
    use crate::phy::Width;
    use crate::rate::conformance::status;
    use crate::rate::rate_set::example;

    const AARF: Adaptation = Adaptation {
        success_min: 10,
        success_max: 50,
        success_factor: 2.0,
        timeout_min_frames: 15,
        timeout_factor: 2.0,
    };

    fn aarf(adaptation: Adaptation) -> Result<Aarf, RateError> {
        Aarf::new(adaptation, &example(Standard::Ofdm, Width::Mhz20, 1))
    }

    fn report(aarf: &mut Aarf, success: bool) {
        aarf.report(&status(aarf.mode(), success));
    }

    /// Successes until a probe, which then fails.
    fn successes_until_probe(aarf: &mut Aarf) -> u32 {
        let from = aarf.mode();
        let mut count = 0;
        while aarf.mode() == from {
            report(aarf, true);
            count += 1;
        }
        report(aarf, false);
        assert_eq!(aarf.mode(), from);
        count
    }

    #[test]
    fn failed_probes_double_the_threshold_up_to_fifty() {
        let mut aarf = aarf(AARF).expect("parameters of the paper");
        let counts = [(); 5].map(|()| successes_until_probe(&mut aarf));
        assert_eq!(counts, [10, 20, 40, 50, 50]);
        assert_eq!(aarf.arf.thresholds.timeout_frames, 75);
    }

    #[test]
    fn the_timeout_doubles_too() {
        let mut aarf = aarf(AARF).expect("parameters of the paper");
        let timeouts = [(); 4].map(|()| {
            successes_until_probe(&mut aarf);
            aarf.arf.thresholds.timeout_frames
        });
        assert_eq!(timeouts, [30, 60, 75, 75]);
    }

    #[test]
    fn two_failures_in_a_row_reset_the_thresholds() {
        let mut aarf = aarf(AARF).expect("parameters of the paper");
        (0..11).for_each(|_| report(&mut aarf, true));
        assert_eq!((aarf.mode().index, successes_until_probe(&mut aarf)), (1, 9));
        assert_eq!(aarf.arf.thresholds.success, 20);
        report(&mut aarf, false);
        assert_eq!((aarf.mode().index, aarf.arf.thresholds.success), (1, 20));
        report(&mut aarf, false);
        assert_eq!((aarf.mode().index, aarf.arf.thresholds), (0, initial(&AARF)));
    }

    /// The failed probe itself is not one of the two failures: the retry at the old rate has to fail twice.
    #[test]
    fn a_failed_probe_does_not_count_for_the_next_step_down() {
        let mut aarf = aarf(AARF).expect("parameters of the paper");
        (0..20).for_each(|_| report(&mut aarf, true));
        assert_eq!(aarf.mode().index, 2);
        report(&mut aarf, false);
        report(&mut aarf, false);
        assert_eq!(aarf.mode().index, 1);
        report(&mut aarf, false);
        assert_eq!(aarf.mode().index, 0);
    }

    #[test]
    fn factors_below_one_and_empty_ranges_are_refused() {
        let said = |adaptation| aarf(adaptation).expect_err("a wrong parameter").to_string();
        assert_eq!(
            said(Adaptation { success_factor: 0.5, ..AARF }),
            "`success_factor` of rate control `aarf` is 0.5; it must be at least 1 and finite"
        );
        assert_eq!(
            said(Adaptation { success_max: 9, ..AARF }),
            "`success_max` of rate control `aarf` is 9; it must be at least `success_min`"
        );
    }
}
