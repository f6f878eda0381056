//! What the user of a session waits for, and what has happened when time stops for it.
//!
//! Places of nodes, radios and flows are those of the plan and of the records: flows of programs follow those of the plan.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that is so at the end of an instant, or that happens at one.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Condition {
    /// All of these, at one instant.
    All {
        /// At least one.
        of: Vec<Condition>,
    },
    /// One of these.
    Any {
        /// At least one.
        of: Vec<Condition>,
    },
    /// A flow's value in the series `flows` compares so. It may be so from the beginning.
    Flow {
        /// The flows of which one is meant.
        of: FlowChoice,
        /// What is compared.
        value: Compared,
    },
    /// The sender of a flow sends a segment again.
    Retransmission {
        /// The flows of which one is meant.
        of: FlowChoice,
    },
    /// A queueing discipline's value in the series `qdiscs` compares so. It may be so from the beginning.
    Queue {
        /// Node of the interface; `null`: any.
        node: Option<u32>,
        /// Place of the interface in its node; `null`: any.
        interface: Option<u32>,
        /// What is compared.
        value: Compared,
    },
    /// A packet is lost: by a queue, by a radio, by a wire, or by an interface that goes down.
    Loss {
        /// The flow that sends it; `null`: it may be any packet.
        of: Option<FlowChoice>,
        /// Node of the interface; `null`: any.
        node: Option<u32>,
    },
    /// A station is associated with another access point than before.
    Roam {
        /// Index of the station in `air.nics`; `null`: any.
        nic: Option<u32>,
    },
    /// A PPDU ends.
    Frame {
        /// Index of its sender in `air.nics`; `null`: any.
        from: Option<u32>,
        /// Index of its receiver; `null`: any.
        to: Option<u32>,
        /// Number of its kind, as in the series of PPDUs; `null`: any.
        ppdu: Option<u32>,
        /// Number of what became of it, as in the series of PPDUs; `null`: any.
        outcome: Option<u32>,
    },
}

/// A column of a series, compared with a number.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compared {
    /// Name of the column, whose values are numbers.
    pub column: String,
    /// How its value and the number compare.
    pub comparison: Comparison,
    /// The number, in the unit of the column.
    pub than: f64,
}

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `=`
    Equal,
    /// `!=`
    Other,
}

/// Some flows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowChoice {
    /// Their numbers in the series `flows`; `null`: any.
    pub numbers: Option<Vec<u32>>,
    /// Node that sends; `null`: any.
    pub from: Option<u32>,
}

/// What has happened, or is so, where time has stopped for a condition. There may be more than one thing.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "what")]
pub enum Happening {
    /// A flow's value is such.
    Flow {
        /// Number of the flow in the series `flows`.
        flow: u32,
        /// Node that sends; `null`: it is not known.
        node: Option<u32>,
        /// Column of the series.
        column: String,
        /// The value.
        value: f64,
    },
    /// A sender has sent segments again.
    Retransmission {
        /// Number of the flow in the series `flows`.
        flow: u32,
        /// Node that sends; `null`: it is not known.
        node: Option<u32>,
        /// So many at this instant.
        segments: u32,
    },
    /// A queue's value is such.
    Queue {
        /// Node of the interface.
        node: u32,
        /// Place of the interface in its node.
        interface: u32,
        /// Major number of the discipline's handle.
        handle: u32,
        /// The discipline, as `tc` calls it.
        discipline: String,
        /// Column of the series.
        column: String,
        /// The value.
        value: f64,
    },
    /// A packet is lost.
    Loss(Loss),
    /// A station is associated with another access point.
    Roam {
        /// The station in `air.nics`.
        nic: u32,
        /// The access point that it was with, in `air.nics`; `null`: one that is none of them.
        from: Option<u32>,
        /// The access point that it is with now, in `air.nics`; `null`: one that is none of them.
        to: Option<u32>,
    },
    /// A PPDU has ended.
    Frame(EndedPpdu),
}

