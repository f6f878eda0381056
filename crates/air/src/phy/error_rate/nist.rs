//! The NIST error rate formula of OFDM (Pei and Henderson, "Validation of OFDM error rate model in ns-3", 2010; after
//! Miller, "Validation of 802.11a/UWB coexistence simulation", NIST 2003).
//!
//! Hard decisions of every bit, then a union bound of the convolutional code. It is 3 to 5 dB pessimistic against a
//! soft-decision receiver; its purpose is comparison with simulators that use it. It covers the convolutional
//! code only and is applied to LDPC as well.

use airtcp_units::Decibel;

use super::Decay;
use crate::phy::{CodeRate, Constellation, Modulation};

/// The beginning of the weight spectrum of the punctured code: `bit_errors[i]` data bits are wrong in all paths
/// of weight `first + i * step` that leave the right one in one period of the puncturing.
struct Spectrum {
    data_bits: u32,
    first: u32,
    step: u32,
    bit_errors: &'static [f64],
}

/// Rate 1/2, weights 10, 12, ...
const HALF: [f64; 9] =
    [36.0, 211.0, 1404.0, 11_633.0, 77_433.0, 502_690.0, 3_322_763.0, 21_292_910.0, 134_365_911.0];
/// Rate 2/3, weights 6, 7, ...
const TWO_THIRDS: [f64; 10] =
    [3.0, 70.0, 285.0, 1276.0, 6160.0, 27_128.0, 117_019.0, 498_860.0, 2_103_891.0, 8_784_123.0];
/// Rate 3/4, weights 5, 6, ...
const THREE_QUARTERS: [f64; 10] = [
    42.0,
    201.0,
    1492.0,
    10_469.0,
    62_935.0,
    379_644.0,
    2_253_373.0,
    13_073_811.0,
    75_152_755.0,
    428_005_675.0,
];
/// Rate 5/6, weights 4, 5, ...
const FIVE_SIXTHS: [f64; 10] = [
    92.0,
    528.0,
    8694.0,
    79_453.0,
    792_114.0,
    7_375_573.0,
    67_884_974.0,
    610_875_423.0,
    5_427_275_376.0,
    47_664_215_639.0,
];

/// The distance spectrum of the convolutional code, with as many terms as the report has (Frenger, Orten, Ottosson and Svensson
/// 1999, "Multi-rate convolutional codes"). A test counts them over the trellis.
const fn spectrum(code_rate: CodeRate) -> Option<Spectrum> {
    let (data_bits, first, step, bit_errors): (_, _, _, &[f64]) = match code_rate {
        CodeRate::Half => (1, 10, 2, &HALF),
        CodeRate::TwoThirds => (2, 6, 1, &TWO_THIRDS),
        CodeRate::ThreeQuarters => (3, 5, 1, &THREE_QUARTERS),
        CodeRate::FiveSixths => (5, 4, 1, &FIVE_SIXTHS),
        CodeRate::FiveEighths | CodeRate::ThirteenSixteenths => return None,
    };
    Some(Spectrum { data_bits, first, step, bit_errors })
}

/// Bit error rate of hard decisions on a Gray-mapped constellation of unit energy, at `snr` as a plain ratio: the
/// report's approximation for BPSK to 64-QAM, which for a square constellation of M points is
/// `2 / log2(M) (1 - 1/sqrt(M)) erfc(sqrt(3 snr / (2 (M - 1))))`, here also used for those that came later.
fn uncoded_bit_error_rate(constellation: Constellation, snr: f64) -> f64 {
    if constellation == Constellation::Bpsk {
        return 0.5 * libm::erfc(libm::sqrt(snr));
    }
    let bits = constellation.bits();
    let points = f64::from(1_u32 << bits);
    let neighbours = 2.0 / f64::from(bits) * (1.0 - 1.0 / libm::sqrt(points));
    neighbours * libm::erfc(libm::sqrt(3.0 * snr / (2.0 * (points - 1.0))))
}

/// The union bound on the error rate of data bits, with the Chernoff bound `D^w / 2` of confusing two code words that
/// differ in w bits, `D = sqrt(4 p (1 - p))`. It may exceed one.
fn coded_bit_error_rate(spectrum: &Spectrum, uncoded: f64) -> f64 {
    let d = libm::sqrt(4.0 * uncoded * (1.0 - uncoded));
    let step = libm::pow(d, f64::from(spectrum.step));
    // Horner's rule from the heaviest paths down.
    let sum = spectrum.bit_errors.iter().rev().fold(0.0, |sum, bits| bits + step * sum);
    sum * libm::pow(d, f64::from(spectrum.first)) / (2.0 * f64::from(spectrum.data_bits))
}

