//! rtnetlink (RFC 3549): as much of it as a plan needs, without async and in
//! few system calls.
//!
//! [`message`] encodes and decodes, [`socket`] talks, the others say what an
//! object of the network looks like.

pub(crate) mod address;
pub(crate) mod link;
pub(crate) mod message;
pub(crate) mod qdisc;
pub(crate) mod route;
pub(crate) mod socket;

pub(crate) use message::Request;
pub(crate) use socket::{Batch, Netlink, Refusal};
