//! What the user's side and the session tell each other: one JSON object per line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, EndedPpdu, Happening};
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
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
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
    /// Something else.
    #[serde(default)]
    pub condition: Option<Condition>,
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
        /// What the condition waited for, if it was that.
        happened: &'a [Happening],
        /// When that happened, from the epoch: 1 ns ago, or now, if it was so before time went on. `null` of other stops.
        happened_ns: Option<u64>,
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
    Ppdu(EndedPpdu),
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
    /// What the condition waits for.
    Condition,
    /// The user wanted it.
    Stop,
}
