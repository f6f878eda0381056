//! A TCP connection between two nodes and what uses it.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Workload;

/// A TCP connection by the agent: data goes from one node to another, as its workload says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Unique name, for people.
    pub name: String,
    /// Node that the data comes from.
    pub from: String,
    /// Node that gets it.
    pub to: String,
    /// Address to connect to, of the node that listens ([`Flow::listening`]).
    pub address: IpAddr,
    /// TCP port of the listening end; unique per listening node.
    pub port: u16,
    /// Congestion control of the data's sender, by the kernel's name.
    pub congestion_control: String,
    /// When the connection is made.
    pub start_ns: u64,
    /// Time after which nothing is written or requested; a flow whose stop is at or after the run's end ends with the run.
    pub stop_ns: u64,
    /// Pacing limit of the data's sender (`SO_MAX_PACING_RATE`); headers of IP and of the layers below are not counted.
    pub pacing_bps: Option<u64>,
    /// Bytes that must have arrived before the receiver reads (`SO_RCVLOWAT`); `null`: any number. For bulk transfers only.
    pub low_water_bytes: Option<u32>,
    /// Differentiated services code point of every packet, both ways (RFC 2474); 0 to 63.
    pub dscp: u8,
    /// What is sent when.
    pub workload: Workload,
}

impl Flow {
    /// Node that listens: the receiver of the data, or the sender if the receiver requests it.
    pub fn listening(&self) -> &str {
        if self.workload.is_asked_for() { &self.from } else { &self.to }
    }

    /// Node that connects: the sender of the data, or the receiver if it requests the data.
    pub fn connecting(&self) -> &str {
        if self.workload.is_asked_for() { &self.to } else { &self.from }
    }
}
