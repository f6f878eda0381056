//! One ratio in place of many: the effective SNR of subcarriers that differ.
//!
//! At the effective SNR white noise is as harmful as the ratios are; the error rates of white noise then hold. What is
//! averaged over the subcarriers depends on the code:
//!
//! - LDPC goes by the mean mutual information per coded bit (MMIB; IEEE 802.16m-08/004r5, "IEEE 802.16m Evaluation
//!   Methodology Document", 4.3.2.1; the same method with the information per symbol is the physical layer abstraction of
//!   IEEE 802.11-14/0571r12, appendix 1).
//! - The convolutional code begins to fail where far more information arrives than it carries, so the mean information says
//!   little. Its errors are paths of a few bits, whose probability is a product of terms `exp(-ratio / b)`. It goes by the mean
//!   of these (exponential effective SNR mapping; Ericsson, "System-level evaluation of OFDM - further considerations", 3GPP
//!   R1-031303), with `b` from the distance of neighbours.
//!
//! `docs/models/packet-error-rate.md` has the errors of both.

use super::subcarrier_snr::subcarriers;
use crate::phy::{Coding, Constellation, Format, TxVector};

/// The effective ratio of a PPDU: the one ratio at which it fares as it does at `sinrs`, one per part of its band; the parts are
/// of equal width, or of equal length in time.
///
/// Each is a plain ratio of the power of all spatial streams to noise and interference in the width of its part, as is
/// the result. OFDM goes by its code. HR/DSSS and DMG have a single carrier: what counts is the ratio behind a linear MMSE
/// equaliser in the frequency domain, `1 / mean(1 / (1 + ratio)) - 1` (Falconer, Ariyavisitakul, Benyamin-Seeyar and Eidson,
/// "Frequency Domain Equalization for Single-Carrier Broadband Wireless Systems", IEEE Communications Magazine, April 2002).
///
/// If all ratios are equal, the result is that ratio to the last bit. It lies between the least and the greatest.
///
/// # Panics
/// In debug builds, if there are no ratios.
pub fn effective_sinr(tx: TxVector, sinrs: impl Iterator<Item = f64> + Clone) -> f64 {
    let mut least = f64::INFINITY;
    let mut greatest = f64::NEG_INFINITY;
    for sinr in sinrs.clone() {
        least = least.min(sinr);
        greatest = greatest.max(sinr);
    }
    debug_assert!(least <= greatest, "no ratio to take a mean of");
    if least >= greatest {
        return least;
    }
    let effective = match (tx.modulation(), subcarriers(tx)) {
        (Some(modulation), Some((used, all))) if tx.format != Format::Dmg => {
            let es_n0_over_sinr = f64::from(all) / (f64::from(used) * f64::from(tx.streams.max(1)));
            Curve::of(modulation.constellation, tx.coding()).by_a_ratio(es_n0_over_sinr).mean(least, sinrs)
        }
        _ => behind_an_equaliser(sinrs),
    };
    effective.clamp(least, greatest)
}

/// The ratio of a single carrier behind a linear MMSE equaliser.
fn behind_an_equaliser(sinrs: impl Iterator<Item = f64>) -> f64 {
    let (mut error, mut count) = (0.0, 0.0);
    for sinr in sinrs {
        error += 1.0 / (1.0 + sinr);
        count += 1.0;
    }
    count / error - 1.0
}

/// What is averaged: `sum of weight exp(-slope g)` at a ratio `g`. With LDPC it is what a coded bit lacks of one bit of
/// information.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    weights: [f64; 4],
    /// Falling; the last one is what remains at high ratios. Unused ones repeat it with no weight.
    slopes: [f64; 4],
}

/// Steps of Newton's method that are ever taken. It converges from any start: these are for ratios that no link has.
const STEPS_MAX: u32 = 64;
/// A relative step after which nothing changes that matters: far below the error of the curves.
const STEP_MIN: f64 = 1e-12;

impl Curve {
    /// The curve over Es/N0 of a constellation with this code.
    pub(super) fn of(constellation: Constellation, coding: Coding) -> Self {
        match coding {
            Coding::Ldpc => Self::of_information(constellation),
            Coding::Bcc => {
                let slope = 1.0 / convolutional(constellation);
                Self { weights: [1.0, 0.0, 0.0, 0.0], slopes: [slope; 4] }
            }
        }
    }

