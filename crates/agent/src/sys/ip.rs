//! What differs between sockets of IPv4 and IPv6.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::OwnedFd;

use rustix::io::Result;
use rustix::net::{AddressFamily, sockopt};

/// The family of an address.
pub(crate) fn family(address: IpAddr) -> AddressFamily {
    if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 }
}

/// All own addresses of an address's version.
pub(crate) fn any(address: IpAddr) -> IpAddr {
    if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() }
}

/// Sets the octet of DSCP and ECN of a socket's packets to an address of this version (RFC 2474).
pub(crate) fn set_traffic_class(socket: &OwnedFd, address: IpAddr, octet: u8) -> Result<()> {
    if address.is_ipv4() {
        sockopt::set_ip_tos(socket, octet)
    } else {
        sockopt::set_ipv6_tclass(socket, octet.into())
    }
}
