//! Why the published thresholds may lie above ours: what a decoder with a short
//! traceback, and the interleaver of 802.11ax, do at the SNRs at which the
//! published tables have a packet error rate of 10 %.
//!
//! A column near 0.10 would be enough to explain the published value; it does
//! not prove that the published receiver was built so.

use per_tables::awgn::{SnrStep, stream};
use per_tables::interleaver;
use per_tables::link::Link;
use per_tables::rate::{CodeRate, Modulation, OFDM_RATES, OfdmRate};
use per_tables::viterbi::Traceback;

/// Rate in Mbit/s and SNR in dB at which the published AWGN tables of ns-3
/// (University of Washington; MCS 0 to 6) reach 10 %, for 32 and 1458 octets.
const PUBLISHED: [(u32, [f64; 2]); 7] = [
    (6, [-0.36, 0.92]),
    (12, [2.61, 3.94]),
    (18, [5.10, 6.43]),
    (24, [8.06, 9.70]),
    (36, [11.28, 12.80]),
    (48, [15.31, 17.04]),
    (54, [16.61, 18.38]),
];

/// PSDU lengths and the frames sent for each.
const FRAMES: [(usize, u32); 2] = [(32, 10_000), (1458, 1000)];

/// The customary traceback depth, 2.5 (K - 1) / (1 - R) (Moision 2008, "A
/// truncation depth rule of thumb for convolutional codes", ITA Workshop).
fn customary_depth(code_rate: CodeRate) -> usize {
    let (data, coded) = code_rate.fraction();
    (5 * 6 * coded).div_ceil(2 * (coded - data))
}

/// The interleaver of a 242-tone resource unit: 26 columns, 9 rows per bit
/// (IEEE 802.11ax-2021, 27.3.12.8), otherwise built like that of clause 17.
fn ax_positions(modulation: Modulation) -> Vec<usize> {
    let bits = modulation.bits_per_subcarrier();
    let (columns, rows, group) = (26, 9 * bits, (bits / 2).max(1));
    let symbol_bits = columns * rows;
    let place = |k: usize| {
        let i = rows * (k % columns) + k / columns;
        group * (i / group) + (i + symbol_bits - columns * i / symbol_bits) % group
    };
    (0..symbol_bits).map(place).collect()
}

fn packet_error_rate(mut link: Link, rate: OfdmRate, psdu_bytes: usize, snr_db: f64, frames: u32) -> f64 {
    let mut rng = stream(3, rate.rate_mbps, psdu_bytes, SnrStep::at_or_below(snr_db));
    let lost = (0..frames).filter(|_| link.psdu_bit_errors(snr_db, &mut rng) > 0).count();
    lost as f64 / f64::from(frames)
}

fn main() {
    println!("| Mbit/s | PSDU (B) | SNR (dB) | ours | short traceback | and 802.11ax interleaver |");
    println!("|---|---|---|---|---|---|");
    for rate in OFDM_RATES {
        let Some((_, snrs_db)) = PUBLISHED.iter().find(|row| row.0 == rate.rate_mbps) else { continue };
        let short = Traceback::Depth(customary_depth(rate.code_rate));
        for ((psdu_bytes, frames), snr_db) in FRAMES.into_iter().zip(*snrs_db) {
            let variants = [
                (interleaver::positions(rate.modulation), Traceback::WholeFrame),
                (interleaver::positions(rate.modulation), short),
                (ax_positions(rate.modulation), short),
            ];
            let [ours, truncated, ax] = variants.map(|(positions, traceback)| {
                let link = Link::variant(rate, psdu_bytes, positions, traceback);
                packet_error_rate(link, rate, psdu_bytes, snr_db, frames)
            });
            println!(
                "| {} | {psdu_bytes} | {snr_db:.2} | {ours:.3} | {truncated:.3} | {ax:.3} |",
                rate.rate_mbps
            );
        }
    }
}
