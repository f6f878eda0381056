//! What the decoder of the LDPC tables loses against exact belief propagation, and what its factor and its iterations
//! do: packet error rates a little below the SNRs at which the published tables have 10 %.

use per_tables::awgn::{SnrStep, stream};
use per_tables::ldpc::decoder::CheckRule;
use per_tables::ldpc_link::{LdpcLink, codewords};
use per_tables::link::Link;
use per_tables::mode::{DMG_MODES, LDPC_MODES, Mode};

/// OFDM: SNR in dB at which the published AWGN table of ns-3 (University of Washington; LDPC) has a packet error rate
/// of 10 % with 1458 octets, less 0.25 dB. DMG: near our 10 %.
const POINTS: [(Mode, f64); 8] = [
    (LDPC_MODES[0], -0.87),
    (LDPC_MODES[4], 10.68),
    (LDPC_MODES[7], 17.75),
    (LDPC_MODES[9], 23.23),
    (LDPC_MODES[11], 28.64),
    (DMG_MODES[1], -3.0),
    (DMG_MODES[2], -0.75),
    (DMG_MODES[12], 11.25),
];

const PSDU_BYTES: usize = 1458;
const FRAMES: u32 = 400;

fn main() {
    let receivers = [
        (CheckRule::MinSumTimes(0.7), 20),
        (CheckRule::MinSumTimes(0.75), 20),
        (CheckRule::MinSum, 20),
        (CheckRule::MinSumTimes(0.85), 20),
        (CheckRule::MinSum, 10),
        (CheckRule::MinSum, 50),
        (CheckRule::SumProduct, 20),
        // About as far as 12 iterations without layers go.
        (CheckRule::SumProduct, 6),
    ];
    println!("| mode | SNR (dB) | decoder | packet error rate |");
    println!("|---|---|---|---|");
    for (mode, snr_db) in POINTS {
        for (rule, iterations) in receivers {
            let mut link = LdpcLink::variant(mode, codewords(mode, PSDU_BYTES), rule, iterations);
            let mut rng = stream(4, mode, PSDU_BYTES, SnrStep::at_or_below(snr_db));
            let lost = (0..FRAMES).filter(|_| link.psdu_bit_errors(snr_db, &mut rng) > 0).count();
            let share = lost as f64 / f64::from(FRAMES);
            println!("| {mode:?} | {snr_db:.2} | {rule:?}, {iterations} iterations | {share:.3} |");
        }
    }
}
