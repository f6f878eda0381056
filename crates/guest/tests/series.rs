//! The record files that the library writes: their headers are what Python declares of the series.

use std::fs::File;
use std::path::Path;

use airtcp_air::WorldOptions;
use airtcp_guest::recorder::Recorder;
use airtcp_guest::watch::Watch;
use airtcp_plan::Sampling;
use airtcp_plan::record::Table;
use airtcp_testing::series::assert_declared;
use airtcp_units::{Duration, Instant};

const INTERVAL_NS: u64 = 1_000_000;

/// The tables of all record files in a folder.
fn tables(folder: &Path) -> Vec<Table> {
    let files = std::fs::read_dir(folder.join("records")).unwrap();
    files.map(|file| Table::read(&mut File::open(file.unwrap().path()).unwrap()).unwrap().0).collect()
}

#[test]
fn series_of_the_air_are_declared() {
    let options = WorldOptions {
        epoch: Instant::ZERO,
        end: Instant::ZERO,
        sample_interval: Duration::from_nanos(INTERVAL_NS),
        ppdu_trace: true,
    };
    let folder = tempfile::tempdir().unwrap();
    drop(Recorder::create(folder.path(), &options).unwrap());
    assert_declared("air", &tables(folder.path()));
}

#[test]
fn series_of_the_kernel_are_declared() {
    let mut plan = airtcp_testing::golden_plans::plan("two-hosts-and-a-switch");
    plan.sampling = Sampling {
        flows_interval_ns: INTERVAL_NS,
        qdiscs_interval_ns: INTERVAL_NS,
        stations_interval_ns: INTERVAL_NS,
        rates_interval_ns: INTERVAL_NS,
        air_interval_ns: INTERVAL_NS,
        acks: true,
        delays: true,
        ppdus: true,
        sockets_least_bytes: None,
    };
    let folder = tempfile::tempdir().unwrap();
    drop(Watch::create(folder.path(), &plan, 248).unwrap());
    assert_declared("guest", &tables(folder.path()));
}
