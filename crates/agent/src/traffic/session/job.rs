//! A command that runs in a node: its input, what it writes, and how it ends.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{self, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use airtcp_plan::{FileContent, JobEvent, SESSION_DATA_BYTES_MAX, SessionFlow, TerminalSize};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use super::messages::Messages;
use super::terminal;
use crate::guest_paths::NAMESPACES;
use crate::process::reaper::{self, Exit};
use crate::process::spawn;
use crate::sys::child;
use crate::traffic::confinement::Confinement;
use crate::traffic::{session_flow, user_command};

/// What is started.
pub(super) struct Command {
    /// Node that it runs in.
    pub(super) node: String,
    /// For `/bin/sh -c`.
    pub(super) line: String,
    /// Size of the terminal, if the command has one.
    pub(super) terminal: Option<TerminalSize>,
}

/// A running command.
#[derive(Debug)]
pub(super) struct Job {
    pid: Pid,
    terminal: Option<Arc<OwnedFd>>,
    input: Option<Sender<Vec<u8>>>,
}

/// The agent's ends of what a command reads and writes.
struct Ends {
    input: File,
    outputs: Vec<Output>,
    terminal: Option<Arc<OwnedFd>>,
}

/// An output of a job: a pipe or a terminal that it writes.
struct Output {
    file: File,
    error: bool,
}

impl Job {
    /// Starts a command, and the threads that look after it.
    ///
    /// # Errors
    /// Why it can't be started.
    pub(super) fn start(
        number: u32,
        command: &Command,
        confinement: &Confinement,
        messages: &Arc<Messages>,
    ) -> Result<Self, String> {
        let failed = |error: io::Error| format!("the command can't be started: {error}");
        let namespace = File::open(Path::new(NAMESPACES).join(&command.node)).map_err(failed)?;
        let mut process = user_command::shell(&command.node, &command.line);
        let ends = match command.terminal {
            Some(size) => on_terminal(&mut process, size),
            None => on_pipes(&mut process),
        };
        let ends = ends.map_err(failed)?;
        let pid = confinement.start(&command.node, namespace.as_fd(), &mut process).map_err(failed)?;
        // The ends of the command itself close here: its output ends when its processes have closed theirs.
        drop(process);
        Self::look_after(number, pid, ends, messages)
    }

    /// Starts a flow.
    ///
    /// # Errors
    /// Why it can't be started.
    pub(super) fn start_flow(
        number: u32,
        flow: &SessionFlow,
        messages: &Arc<Messages>,
    ) -> Result<Self, String> {
        let mut process = session_flow::program(flow);
        let failed = |error: io::Error| format!("the flow can't be started: {error}");
        let ends = on_pipes(&mut process).map_err(failed)?;
        let pid = reaper::start(&mut process).map_err(failed)?;
        drop(process);
        Self::look_after(number, pid, ends, messages)
    }

    fn look_after(number: u32, pid: Pid, ends: Ends, messages: &Arc<Messages>) -> Result<Self, String> {
        let Ends { input, outputs, terminal } = ends;
        let (sender, chunks) = channel();
        let started = spawn(format!("job {number} input"), move || write_all(input, &chunks));
        let started = started.and_then(|()| {
            let messages = Arc::clone(messages);
            spawn(format!("job {number}"), move || look_after(number, pid, outputs, &messages))
        });
        started.map_err(|failure| failure.what)?;
        Ok(Self { pid, terminal, input: Some(sender) })
    }

    /// Writes to its input, or types on its terminal.
    pub(super) fn write(&mut self, bytes: Vec<u8>) {
        if let Some(input) = &self.input {
            // It has closed its input.
            let _ = input.send(bytes);
        }
    }

    /// Closes the standard input of the job after what was written.
    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// Sets the size of the job's terminal.
    pub(super) fn resize(&self, size: TerminalSize) {
        if let Some(terminal) = &self.terminal {
            // Only a terminal that is gone has no size.
            let _ = terminal::resize(terminal, size);
        }
    }

    /// Sends a signal to it and all that it has started.
    pub(super) fn signal(&self, signal: Signal) {
        // It may have ended.
        let _ = kill_process_group(self.pid, signal);
    }
}

