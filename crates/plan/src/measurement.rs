//! What is said between the command that measures a real network and the agents on its machines: one JSON object per line.

use std::net::Ipv4Addr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Plan;
use crate::files::FileContent;
use crate::report::{AgentReport, Failure};

/// Version of these messages; agents of another one are refused.
pub const MEASUREMENT_VERSION: u32 = 1;
/// An agent that has read no order for so long takes its connection for cut. Whoever orders says [`Order::Alive`] more often.
pub const SILENCE_MOST_NS: u64 = 15_000_000_000;
/// Bytes of a file in one [`Answer::File`].
pub const PIECE_BYTES: usize = 192 << 10;

/// To an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "order")]
#[schemars(rename = "MeasurementOrder")]
pub enum Order {
    /// Nothing is to be done; the connection is there.
    Alive {},
    /// What the machine's clocks show is to be said.
    Clock {
        /// Returned with the answer.
        number: u64,
    },
    /// A command is to be run to its end.
    Execute {
        /// Returned with the answer.
        number: u64,
        /// Program and arguments.
        command: Vec<String>,
        /// Standard input of the command.
        input: String,
    },
    /// A command that changes the machine is to be run to its end.
    Change {
        /// Returned with the answer.
        number: u64,
        /// Program and arguments.
        command: Vec<String>,
        /// Standard input of the command.
        input: String,
        /// The command that undoes it, run at the end whatever happens.
        undo: Vec<String>,
        /// The standard input of that.
        undo_input: String,
    },
    /// A run is to begin.
    Start(Box<StartOrder>),
    /// The run has ended: traffic is to end now.
    Stop {},
    /// All files of the run are to be sent.
    Collect {},
}

/// A run, as one node has to take part in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartOrder {
    /// The node that this machine is.
    pub node: String,
    /// The plan, with the addresses and interface names of the real network.
    pub plan: Plan,
    /// Traffic time zero on `CLOCK_MONOTONIC` of this machine.
    pub epoch_ns: u64,
    /// Addresses of the machines whose connections with this one are a program's, unless the plan has them.
    pub peers: Vec<Ipv4Addr>,
    /// Programs that run beside the traffic and are ended by SIGINT at the end: what captures packets.
    pub recorders: Vec<Recorder>,
    /// Commands that are run again and again.
    pub polls: Vec<Poll>,
}

/// A program that records beside the traffic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recorder {
    /// Name of the recorder in messages, and of its output among that of programs.
    pub name: String,
    /// Program and arguments; in them `{folder}` stands for the folder of the run's files.
    pub command: Vec<String>,
    /// What ends it, likewise, where the user may not signal it; empty: SIGINT does.
    pub end: Vec<String>,
}

/// A command whose output is a sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Poll {
    /// Name of its file among those of programs: `NAME.jsonl`, one [`Polled`] per line.
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Time between samples.
    pub interval_ns: u64,
}

/// One sample of a [`Poll`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Polled {
    /// When the command was started, from the epoch.
    pub time_ns: i64,
    /// Output of the command.
    pub output: String,
}

/// From an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "answer")]
#[schemars(rename = "MeasurementAnswer")]
pub enum Answer {
    /// The agent is there.
    Ready {
        /// [`MEASUREMENT_VERSION`].
        version: u32,
        /// Real user.
        uid: u32,
        /// Effective capabilities (`CapEff` of `/proc/self/status`, capabilities(7)).
        capabilities: String,
    },
    /// To [`Order::Clock`].
    Clock {
        /// Number of the order.
        number: u64,
        /// `CLOCK_MONOTONIC`.
        monotonic_ns: u64,
        /// `CLOCK_REALTIME`.
        realtime_ns: u64,
    },
    /// To [`Order::Execute`] and [`Order::Change`].
    Executed {
        /// Number of the order.
        number: u64,
        /// Exit status; `null` if a signal ended it or it could not be started.
        status: Option<i32>,
        /// Standard output.
        output: String,
        /// Standard error, or why it could not be started.
        error: String,
    },
    /// To [`Order::Start`]: all sockets are open.
    Started {},
    /// The order can't be carried out, or the run can't go on.
    Failed(Failure),
    /// A flow of the plan has ended at its receiver.
    FlowEnded {
        /// Number of the flow in the plan.
        flow: u32,
        /// Time of the end, from the epoch.
        at_ns: u64,
    },
    /// A program of the plan has ended.
    ProgramEnded {
        /// Number of the program in the plan.
        program: u32,
        /// Time of the end, from the epoch.
        at_ns: u64,
    },
    /// A piece of a file of the run.
    File {
        /// Path in the folder of the run's files.
        path: String,
        /// At most [`PIECE_BYTES`] bytes.
        data: FileContent,
    },
    /// To [`Order::Collect`], after all files: what the agent says of its own ends.
    Collected(Box<AgentReport>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_and_answers_are_flat_objects() {
        let order: Order = serde_json::from_str(r#"{"order":"clock","number":3}"#).unwrap();
        assert_eq!(order, Order::Clock { number: 3 });
        let answer = Answer::FlowEnded { flow: 1, at_ns: 5 };
        assert_eq!(serde_json::to_string(&answer).unwrap(), r#"{"answer":"flow_ended","flow":1,"at_ns":5}"#);
        assert!(serde_json::from_str::<Order>(r#"{"order":"clock","numbers":3}"#).is_err());
    }
}
