//! The filter of the shares of acknowledged MPDUs.
//!
//! A low-pass filter of second order (Butterworth; J. Ehlers' "super smoother", "Predictive indicators for effective trading
//! strategies") with a period of 16 intervals. Linux has it since 5.5 instead of an exponential average: it follows sudden
//! changes sooner and is smoother all the same.
//!
//! `p(n) = c1 x(n) + c2 p(n-1) + c3 p(n-2)`, with `a = exp(-pi sqrt(2) / 16)`, `c2 = 2 a cos(2 pi sqrt(2) / 16)`, `c3 = -a^2`,
//! `c1 = 1 - c2 - c3`, kept within 0 and 1.

/// The coefficients as Linux rounds them to 1/4096.
const C2: f64 = 5_273.0 / 4_096.0;
const C3: f64 = -2_350.0 / 4_096.0;
const C1: f64 = 1.0 - C2 - C3;

/// A filtered share; 0 before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Probability {
    now: f64,
    before: f64,
    known: bool,
}

impl Probability {
    /// The filtered share.
    #[inline]
    pub(super) const fn get(self) -> f64 {
        self.now
    }

    /// Takes the share of an interval.
    pub(super) fn add(&mut self, share: f64) {
        if !self.known {
            *self = Self { now: share, before: share, known: true };
            return;
        }
        let next = C1 * share + C2 * self.now + C3 * self.before;
        self.before = self.now;
        self.now = next.clamp(0.0, 1.0);
    }

    /// Raises the estimate to what the share of another rate suggests, if that is more.
    pub(super) fn infer(&mut self, share: f64) {
        if share > self.now {
            *self = Self { now: share, before: share, known: true };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coefficients_are_those_of_the_formula() {
        let pi = core::f64::consts::PI;
        let root = libm::sqrt(2.0);
        let a = libm::exp(-pi * root / 16.0);
        let c2 = 2.0 * a * libm::cos(2.0 * pi * root / 16.0);
        assert!((C2 - c2).abs() < 1.0 / 4_096.0, "{c2}");
        assert!((C3 + a * a).abs() < 1.0 / 4_096.0);
        assert!((C1 - 1_173.0 / 4_096.0).abs() < 1e-12);
    }

    /// By hand: 1; then 0.71362 = 1.28735 - 0.57373; then 1.28735 x 0.71362 - 0.57373 = 0.34494; then 0.03464; then below zero.
    #[test]
    fn a_rate_that_dies_is_forgotten_in_four_intervals() {
        let mut probability = Probability::default();
        let filtered = [1.0, 0.0, 0.0, 0.0, 0.0].map(|share| {
            probability.add(share);
            probability.get()
        });
        for (value, expected) in filtered.into_iter().zip([1.0, 0.71362, 0.34494, 0.03464, 0.0]) {
            assert!((value - expected).abs() < 1e-4, "{filtered:?}");
        }
    }

    #[test]
    fn a_constant_share_stays() {
        let mut probability = Probability::default();
        (0..50).for_each(|_| probability.add(0.37));
        assert!((probability.get() - 0.37).abs() < 1e-9);
    }

    #[test]
    fn an_inference_only_raises() {
        let mut probability = Probability::default();
        probability.infer(0.5);
        probability.infer(0.3);
        assert!((probability.get() - 0.5).abs() < 1e-12);
    }
}
