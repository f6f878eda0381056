//! Channels that differ over the band: rows of `tests/validation/data/selective-channels.csv` computed again.

use per_tables::awgn::{SnrStep, stream};
use per_tables::code_rate::CodeRate::{FiveSixths, ThreeQuarters};
use per_tables::constellation::Constellation::{Qam16, Qam64};
use per_tables::format::Format;
use per_tables::mode::Mode;
use per_tables::multipath::{Profile, power_gains};
use per_tables::threshold::{Effort, PSDU_BYTES, of_channel};

const ROWS: &str = include_str!("../../../tests/validation/data/selective-channels.csv");
/// Those of the example `selective_channels`.
const SEED: u64 = 7;

fn again(mode: Mode, format: Format, profile: Profile, number: u64) -> String {
    let step_db = if matches!(mode, Mode::Bcc(..)) { 0.25 } else { 0.125 };
    let effort = Effort { probe_frames: 16, point_frames: 400, point_losses: 40, step_db };
    let gains = power_gains(&profile.draw(number), &format.data_subcarriers_mhz());
    let mut rng = stream(SEED + number, mode, PSDU_BYTES, SnrStep(profile as i32));
    let snr_db = of_channel((mode, format), &gains, effort, &mut rng);
    let code = if matches!(mode, Mode::Bcc(..)) { "bcc" } else { "ldpc" };
    format!("{code},{mode},{format:?},{},{number},{snr_db:.3}", profile.name())
}

#[test]
fn rows_can_be_computed_again() {
    for row in [
        again(Mode::Bcc(Qam16, ThreeQuarters), Format::Ht20, Profile::D, 0),
        again(Mode::Ldpc(Qam64, FiveSixths), Format::He20, Profile::Notch, 0),
    ] {
        assert!(ROWS.lines().any(|line| line == row), "{row}");
    }
}
