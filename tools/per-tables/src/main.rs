//! Computes the packet error rate table of airtcp and writes it as CSV.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use per_tables::crossing::snr_db_at;
use per_tables::rate::OFDM_RATES;
use per_tables::sweep::{Curve, Effort, sweep};
use per_tables::table::{TABLE_SEED, render};

/// The two PSDU lengths of the IEEE 802.11ax evaluation methodology (document 11-14/0571).
const PSDU_LENGTHS: [usize; 2] = [32, 1458];

/// Simulates 802.11 OFDM frames over AWGN and writes the packet error rate table.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The table to write.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/air/data/ofdm-bcc-awgn.csv"))]
    output: PathBuf,
    /// Seed of all random streams.
    #[arg(long, default_value_t = TABLE_SEED)]
    seed: u64,
    /// Lost frames after which a point is finished.
    #[arg(long, default_value_t = Effort::TABLE.frame_errors)]
    frame_errors: u64,
    /// Frames that a point takes at least, unless the first 500 are all lost.
    #[arg(long, default_value_t = Effort::TABLE.frames_min)]
    frames_min: u64,
    /// PSDU octets after which a point is finished in any case.
    #[arg(long, default_value_t = Effort::TABLE.octets_max)]
    octets_max: u64,
}

/// What a user can cause.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("--frames-min is {0}; a point needs at least 500 frames to be called lost: give 500 or more")]
    TooFewFrames(u64),
    #[error("cannot write the table to {path}: {source}; name a writable file with --output")]
    Write { path: PathBuf, source: std::io::Error },
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("per-tables: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let &Arguments { seed, frame_errors, frames_min, octets_max, .. } = arguments;
    if frames_min < per_tables::sweep::FRAMES_ALL_LOST {
        return Err(Failure::TooFewFrames(frames_min));
    }
    let effort = Effort { frame_errors, frames_min, octets_max };
    let mut curves = Vec::new();
    println!(
        "| rate (Mbit/s) | PSDU (B) | SNR at 10 % (dB) | SNR at 50 % (dB) | points | frames | smoothed |"
    );
    println!("|---|---|---|---|---|---|---|");
    for rate in OFDM_RATES {
        for psdu_bytes in PSDU_LENGTHS {
            let curve = sweep(rate, psdu_bytes, seed, effort);
            print_summary(&curve);
            curves.push(curve);
        }
    }
    let path = arguments.output.clone();
    fs::write(&path, render(&curves, seed, effort)).map_err(|source| Failure::Write { path, source })
}

fn print_summary(curve: &Curve) {
    let points: Vec<_> = curve.points.iter().map(|point| (point.snr.db(), point.per)).collect();
    let at = |per| snr_db_at(&points, per).map_or_else(|| "-".to_owned(), |snr_db| format!("{snr_db:.2}"));
    println!(
        "| {} | {} | {} | {} | {} | {} | {} |",
        curve.rate.rate_mbps,
        curve.psdu_bytes,
        at(0.1),
        at(0.5),
        curve.points.len(),
        curve.frames(),
        curve.smoothed()
    );
}
