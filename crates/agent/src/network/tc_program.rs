//! Queueing disciplines that only the `tc` program can set up: it is run once per node, in batch mode.

use std::io::Write;
use std::os::fd::BorrowedFd;
use std::process::{Command, Output, Stdio};

use crate::failure::{Outcome, because, failure};
use crate::process::host_program;
use crate::sys::child;

/// One line for the program and the key of the plan it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// `qdisc replace dev eth0 ...`
    pub(crate) text: String,
    /// Key of the plan.
    pub(crate) place: String,
}

impl Line {
    /// The line that makes a discipline the root of a device.
    pub(crate) fn root_qdisc(device: &str, handle: u32, words: &[String]) -> Self {
        let text = format!("qdisc replace dev {device} root handle {:x}: {}", handle >> 16, words.join(" "));
        Self { text, place: String::new() }
    }

    /// This line with the key of the plan that it comes from.
    pub(crate) fn at(self, place: impl Into<String>) -> Self {
        Self { place: place.into(), ..self }
    }
}

/// Runs the lines in a namespace.
pub(crate) fn run(namespace: BorrowedFd<'_>, lines: &[Line]) -> Outcome<()> {
    let Some(first) = lines.first() else { return Ok(()) };
    let program = host_program::find("tc").ok_or_else(|| {
        failure(
            "the program tc is not installed",
            &first.place,
            "install iproute2, or use queues of other kinds",
        )
    })?;
    let output = execute(Command::new(program), namespace, lines).map_err(because(
        "the program tc can't be run",
        &first.place,
        "reinstall iproute2",
    ))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = failed_line(&said).and_then(|n| lines.get(n - 1)).unwrap_or(first);
    // Which line of the batch it was says nothing to those who wrote one queue.
    let reason = said.rsplit_once("Command failed").map_or(&*said, |(reason, _)| reason);
    let what = format!("tc refuses '{}': {}", line.text, reason.trim());
    Err(failure(what, &line.place, "correct these words, or use a kernel with this discipline"))
}

fn execute(mut command: Command, namespace: BorrowedFd<'_>, lines: &[Line]) -> std::io::Result<Output> {
    command.args(["-batch", "-"]).env_clear();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    child::confine(&mut command, namespace, child::Extras::default());
    let mut running = command.spawn()?;
    let text: String = lines.iter().flat_map(|l| [l.text.as_str(), "\n"]).collect();
    // A refused line ends the program and with it the pipe; its message on stderr is the error then.
    let _ = running.stdin.take().expect("stdin is piped").write_all(text.as_bytes());
    running.wait_with_output()
}

/// The line number in tc's error message, `Command failed -:3`.
fn failed_line(said: &str) -> Option<usize> {
    let number = said.rsplit_once("Command failed -:")?.1;
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|&n| n > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_put_at_the_root() {
        let words = ["fq_codel".to_owned(), "target".to_owned(), "5ms".to_owned()];
        let line = Line::root_qdisc("eth0", 0x3_0000, &words);
        assert_eq!(line.text, "qdisc replace dev eth0 root handle 3: fq_codel target 5ms");
    }

    #[test]
    fn the_refused_line_is_found() {
        let said = "Error: Specified qdisc kind is unknown.\nCommand failed -:12\n";
        assert_eq!(failed_line(said), Some(12));
        assert_eq!(failed_line("Segmentation fault"), None);
    }
}
