//! What the MAC reads from the first bytes of an Ethernet frame: user priority, flow, ECN.
//!
//! The user priority follows Linux (`cfg80211_classify8021d`, `net/wireless/util.c`), whose map of DSCP depends on its version.
//! mac80211 sees a VLAN tag beside the frame; here it stands inside it, where the driver would have put it.

use airtcp_plan::DscpMap;

use super::flow_hash::FlowHash;

/// What a frame is for the queues of a MAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// User priority, 0 to 7 (IEEE 802.11-2020, Table 10-1).
    pub priority: u8,
    /// Hash of the flow: equal for all frames of a flow, stable over runs and machines.
    pub flow: u32,
    /// Whether congestion may be marked (its ECN field is not zero, RFC 3168) instead of dropping the frame.
    pub ect: bool,
}

/// Ethernet types.
const IPV4: u16 = 0x0800;
const VLAN: u16 = 0x8100;
const PROVIDER_VLAN: u16 = 0x88a8;
const IPV6: u16 = 0x86dd;
const MPLS_UNICAST: u16 = 0x8847;
const MPLS_MULTICAST: u16 = 0x8848;
/// Media independent handover (IEEE 802.21).
const HANDOVER: u16 = 0x8917;

/// Bytes of two hardware addresses.
const ADDRESSES: usize = 12;

/// The class of the frame that begins with these bytes. What is cut off or unknown counts as if it were not there:
/// best effort, and a flow of its addresses.
pub fn classify(head: &[u8], dscp_map: DscpMap) -> Class {
    let mut flow = FlowHash::default();
    let mut at = ADDRESSES;
    let mut tagged = 0;
    // The outermost tag counts. More than two tags have no meaning (IEEE 802.1Q).
    for _ in 0..2 {
        if !matches!(be16(head, at), Some(VLAN | PROVIDER_VLAN)) {
            break;
        }
        if tagged == 0 {
            tagged = be16(head, at + 2).map_or(0, |tag| (tag >> 13) as u8);
        }
        at += 4;
    }
    let kind = be16(head, at);
    let packet = head.get(at + 2..).unwrap_or(&[]);
    let (inner, ect) = match kind {
        Some(IPV4) => of_traffic_class(ipv4(packet, &mut flow), dscp_map),
        Some(IPV6) => of_traffic_class(ipv6(packet, &mut flow), dscp_map),
        Some(MPLS_UNICAST | MPLS_MULTICAST) => (packet.get(2).map_or(0, |byte| byte >> 1 & 7), false),
        Some(HANDOVER) => (7, false),
        _ => (0, false),
    };
    if flow.is_empty() {
        flow.add_bytes(&head[..head.len().min(ADDRESSES)]);
        flow.add(u32::from(kind.unwrap_or(0)));
    }
    Class { priority: if tagged > 0 { tagged } else { inner }, flow: flow.finish(), ect }
}

/// The user priority of a Differentiated Services code point.
const fn priority_of_dscp(dscp: u8, map: DscpMap) -> u8 {
    match dscp {
        _ if matches!(map, DscpMap::ThreeBits) => dscp >> 3,
        // AF1x, CS2.
        10 | 12 | 14 | 16 => 0,
        // AF2x.
        18 | 20 | 22 => 3,
        // CS3, AF3x.
        24 | 26 | 28 | 30 => 4,
        // Voice admit, EF.
        44 | 46 => 6,
        // CS6.
        48 => 7,
        _ => dscp >> 3,
    }
}

/// Priority and ECT of a byte with DSCP and ECN.
const fn of_traffic_class(byte: u8, map: DscpMap) -> (u8, bool) {
    (priority_of_dscp(byte >> 2, map), byte & 0b11 != 0)
}

/// Adds an IPv4 packet to a flow hash, and returns its traffic class; 0 if the header is cut off.
fn ipv4(packet: &[u8], flow: &mut FlowHash) -> u8 {
    let Some(&[version_length, traffic_class, ..]) = packet.first_chunk::<20>() else {
        return 0;
    };
    let protocol = packet[9];
    flow.add_bytes(&packet[12..20]);
    flow.add(u32::from(protocol));
    // More fragments, or an offset: only the first fragment would have ports.
    let fragment = u16::from_be_bytes([packet[6], packet[7]]) & 0x3fff != 0;
    if !fragment {
        let header = usize::from(version_length & 0xf) * 4;
        ports(protocol, packet.get(header..), flow);
    }
    traffic_class
}

