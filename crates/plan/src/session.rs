//! A session: what enters a network from outside while it runs, and what comes out.
//!
//! The user of a session stops the clock, types commands and changes the network. Each of these **inputs** enters
//! at an instant of virtual time, before anything else of that instant. A plan with the same inputs is the same run, without its user.
//! A **job** is what an input begins: a program, or a change of the network. Its number is given by whoever makes the input.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use airtcp_units::{Dbm, Metre};

use crate::FileContent;

/// Most bytes of one message between the session and the agent (`AIRTCP_SESSION_BYTES` of the kernel patches).
pub const SESSION_MESSAGE_BYTES_MAX: usize = 1 << 16;
/// Most bytes of input or output in one message: even if each becomes six characters of JSON, they fit into a message.
pub const SESSION_DATA_BYTES_MAX: usize = 1 << 13;

/// The inputs of a run, in the order of their times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// What enters, and when.
    pub inputs: Vec<SessionInput>,
}

/// What enters at an instant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionInput {
    /// Time of the input. Inputs of one instant enter in their order.
    pub at_ns: u64,
    /// Number of the job that it begins or that it is for.
    pub job: u32,
    /// What the input does.
    pub act: SessionAct,
}

/// What a user does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum SessionAct {
    /// Starts a command in a node.
    Start {
        /// Node that it runs in.
        node: String,
        /// Command line for `/bin/sh -c`.
        command: String,
        /// The size of its terminal; `null`: it has none, but pipes.
        terminal: Option<TerminalSize>,
    },
    /// Starts a TCP flow of the agent's own kind, as a program of its sender's node.
    Flow(SessionFlow),
    /// Writes to the standard input of a job, or types on its terminal.
    Write {
        /// At most [`SESSION_DATA_BYTES_MAX`] bytes.
        data: FileContent,
    },
    /// Ends the standard input of a job. To a flow: it writes nothing more, and ends when what it has written has arrived.
    CloseInput {},
    /// Changes the size of a job's terminal.
    Resize {
        /// The new size.
        size: TerminalSize,
    },
    /// Sends a signal to a job and all that it has started.
    Signal {
        /// Number of the signal (signal(7)).
        signal: i32,
    },
    /// Switches an interface on or off.
    Link {
        /// Node of the interface.
        node: String,
        /// Name of the interface.
        interface: String,
        /// Whether the interface is on from now on.
        up: bool,
    },
    /// Changes how an end of a wire sends.
    Wire {
        /// The node of this end.
        node: String,
        /// Interface at this end of the wire.
        interface: String,
        /// Rate of Ethernet frames without preamble and FCS; `null`: no limit.
        rate_bps: Option<u64>,
        /// One-way propagation delay.
        delay_ns: u64,
    },
    /// Moves a NIC of the air, at once.
    Move {
        /// Index of the NIC in `air.nics`.
        nic: u32,
        /// Where to, in metres; the third coordinate is the height.
        position_m: [Metre; 3],
    },
    /// Fixes the power with which a NIC of the air receives another.
    Rssi {
        /// The sender's place in `air.nics`.
        from: u32,
        /// The receiver's.
        to: u32,
        /// The power.
        rssi_dbm: Dbm,
    },
    /// Fixes the probability with which data frames from a NIC of the air to another are lost, beside losses of reception.
    Loss {
        /// The sender's place in `air.nics`.
        from: u32,
        /// The receiver's.
        to: u32,
        /// Probability that a data frame (MPDU) is lost, each time it is sent.
        probability: f64,
    },
    /// Ends the run.
    End {},
}

impl Session {
    /// When an input ends the run, if one does.
    pub fn end_ns(&self) -> Option<u64> {
        self.inputs.iter().find(|input| input.act == SessionAct::End {}).map(|input| input.at_ns)
    }
}

impl SessionAct {
    /// Whether the model of the air carries it out, and not the agent.
    pub const fn is_of_the_air(&self) -> bool {
        matches!(self, Self::Move { .. } | Self::Rssi { .. } | Self::Loss { .. })
    }
}

/// A TCP flow that a session starts: data goes from one node to another, as fast as TCP takes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionFlow {
    /// Node that sends.
    pub from: String,
    /// Node that receives, and listens.
    pub to: String,
    /// Address of the receiver that the sender connects to.
    pub address: IpAddr,
    /// TCP port of the receiver.
    pub port: u16,
    /// Congestion control of the sender, by the kernel's name.
    pub congestion_control: String,
    /// Bytes after which it ends; `null`: it is not limited so.
    pub bytes: Option<u64>,
    /// Time from its start after which nothing more is written, by the sender's clock; `null`: it is not limited so.
    pub length_ns: Option<u64>,
}

/// The size of a terminal in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TerminalSize {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub columns: u16,
}

/// What a job says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionEvent {
    /// Number of the job.
    pub job: u32,
    /// What happened.
    pub happened: JobEvent,
}

/// What happened to a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum JobEvent {
    /// The job wrote something.
    Output {
        /// Whether to standard error.
        error: bool,
        /// What.
        data: FileContent,
    },
    /// The job has ended. Processes that it has left may still write.
    Ended {
        /// Exit status of the job; `null` if a signal ended it.
        status: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
    /// The job was refused.
    Refused {
        /// Why.
        why: String,
    },
    /// No job, but a privileged program changes the air.
    AirChange {
        /// The change: one that [`SessionAct::is_of_the_air`].
        act: SessionAct,
    },
}

impl JobEvent {
    /// The event of a change of the network that was carried out.
    pub const DONE: Self = Self::Ended { status: Some(0), signal: None };

    /// Whether the job has ended, in whatever way.
    pub const fn is_last(&self) -> bool {
        matches!(self, Self::Ended { .. } | Self::Refused { .. })
    }
}
