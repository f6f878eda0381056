//! Whether the order of the subcarriers matters to the convolutional code: the SNR at a loss of 10 % over channels of model D, as
//! they are and with the same gains in random places.

use per_tables::awgn::{SnrStep, stream};
use per_tables::code_rate::CodeRate::ThreeQuarters;
use per_tables::constellation::Constellation::Qam16;
use per_tables::format::Format;
use per_tables::mode::Mode;
use per_tables::multipath::{Profile, power_gains};
use per_tables::threshold::{Effort, PSDU_BYTES, of_channel};
use rand::seq::SliceRandom;

const SEED: u64 = 7;
const MODE: Mode = Mode::Bcc(Qam16, ThreeQuarters);
const EFFORT: Effort = Effort { probe_frames: 16, point_frames: 400, point_losses: 40, step_db: 0.25 };
/// Channels of the example `selective_channels` of which some subcarriers are 10 dB below the mean.
const CHANNELS: [u64; 3] = [0, 3, 4];

fn main() {
    println!("number,in_order_db,shuffled_db");
    for number in CHANNELS {
        let mut gains = power_gains(&Profile::D.draw(number), &Format::Ht20.data_subcarriers_mhz());
        let mut rng = stream(SEED + number, MODE, PSDU_BYTES, SnrStep(Profile::D as i32));
        let in_order = of_channel((MODE, Format::Ht20), &gains, EFFORT, &mut rng);
        // Four orders, because one may be lucky.
        let shuffled = (0..4).map(|_| {
            gains.shuffle(&mut rng);
            of_channel((MODE, Format::Ht20), &gains, EFFORT, &mut rng)
        });
        let shuffled = shuffled.sum::<f64>() / 4.0;
        println!("{number},{in_order:.2},{shuffled:.2}");
    }
}
