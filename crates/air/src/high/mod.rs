//! The upper half of airtcp's own MAC: queues, rates, numbers, aggregation policy, reordering.
//!
//! ```text
//!   host ---- transmit -----> intake: addressing, TID -> queues
//!                             pull: next_txq, dequeue: MPDUs, A-MSDUs, numbers  ---> lower half
//!                             stages: rate chains and protection                ---> lower half
//!   host <- Sent, Dropped --- completion: mpdu_done, BlockAckReq                <--- lower half
//!   host <- Deliver, Relay -- reception: duplicates, reordering                 <--- lower half
//! ```
//! [`classify`] reads priority and flow of a frame for whoever fills in a [`Frame`]. [`Upper`] keeps the state of every NIC,
//! [`OwnMac`] serves the lower half with it. `docs/models/high-mac.md` says what is modelled and what is not.

mod addressing;
mod aggregation;
mod airtime_estimate;
mod backlog;
mod block_ack_req;
mod bss;
mod build;
mod bundles;
mod classify;
mod completion;
mod counters;
mod flow_hash;
mod host;
mod ht_protection;
mod intake;
mod link_modes;
mod mesh_routes;
mod mpdu_length;
mod nic;
mod own_mac;
mod pull;
mod reception;
mod reorder;
mod reordering;
mod stages;
#[cfg(test)]
mod tests;
mod txqs;
mod uplink;
mod upper;

pub(crate) use {
    bss::CellRates,
    counters::Counters,
    ht_protection::HtProtectionPolicy,
    link_modes::{link_modes, link_standard, link_width_mhz, padding_of},
    own_mac::OwnMac,
    upper::{Links, Upper},
};

pub use classify::{Class, classify};
pub use host::{Action, DropReason, Frame};
