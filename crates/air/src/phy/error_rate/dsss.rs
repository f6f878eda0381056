//! Error rates of DSSS and HR/DSSS (Pei and Henderson, "Validation of ns-3 802.11b PHY model", 2009).
//!
//! No code, so that a formula does: DBPSK and DQPSK by their bit error rates, CCK by that of biorthogonal signals.

use super::Decay;

/// Bits per second of DBPSK, bits per second of DQPSK, and symbols per second of CCK (IEEE 802.11-2020, 15.4.4.6,
/// 16.3.6.6).
const DBPSK_BPS: f64 = 1e6;
const DQPSK_BPS: f64 = 2e6;
const CCK_SYMBOLS_PER_SECOND: f64 = 1.375e6;

/// The decay of rate `index` (0 to 3: 1, 2, 5.5 and 11 Mbit/s) at this ratio of the power received to the noise in one hertz,
/// in hertz.
///
/// # Panics
/// If there is no such rate.
pub fn decay(index: u8, power_over_density: f64) -> Decay {
    let octet = |errors_per_symbol: f64, symbols: f64| -symbols * libm::log1p(-errors_per_symbol);
    let cck = power_over_density / CCK_SYMBOLS_PER_SECOND;
    let a = match index {
        0 => octet(dbpsk(power_over_density / DBPSK_BPS), 8.0),
        1 => octet(dqpsk(power_over_density / DQPSK_BPS), 8.0),
        2 => octet(cck_16(cck / 2.0), 2.0),
        3 => octet(cck_256(cck / 2.0), 1.0),
        _ => panic!("HR/DSSS has four rates, not an index {index}"),
    };
    Decay::of_octet(a)
}

/// Bit error rate of DBPSK at this energy per bit over noise density.
fn dbpsk(eb_n0: f64) -> f64 {
    0.5 * libm::exp(-eb_n0)
}

/// Bit error rate of DQPSK at this energy per bit over noise density, an approximation for high ratios; at low ones it
/// ends at one half.
fn dqpsk(eb_n0: f64) -> f64 {
    let root = std::f64::consts::SQRT_2;
    let factor = (root + 1.0) / libm::sqrt(8.0 * std::f64::consts::PI * root);
    (factor / libm::sqrt(eb_n0) * libm::exp(-(2.0 - root) * eb_n0)).min(0.5)
}

/// Pairs of opposite code words of CCK at 5.5 Mbit/s other than the one sent.
const OTHER_PAIRS: f64 = 7.0;
/// Panels of Simpson's rule and the range in standard deviations outside of which nothing counts.
const PANELS: u32 = 96;
const RANGE: f64 = 8.0;

/// Symbol error rate of CCK with 16 code words, taken as biorthogonal: with x the noise on the code word sent,
/// `1 - integral of (2 Phi(x + s) - 1)^7 phi(x)` from -s on, s = sqrt(2 E/N0). The report puts half of the
/// symbol's energy for E.
fn cck_16(e_n0: f64) -> f64 {
    let s = libm::sqrt(2.0 * e_n0);
    let density = |x: f64| libm::exp(-0.5 * x * x) / libm::sqrt(2.0 * std::f64::consts::PI);
    // What is lost for a given x, computed without cancellation: 1 - (1 - 2 Q)^7.
    let lost = |x: f64| {
        let two_q = libm::erfc((x + s) / std::f64::consts::SQRT_2);
        -libm::expm1(OTHER_PAIRS * libm::log1p(-two_q)) * density(x)
    };
    let from = (-s).max(-RANGE);
    let width = (RANGE - from) / f64::from(2 * PANELS);
    let weighted = |i: u32| {
        let weight = if i == 0 || i == 2 * PANELS { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
        // At x = -s all is lost, and log1p(-1) is minus infinity, as it should be.
        weight * lost(from + width * f64::from(i))
    };
    let below = 0.5 * libm::erfc(s / std::f64::consts::SQRT_2);
    (below + (0..=2 * PANELS).map(weighted).sum::<f64>() * width / 3.0).min(1.0)
}

/// Symbol error rate of CCK with 256 code words: two independent halves with half of the energy each.
fn cck_256(e_n0: f64) -> f64 {
    let half = cck_16(e_n0 / 2.0);
    half * (2.0 - half)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boltzmann's constant times 290 K, in milliwatts per hertz, and a noise figure of 7 dB.
    fn power_over_density(rss_dbm: f64) -> f64 {
        let density_dbm = 10.0 * libm::log10(1.380_649e-23 * 290.0 * 1000.0) + 7.0;
        libm::pow(10.0, (rss_dbm - density_dbm) / 10.0)
    }

    /// Success of 1078 octets asserted by ns-3, within 0.005: index, received power in dBm, probability.
    #[test]
    fn asserted_values_of_1078_octets() {
        let cases = [
            (0, -99.0, 0.0003),
            (0, -98.0, 0.202),
            (0, -97.0, 0.813),
            (0, -96.0, 0.984),
            (1, -94.0, 0.036),
            (1, -93.0, 0.519),
            (1, -92.0, 0.915),
            (1, -91.0, 0.993),
            (2, -92.0, 0.0001),
            (2, -91.0, 0.132),
            (2, -90.0, 0.744),
            (2, -89.0, 0.974),
            (3, -89.0, 8.85e-5),
            (3, -88.0, 0.128),
            (3, -87.0, 0.739),
            (3, -86.0, 0.973),
        ];
        for (index, rss_dbm, success) in cases {
            let ours = decay(index, power_over_density(rss_dbm)).reception(1078);
            assert!((ours - success).abs() < 0.005, "{index} at {rss_dbm} dBm: {ours}, asserted {success}");
        }
    }

    /// Where errors are rare, a biorthogonal signal is mistaken for one of 14 orthogonal ones: 14 Q(sqrt(E/N0)).
    #[test]
    fn cck_meets_the_union_bound() {
        for e_n0 in [15.0, 25.0, 40.0] {
            let bound = 14.0 * 0.5 * libm::erfc(libm::sqrt(e_n0 / 2.0));
            let ours = cck_16(e_n0);
            assert!((0.9..1.0).contains(&(ours / bound)), "{e_n0}: {ours} {bound}");
        }
        assert!((cck_16(0.0) - 15.0 / 16.0).abs() < 1e-6);
    }

    #[test]
    fn more_power_is_never_worse() {
        for index in 0..4 {
            let successes: Vec<f64> = (-120..-60)
                .map(|rss_dbm| decay(index, power_over_density(f64::from(rss_dbm))).reception(1500))
                .collect();
            assert!(successes.windows(2).all(|pair| pair[0] <= pair[1]), "{index}: {successes:?}");
            assert!(successes[0] < 1e-9 && successes[59] > 1.0 - 1e-9, "{index}");
        }
    }
}
