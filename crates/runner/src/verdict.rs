//! What a guest left: its reports, or the reason why there are none.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use airtcp_plan::Plan;
use airtcp_plan::report::{
    AGENT_REPORT, AIR_REPORT, AgentReport, AirReport, CONSOLE_FILE, EXIT_RECORD, LATE_MOST_NS,
    SOCKETS_REPORT, SocketsReport,
};
use serde::de::DeserializeOwned;

use crate::addresses;
use crate::failure::{CONSOLE_BYTES, Kind, RunFailure};
use crate::launch::NOT_STARTED;
use crate::{guest_file, kernel_fault};

/// An upper limit: a report of thousands of flows is shorter.
const REPORT_BYTES_MOST: u64 = 64 << 20;

/// What the kernel says at the end of its memory: of a process with `panic_on_oom`, of a packet (kernel patch 0060), and of process
/// 1 (`out_of_memory` of `mm/oom_kill.c`).
const OUT_OF_MEMORY: [&str; 2] = [
    "Kernel panic - not syncing: Out of memory",
    "Kernel panic - not syncing: System is deadlocked on memory",
];

/// The reports of a complete run.
#[derive(Debug)]
pub struct Reports {
    /// The agent's.
    pub agent: AgentReport,
    /// The air's.
    pub air: AirReport,
    /// Connections of programs; empty if they are not watched.
    pub sockets: SocketsReport,
}

/// Decides whether a guest that has ended completed its run.
///
/// # Errors
/// A [`RunFailure`] with the console's last lines if it did not end as it should.
pub fn judge(plan: &Plan, work: &Path, status: ExitStatus) -> Result<Reports, RunFailure> {
    let agent: Option<AgentReport> = read(work, AGENT_REPORT)?;
    if let Some(failure) = agent.as_ref().and_then(|report| report.failure.as_ref()) {
        let kind = if failure.place.starts_with("programs[") { Kind::Program } else { Kind::Guest };
        return Err(RunFailure::from_agent(failure, kind).with_fault(work));
    }
    let air: Option<AirReport> = read(work, AIR_REPORT)?;
    match (agent, air) {
        (Some(mut agent), Some(air)) if status.success() => {
            in_time(plan, &air).map_err(|failure| failure.with_console(work))?;
            agent.warnings.extend(kernel_warnings(work));
            let sockets = read(work, SOCKETS_REPORT)?.unwrap_or_default();
            Ok(Reports { agent, air, sockets })
        }
        _ => Err(why(plan, work, status).with_console(work)),
    }
}

/// Decides whether a guest with a user has ended as it should: because the user has gone, without a report, or with the run.
///
/// # Errors
/// Its failure, with the console's last lines.
pub fn judge_session(plan: &Plan, work: &Path, status: ExitStatus) -> Result<(), RunFailure> {
    let agent: Option<AgentReport> = read(work, AGENT_REPORT)?;
    match agent.and_then(|report| report.failure) {
        Some(failure) => Err(RunFailure::from_agent(&failure, Kind::Guest).with_fault(work)),
        None if status.success() => Ok(()),
        None => Err(why(plan, work, status).with_console(work)),
    }
}

/// The kernel must have called the model at the instants that the model requested.
fn in_time(plan: &Plan, air: &AirReport) -> Result<(), RunFailure> {
    if air.late_max_ns <= LATE_MOST_NS {
        return Ok(());
    }
    let what = format!("the guest's kernel came {} ns late to an event of the air", air.late_max_ns);
    Err(RunFailure::new(Kind::Internal, what, &plan.name, "report this with the plan"))
}

/// Reads a report; `None` if the guest ended before it wrote one.
fn read<T: DeserializeOwned>(work: &Path, name: &str) -> Result<Option<T>, RunFailure> {
    let path = work.join(name);
    let wrong = |what: String| {
        let remedy = "build airtcp again: its parts have different versions";
        RunFailure::new(Kind::Internal, what, name, remedy).with_console(work)
    };
    let text = match guest_file::read(&path, REPORT_BYTES_MOST) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|error| wrong(error.to_string()))?,
    };
    serde_json::from_slice(&text).map(Some).map_err(|error| wrong(error.to_string()))
}

