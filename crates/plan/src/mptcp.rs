//! The path manager of MPTCP in a node (RFC 8684; mptcp(7) and ip-mptcp(8) of Linux).

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most subflows beside the first, addresses to accept, and endpoints that Linux takes (`MPTCP_PM_ADDR_MAX`).
pub const MPTCP_ADDRESSES_MAX: u32 = 8;

/// What connections of a node may do (`ip mptcp`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mptcp {
    /// Most subflows of a connection beside the first one; at most [`MPTCP_ADDRESSES_MAX`].
    pub subflows: u32,
    /// Most addresses of a peer to which a connection makes subflows; likewise.
    pub add_addr_accepted: u32,
    /// Addresses of the node that connections use; likewise.
    pub endpoints: Vec<MptcpEndpoint>,
}

/// An address of a node that MPTCP uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MptcpEndpoint {
    /// The address.
    pub address: IpAddr,
    /// Interface or bridge that has it; subflows leave through it.
    pub interface: String,
    /// What it is used for; none twice.
    pub flags: Vec<MptcpFlag>,
}

/// What an endpoint is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MptcpFlag {
    /// Peers are told the address.
    Signal,
    /// The node makes a subflow from the address.
    Subflow,
    /// Subflows of the address send only if no other can.
    Backup,
    /// With [`Self::Subflow`]: a subflow to every address of the peer.
    Fullmesh,
}
