//! Programs of a run on a real machine, and what records beside the traffic.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use std::os::unix::process::ExitStatusExt;

use airtcp_plan::Program;
use airtcp_plan::measurement::{Answer, Recorder};
use airtcp_plan::report::ProgramReport;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use super::answers::tell;
use super::children::MARK;
use super::command::{execute, path_with_system_folders};
use super::journal::{Undo, note};
use crate::clock::Timeline;
use crate::failure::{Outcome, because};
use crate::process::spawn;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A program of the plan.
#[derive(Debug)]
pub(super) struct PlannedProgram {
    plan: Program,
    number: u32,
    group: OnceLock<Pid>,
    exit: OnceLock<ExitStatus>,
    stopped: Mutex<bool>,
}

impl PlannedProgram {
    /// Starts the thread that starts it at its time. Its output goes to `NAME.out` and `NAME.err` in the folder.
    ///
    /// # Errors
    /// The thread can't be started.
    pub(super) fn start(
        plan: &Program,
        number: u32,
        folder: &Path,
        timeline: Timeline,
    ) -> Outcome<Arc<Self>> {
        let own = Arc::new(Self {
            plan: plan.clone(),
            number,
            group: OnceLock::new(),
            exit: OnceLock::new(),
            stopped: Mutex::new(false),
        });
        let (program, folder) = (Arc::clone(&own), folder.to_owned());
        spawn(format!("programs[{number}]"), move || {
            timeline.sleep_until(program.plan.start_ns);
            if let Err(failure) = program.live(&folder, timeline) {
                tell(&Answer::Failed(failure));
            }
        })?;
        Ok(own)
    }

    fn live(&self, folder: &Path, timeline: Timeline) -> Outcome<()> {
        self.begin(folder)?.map_or(Ok(()), |child| self.await_end(child, timeline))
    }

    fn await_end(&self, mut child: Child, timeline: Timeline) -> Outcome<()> {
        let place = format!("programs[{}]", self.number);
        let exit = match child.wait() {
            // The guard is gone: the watchdog has killed and reaped it, and ends this process.
            Err(error) if error.raw_os_error() == Some(Errno::CHILD.raw_os_error()) => return Ok(()),
            waited => waited.map_err(because("a program can't be waited for", &place, "report this"))?,
        };
        self.exit.set(exit).expect("a program ends once");
        tell(&Answer::ProgramEnded { program: self.number, at_ns: timeline.now_from_epoch_ns() });
        Ok(())
    }

    /// Starts it, unless the run has ended before its time came.
    fn begin(&self, folder: &Path) -> Outcome<Option<Child>> {
        let stopped = locked(&self.stopped);
        if *stopped {
            return Ok(None);
        }
        let what = format!("program {} can't be started", self.plan.name);
        let failed = || {
            because(
                &what,
                &self.plan.node,
                "the machine needs /bin/sh, and room in its folder of temporary files",
            )
        };
        let file = |end: &str| create(&folder.join(format!("{}.{end}", self.plan.name)));
        let (out, err) = (file("out").map_err(failed())?, file("err").map_err(failed())?);
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &self.plan.command]).current_dir(folder);
        command.env("NODE", &self.plan.node).env(MARK, folder);
        let child = start(&mut command, out, err).map_err(failed())?;
        self.group.set(group_of(&child)).expect("a program starts once");
        Ok(Some(child))
    }

    /// Sends a signal to the program and all that it has started.
    pub(super) fn signal(&self, signal: Signal) {
        *locked(&self.stopped) = true;
        if let (Some(group), None) = (self.group.get(), self.exit.get()) {
            let _ = kill_process_group(*group, signal);
        }
    }

    /// Time at which the program gets SIGTERM, in nanoseconds from the epoch; `None`: at the end of the run.
    pub(super) fn stop_ns(&self) -> Option<u64> {
        self.plan.stop_ns
    }

    /// Whether the program has been started and has not ended.
    pub(super) fn running(&self) -> bool {
        self.group.get().is_some() && self.exit.get().is_none()
    }

    /// How the program ended.
    pub(super) fn report(&self) -> ProgramReport {
        let exit = self.exit.get();
        ProgramReport {
            name: self.plan.name.clone(),
            group: self.group.get().map_or(0, |group| group.as_raw_nonzero().get().cast_unsigned()),
            status: exit.and_then(ExitStatus::code),
            signal: exit.and_then(ExitStatus::signal),
        }
    }
}

