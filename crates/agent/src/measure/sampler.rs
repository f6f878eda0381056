//! Samples of a run on a real machine: the statistics that its kernel gives to anybody who asks.

use std::net::Ipv4Addr;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use airtcp_plan::{Plan, TcpInfo};

use crate::clock::Timeline;
use crate::ending;
use crate::failure::{Outcome, because};
use crate::netlink::sock_diag::{self, TcpSocket};
use crate::netlink::{Netlink, qdisc};
use crate::process::spawn;
use crate::sys::tcp::{CC_INFO_BYTES, congestion_control_info, tcp_info, tcp_info_bytes};
use crate::traffic::flow::FlowState;
use crate::traffic::records::RecordFile;

/// What is recorded.
#[derive(Debug)]
struct Records {
    senders: RecordFile,
    receivers: RecordFile,
    qdiscs: RecordFile,
    sockets: RecordFile,
}

/// The sampler of a node.
#[derive(Debug)]
pub(super) struct Sampler {
    records: Mutex<Option<Records>>,
    flows: Vec<Arc<FlowState>>,
    strangers: Strangers,
    ended: AtomicBool,
}

airtcp_plan::record! {
    /// The table of `records/senders.rec`: the sending ends of this machine.
    fn senders_table(tcp_info_bytes: u16) = "senders", key [flow], Keep;
    fn write_sender(now_ns: i64, flow: u32, info: &TcpInfo, own: &[u8]) {
        time_ns: i64 = now_ns,
        flow: u32 = flow;
        ..TcpInfo = info;
        tcp_info: bytes[tcp_info_bytes] = info.bytes(),
        cc_info: bytes[CC_INFO_BYTES as u16] = own,
    }
}

airtcp_plan::record! {
    /// The table of `records/receivers.rec`: the receiving ends of this machine.
    fn receivers_table() = "receivers", key [flow], Keep;
    fn write_receiver(now_ns: i64, flow: u32, info: &TcpInfo) {
        time_ns: i64 = now_ns,
        flow: u32 = flow,
        bytes_received: u64 = info.bytes_received(),
    }
}

airtcp_plan::record! {
    /// The table of `records/sockets.rec`: connections between the nodes that are no flows of the plan, as each end sees them.
    fn sockets_table(tcp_info_bytes: u16) = "sockets", key [cookie], Keep;
    fn write_socket(now_ns: i64, socket: &TcpSocket) {
        time_ns: i64 = now_ns,
        cookie: u64 = socket.cookie,
        local: u32 = socket.local.0.to_bits(),
        local_port: u32 = socket.local.1.into(),
        remote: u32 = socket.remote.0.to_bits(),
        remote_port: u32 = socket.remote.1.into(),
        congestion_control: bytes[CONTROL_BYTES] = socket.congestion_control.as_bytes(),
        state: u32 = socket.tcp_info.state().into(),
        bytes_received: u64 = socket.tcp_info.bytes_received();
        ..TcpInfo = &socket.tcp_info;
        tcp_info: bytes[tcp_info_bytes] = socket.tcp_info.bytes(),
        cc_info: bytes[CC_INFO_BYTES as u16] = &socket.cc_info,
    }
}

airtcp_plan::record! {
    /// The table of `records/qdiscs.rec`: `interface` is the kernel's number.
    fn qdiscs_table() = "qdiscs", key [interface, handle], Keep;
    fn write_qdisc(now_ns: i64, qdisc: &qdisc::Installed) {
        time_ns: i64 = now_ns,
        interface: u32 = qdisc.index,
        handle: u32 = qdisc.handle >> 16,
        backlog_packets: u32 = qdisc.backlog_packets,
        backlog_bytes: u32 = qdisc.backlog_bytes,
        packets: u64 = qdisc.packets,
        bytes: u64 = qdisc.bytes,
        drops: u64 = qdisc.drops.into(),
        overlimits: u64 = qdisc.overlimits.into(),
    }
}

/// `TCP_CA_NAME_MAX` of Linux `include/net/tcp.h`.
const CONTROL_BYTES: u16 = 16;

/// Connections that are not a program's: those that were there before, and the plan's own.
#[derive(Debug)]
struct Strangers {
    peers: Vec<Ipv4Addr>,
    ports: Vec<u16>,
    before: Vec<u64>,
}

impl Strangers {
    fn are_not(&self, socket: &TcpSocket) -> bool {
        let planned = [socket.local.1, socket.remote.1].iter().any(|port| self.ports.contains(port));
        !planned && self.peers.contains(&socket.remote.0) && !self.before.contains(&socket.cookie)
    }
}

