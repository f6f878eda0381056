//! The runner's output for the program that started it: one JSON object per line.

use std::cell::Cell;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use airtcp_plan::{measurement, session_messages};
use schemars::JsonSchema;
use serde::Serialize;

use crate::failure::{Kind, RunFailure};

/// One line of the runner's output.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[schemars(rename = "RunEvent")]
pub enum Event<'a> {
    /// The run has its name.
    Start {
        /// 16 hexadecimal digits.
        run: &'a str,
        /// Place where the run folder will be.
        folder: &'a str,
    },
    /// Another process computes the same run, and this one waits for its result.
    Waiting {
        /// 16 hexadecimal digits.
        run: &'a str,
        /// Whether the wait is over.
        over: bool,
    },
    /// Progress of the run.
    Progress {
        /// Virtual time since the epoch.
        virtual_ns: u64,
        /// Length of the run.
        of_ns: u64,
    },
    /// The run is complete.
    Done {
        /// 16 hexadecimal digits.
        run: &'a str,
        /// Folder of the run.
        folder: &'a str,
        /// Whether the run was in the store before.
        cached: bool,
        /// Wall-clock time that the run took.
        wall_s: f64,
        /// CPU time of the guest.
        cpu_s: f64,
        /// Virtual time.
        virtual_s: f64,
    },
    /// The run failed.
    Failed {
        /// Kind of failure.
        kind: Kind,
        /// What went wrong.
        what: &'a str,
        /// Place of the failure.
        place: &'a str,
        /// What to do.
        remedy: &'a str,
        /// Last lines of the guest's console.
        console: &'a [String],
    },
}

impl<'a> Event<'a> {
    /// The event of a failure.
    pub fn failed(failure: &'a RunFailure) -> Self {
        let RunFailure { kind, what, place, remedy, console } = failure;
        Self::Failed { kind: *kind, what, place, remedy, console }
    }

    /// Prints the event, and records whether the reader has closed the pipe.
    pub fn print(&self) {
        if QUIET.get() {
            return;
        }
        let line = serde_json::to_string(self).expect("events are plain data");
        let mut out = std::io::stdout().lock();
        if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
            READER_GONE.store(true, Ordering::Relaxed);
        }
    }
}

static READER_GONE: AtomicBool = AtomicBool::new(false);

/// Whether the reader of the events has closed the pipe: then nothing waits for the run.
pub fn reader_gone() -> bool {
    READER_GONE.load(Ordering::Relaxed)
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Does something without printing events.
pub fn quietly<T>(work: impl FnOnce() -> T) -> T {
    QUIET.set(true);
    let result = work();
    QUIET.set(false);
    result
}

/// One message of each kind between the programs of airtcp: what the schema of messages describes.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Messages {
    run_event: Event<'static>,
    session_order: session_messages::Order,
    session_answer: session_messages::Answer<'static>,
    measurement_order: measurement::Order,
    measurement_answer: measurement::Answer,
}

/// The JSON schema of the lines that runner, session and measuring agents read and print, with the kinds of messages in `$defs`.
pub fn message_schema() -> serde_json::Value {
    schemars::schema_for!(Messages).into()
}
