//! A place to run plans in: a store of its own, the built parts, and ways to look at results.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use airtcp_testing::golden_plans::plan_json;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;
use tempfile::TempDir;

/// The repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the crate lies in the repository")
}

/// An access point and a station in 11g at 54 Mb/s; ten pings in two seconds.
pub(crate) fn ping_plan() -> Value {
    plan_json("ping")
}

/// The plan of aoyagi2023, section 4.2, for one client, with this congestion control and queue of s1 towards s2, `seconds` long.
pub(crate) fn section_4_2_plan(cca: &str, queue_packets: u32, seconds: u64) -> Value {
    let mut plan = airtcp_testing::golden_plans::golden_plan("aoyagi2023-4.2-1");
    plan["duration_ns"] = (seconds * 1_000_000_000).into();
    plan["flows"][0]["congestion_control"] = cca.into();
    let nodes = plan["nodes"].as_array_mut().expect("nodes");
    for interface in nodes.iter_mut().flat_map(|n| n["interfaces"].as_array_mut().expect("interfaces")) {
        if interface["egress"]["rate_bps"] == 10_000_000 {
            interface["egress"]["queue"]["limit"] = queue_packets.into();
        }
    }
    plan
}

/// A program of a plan.
pub(crate) fn program(name: &str, node: &str, command: &str) -> Value {
    serde_json::json!({
        "name": name, "node": node, "command": command, "start_ns": 0, "stop_ns": null, "must_succeed": true
    })
}

/// A new, empty store.
pub(crate) fn store() -> Arc<TempDir> {
    Arc::new(tempfile::tempdir().expect("a temporary folder"))
}

/// Where plans run.
pub(crate) struct Lab {
    /// The store; gone with the lab and its runs.
    pub(crate) store: Arc<TempDir>,
    /// The folder of the runner and the other parts.
    pub(crate) parts: PathBuf,
    /// The folder of the kernel.
    pub(crate) kernel: PathBuf,
}

impl Lab {
    /// A lab with the repository's release build and kernel.
    pub(crate) fn new() -> Self {
        let parts = repository().join("target/release");
        assert!(parts.join("airtcp-agent").is_file(), "nothing is built in {}: make build", parts.display());
        let found =
            Command::new(repository().join("kernel/build")).arg("--print-path").output().expect("a script");
        assert!(found.status.success(), "no kernel is built: make kernel");
        let kernel = PathBuf::from(String::from_utf8(found.stdout).expect("a path").trim());
        Self { store: store(), parts, kernel }
    }

    /// The command that runs a plan.
    pub(crate) fn command(&self, plan: &Value) -> Command {
        let file = self.store.path().join("plan.json");
        fs::write(&file, plan.to_string()).expect("the store is writable");
        let mut command = Command::new(self.parts.join("airtcp-runner"));
        command.arg("run").arg("--plan").arg(file).arg("--store").arg(self.store.path().join("runs"));
        command.arg("--kernel").arg(&self.kernel).arg("--fresh");
        command
    }

    /// Runs a plan that must succeed.
    pub(crate) fn run(&self, plan: &Value) -> Run {
        let output = self.command(plan).output().expect("the runner starts");
        let last = last_event(&output);
        assert_eq!(last["event"], "done", "{last:#}");
        self.run_of(&last)
    }

    /// The finished run of an event.
    pub(crate) fn run_of(&self, event: &Value) -> Run {
        let folder = PathBuf::from(event["folder"].as_str().expect("a path"));
        Run { folder, _store: Arc::clone(&self.store) }
    }

    /// Runs a plan that must fail; its last event.
    pub(crate) fn fail(&self, plan: &Value) -> Value {
        let output = self.command(plan).output().expect("the runner starts");
        let last = last_event(&output);
        assert_eq!(last["event"], "failed", "{last:#}");
        assert!(!output.status.success());
        self.assert_nothing_left();
        last
    }

    /// Nothing half-written is in the store; what programs of failed runs wrote is kept on purpose.
    pub(crate) fn assert_nothing_left(&self) {
        let runs = self.store.path().join("runs");
        let left: Vec<_> =
            fs::read_dir(runs).into_iter().flatten().flatten().map(|e| e.file_name()).collect();
        let left: Vec<_> =
            left.iter().filter(|name| !name.to_string_lossy().starts_with("failed-")).collect();
        assert!(left.is_empty(), "left in the store: {left:?}");
    }
}

/// The last line of a runner's output.
pub(crate) fn last_event(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_else(|| panic!("no output: {output:?}"));
    serde_json::from_str(last).expect("events are JSON")
}

/// A finished run.
pub(crate) struct Run {
    /// Its folder.
    pub(crate) folder: PathBuf,
    _store: Arc<TempDir>,
}

impl Run {
    /// One of its JSON files.
    pub(crate) fn json(&self, name: &str) -> Value {
        let text = fs::read_to_string(self.folder.join(name)).expect("the run is complete");
        serde_json::from_str(&text).expect("JSON")
    }

    /// The hash over all its frames.
    pub(crate) fn frame_hash(&self) -> String {
        self.json("manifest.json")["frame_hash"].as_str().expect("a hash").to_owned()
    }

    /// A column of a series, as numbers.
    pub(crate) fn column(&self, series: &str, column: &str) -> Vec<i64> {
        let path = self.folder.join("series").join(format!("{series}.parquet"));
        let reader = SerializedFileReader::new(File::open(path).expect("a series")).expect("Parquet");
        let rows = reader.get_row_iter(None).expect("rows");
        rows.map(|row| number(&row.expect("a row"), column)).collect()
    }

    /// Every file that must not depend on the machine, with its content.
    pub(crate) fn lasting_files(&self) -> Vec<(String, Vec<u8>)> {
        let series = fs::read_dir(self.folder.join("series")).expect("series").flatten().map(|e| e.path());
        let others = ["plan.json", "summary.json"].map(|name| self.folder.join(name));
        let mut files: Vec<_> = series
            .chain(others)
            .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap()))
            .collect();
        files.sort();
        files
    }
}

fn number(row: &parquet::record::Row, column: &str) -> i64 {
    let (_, field) = row.get_column_iter().find(|(name, _)| *name == column).expect("the column exists");
    match field {
        Field::Long(value) => *value,
        Field::UInt(value) => i64::from(*value),
        Field::ULong(value) => i64::try_from(*value).expect("a small number"),
        other => panic!("{column} is no integer: {other}"),
    }
}
