//! Sums of sinusoids: what changes with time on the paths of a link.
//!
//! Phases are fractions of a turn in 32 bits and advance by a fixed fraction per step, so that a phase is exact at any time,
//! however late, and needs no reduction of its range. All arithmetic is the same operation on many paths.

use super::doppler::{WAVES, Wave};

/// A quarter of a turn.
const QUARTER: u32 = 1 << 30;
/// Turns in one unit of a phase.
const TURNS: f32 = 1.0 / 4_294_967_296.0;

/// The sine of `2 pi z` for up to a quarter of a turn, `sum of c_i z^(2i+1)`: its Chebyshev series up to the seventh degree, with
/// an error below 6e-7.
const SINE: [f32; 4] = [6.283_164, -41.337_13, 81.340_385, -70.989_94];

/// The sinusoids of all paths of a link.
#[derive(Debug)]
pub(super) struct Sinusoids {
    paths: usize,
    /// By sinusoid, then path, as all others.
    phases: Vec<u32>,
    /// What a phase gains in a step.
    advances: Vec<u32>,
    amplitudes: Vec<f32>,
}

impl Sinusoids {
    /// Sinusoids of this number of paths, with amplitude zero.
    pub(super) fn new(paths: usize) -> Self {
        let all = WAVES * paths;
        Self { paths, phases: vec![0; all], advances: vec![0; all], amplitudes: vec![0.0; all] }
    }

    /// Sets those of one path; phases are those in the middle of steps of this length.
    pub(super) fn set(&mut self, path: usize, waves: &[Wave; WAVES], step_s: f64) {
        for (n, wave) in waves.iter().enumerate() {
            let turns = |radians: f64| radians / std::f64::consts::TAU;
            let place = n * self.paths + path;
            self.phases[place] = fraction(turns(wave.phase + wave.rate * step_s / 2.0));
            self.advances[place] = fraction(turns(wave.rate * step_s));
            self.amplitudes[place] = wave.amplitude as f32;
        }
    }

    /// Real and imaginary parts of each path at a step.
    pub(super) fn sum(&self, step: u64, re: &mut [f32], im: &mut [f32]) {
        // As of a fraction: whole turns do not matter.
        let step = step as u32;
        re.fill(0.0);
        im.fill(0.0);
        let phases = self.phases.chunks_exact(self.paths).zip(self.advances.chunks_exact(self.paths));
        for ((phases, advances), amplitudes) in phases.zip(self.amplitudes.chunks_exact(self.paths)) {
            let waves = phases.iter().zip(advances).zip(amplitudes);
            for (((&phase, &advance), &amplitude), (re, im)) in waves.zip(re.iter_mut().zip(im.iter_mut())) {
                let phase = phase.wrapping_add(advance.wrapping_mul(step));
                *re += amplitude * cosine(phase);
                *im += amplitude * cosine(phase.wrapping_sub(QUARTER));
            }
        }
    }
}

/// The fraction of a number of turns.
fn fraction(turns: f64) -> u32 {
    let part = turns - libm::floor(turns);
    (part / f64::from(TURNS)) as u64 as u32
}

/// `cos x` is the sine of a quarter of a turn less `|x|`.
#[inline]
fn cosine(phase: u32) -> f32 {
    let z = 0.25 - (phase.cast_signed() as f32).abs() * TURNS;
    let square = z * z;
    z * (SINE[0] + square * (SINE[1] + square * (SINE[2] + square * SINE[3])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_are_those_of_the_library() {
        for k in 0..4096_u32 {
            let phase = k.wrapping_mul(0x0010_0001);
            let angle = std::f64::consts::TAU * f64::from(phase) * f64::from(TURNS);
            assert!((f64::from(cosine(phase)) - libm::cos(angle)).abs() < 1e-6, "{phase}");
        }
    }

    /// The second path of three, late in a run: phase and rate of a sinusoid as written.
    #[test]
    fn a_sum_is_that_of_its_sinusoids() {
        let wave = |n: usize| Wave { rate: 3.0 - n as f64, phase: 0.7 * n as f64, amplitude: 0.3 };
        let waves: [Wave; WAVES] = std::array::from_fn(wave);
        let mut sinusoids = Sinusoids::new(3);
        sinusoids.set(1, &waves, 0.001);
        let (mut re, mut im) = ([9.0; 3], [9.0; 3]);
        sinusoids.sum(10_000, &mut re, &mut im);
        let angles = waves.iter().map(|wave| wave.rate * 10.0005 + wave.phase);
        let (cos, sin): (Vec<_>, Vec<_>) = angles.map(|a| (0.3 * libm::cos(a), 0.3 * libm::sin(a))).unzip();
        assert!((f64::from(re[1]) - cos.iter().sum::<f64>()).abs() < 1e-4, "{re:?}");
        assert!((f64::from(im[1]) - sin.iter().sum::<f64>()).abs() < 1e-4, "{im:?}");
        assert!(re[0].abs() < 1e-9 && im[2].abs() < 1e-9, "{re:?} {im:?}");
    }
}