fn console_of(work: &Path) -> String {
    let console = guest_file::ends(&work.join(CONSOLE_FILE), CONSOLE_BYTES).unwrap_or_default();
    String::from_utf8_lossy(&console).into_owned()
}

/// Warnings of the kernel (`WARN()`), which may concern the result: the run goes on. One for each place in the kernel.
fn kernel_warnings(work: &Path) -> Vec<String> {
    const MARK: &str = "WARNING: CPU:";
    let console = console_of(work);
    let places =
        console.lines().filter(|line| line.contains(MARK)).filter_map(|line| line.split(" at ").nth(1));
    let places: BTreeSet<&str> = places.map(str::trim).collect();
    places.into_iter().map(|place| format!("the kernel warned at {place}; see the console")).collect()
}

fn why(plan: &Plan, work: &Path, status: ExitStatus) -> RunFailure {
    let console = console_of(work);
    let line = |mark: &str| console.lines().find(|l| l.contains(mark)).map(|l| l.trim().to_owned());
    if status.code() == Some(EXIT_RECORD) {
        // The disk was so full that the console could not be written either.
        let silent = || "no space left for the run's records and its console".to_owned();
        let what = line("cannot write the records").unwrap_or_else(silent);
        return RunFailure::new(Kind::Disk, what, "the run's records", "free some space in the store");
    }
    if let Some(failure) = not_started(&console) {
        return failure;
    }
    if let Some(panic) = line("panicked at") {
        return RunFailure::new(
            Kind::Air,
            panic,
            "the model of the air or the agent",
            "report this with the plan",
        );
    }
    if let Some(refused) = console.lines().find_map(|l| l.trim().strip_prefix("airtcp: plan: ")) {
        return RunFailure::new(Kind::Plan, refused, &plan.name, "correct the scenario");
    }
    // A page that the host has no room for: of the guest's memory, or of a file in the store that is mapped. The kernel's
    // message names the first only.
    if line("mount likely just ran out of space").is_some() {
        let what = "no space left for the guest's memory or its records";
        let remedy = "free some space in both, or run fewer at once (--jobs); airtcp doctor shows which folder holds guests' memory";
        return RunFailure::new(Kind::Disk, what, "/dev/shm, TMPDIR or the store", remedy);
    }
    if let Some(forever) = line("going to sleep forever") {
        let remedy = "every process waits for another: check the programs of the scenario";
        return RunFailure::new(Kind::Hang, forever, "the guest", remedy);
    }
    if OUT_OF_MEMORY.iter().any(|mark| line(mark).is_some()) {
        let what = format!("the guest's memory of {} MiB is full", plan.memory_mib);
        let remedy = "raise memory_mib, or send less at a time: the packets, files and programs of all nodes are in it";
        return RunFailure::new(Kind::Guest, what, "memory_mib", remedy);
    }
    if let Some(fault) = kernel_fault::line(&console) {
        let remedy = "report this with the plan; the console has the kernel's call trace";
        return RunFailure::new(Kind::Guest, fault, "the guest's kernel", remedy);
    }
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or_default()),
    };
    let what = format!("the guest ended before its time ({how})");
    RunFailure::new(Kind::Guest, what, &plan.name, "see the last lines of the console")
}

