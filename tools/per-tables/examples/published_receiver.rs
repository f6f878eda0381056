//! Why the published thresholds may lie above ours: what a decoder with a short
//! traceback, and the interleaver of 802.11ax, do at the SNRs at which the
//! published tables have a packet error rate of 10 %.
//!
//! A column near 0.10 would be enough to explain the published value; it does
//! not prove that the published receiver was built so.

use per_tables::awgn::{SnrStep, stream};
use per_tables::bcc_link::BccLink;
use per_tables::code_rate::CodeRate;
use per_tables::interleaver;
use per_tables::link::Link;
use per_tables::mode::{BCC_MODES, Mode};
use per_tables::viterbi::Traceback;

/// SNR in dB at which the published AWGN tables of ns-3 (University of Washington;
/// MCS 0 to 9) reach 10 %, for 32 and 1458 octets. MCS 1 is the third of our modes.
const PUBLISHED: [(usize, [f64; 2]); 10] = [
    (0, [-0.36, 0.92]),
    (2, [2.61, 3.94]),
    (3, [5.10, 6.43]),
    (4, [8.06, 9.70]),
    (5, [11.28, 12.80]),
    (6, [15.31, 17.04]),
    (7, [16.61, 18.38]),
    (8, [18.08, 19.63]),
    (9, [21.73, 23.71]),
    (10, [23.29, 25.15]),
];

/// PSDU lengths and the frames sent for each.
const FRAMES: [(usize, u32); 2] = [(32, 10_000), (1458, 1000)];

/// The customary traceback depth, 2.5 (K - 1) / (1 - R) (Moision 2008, "A
/// truncation depth rule of thumb for convolutional codes", ITA Workshop).
fn customary_depth(code_rate: CodeRate) -> usize {
    let (data, coded) = code_rate.fraction();
    (5 * 6 * coded).div_ceil(2 * (coded - data))
}

fn packet_error_rate(mut link: BccLink, mode: Mode, psdu_bytes: usize, snr_db: f64, frames: u32) -> f64 {
    let mut rng = stream(3, mode, psdu_bytes, SnrStep::at_or_below(snr_db));
    let lost = (0..frames).filter(|_| link.psdu_bit_errors(snr_db, &mut rng) > 0).count();
    lost as f64 / f64::from(frames)
}

fn main() {
    println!(
        "| mode | PSDU (B) | SNR (dB) | ours | short traceback | and 802.11n interleaver | or 802.11ax interleaver |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (place, snrs_db) in PUBLISHED {
        let mode = BCC_MODES[place];
        let (constellation, code_rate) = (mode.constellation(), mode.code_rate());
        let short = Traceback::Depth(customary_depth(code_rate));
        for ((psdu_bytes, frames), snr_db) in FRAMES.into_iter().zip(snrs_db) {
            let variants = [
                (interleaver::clause_17(constellation), Traceback::WholeFrame),
                (interleaver::clause_17(constellation), short),
                (interleaver::with_columns(constellation, 13, 4), short),
                (interleaver::with_columns(constellation, 26, 9), short),
            ];
            let [ours, truncated, ht, he] = variants.map(|(positions, traceback)| {
                let link = BccLink::variant((constellation, code_rate), psdu_bytes, positions, traceback);
                packet_error_rate(link, mode, psdu_bytes, snr_db, frames)
            });
            println!(
                "| {mode} | {psdu_bytes} | {snr_db:.2} | {ours:.3} | {truncated:.3} | {ht:.3} | {he:.3} |"
            );
        }
    }
}