    /// Fitted to the capacity of bit-interleaved coded modulation (Caire, Taricco and Biglieri, IEEE Trans. Inf. Theory 44,
    /// 1998) over Es/N0 from -15 to 46 dB with Gray labels. Largest error in bits: 0.0001 (BPSK, QPSK), 0.0006, 0.0003,
    /// 0.0009, 0.0023, 0.0049 (4096-QAM). The tests integrate the capacity.
    const fn of_information(constellation: Constellation) -> Self {
        let (weights, slopes) = match constellation {
            Constellation::Bpsk => ([0.0253, 0.2421, 0.7326, 0.0], [5.9692, 2.0306, 1.0886, 1.0886]),
            Constellation::Qpsk => ([0.0246, 0.2408, 0.7346, 0.0], [3.0192, 1.0201, 0.54464, 0.54464]),
            Constellation::Qam16 => ([0.0925, 0.2605, 0.6470, 0.0], [1.0957, 0.44381, 0.11449, 0.11449]),
            Constellation::Qam64 => ([0.1028, 0.2042, 0.1976, 0.4954], [1.006, 0.24302, 0.09586, 0.027_069]),
            Constellation::Qam256 => {
                ([0.0899, 0.1942, 0.2908, 0.4251], [0.91696, 0.20446, 0.037_997, 0.006_922_6])
            }
            Constellation::Qam1024 => {
                ([0.1240, 0.2274, 0.2790, 0.3696], [0.63443, 0.090_598, 0.01192, 0.001_787_6])
            }
            Constellation::Qam4096 => {
                ([0.1495, 0.2419, 0.2692, 0.3394], [0.45219, 0.043_715, 0.004_184_8, 0.000_477_73])
            }
        };
        Self { weights, slopes }
    }

    /// The curve by a ratio of which Es/N0 is this multiple.
    fn by_a_ratio(self, es_n0_over_ratio: f64) -> Self {
        Self { slopes: self.slopes.map(|slope| slope * es_n0_over_ratio), ..self }
    }

    /// What is lacking at `base + more` and its slope, both over `exp(-base * least slope)`, so that neither vanishes where
    /// ratios are high.
    pub(super) fn lacking(&self, base: f64, more: f64) -> [f64; 2] {
        let least = self.slopes[3];
        let mut sums = [0.0; 2];
        for (weight, slope) in self.weights.into_iter().zip(self.slopes) {
            let part = weight * libm::exp(-(slope - least) * base - slope * more);
            sums[0] += part;
            sums[1] += slope * part;
        }
        sums
    }

    /// The ratio at which as much is lacking as on average at these, of which `least` is the least.
    ///
    /// The logarithm of what is lacking is convex and falls, so Newton's method from the least ratio rises to the
    /// solution without passing it.
    fn mean(&self, least: f64, ratios: impl Iterator<Item = f64>) -> f64 {
        let (mut lacking, mut count) = (0.0, 0.0);
        for ratio in ratios {
            lacking += self.lacking(least, ratio - least)[0];
            count += 1.0;
        }
        let target = libm::log(lacking / count);
        let mut more = 0.0;
        for _ in 0..STEPS_MAX {
            let [value, slope] = self.lacking(least, more);
            let step = (libm::log(value) - target) * value / slope;
            more += step;
            if step <= STEP_MIN * (least + more) {
                break;
            }
        }
        least + more
    }
}

/// `b` of the convolutional code, as an Es/N0: a wrong bit that costs the step to a neighbour has a probability of at most
/// `exp(-Es/N0 d^2 / 4)` (Chernoff), where `d` is the distance of neighbours in a constellation of mean energy 1, and `b = 4 /
/// d^2` (IEEE 802.11-2020, Table 17-10, and 21.3.10.9: the squares of the normalisation).
const fn convolutional(constellation: Constellation) -> f64 {
    match constellation {
        Constellation::Bpsk => 1.0,
        Constellation::Qpsk => 2.0,
        Constellation::Qam16 => 10.0,
        Constellation::Qam64 => 42.0,
        Constellation::Qam256 => 170.0,
        Constellation::Qam1024 => 682.0,
        Constellation::Qam4096 => 2730.0,
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "equal ratios give that ratio to the last bit")]
mod tests {
    use super::*;
    use crate::phy::{Guard, Width};

    fn ratio(db: f64) -> f64 {
        libm::pow(10.0, db / 10.0)
    }

    fn he(mcs: u8, streams: u8) -> TxVector {
        TxVector::mimo(Format::He, mcs, streams, Width::Mhz80, Guard::Ns800)
    }

    fn effective(tx: TxVector, sinrs: &[f64]) -> f64 {
        effective_sinr(tx, sinrs.iter().copied())
    }

