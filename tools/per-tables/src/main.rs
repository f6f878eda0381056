//! Computes the packet error rate tables of airtcp and writes them as CSV.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use per_tables::crossing::snr_db_at;
use per_tables::sweep::{Curve, Effort, FRAMES_ALL_LOST, sweep};
use per_tables::table::{PSDU_LENGTHS, TABLE_SEED, Table, render};

/// Simulates 802.11 frames over AWGN and writes the packet error rate tables.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The tables to compute; all of them if none is named.
    tables: Vec<Table>,
    /// Only the modes of a table from this one on, by its place from 0. The file then has no others.
    #[arg(long, default_value_t = 0)]
    from: usize,
    /// The folder of the tables.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/air/data"))]
    output: PathBuf,
    /// Seed of all random streams.
    #[arg(long, default_value_t = TABLE_SEED)]
    seed: u64,
    /// Lost frames after which a point is finished, if not those of the table in the repository.
    #[arg(long)]
    frame_errors: Option<u64>,
    /// Frames that a point takes at least, unless the first 500 are all lost.
    #[arg(long)]
    frames_min: Option<u64>,
    /// PSDU octets after which a point is finished in any case.
    #[arg(long)]
    octets_max: Option<u64>,
}

impl Arguments {
    fn effort(&self, table: Table) -> Result<Effort, Failure> {
        let Effort { frame_errors, frames_min, octets_max } = table.effort();
        let frames_min = self.frames_min.unwrap_or(frames_min);
        if frames_min < FRAMES_ALL_LOST {
            return Err(Failure::TooFewFrames(frames_min));
        }
        Ok(Effort {
            frame_errors: self.frame_errors.unwrap_or(frame_errors),
            frames_min,
            octets_max: self.octets_max.unwrap_or(octets_max),
        })
    }
}

/// What a user can cause.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("--frames-min is {0}; a point needs at least 500 frames to be called lost: give 500 or more")]
    TooFewFrames(u64),
    #[error("cannot write the table to {path}: {source}; name a writable folder with --output")]
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
    let seed = arguments.seed;
    println!("| mode | PSDU (B) | SNR at 10 % (dB) | SNR at 50 % (dB) | points | frames | smoothed |");
    println!("|---|---|---|---|---|---|---|");
    let tables = if arguments.tables.is_empty() { &Table::ALL[..] } else { &arguments.tables };
    for table in tables {
        let effort = arguments.effort(*table)?;
        let mut curves = Vec::new();
        for mode in table.modes().iter().skip(arguments.from) {
            for psdu_bytes in PSDU_LENGTHS {
                let curve = sweep(*mode, psdu_bytes, seed, effort);
                print_summary(&curve);
                curves.push(curve);
            }
        }
        let path = arguments.output.join(table.file_name());
        let text = render(*table, &curves, seed, effort);
        fs::write(&path, text).map_err(|source| Failure::Write { path, source })?;
    }
    Ok(())
}

fn print_summary(curve: &Curve) {
    let points: Vec<_> = curve.points.iter().map(|point| (point.snr.db(), point.per)).collect();
    let at = |per| snr_db_at(&points, per).map_or_else(|| "-".to_owned(), |snr_db| format!("{snr_db:.2}"));
    println!(
        "| {} | {} | {} | {} | {} | {} | {} |",
        curve.mode,
        curve.psdu_bytes,
        at(0.1),
        at(0.5),
        curve.points.len(),
        curve.frames(),
        curve.smoothed()
    );
}
