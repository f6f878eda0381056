//! The upper half of airtcp's own MAC: queues, rates, numbers, aggregation policy, reordering.
//!
//! [`classify`] reads a frame's priority and flow, `addressing` finds its receiver, `mpdu_length` its length on the air.

#![allow(dead_code, reason = "the rest of the upper half, which uses it, is being built")]

mod addressing;
mod classify;
mod flow_hash;
mod host;
mod mesh_routes;
mod mpdu_length;
mod reorder;

pub use classify::{Class, classify};
pub use host::{Action, DropReason, Frame};
