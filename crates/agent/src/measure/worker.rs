//! The worker: carries out orders, one after another.

use std::fs;
use std::io::{BufRead, stdin};
use std::path::PathBuf;
use std::process::{ExitCode, exit};

use airtcp_plan::measurement::{Answer, MEASUREMENT_VERSION, Order, StartOrder};
use airtcp_plan::report::{AgentReport, Failure};
use rustix::process::{getpid, getppid, getuid, set_child_subreaper};
use rustix::thread::set_current_timer_slack;

use super::answers::{say, tell};
use super::command::{Executed, execute};
use super::journal::{Undo, changing, note, undo_failed};
use super::traffic::Traffic;
use super::{files, watchdog};
use crate::clock::{realtime_ns, since_boot_ns};
use crate::ending;
use crate::failure::{Outcome, because, failure};
use crate::sys::signals;

/// The name under which this program is a worker. Its argument is the folder of the measurement.
pub(super) const WORKER: &str = "airtcp-measure-worker";

/// Folder of a run's files in the folder of the measurement.
const RUN: &str = "run";
/// How folders of runs are named that can't be removed.
const LEFT: &str = "left-";

/// The whole life of the worker.
pub(super) fn run() -> ExitCode {
    let folder = PathBuf::from(std::env::args_os().nth(1).expect("the guard names the folder"));
    ending::fail_by(|failure| {
        tell(&Answer::Failed(failure));
        // The guard cleans up.
        exit(1)
    });
    signals::obey_ends();
    // What programs start and leave becomes a child of this process, which ends it with the run. It works on every Linux since 3.4.
    let _ = set_child_subreaper(Some(getpid()));
    // Sleeps end on time, as far as the machine can.
    let _ = set_current_timer_slack(std::num::NonZeroU64::new(1));
    let mut worker = Worker { folder: folder.clone(), left: 0, traffic: None };
    let began = watchdog::start(getppid(), folder).and_then(|()| {
        let ready = Answer::Ready {
            version: MEASUREMENT_VERSION,
            uid: getuid().as_raw(),
            capabilities: effective_capabilities(),
        };
        say(&ready).map_err(because("nothing can be said", "start", "check the connection"))
    });
    match began.and_then(|()| worker.obey()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            tell(&Answer::Failed(failure));
            ExitCode::FAILURE
        }
    }
}

/// `CapEff` of `/proc/PID/status` (proc(5)).
fn effective_capabilities() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    line.unwrap_or_default().trim().to_owned()
}

struct Worker {
    folder: PathBuf,
    /// How many folders of runs could not be removed.
    left: u32,
    traffic: Option<Traffic>,
}

impl Worker {
    /// Carries out orders until there are no more.
    fn obey(&mut self) -> Outcome<()> {
        for line in stdin().lock().lines() {
            watchdog::hear();
            let line = line.map_err(because("orders can't be read", "orders", "check the connection"))?;
            let remedy = "use the agent of the same version of airtcp";
            let order = serde_json::from_str(&line);
            self.carry_out(order.map_err(because("the line is not an order", "orders", remedy))?)?;
        }
        Ok(())
    }

    fn carry_out(&mut self, order: Order) -> Outcome<()> {
        match order {
            Order::Alive {} => {}
            Order::Clock { number } => {
                let (monotonic_ns, realtime_ns) = (since_boot_ns(), realtime_ns());
                tell(&Answer::Clock { number, monotonic_ns, realtime_ns });
            }
            Order::Execute { number, command, input } => tell_executed(number, execute(&command, &input)),
            Order::Change { number, command, input, undo, undo_input } => {
                let _alone = changing();
                let undo = Undo { command: undo, input: undo_input };
                let remedy = "make room in the folder of temporary files";
                note(&self.folder, &undo).map_err(because("a change can't be noted", "change", remedy))?;
                let executed = execute(&command, &input);
                if executed.status != Some(0) {
                    undo_failed(&self.folder);
                }
                tell_executed(number, executed);
            }
            Order::Start(start) => self.start(*start),
            Order::Stop {} => self.stop()?,
            Order::Collect {} => self.collect()?,
        }
        Ok(())
    }

    fn start(&mut self, start: StartOrder) {
        let run = self.folder.join(RUN);
        if run.exists() || self.traffic.is_some() {
            let remedy = "collect the files of one run before the next";
            return tell(&Answer::Failed(failure("another run is not over", "start", remedy)));
        }
        tell(&match Traffic::start(start, &run) {
            Ok(traffic) => {
                self.traffic = Some(traffic);
                Answer::Started {}
            }
            Err(failure) => Answer::Failed(failure),
        });
    }

    /// Ends traffic and writes its report among the files.
    fn stop(&mut self) -> Outcome<()> {
        let Some(traffic) = self.traffic.take() else { return Ok(()) };
        let report = traffic.finish()?;
        let text = serde_json::to_vec(&report).expect("reports are plain data");
        fs::write(self.folder.join(RUN).join(airtcp_plan::report::AGENT_REPORT), text).map_err(unwritten)
    }

    fn collect(&mut self) -> Outcome<()> {
        let run = self.folder.join(RUN);
        let report = fs::read(run.join(airtcp_plan::report::AGENT_REPORT)).map_err(unwritten)?;
        let mut report: AgentReport = serde_json::from_slice(&report).expect("it was written here");
        report.warnings.extend(files::send_all(&run).map_err(unwritten)?);
        if let Err(error) = fs::remove_dir_all(&run) {
            // What another user owns in it. The next run has a folder of the same name; the guard tries again, and says if it can't.
            self.left += 1;
            fs::rename(&run, self.folder.join(format!("{LEFT}{}", self.left))).map_err(unwritten)?;
            report
                .warnings
                .push(format!("a program left files that can't be removed from the machine: {error}"));
        }
        tell(&Answer::Collected(Box::new(report)));
        Ok(())
    }
}

fn tell_executed(number: u64, executed: Executed) {
    let Executed { status, output, error } = executed;
    tell(&Answer::Executed { number, status, output, error });
}

fn unwritten(error: std::io::Error) -> Failure {
    because("the files of the run can't be handled", RUN, "make room in the folder of temporary files")(error)
}
