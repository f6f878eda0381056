//! Recognises the packets of the plan's flows, by the address and port at which one end listens.

use std::net::SocketAddrV4;

use airtcp_plan::{Capture, Flow};

use super::tcp_segment::{TcpSegment, ipv4_end};

/// Passes the packets of some flows, in both directions; all packets if no flow is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowFilter {
    /// Listening ends of the flows, in order; `None`: everything passes.
    listening: Option<Vec<SocketAddrV4>>,
}

impl FlowFilter {
    /// The filter of a capture. Panics if it names a flow that the plan does not have, which the plan's check refuses.
    pub fn new(capture: &Capture, flows: &[Flow]) -> Self {
        let chosen = capture.flows.iter().map(|&flow| &flows[flow as usize]);
        let mut listening: Vec<_> = chosen.filter_map(|flow| ipv4_end(flow.address, flow.port)).collect();
        listening.sort_unstable();
        Self { listening: (!listening.is_empty()).then_some(listening) }
    }

    /// Whether everything passes.
    pub fn passes_everything(&self) -> bool {
        self.listening.is_none()
    }

    /// Whether the Ethernet frame that begins with these bytes passes.
    pub fn passes(&self, head: &[u8]) -> bool {
        let Some(listening) = &self.listening else { return true };
        TcpSegment::read(head).is_some_and(|segment| {
            [segment.source, segment.destination].iter().any(|end| listening.binary_search(end).is_ok())
        })
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::{CapturePoint, SNAP_BYTES_MIN, Workload};

    use super::super::tcp_segment::TCP;
    use super::*;

    const SERVER: [u8; 4] = [10, 0, 0, 9];
    const CLIENT: [u8; 4] = [10, 0, 0, 2];

    fn flow(port: u16) -> Flow {
        Flow {
            name: port.to_string(),
            from: "sta1".to_owned(),
            to: "server".to_owned(),
            address: SERVER.into(),
            port,
            congestion_control: "cubic".to_owned(),
            start_ns: 0,
            stop_ns: 1,
            pacing_bps: None,
            low_water_bytes: None,
            dscp: 0,
            workload: Workload::Bytes { count: 1 },
        }
    }

    fn filter(flows: &[u32]) -> FlowFilter {
        let capture = Capture {
            name: "some".to_owned(),
            point: CapturePoint::Air {},
            snap_bytes: SNAP_BYTES_MIN,
            flows: flows.to_vec(),
            start_ns: 0,
            stop_ns: 1,
        };
        FlowFilter::new(&capture, &[flow(5001), flow(5002), flow(80)])
    }

    fn segment(from: ([u8; 4], u16), to: ([u8; 4], u16), options: usize) -> Vec<u8> {
        let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
        frame.extend([0x45 + (options / 4) as u8, 0, 0, 60, 0, 0, 0x40, 0, 64, TCP, 0, 0]);
        frame.extend(from.0);
        frame.extend(to.0);
        frame.resize(frame.len() + options, 1);
        frame.extend(from.1.to_be_bytes());
        frame.extend(to.1.to_be_bytes());
        frame
    }

    fn tagged(frame: &[u8], kind: u16) -> Vec<u8> {
        let mut tagged = frame[..12].to_vec();
        tagged.extend(kind.to_be_bytes());
        tagged.extend([0xa0, 7]);
        tagged.extend(&frame[12..]);
        tagged
    }

    #[test]
    fn both_directions_of_the_flows_asked_for_pass() {
        let (data, ack) =
            (segment((CLIENT, 40_000), (SERVER, 5002), 0), segment((SERVER, 5002), (CLIENT, 40_000), 0));
        for (flows, passes) in [(&[1_u32][..], true), (&[2, 1], true), (&[0, 2], false), (&[], true)] {
            assert_eq!(
                (filter(flows).passes(&data), filter(flows).passes(&ack)),
                (passes, passes),
                "{flows:?}"
            );
        }
    }

    #[test]
    fn a_port_counts_with_its_address_only() {
        // The client's port, or another server's.
        assert!(!filter(&[1]).passes(&segment((CLIENT, 5002), (SERVER, 80), 0)));
        assert!(!filter(&[1]).passes(&segment((SERVER, 80), (CLIENT, 5002), 0)));
    }

    #[test]
    fn headers_are_as_long_as_they_say() {
        let data = segment((CLIENT, 40_000), (SERVER, 5001), 12);
        assert!(filter(&[0]).passes(&data));
        assert!(filter(&[0]).passes(&tagged(&data, 0x8100)));
        assert!(filter(&[0]).passes(&tagged(&tagged(&data, 0x8100), 0x88a8)));
        for cut in 0..data.len() {
            assert!(!filter(&[0]).passes(&data[..cut]), "{cut} bytes");
        }
    }

    #[test]
    fn what_is_not_tcp_passes_only_without_flows() {
        let good = segment((CLIENT, 40_000), (SERVER, 5001), 0);
        let changed = |at: usize, value: u8| {
            let mut frame = good.clone();
            frame[at] = value;
            frame
        };
        // IPv6, UDP, a later fragment.
        for other in [changed(12, 0x86), changed(14 + 9, 17), changed(14 + 7, 1)] {
            assert!(!filter(&[0]).passes(&other));
            assert!(filter(&[]).passes(&other));
        }
        assert!(filter(&[]).passes_everything() && !filter(&[0]).passes_everything());
    }
}
