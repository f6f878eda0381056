//! UDP sockets.

use std::net::Ipv4Addr;
use std::os::fd::OwnedFd;

use rustix::io::Result;
use rustix::net::{
    AddressFamily, SocketAddrV4, SocketFlags, SocketType, bind, connect, socket_with, sockopt,
};

use super::arrivals::keep_times;

/// Receive buffer beyond the system's limit, so that packets that are read later are not lost.
const RECEIVE_BUFFER_BYTES: usize = 32 << 20;

fn socket() -> Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    socket_with(AddressFamily::INET, SocketType::DGRAM, flags, None)
}

/// A socket in the calling thread's namespace that sends to one host, with these bits of service (RFC 2474).
pub(crate) fn open_sender(to: Ipv4Addr, port: u16, tos: u8) -> Result<OwnedFd> {
    let socket = socket()?;
    sockopt::set_ip_tos(&socket, tos)?;
    connect(&socket, &SocketAddrV4::new(to, port))?;
    Ok(socket)
}

/// A socket in the calling thread's namespace that is bound to a port, and timestamps each packet.
pub(crate) fn open_receiver(port: u16) -> Result<OwnedFd> {
    let socket = socket()?;
    // Without rights the system's limit holds (socket(7)); an own guest gives them.
    sockopt::set_socket_recv_buffer_size_force(&socket, RECEIVE_BUFFER_BYTES)
        .or_else(|_| sockopt::set_socket_recv_buffer_size(&socket, RECEIVE_BUFFER_BYTES))?;
    keep_times(&socket)?;
    bind(&socket, &SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, port))?;
    Ok(socket)
}
