//! From bits to soft values: mapping, white Gaussian noise, demapping.

use std::iter::repeat_n;

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::awgn::deviation_per_axis;
use crate::constellation::{Axis, Constellation};

/// A mapper, a channel and a demapper.
#[derive(Clone, Debug)]
pub struct Modem {
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Coherent {
        axis: Box<Axis>,
        /// Power gain of each axis of a symbol.
        gains: Vec<f32>,
    },
    Differential {
        spreading: usize,
    },
}

impl Modem {
    /// The receiver knows the phase. The pi/2 by which a single carrier turns from symbol to symbol (IEEE
    /// 802.11-2020, 20.6.3.2.4) then makes no difference.
    pub fn coherent(constellation: Constellation) -> Self {
        Self { kind: Kind::Coherent { axis: Box::new(Axis::new(constellation)), gains: vec![1.0] } }
    }

    /// The same over the subcarriers of an OFDM symbol, whose power gains the receiver knows: the k-th is that of the k-th
    /// mapped point.
    pub fn selective(constellation: Constellation, gains: &[f64]) -> Self {
        let gains = gains.iter().flat_map(|gain| repeat_n(*gain as f32, constellation.axes())).collect();
        Self { kind: Kind::Coherent { axis: Box::new(Axis::new(constellation)), gains } }
    }

    /// Differential BPSK, each bit spread over this many chips (the control mode of DMG, 20.4.3.3.4). The receiver adds
    /// up the chips and compares the phase with that of the bit before.
    pub fn differential(spreading: usize) -> Self {
        Self { kind: Kind::Differential { spreading } }
    }

    /// Sends `bits` at `snr_db` (Es/N0 per subcarrier or chip) and gives their soft values: approximately the
    /// logarithm of the likelihood of zero over that of one.
    pub fn convey(&self, bits: &[u8], snr_db: f64, rng: &mut ChaCha8Rng, soft: &mut Vec<f32>) {
        soft.clear();
        soft.resize(bits.len(), 0.0);
        let deviation = deviation_per_axis(snr_db) as f32;
        match &self.kind {
            Kind::Coherent { axis, gains } => {
                let deviations = gains.iter().map(|gain| deviation / libm::sqrtf(*gain)).cycle();
                coherent(axis, bits, deviations, rng, soft);
            }
            Kind::Differential { spreading } => {
                differential(bits, deviation / libm::sqrtf(*spreading as f32), rng, soft);
            }
        }
    }
}

/// Axis by axis. If the bits do not fill the last axis, zeros do.
fn coherent(
    axis: &Axis,
    bits: &[u8],
    mut deviations: impl Iterator<Item = f32>,
    rng: &mut ChaCha8Rng,
    soft: &mut [f32],
) {
    let mut filled = vec![0; axis.bits()];
    let mut values = vec![0.0; axis.bits()];
    for (bits, soft) in bits.chunks(axis.bits()).zip(soft.chunks_mut(axis.bits())) {
        filled.fill(0);
        filled[..bits.len()].copy_from_slice(bits);
        let noise: f32 = StandardNormal.sample(rng);
        let deviation = deviations.next().expect("they never end");
        // Max-log: the difference of squared distances over twice the variance of the noise.
        let scale = 1.0 / (2.0 * deviation * deviation);
        axis.soft_values(axis.level(&filled) + deviation * noise, &mut values);
        soft.iter_mut().zip(&values).for_each(|(soft, value)| *soft = value * scale);
    }
}

/// The inner product of each symbol with the one before it over the variance of the noise.
fn differential(bits: &[u8], deviation: f32, rng: &mut ChaCha8Rng, soft: &mut [f32]) {
    let mut noisy = |level: f32| -> [f32; 2] {
        let noise: [f32; 2] = [StandardNormal.sample(rng), StandardNormal.sample(rng)];
        [level + deviation * noise[0], deviation * noise[1]]
    };
    let mut level = 1.0;
    let mut before = noisy(level);
    for (bit, soft) in bits.iter().zip(soft) {
        level *= 1.0 - 2.0 * f32::from(*bit);
        let now = noisy(level);
        *soft = (now[0] * before[0] + now[1] * before[1]) / (deviation * deviation);
        before = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};

    fn bit_error_rate(modem: &Modem, snr_db: f64, bits: usize) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let sent: Vec<u8> = (0..bits).map(|_| u8::from(rng.random::<bool>())).collect();
        let mut soft = Vec::new();
        modem.convey(&sent, snr_db, &mut rng, &mut soft);
        let wrong = sent.iter().zip(&soft).filter(|(bit, value)| u8::from(**value < 0.0) != **bit).count();
        wrong as f64 / bits as f64
    }

    /// exp(-Es/N0) / 2 (Proakis, Digital Communications, binary DPSK); 32 chips gain 15.05 dB.
    #[test]
    fn differential_detection_meets_its_formula() {
        for snr_db in [-11.0, -9.0, -8.0] {
            let theory = 0.5 * libm::exp(-32.0 * libm::pow(10.0, snr_db / 10.0));
            let measured = bit_error_rate(&Modem::differential(32), snr_db, 400_000);
            assert!((measured / theory - 1.0).abs() < 0.15, "{snr_db}: {measured} {theory}");
        }
    }

    /// Each subcarrier has its own Es/N0: of BPSK, Q(sqrt(2 gain Es/N0)).
    #[test]
    fn gains_are_those_of_their_subcarriers() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let gains = [0.25, 1.0, 2.0];
        let sent: Vec<u8> = (0..300_000).map(|_| u8::from(rng.random::<bool>())).collect();
        let mut soft = Vec::new();
        Modem::selective(Constellation::Bpsk, &gains).convey(&sent, 3.0, &mut rng, &mut soft);
        for (k, gain) in gains.into_iter().enumerate() {
            let own = sent.iter().zip(&soft).skip(k).step_by(3);
            let wrong = own.filter(|(bit, value)| u8::from(**value < 0.0) != **bit).count() as f64;
            let theory = libm::erfc(libm::sqrt(gain * libm::pow(10.0, 0.3))) / 2.0;
            let deviation = libm::sqrt(100_000.0 * theory * (1.0 - theory));
            assert!((wrong - 100_000.0 * theory).abs() < 4.0 * deviation, "{gain}: {wrong}");
        }
    }

    /// For BPSK max-log is exact: the soft value is 4 y Es/N0, so of the values that claim an error rate of 10 %, 10 % are
    /// wrong.
    #[test]
    fn soft_values_are_logarithms_of_likelihood_ratios() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let sent: Vec<u8> = (0..400_000).map(|_| u8::from(rng.random::<bool>())).collect();
        let mut soft = Vec::new();
        Modem::coherent(Constellation::Bpsk).convey(&sent, 0.0, &mut rng, &mut soft);
        let claimed = libm::logf(0.9 / 0.1);
        let near = |value: &f32| (value.abs() - claimed).abs() < 0.1;
        let chosen: Vec<_> = sent.iter().zip(&soft).filter(|(_, value)| near(value)).collect();
        let wrong = chosen.iter().filter(|(bit, value)| u8::from(**value < 0.0) != **bit).count();
        let share = wrong as f64 / chosen.len() as f64;
        assert!(chosen.len() > 5000 && (share - 0.1).abs() < 0.02, "{share} of {}", chosen.len());
    }
}