/// A packet that is lost, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Loss {
    /// Node of the interface.
    pub node: u32,
    /// Place of the interface in its node, interfaces before bridges.
    pub interface: u32,
    /// Who has lost it.
    pub by: Loser,
    /// The discipline, as `tc` calls it, or why the model's radio dropped it; empty of others.
    pub detail: String,
    /// Number of the packet's flow in the series `flows`; `null`: it is of none.
    pub flow: Option<u32>,
    /// Node that sends the flow; `null`: it is not known, or there is no flow.
    pub from: Option<u32>,
    /// Whether it goes from the flow's receiver to its sender: an acknowledgment.
    pub acknowledgment: bool,
    /// Where it comes from and goes to; `null`: that was not seen.
    pub packet: Option<PacketEnds>,
    /// How many packets were lost so at this instant.
    pub packets: u32,
}

/// Who has lost a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Loser {
    /// A queueing discipline.
    Queue,
    /// A radio, or its queues.
    Radio,
    /// A wire.
    Wire,
    /// The interface: it goes down, or can't send.
    Interface,
}

/// Addresses and ports of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PacketEnds {
    /// Number of the protocol above IP.
    pub protocol: u8,
    /// Sender.
    pub source: IpAddr,
    /// Receiver.
    pub destination: IpAddr,
    /// Ports of sender and receiver; 0 where the protocol has none.
    pub ports: [u16; 2],
}

/// A PPDU that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EndedPpdu {
    /// Start of the PPDU, in nanoseconds from the epoch.
    pub start_ns: i64,
    /// End of the PPDU, in nanoseconds from the epoch.
    pub end_ns: i64,
    /// Index of the sender in `air.nics`.
    pub nic: u32,
    /// Index of the receiver in `air.nics`; `null`: a group.
    pub to: Option<u32>,
    /// Number of its kind, as in the series of PPDUs.
    pub kind: u32,
    /// Bit rate of the PPDU.
    pub rate_bps: u64,
    /// Length of its PSDU.
    pub bytes: u32,
    /// Number of the attempt.
    pub attempt: u32,
    /// Number of what became of it, as in the series of PPDUs.
    pub outcome: u32,
}

impl Comparison {
    /// Whether two numbers compare so.
    pub fn holds(self, value: f64, than: f64) -> bool {
        match self {
            Self::Less => value < than,
            Self::AtMost => value <= than,
            Self::Greater => value > than,
            Self::AtLeast => value >= than,
            #[expect(
                clippy::float_cmp,
                reason = "counts and numbers of states, which a number holds exactly"
            )]
            Self::Equal => value == than,
            #[expect(clippy::float_cmp, reason = "as above")]
            Self::Other => value != than,
        }
    }
}

impl Condition {
    /// Whether a condition of this kind is part of it.
    pub fn has(&self, kind: fn(&Self) -> bool) -> bool {
        match self {
            Self::All { of } | Self::Any { of } => of.iter().any(|one| one.has(kind)),
            _ => kind(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_parts_are_found() {
        let text = r#"{"kind": "any", "of": [{"kind": "roam", "nic": null}, {"kind": "all", "of": [
            {"kind": "retransmission", "of": {"numbers": [0], "from": null}}]}]}"#;
        let condition: Condition = serde_json::from_str(text).unwrap();
        assert!(condition.has(|one| matches!(one, Condition::Retransmission { .. })));
        assert!(!condition.has(|one| matches!(one, Condition::Loss { .. })));
    }

    #[test]
    fn numbers_compare_as_written() {
        let all = [
            Comparison::Less,
            Comparison::AtMost,
            Comparison::Greater,
            Comparison::AtLeast,
            Comparison::Equal,
            Comparison::Other,
        ];
        assert_eq!(all.map(|is| is.holds(2.0, 2.0)), [false, true, false, true, true, false]);
        assert_eq!(all.map(|is| is.holds(1.0, 2.0)), [true, true, false, false, false, true]);
    }
}
