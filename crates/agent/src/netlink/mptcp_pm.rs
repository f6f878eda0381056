//! The path manager of MPTCP (Linux `include/uapi/linux/mptcp_pm.h`).

use std::net::IpAddr;

use airtcp_plan::{Mptcp, MptcpEndpoint, MptcpFlag};

use super::Request;
use super::generic::Family;

/// Name of the family.
pub(crate) const NAME: &str = "mptcp_pm";

const CMD_ADD_ADDR: u8 = 1;
const CMD_SET_LIMITS: u8 = 5;
const ATTR_ADDR: u16 = 1;
const ATTR_RCV_ADD_ADDRS: u16 = 2;
const ATTR_SUBFLOWS: u16 = 3;
const ADDR_ATTR_FAMILY: u16 = 1;
const ADDR_ATTR_ADDR4: u16 = 3;
const ADDR_ATTR_ADDR6: u16 = 4;
const ADDR_ATTR_FLAGS: u16 = 6;
const ADDR_ATTR_IF_IDX: u16 = 7;
/// `NLA_F_NESTED`, which the family requires.
const NESTED: u16 = 0x8000;

/// Sets how many subflows a connection may have, and how many addresses of its peer it may use.
pub(crate) fn set_limits(family: &Family, mptcp: &Mptcp) -> Request {
    let request = family.request(CMD_SET_LIMITS);
    request.u32(ATTR_RCV_ADD_ADDRS, mptcp.add_addr_accepted).u32(ATTR_SUBFLOWS, mptcp.subflows)
}

/// Adds an endpoint of the interface with this index.
pub(crate) fn add_endpoint(family: &Family, endpoint: &MptcpEndpoint, index: u32) -> Request {
    let flags = endpoint.flags.iter().fold(0, |all, &flag| all | bit(flag));
    family.request(CMD_ADD_ADDR).nest(ATTR_ADDR | NESTED, &[], |request| {
        let request = match endpoint.address {
            IpAddr::V4(address) => request
                .u16(ADDR_ATTR_FAMILY, libc::AF_INET as u16)
                .attribute(ADDR_ATTR_ADDR4, &address.octets()),
            IpAddr::V6(address) => request
                .u16(ADDR_ATTR_FAMILY, libc::AF_INET6 as u16)
                .attribute(ADDR_ATTR_ADDR6, &address.octets()),
        };
        request.u32(ADDR_ATTR_FLAGS, flags).u32(ADDR_ATTR_IF_IDX, index)
    })
}

/// `MPTCP_PM_ADDR_FLAG_*` (`include/uapi/linux/mptcp.h`).
const fn bit(flag: MptcpFlag) -> u32 {
    match flag {
        MptcpFlag::Signal => 1,
        MptcpFlag::Subflow => 2,
        MptcpFlag::Backup => 4,
        MptcpFlag::Fullmesh => 8,
    }
}
