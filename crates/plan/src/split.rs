//! A network whose two parts may be computed by a guest each.

use std::num::ParseIntError;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::report::BOTH_PARTS;
use crate::{Flow, Plan};

/// Parts of a split network, each of which a guest may compute.
pub const PARTS: usize = 2;

/// How a network is split. Its results are the same whether one guest computes both parts or two guests one each
/// (conservative synchronisation: what a part sends reaches the other one after the lookahead at the earliest).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Split {
    /// The part of each node, by their places in the plan: 0 or 1.
    pub parts: Vec<u32>,
    /// Least delay of the wires that join the parts.
    pub lookahead_ns: u64,
}

/// The part that a guest computes, from the text of its [`crate::report::PART_FILE`]; `None`: both.
///
/// # Errors
/// It is neither a number nor [`BOTH_PARTS`].
pub fn computed_part(text: &str) -> Result<Option<usize>, ParseIntError> {
    if text == BOTH_PARTS { Ok(None) } else { text.parse().map(Some) }
}

impl Plan {
    /// The part of the node of this name; `None` if the network is not split, or has no such node.
    pub fn part_of(&self, node: &str) -> Option<usize> {
        let place = self.nodes.iter().position(|own| own.name == node)?;
        self.split.as_ref().map(|split| split.parts[place] as usize)
    }

    /// The part of a cell: that of its NICs. `None` if the network is not split, or the cell has no NICs.
    pub fn part_of_cell(&self, cell: u32) -> Option<usize> {
        self.air.nics.iter().find(|nic| nic.cell == cell).and_then(|nic| self.part_of(&nic.node))
    }

    /// Whether the ends of a flow are in different parts.
    pub fn crosses_parts(&self, flow: &Flow) -> bool {
        self.part_of(&flow.from) != self.part_of(&flow.to)
    }
}
