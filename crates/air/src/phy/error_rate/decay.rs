//! How the probability of reception falls with length.

/// The probability of reception of every length, for one kind of PPDU at one signal-to-noise ratio.
///
/// Reception of `L` octets has probability `exp(-a L)`. A table has two references, a short and a long one, each with
/// an `a` of its own, so that `1 - PER(L) = (1 - PER(L_ref))^(L / L_ref)`; a formula has one `a` for all lengths.
///
/// ```
/// use airtcp_air::phy::error_rate::Decay;
/// let decay = Decay::of_octet(1e-4);
/// assert!((decay.reception(1000) - (-0.1_f64).exp()).abs() < 1e-15);
/// assert_eq!(Decay::NONE.reception(1000), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decay {
    /// `a` of PSDUs shorter than `long_from`.
    short: f64,
    /// `a` of the others.
    long: f64,
    long_from_bytes: u32,
}

impl Decay {
    /// Nothing is ever lost.
    pub const NONE: Self = Self::of_octet(0.0);

    /// The decay with one `a` for every length: a formula's probability of error per octet, as `-ln(1 - p)`.
    #[inline]
    pub const fn of_octet(a: f64) -> Self {
        Self { short: a, long: a, long_from_bytes: 0 }
    }

    /// `a` below and from `long_from_bytes` on.
    #[inline]
    pub(super) const fn of_references(short: f64, long: f64, long_from_bytes: u32) -> Self {
        Self { short, long, long_from_bytes }
    }

    /// Probability that a PSDU of this length is received.
    #[inline]
    pub fn reception(&self, psdu_bytes: u32) -> f64 {
        self.reception_of_part(psdu_bytes, psdu_bytes)
    }

    /// `a` of a PSDU of this length.
    #[inline]
    pub const fn per_octet(&self, psdu_bytes: u32) -> f64 {
        if psdu_bytes < self.long_from_bytes { self.short } else { self.long }
    }

    /// Probability that a part of a PSDU is received, such as an MPDU with its delimiter in an A-MPDU. It is
    /// coded as the PSDU is.
    #[inline]
    pub fn reception_of_part(&self, part_bytes: u32, psdu_bytes: u32) -> f64 {
        let a = self.per_octet(psdu_bytes);
        if a == 0.0 || part_bytes == 0 { 1.0 } else { libm::exp(-a * f64::from(part_bytes)) }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "certainties are exact")]
mod tests {
    use super::*;

    #[test]
    fn lengths_scale_from_the_reference_of_the_psdu() {
        let decay = Decay::of_references(-libm::log(0.5) / 32.0, -libm::log(0.9) / 1458.0, 400);
        assert!((decay.reception(32) - 0.5).abs() < 1e-12);
        assert!((decay.reception(64) - 0.25).abs() < 1e-12);
        assert!((decay.reception(1458) - 0.9).abs() < 1e-12);
        assert!((decay.reception(729) - 0.9_f64.sqrt()).abs() < 1e-12);
        assert!((decay.reception(399) - libm::pow(0.5, 399.0 / 32.0)).abs() < 1e-12);
        assert!((decay.reception(400) - libm::pow(0.9, 400.0 / 1458.0)).abs() < 1e-12);
        assert!((decay.reception_of_part(40, 5000) - libm::pow(0.9, 40.0 / 1458.0)).abs() < 1e-12);
    }

    #[test]
    fn certainties_are_exact() {
        let lost = Decay::of_octet(f64::INFINITY);
        assert_eq!([lost.reception(1), lost.reception(5000), lost.reception(0)], [0.0, 0.0, 1.0]);
        assert_eq!(Decay::NONE.reception(u32::MAX), 1.0);
    }
}
