//! The system calls that rustix does not offer: the only unsafe code of the agent.

pub(crate) mod arrivals;
pub(crate) mod child;
pub(crate) mod ethtool;
pub(crate) mod icmp;
pub(crate) mod ip;
pub(crate) mod namespace;
pub(crate) mod netlink;
mod option;
pub(crate) mod page_cache;
pub(crate) mod probe;
pub(crate) mod signals;
pub(crate) mod tcp;
pub(crate) mod udp;
