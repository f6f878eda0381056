use airtcp_units::Decibel;

use super::*;
use crate::channel::scene;

const COHERENCE_NS: u64 = 1_000_000;
const BLOCKS: u64 = 40_000;

const RAYLEIGH: plan::Fading = plan::Fading::Rayleigh { coherence_ns: COHERENCE_NS };

const fn rician(k_db: f64) -> plan::Fading {
    plan::Fading::Rician { k_db: Decibel::new(k_db), coherence_ns: COHERENCE_NS }
}

const fn nakagami(m: f64) -> plan::Fading {
    plan::Fading::Nakagami { m, coherence_ns: COHERENCE_NS }
}

fn fading(model: &plan::Fading, seed: u64) -> BlockFading {
    let nics = scene::plan(&[[0.0; 3]; 4]).nics;
    BlockFading::new(model, nics.iter().map(|n| n.mac).collect(), seed).expect("there is fading")
}

/// The gains of one link, block by block.
fn gains(fading: &mut BlockFading, a: usize, b: usize) -> Vec<f64> {
    (0..BLOCKS).map(|k| fading.gain(k * COHERENCE_NS, a, b)).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    values.sum::<f64>() / BLOCKS as f64
}

/// Mean 1 and this variance, within four standard errors.
#[track_caller]
fn assert_moments(model: &plan::Fading, variance: f64) {
    let gains = gains(&mut fading(model, 1), 0, 1);
    let moment = |power: i32| mean(gains.iter().map(|g| (g - 1.0).powi(power)));
    let error = |variance: f64| 4.0 * (variance / BLOCKS as f64).sqrt();
    assert!(moment(1).abs() < error(variance), "{model:?}: mean {}", moment(1) + 1.0);
    let of_square = moment(4) - variance * variance;
    assert!((moment(2) - variance).abs() < error(of_square), "{model:?}: variance {}", moment(2));
}

/// Share of gains up to each bound, within four standard errors.
#[track_caller]
fn assert_distribution(model: &plan::Fading, shares: [f64; 6]) {
    let gains = gains(&mut fading(model, 2), 0, 1);
    for (bound, share) in [0.1, 0.3, 0.7, 1.0, 1.5, 2.5].into_iter().zip(shares) {
        let found = mean(gains.iter().map(|&g| f64::from(u8::from(g <= bound))));
        let error = 4.0 * (share * (1.0 - share) / BLOCKS as f64).sqrt();
        assert!((found - share).abs() < error, "{model:?}: {found} up to {bound}, not {share}");
    }
}

/// `1 - exp(-x)`.
#[test]
fn rayleigh_has_its_distribution() {
    let exponential = [0.095_163, 0.259_182, 0.503_415, 0.632_121, 0.776_870, 0.917_915];
    assert_distribution(&RAYLEIGH, exponential);
    assert_distribution(&nakagami(1.0), exponential);
    // Without a direct path worth the name.
    assert_distribution(&rician(-60.0), exponential);
    assert_moments(&RAYLEIGH, 1.0);
    assert_moments(&nakagami(1.0), 1.0);
}

/// Integrals of `(K + 1) exp(-K - (K + 1) x) I0(2 sqrt(K (K + 1) x))`, computed apart by Simpson's rule.
#[test]
fn rician_has_its_distribution() {
    assert_distribution(&rician(0.0), [0.073_346, 0.215_292, 0.461_467, 0.605_703, 0.775_015, 0.934_368]);
    assert_distribution(&rician(6.0), [0.016_465, 0.092_364, 0.356_213, 0.565_058, 0.813_489, 0.979_118]);
    assert_distribution(&rician(12.0), [0.000_040, 0.005_109, 0.192_308, 0.534_661, 0.919_298, 0.999_749]);
}

/// The power's variance is `(1 + 2 K) / (1 + K)^2`.
#[test]
fn rician_has_its_mean_and_variance() {
    for k_db in [-5.0, 0.0, 6.0, 12.0] {
        let k = libm::pow(10.0, k_db / 10.0);
        assert_moments(&rician(k_db), (1.0 + 2.0 * k) / (1.0 + k).powi(2));
    }
}

