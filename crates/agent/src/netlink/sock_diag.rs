//! The kernel's statistics of all TCP connections of the namespace, as `ss` shows them (Linux
//! `include/uapi/linux/sock_diag.h` and `inet_diag.h`).

use std::net::{Ipv4Addr, Ipv6Addr};

use airtcp_plan::TcpInfo;
use rustix::io;

use super::Netlink;
use super::message::{find, replies, text};
use crate::sys::tcp::CC_INFO_BYTES;

/// `SOCK_DIAG_BY_FAMILY`, of requests, of replies and of sockets that end.
const BY_FAMILY: u16 = 20;
/// `SKNLGRP_INET_TCP_DESTROY` and `SKNLGRP_INET6_TCP_DESTROY`: TCP sockets that end.
const ENDS: [u32; 2] = [1, 3];
/// Bytes of `struct inet_diag_sockid` and `struct inet_diag_msg`.
const SOCKET_BYTES: usize = 48;
const MESSAGE_BYTES: usize = 72;
/// Where `struct inet_diag_msg` has its `id`.
const ID_AT: usize = 4;
/// `INET_DIAG_*`: attributes of replies. Requests name some of them by bits.
const INFO: u16 = 2;
const VEGAS: u16 = 3;
const CONTROL: u16 = 4;
const DCTCP: u16 = 9;
const BBR: u16 = 16;
/// All states but LISTEN, CLOSE and TIME-WAIT (`include/net/tcp_states.h`), in which there is no `tcp_info` of a connection.
const STATES: u32 = 0xfff & !(1 << 10) & !(1 << 7) & !(1 << 6) & !1;

/// A connection over IPv4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TcpSocket {
    /// The kernel's number of the socket; no other socket of the machine ever has it.
    pub(crate) cookie: u64,
    /// Own end.
    pub(crate) local: (Ipv4Addr, u16),
    /// Address and port of the peer.
    pub(crate) remote: (Ipv4Addr, u16),
    /// Name of its congestion control.
    pub(crate) congestion_control: String,
    /// The kernel's `struct tcp_info`.
    pub(crate) tcp_info: TcpInfo,
    /// The congestion control's own information, raw; zeros if it has none.
    pub(crate) cc_info: [u8; CC_INFO_BYTES],
}

impl TcpSocket {
    fn read(body: &[u8]) -> Option<Self> {
        let id = body.get(ID_AT..ID_AT + SOCKET_BYTES)?;
        let port = |at: usize| u16::from_be_bytes([id[at], id[at + 1]]);
        let is_ipv6 = i32::from(body[0]) == libc::AF_INET6;
        let address = |at: usize| address_of(&id[at..at + 16], is_ipv6);
        let attributes = body.get(MESSAGE_BYTES..)?;
        let own = [VEGAS, DCTCP, BBR].iter().find_map(|&kind| find(attributes, kind)).unwrap_or_default();
        Some(Self {
            // Two words, the lower one first (`sock_diag_save_cookie`).
            cookie: u64::from_ne_bytes(id[40..48].try_into().expect("eight bytes")),
            local: (address(4)?, port(0)),
            remote: (address(20)?, port(2)),
            congestion_control: find(attributes, CONTROL).map(text).unwrap_or_default(),
            tcp_info: TcpInfo::from_bytes(find(attributes, INFO)?),
            cc_info: filled(own),
        })
    }
}

/// An IPv4 address, which a socket of IPv6 has as `::ffff:a.b.c.d` (RFC 4291, 2.5.5.2).
fn address_of(bytes: &[u8], is_ipv6: bool) -> Option<Ipv4Addr> {
    let bytes: [u8; 16] = bytes.try_into().expect("an address has 16 bytes");
    if is_ipv6 {
        return Ipv6Addr::from(bytes).to_ipv4_mapped();
    }
    Some(Ipv4Addr::new(bytes[0], bytes[1], bytes[2], bytes[3]))
}

/// The first bytes of a value, zeros where it has no more.
fn filled<const N: usize>(value: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    let kept = value.len().min(N);
    bytes[..kept].copy_from_slice(&value[..kept]);
    bytes
}

/// All connections of the namespace.
pub(crate) fn connections(netlink: &mut Netlink) -> io::Result<Vec<TcpSocket>> {
    let mut found = Vec::new();
    for family in [libc::AF_INET, libc::AF_INET6] {
        netlink.dump(BY_FAMILY, &request(family), |body| found.extend(TcpSocket::read(body)))?;
    }
    Ok(found)
}

/// `struct inet_diag_req_v2`.
fn request(family: libc::c_int) -> Vec<u8> {
    let wanted = [INFO, VEGAS, CONTROL].iter().fold(0, |bits, kind| bits | 1 << (kind - 1));
    let mut bytes = vec![family as u8, libc::IPPROTO_TCP as u8, wanted, 0];
    bytes.extend(STATES.to_ne_bytes());
    bytes.resize(bytes.len() + SOCKET_BYTES, 0);
    bytes
}

/// Makes a connection hear of sockets that end.
pub(crate) fn hear_ends(netlink: &Netlink) -> io::Result<()> {
    netlink.join_groups(&ENDS)
}

/// Waits for sockets that end, and returns their last state. What the kernel could not deliver is lost.
pub(crate) fn next_ends(netlink: &Netlink) -> io::Result<Vec<TcpSocket>> {
    match netlink.receive() {
        Ok(datagram) => Ok(replies(&datagram).filter_map(|reply| TcpSocket::read(reply.body)).collect()),
        Err(io::Errno::NOBUFS) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_connection_is_found_with_its_state_and_its_end_is_heard() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut here = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let there = listener.accept().unwrap().0;
        here.write_all(&[0; 5000]).unwrap();
        let mut netlink = Netlink::open_sock_diag().unwrap();
        let own = (Ipv4Addr::LOCALHOST, here.local_addr().unwrap().port());
        let is_own = |socket: &&TcpSocket| socket.local == own;
        let found = connections(&mut netlink).unwrap();
        let one = found.iter().find(is_own).unwrap();
        assert_eq!(one.remote.1, listener.local_addr().unwrap().port());
        assert!(!one.congestion_control.is_empty());
        assert!(one.tcp_info.bytes_acked() >= 5000);
        assert_eq!(one.tcp_info.bytes().len(), usize::from(crate::sys::tcp::tcp_info_bytes().unwrap()));
        let ends = Netlink::open_sock_diag().unwrap();
        hear_ends(&ends).unwrap();
        drop(there);
        drop(here);
        let ended = std::iter::repeat_with(|| next_ends(&ends).unwrap());
        let last = ended.flatten().find(|socket| socket.local == own).unwrap();
        assert_eq!(last.cookie, one.cookie);
    }
}
