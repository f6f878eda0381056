//! Whatever goes wrong ends in one clear failure; nothing is left running and nothing half-written.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::lab::{Lab, last_event, ping_plan, program, repository, section_4_2_plan, store};

/// A lab whose kernel has a path of its own, so that its processes can be distinguished from others'.
struct OwnLab {
    lab: Lab,
    folder: tempfile::TempDir,
}

impl OwnLab {
    fn new() -> Self {
        let mut lab = Lab::new();
        let folder = tempfile::tempdir().unwrap();
        for file in ["linux", "kernel.json"] {
            fs::copy(lab.kernel.join(file), folder.path().join(file)).unwrap();
        }
        folder.path().clone_into(&mut lab.kernel);
        Self { lab, folder }
    }

    /// Processes that run this lab's kernel.
    fn guests(&self) -> Vec<i32> {
        let kernel = self.folder.path().join("linux");
        let pids = fs::read_dir("/proc").unwrap().flatten();
        let pids = pids.filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok());
        pids.filter(|pid| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == kernel)).collect()
    }

    fn assert_nothing_runs(&self) {
        let deadline = Instant::now() + Duration::from_secs(5);
        while !self.guests().is_empty() {
            assert!(Instant::now() < deadline, "still running: {:?}", self.guests());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Starts a run that would take ten hours of virtual time, and waits until time moves in its guest.
    fn start_long(&self) -> Started {
        let plan = section_4_2_plan("cubic", 100, 36_000);
        let mut child = self.lab.command(&plan).stdout(Stdio::piped()).spawn().unwrap();
        let mut events = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("progress") {
            line.clear();
            assert_ne!(events.read_line(&mut line).unwrap(), 0, "the run ended at once");
        }
        Started { child, events }
    }
}

/// A run under way.
struct Started {
    child: Child,
    events: BufReader<ChildStdout>,
}

impl Started {
    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().cast_signed()), signal).unwrap();
    }

    /// Waits for its end: exit status and last event.
    fn end(mut self) -> (Option<i32>, Value) {
        let last = self.events.lines().last().unwrap().unwrap();
        (self.child.wait().unwrap().code(), serde_json::from_str(&last).unwrap())
    }
}

fn with_program(command: &str) -> Value {
    let mut plan = ping_plan();
    plan["programs"] = json!([program("user", "sta1", command)]);
    plan
}

#[test]
fn a_program_that_spins_is_a_hang() {
    let own = OwnLab::new();
    let mut command = own.lab.command(&with_program("while :; do :; done"));
    let output = command.args(["--stall-limit-s", "3"]).output().unwrap();
    let failure = last_event(&output);
    assert_eq!((&failure["event"], &failure["kind"]), (&json!("failed"), &json!("hang")));
    assert!(failure["remedy"].as_str().unwrap().contains("busy loop"));
    assert_eq!(output.status.code(), Some(3));
    own.assert_nothing_runs();
    own.lab.assert_nothing_left();
}

#[test]
fn a_program_that_fails_or_is_missing_fails_the_run_by_name() {
    let lab = Lab::new();
    let failure = lab.fail(&with_program("echo all is lost >&2; exit 7"));
    assert_eq!(failure["kind"], "program");
    let message = failure.to_string();
    assert!(
        message.contains("user") && message.contains('7') && message.contains("all is lost"),
        "{message}"
    );
    let failure = lab.fail(&with_program("no-such-program --now"));
    assert!(failure.to_string().contains("no-such-program"), "{failure}");
}

#[test]
fn a_guest_that_panics_is_reported_with_its_last_lines() {
    let own = OwnLab::new();
    let parts = own.folder.path().join("parts");
    fs::create_dir(&parts).unwrap();
    for part in ["airtcp-runner", "libairtcp_guest.so"] {
        fs::copy(repository().join("target/release").join(part), parts.join(part)).unwrap();
    }
    fs::write(parts.join("airtcp-agent"), "no program at all").unwrap();
    fs::set_permissions(parts.join("airtcp-agent"), fs::Permissions::from_mode(0o755)).unwrap();
    let lab = Lab { parts, kernel: own.lab.kernel.clone(), store: store() };
    let failure = lab.fail(&ping_plan());
    assert_eq!(failure["kind"], "guest");
    assert!(failure["what"].as_str().unwrap().contains("Kernel panic"), "{failure:#}");
    assert!(!failure["console"].as_array().unwrap().is_empty());
    own.assert_nothing_runs();
}

/// A library that speaks the border's language and then fails as a bug of the model would.
const BROKEN_AIR: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int airtcp_start(const void *host, void *engine, const char *args) {
    fprintf(stderr, "thread 'main' panicked at crates/air/src/mac/medium.rs:1: an invariant does not hold\n");
    abort();
}
"#;

