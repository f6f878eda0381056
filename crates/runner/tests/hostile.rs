//! Whatever a guest leaves, the result is a run folder or an error: never a panic, and never an allocation whose size a file chose.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use airtcp_plan::Plan;
use airtcp_plan::record::{Column, EarlyEndRule, Kind, MAGIC, RecordError, RowWriter, Table};
use airtcp_plan::report::{AGENT_REPORT, AIR_REPORT, PLAN_FILE, PROGRESS_FILE, RECORDS_FOLDER};
use airtcp_runner::failure::RunFailure;
use airtcp_runner::identity::{Engine, Identity};
use airtcp_runner::installation::KernelInfo;
use airtcp_runner::seal::{Computed, Cost, finished_s, seal};
use airtcp_runner::series::{Keep, convert};
use airtcp_runner::verdict::judge;
use parquet::file::reader::{FileReader, SerializedFileReader};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The same examples every time.
fn repeatable(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(6), failure_persistence: None, ..Config::default() }
}

fn plan() -> Plan {
    airtcp_testing::golden_plans::plan("ping")
}

fn agent() -> Value {
    json!({"failure": null, "kernel_release": "6.12", "ready_ns": 1, "end_ns": 1_000_000_000u64,
        "flows": [{"name": "f", "congestion_control": "cubic", "connected_ns": 1, "finished_ns": null, "bytes_received": 1,
            "bytes_acked": 1, "retransmits": 0, "busy_us": 1, "rwnd_limited_us": 0, "sndbuf_limited_us": 0, "error": null}],
        "datagrams": [{"name": "d", "sent": 2, "refused": 0, "received": 2}],
        "pings": [{"name": "p", "sent": 2, "received": 2}],
        "programs": [{"name": "x", "group": 7, "status": 0, "signal": null}],
        "qdiscs": [], "warnings": ["w"]})
}

fn air() -> Value {
    json!({"model_version": 1, "end_ns": 2, "events": 3, "late_max_ns": 0, "frame_hash": "00", "nics": [],
        "media": [{"frequency_mhz": 5180, "data_ns": 1, "response_ns": 1, "collision_ns": 0, "contention_ns": 0, "idle_ns": 0}]})
}

fn table(name: &str) -> Table {
    let columns = [("time_ns", Kind::I64), ("flow", Kind::U32), ("raw", Kind::Bytes(3)), ("x", Kind::F64)];
    Table::new(name, &["flow"], EarlyEndRule::CutWithLastSample, &columns)
}

/// Rows of times from before the epoch to after any run, with every float that is none.
fn record(name: &str) -> Vec<u8> {
    let table = table(name);
    let (mut rows, mut file) = (RowWriter::new(&table), Vec::new());
    table.write_header(&mut file).unwrap();
    for time_ns in [i64::MIN, -1, 0, 1_000_000_000, 2_000_000_000, i64::MAX] {
        for value in [f64::NAN, f64::INFINITY, -0.0] {
            rows.i64(time_ns).u32(u32::MAX).bytes(b"abc").f64(value).end(&mut file).unwrap();
        }
    }
    file
}

/// A working folder whose guest has ended.
fn left(agent: &[u8], air: &[u8], records: &[(&str, &[u8])]) -> TempDir {
    let work = tempfile::tempdir().unwrap();
    let at = |name: &str| work.path().join(name);
    fs::create_dir(at(RECORDS_FOLDER)).unwrap();
    fs::write(at(PLAN_FILE), plan().to_canonical_json()).unwrap();
    fs::write(at(AGENT_REPORT), agent).unwrap();
    fs::write(at(AIR_REPORT), air).unwrap();
    fs::write(at(PROGRESS_FILE), [0; 24]).unwrap();
    for (name, content) in records {
        fs::write(at(RECORDS_FOLDER).join(name), content).unwrap();
    }
    work
}

