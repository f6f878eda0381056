//! A TCP flow: what its ends and the schedule share.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use airtcp_plan::report::FlowReport;
use airtcp_plan::{Flow, Plan, TcpInfo, Workload};
use airtcp_workload::{Bursts, Transfer, client_of};
use rustix::io::Errno;
use rustix::net::{Shutdown, SocketAddrV4, connect, shutdown, sockopt};

use super::run_end::RunEnd;
use super::shared_bursts::SharedBursts;
use super::spool::Spool;
use super::watch::Watch;
use super::{bursts, client, server, sink, sockets, source};
use crate::clock::Timeline;
use crate::ending;
use crate::failure::{Outcome, because};
use crate::network::Network;
use crate::process::spawn;
use crate::sys::tcp::tcp_info;

/// One flow. Its sockets stay open until the guest ends, so that their state can be read at any time.
#[derive(Debug)]
pub(crate) struct FlowState {
    /// As planned.
    pub(crate) plan: Flow,
    /// Its place in the plan.
    pub(crate) number: u32,
    /// Key of the plan.
    pub(crate) place: String,
    /// The end that connects.
    pub(super) caller: OwnedFd,
    /// The socket on which the other end listens.
    pub(super) listener: OwnedFd,
    /// The other end.
    pub(super) accepted: OnceLock<OwnedFd>,
    /// When the connection was established, from the epoch.
    pub(super) connected_ns: OnceLock<u64>,
    /// When the receiver read the end of the data, from the epoch.
    pub(super) finished_ns: OnceLock<u64>,
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
        network: &Network,
        run_end: &Arc<RunEnd>,
        records: &Path,
    ) -> Outcome<Vec<Arc<Self>>> {
        let flows = plan.flows.iter().zip(0..).map(|(flow, number)| {
            let ended_by = plan.ends_with.contains(&number).then(|| Arc::clone(run_end));
            let ended = Spool::new(records, &format!("transfers-{number}"));
            Self::open(flow, number, network, ended, ended_by).map(Arc::new)
        });
        flows.collect()
    }

    fn open(
        plan: &Flow,
        number: u32,
        network: &Network,
        ended: Spool<Transfer>,
        run_end: Option<Arc<RunEnd>>,
    ) -> Outcome<Self> {
        let place = format!("flows[{number}]");
        let sockets::Ends { caller, listener } = sockets::open(plan, &place, network)?;
        Ok(Self {
            plan: plan.clone(),
            number,
            place,
            caller,
            listener,
            accepted: OnceLock::new(),
            connected_ns: OnceLock::new(),
            finished_ns: OnceLock::new(),
            run_end,
            taken_bytes: AtomicU64::new(0),
            end_requested: AtomicBool::new(false),
            shared_bursts: SharedBursts::default(),
            asked: Mutex::new(Vec::new()),
            ended: Mutex::new(ended),
            error: OnceLock::new(),
        })
    }

    /// Starts the two ends; they wait for their time.
    pub(crate) fn start(self: &Arc<Self>, seed: u64, timeline: Timeline, watch: &Arc<Watch>) -> Outcome<()> {
        let (listening, connecting) = (Arc::clone(self), Arc::clone(self));
        let (one, other) = (Arc::clone(watch), Arc::clone(watch));
        if let Some(asking) = client_of(&self.plan, seed, self.number) {
            spawn(format!("{} server", self.place), move || server::run(&listening, timeline, &one))?;
            return spawn(format!("{} client", self.place), move || {
                client::run(&connecting, timeline, &other, asking);
            });
        }
        spawn(format!("{} sink", self.place), move || sink::run(&listening, timeline, &one))?;
        spawn(format!("{} source", self.place), move || match connecting.plan.workload {
            Workload::OnOff { on, off_ns } => {
                bursts::run(&connecting, timeline, bursts::Draw::new(on, off_ns, seed, connecting.number));
            }
            _ => source::run(&connecting, timeline),
        })
    }

    /// Connects at the flow's start time; returns whether that succeeded.
    pub(super) fn connect(&self, timeline: Timeline) -> bool {
        timeline.sleep_until(self.plan.start_ns);
        let connected = connect(&self.caller, &SocketAddrV4::new(self.plan.address, self.plan.port));
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
        if let Err(error) = watch.flow_ends(self.number) {
            self.note_failure("watch", &error);
        }
        self.taken_bytes.store(taken_bytes, Ordering::Release);
        let now_ns = timeline.now_from_epoch_ns();
        self.finished_ns.set(now_ns).expect("a flow finishes once");
        if let Some(run_end) = &self.run_end {
            run_end.ended(now_ns);
        }
    }

    /// It is the flow's planned stop time. What is written is still delivered. The ends of other workloads stop by themselves, once
    /// they are connected.
    pub(crate) fn stop(&self) {
        let writes_on = matches!(self.plan.workload, Workload::Bulk {} | Workload::Bytes { .. });
        if writes_on || self.connected_ns.get().is_none() {
            self.end_requested.store(true, Ordering::Release);
            // Not connected (any more): there is nothing to end, and its thread reports why.
            let _ = shutdown(&self.caller, Shutdown::Write);
        }
    }

    /// The socket that identifies the sender to the kernel: before it is accepted, its listener.
    pub(super) fn sender_or_listener(&self) -> BorrowedFd<'_> {
        self.sender().unwrap_or_else(|| self.listener.as_fd())
    }

    fn sender(&self) -> Option<BorrowedFd<'_>> {
        let accepted = self.accepted.get().map(AsFd::as_fd);
        if self.plan.workload.is_asked_for() { accepted } else { Some(self.caller.as_fd()) }
    }

    fn receiver(&self) -> Option<BorrowedFd<'_>> {
        let accepted = self.accepted.get().map(AsFd::as_fd);
        if self.plan.workload.is_asked_for() { Some(self.caller.as_fd()) } else { accepted }
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
        let info = |socket: BorrowedFd<'_>| tcp_info(socket).ok().map(TcpInfo);
        let sender = connected.and_then(|_| self.sender()).and_then(info).unwrap_or(TcpInfo::EMPTY);
        let received = || connected.and_then(|_| self.receiver()).and_then(info).map(|r| r.bytes_received());
        let finished_ns = self.finished_ns.get().copied();
        let bytes_received = match finished_ns {
            Some(_) => self.taken_bytes.load(Ordering::Acquire),
            None => received().unwrap_or(0),
        };
        Ok(FlowReport {
            name: self.plan.name.clone(),
            congestion_control: self.checked_congestion_control()?,
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

    /// Its bursts, answers, pages or segments that have ended, in the order of their ends.
    pub(super) fn ended(&self) -> MutexGuard<'_, Spool<Transfer>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those that have not ended, in their order.
    pub(super) fn unended(&self) -> Vec<Transfer> {
        match self.plan.workload {
            Workload::OnOff { .. } => self.shared_bursts.transfers(),
            _ => self.asked().clone(),
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
