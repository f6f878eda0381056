//! A TCP flow: what its ends and the schedule share.

use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use airtcp_plan::report::FlowReport;
use airtcp_plan::{Flow, Plan, TcpInfo, Workload};
use airtcp_workload::{Bursts, Transfer};
use rustix::io::Errno;
use rustix::net::{Shutdown, connect, shutdown, sockopt};

use super::run_end::RunEnd;
use super::shared_bursts::{BurstRead, SharedBursts};
use super::sockets::{self, Ends};
use super::spool::Spool;
use super::watch::Watch;
use crate::clock::Timeline;
use crate::ending;
use crate::failure::{Outcome, because};
use crate::network::Network;
use crate::part::Part;
use crate::sys::tcp::tcp_info;

/// One flow. Its sockets stay open until the guest ends, so that their state can be read at any time.
#[derive(Debug)]
pub(crate) struct FlowState {
    /// The flow in the plan.
    pub(crate) plan: Flow,
    /// Index of the flow in the plan.
    pub(crate) number: u32,
    /// Key of the plan.
    pub(crate) place: String,
    /// Sockets of the flow on this machine.
    pub(super) ends: Ends,
    /// Whether this guest computes the end that connects. If not, the socket of that end is there and stays unused.
    connects_here: bool,
    /// Whether the other end is in another part of a split network.
    crosses_parts: bool,
    /// Socket of the accepted connection, at the listening end.
    pub(super) accepted: OnceLock<OwnedFd>,
    /// When the connection was established, from the epoch.
    pub(crate) connected_ns: OnceLock<u64>,
    /// When the receiver read the end of the data, from the epoch.
    pub(crate) finished_ns: OnceLock<u64>,
    /// Notified of that, if this flow is one of those that end the run.
    run_end: Option<Arc<RunEnd>>,
    /// Application bytes that the receiver had read at the end of the data.
    pub(super) taken_bytes: AtomicU64,
    /// Set before the connecting end is shut down at its stop time.
    pub(super) end_requested: AtomicBool,
    /// Bursts of a flow that has them.
    pub(super) shared_bursts: SharedBursts,
    /// The transfer that its client has requested and that has not ended.
    pub(super) asked: Mutex<Vec<Transfer>>,
    /// What was read of bursts whose sender is elsewhere.
    reads: Mutex<Spool<BurstRead>>,
    /// Bursts and transfers that have ended, in the order of their ends.
    ended: Mutex<Spool<Transfer>>,
    /// The first error of either end.
    pub(super) error: OnceLock<String>,
}

impl FlowState {
    /// Makes the sockets of every flow of the plan.
    ///
    /// # Errors
    /// A congestion control that the kernel lacks, or a port that can't be used.
    pub(crate) fn open_all(
        plan: &Plan,
        part: Part,
        network: &Network,
        run_end: &Arc<RunEnd>,
        records: &Path,
    ) -> Outcome<Vec<Arc<Self>>> {
        let flows = plan.flows.iter().zip(0..).map(|(flow, number)| {
            let ended_by = plan.ends_with.contains(&number).then(|| Arc::clone(run_end));
            let ends = sockets::open(flow, &place_of(number), network)?;
            let state = Self::new(flow, number, ends, records, ended_by);
            let connects_here = part.has(plan, flow.connecting());
            Ok(Arc::new(Self { connects_here, crosses_parts: plan.crosses_parts(flow), ..state }))
        });
        flows.collect()
    }

    /// The ends of a flow on a machine that has only some of the nodes.
    ///
    /// # Errors
    /// A congestion control that the kernel lacks, or a port that can't be used.
    pub(crate) fn open_at(node: &str, plan: &Plan, number: u32, records: &Path) -> Outcome<Arc<Self>> {
        let flow = &plan.flows[number as usize];
        let ends = sockets::open_at(node, flow, &place_of(number))?;
        Ok(Arc::new(Self::new(flow, number, ends, records, None)))
    }