/// Adds an IPv6 packet to a flow hash, and returns its traffic class; 0 if the header is cut off.
fn ipv6(packet: &[u8], flow: &mut FlowHash) -> u8 {
    let Some(&[first, second, ..]) = packet.first_chunk::<40>() else {
        return 0;
    };
    flow.add_bytes(&packet[8..40]);
    let mut next = packet[6];
    let mut at = 40;
    // Hop-by-hop options, routing and destination options (RFC 8200, section 4.1) may stand before the ports.
    for _ in 0..4 {
        if !matches!(next, 0 | 43 | 60) {
            break;
        }
        let Some(&[following, length]) = packet.get(at..).and_then(|rest| rest.first_chunk()) else { break };
        next = following;
        at += (usize::from(length) + 1) * 8;
    }
    flow.add(u32::from(next));
    // A fragment header (44) is no protocol with ports.
    ports(next, packet.get(at..), flow);
    first << 4 | second >> 4
}

/// Adds the ports of TCP, UDP, DCCP, SCTP and UDP-Lite.
fn ports(protocol: u8, header: Option<&[u8]>, flow: &mut FlowHash) {
    if !matches!(protocol, 6 | 17 | 33 | 132 | 136) {
        return;
    }
    if let Some(&ports) = header.and_then(|header| header.first_chunk()) {
        flow.add(u32::from_be_bytes(ports));
    }
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|&two| u16::from_be_bytes(two))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn classify(head: &[u8]) -> Class {
        super::classify(head, DscpMap::Rfc8325)
    }

    fn ethernet(kind: u16, packet: &[u8]) -> Vec<u8> {
        let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
        frame.extend(kind.to_be_bytes());
        frame.extend(packet);
        frame
    }

    fn ipv4_packet(traffic_class: u8, protocol: u8, ports: [u8; 4]) -> Vec<u8> {
        let mut packet = vec![0x45, traffic_class, 0, 60, 0, 0, 0x40, 0, 64, protocol, 0, 0];
        packet.extend([10, 0, 0, 1, 10, 0, 0, 2]);
        packet.extend(ports);
        packet
    }

    fn ipv6_packet(traffic_class: u8, next: u8, rest: &[u8]) -> Vec<u8> {
        let mut packet = vec![0x60 | traffic_class >> 4, traffic_class << 4, 0, 0, 0, 40, next, 64];
        packet.extend([0xfd; 16]);
        packet.extend([0xfe; 16]);
        packet.extend(rest);
        packet
    }

    fn of_ipv4(traffic_class: u8) -> Class {
        classify(&ethernet(IPV4, &ipv4_packet(traffic_class, 6, [0, 80, 4, 1])))
    }

    /// RFC 8325, Figure 1 (without the classes that Linux leaves at their precedence), and the precedence of others.
    #[test]
    fn dscp_to_user_priority() {
        let rows: [(&str, &[u8], u8); 14] = [
            ("CS0, DF", &[0], 0),
            ("CS1", &[8], 1),
            ("AF1x", &[10, 12, 14], 0),
            ("CS2", &[16], 0),
            ("AF2x", &[18, 20, 22], 3),
            ("CS3", &[24], 4),
            ("AF3x", &[26, 28, 30], 4),
            ("CS4", &[32], 4),
            ("AF4x", &[34, 36, 38], 4),
            ("CS5", &[40], 5),
            ("VA, EF", &[44, 46], 6),
            ("CS6", &[48], 7),
            ("CS7", &[56], 7),
            ("LE and unassigned", &[1, 2, 3], 0),
        ];
        let mut named = [false; 64];
        for (name, points, priority) in rows {
            for &dscp in points {
                named[usize::from(dscp)] = true;
                assert_eq!(of_ipv4(dscp << 2).priority, priority, "{name} ({dscp})");
                let ipv6 = classify(&ethernet(IPV6, &ipv6_packet(dscp << 2, 17, &[0; 8])));
                assert_eq!(ipv6.priority, priority, "{name} ({dscp}) over IPv6");
            }
        }
        for dscp in (0..64).filter(|&dscp: &u8| !named[usize::from(dscp)]) {
            assert_eq!(of_ipv4(dscp << 2).priority, dscp >> 3, "{dscp}");
        }
    }

    #[test]
    fn every_ecn_codepoint_but_zero_can_be_marked() {
        assert_eq!([0, 1, 2, 3].map(|ecn| of_ipv4(ecn).ect), [false, true, true, true]);
        let over_ipv6 = |ecn| classify(&ethernet(IPV6, &ipv6_packet(ecn, 6, &[0; 20]))).ect;
        assert_eq!([0, 1, 2, 3].map(over_ipv6), [false, true, true, true]);
        assert!(!classify(&ethernet(0x0806, &[0xff; 28])).ect);
    }

    #[test]
    fn three_bits_are_the_highest_of_the_dscp() {
        for dscp in 0..64u8 {
            let head = ethernet(IPV4, &ipv4_packet(dscp << 2, 6, [0, 80, 4, 1]));
            assert_eq!(super::classify(&head, DscpMap::ThreeBits).priority, dscp >> 3, "{dscp}");
        }
    }

    #[test]
    fn a_vlan_tag_with_a_priority_comes_before_the_dscp() {
        let tagged = |tag: u16, inner: u16, packet: &[u8]| {
            let mut rest = tag.to_be_bytes().to_vec();
            rest.extend(inner.to_be_bytes());
            rest.extend(packet);
            classify(&ethernet(VLAN, &rest))
        };
        let packet = ipv4_packet(46 << 2 | 1, 17, [0, 1, 0, 2]);
        assert_eq!(tagged(5 << 13 | 7, IPV4, &packet).priority, 5);
        assert_eq!(tagged(7, IPV4, &packet).priority, 6);
        assert_eq!(tagged(7, IPV4, &packet).flow, classify(&ethernet(IPV4, &packet)).flow);
        assert!(tagged(7, IPV4, &packet).ect);
        assert_eq!(tagged(3 << 13, 0x0806, &[0; 28]).priority, 3);
    }

    #[test]
    fn other_protocols() {
        assert_eq!(classify(&ethernet(0x0806, &[0; 28])).priority, 0);
        assert_eq!(classify(&ethernet(HANDOVER, &[0; 28])).priority, 7);
        // Label 1, traffic class 5, bottom of stack.
        assert_eq!(classify(&ethernet(MPLS_UNICAST, &[0, 0, 0x1b, 64])).priority, 5);
    }

    #[test]
    fn flows_differ_by_addresses_protocol_and_ports() {
        let base = ipv4_packet(0, 6, [0, 80, 4, 1]);
        let flow = |at: usize, byte: u8| {
            let mut packet = base.clone();
            packet[at] = byte;
            classify(&ethernet(IPV4, &packet)).flow
        };
        let same = classify(&ethernet(IPV4, &base)).flow;
        // Traffic class and time to live name no flow; protocol, addresses and ports do.
        assert_eq!([flow(1, 46 << 2), flow(8, 63)], [same; 2]);
        for (at, byte) in [(9, 17), (15, 9), (19, 9), (21, 81), (23, 2)] {
            assert_ne!(flow(at, byte), same, "byte {at}");
        }
    }

    #[test]
    fn fragments_of_a_datagram_are_one_flow() {
        let flow = |fragment: [u8; 2], ports| {
            let mut packet = ipv4_packet(0, 17, ports);
            packet[6..8].copy_from_slice(&fragment);
            classify(&ethernet(IPV4, &packet)).flow
        };
        assert_eq!(flow([0x20, 0], [0, 1, 0, 2]), flow([0x00, 185], [9, 9, 9, 9]));
        assert_ne!(flow([0x40, 0], [0, 1, 0, 2]), flow([0x40, 0], [9, 9, 9, 9]));
    }

    #[test]
    fn extension_headers_stand_before_the_ports() {
        let flow = |rest: &[u8], next| classify(&ethernet(IPV6, &ipv6_packet(0, next, rest))).flow;
        let direct = flow(&[0, 1, 0, 2, 0, 0, 0, 0], 17);
        let with_options = flow(&[17, 0, 1, 4, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0], 0);
        assert_eq!(direct, with_options);
        assert_ne!(direct, flow(&[0, 1, 0, 3, 0, 0, 0, 0], 17));
    }

    #[test]
    fn half_a_header_is_best_effort() {
        let packet = ipv4_packet(46 << 2 | 1, 17, [0, 1, 0, 2]);
        let class = |bytes| classify(&ethernet(IPV4, &packet[..bytes]));
        assert_eq!((class(20).priority, class(20).ect), (6, true));
        assert_eq!((class(19).priority, class(19).ect), (0, false));
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_class(head in proptest::collection::vec(any::<u8>(), 0..160)) {
            prop_assert!(classify(&head).priority <= 7);
        }

        #[test]
        fn a_head_cut_anywhere_has_a_class(cut in 0_usize..62, v6 in any::<bool>()) {
            let frame = if v6 {
                ethernet(IPV6, &ipv6_packet(46 << 2, 0, &[60, 0, 0, 0, 0, 0, 0, 0, 17, 9]))
            } else {
                ethernet(IPV4, &ipv4_packet(46 << 2, 6, [0, 80, 4, 1]))
            };
            let class = classify(&frame[..cut.min(frame.len())]);
            prop_assert!(class.priority == 0 || class.priority == 6);
        }
    }
}