/// What records beside the traffic.
#[derive(Debug)]
pub(super) struct RunningRecorder {
    name: String,
    child: Child,
    end: Vec<String>,
}

impl RunningRecorder {
    /// Starts it; what it says goes to `NAME.err` in the folder of programs.
    ///
    /// # Errors
    /// It is not there.
    pub(super) fn start(recorder: &Recorder, programs: &Path, folder: &Path) -> Outcome<Self> {
        let what = format!("{} can't be recorded with {}", recorder.name, recorder.command.join(" "));
        let failed = || because(&what, &recorder.name, "install the program, or leave the capture out");
        let shown = folder.display().to_string();
        let placed = |words: &[String]| -> Vec<_> {
            words.iter().map(|word| word.replace("{folder}", &shown)).collect()
        };
        let (words, end) = (placed(&recorder.command), placed(&recorder.end));
        if let (Some(measurement), false) = (folder.parent(), end.is_empty()) {
            // It outlives a worker that may not kill it. It may have ended when this is run.
            let quietly = ["/bin/sh", "-c", "\"$@\"; true", "sh"].map(str::to_owned);
            let command = quietly.into_iter().chain(end.clone()).collect();
            note(measurement, &Undo { command, input: String::new() }).map_err(failed())?;
        }
        let mut command = Command::new(words.first().map_or("", String::as_str));
        command.args(&words[1.min(words.len())..]);
        let out = |end: &str| File::create(programs.join(format!("{}.{end}", recorder.name)));
        command.env(MARK, programs);
        let child = start(&mut command, out("out").map_err(failed())?, out("err").map_err(failed())?);
        Ok(Self { name: recorder.name.clone(), child: child.map_err(failed())?, end })
    }

    /// Asks it to end, and waits so long for it at most; a warning if it had ended before, or does not.
    pub(super) fn end(mut self, most: std::time::Duration) -> Option<String> {
        if let Ok(Some(status)) = self.child.try_wait() {
            return Some(format!("{} had ended before the run: {status}", self.name));
        }
        if self.end.is_empty() {
            let _ = kill_process_group(group_of(&self.child), Signal::INT);
        } else {
            execute(&self.end, "");
        }
        let begin = std::time::Instant::now();
        while begin.elapsed() < most {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(std::time::Duration::from_millis(5)),
                _ => return None,
            }
        }
        Some(format!("{} did not end", self.name))
    }
}

/// Creates the file of an output. What another program has put in its place gets another name.
fn create(path: &Path) -> std::io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let mut other = path.as_os_str().to_owned();
            other.push(".other");
            std::fs::rename(path, other)?;
            File::create_new(path)
        }
        created => created,
    }
}

fn start(command: &mut Command, out: File, err: File) -> std::io::Result<Child> {
    command.env("PATH", path_with_system_folders()).process_group(0);
    command.stdin(Stdio::null()).stdout(out).stderr(err).spawn()
}

fn group_of(child: &Child) -> Pid {
    Pid::from_raw(child.id().cast_signed()).expect("a process has a number")
}

#[cfg(test)]
mod tests {
    use rustix::process::{WaitOptions, waitpid};

    use super::*;

    #[test]
    fn a_program_that_the_watchdog_has_reaped_is_no_failure() {
        let folder = std::env::temp_dir().join(format!("airtcp-agent-reaped-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let own = PlannedProgram {
            plan: Program {
                name: "sleeper".into(),
                node: "h1".into(),
                command: "sleep 60".into(),
                start_ns: 0,
                stop_ns: None,
                must_succeed: false,
            },
            number: 0,
            group: OnceLock::new(),
            exit: OnceLock::new(),
            stopped: Mutex::new(false),
        };
        let child = own.begin(&folder).unwrap().unwrap();
        let pid = group_of(&child);
        kill_process_group(pid, Signal::KILL).unwrap();
        waitpid(Some(pid), WaitOptions::empty()).unwrap();
        assert!(own.await_end(child, Timeline::new(0)).is_ok());
        // No end is reported: the worker's process ends, too.
        assert!(own.running());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
