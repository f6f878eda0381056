//! rtnetlink (RFC 3549), nl80211 and `sock_diag`: as much of them as a plan needs, without async and in
//! few system calls.
//!
//! [`message`] encodes and decodes, [`socket`] sends and receives, the others describe what an
//! object of the network looks like.

pub(crate) mod address;
mod dualpi2;
pub(crate) mod generic;
pub(crate) mod link;
pub(crate) mod link_report;
pub(crate) mod message;
pub(crate) mod mptcp_pm;
pub(crate) mod nl80211;
pub(crate) mod qdisc;
pub(crate) mod route;
#[cfg(test)]
pub(crate) mod sample_request;
pub(crate) mod sock_diag;
pub(crate) mod socket;
pub(crate) mod wire;
pub(crate) mod wire_trace;

pub(crate) use message::Request;
pub(crate) use socket::{Batch, Netlink, Refusal, refused};
