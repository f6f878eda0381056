//! Additive white Gaussian noise and the seeds of its streams.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::mode::Mode;

/// Signal-to-noise ratio per data subcarrier (Es/N0) on the grid of the table, in steps of 0.25 dB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SnrStep(pub i32);

/// Width of a step of the table's SNR grid, in dB.
pub const SNR_STEP_DB: f64 = 0.25;

impl SnrStep {
    /// The last step at or below `snr_db`.
    pub fn at_or_below(snr_db: f64) -> Self {
        Self(libm::floor(snr_db / SNR_STEP_DB) as i32)
    }

    /// The ratio in dB.
    pub fn db(self) -> f64 {
        f64::from(self.0) * SNR_STEP_DB
    }
}

/// Standard deviation of the noise on one axis of a subcarrier of unit energy
/// at `snr_db`: half of the noise density N0 falls on each axis.
pub fn deviation_per_axis(snr_db: f64) -> f64 {
    libm::sqrt(libm::pow(10.0, -snr_db / 10.0) / 2.0)
}

/// The random stream of one point of one curve. Each point has its own, so
/// that neither the order of computation nor other points move its draws.
pub fn stream(seed: u64, mode: Mode, psdu_bytes: usize, snr: SnrStep) -> ChaCha8Rng {
    let [label, code] = mode.stream_key();
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..12].copy_from_slice(&label.to_le_bytes());
    key[12..20].copy_from_slice(&(psdu_bytes as u64).to_le_bytes());
    key[20..24].copy_from_slice(&snr.0.to_le_bytes());
    key[24..28].copy_from_slice(&code.to_le_bytes());
    ChaCha8Rng::from_seed(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mode::{BCC_MODES, LDPC_MODES};
    use rand::RngCore;

    #[test]
    fn noise_at_0_db_has_the_energy_of_the_signal() {
        let per_axis = deviation_per_axis(0.0);
        assert!((2.0 * per_axis * per_axis - 1.0).abs() < 1e-12);
        let per_axis = deviation_per_axis(10.0);
        assert!((2.0 * per_axis * per_axis - 0.1).abs() < 1e-12);
    }

    #[test]
    fn streams_differ_and_repeat() {
        let first = |snr| stream(1, BCC_MODES[0], 32, SnrStep(snr)).next_u64();
        assert_eq!(first(4), first(4));
        assert_ne!(first(4), first(5));
        assert_ne!(first(4), first(-4));
        assert_ne!(first(4), stream(1, LDPC_MODES[0], 32, SnrStep(4)).next_u64());
    }

    #[test]
    fn grid_rounds_down() {
        assert_eq!(SnrStep::at_or_below(-3.01), SnrStep(-13));
        assert!((SnrStep(-13).db() + 3.25).abs() < 1e-12);
    }
}
