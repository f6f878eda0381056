//! Channels that do not change: what several paths of a power delay profile do to each subcarrier.

use std::f64::consts::TAU;

use rand::SeedableRng;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Delays in nanoseconds and powers in decibels.
type Taps = &'static [(f64, f64)];

/// Model B of IEEE 802.11-03/940r4, both clusters, without line of sight.
const MODEL_B: Taps = &[
    (0.0, 0.0),
    (10.0, -5.4),
    (20.0, -10.8),
    (30.0, -16.2),
    (40.0, -21.7),
    (20.0, -3.2),
    (30.0, -6.3),
    (40.0, -9.4),
    (50.0, -12.5),
    (60.0, -15.6),
    (70.0, -18.7),
    (80.0, -21.8),
];

/// Model D, its three clusters, without line of sight.
const MODEL_D: Taps = &[
    (0.0, 0.0),
    (10.0, -0.9),
    (20.0, -1.7),
    (30.0, -2.6),
    (40.0, -3.5),
    (50.0, -4.3),
    (60.0, -5.2),
    (70.0, -6.1),
    (80.0, -6.9),
    (90.0, -7.8),
    (110.0, -9.0),
    (140.0, -11.1),
    (170.0, -13.7),
    (200.0, -16.3),
    (240.0, -19.3),
    (290.0, -23.2),
    (110.0, -6.6),
    (140.0, -9.5),
    (170.0, -12.1),
    (200.0, -14.7),
    (240.0, -17.4),
    (290.0, -21.9),
    (340.0, -25.5),
    (240.0, -18.8),
    (290.0, -23.2),
    (340.0, -25.2),
    (390.0, -26.7),
];

/// A second path 0.9 times as strong as the first, 50 ns later: a notch every 20 MHz, 20 log10((1 + 0.9) / (1 - 0.9)) = 26 dB
/// deep.
const TWO_PATHS: [(f64, f64); 2] = [(0.0, 1.0), (50.0, 0.9)];

/// A kind of channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// One path.
    Flat,
    /// Home: 15 ns rms.
    B,
    /// Office: 50 ns rms.
    D,
    /// Two paths of fixed strength.
    Notch,
}

/// One path: delay in nanoseconds, and real and imaginary part of its gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Delay in nanoseconds.
    pub delay_ns: f64,
    /// Complex gain.
    pub gain: [f64; 2],
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 4] = [Self::Flat, Self::B, Self::D, Self::Notch];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::B => "B",
            Self::D => "D",
            Self::Notch => "notch",
        }
    }

    /// Draws a channel. Mean power over channels is 1; each number gives another channel.
    pub fn draw(self, number: u64) -> Vec<Path> {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&number.to_le_bytes());
        key[8] = self as u8;
        let mut rng = ChaCha8Rng::from_seed(key);
        match self {
            Self::Flat => vec![Path { delay_ns: 0.0, gain: [1.0, 0.0] }],
            Self::B => rayleigh(MODEL_B, &mut rng),
            Self::D => rayleigh(MODEL_D, &mut rng),
            Self::Notch => turned(&mut rng),
        }
    }
}

/// Each tap complex Gaussian; taps of one delay are one path.
fn rayleigh(taps: Taps, rng: &mut impl RngCore) -> Vec<Path> {
    let power = |db: f64| libm::pow(10.0, db / 10.0);
    let sum: f64 = taps.iter().map(|tap| power(tap.1)).sum();
    let mut paths: Vec<Path> = Vec::new();
    for (delay_ns, power_db) in taps.iter().copied() {
        let deviation = libm::sqrt(power(power_db) / sum / 2.0);
        let gain: [f64; 2] = std::array::from_fn(|_| {
            let normal: f64 = StandardNormal.sample(rng);
            normal * deviation
        });
        match paths.iter_mut().find(|path| path.delay_ns.total_cmp(&delay_ns).is_eq()) {
            Some(path) => path.gain = [path.gain[0] + gain[0], path.gain[1] + gain[1]],
            None => paths.push(Path { delay_ns, gain }),
        }
    }
    paths
}

/// [`TWO_PATHS`] with phases drawn evenly, so that the notches lie anywhere.
fn turned(rng: &mut impl RngCore) -> Vec<Path> {
    let sum: f64 = TWO_PATHS.iter().map(|path| path.1 * path.1).sum();
    let mut path = |(delay_ns, amplitude): (f64, f64)| {
        let phase = TAU * rng.random::<f64>();
        let amplitude = amplitude / libm::sqrt(sum);
        Path { delay_ns, gain: [amplitude * libm::cos(phase), amplitude * libm::sin(phase)] }
    };
    TWO_PATHS.into_iter().map(&mut path).collect()
}

/// Power gain at each of these frequencies, in MHz from the centre.
pub fn power_gains(paths: &[Path], frequencies_mhz: &[f64]) -> Vec<f64> {
    let at = |mhz: &f64| {
        let [mut re, mut im] = [0.0; 2];
        for Path { delay_ns, gain } in paths {
            let phase = -TAU * mhz * delay_ns / 1e3;
            let (cos, sin) = (libm::cos(phase), libm::sin(phase));
            re += gain[0] * cos - gain[1] * sin;
            im += gain[0] * sin + gain[1] * cos;
        }
        re * re + im * im
    };
    frequencies_mhz.iter().map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean power 1, and the rms delay of the report (15 ns and 50 ns; its taps give 15.6 and 50.0), by the powers of 4000 channels.
    #[test]
    fn channels_have_the_power_and_delay_of_their_model() {
        for (profile, rms_ns) in [(Profile::B, 15.6), (Profile::D, 50.0)] {
            let mut moments = [0.0; 3];
            for path in (0..4000).flat_map(|number| profile.draw(number)) {
                let power = (path.gain[0].powi(2) + path.gain[1].powi(2)) / 4000.0;
                moments[0] += power;
                moments[1] += power * path.delay_ns;
                moments[2] += power * path.delay_ns.powi(2);
            }
            let mean = moments[1] / moments[0];
            let rms = libm::sqrt(moments[2] / moments[0] - mean * mean);
            assert!((moments[0] - 1.0).abs() < 0.03, "{profile:?} {moments:?}");
            assert!((rms - rms_ns).abs() < 0.03 * rms_ns, "{profile:?} {rms}");
        }
    }

    /// `|1 + 0.9|^2` and `|1 - 0.9|^2` over `1 + 0.81`, 10 MHz apart.
    #[test]
    fn two_paths_have_their_notch() {
        let frequencies: Vec<f64> = (0..200).map(|step| f64::from(step) * 0.1).collect();
        let gains = power_gains(&Profile::Notch.draw(3), &frequencies);
        let extreme = |better: fn(f64, f64) -> f64| gains.iter().copied().reduce(better).expect("gains");
        assert!(
            (extreme(f64::max) - 3.61 / 1.81).abs() < 1e-3 && (extreme(f64::min) - 0.01 / 1.81).abs() < 1e-3
        );
    }
}