/// The decay at this ratio of signal to noise in the width of the channel, as ns-3 has it (not that of a subcarrier).
/// None for code rates that the convolutional code does not have.
pub fn decay(modulation: Modulation, snr: Decibel) -> Option<Decay> {
    let spectrum = spectrum(modulation.code_rate)?;
    let ratio = libm::pow(10.0, snr.get() / 10.0);
    let uncoded = uncoded_bit_error_rate(modulation.constellation, ratio);
    let error = coded_bit_error_rate(&spectrum, uncoded).min(1.0);
    Some(Decay::of_octet(-8.0 * libm::log1p(-error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::TxVector;

    /// Success of 2000 octets asserted by ns-3, tolerance 0.001: rate in Mbit/s by index, SNR in dB, probability.
    #[test]
    fn asserted_values_of_2000_octets() {
        let cases = [
            (0, 3.0, 0.020),
            (0, 4.0, 0.885),
            (0, 5.0, 0.997),
            (1, 6.0, 0.097),
            (1, 7.0, 0.918),
            (2, 6.0, 0.0174),
            (2, 7.0, 0.881),
            (3, 9.5, 0.623),
            (3, 10.5, 0.985),
            (4, 13.0, 0.495),
            (4, 14.0, 0.974),
            (5, 15.5, 0.012),
            (5, 16.5, 0.818),
            (6, 21.0, 0.649),
            (6, 22.0, 0.983),
            (7, 22.0, 0.410),
            (7, 23.0, 0.958),
        ];
        for (index, snr_db, success) in cases {
            let modulation = TxVector::ofdm(index).modulation().expect("OFDM has a modulation");
            let ours = decay(modulation, Decibel::new(snr_db)).expect("a code rate").reception(2000);
            assert!(
                (ours - success).abs() < 0.001,
                "{modulation:?} at {snr_db} dB: {ours}, asserted {success}"
            );
        }
    }

    /// The factors that the report names.
    #[test]
    fn uncoded_rates_are_those_of_the_report() {
        let at = |constellation| uncoded_bit_error_rate(constellation, 20.0);
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
        close(at(Constellation::Qpsk), 0.5 * libm::erfc(libm::sqrt(20.0 / 2.0)));
        close(at(Constellation::Qam16), 0.375 * libm::erfc(libm::sqrt(20.0 / 10.0)));
        close(at(Constellation::Qam64), 7.0 / 24.0 * libm::erfc(libm::sqrt(20.0 / 42.0)));
        close(at(Constellation::Qam256), 15.0 / 64.0 * libm::erfc(libm::sqrt(20.0 / 170.0)));
    }

    /// Generators 133 and 171 (octal) with the newest bit first (IEEE 802.11-2020, 17.3.5.6), and whether A and B are sent
    /// in each step of a period (Figure 17-9, 19.3.11.6).
    fn weight(register: usize, sent: [bool; 2]) -> usize {
        let odd = |generator: usize| (register & generator).count_ones() as usize & 1;
        odd(0o133) * usize::from(sent[0]) + odd(0o171) * usize::from(sent[1])
    }

    /// Wrong data bits in all paths that leave the zero state within the first period and end in it with a later one, by
    /// weight. A path may touch it within a period, as where the code is taken for one of several data bits a step.
    fn counted(pattern: &[[bool; 2]], weight_max: usize) -> Vec<f64> {
        let mut found = vec![0.0; weight_max + 1];
        for start in 0..pattern.len() {
            // Paths alive by state and weight: how many, and their data bits in sum.
            let mut alive = vec![vec![(0.0, 0.0); weight_max + 1]; 64];
            alive[32][weight(64, pattern[start])] = (1.0, 1.0);
            for step in start + 1..start + 300 {
                let mut next = vec![vec![(0.0, 0.0); weight_max + 1]; 64];
                for (state, paths) in alive.iter().enumerate() {
                    for bit in 0..2 {
                        let register = bit << 6 | state;
                        let added = weight(register, pattern[step % pattern.len()]);
                        for before in 0..=weight_max.saturating_sub(added) {
                            let (count, bits) = paths[before];
                            let bits = bits + count * bit as f64;
                            if register >> 1 == 0 && (step + 1) % pattern.len() == 0 {
                                found[before + added] += bits;
                            } else {
                                next[register >> 1][before + added].0 += count;
                                next[register >> 1][before + added].1 += bits;
                            }
                        }
                    }
                }
                alive = next;
            }
        }
        found
    }

    #[test]
    fn spectra_are_those_of_the_trellis() {
        let (both, a, b) = ([true, true], [true, false], [false, true]);
        let patterns: [(_, &[[bool; 2]]); 4] = [
            (CodeRate::Half, &[both]),
            (CodeRate::TwoThirds, &[both, a]),
            (CodeRate::ThreeQuarters, &[both, a, b]),
            (CodeRate::FiveSixths, &[both, a, b, a, b]),
        ];
        for (code_rate, pattern) in patterns {
            let Spectrum { data_bits, first, step, bit_errors } = spectrum(code_rate).expect("a spectrum");
            assert_eq!(data_bits as usize, pattern.len());
            let last = (first + step * (bit_errors.len() as u32 - 1)) as usize;
            let mut expected = vec![0.0; last + 1];
            for (i, bits) in (0..).zip(bit_errors) {
                expected[(first + step * i) as usize] = *bits;
            }
            assert_eq!(counted(pattern, last), expected, "{code_rate:?}");
        }
    }

    #[test]
    fn rates_of_dmg_are_none() {
        let modulation = Modulation::new(Constellation::Qpsk, CodeRate::FiveEighths);
        assert_eq!(decay(modulation, Decibel::new(10.0)), None);
    }

    /// The natural extension keeps the order: each MCS needs more than the one below.
    #[test]
    fn higher_mcs_need_more() {
        use crate::phy::{Guard, Width};
        let half = |mcs| {
            let tx = TxVector::mimo(crate::phy::Format::Eht, mcs, 1, Width::Mhz20, Guard::Ns800);
            let modulation = tx.modulation().expect("a modulation");
            let lost = |db: f64| decay(modulation, Decibel::new(db)).expect("a rate").reception(1458) < 0.5;
            (0..600).map(|step| f64::from(step) * 0.1).find(|db| !lost(*db)).expect("received at 60 dB")
        };
        let thresholds: Vec<f64> = (0..14).map(half).collect();
        assert!(thresholds.windows(2).all(|pair| pair[0] < pair[1]), "{thresholds:?}");
    }
}
