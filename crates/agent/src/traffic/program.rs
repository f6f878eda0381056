//! Commands of the user, run in a node.

use std::fs::OpenOptions;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use airtcp_plan::report::{Failure, ProgramReport};
use airtcp_plan::{Plan, Program};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::clock::Timeline;
use crate::ending;
use crate::failure::{Outcome, because, failure};
use crate::network::Network;
use crate::process::output::{last_bytes, last_lines};
use crate::process::reaper::{self, Exit};
use crate::process::spawn;
use crate::traffic::confinement::Confinement;
use crate::traffic::run_end::RunEnd;
use crate::traffic::user_command;

use std::os::fd::AsFd;

/// Exit status of a shell that does not find a command (POSIX, 2.8.2).
const NOT_FOUND: i32 = 127;
/// One program.
#[derive(Debug)]
pub(crate) struct ProgramState {
    plan: Program,
    place: String,
    namespace: OwnedFd,
    folder: PathBuf,
    confinement: Arc<Confinement>,
    /// If its end ends the run.
    run_end: Option<Arc<RunEnd>>,
    pid: OnceLock<Pid>,
    exit: OnceLock<Exit>,
    end_requested: AtomicBool,
}

/// Where programs of a run live.
#[derive(Debug)]
pub(crate) struct ProgramPlaces<'a> {
    /// The nodes.
    pub(crate) network: &'a Network,
    /// Folder in which programs may write.
    pub(crate) folder: &'a Path,
    /// Rights and namespaces of the programs.
    pub(crate) confinement: &'a Arc<Confinement>,
    /// The end of the run, to which programs that end it are reported.
    pub(crate) run_end: &'a Arc<RunEnd>,
}

impl ProgramState {
    /// Prepares the state of every program of the plan.
    ///
    /// # Errors
    /// Out of file descriptors.
    pub(crate) fn open_all(plan: &Plan, places: &ProgramPlaces<'_>) -> Outcome<Vec<Arc<Self>>> {
        (0..plan.programs.len()).map(|number| Self::open(plan, number, places)).collect()
    }

    fn open(whole: &Plan, number: usize, places: &ProgramPlaces<'_>) -> Outcome<Arc<Self>> {
        let (plan, place) = (&whole.programs[number], format!("programs[{number}]"));
        let namespace = places.network.namespace(&plan.node).try_clone_to_owned();
        let namespace = namespace.map_err(because(
            "the network namespace of a program can't be kept open",
            &place,
            "run fewer programs",
        ))?;
        Ok(Arc::new(Self {
            plan: plan.clone(),
            place,
            namespace,
            folder: places.folder.to_owned(),
            confinement: Arc::clone(places.confinement),
            run_end: whole.ends_with_programs.contains(&(number as u32)).then(|| Arc::clone(places.run_end)),
            pid: OnceLock::new(),
            exit: OnceLock::new(),
            end_requested: AtomicBool::new(false),
        }))
    }

    /// Starts the thread that starts the program at its time.
    pub(crate) fn start(self: &Arc<Self>, timeline: Timeline) -> Outcome<()> {
        reaper::run()?;
        let own = Arc::clone(self);
        spawn(self.place.clone(), move || {
            timeline.sleep_until(own.plan.start_ns);
            if own.end_requested.load(Ordering::Acquire) {
                // The run has ended before its time came.
                return;
            }
            match own.live() {
                Ok(()) => own.run_end.iter().for_each(|end| end.ended(timeline.now_from_epoch_ns())),
                Err(failure) => ending::fail(failure),
            }
        })
    }

    fn live(&self) -> Outcome<()> {
        let what = format!("program {} can't be started", self.plan.name);
        let remedy = "the host needs /bin/sh, and the run's folder must be writable";
        let pid = self.execute().map_err(because(&what, &self.place, remedy))?;
        self.pid.set(pid).expect("a program starts once");
        let exit = reaper::wait_for(pid);
        self.exit.set(exit).expect("a program ends once");
        if self.end_requested.load(Ordering::Acquire) { Ok(()) } else { self.judge(exit) }
    }

