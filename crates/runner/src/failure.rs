//! Why a run gave no result.

use std::path::Path;

use airtcp_plan::report::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{guest_file, kernel_fault};

/// The most that is read of a console, at its beginning and at its end: a guest may write without end.
pub const CONSOLE_BYTES: u64 = 256 << 10;

/// Longest text in a failure: a guest may have written it.
const TEXT_CHARS_MOST: usize = 4000;

/// Number of last lines of a console in a failure.
const LAST_LINES: usize = 15;

/// What kind of thing failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FailureKind")]
pub enum Kind {
    /// The plan is refused.
    Plan,
    /// The kernel, the guest library or the agent is missing or does not fit.
    Kernel,
    /// The guest crashed, or ended before its time.
    Guest,
    /// Virtual time stopped moving.
    Hang,
    /// The model of the air failed.
    Air,
    /// No space, or no permission to write.
    Disk,
    /// A program of the scenario failed.
    Program,
    /// The user ended it.
    Interrupted,
    /// Our own fault.
    Internal,
}

impl Kind {
    /// The exit status of the runner: 2 for what the user can fix before a
    /// run, 3 for a run that failed, 130 for an interruption.
    pub const fn exit_status(self) -> u8 {
        match self {
            Self::Plan | Self::Kernel | Self::Disk => 2,
            Self::Guest | Self::Hang | Self::Air | Self::Program | Self::Internal => 3,
            Self::Interrupted => 130,
        }
    }
}

/// A failed run, described for its user.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{what} ({place}): {remedy}")]
pub struct RunFailure {
    /// Kind of the failure.
    pub kind: Kind,
    /// What went wrong.
    pub what: String,
    /// Place of the failure: a key of the plan, a file or a step.
    pub place: String,
    /// What to do.
    pub remedy: String,
    /// Lines of the console, if the guest had started: the first fault of the kernel, and the last lines.
    pub console: Vec<String>,
}

impl RunFailure {
    /// A failure without a console.
    pub fn new(
        kind: Kind,
        what: impl Into<String>,
        place: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let [what, place, remedy] = [what.into(), place.into(), remedy.into()].map(shortened);
        Self { kind, what, place, remedy, console: Vec::new() }
    }

    /// A file operation that the system refused.
    pub fn disk(error: &std::io::Error, path: &Path) -> Self {
        let remedy = match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                "free some space, or name a store on another disk with --store"
            }
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                "name a store you may write to with --store"
            }
            _ => "check the path",
        };
        Self::new(Kind::Disk, error.to_string(), path.display().to_string(), remedy)
    }

    /// A run that its user interrupted.
    pub fn interrupted(run: &str) -> Self {
        Self::new(Kind::Interrupted, "interrupted", run, "start it again")
    }

    /// What the agent reported.
    pub fn from_agent(failure: &Failure, kind: Kind) -> Self {
        Self::new(kind, &failure.what, &failure.place, &failure.remedy)
    }

    /// Adds the first fault of the kernel in the console, if there is one.
    #[must_use]
    pub fn with_fault(mut self, work: &Path) -> Self {
        self.console = faults(&work.join(airtcp_plan::report::CONSOLE_FILE));
        self
    }

    /// Adds lines of the console: its end, and the first fault of the kernel before it.
    #[must_use]
    pub fn with_console(mut self, work: &Path) -> Self {
        self.console = relevant_lines(&work.join(airtcp_plan::report::CONSOLE_FILE));
        self
    }
}

/// A text, cut to the longest that a failure has.
fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(TEXT_CHARS_MOST) {
        text.truncate(end);
        text.push_str("...");
    }
    text
}

/// The first fault in a console, and its first frames; empty without a fault.
fn faults(path: &Path) -> Vec<String> {
    let bytes = guest_file::ends(path, CONSOLE_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<_> = text.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
    let (_, lines_kept) = kernel_fault::first_frames(&lines).unwrap_or_default();
    lines_kept.into_iter().map(|line| shortened(line.to_owned())).collect()
}

/// The lines of a console in a failure: the last ones, and before them the first fault; empty if the console can't be read.
fn relevant_lines(path: &Path) -> Vec<String> {
    let bytes = guest_file::ends(path, CONSOLE_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<_> = text.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
    let last = lines.len().saturating_sub(LAST_LINES);
    let (end, mut lines_kept) = kernel_fault::first_frames(&lines[..last]).unwrap_or((last, Vec::new()));
    if end < last {
        lines_kept.push("...");
    }
    lines_kept.extend(&lines[last..]);
    lines_kept.into_iter().map(|line| shortened(line.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_console_is_cut_to_its_last_lines() {
        let folder = tempfile::tempdir().unwrap();
        let text: String = "line\n\n".repeat(39) + "the last\n";
        std::fs::write(folder.path().join("console.log"), text).unwrap();
        let failure = RunFailure::new(Kind::Guest, "a", "b", "c").with_console(folder.path());
        assert_eq!(failure.console.len(), 15);
        assert_eq!(failure.console[14], "the last");
    }

    #[test]
    fn the_fault_is_reported_though_many_lines_follow_it() {
        let folder = tempfile::tempdir().unwrap();
        let console_of = |text: &str| {
            std::fs::write(folder.path().join("console.log"), text).unwrap();
            RunFailure::new(Kind::Guest, "a", "b", "c").with_console(folder.path()).console
        };
        let fault = "BUG: failure at a.c:5\nStack:\nCall Trace:\n [<6001>] f+0x1\n";
        let console = console_of(&(fault.to_owned() + &"R: 0\n".repeat(40)));
        assert_eq!(console[..4], ["BUG: failure at a.c:5", "Call Trace:", " [<6001>] f+0x1", "..."]);
        assert_eq!(console.len(), 4 + LAST_LINES);
        // A fault among the last lines appears once.
        assert_eq!(console_of(fault).len(), 4);
    }

    #[test]
    fn a_failure_has_a_longest_text() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("console.log"), "x".repeat(100_000)).unwrap();
        let failure = RunFailure::new(Kind::Guest, "ä".repeat(1 << 20), "b", "c").with_console(folder.path());
        assert_eq!(failure.what, "ä".repeat(TEXT_CHARS_MOST) + "...");
        assert_eq!(failure.console[0].len(), TEXT_CHARS_MOST + 3);
    }

    #[test]
    fn a_full_disk_says_so() {
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        assert!(RunFailure::disk(&full, Path::new("/store")).remedy.starts_with("free some space"));
    }
}
