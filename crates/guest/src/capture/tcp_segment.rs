//! The headers of a TCP segment in an Ethernet frame.

use std::net::{IpAddr, Ipv4Addr, SocketAddrV4};

/// Ethernet types of IPv4 and of VLAN tags (IEEE 802.1Q: customer and service tags).
const IPV4: u16 = 0x0800;
const VLAN_TAGS: [u16; 2] = [0x8100, 0x88a8];
/// Offset of the Ethernet type, after two addresses.
const ETHERNET_TYPE: usize = 12;
/// Protocol number of TCP (RFC 9293, 3.1).
pub(crate) const TCP: u8 = 6;
/// `SYN` among the flags of a TCP header (RFC 9293, 3.1).
const SYN: u8 = 2;
/// Shortest IPv4 header (RFC 791, 3.1).
const IPV4_HEADER_BYTES: usize = 20;

/// The fields of a segment that identify it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TcpSegment {
    /// Sender of the segment.
    pub(crate) source: SocketAddrV4,
    /// Receiver of the segment.
    pub(crate) destination: SocketAddrV4,
    /// Identification in the IPv4 header: Linux counts a connection's packets by it, retransmissions included.
    pub(crate) identification: u16,
    /// Length of the IPv4 packet.
    pub(crate) ip_bytes: u16,
    /// Length of the headers of IPv4 and TCP.
    pub(crate) header_bytes: u16,
    /// Sequence number; 0 if it is cut off.
    pub(crate) sequence: u32,
    /// Whether the segment begins a connection (SYN).
    pub(crate) syn: bool,
}

impl TcpSegment {
    /// Reads the segment in an Ethernet frame; `None` if there is none, or if its ports are cut off.
    /// Only the first fragment of a packet has ports.
    pub(crate) fn read(head: &[u8]) -> Option<Self> {
        let (header, tcp) = ipv4_payload(head, TCP)?;
        let [source, destination] = ends(header, tcp)?;
        Some(Self {
            source,
            destination,
            identification: be16(header, 4)?,
            ip_bytes: be16(header, 2)?,
            header_bytes: words(header[0] & 0xf) + tcp.get(12).map_or(0, |octet| words(octet >> 4)),
            sequence: tcp.get(4..).and_then(|rest| rest.first_chunk()).map_or(0, |v| u32::from_be_bytes(*v)),
            syn: tcp.get(13).is_some_and(|flags| flags & SYN != 0),
        })
    }

    /// The segments of `segment_bytes` of payload that it is cut into, or that it was made of.
    pub(crate) fn parts(self, segments: u32, segment_bytes: u32) -> impl Iterator<Item = Self> {
        let payload = u32::from(self.ip_bytes.saturating_sub(self.header_bytes));
        (0..segments.max(1)).map(move |i| {
            let before = i * segment_bytes;
            let own = if segments > 1 { segment_bytes.min(payload.saturating_sub(before)) } else { payload };
            Self {
                identification: self.identification.wrapping_add(i as u16),
                sequence: self.sequence.wrapping_add(before),
                ip_bytes: self.header_bytes.saturating_add(own as u16).min(self.ip_bytes),
                ..self
            }
        })
    }
}

/// Octets of a header whose length field has this value, in words of 32 bits.
fn words(field: u8) -> u16 {
    u16::from(field) * 4
}

/// The IPv4 header in an Ethernet frame, and what follows it; `None` of other protocols and later fragments.
pub(crate) fn ipv4_payload(head: &[u8], protocol: u8) -> Option<(&[u8; IPV4_HEADER_BYTES], &[u8])> {
    let mut at = ETHERNET_TYPE;
    while VLAN_TAGS.contains(&be16(head, at)?) {
        at += 4;
    }
    let packet = if be16(head, at)? == IPV4 { &head[at + 2..] } else { return None };
    let header: &[u8; IPV4_HEADER_BYTES] = packet.first_chunk()?;
    let fragment_offset = u16::from_be_bytes([header[6], header[7]]) & 0x1fff;
    if header[9] != protocol || fragment_offset != 0 {
        return None;
    }
    Some((header, packet.get(usize::from(header[0] & 0xf) * 4..)?))
}

/// Sender and receiver of a packet whose payload begins with two ports.
pub(crate) fn ends(header: &[u8; IPV4_HEADER_BYTES], payload: &[u8]) -> Option<[SocketAddrV4; 2]> {
    let address = |at: usize| Ipv4Addr::new(header[at], header[at + 1], header[at + 2], header[at + 3]);
    let source = SocketAddrV4::new(address(12), be16(payload, 0)?);
    let destination = SocketAddrV4::new(address(16), be16(payload, 2)?);
    Some([source, destination])
}

/// An address and a port as they are compared with those in packets, which are read of IPv4 only.
pub(crate) fn ipv4_end(address: IpAddr, port: u16) -> Option<SocketAddrV4> {
    match address {
        IpAddr::V4(address) => Some(SocketAddrV4::new(address, port)),
        IpAddr::V6(_) => None,
    }
}

pub(crate) fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|&two| u16::from_be_bytes(two))
}
