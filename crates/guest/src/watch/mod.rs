//! Flows, queues and packets in the kernel, as records and capture files.
//!
//! The kernel calls at the instant of its sample (`arch/um/drivers/airtcp/probe` of the kernel); nothing here
//! calls back into it, so that watching changes nothing.

mod datagram_flows;
mod delays;
mod ethernet;
mod flow_rows;
mod flows;
mod mptcp;
mod mptcp_sample;
mod peers;
mod program_flows;
mod queues;
mod sampled_flow;
mod seen_packet;
mod sockets;

use std::io;
use std::path::{Path, PathBuf};

use airtcp_plan::report::RECORDS_FOLDER;
use airtcp_plan::{Flow, Plan};

use self::delays::Delays;
use self::ethernet::EthernetCaptures;
use self::flow_rows::FlowRows;
use self::peers::Peers;
use self::program_flows::ProgramFlows;
use self::queues::Queues;
use crate::abi::KernelAck;
use crate::capture::packet_ends::Addressed;
use crate::capture::tcp_segment::TCP;
use crate::series::{Series, SeriesOnDemand};

use self::flows::write_ack;
pub use self::flows::{CC_INFO_BYTES, FlowSample};
pub(crate) use self::flows::{flows_table, write_flow};
pub use self::mptcp_sample::MptcpSample;
pub(crate) use self::peers::RadioSample;
pub use self::queues::{DevicePlace, QdiscSample};
pub(crate) use self::queues::{queues_table, write_queue};
pub use self::sampled_flow::SampledFlow;
pub use self::seen_packet::SeenPacket;
pub use self::sockets::{ConnectedSocket, SocketSample};

/// The records of a run that come from the kernel. Times are since boot.
#[derive(Debug)]
pub struct Watch {
    epoch_ns: i64,
    /// Node and place in its node of each device.
    places: Vec<DevicePlace>,
    folder: PathBuf,
    plan: Plan,
    flows: Option<Series>,
    programs: Option<ProgramFlows>,
    /// Of runs in which a program uses MPTCP.
    mptcp: SeriesOnDemand,
    acks: Option<Series>,
    queues: Option<Queues>,
    peers: Peers,
    delays: Option<Delays>,
    captures: EthernetCaptures,
    /// The last second of traffic time of which all samples are in the files.
    shown_s: i64,
}