    fn execute(&self) -> std::io::Result<Pid> {
        // Another program may have put a symbolic link there.
        let flags = OFlags::NOFOLLOW.bits().cast_signed();
        let new =
            |end| OpenOptions::new().write(true).create_new(true).custom_flags(flags).open(self.output(end));
        let mut command = user_command::shell(&self.plan.node, &self.plan.command);
        command.process_group(0).stdin(Stdio::null()).stdout(new("out")?).stderr(new("err")?);
        self.confinement.start(&self.plan.node, self.namespace.as_fd(), &mut command)
    }

    fn output(&self, end: &str) -> PathBuf {
        self.folder.join(format!("{}.{end}", self.plan.name))
    }

    /// Decides whether an exit that the agent did not request fails the run.
    fn judge(&self, exit: Exit) -> Outcome<()> {
        let how = match exit {
            Exit::Status(NOT_FOUND) => "did not find a command (exit status 127)".to_owned(),
            _ if !self.plan.must_succeed || exit == Exit::Status(0) => return Ok(()),
            Exit::Status(status) => format!("ended with exit status {status}"),
            Exit::Signal(signal) => format!("was ended by signal {signal}"),
        };
        Err(self.failed(&how))
    }

    fn failed(&self, how: &str) -> Failure {
        // Some programs report errors on stdout.
        let last_words = ["err", "out"].into_iter().filter_map(|end| last_bytes(&self.output(end)).ok());
        let last_words = last_words.into_iter().find(|bytes| !bytes.is_empty()).unwrap_or_default();
        let what = format!("program {} {how}: {}", self.plan.name, last_lines(&last_words));
        // The message holds the program's last output; all of it is kept beside the runs.
        let remedy = "correct the command, or install on the host what it needs";
        failure(what, format!("{}.command", self.place), remedy)
    }

    /// Sends SIGTERM to the program and all that it has started.
    pub(crate) fn stop(&self) {
        self.end_requested.store(true, Ordering::Release);
        self.signal(Signal::TERM);
    }

    /// Sends SIGKILL to the program and all that it has started.
    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        if let (Some(pid), true) = (self.pid.get(), self.running()) {
            // It may have ended at this very moment.
            let _ = kill_process_group(*pid, signal);
        }
    }

    /// Whether the program has been started and has not ended.
    pub(crate) fn running(&self) -> bool {
        self.pid.get().is_some() && self.exit.get().is_none()
    }

    /// How the program ended.
    pub(crate) fn report(&self) -> ProgramReport {
        let (status, signal) = match self.exit.get() {
            Some(Exit::Status(status)) => (Some(*status), None),
            Some(Exit::Signal(signal)) => (None, Some(*signal)),
            None => (None, None),
        };
        let group = self.pid.get().map_or(0, |pid| pid.as_raw_nonzero().get().cast_unsigned());
        ProgramReport { name: self.plan.name.clone(), group, status, signal }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    fn program(must_succeed: bool) -> ProgramState {
        let mut plan = crate::sample_plan::two_hosts_and_a_switch().programs.remove(0);
        plan.must_succeed = must_succeed;
        ProgramState {
            plan,
            place: "programs[0]".to_owned(),
            namespace: File::open("/dev/null").unwrap().into(),
            folder: PathBuf::from("/nonexistent"),
            confinement: Arc::default(),
            run_end: None,
            pid: OnceLock::new(),
            exit: OnceLock::new(),
            end_requested: AtomicBool::new(false),
        }
    }

    #[test]
    fn only_a_missing_command_or_a_promised_success_is_judged() {
        assert!(program(false).judge(Exit::Status(1)).is_ok());
        assert!(program(true).judge(Exit::Status(0)).is_ok());
        let error = program(true).judge(Exit::Signal(11)).unwrap_err();
        assert_eq!(error.what, "program listing was ended by signal 11: it wrote nothing");
        assert_eq!(error.place, "programs[0].command");
        assert!(program(false).judge(Exit::Status(127)).is_err());
    }
}
