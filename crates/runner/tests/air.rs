//! `airtcp-runner air` and `explain` as the Python package calls them.

use std::path::{Path, PathBuf};
use std::process::Command;

use airtcp_testing::golden_plans::{plan_json, scene_json};
use serde_json::{Value, json};

/// An access point and two stations in 11a.
fn scene() -> Value {
    scene_json("two-stations")
}

fn file(folder: &Path, value: &Value) -> PathBuf {
    let path = folder.join("plan.json");
    std::fs::write(&path, value.to_string()).expect("a temporary file");
    path
}

/// Exit status, and what is printed.
fn runner(command: &str, plan: &Path) -> (Option<i32>, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_airtcp-runner")).arg(command).arg(plan).output();
    let output = output.expect("the runner starts");
    let text = String::from_utf8(output.stdout).expect("it prints text");
    assert_eq!(text.lines().count(), 1, "one line: {text}");
    (output.status.code(), serde_json::from_str(&text).expect("it prints JSON"))
}

#[test]
fn a_scene_is_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = scene();
    let (status, report) = runner("air", &file(folder.path(), &scene));
    assert_eq!((status, &report["name"]), (Some(0), &json!("two stations")));
    // 900 ms of a frame each millisecond.
    assert_eq!(report["sources"][1]["offered"], json!({ "frames": 900, "bytes": 900 * 214 }));
    assert_eq!(report["media"][0]["idle_ns"], json!(0));
    assert_eq!(report, runner("air", &file(folder.path(), &scene)).1);
}

#[test]
fn links_of_scenes_and_of_plans_are_explained() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = scene();
    let (status, explained) = runner("explain", &file(folder.path(), &scene));
    assert_eq!((status, explained["links"].as_array().map(Vec::len)), (Some(0), Some(2)));
    let mode = &explained["links"][0]["modes"][0];
    assert_eq!((&mode["mode"], &mode["cycle_ns"]), (&json!("OFDM 54 Mbit/s"), &json!(393_500)));
    assert_eq!(mode["exchanges"][0]["ppdus"][0]["payload_symbols"], json!(57));
    assert_eq!(mode["saturation"]["stations"], json!(2));
    let (status, explained) = runner("explain", &file(folder.path(), &plan_json("ping")));
    assert_eq!((status, explained["links"].as_array().map(Vec::len)), (Some(0), Some(2)));
}

#[test]
fn what_is_wrong_is_said_with_its_key() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let refused = |pointer: &str, with: Value| {
        let mut scene = scene();
        *scene.pointer_mut(pointer).expect("it is there") = with;
        let path = file(folder.path(), &scene);
        let [air, explain] = ["air", "explain"].map(|command| runner(command, &path));
        assert_eq!(air, explain, "{pointer}");
        assert_eq!((air.0, &air.1["kind"]), (Some(2), &json!("plan")), "{}", air.1);
        air.1["what"].as_str().expect("text").to_owned()
    };
    assert_eq!(refused("/sources/0/priority", json!(8)), "sources[0].priority: 8 is not from 0 to 7");
    assert!(refused("/version", json!(1)).starts_with("version: the plan has 1"));
    assert!(refused("/air/cells/0/channel/width_mhz", json!(40)).starts_with("air."));
    assert!(
        refused("/air/nics/1/rate_control/mode/rate_bps", json!(11_000_000))
            .contains("11 Mbit/s is not a mode")
    );
    let (status, failure) = runner("air", &folder.path().join("missing.json"));
    assert_eq!((status, &failure["remedy"]), (Some(2), &json!("give the path of an existing scene")));
}
