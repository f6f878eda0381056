//! Captures at interfaces: Ethernet frames as they leave a device's queue and as they arrive.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use airtcp_plan::{Capture, CapturePoint, Plan, Points};

use super::seen_packet::SeenPacket;
use crate::capture::flow_filter::FlowFilter;
use crate::capture::pcapng::{
    CaptureInterface, CapturedPacket, Direction, LinkType, PcapngWriter, create_capture,
};

/// One capture file.
#[derive(Debug)]
struct EthernetCapture {
    file: PcapngWriter<BufWriter<File>>,
    /// Interface in the file of each captured device.
    interfaces: Vec<Option<u32>>,
    filter: FlowFilter,
    snap_bytes: usize,
    start_ns: i64,
    stop_ns: i64,
}

/// Every capture at interfaces.
#[derive(Debug)]
pub(super) struct EthernetCaptures {
    all: Vec<EthernetCapture>,
}

impl EthernetCaptures {
    /// Opens the files, in the run's working folder.
    ///
    /// # Errors
    /// An error of the file system.
    pub(super) fn create(folder: &Path, plan: &Plan) -> io::Result<Self> {
        let at_interfaces =
            plan.captures.iter().filter(|c| matches!(c.point, CapturePoint::Interfaces { .. }));
        let all = at_interfaces.map(|capture| EthernetCapture::create(folder, plan, capture));
        Ok(Self { all: all.collect::<io::Result<_>>()? })
    }

    /// Handles a packet at a device.
    ///
    /// # Errors
    /// A file can't be written.
    pub(super) fn see(&mut self, time_ns: i64, packet: &SeenPacket<'_>) -> io::Result<()> {
        self.all.iter_mut().try_for_each(|capture| capture.see(time_ns, packet))
    }

    /// Writes what is still buffered.
    ///
    /// # Errors
    /// A file can't be written.
    pub(super) fn close(&mut self) -> io::Result<()> {
        self.all.iter_mut().try_for_each(|capture| capture.file.flush())
    }
}

impl EthernetCapture {
    fn create(folder: &Path, plan: &Plan, capture: &Capture) -> io::Result<Self> {
        let mut file = create_capture(folder, &capture.name, plan)?;
        let mut interfaces = Vec::new();
        for device in plan.devices() {
            let node = &plan.nodes[device.node as usize].name;
            let name = format!("{node}-{}", device.name);
            let described = CaptureInterface {
                name: &name,
                link_type: LinkType::Ethernet,
                snap_bytes: capture.snap_bytes,
            };
            let seen = capture.sees(node, device.name);
            interfaces.push(if seen { Some(file.interface(&described)?) } else { None });
        }
        Ok(Self {
            file,
            interfaces,
            filter: FlowFilter::new(capture, &plan.flows),
            snap_bytes: capture.snap_bytes as usize,
            start_ns: capture.start_ns.cast_signed(),
            stop_ns: capture.stop_ns.cast_signed(),
        })
    }

    fn see(&mut self, time_ns: i64, packet: &SeenPacket<'_>) -> io::Result<()> {
        let Some(interface) = self.interfaces[packet.device as usize] else { return Ok(()) };
        let direction = match packet.point {
            Points::XMIT => Direction::Out,
            Points::RECEIVE => Direction::In,
            _ => return Ok(()),
        };
        if time_ns < self.start_ns || time_ns >= self.stop_ns || !self.filter.passes(packet.head) {
            return Ok(());
        }
        self.file.packet(&CapturedPacket {
            interface,
            time_ns: time_ns.cast_unsigned(),
            bytes: &packet.head[..packet.head.len().min(self.snap_bytes)],
            original_bytes: packet.bytes,
            direction: Some(direction),
            comment: None,
        })
    }
}
