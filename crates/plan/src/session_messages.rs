//! What the user's side and the session tell each other: one JSON object per line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{JobEvent, SessionAct, SessionInput};

/// What the user wants.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "order")]
#[schemars(rename = "SessionOrder")]
pub enum Order {
    /// An input that enters now.
    Enter {
        /// Job of the input.
        job: u32,
        /// The input.
        act: SessionAct,
    },
    /// Time goes on.
    Go(Until),
    /// Time stops as soon as possible.
    Stop {},
    /// From now on virtual time goes at most so fast.
    Pace {
        /// Virtual time per real time; `null`: as fast as it can.
        of_real_time: Option<f64>,
    },
    /// The hash over all frames so far.
    FrameHash {},
    /// All records so far go to their files.
    Flush {},
}

/// Where time stops again: where the first of these happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// This time from the epoch.
    #[serde(default)]
    pub at_ns: Option<u64>,
    /// The end of this job.
    #[serde(default)]
    pub job: Option<u32>,
    /// The end of a PPDU.
    #[serde(default)]
    pub ppdu: bool,
}

/// What the session answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "session")]
#[schemars(rename = "SessionAnswer")]
pub enum Answer<'a> {
    /// Time stands still.
    Stopped {
        /// Now, from the epoch.
        at_ns: u64,
        /// What was waited for.
        why: Why,
    },
    /// An input has entered.
    Entered(&'a SessionInput),
    /// A job has said something.
    Said {
        /// Time of the event, in nanoseconds from the epoch.
        at_ns: u64,
        /// Number of the job.
        job: u32,
        /// What.
        happened: &'a JobEvent,
    },
    /// A PPDU has ended.
    Ppdu {
        /// Start of the PPDU, in nanoseconds from the epoch.
        start_ns: i64,
        /// End of the PPDU, in nanoseconds from the epoch.
        end_ns: i64,
        /// Index of the sender in `air.nics`.
        nic: u32,
        /// Index of the receiver in `air.nics`; `null`: a group.
        to: Option<u32>,
        /// Number of its kind, as in the series of PPDUs.
        kind: u32,
        /// Bit rate of the PPDU.
        rate_bps: u64,
        /// Length of its PSDU.
        bytes: u32,
        /// Number of the attempt.
        attempt: u32,
        /// Number of what became of it, as in the series of PPDUs.
        outcome: u32,
    },
    /// The run has ended.
    Ended {
        /// When the guest was switched off, from the epoch.
        at_ns: u64,
        /// The hash over all frames.
        hash: &'a str,
    },
    /// All records so far are in their files.
    Flushed {
        /// Now, from the epoch.
        at_ns: u64,
        /// Mean power at which each of `air.nics` receives the access point of its cell; `null`: it is none of its stations.
        signals_dbm: Vec<Option<f64>>,
    },
    /// The hash over all frames so far.
    FrameHash {
        /// Now, from the epoch.
        at_ns: u64,
        /// Hash over all frames, as in the report of a run.
        hash: &'a str,
    },
}

/// Why time stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The session begins: traffic time zero.
    Begin,
    /// The time has come.
    Time,
    /// The job has ended.
    Job,
    /// A PPDU has ended.
    Ppdu,
    /// The user wanted it.
    Stop,
}
