//! The link against closed forms: uncoded bit error rates of the constellations
//! and the union bound of the code.

use per_tables::awgn::{SnrStep, deviation_per_axis, stream};
use per_tables::code_rate::CodeRate;
use per_tables::constellation::{Axis, Constellation, SOFT_SCALE};
use per_tables::convolutional::outputs;
use per_tables::link;
use per_tables::mode::{BCC_MODES, Mode};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// The tail of the standard normal distribution.
fn q(x: f64) -> f64 {
    0.5 * libm::erfc(x / std::f64::consts::SQRT_2)
}

/// Bit error rate of hard decisions on one Gray-mapped axis with 2^`bits`
/// levels, exact (Cho and Yoon 2002, IEEE Trans. Commun. 50(7), eq. 9 and 10).
/// `half_distance` is half the distance of neighbouring levels over the
/// standard deviation of the noise.
fn uncoded_ber(bits: u32, half_distance: f64) -> f64 {
    let levels = f64::from(1_u32 << bits);
    let of_bit = |k: u32| -> f64 {
        let terms = (levels * (1.0 - libm::exp2(-f64::from(k)))) as u32;
        let weight = |i: f64| {
            let scaled = i * libm::exp2(f64::from(k - 1)) / levels;
            let sign = if scaled as u32 % 2 == 0 { 1.0 } else { -1.0 };
            sign * (libm::exp2(f64::from(k - 1)) - libm::floor(scaled + 0.5))
        };
        let sum: f64 =
            (0..terms).map(f64::from).map(|i| weight(i) * q((2.0 * i + 1.0) * half_distance)).sum();
        2.0 * sum / levels
    };
    (1..=bits).map(of_bit).sum::<f64>() / f64::from(bits)
}

/// Simulated bit error rates over `symbols` axes of the signs of the soft values: as they are (LDPC decodes those), and as
/// integers (the convolutional code's).
fn hard_decision_bers(constellation: Constellation, snr_db: f64, symbols: u32) -> [f64; 2] {
    let axis = Axis::new(constellation);
    let mut rng = stream(11, Mode::Bcc(constellation, CodeRate::Half), 0, SnrStep::at_or_below(snr_db));
    let deviation = deviation_per_axis(snr_db) as f32;
    let (mut bits, mut soft, mut integers) =
        (vec![0_u8; axis.bits()], vec![0.0_f32; axis.bits()], vec![0; axis.bits()]);
    let mut wrong = [0, 0];
    for _ in 0..symbols {
        bits.fill_with(|| u8::from(rng.random::<bool>()));
        let noise: f32 = StandardNormal.sample(&mut rng);
        let received = axis.level(&bits) + deviation * noise;
        axis.soft_values(received, &mut soft);
        axis.integer_soft_values(received, SOFT_SCALE, &mut integers);
        wrong[0] += bits.iter().zip(&soft).filter(|(bit, value)| u8::from(**value < 0.0) != **bit).count();
        wrong[1] += bits.iter().zip(&integers).filter(|(bit, value)| u8::from(**value < 0) != **bit).count();
    }
    wrong.map(|wrong| wrong as f64 / (f64::from(symbols) * axis.bits() as f64))
}

/// The largest constellation that 802.11 sends with the convolutional code; for larger ones its integers are too coarse.
const LARGEST_OF_BCC: Constellation = Constellation::Qam256;

/// Within four standard deviations (bits taken as independent) plus 1 %.
#[test]
fn uncoded_bit_error_rates_are_those_of_the_q_function() {
    let cases = [
        (Constellation::Bpsk, 1.0, [0.0, 4.0, 7.0]),
        (Constellation::Qpsk, 2.0, [3.0, 7.0, 10.0]),
        (Constellation::Qam16, 10.0, [6.0, 12.0, 16.0]),
        (Constellation::Qam64, 42.0, [10.0, 18.0, 22.0]),
        (Constellation::Qam256, 170.0, [16.0, 24.0, 28.0]),
        (Constellation::Qam1024, 682.0, [22.0, 30.0, 34.0]),
        (Constellation::Qam4096, 2730.0, [28.0, 36.0, 40.0]),
    ];
    for (constellation, energy, snrs_db) in cases {
        for snr_db in snrs_db {
            let bits = Axis::new(constellation).bits() as u32;
            let half_distance = 1.0 / f64::sqrt(energy) / deviation_per_axis(snr_db);
            let theory = uncoded_ber(bits, half_distance);
            let symbols = 500_000;
            let tolerance = 4.0 * (theory / (f64::from(symbols) * f64::from(bits))).sqrt() + 0.01 * theory;
            let [exact, integer] = hard_decision_bers(constellation, snr_db, symbols);
            assert!((exact - theory).abs() < tolerance, "{constellation:?} {snr_db}: {exact} {theory}");
            if constellation.bits_per_subcarrier() <= LARGEST_OF_BCC.bits_per_subcarrier() {
                assert!(
                    (integer - theory).abs() < tolerance,
                    "{constellation:?} {snr_db}: {integer} {theory}"
                );
            }
        }
    }
}

