//! ICMP sockets (RFC 792, RFC 4443).

use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Result;
use rustix::net::{SocketFlags, SocketType, connect, ipproto, socket_with};

use super::arrivals::keep_times;
use super::ip::{family, set_traffic_class};
use super::option::set_option;

/// `ICMP_FILTER` of linux/icmp.h.
const ICMP_FILTER: libc::c_int = 1;
/// `ICMPV6_FILTER` of linux/icmpv6.h: a bit for each type that is not received.
const ICMPV6_FILTER: libc::c_int = 1;

/// Types of echo messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EchoTypes {
    /// Type of an echo request.
    pub(crate) request: u8,
    /// Type of an echo reply.
    pub(crate) reply: u8,
}

impl EchoTypes {
    /// Types of ICMP (RFC 792).
    pub(crate) const V4: Self = Self { request: 8, reply: 0 };
    /// Types of `ICMPv6` (RFC 4443, 4).
    pub(crate) const V6: Self = Self { request: 128, reply: 129 };

    fn of(address: IpAddr) -> Self {
        if address.is_ipv4() { Self::V4 } else { Self::V6 }
    }
}

/// An ICMP socket, as the rights of the process allow.
#[derive(Debug)]
pub(crate) struct EchoSocket {
    socket: OwnedFd,
    /// Types of its version of IP.
    pub(crate) types: EchoTypes,
    /// Whether what it receives begins with the IP header: so do raw sockets of IPv4.
    pub(crate) receives_header: bool,
    /// Whether the kernel has given it an identifier of its own, and compares that (icmp(7)).
    pub(crate) has_identifier: bool,
}

impl EchoSocket {
    /// An echo socket with these properties.
    pub(crate) fn of(socket: OwnedFd, types: EchoTypes, receives_header: bool, has_identifier: bool) -> Self {
        Self { socket, types, receives_header, has_identifier }
    }
}

impl AsFd for EchoSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A socket in the calling thread's namespace that sends echo requests to one host, with these bits of service (RFC 2474), and
/// receives its replies.
pub(crate) fn open(to: IpAddr, traffic_class: u8) -> Result<EchoSocket> {
    let socket = socket(to, SocketType::RAW, traffic_class)?;
    let types = EchoTypes::of(to);
    if to.is_ipv4() {
        set_option(&socket, libc::SOL_RAW, ICMP_FILTER, &!(1u32 << types.reply))?;
    } else {
        let mut refused = [u32::MAX; 8];
        refused[usize::from(types.reply / 32)] &= !(1 << (types.reply % 32));
        set_option(&socket, libc::IPPROTO_ICMPV6, ICMPV6_FILTER, &refused)?;
    }
    keep_times(&socket)?;
    connect(&socket, &SocketAddr::new(to, 0))?;
    Ok(EchoSocket::of(socket, types, to.is_ipv4(), false))
}

/// An echo socket for a process without rights, if `net.ipv4.ping_group_range` has its group.
pub(crate) fn open_unprivileged(to: IpAddr, traffic_class: u8) -> Result<EchoSocket> {
    let socket = socket(to, SocketType::DGRAM, traffic_class)?;
    keep_times(&socket)?;
    connect(&socket, &SocketAddr::new(to, 0))?;
    Ok(EchoSocket::of(socket, EchoTypes::of(to), false, true))
}

fn socket(to: IpAddr, kind: SocketType, traffic_class: u8) -> Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let protocol = if to.is_ipv4() { ipproto::ICMP } else { ipproto::ICMPV6 };
    let socket = socket_with(family(to), kind, flags, Some(protocol))?;
    set_traffic_class(&socket, to, traffic_class)?;
    Ok(socket)
}