    fn new(plan: &Flow, number: u32, ends: Ends, records: &Path, run_end: Option<Arc<RunEnd>>) -> Self {
        Self {
            plan: plan.clone(),
            number,
            place: place_of(number),
            ends,
            connects_here: true,
            crosses_parts: false,
            accepted: OnceLock::new(),
            connected_ns: OnceLock::new(),
            finished_ns: OnceLock::new(),
            run_end,
            taken_bytes: AtomicU64::new(0),
            end_requested: AtomicBool::new(false),
            shared_bursts: SharedBursts::default(),
            asked: Mutex::new(Vec::new()),
            reads: Mutex::new(Spool::new(records, &format!("reads-{number}"))),
            ended: Mutex::new(Spool::new(records, &format!("transfers-{number}"))),
            error: OnceLock::new(),
        }
    }

    /// The socket of the end that connects. Panics on a machine that does not have it.
    pub(super) fn caller(&self) -> &OwnedFd {
        self.ends.caller.as_ref().expect("the thread of this end runs where its socket is")
    }

    /// The socket on which the other end listens; likewise.
    pub(super) fn listener(&self) -> &OwnedFd {
        self.ends.listener.as_ref().expect("the thread of this end runs where its socket is")
    }

    /// Whether the flow has begun here before this time, or would have.
    pub(crate) fn begun_by(&self, end_ns: u64) -> bool {
        self.connects_here && self.plan.start_ns < end_ns
    }

    /// Connects at the flow's start time; returns whether that succeeded.
    pub(super) fn connect(&self, timeline: Timeline) -> bool {
        if !self.connects_here {
            return false;
        }
        timeline.sleep_until(self.plan.start_ns);
        let connected = connect(self.caller(), &SocketAddr::new(self.plan.address, self.plan.port));
        if let Err(error) = connected {
            let stopped = self.end_requested.load(Ordering::Acquire);
            self.note_error(if stopped { "stopped before it was connected" } else { "connect" }, error);
        }
        connected.is_ok()
    }

    /// Records when the sender was connected.
    pub(super) fn note_connected(&self, timeline: Timeline) {
        self.connected_ns.set(timeline.now_from_epoch_ns()).expect("a flow connects once");
    }

    /// Records that the receiver has read the end of the data.
    pub(super) fn finish(&self, taken_bytes: u64, timeline: Timeline, watch: &Watch) {
        // The sender's last sample would be of another guest: it is the last one before the sender's end.
        if !self.crosses_parts
            && let Err(error) = watch.flow_ends(self.number)
        {
            self.note_failure("watch", &error);
        }
        self.taken_bytes.store(taken_bytes, Ordering::Release);
        let now_ns = timeline.now_from_epoch_ns();
        self.finished_ns.set(now_ns).expect("a flow finishes once");
        if let Some(run_end) = &self.run_end {
            run_end.ended(now_ns);
        }
    }

    /// Stops the flow at its planned time. What is written is still delivered. The ends of other workloads stop by themselves,
    /// once they are connected.
    pub(crate) fn stop(&self) {
        let writes_on = matches!(self.plan.workload, Workload::Bulk {} | Workload::Bytes { .. });
        let Some(caller) = &self.ends.caller else { return };
        if writes_on || self.connected_ns.get().is_none() {
            self.end_requested.store(true, Ordering::Release);
            // Not connected (any more): there is nothing to end, and its thread reports why.
            let _ = shutdown(caller, Shutdown::Write);
        }
    }

