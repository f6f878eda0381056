//! The end of the guest: the report, then the power.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use airtcp_plan::report::{AGENT_REPORT, AgentReport, Failure, RECORDS_FOLDER};
use rustix::system::{RebootCommand, reboot, uname};

use crate::guest_paths::WORK;
use crate::sys::page_cache::write_and_forget;

/// Held by the one thread that ends the guest; never given back.
static ENDING: Mutex<()> = Mutex::new(());
/// When the network was ready.
pub(crate) static READY_NS: OnceLock<u64> = OnceLock::new();

/// Release of the guest's kernel.
pub(crate) fn kernel_release() -> String {
    uname().release().to_string_lossy().into_owned()
}

/// What a process that is not process 1 of a guest does instead of ending that.
static INSTEAD: OnceLock<fn(Failure) -> !> = OnceLock::new();

/// Makes failures end in another way than by the end of the guest.
pub(crate) fn fail_by(instead: fn(Failure) -> !) {
    INSTEAD.set(instead).expect("it is decided once, at the start");
}

/// Ends the guest because of a failure. May be called by any thread at any time.
pub(crate) fn fail(failure: Failure) -> ! {
    if let Some(instead) = INSTEAD.get() {
        instead(failure);
    }
    let report = AgentReport {
        failure: Some(failure),
        kernel_release: kernel_release(),
        ready_ns: READY_NS.get().copied().unwrap_or(0),
        end_ns: 0,
        flows: Vec::new(),
        datagrams: Vec::new(),
        pings: Vec::new(),
        programs: Vec::new(),
        qdiscs: Vec::new(),
        wires: Vec::new(),
        limits: Vec::new(),
        warnings: Vec::new(),
    };
    end(&report)
}

/// Writes the report and switches the guest off.
pub(crate) fn end(report: &AgentReport) -> ! {
    let _ending = ENDING.lock();
    if let Some(failure) = &report.failure {
        say(&format!("{} ({}); {}", failure.what, failure.place, failure.remedy));
    }
    let work = Path::new(WORK);
    if write(report, work).or_else(|_| write_with_room(report, work)).is_err() {
        say("the report can't be written");
    }
    // The output of programs that were still writing.
    rustix::fs::sync();
    power_off()
}

/// Writes a line on the console.
pub(crate) fn say(line: &str) {
    // Without a console the message has no other place to go.
    let _ = writeln!(std::io::stderr(), "airtcp-agent: {line}");
}

/// The report is complete or it does not exist. It need not be on the host's disk: the runner reads it next.
fn write(report: &AgentReport, folder: &Path) -> std::io::Result<()> {
    let aside = folder.join(format!("{AGENT_REPORT}.part"));
    write_and_forget(&File::create(&aside)?, &serde_json::to_vec(report)?, 0)?;
    std::fs::rename(&aside, folder.join(AGENT_REPORT))
}

/// On a full disk the records of a failed run make room for the reason of its failure.
fn write_with_room(report: &AgentReport, folder: &Path) -> std::io::Result<()> {
    if report.failure.is_some() {
        std::fs::remove_dir_all(folder.join(RECORDS_FOLDER))?;
    }
    write(report, folder)
}

fn power_off() -> ! {
    let refused = reboot(RebootCommand::PowerOff);
    // The end of process 1 is a panic of the kernel, which ends the guest as well.
    panic!("the kernel does not switch off: {refused:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_replaces_its_part() {
        let folder = std::env::temp_dir().join(format!("airtcp-agent-ending-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let report = AgentReport {
            failure: Some(crate::failure::failure("a", "b", "c")),
            kernel_release: "6.12".to_owned(),
            ready_ns: 1,
            end_ns: 2,
            flows: vec![],
            datagrams: vec![],
            pings: vec![],
            programs: vec![],
            qdiscs: vec![],
            wires: vec![],
            limits: Vec::new(),
            warnings: vec![],
        };
        write(&report, &folder).unwrap();
        let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap().file_name()).collect();
        assert_eq!(names, [AGENT_REPORT]);
        let text = std::fs::read(folder.join(AGENT_REPORT)).unwrap();
        assert_eq!(serde_json::from_slice::<AgentReport>(&text).unwrap(), report);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