    fn every_kind() -> Vec<TxVector> {
        let dmg = TxVector::mimo(Format::Dmg, 4, 1, Width::Mhz2160, Guard::Ns800);
        let eht = (0..14).map(|mcs| TxVector::mimo(Format::Eht, mcs, 2, Width::Mhz160, Guard::Ns800));
        let he = [0, 1, 3, 5, 8, 10].map(|mcs| he(mcs, 1));
        [TxVector::hr_dsss(3, false), TxVector::ofdm(0), dmg].into_iter().chain(he).chain(eht).collect()
    }

    /// Amplitudes of a Gray-labelled amplitude modulation of this many bits with mean power 1, by position.
    fn levels(bits: u32) -> Vec<f64> {
        let count = 1_i32 << bits;
        let scale = libm::sqrt(3.0 / f64::from(count * count - 1));
        (0..count).map(|i| f64::from(2 * i + 1 - count) * scale).collect()
    }

    /// Entropy in bits of the sum of white noise of deviation `sd` and one of these levels.
    fn entropy(levels: &[f64], sd: f64) -> f64 {
        let reach = levels.iter().fold(0.0_f64, |m, l| m.max(l.abs())) + 9.0 * sd;
        let steps = 4000;
        let width = 2.0 * reach / f64::from(steps);
        let norm = f64::from(u32::try_from(levels.len()).expect("few levels")) * sd * 2.506_628_274_631;
        let density =
            |y: f64| levels.iter().map(|l| libm::exp(-0.5 * ((y - l) / sd).powi(2))).sum::<f64>() / norm;
        let at = |i: u32| density(-reach + width * (f64::from(i) + 0.5));
        (0..steps).map(at).filter(|p| *p > 0.0).map(|p| -p * libm::log2(p) * width).sum()
    }

    /// Information per coded bit of bit-interleaved modulation at this Es/N0, by integration. A square constellation is
    /// two amplitude modulations of half the bits.
    fn information(constellation: Constellation, es_n0: f64) -> f64 {
        let (bits, of_axis) = match constellation {
            Constellation::Bpsk => (1, 2.0 * es_n0),
            other => (other.bits() / 2, es_n0),
        };
        let levels = levels(bits);
        let sd = libm::sqrt(1.0 / of_axis);
        let whole = entropy(&levels, sd);
        let of_bit = |bit: u32| {
            let half = |one: bool| {
                let has = |i: usize| ((i ^ (i >> 1)) >> bit & 1 == 1) == one;
                let chosen: Vec<f64> = (0..levels.len()).filter(|&i| has(i)).map(|i| levels[i]).collect();
                entropy(&chosen, sd)
            };
            whole - f64::midpoint(half(false), half(true))
        };
        (0..bits).map(of_bit).sum::<f64>() / f64::from(bits)
    }