/// The formula itself, against the textbook forms of BPSK and 16-QAM.
#[test]
fn cho_and_yoon_reduce_to_textbook_forms() {
    assert!((uncoded_ber(1, 1.5) - q(1.5)).abs() < 1e-15);
    let textbook = 0.75 * q(1.2) + 0.5 * q(3.6) - 0.25 * q(6.0);
    assert!((uncoded_ber(2, 1.2) - textbook).abs() < 1e-15);
}

/// Largest weight that the spectrum counts. Heavier paths add less than 1 % at the SNRs tested.
const WEIGHT_MAX: usize = 30;

/// Paths that leave the zero state once and come back: for each weight, their
/// number and the sum of their data bits, counted over the trellis.
fn spectrum() -> [(f64, f64); WEIGHT_MAX + 1] {
    let mut found = [(0.0, 0.0); WEIGHT_MAX + 1];
    // Paths alive, by state and weight: how many, and their data bits in sum.
    let mut alive = vec![[(0.0, 0.0); WEIGHT_MAX + 1]; 64];
    let start = outputs(64).iter().map(|bit| usize::from(*bit)).sum::<usize>();
    alive[32][start] = (1.0, 1.0);
    // A path of weight 30 is shorter than 200 steps: the code has no zero-weight cycle but the zero state.
    for _ in 0..200 {
        let mut next = vec![[(0.0, 0.0); WEIGHT_MAX + 1]; 64];
        for (state, paths) in alive.iter().enumerate() {
            for bit in 0..2 {
                let register = bit << 6 | state;
                let weight = outputs(register as u32).iter().map(|bit| usize::from(*bit)).sum::<usize>();
                let target = if register >> 1 == 0 { &mut found } else { &mut next[register >> 1] };
                for before in 0..=WEIGHT_MAX - weight {
                    let (count, bits) = paths[before];
                    target[before + weight].0 += count;
                    target[before + weight].1 += bits + count * bit as f64;
                }
            }
        }
        alive = next;
    }
    found
}

/// The beginning of the spectrum as published (Frenger, Orten and Ottosson
/// 1999, IEEE Commun. Lett. 3(11), table of rate 1/2 codes, memory 6).
#[test]
fn spectrum_is_the_published_one() {
    let spectrum = spectrum();
    let even: Vec<_> = (10..=18).step_by(2).map(|weight| spectrum[weight]).collect();
    assert_eq!(even, [(11.0, 36.0), (38.0, 211.0), (193.0, 1404.0), (1331.0, 11633.0), (7275.0, 77433.0)]);
    assert!((0..=WEIGHT_MAX).filter(|weight| weight % 2 == 1 || *weight < 10).all(|w| spectrum[w].0 == 0.0));
}

/// The union bounds on the error events and on the data bits in error, per data bit.
fn union_bound(snr_db: f64) -> (f64, f64) {
    let snr = libm::pow(10.0, snr_db / 10.0);
    let terms = spectrum();
    let pairwise = |weight: usize| q((2.0 * weight as f64 * snr).sqrt());
    let sum = |of: fn(&(f64, f64)) -> f64| {
        terms.iter().enumerate().map(|(weight, term)| of(term) * pairwise(weight)).sum()
    };
    (sum(|term| term.0), sum(|term| term.1))
}

/// BPSK 1/2 at 1.25 dB (Eb/N0 4.26 dB), where the bound is tight: both the
/// bit error rate and the packet error rate stay below it and come close.
#[test]
fn coded_error_rates_meet_the_union_bound() {
    let (snr, frames, psdu_bytes) = (SnrStep(5), 6000_u32, 1458);
    let mut link = link::reference(BCC_MODES[0], psdu_bytes);
    let mut rng = stream(12, BCC_MODES[0], psdu_bytes, snr);
    let (mut lost, mut wrong) = (0_u32, 0_usize);
    for _ in 0..frames {
        let errors = link.psdu_bit_errors(snr.db(), &mut rng);
        lost += u32::from(errors > 0);
        wrong += errors;
    }
    let bits = f64::from(frames) * 8.0 * psdu_bytes as f64;
    let (events, bit_errors) = union_bound(snr.db());
    let per_bound = 1.0 - libm::exp(-events * 8.0 * psdu_bytes as f64);
    let per = f64::from(lost) / f64::from(frames);
    let ber = wrong as f64 / bits;
    println!("PER {per} bound {per_bound}, BER {ber} bound {bit_errors}");
    assert!(lost > 100, "{lost} lost frames are too few to judge");
    // Standard deviation: 9 % of the packet error rate, 10 % of the bit error rate (bursts).
    assert!((0.75..1.25).contains(&(per / per_bound)), "{per} {per_bound}");
    assert!((0.70..1.30).contains(&(ber / bit_errors)), "{ber} {bit_errors}");
}