/// The regularised incomplete gamma function `P(m, m x)`, computed apart by its series.
#[test]
fn nakagami_has_its_distribution() {
    assert_distribution(&nakagami(0.5), [0.248_170, 0.416_118, 0.597_216, 0.682_689, 0.779_329, 0.886_154]);
    assert_distribution(&nakagami(0.7), [0.166_247, 0.339_204, 0.551_716, 0.656_589, 0.774_909, 0.899_197]);
    assert_distribution(&nakagami(2.0), [0.017_523, 0.121_901, 0.408_167, 0.593_994, 0.800_852, 0.959_572]);
    assert_distribution(&nakagami(3.7), [0.001_226, 0.040_566, 0.319_634, 0.569_173, 0.842_441, 0.987_372]);
}

#[test]
fn nakagami_has_its_mean_and_variance() {
    for m in [0.5, 0.7, 2.0, 3.7, 50.0] {
        assert_moments(&nakagami(m), 1.0 / m);
    }
}

#[test]
fn blocks_and_links_are_independent() {
    for model in [RAYLEIGH, rician(6.0), nakagami(0.7)] {
        let mut fading = fading(&model, 3);
        let [one, other] = [(0, 1), (0, 2)].map(|(a, b)| gains(&mut fading, a, b));
        let deviation = mean(one.iter().map(|g| (g - 1.0).powi(2)));
        let correlation =
            |a: &[f64], b: &[f64]| mean(a.iter().zip(b).map(|(a, b)| (a - 1.0) * (b - 1.0))) / deviation;
        let error = 4.0 / (BLOCKS as f64).sqrt();
        for lag in [1, 2, 64] {
            assert!(correlation(&one, &one[lag..]).abs() < error, "{model:?} after {lag}");
        }
        assert!(correlation(&one, &other).abs() < error);
    }
}

#[test]
fn a_gain_holds_for_its_block_and_in_both_directions() {
    for model in [RAYLEIGH, rician(6.0), nakagami(0.7)] {
        let mut fading = fading(&model, 4);
        let mut gain = |time_ns: u64, a, b| fading.gain(time_ns, a, b).to_bits();
        let first = gain(7 * COHERENCE_NS, 0, 1);
        assert_eq!(gain(8 * COHERENCE_NS - 1, 0, 1), first);
        assert_eq!(gain(7 * COHERENCE_NS + 5, 1, 0), first);
        assert_ne!(gain(8 * COHERENCE_NS, 0, 1), first);
        assert_ne!(gain(7 * COHERENCE_NS - 1, 0, 1), first);
        assert_ne!(gain(7 * COHERENCE_NS, 0, 2), first);
        assert_eq!(gain(7 * COHERENCE_NS, 0, 1), first);
    }
}

#[test]
fn neither_the_order_of_questions_nor_their_number_matters() {
    for model in [RAYLEIGH, rician(6.0), nakagami(0.7)] {
        let mut orderly = fading(&model, 5);
        let expected: Vec<u64> = (0..1000).map(|k| orderly.gain(k * COHERENCE_NS, 2, 3).to_bits()).collect();
        let mut jumping = fading(&model, 5);
        for i in 0..1000_u64 {
            // 389 and 1000 have no common divisor: every block once, forwards and back.
            let k = i * 389 % 1000;
            jumping.gain(i * COHERENCE_NS, (i % 2) as usize, 2);
            let time_ns = k * COHERENCE_NS + i * 997 % COHERENCE_NS;
            assert_eq!(jumping.gain(time_ns, 3, 2).to_bits(), expected[k as usize]);
        }
    }
}

#[test]
fn seeds_differ() {
    let [a, b] = [5, 6].map(|seed| fading(&RAYLEIGH, seed).gain(0, 0, 1));
    assert_ne!(a.to_bits(), b.to_bits());
}

#[test]
fn a_link_that_never_fades_has_none() {
    assert!(BlockFading::new(&plan::Fading::None, vec![], 1).is_none());
    // A block longer than any run.
    let mut fading = fading(&plan::Fading::Rayleigh { coherence_ns: u64::MAX }, 1);
    let gain = fading.gain(0, 0, 1);
    assert_eq!(fading.gain(1 << 62, 0, 1).to_bits(), gain.to_bits());
}

/// The same last bit on every machine.
#[test]
fn gains_are_pinned() {
    let gains =
        [RAYLEIGH, rician(6.0), nakagami(0.7)].map(|model| fading(&model, 1).gain(42 * COHERENCE_NS, 0, 3));
    let pinned: [f64; 3] = [2.816_148_542_802_939, 2.430_134_922_513_674, 0.050_761_255_005_476_66];
    assert_eq!(gains.map(f64::to_bits), pinned.map(f64::to_bits), "{gains:?}");
}