fn on_pipes(process: &mut process::Command) -> io::Result<Ends> {
    let [(stdin, input), (output, stdout), (error, stderr)] =
        [pipe_with(PipeFlags::CLOEXEC)?, pipe_with(PipeFlags::CLOEXEC)?, pipe_with(PipeFlags::CLOEXEC)?];
    process.stdin(Stdio::from(stdin)).stdout(Stdio::from(stdout)).stderr(Stdio::from(stderr));
    process.process_group(0);
    let outputs = [(output, false), (error, true)].map(|(file, error)| Output { file: file.into(), error });
    Ok(Ends { input: input.into(), outputs: outputs.into(), terminal: None })
}

fn on_terminal(process: &mut process::Command, size: TerminalSize) -> io::Result<Ends> {
    let own = terminal::open(size)?;
    let other = || terminal::other_side(&own);
    process.stdin(other()?).stdout(other()?).stderr(other()?).env("TERM", "xterm-256color");
    child::lead_terminal(process);
    let [input, output] = [own.try_clone()?, own.try_clone()?].map(File::from);
    Ok(Ends { input, outputs: vec![Output { file: output, error: false }], terminal: Some(Arc::new(own)) })
}

/// Writes until there will be no more, or nobody reads any more.
fn write_all(mut input: File, chunks: &Receiver<Vec<u8>>) {
    while let Ok(bytes) = chunks.recv() {
        if input.write_all(&bytes).is_err() {
            return;
        }
    }
}

/// Reports all that a command writes, and how it ends; then what processes still write that it has left.
fn look_after(number: u32, pid: Pid, mut outputs: Vec<Output>, messages: &Messages) {
    // The process may have ended and been reaped already.
    let mut process = pidfd_open(pid, PidfdFlags::empty()).ok();
    let mut ended = false;
    loop {
        let over = wait(&outputs, process.as_ref().map(AsFd::as_fd), !ended && process.is_none());
        outputs.retain_mut(|output| tell_some(number, output, messages));
        if !ended && over {
            // What it had written before its end has been reported by now, but for more than one chunk of it.
            while outputs.iter().any(|output| readable(&output.file)) {
                outputs.retain_mut(|output| tell_some(number, output, messages));
            }
            messages.say(number, how(reaper::wait_for(pid)));
            ended = true;
            process = None;
        }
        if ended && outputs.is_empty() {
            return;
        }
    }
}

/// Waits until something can be read, or the process has ended; returns whether it has.
fn wait(outputs: &[Output], process: Option<BorrowedFd<'_>>, reaped: bool) -> bool {
    if reaped {
        return true;
    }
    let mut watched: Vec<_> = outputs.iter().map(|output| PollFd::new(&output.file, PollFlags::IN)).collect();
    watched.extend(process.map(|process| PollFd::from_borrowed_fd(process, PollFlags::IN)));
    while poll(&mut watched, None) == Err(rustix::io::Errno::INTR) {}
    process.is_some() && watched.last().is_some_and(|last| last.revents().contains(PollFlags::IN))
}

fn readable(file: &File) -> bool {
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    matches!(poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&at_once)), Ok(ready) if ready > 0)
}

/// Reports the next bytes of an output, if there are any; returns whether there may be more.
fn tell_some(number: u32, output: &mut Output, messages: &Messages) -> bool {
    if !readable(&output.file) {
        return true;
    }
    let mut bytes = [0; SESSION_DATA_BYTES_MAX];
    match output.file.read(&mut bytes) {
        Ok(0) => false,
        Ok(length) => {
            let data = FileContent::of(&bytes[..length]);
            messages.say(number, JobEvent::Output { error: output.error, data });
            true
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => true,
        // Nobody has the other side of the terminal any more.
        Err(_) => false,
    }
}

fn how(exit: Exit) -> JobEvent {
    match exit {
        Exit::Status(status) => JobEvent::Ended { status: Some(status), signal: None },
        Exit::Signal(signal) => JobEvent::Ended { status: None, signal: Some(signal) },
    }
}
