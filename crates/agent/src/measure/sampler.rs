//! Samples of a run on a real machine: the statistics that its kernel gives to anybody who asks.

use std::net::Ipv4Addr;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use airtcp_plan::Plan;
use airtcp_plan::record::{EarlyEndRule, Kind, Table};

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

/// The table of `records/senders.rec`: the sending ends of this machine.
fn senders_table(tcp_info_bytes: u16) -> Table {
    let columns = [
        ("time_ns", Kind::I64),
        ("flow", Kind::U32),
        ("tcp_info", Kind::Bytes(tcp_info_bytes)),
        ("cc_info", Kind::Bytes(CC_INFO_BYTES as u16)),
    ];
    Table::new("senders", &["flow"], EarlyEndRule::Keep, &columns)
}

/// The table of `records/receivers.rec`: the receiving ends of this machine.
fn receivers_table() -> Table {
    let columns = [("time_ns", Kind::I64), ("flow", Kind::U32), ("bytes_received", Kind::U64)];
    Table::new("receivers", &["flow"], EarlyEndRule::Keep, &columns)
}

/// The table of `records/sockets.rec`: connections between the nodes that are no flows of the plan, as each end sees them.
fn sockets_table(tcp_info_bytes: u16) -> Table {
    let columns = [
        ("time_ns", Kind::I64),
        ("cookie", Kind::U64),
        ("local", Kind::U32),
        ("local_port", Kind::U32),
        ("remote", Kind::U32),
        ("remote_port", Kind::U32),
        ("congestion_control", Kind::Bytes(CONTROL_BYTES)),
        ("tcp_info", Kind::Bytes(tcp_info_bytes)),
        ("cc_info", Kind::Bytes(CC_INFO_BYTES as u16)),
    ];
    Table::new("sockets", &["cookie"], EarlyEndRule::Keep, &columns)
}

/// The table of `records/qdiscs.rec`: `interface` is the kernel's number.
fn qdiscs_table() -> Table {
    let mut columns = vec![("time_ns", Kind::I64)];
    let words = ["interface", "handle", "backlog_packets", "backlog_bytes"];
    columns.extend(words.map(|name| (name, Kind::U32)));
    columns.extend(["packets", "bytes", "drops", "overlimits"].map(|name| (name, Kind::U64)));
    Table::new("qdiscs", &["interface", "handle"], EarlyEndRule::Keep, &columns)
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
        sockets.iter().filter(|socket| self.strangers.are_not(socket)).try_for_each(|socket| {
            records.sockets.add(|row| {
                row.i64(now_ns).u64(socket.cookie);
                for (address, port) in [socket.local, socket.remote] {
                    row.u32(address.to_bits()).u32(port.into());
                }
                row.bytes(socket.congestion_control.as_bytes());
                row.bytes(socket.tcp_info.bytes()).bytes(&socket.cc_info);
            })
        })
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
                let bytes = info.bytes_received();
                records.receivers.add(|row| {
                    row.i64(now_ns).u32(flow.number).u64(bytes);
                })?;
            }
        }
        Ok(())
    }

    fn sample_qdiscs(&self, netlink: &mut Netlink, now_ns: i64) -> Outcome<()> {
        let failed = because("queueing disciplines can't be read", "sampling", "report this");
        let installed = qdisc::qdiscs(netlink).map_err(failed)?;
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(records) = records.as_mut() else { return Ok(()) };
        installed.iter().try_for_each(|q| {
            records.qdiscs.add(|row| {
                row.i64(now_ns).u32(q.index).u32(q.handle >> 16).u32(q.backlog_packets).u32(q.backlog_bytes);
                row.u64(q.packets).u64(q.bytes).u64(q.drops.into()).u64(q.overlimits.into());
            })
        })
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
    file.add(|row| {
        row.i64(now_ns).u32(flow).bytes(info.bytes()).bytes(&own);
    })
}

/// The connections of the namespace now; a kernel without `sock_diag` shows none.
fn connections_now() -> Vec<TcpSocket> {
    let read = Netlink::open_sock_diag().and_then(|mut netlink| sock_diag::connections(&mut netlink));
    read.unwrap_or_default()
}