    /// The socket that identifies the sender to the kernel: before it is accepted, its listener. Panics on a machine that does not
    /// have it.
    pub(crate) fn sender_or_listener(&self) -> BorrowedFd<'_> {
        self.sender().unwrap_or_else(|| self.listener().as_fd())
    }

    pub(super) fn sends_here(&self) -> bool {
        let end = if self.plan.workload.is_asked_for() { &self.ends.listener } else { &self.ends.caller };
        end.is_some()
    }

    /// The socket that sends the data, if it is here.
    pub(crate) fn sender(&self) -> Option<BorrowedFd<'_>> {
        if self.plan.workload.is_asked_for() { self.accepted() } else { self.connecting() }
    }

    /// The socket that receives the data, if it is here.
    pub(crate) fn receiver(&self) -> Option<BorrowedFd<'_>> {
        if self.plan.workload.is_asked_for() { self.connecting() } else { self.accepted() }
    }

    fn accepted(&self) -> Option<BorrowedFd<'_>> {
        self.accepted.get().map(AsFd::as_fd)
    }

    fn connecting(&self) -> Option<BorrowedFd<'_>> {
        self.ends.caller.as_ref().map(AsFd::as_fd)
    }

    /// What the kernel calls the congestion control of the sender now.
    ///
    /// # Errors
    /// It is not the planned one.
    pub(crate) fn checked_congestion_control(&self) -> Outcome<String> {
        let real = sockopt::tcp_congestion(self.sender_or_listener());
        let real =
            real.map_err(because("the congestion control can't be read", &self.place, "report this"))?;
        if real == self.plan.congestion_control {
            return Ok(real);
        }
        Err(sockets::fell_back(&self.plan, &self.place, &real))
    }

    /// How the flow went so far.
    ///
    /// # Errors
    /// The congestion control was not the planned one.
    pub(crate) fn report(&self) -> Outcome<FlowReport> {
        let connected = self.connected_ns.get().copied();
        let info = |socket: BorrowedFd<'_>| tcp_info(socket).ok();
        let sender = connected.and_then(|_| self.sender()).and_then(info).unwrap_or(TcpInfo::EMPTY);
        let received = || self.receiver().and_then(info).map(|r| r.bytes_received());
        let finished_ns = self.finished_ns.get().copied();
        let bytes_received = match finished_ns {
            Some(_) => self.taken_bytes.load(Ordering::Acquire),
            None => received().unwrap_or(0),
        };
        Ok(FlowReport {
            name: self.plan.name.clone(),
            congestion_control: if self.sends_here() {
                self.checked_congestion_control()?
            } else {
                self.plan.congestion_control.clone()
            },
            connected_ns: connected,
            finished_ns,
            bytes_received,
            bytes_acked: sender.data_acked(!self.plan.workload.is_asked_for()),
            retransmits: u64::from(sender.total_retrans()),
            busy_us: sender.busy_us(),
            rwnd_limited_us: sender.rwnd_limited_us(),
            sndbuf_limited_us: sender.sndbuf_limited_us(),
            error: self.error.get().cloned(),
        })
    }

    /// Transfers that its client requested so far.
    pub(super) fn asked(&self) -> MutexGuard<'_, Vec<Transfer>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bursts, answers, pages or segments of the flow that have ended, in the order of their ends.
    pub(super) fn ended(&self) -> MutexGuard<'_, Spool<Transfer>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Transfers of the flow that have not ended, in their order.
    pub(super) fn unended(&self) -> Vec<Transfer> {
        match self.plan.workload {
            Workload::OnOff { .. } => self.shared_bursts.transfers(),
            _ => self.asked().clone(),
        }
    }

    /// What was read of its bursts.
    pub(super) fn reads(&self) -> MutexGuard<'_, Spool<BurstRead>> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something of its bursts was read.
    pub(super) fn note_read(&self, read: BurstRead) {
        if let Err(failure) = self.reads().push(read) {
            ending::fail(failure);
        }
    }

    /// A transfer has ended.
    pub(super) fn note_ended(&self, transfer: Transfer) {
        if let Err(failure) = self.ended().push(transfer) {
            ending::fail(failure);
        }
    }

    /// Changes its bursts.
    pub(super) fn update_bursts(&self, change: impl FnOnce(&mut Bursts)) {
        self.shared_bursts.update(change, |transfer| self.note_ended(transfer));
    }

    /// Keeps the first error.
    pub(super) fn note_error(&self, doing: &str, error: Errno) {
        self.note_failure(doing, &error.into());
    }

    /// Keeps the first error.
    pub(super) fn note_failure(&self, doing: &str, error: &std::io::Error) {
        let _ = self.error.set(format!("{doing}: {error}"));
    }
}

/// The key of the plan.
fn place_of(number: u32) -> String {
    format!("flows[{number}]")
}
