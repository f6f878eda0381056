//! Where a packet comes from and goes to, by its first bytes at any link.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use airtcp_plan::condition::PacketEnds;

use super::tcp_segment::{TCP, be16};

/// Ethernet types of IP.
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
/// Tags of VLANs (IEEE 802.1Q: customer and service tags).
const VLAN_TAGS: [u16; 2] = [0x8100, 0x88a8];
/// Offset of the Ethernet type, after two addresses.
const ETHERNET_TYPE: usize = 12;
/// LLC and SNAP before an Ethernet type (IEEE 802.2, RFC 1042).
const SNAP: [u8; 6] = [0xaa, 0xaa, 3, 0, 0, 0];
/// Octets of the header of CCMP or GCMP behind that of a protected MPDU (IEEE 802.11-2020, 12.5.3.2).
const SECURITY_BYTES: usize = 8;
/// Header of an 802.11 data frame with three addresses; the fourth; control field of `QoS` (IEEE 802.11-2020, 9.2.3).
const DOT11_BYTES: usize = 24;
const ADDRESS_BYTES: usize = 6;
const QOS_BYTES: usize = 2;
const UDP: u8 = 17;

/// What of a packet a loss tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Addressed {
    /// Where it comes from and goes to.
    pub(crate) ends: PacketEnds,
    /// Whether a segment of TCP has data.
    pub(crate) has_data: bool,
}

/// Of a frame that begins with an Ethernet header.
pub(crate) fn of_ethernet(head: &[u8]) -> Option<Addressed> {
    let mut at = ETHERNET_TYPE;
    while VLAN_TAGS.contains(&be16(head, at)?) {
        at += 4;
    }
    of_ip(be16(head, at)?, head.get(at + 2..)?)
}

/// Of an MPDU with data that is not encrypted: the kernel's before hardware encrypts it.
pub(crate) fn of_mpdu(head: &[u8]) -> Option<Addressed> {
    let [control, flags, ..] = *head else { return None };
    let four_addresses = flags & 3 == 3;
    let qos = control & 0x80 != 0;
    let at = DOT11_BYTES + usize::from(four_addresses) * ADDRESS_BYTES + usize::from(qos) * QOS_BYTES;
    let at = [at, at + SECURITY_BYTES].into_iter().find(|&at| head.get(at..at + 6) == Some(&SNAP[..]))?;
    of_ip(be16(head, at + SNAP.len())?, head.get(at + SNAP.len() + 2..)?)
}

fn of_ip(ethernet_type: u16, packet: &[u8]) -> Option<Addressed> {
    let (protocol, source, destination, header_bytes, ip_bytes): (u8, IpAddr, IpAddr, usize, usize) =
        match ethernet_type {
            IPV4 => {
                let header: &[u8; 20] = packet.first_chunk()?;
                let address =
                    |at: usize| Ipv4Addr::from(*header[at..].first_chunk::<4>().expect("four octets"));
                let bytes = usize::from(header[0] & 0xf) * 4;
                (header[9], address(12).into(), address(16).into(), bytes, be16(header, 2)?.into())
            }
            IPV6 => {
                let header: &[u8; 40] = packet.first_chunk()?;
                let address =
                    |at: usize| Ipv6Addr::from(*header[at..].first_chunk::<16>().expect("16 octets"));
                (header[6], address(8).into(), address(24).into(), 40, 40 + usize::from(be16(header, 4)?))
            }
            _ => return None,
        };
    let inner = packet.get(header_bytes..).unwrap_or_default();
    let has_ports = matches!(protocol, TCP | UDP);
    let ports = if has_ports { [0, 2].map(|at| be16(inner, at).unwrap_or(0)) } else { [0, 0] };
    let tcp_bytes = inner.get(12).map_or(0, |octet| usize::from(octet >> 4) * 4);
    let has_data = protocol == TCP && ip_bytes > header_bytes + tcp_bytes;
    Some(Addressed { ends: PacketEnds { protocol, source, destination, ports }, has_data })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A segment with so many octets of data from 10.0.0.1:40000 to 10.0.0.2:5001.
    fn segment(data: u16) -> Vec<u8> {
        let mut packet = vec![0x45, 0];
        packet.extend((40 + data).to_be_bytes());
        packet.extend([0, 0, 0x40, 0, 64, TCP, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        packet.extend(40000u16.to_be_bytes());
        packet.extend(5001u16.to_be_bytes());
        packet.extend([0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0x10]);
        packet
    }

    fn ethernet(ethernet_type: u16, packet: &[u8]) -> Vec<u8> {
        let mut frame = vec![0; ETHERNET_TYPE];
        frame.extend(ethernet_type.to_be_bytes());
        frame.extend(packet);
        frame
    }

    #[test]
    fn a_segment_is_read_behind_each_header() {
        let found = of_ethernet(&ethernet(IPV4, &segment(100))).unwrap();
        assert_eq!(found.ends.ports, [40000, 5001]);
        assert_eq!(found.ends.destination.to_string(), "10.0.0.2");
        assert!(found.has_data);
        assert!(!of_ethernet(&ethernet(IPV4, &segment(0))).unwrap().has_data);
        for (qos, protected) in [(false, false), (true, false), (true, true)] {
            let mut mpdu = vec![if qos { 0x88 } else { 8 }, 1];
            mpdu.resize(DOT11_BYTES + 2 * usize::from(qos) + SECURITY_BYTES * usize::from(protected), 0);
            mpdu.extend(SNAP);
            mpdu.extend(IPV4.to_be_bytes());
            mpdu.extend(segment(100));
            assert_eq!(of_mpdu(&mpdu), Some(found));
        }
    }

    #[test]
    fn a_segment_over_ipv6_is_read() {
        let mut packet = vec![0x60, 0, 0, 0, 0, 120, TCP, 64];
        packet.extend([0x20; 16]);
        packet.extend([0x30; 16]);
        packet.extend(&segment(0)[20..]);
        let found = of_ethernet(&ethernet(IPV6, &packet)).unwrap();
        assert_eq!((found.ends.ports, found.has_data), ([40000, 5001], true));
        assert!(found.ends.source.is_ipv6());
    }

    #[test]
    fn of_what_is_no_ip_or_cut_nothing_is_known() {
        assert_eq!(of_ethernet(&ethernet(0x0806, &segment(0))), None);
        assert_eq!(of_ethernet(&ethernet(IPV4, &segment(0))[..20]), None);
        assert_eq!(of_mpdu(&[8]), None);
    }
}