impl Watch {
    /// Opens the record and capture files of the plan, in the run's working folder. `tcp_info_bytes`: of the kernel's structure.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn create(folder: &Path, plan: &Plan, tcp_info_bytes: u16) -> io::Result<Self> {
        let records = folder.join(RECORDS_FOLDER);
        std::fs::create_dir_all(&records)?;
        let (sampling, has_flows) = (&plan.sampling, !plan.flows.is_empty());
        let may_have_flows = has_flows || plan.watches_programs().is_some();
        let open = |wanted: bool, table| wanted.then(|| Series::create(&records, &table)).transpose();
        Ok(Self {
            epoch_ns: plan.epoch_ns.cast_signed(),
            places: plan.devices().map(|d| DevicePlace { node: d.node, interface: d.place }).collect(),
            folder: folder.to_owned(),
            plan: plan.clone(),
            flows: open(sampling.flows_interval_ns > 0 && may_have_flows, flows_table(tcp_info_bytes))?,
            programs: ProgramFlows::of(plan),
            mptcp: SeriesOnDemand::new(&records, mptcp_sample::mptcp_table()),
            acks: open(sampling.acks && has_flows, flows::acks_table())?,
            queues: (sampling.qdiscs_interval_ns > 0).then(|| Queues::create(&records)).transpose()?,
            peers: Peers::create(&records, sampling)?,
            delays: (sampling.delays && has_flows).then(|| Delays::create(&records, plan)).transpose()?,
            captures: EthernetCaptures::create(folder, plan)?,
            shown_s: 0,
        })
    }

    fn traffic_time_ns(&self, since_boot_ns: u64) -> i64 {
        since_boot_ns.cast_signed() - self.epoch_ns
    }

    /// The state of a flow at a sampling instant.
    ///
    /// # Errors
    /// A record can't be written.
    pub fn flow(&mut self, flow: u32, at_ns: u64, sample: &FlowSample) -> io::Result<()> {
        let time_ns = self.traffic_time_ns(at_ns);
        self.show(time_ns)?;
        self.flows.as_mut().map_or(Ok(()), |series| series.add(|row| write_flow(row, time_ns, flow, sample)))
    }

    /// A TCP socket is connected; `number` is the kernel's for as long as it is, `None` if it has no room to watch it. Says
    /// whether it is to be watched.
    pub fn socket_connected(&mut self, number: Option<u32>, now_ns: u64, socket: &ConnectedSocket) -> bool {
        let time_ns = self.traffic_time_ns(now_ns);
        self.programs.as_mut().is_some_and(|programs| programs.connected(number, time_ns, socket))
    }

    /// Records a sample of a watched socket, with values of its own end only.
    pub fn socket(&mut self, number: u32, at_ns: u64, sample: &SocketSample<'_>) {
        let time_ns = self.traffic_time_ns(at_ns);
        if let Some(programs) = &mut self.programs {
            programs.sample(number, time_ns, sample);
        }
    }

    /// A socket that is watched is closed, after its last sample.
    ///
    /// # Errors
    /// A record can't be written.
    pub fn socket_closed(&mut self, number: u32, now_ns: u64) -> io::Result<()> {
        let time_ns = self.traffic_time_ns(now_ns);
        self.with_rows(|programs, rows| programs.closed(number, time_ns, rows))
    }

    /// All sockets that are watched have been sampled for this instant.
    ///
    /// # Errors
    /// A record can't be written.
    pub fn sockets_sampled(&mut self, at_ns: u64) -> io::Result<()> {
        let time_ns = self.traffic_time_ns(at_ns);
        self.show(time_ns)?;
        self.with_rows(|programs, rows| programs.sampled(time_ns, rows))
    }

    fn with_rows(
        &mut self,
        act: impl FnOnce(&mut ProgramFlows, &mut FlowRows<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some(programs) = &mut self.programs else { return Ok(()) };
        let planned = self.plan.flows.len() as u32;
        act(programs, &mut FlowRows { series: self.flows.as_mut(), mptcp: &mut self.mptcp, planned })
    }

    /// A segment reaches a flow's sender.
    pub(crate) fn ack(&mut self, flow: u32, now_ns: u64, ack: &KernelAck) -> io::Result<()> {
        let time_ns = self.traffic_time_ns(now_ns);
        self.acks.as_mut().map_or(Ok(()), |series| series.add(|row| write_ack(row, time_ns, flow, ack)))
    }

    /// Records a sample of a queueing discipline.
    ///
    /// # Errors
    /// A record can't be written.
    pub fn qdisc(&mut self, device: u32, at_ns: u64, sample: &QdiscSample<'_>) -> io::Result<()> {
        let (time_ns, place) = (self.traffic_time_ns(at_ns), self.places[device as usize]);
        self.queues.as_mut().map_or(Ok(()), |queues| queues.add(time_ns, place, sample))
    }

    /// A device, by its number.
    pub fn place(&self, device: u32) -> DevicePlace {
        self.places[device as usize]
    }

    /// A flow of the plan.
    pub fn planned(&self, number: u32) -> SampledFlow {
        let from = &self.plan.flows[number as usize].from;
        let node = self.plan.nodes.iter().position(|node| node.name == *from);
        SampledFlow { number, node: node.map(|place| place as u32) }
    }

    /// Number and sending node of the flow whose sender is this socket of a program, and the socket of its receiver.
    pub fn flow_of_socket(&self, number: u32) -> Option<(SampledFlow, Option<u32>)> {
        let (flow, receiver) = self.programs.as_ref()?.flow_of_socket(&self.plan, number)?;
        Some((self.after_planned(flow), receiver))
    }

    /// A flow of programs, among all.
    fn after_planned(&self, flow: SampledFlow) -> SampledFlow {
        SampledFlow { number: flow.number + self.plan.flows.len() as u32, ..flow }
    }

    /// The flow of a packet, and whether the packet is an acknowledgment of its receiver.
    pub(crate) fn flow_of_packet(&self, packet: &Addressed) -> Option<(SampledFlow, bool)> {
        if packet.ends.protocol != TCP {
            return None;
        }
        let planned = self.plan.flows.iter().zip(0..).find_map(|(flow, number)| {
            let comes_from = packet_side(flow, packet)?;
            Some((self.planned(number), comes_from != flow.from))
        });
        planned.or_else(|| {
            let (flow, acknowledgment) = self.programs.as_ref()?.flow_of_packet(&self.plan, packet)?;
            Some((self.after_planned(flow), acknowledgment))
        })
    }

    /// Records a sample of mac80211's state for a radio or one of its peers.
    pub(crate) fn radio(&mut self, nic: u32, at_ns: u64, sample: &impl RadioSample) -> io::Result<()> {
        self.peers.add(self.traffic_time_ns(at_ns), nic, sample)
    }

    /// Handles a packet at a device.
    ///
    /// # Errors
    /// A record can't be written.
    pub fn packet(&mut self, now_ns: u64, packet: &SeenPacket<'_>) -> io::Result<()> {
        let time_ns = self.traffic_time_ns(now_ns);
        if let Some(delays) = &mut self.delays {
            delays.see(time_ns, packet)?;
        }
        if let Some(programs) = &mut self.programs {
            programs.see(time_ns, packet);
        }
        self.captures.see(time_ns, packet)
    }

    /// Once a second of traffic time, before the first sample after it: who follows the run sees the samples up to that second.
    fn show(&mut self, time_ns: i64) -> io::Result<()> {
        let second = (time_ns - 1).div_euclid(1_000_000_000);
        if second <= self.shown_s {
            return Ok(());
        }
        self.shown_s = second;
        self.flush()
    }

    /// Writes all records of sockets and queues so far to their files, and what the flows of programs are.
    ///
    /// # Errors
    /// A record can't be written.
    pub fn flush(&mut self) -> io::Result<()> {
        for series in [&mut self.flows, &mut self.acks].into_iter().flatten() {
            series.flush()?;
        }
        self.mptcp.flush()?;
        if let Some(queues) = &mut self.queues {
            queues.flush()?;
        }
        if let Some(programs) = &self.programs {
            programs.report(&self.folder, &self.plan)?;
        }
        self.peers.flush()
    }

    /// The run ends: everything is written.
    ///
    /// # Errors
    /// A record can't be written.
    pub fn close(&mut self) -> io::Result<()> {
        self.flush()?;
        if let Some(delays) = &mut self.delays {
            delays.close()?;
        }
        self.captures.close()
    }
}

/// The node that a packet of this flow comes from; `None`: it is of another one.
fn packet_side<'a>(flow: &'a Flow, packet: &Addressed) -> Option<&'a str> {
    let ends = &packet.ends;
    if (ends.destination, ends.ports[1]) == (flow.address, flow.port) {
        return Some(flow.connecting());
    }
    ((ends.source, ends.ports[0]) == (flow.address, flow.port)).then(|| flow.listening())
}