/// Why the process never became the kernel, if it did not.
fn not_started(console: &str) -> Option<RunFailure> {
    let said = console.lines().find_map(|line| line.strip_prefix(NOT_STARTED))?;
    let (kernel, why) = said.split_once(": ").unwrap_or(("the kernel", said));
    let remedy = if why.starts_with(addresses::REFUSED) {
        addresses::REMEDY
    } else {
        "run airtcp doctor to check this machine"
    };
    Some(RunFailure::new(Kind::Kernel, why, kernel, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        airtcp_testing::golden_plans::plan("idle")
    }

    fn judge_console(console: &str, raw_status: i32) -> RunFailure {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(CONSOLE_FILE), console).unwrap();
        judge(&plan(), folder.path(), ExitStatus::from_raw(raw_status)).unwrap_err()
    }

    #[test]
    fn each_way_to_end_is_a_different_failure() {
        let kinds = [
            ("thread 'x' panicked at crates/air/src/world.rs:5", 6, Kind::Air),
            ("airtcp: plan: air.nics[0].rate_bps: 55 Mbit/s is no rate", 1 << 8, Kind::Plan),
            ("Kernel panic - not syncing: no init", 6, Kind::Guest),
            ("Kernel panic - not syncing: The system was going to sleep forever, aborting", 6, Kind::Hang),
            ("airtcp: cannot start /k/linux: cannot restrict the guest's process: x", 126 << 8, Kind::Kernel),
            ("airtcp: cannot write the records: No space left", EXIT_RECORD << 8, Kind::Disk),
            (
                "Bus error - the host /dev/shm or /tmp mount likely just ran out of space\n\
                 Kernel panic - not syncing: Kernel mode signal 7",
                6,
                Kind::Disk,
            ),
            ("BUG: failure at a.c:5/f()!\nKernel panic - not syncing: BUG!", 6, Kind::Guest),
            ("", 9, Kind::Guest),
        ];
        for (console, status, kind) in kinds {
            assert_eq!(judge_console(console, status).kind, kind, "{console}");
        }
    }

    #[test]
    fn a_full_memory_is_reported_with_its_key() {
        for console in [
            "Kernel panic - not syncing: Out of memory: no page for a packet",
            "x\n[    1.2] Kernel panic - not syncing: Out of memory: system-wide panic_on_oom is enabled",
            "Kernel panic - not syncing: System is deadlocked on memory",
        ] {
            let failure = judge_console(console, 6);
            assert_eq!((failure.kind, failure.place.as_str()), (Kind::Guest, "memory_mib"));
            assert_eq!(failure.what, "the guest's memory of 512 MiB is full");
        }
    }

    #[test]
    fn the_first_fault_is_the_cause() {
        let console = "[    1.2] BUG: failure at a.c:5/f()!\n[    1.2] Kernel panic - not syncing: BUG!";
        assert_eq!(judge_console(console, 6).what, "BUG: failure at a.c:5/f()!");
    }

    #[test]
    fn a_disk_too_full_for_the_console_is_reported_as_full() {
        let failure = judge_console("", EXIT_RECORD << 8);
        assert_eq!(failure.kind, Kind::Disk);
        assert!(failure.what.starts_with("no space left"), "{}", failure.what);
    }

    #[test]
    fn what_the_kernel_lacks_to_start_is_reported_with_its_remedy() {
        let console = format!("{NOT_STARTED}/k/linux: {}: Operation not permitted", addresses::REFUSED);
        let failure = judge_console(&console, 126 << 8);
        assert_eq!((failure.kind, failure.place.as_str()), (Kind::Kernel, "/k/linux"));
        assert!(
            failure.what.ends_with("Operation not permitted")
                && failure.remedy.contains("seccomp=unconfined")
        );
    }

    #[test]
    fn a_warning_of_the_kernel_is_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let line =
            "[    1.2] WARNING: CPU: 0 PID: 7 at net/mac80211/rx.c:841 ieee80211_rx_list+0x10/0x20\r\n";
        std::fs::write(folder.path().join(CONSOLE_FILE), [line, "x\n", line].concat()).unwrap();
        let told = kernel_warnings(folder.path());
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("at net/mac80211/rx.c:841 ieee80211_rx_list"), "{told:?}");
        std::fs::write(folder.path().join(CONSOLE_FILE), "WARNING: a program\n").unwrap();
        assert_eq!(kernel_warnings(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn a_clean_exit_without_reports_is_no_result() {
        let failure = judge_console("", 0);
        assert_eq!(failure.what, "the guest ended before its time (exit status 0)");
    }

    #[test]
    fn a_failure_of_the_agent_is_passed_on() {
        let folder = tempfile::tempdir().unwrap();
        let report = r#"{"failure":{"what":"w","place":"programs[0]","remedy":"r"},"kernel_release":"","ready_ns":0,"end_ns":0,
            "flows":[],"datagrams":[],"pings":[],"programs":[],"qdiscs":[],"warnings":[]}"#;
        std::fs::write(folder.path().join(AGENT_REPORT), report).unwrap();
        let failure = judge(&plan(), folder.path(), ExitStatus::from_raw(0)).unwrap_err();
        assert_eq!((failure.kind, failure.what.as_str()), (Kind::Program, "w"));
    }
}
