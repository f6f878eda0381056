//! The client of each workload.

use airtcp_plan::{Flow, Workload};

use crate::{Client, Player, Requests, Web};

/// The client of a flow whose data is requested; `None` for others. The flow has passed the plan's check.
pub fn client_of(flow: &Flow, seed: u64, number: u32) -> Option<Box<dyn Client>> {
    match flow.workload {
        Workload::Requests { .. } => Some(Box::new(Requests::new(flow, seed, number)?)),
        Workload::Web { .. } => Some(Box::new(Web::new(flow, seed, number)?)),
        Workload::Video { .. } => Some(Box::new(Player::new(flow)?)),
        Workload::Bulk {} | Workload::Bytes { .. } | Workload::OnOff { .. } => None,
    }
}
