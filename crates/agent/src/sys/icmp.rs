//! ICMP sockets.

use std::net::Ipv4Addr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Result;
use rustix::net::{AddressFamily, SocketAddrV4, SocketFlags, SocketType, connect, ipproto, socket_with};

use super::arrivals::keep_times;
use super::option::set_option;

/// `ICMP_FILTER` of linux/icmp.h.
const ICMP_FILTER: libc::c_int = 1;
/// `ICMP_ECHOREPLY` (RFC 792).
const ECHO_REPLY: u32 = 0;

/// An ICMP socket, as the rights of the process allow.
#[derive(Debug)]
pub(crate) enum EchoSocket {
    /// It receives whole IP packets, of every identifier.
    Raw(OwnedFd),
    /// It receives ICMP messages of its own identifier, which the kernel gives it (icmp(7)).
    Datagram(OwnedFd),
}

impl AsFd for EchoSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        let (Self::Raw(socket) | Self::Datagram(socket)) = self;
        socket.as_fd()
    }
}

/// A socket in the calling thread's namespace that sends echo requests to one host and receives its replies.
pub(crate) fn open(to: Ipv4Addr) -> Result<EchoSocket> {
    let socket = socket(SocketType::RAW)?;
    set_option(&socket, libc::SOL_RAW, ICMP_FILTER, &!(1u32 << ECHO_REPLY))?;
    keep_times(&socket)?;
    connect(&socket, &SocketAddrV4::new(to, 0))?;
    Ok(EchoSocket::Raw(socket))
}

/// The same for a process without rights, if `net.ipv4.ping_group_range` has its group.
pub(crate) fn open_unprivileged(to: Ipv4Addr) -> Result<EchoSocket> {
    let socket = socket(SocketType::DGRAM)?;
    keep_times(&socket)?;
    connect(&socket, &SocketAddrV4::new(to, 0))?;
    Ok(EchoSocket::Datagram(socket))
}

fn socket(kind: SocketType) -> Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    socket_with(AddressFamily::INET, kind, flags, Some(ipproto::ICMP))
}
