//! The headers of a UDP datagram in an Ethernet frame.

use std::net::SocketAddrV4;

use super::tcp_segment::{be16, ends, ipv4_payload};

/// Protocol number of UDP (RFC 768).
const UDP: u8 = 17;
/// Length of a UDP header: ports, length, checksum.
const UDP_HEADER_BYTES: u16 = 8;

/// The fields of a datagram that identify its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UdpDatagram {
    /// Sender of the datagram.
    pub(crate) source: SocketAddrV4,
    /// Receiver of the datagram.
    pub(crate) destination: SocketAddrV4,
    /// Bytes after the UDP header, in all fragments.
    pub(crate) payload_bytes: u16,
}

impl UdpDatagram {
    /// Reads the datagram in an Ethernet frame; `None` if there is none, or if its header is cut off. Only the first fragment of
    /// a packet has ports.
    pub(crate) fn read(head: &[u8]) -> Option<Self> {
        let (header, udp) = ipv4_payload(head, UDP)?;
        let [source, destination] = ends(header, udp)?;
        Some(Self { source, destination, payload_bytes: be16(udp, 4)?.checked_sub(UDP_HEADER_BYTES)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An Ethernet frame with a datagram of 100 bytes whose bytes are all cut off.
    fn frame(fragment: [u8; 2], protocol: u8) -> Vec<u8> {
        let mut bytes = vec![0; 12];
        bytes.extend([0x08, 0x00]);
        bytes.extend([
            0x45,
            0,
            0,
            128,
            0,
            0,
            fragment[0],
            fragment[1],
            64,
            protocol,
            0,
            0,
            10,
            0,
            0,
            1,
            10,
            0,
            0,
            2,
        ]);
        bytes.extend([0x9c, 0x40, 0x11, 0x51, 0, 108, 0, 0]);
        bytes
    }

    #[test]
    fn a_datagram_is_known_by_its_first_fragment() {
        let read = UdpDatagram::read(&frame([0x20, 0], UDP)).unwrap();
        assert_eq!(read.source, "10.0.0.1:40000".parse().unwrap());
        assert_eq!(read.destination, "10.0.0.2:4433".parse().unwrap());
        assert_eq!(read.payload_bytes, 100);
        assert_eq!(UdpDatagram::read(&frame([0, 1], UDP)), None);
        assert_eq!(UdpDatagram::read(&frame([0, 0], 6)), None);
        assert_eq!(UdpDatagram::read(&frame([0, 0], UDP)[..36]), None);
    }
}