/// The whole way from what a guest left to a run folder.
fn made_of(work: &Path) -> Result<(), RunFailure> {
    let plan = plan();
    let reports = judge(&plan, work, ExitStatus::from_raw(0))?;
    let any = || "w".to_owned();
    let engine = Engine { kernel_id: any(), library_sha256: any(), agent_sha256: any() };
    let identity = Identity::of(&plan, engine);
    let kernel = KernelInfo {
        series: any(),
        release: any(),
        source: any(),
        recipe: any(),
        abi: 4,
        compiler: any(),
        id: any(),
    };
    let cost = Cost { wall_s: 0.0, cpu_s: 0.0 };
    seal(work, &plan, &Computed { identity: &identity, kernel: &kernel, reports: &reports, cost })?;
    assert!(finished_s(work, &identity.run).is_some(), "a folder that was sealed is complete");
    Ok(())
}

/// Complete, or refused in words for a person.
fn assert_made_or_refused(work: &Path) {
    if let Err(failure) = made_of(work) {
        let said = [&failure.what, &failure.place, &failure.remedy];
        assert!(said.iter().all(|text| !text.is_empty() && text.chars().count() < 5000), "{failure:?}");
        assert!(!work.join("manifest.json").exists());
    }
}

#[test]
fn a_run_whose_kernel_came_late_is_refused() {
    let judged = |late_max_ns: u64| {
        let mut air = air();
        air["late_max_ns"] = json!(late_max_ns);
        let work = left(agent().to_string().as_bytes(), air.to_string().as_bytes(), &[]);
        judge(&plan(), work.path(), ExitStatus::from_raw(0)).err().map(|failure| failure.what)
    };
    assert_eq!(judged(1_000), None);
    assert_eq!(judged(1_001).unwrap(), "the guest's kernel came 1001 ns late to an event of the air");
}

/// Numbers at the ends of their types and beyond them, as JSON has them, and values of other types.
fn hostile() -> impl Strategy<Value = String> {
    let texts = [
        "0",
        "1",
        "18446744073709551615",
        "18446744073709551616",
        "-1",
        "-9223372036854775808",
        "1e308",
        "1e999",
        "0.5",
        "NaN",
        "Infinity",
        "null",
        "true",
        "[]",
        "{}",
        "[null]",
        "\"\"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\u{1b}[2J\"",
    ];
    prop_oneof![
        6 => prop::sample::select(texts.to_vec()).prop_map(str::to_owned),
        1 => (1..100_000usize).prop_map(|length| format!("\"{}\"", "x".repeat(length))),
        1 => (1..200_000usize).prop_map(|depth| "[".repeat(depth)),
        1 => (1..50_000usize).prop_map(|depth| format!("{}{}", "{\"a\":".repeat(depth), "}".repeat(depth))),
    ]
}

/// Every place of a value: before it is a colon or the beginning.
fn replaced(text: &str, which: prop::sample::Index, by: &str) -> String {
    let colons: Vec<usize> = text.match_indices(':').map(|(at, _)| at + 1).chain([0]).collect();
    let begin = *which.get(&colons);
    let end = text[begin..].find([',', '}', ']']).map_or(text.len(), |length| begin + length);
    format!("{}{by}{}", &text[..begin], &text[end..])
}

/// Keeps every row.
struct All;

impl Keep for All {
    fn keep(&self, _: &Table, rows: Vec<u8>) -> Result<Vec<u8>, RecordError> {
        Ok(rows)
    }
}