#[test]
fn a_bug_of_the_air_is_reported_as_such() {
    let own = OwnLab::new();
    let parts = own.folder.path().join("parts");
    fs::create_dir(&parts).unwrap();
    for part in ["airtcp-runner", "airtcp-agent"] {
        fs::copy(repository().join("target/release").join(part), parts.join(part)).unwrap();
    }
    compile(BROKEN_AIR, &parts.join("libairtcp_guest.so"));
    let lab = Lab { parts, kernel: own.lab.kernel.clone(), store: store() };
    let failure = lab.fail(&ping_plan());
    assert_eq!(failure["kind"], "air");
    assert!(failure["what"].as_str().unwrap().contains("an invariant does not hold"));
    own.assert_nothing_runs();
}

fn compile(source: &str, library: &Path) {
    let file = library.with_extension("c");
    fs::write(&file, source).unwrap();
    let done = Command::new("gcc").args(["-shared", "-fPIC", "-o"]).arg(library).arg(file).status().unwrap();
    assert!(done.success());
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let own = OwnLab::new();
        let run = own.start_long();
        run.signal(signal);
        let (status, last) = run.end();
        assert_eq!((status, &last["kind"]), (Some(130), &json!("interrupted")));
        own.assert_nothing_runs();
        own.lab.assert_nothing_left();
    }
}

#[test]
fn a_killed_runner_takes_its_guest_with_it() {
    let own = OwnLab::new();
    let mut run = own.start_long();
    run.child.kill().unwrap();
    run.child.wait().unwrap();
    own.assert_nothing_runs();
}

#[test]
fn a_run_whose_reader_has_gone_ends() {
    let own = OwnLab::new();
    let Started { mut child, events } = own.start_long();
    drop(events);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    own.assert_nothing_runs();
    own.lab.assert_nothing_left();
}

#[test]
fn a_killed_guest_is_a_failure_and_leaves_nothing() {
    let own = OwnLab::new();
    let run = own.start_long();
    // The kernel itself is the oldest of its processes.
    let kernel = *own.guests().iter().min().unwrap();
    kill(Pid::from_raw(kernel), Signal::SIGKILL).unwrap();
    let (_, failure) = run.end();
    assert_eq!(failure["kind"], "guest");
    assert!(failure["what"].as_str().unwrap().contains("signal 9"));
    own.assert_nothing_runs();
    own.lab.assert_nothing_left();
}

#[test]
fn a_plan_that_can_not_be_is_refused_before_or_by_the_guest() {
    let lab = Lab::new();
    let mut plan = ping_plan();
    plan["air"]["nics"][1]["rate_control"]["mode"]["rate_bps"] = 55_000_000.into();
    let failure = lab.fail(&plan);
    assert_eq!(failure["kind"], "plan");
    assert!(failure["what"].as_str().unwrap().contains("air.nics[1].rate_control"), "{failure:#}");
    let mut plan = section_4_2_plan("vegas", 20, 1);
    plan["flows"][0]["congestion_control"] = "warp".into();
    let failure = lab.fail(&plan);
    assert!(failure.to_string().contains("warp") && failure.to_string().contains("cubic"), "{failure:#}");
    let mut plan = section_4_2_plan("vegas", 20, 1);
    plan["nodes"][2]["interfaces"][1]["egress"]["queue"] =
        json!({ "kind": "tc", "args": ["warp", "limit", "5"] });
    assert!(lab.fail(&plan).to_string().contains("warp"));
    plan["surprise"] = 1.into();
    assert!(lab.fail(&plan)["what"].as_str().unwrap().contains("surprise"));
}

#[test]
fn no_kernel_and_a_kernel_without_the_patches_are_different_failures() {
    let mut lab = Lab::new();
    let folder = tempfile::tempdir().unwrap();
    lab.kernel = folder.path().to_owned();
    let failure = lab.fail(&ping_plan());
    assert_eq!(failure["kind"], "kernel");
    assert!(failure["what"].as_str().unwrap().contains("no kernel is built"));
    fs::write(folder.path().join("kernel.json"), r#"{"series": "6.12"}"#).unwrap();
    let failure = lab.fail(&ping_plan());
    assert!(failure["what"].as_str().unwrap().contains("airtcp patches"), "{failure:#}");
}

#[test]
fn a_store_without_room_is_reported_before_anything_is_written() {
    // /proc can't be written to by anybody, and has no room.
    let lab = Lab::new();
    let mut command = Command::new(lab.parts.join("airtcp-runner"));
    let plan = lab.store.path().join("ping.json");
    fs::write(&plan, ping_plan().to_string()).unwrap();
    command.args(["run", "--store", "/proc/store", "--plan"]).arg(plan).arg("--kernel").arg(&lab.kernel);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let failure = last_event(&output);
    assert_eq!((&failure["kind"], &failure["place"]), (&json!("disk"), &json!("/proc/store")));
}