    /// The curves against the integral, with the errors that are named.
    #[test]
    fn curves_are_the_capacity_of_bit_interleaved_modulation() {
        let named = [
            (Constellation::Bpsk, 0.0002),
            (Constellation::Qpsk, 0.0002),
            (Constellation::Qam16, 0.0007),
            (Constellation::Qam64, 0.0004),
            (Constellation::Qam256, 0.0010),
            (Constellation::Qam1024, 0.0024),
            (Constellation::Qam4096, 0.0050),
        ];
        for (constellation, error) in named {
            let curve = Curve::of_information(constellation);
            assert!((curve.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{constellation:?}");
            for db in (-12..=44).step_by(4) {
                let es_n0 = ratio(f64::from(db));
                let fitted = 1.0 - curve.lacking(0.0, es_n0)[0];
                let integral = information(constellation, es_n0);
                assert!(
                    (fitted - integral).abs() < error,
                    "{constellation:?} at {db} dB: {fitted} {integral}"
                );
            }
        }
    }

    /// By hand, VHT at 80 MHz (Es/N0 is 256/242 of the ratio), QPSK: -2 ln((exp(-1/2) + exp(-4/2)) / 2) = 1.9835 of Es/N0 1
    /// and 4; by the mean information it is less.
    #[test]
    fn the_convolutional_code_goes_by_the_mean_of_exponentials() {
        let scale = 242.0 / 256.0;
        let tx = TxVector::mimo(Format::Vht, 1, 1, Width::Mhz80, Guard::Ns800);
        let ours = effective(tx, &[scale, 4.0 * scale]) / scale;
        assert!((ours - 1.983_5).abs() < 1e-3, "{ours}");
        assert!(effective(tx.with_ldpc(), &[scale, 4.0 * scale]) / scale < ours);
    }

    /// The approximation of IEEE 802.16m-08/004r5, 4.3.2.1, for QPSK: J(2 sqrt(g)).
    #[test]
    fn qpsk_is_the_j_function() {
        let j = |x: f64| {
            if x < 1.6363 {
                -0.042_106_61 * x.powi(3) + 0.209_252 * x.powi(2) - 0.006_400_81 * x
            } else {
                1.0 - libm::exp(
                    0.001_814_92 * x.powi(3) - 0.142_675 * x.powi(2) - 0.082_205_4 * x + 0.054_960_8,
                )
            }
        };
        let curve = Curve::of_information(Constellation::Qpsk);
        for db in -10..=14 {
            let es_n0 = ratio(f64::from(db));
            let fitted = 1.0 - curve.lacking(0.0, es_n0)[0];
            assert!((fitted - j(2.0 * libm::sqrt(es_n0))).abs() < 0.001, "{db} dB");
        }
    }

    /// By hand over the integral: the mean information of two ratios is that of the effective one.
    #[test]
    fn two_ratios_keep_their_mean_information() {
        for (tx, dbs) in [(he(0, 1), [0.0, -4.0]), (he(1, 1), [3.0, 8.0]), (he(5, 1), [13.0, 20.0])] {
            let constellation = tx.modulation().expect("OFDM").constellation;
            let of = |sinr: f64| information(constellation, sinr * 1024.0 / 996.0);
            let mean = dbs.map(|db| of(ratio(db))).iter().sum::<f64>() / 2.0;
            assert!((of(effective(tx, &dbs.map(ratio))) - mean).abs() < 0.001, "{tx:?}");
        }
    }

    #[test]
    fn equal_ratios_are_kept_to_the_last_bit() {
        for tx in every_kind() {
            for sinr in [0.0, 1e-9, 0.1, 1.0 / 3.0, 7.3, 12_345.678, 1e9] {
                assert_eq!(effective(tx, &[sinr; 7]), sinr, "{tx:?}");
            }
        }
    }

    /// Streams share the power: two of them need twice the ratios for the same result.
    #[test]
    fn streams_scale_the_ratios() {
        let sinrs = [20.0, 90.0, 300.0];
        let two = effective(he(5, 2), &sinrs.map(|s| 2.0 * s));
        assert!((two / (2.0 * effective(he(5, 1), &sinrs)) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_result_lies_between_and_rises_with_each_ratio() {
        for tx in every_kind() {
            for span_db in [0.01, 3.0, 20.0, 60.0] {
                let mut previous = 0.0;
                for step in 0..240 {
                    let low = ratio(-30.0 + f64::from(step) * 0.25);
                    let sinrs = [low, low * ratio(span_db), low * ratio(span_db / 3.0), 1e3];
                    let result = effective(tx, &sinrs);
                    let least = low.min(1e3);
                    assert!(result >= least && result <= (low * ratio(span_db)).max(1e3), "{tx:?} {sinrs:?}");
                    assert!(
                        result >= previous * (1.0 - 1e-10),
                        "{tx:?} {sinrs:?}: {result} after {previous}"
                    );
                    previous = result;
                }
            }
        }
    }

    /// High ratios, at which nothing is lacking to the precision of a number, and none at all.
    #[test]
    fn extremes_have_a_result() {
        for tx in every_kind() {
            for sinrs in [[0.0, 1e8], [1e7, 1e8], [1e-12, 1e-11], [0.0, 1e-12]] {
                let result = effective(tx, &sinrs);
                assert!(result.is_finite() && result >= sinrs[0] && result <= sinrs[1], "{tx:?} {sinrs:?}");
            }
        }
        // Half of the subcarriers lost, the others without errors: half of the information is left, as at 0.19 dB with QPSK
        // (where the capacity is 1/2).
        let es_n0 = effective(he(1, 1), &[0.0, 1e6]) * 1024.0 / 996.0;
        assert!((10.0 * libm::log10(es_n0) - 0.19).abs() < 0.02, "{es_n0}");
    }

    #[test]
    fn a_single_carrier_has_what_its_equaliser_leaves() {
        let ours = effective(TxVector::hr_dsss(0, false), &[1.0, 3.0]);
        // 1 / mean(1/2, 1/4) - 1 = 8/3 - 1.
        assert!((ours - 5.0 / 3.0).abs() < 1e-12);
    }
}
