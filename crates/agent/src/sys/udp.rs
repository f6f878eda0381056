//! UDP sockets.

use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;

use rustix::io::Result;
use rustix::net::{SocketFlags, SocketType, bind, connect, socket_with, sockopt};

use super::arrivals::keep_times;
use super::ip::{any, family, set_traffic_class};

/// Receive buffer beyond the system's limit, so that packets that are read later are not lost.
const RECEIVE_BUFFER_BYTES: usize = 32 << 20;

fn socket(address: IpAddr) -> Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    socket_with(family(address), SocketType::DGRAM, flags, None)
}

/// A socket in the calling thread's namespace that sends to one host, with these bits of service (RFC 2474).
pub(crate) fn open_sender(to: IpAddr, port: u16, traffic_class: u8) -> Result<OwnedFd> {
    let socket = socket(to)?;
    set_traffic_class(&socket, to, traffic_class)?;
    connect(&socket, &SocketAddr::new(to, port))?;
    Ok(socket)
}

/// A socket in the calling thread's namespace that is bound to a port of this address's version of IP, and timestamps each
/// packet.
pub(crate) fn open_receiver(address: IpAddr, port: u16) -> Result<OwnedFd> {
    let socket = socket(address)?;
    // Without rights the system's limit holds (socket(7)); an own guest gives them.
    sockopt::set_socket_recv_buffer_size_force(&socket, RECEIVE_BUFFER_BYTES)
        .or_else(|_| sockopt::set_socket_recv_buffer_size(&socket, RECEIVE_BUFFER_BYTES))?;
    keep_times(&socket)?;
    bind(&socket, &SocketAddr::new(any(address), port))?;
    Ok(socket)
}
