//! Raw ICMP sockets.

use std::net::Ipv4Addr;
use std::os::fd::OwnedFd;

use rustix::io::Result;
use rustix::net::{AddressFamily, SocketAddrV4, SocketFlags, SocketType, connect, ipproto, socket_with};

use super::arrivals::keep_times;
use super::option::set_option;

/// `ICMP_FILTER` of linux/icmp.h.
const ICMP_FILTER: libc::c_int = 1;
/// `ICMP_ECHOREPLY` (RFC 792).
const ECHO_REPLY: u32 = 0;

/// A socket in the calling thread's namespace that sends echo requests to one host and receives its replies.
pub(crate) fn open(to: Ipv4Addr) -> Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::INET, SocketType::RAW, flags, Some(ipproto::ICMP))?;
    set_option(&socket, libc::SOL_RAW, ICMP_FILTER, &!(1u32 << ECHO_REPLY))?;
    keep_times(&socket)?;
    connect(&socket, &SocketAddrV4::new(to, 0))?;
    Ok(socket)
}
