//! One frame over a link: whether its PSDU arrives.

use rand_chacha::ChaCha8Rng;

use crate::bcc_link::BccLink;
use crate::format::Format;
use crate::ldpc_link::LdpcLink;
use crate::mode::Mode;

/// A transmitter, a channel and a receiver for frames of one mode and length.
pub trait Link {
    /// Sends one frame of random bits at `snr_db` (Es/N0 per data subcarrier, or per chip of a single carrier) and
    /// counts the wrong bits of the decoded PSDU. A link may stop counting at the first codeword with a wrong bit.
    fn psdu_bit_errors(&mut self, snr_db: f64, rng: &mut ChaCha8Rng) -> usize;
}

/// The link whose packet error rate is in the table.
pub fn reference(mode: Mode, psdu_bytes: usize) -> Box<dyn Link> {
    match mode {
        Mode::Bcc(constellation, code_rate) => Box::new(BccLink::new(constellation, code_rate, psdu_bytes)),
        Mode::Ldpc(..) | Mode::Dmg(_) => Box::new(LdpcLink::new(mode, psdu_bytes)),
    }
}

/// The same over subcarriers with these power gains, one for each data subcarrier of the format. The receiver knows them.
///
/// # Panics
/// If they are not as many, or if the format does not have the mode.
pub fn selective(mode: Mode, psdu_bytes: usize, format: Format, gains: &[f64]) -> Box<dyn Link> {
    let modulation = (mode.constellation(), mode.code_rate());
    match mode {
        Mode::Bcc(..) => Box::new(BccLink::selective(modulation, psdu_bytes, format, gains)),
        Mode::Ldpc(..) => Box::new(LdpcLink::selective(modulation, psdu_bytes, format, gains)),
        Mode::Dmg(_) => panic!("DMG has no subcarriers"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::awgn::{SnrStep, stream};
    use crate::mode::{BCC_MODES, DMG_MODES, LDPC_MODES};

    #[test]
    fn frames_arrive_without_noise() {
        for mode in BCC_MODES.into_iter().chain(LDPC_MODES).chain(DMG_MODES) {
            for psdu_bytes in [1, 32, 333, 1458] {
                let mut rng = stream(1, mode, psdu_bytes, SnrStep(0));
                let errors = reference(mode, psdu_bytes).psdu_bit_errors(70.0, &mut rng);
                assert_eq!(errors, 0, "{mode:?} {psdu_bytes}");
            }
        }
    }

    /// Without signal half of the bits are wrong: of a whole frame with the convolutional code, of the first codeword
    /// with the others.
    #[test]
    fn noise_alone_is_a_coin() {
        for mode in BCC_MODES {
            let mut rng = stream(2, mode, 1458, SnrStep(0));
            let errors = reference(mode, 1458).psdu_bit_errors(-40.0, &mut rng);
            // 11,664 bits; errors come in bursts, hence 10 and not 2 standard deviations of 54.
            assert!(errors.abs_diff(5832) < 540, "{mode:?} {errors}");
        }
        for mode in LDPC_MODES.into_iter().chain(DMG_MODES) {
            let mut rng = stream(2, mode, 1458, SnrStep(0));
            let mut link = reference(mode, 1458);
            let errors: usize = (0..20).map(|_| link.psdu_bit_errors(-60.0, &mut rng)).sum();
            // 168 to 1620 bits twenty times.
            assert!((1000..20 * 900).contains(&errors), "{mode:?} {errors}");
        }
    }
}