proptest! {
    #![proptest_config(repeatable(200))]

    #[test]
    fn reports_of_other_values(changes in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), hostile()), 1..4)) {
        let mut reports = [agent().to_string(), air().to_string()];
        for (of_the_air, which, by) in changes {
            let text = &mut reports[usize::from(of_the_air)];
            *text = replaced(text, which, &by);
        }
        let work = left(reports[0].as_bytes(), reports[1].as_bytes(), &[("flows.rec", &record("flows"))]);
        assert_made_or_refused(work.path());
    }

    #[test]
    fn reports_of_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300), cut in any::<prop::sample::Index>()) {
        let whole = agent().to_string();
        let half = &whole.as_bytes()[..cut.index(whole.len())];
        for text in [&bytes[..], half] {
            let work = left(text, air().to_string().as_bytes(), &[]);
            prop_assert!(made_of(work.path()).is_err());
            assert_made_or_refused(work.path());
        }
    }

    #[test]
    fn records_with_other_bytes(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
        name in prop::sample::select(vec!["flows", "qdiscs", "pings", "air"]),
    ) {
        let mut file = record(name);
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        file.truncate(cut.map_or(file.len(), |cut| cut.index(file.len())));
        let agent = agent().to_string();
        let work = left(agent.as_bytes(), air().to_string().as_bytes(), &[("flows.rec", &file), ("b.rec", &file)]);
        assert_made_or_refused(work.path());
    }

#[test]
    fn tables_of_any_columns_become_parquet_or_are_refused(
        columns in prop::collection::vec(("\\PC{0,8}", kind()), 0..12),
        rows in 0..5usize,
        byte in any::<u8>(),
    ) {
        let columns: Vec<_> = columns.into_iter().map(|(name, kind)| Column { name, kind }).collect();
        let table = Table { name: "t".to_owned(), key: Vec::new(), early_end: EarlyEndRule::Keep, columns };
        let mut file = Vec::new();
        table.write_header(&mut file).unwrap();
        file.resize(file.len() + rows * table.row_width(), byte);
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("t.rec"), folder.path().join("t.parquet"));
        fs::write(&from, file).unwrap();
        if convert(&from, &to, &mut All).is_ok() {
            let reader = SerializedFileReader::new(fs::File::open(&to).unwrap()).unwrap();
            prop_assert_eq!(reader.metadata().file_metadata().num_rows(), i64::try_from(rows).unwrap());
        }
    }
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::U32),
        Just(Kind::I64),
        Just(Kind::U64),
        Just(Kind::F64),
        prop::sample::select(vec![0u16, 1, 7, 300, u16::MAX]).prop_map(Kind::Bytes),
    ]
}

#[test]
fn what_the_tests_change_is_whole() {
    let files: Vec<_> = ["flows", "qdiscs", "pings"].map(record).into();
    let records: Vec<_> =
        ["flows.rec", "a.rec", "pings.rec"].into_iter().zip(files.iter().map(Vec::as_slice)).collect();
    let work = left(agent().to_string().as_bytes(), air().to_string().as_bytes(), &records);
    made_of(work.path()).unwrap();
    assert_eq!(fs::read_dir(work.path().join("series")).unwrap().count(), 3);
}

#[test]
fn a_length_of_a_record_asks_for_no_memory() {
    let header = serde_json::to_vec(&table("flows")).unwrap();
    for length in [u32::MAX, 70_000, 1 << 31] {
        let file = [&MAGIC[..], &length.to_le_bytes(), &header].concat();
        let work =
            left(agent().to_string().as_bytes(), air().to_string().as_bytes(), &[("flows.rec", &file)]);
        let failure = made_of(work.path()).unwrap_err();
        assert_eq!(failure.place, "flows.rec");
        assert!(failure.what.contains("more than"), "{failure:?}");
    }
    assert!(peak_mib() < 512, "{} MiB", peak_mib());
}

#[test]
fn a_report_without_end_is_refused() {
    let work = left(b"", air().to_string().as_bytes(), &[]);
    // A hole takes no space.
    fs::File::create(work.path().join(AGENT_REPORT)).unwrap().set_len(1 << 40).unwrap();
    let failure = made_of(work.path()).unwrap_err();
    assert!(failure.what.contains("has more than") && failure.place == AGENT_REPORT, "{failure:?}");
    assert!(peak_mib() < 512, "{} MiB", peak_mib());
}

/// The most memory that this process has had.
fn peak_mib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
}
