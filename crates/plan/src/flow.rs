//! A TCP connection between two nodes and what uses it.

use std::net::Ipv4Addr;

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
    pub address: Ipv4Addr,
    /// Its port; unique per listening node.
    pub port: u16,
    /// Congestion control of the data's sender, by the kernel's name.
    pub congestion_control: String,
    /// When the connection is made.
    pub start_ns: u64,
    /// After this time nothing is written or asked for; at or after the run's end the flow is cut with the run.
    pub stop_ns: u64,
    /// Limit of the data's sender (`SO_MAX_PACING_RATE`): IP packets and what is below them are not counted.
    pub pacing_bps: Option<u64>,
    /// The receiver reads when so much is there (`SO_RCVLOWAT`); `null`: as soon as anything is. Of bulk transfers only.
    pub low_water_bytes: Option<u32>,
    /// Differentiated services code point of every packet, both ways (RFC 2474); 0 to 63.
    pub dscp: u8,
    /// What is sent when.
    pub workload: Workload,
}

impl Flow {
    /// Node that listens: who gets the data, or of whom it is asked.
    pub fn listening(&self) -> &str {
        if self.workload.is_asked_for() { &self.from } else { &self.to }
    }

    /// Node that connects: who sends the data, or asks for it.
    pub fn connecting(&self) -> &str {
        if self.workload.is_asked_for() { &self.to } else { &self.from }
    }
}