impl Sampler {
    /// Starts the threads that sample, in the namespace of the calling thread.
    ///
    /// # Errors
    /// The disk is full, or the kernel says nothing of its queueing disciplines.
    pub(super) fn start(
        plan: &Plan,
        flows: &[Arc<FlowState>],
        peers: &[Ipv4Addr],
        timeline: Timeline,
        folder: &Path,
    ) -> Outcome<Arc<Self>> {
        let failed = because("the kernel's tcp_info can't be read", "sampling", "report this");
        let tcp_info_bytes = tcp_info_bytes().map_err(failed)?;
        let records = Records {
            senders: RecordFile::create(folder, &senders_table(tcp_info_bytes))?,
            receivers: RecordFile::create(folder, &receivers_table())?,
            qdiscs: RecordFile::create(folder, &qdiscs_table())?,
            sockets: RecordFile::create(folder, &sockets_table(tcp_info_bytes))?,
        };
        let own = Arc::new(Self {
            records: Mutex::new(Some(records)),
            flows: flows.to_vec(),
            strangers: Strangers {
                peers: peers.to_vec(),
                ports: plan.flows.iter().map(|flow| flow.port).collect(),
                before: connections_now().iter().map(|socket| socket.cookie).collect(),
            },
            ended: AtomicBool::new(false),
        });
        let (sampler, interval_ns) = (Arc::clone(&own), plan.sampling.flows_interval_ns);
        sampler.every("samples of flows", interval_ns, timeline, Self::sample_flows)?;
        if plan.sampling.qdiscs_interval_ns > 0 {
            let sampler = Arc::clone(&own);
            let failed = because("queueing disciplines can't be read", "sampling", "report this");
            let mut netlink = Netlink::open().map_err(failed)?;
            let sample = move |own: &Self, now_ns| own.sample_qdiscs(&mut netlink, now_ns);
            sampler.every("samples of qdiscs", plan.sampling.qdiscs_interval_ns, timeline, sample)?;
        }
        if plan.watches_programs().is_some() {
            own.watch_programs(plan.sampling.flows_interval_ns, timeline)?;
        }
        Ok(own)
    }

    /// Samples the connections of programs, and records the last state of those that end.
    fn watch_programs(self: &Arc<Self>, interval_ns: u64, timeline: Timeline) -> Outcome<()> {
        let failed = || because("connections can't be read", "sampling", "report this");
        let mut netlink = Netlink::open_sock_diag().map_err(failed())?;
        let sample = move |own: &Self, now_ns| {
            let sockets = sock_diag::connections(&mut netlink).map_err(failed())?;
            own.add_sockets(&sockets, now_ns)
        };
        Arc::clone(self).every("samples of sockets", interval_ns, timeline, sample)?;
        let ends = Netlink::open_sock_diag().map_err(failed())?;
        sock_diag::hear_ends(&ends).map_err(failed())?;
        let own = Arc::clone(self);
        spawn("ends of sockets".to_owned(), move || {
            // The last state of a connection is optional: sampling goes on with kernels that don't report it.
            while let Ok(sockets) = sock_diag::next_ends(&ends) {
                let now_ns = timeline.now_ns();
                if now_ns >= 0
                    && let Err(failure) = own.add_sockets(&sockets, now_ns)
                {
                    ending::fail(failure);
                }
            }
        })
    }

    fn add_sockets(&self, sockets: &[TcpSocket], now_ns: i64) -> Outcome<()> {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(records) = records.as_mut() else { return Ok(()) };
        sockets
            .iter()
            .filter(|socket| self.strangers.are_not(socket))
            .try_for_each(|socket| records.sockets.add(|row| write_socket(row, now_ns, socket)))
    }

    /// Starts a thread that samples at the multiples of an interval until the end.
    fn every(
        self: Arc<Self>,
        name: &str,
        interval_ns: u64,
        timeline: Timeline,
        mut sample: impl FnMut(&Self, i64) -> Outcome<()> + Send + 'static,
    ) -> Outcome<()> {
        if interval_ns == 0 {
            return Ok(());
        }
        spawn(name.to_owned(), move || {
            timeline.at_multiples(interval_ns, &self.ended, |now_ns| {
                if let Err(failure) = sample(&self, now_ns) {
                    ending::fail(failure);
                }
            });
        })
    }

    /// Records all flows now.
    pub(super) fn sample_flows(&self, now_ns: i64) -> Outcome<()> {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(records) = records.as_mut() else { return Ok(()) };
        for flow in &self.flows {
            if let Some(sender) = flow.sender().filter(|_| flow.connected_ns.get().is_some()) {
                add_sender(&mut records.senders, flow.number, sender, now_ns)?;
            }
            if let Some(Ok(info)) = flow.receiver().map(tcp_info) {
                records.receivers.add(|row| write_receiver(row, now_ns, flow.number, &info))?;
            }
        }
        Ok(())
    }

    fn sample_qdiscs(&self, netlink: &mut Netlink, now_ns: i64) -> Outcome<()> {
        let failed = because("queueing disciplines can't be read", "sampling", "report this");
        let installed = qdisc::qdiscs(netlink).map_err(failed)?;
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(records) = records.as_mut() else { return Ok(()) };
        installed.iter().try_for_each(|qdisc| records.qdiscs.add(|row| write_qdisc(row, now_ns, qdisc)))
    }

    /// Takes the last samples of flows and writes everything.
    ///
    /// # Errors
    /// The disk is full.
    pub(super) fn finish(&self, now_ns: i64) -> Outcome<()> {
        self.ended.store(true, Ordering::Release);
        self.sample_flows(now_ns)?;
        let records = self.records.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Records { senders, receivers, qdiscs, sockets }) = records else { return Ok(()) };
        [senders, receivers, qdiscs, sockets].into_iter().try_for_each(RecordFile::finish)
    }
}

fn add_sender(file: &mut RecordFile, flow: u32, sender: BorrowedFd<'_>, now_ns: i64) -> Outcome<()> {
    let Ok(info) = tcp_info(sender) else { return Ok(()) };
    // Most congestion controls have none.
    let own = congestion_control_info(sender).unwrap_or([0; CC_INFO_BYTES]);
    file.add(|row| write_sender(row, now_ns, flow, &info, &own))
}

/// The connections of the namespace now; a kernel without `sock_diag` shows none.
fn connections_now() -> Vec<TcpSocket> {
    let read = Netlink::open_sock_diag().and_then(|mut netlink| sock_diag::connections(&mut netlink));
    read.unwrap_or_default()
}
