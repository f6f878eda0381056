//! Wires: pairs of Ethernet devices, each end with a rate and a delay
//! (`kernel/src/arch/um/drivers/airtcp/wire/rtnl.h`).

use airtcp_plan::{Interface, WireInterrupt};

use super::Request;
use super::link::{Identity, change_link, identify, info, new_link, of_kind};
use super::message::{find, u32_at, u64_at};
use super::wire_trace::{KIND, TraceHead};

const AIRTCP_WIRE_PEER: u16 = 1;
const AIRTCP_WIRE_RATE: u16 = 2;
const AIRTCP_WIRE_DELAY: u16 = 3;
const AIRTCP_WIRE_RX_INTERVAL: u16 = 4;
const AIRTCP_WIRE_RX_AFTER_FIRST: u16 = 5;
const AIRTCP_WIRE_RX_FRAMES: u16 = 6;

/// How one end of a wire sends and receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WireEnd {
    /// Bits per second of Ethernet frames without preamble and FCS; 0: no limit.
    pub(crate) rate_bps: u64,
    /// Propagation delay.
    pub(crate) delay_ns: u64,
    /// Interrupt moderation of the receiving end; `None`: a frame interrupts its host at once.
    pub(crate) rx_interrupt: Option<WireInterrupt>,
    /// How rate, delay and loss change; it is set by requests of its own.
    pub(crate) trace: Option<TraceHead>,
}

impl WireEnd {
    /// What the plan says, and its trace.
    pub(crate) fn of(interface: &Interface, trace: Option<TraceHead>) -> Self {
        let egress = &interface.egress;
        Self {
            rate_bps: egress.rate_bps.unwrap_or(0),
            delay_ns: egress.delay_ns,
            rx_interrupt: interface.rx_interrupt,
            trace,
        }
    }

    /// From `IFLA_LINKINFO`; `None` for another kind of device.
    pub(super) fn read(link_info: &[u8]) -> Option<Self> {
        let data = find(link_info, libc::IFLA_INFO_DATA)?;
        let own = find(link_info, libc::IFLA_INFO_KIND)?.starts_with(KIND.as_bytes());
        let number = |kind| find(data, kind).map(|value| u64_at(value, 0));
        let frames = u32_at(find(data, AIRTCP_WIRE_RX_FRAMES)?, 0);
        let rx = WireInterrupt {
            interval_ns: number(AIRTCP_WIRE_RX_INTERVAL)?,
            after_first_ns: number(AIRTCP_WIRE_RX_AFTER_FIRST)?,
            frames: (frames > 0).then_some(frames),
        };
        own.then_some(Self {
            rate_bps: number(AIRTCP_WIRE_RATE)?,
            delay_ns: number(AIRTCP_WIRE_DELAY)?,
            rx_interrupt: (rx.interval_ns > 0 || rx.after_first_ns > 0).then_some(rx),
            trace: TraceHead::read(data),
        })
    }
}

/// Creates a wire, both ends at their places.
pub(crate) fn create_wire(a: &Identity, b: &Identity) -> Request {
    of_kind(identify(new_link(a.index), a), KIND, |r| {
        r.nest(AIRTCP_WIRE_PEER, &info(b.index, 0, 0), |r| identify(r, b))
    })
}

/// Sets how one end of a wire sends and receives, and ends a trace that it has.
pub(crate) fn set_wire(index: u32, end: WireEnd) -> Request {
    of_kind(change_link(index), KIND, |r| {
        let r = r.u64(AIRTCP_WIRE_RATE, end.rate_bps).u64(AIRTCP_WIRE_DELAY, end.delay_ns);
        let Some(rx) = end.rx_interrupt else { return r };
        r.u64(AIRTCP_WIRE_RX_INTERVAL, rx.interval_ns)
            .u64(AIRTCP_WIRE_RX_AFTER_FIRST, rx.after_first_ns)
            .u32(AIRTCP_WIRE_RX_FRAMES, rx.frames.unwrap_or(0))
    })
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use airtcp_plan::MacAddress;

    use super::super::link::INFO_BYTES;
    use super::super::link_report::Link;
    use super::*;
    use crate::netlink::message::replies;

    #[test]
    fn both_ends_of_a_wire_are_described() {
        let file = std::fs::File::open("/dev/null").unwrap();
        let end = |index, name| Identity {
            index,
            name,
            mac: MacAddress([2, 0, 0, 0, 0, index as u8]),
            mtu: 1500,
            gso_max_segments: 1,
            namespace: file.as_fd(),
        };
        let bytes = create_wire(&end(10, "eth0"), &end(11, "eth1")).finish(1, 0);
        let body = replies(&bytes).next().unwrap().body;
        assert_eq!(Link::read(body).unwrap().name, "eth0");
        let data = find(&body[INFO_BYTES..], libc::IFLA_LINKINFO).and_then(|v| find(v, libc::IFLA_INFO_DATA));
        let peer = Link::read(find(data.unwrap(), AIRTCP_WIRE_PEER).unwrap()).unwrap();
        assert_eq!((peer.index, peer.name.as_str(), peer.gso_max_segments), (11, "eth1", 1));
        assert_eq!(peer.mac, Some(MacAddress([2, 0, 0, 0, 0, 11])));
    }

    #[test]
    fn an_end_is_read_as_it_is_written() {
        let rx = WireInterrupt { interval_ns: 50_000, after_first_ns: 20_001, frames: Some(5) };
        let end =
            WireEnd { rate_bps: 40_000_000_001, delay_ns: 650_001, rx_interrupt: Some(rx), trace: None };
        let bytes = set_wire(10, end).finish(1, 0);
        let body = replies(&bytes).next().unwrap().body;
        let link_info = find(&body[INFO_BYTES..], libc::IFLA_LINKINFO).unwrap();
        assert_eq!(WireEnd::read(link_info), Some(end));
        let other = Request::new(libc::RTM_NEWLINK, 0, &[]).text(libc::IFLA_INFO_KIND, "veth");
        let other = other.nest(libc::IFLA_INFO_DATA, &[], |r| r).finish(1, 0);
        assert_eq!(WireEnd::read(replies(&other).next().unwrap().body), None);
    }
}
