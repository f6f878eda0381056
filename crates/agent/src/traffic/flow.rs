//! A TCP flow: what its source, its sink and the conductor share.

use std::net::Ipv4Addr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use airtcp_plan::report::{Failure, FlowReport};
use airtcp_plan::{Flow, Plan, TcpInfo};
use rustix::io::{Errno, Result};
use rustix::net::{
    AddressFamily, Shutdown, SocketAddrV4, SocketFlags, SocketType, bind, listen, shutdown, socket_with,
    sockopt,
};

use super::watch::Watch;
use super::{sink, source, spawn};
use crate::clock::Timeline;
use crate::failure::{Outcome, because, failure};
use crate::network::Network;
use crate::sys::tcp::tcp_info;

/// Where the kernel lists its congestion controls.
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// Congestion controls of which the receiver is a part: DCTCP's echoes each mark (RFC 8257, 3.2), and
/// Linux only agrees on ECN with a sender that marks its SYN if the listener uses the same control.
const NEEDS_RECEIVER: [&str; 1] = ["dctcp"];

/// One flow. Its sockets stay open until the guest ends, so that they can be asked at any time.
#[derive(Debug)]
pub(crate) struct FlowState {
    /// As planned.
    pub(crate) plan: Flow,
    /// Its place in the plan.
    pub(crate) number: u32,
    /// Key of the plan.
    pub(crate) place: String,
    /// The connection's sending end.
    pub(super) sender: OwnedFd,
    /// Where the receiver waits for it.
    pub(super) listener: OwnedFd,
    /// The connection's receiving end.
    pub(super) receiver: OnceLock<OwnedFd>,
    /// When the connection stood, from the epoch.
    pub(super) connected_ns: OnceLock<u64>,
    /// When the receiver saw the end of the data, from the epoch.
    pub(super) finished_ns: OnceLock<u64>,
    /// Application bytes that the receiver had taken when it saw the end.
    pub(super) taken_bytes: AtomicU64,
    /// Set before the sender is shut down by the clock.
    pub(super) told_to_end: AtomicBool,
    /// The first error of either end.
    pub(super) error: OnceLock<String>,
}

impl FlowState {
    /// Makes the sockets of every flow of the plan.
    ///
    /// # Errors
    /// A congestion control that the kernel lacks, or a port that can't be used.
    pub(crate) fn open_all(plan: &Plan, network: &Network) -> Outcome<Vec<Arc<Self>>> {
        let flows = plan.flows.iter().enumerate();
        flows.map(|(i, flow)| Self::open(flow, i as u32, network).map(Arc::new)).collect()
    }

    fn open(plan: &Flow, number: u32, network: &Network) -> Outcome<Self> {
        let place = &format!("flows[{number}]");
        let remedy = "choose another port";
        network.enter(&plan.to)?;
        let what = format!("flow {} can't listen on port {} of {}", plan.name, plan.port, plan.to);
        let listener = listener(plan.port).map_err(because(&what, place, remedy))?;
        network.enter(&plan.from)?;
        let what = format!("flow {} can't have a socket in {}", plan.name, plan.from);
        let sender =
            tcp_socket().map_err(because(&what, place, "give the guest more memory (memory_mib)"))?;
        let control = &plan.congestion_control;
        sockopt::set_tcp_congestion(&sender, control).map_err(|e| no_such_control(plan, place, e))?;
        if NEEDS_RECEIVER.contains(&control.as_str()) {
            sockopt::set_tcp_congestion(&listener, control).map_err(|e| no_such_control(plan, place, e))?;
        }
        Ok(Self {
            plan: plan.clone(),
            number,
            place: place.to_owned(),
            sender,
            listener,
            receiver: OnceLock::new(),
            connected_ns: OnceLock::new(),
            finished_ns: OnceLock::new(),
            taken_bytes: AtomicU64::new(0),
            told_to_end: AtomicBool::new(false),
            error: OnceLock::new(),
        })
    }

    /// Starts the two ends; they wait for their time.
    pub(crate) fn start(self: &Arc<Self>, timeline: Timeline, watch: &Arc<Watch>) -> Outcome<()> {
        let (for_sink, for_source, watch) = (Arc::clone(self), Arc::clone(self), Arc::clone(watch));
        spawn(format!("{} sink", self.place), move || sink::run(&for_sink, timeline, &watch))?;
        spawn(format!("{} source", self.place), move || source::run(&for_source, timeline))
    }

    /// Ends the sender's data by the clock: what it has written is still delivered.
    pub(crate) fn end_sending(&self) {
        self.told_to_end.store(true, Ordering::Release);
        // Not connected (any more): there is nothing to end, and the source says why.
        let _ = shutdown(&self.sender, Shutdown::Write);
    }

    fn sender_info(&self) -> Option<TcpInfo> {
        self.connected_ns.get()?;
        read_info(self.sender.as_fd())
    }

    /// What the kernel calls the congestion control of the sender now.
    ///
    /// # Errors
    /// It is not the planned one.
    pub(crate) fn checked_congestion_control(&self) -> Outcome<String> {
        let real = sockopt::tcp_congestion(&self.sender);
        let real =
            real.map_err(because("the congestion control can't be read", &self.place, "report this"))?;
        if real == self.plan.congestion_control {
            return Ok(real);
        }
        Err(fell_back(&self.plan, &self.place, &real))
    }

    /// How the flow went so far.
    ///
    /// # Errors
    /// The congestion control was not the planned one.
    pub(crate) fn report(&self) -> Outcome<FlowReport> {
        let sender = self.sender_info().unwrap_or(TcpInfo::EMPTY);
        let receiver = self.receiver.get().and_then(|r| read_info(r.as_fd()));
        let finished_ns = self.finished_ns.get().copied();
        let bytes_received = match finished_ns {
            Some(_) => self.taken_bytes.load(Ordering::Acquire),
            None => receiver.map_or(0, |r| r.bytes_received()),
        };
        Ok(FlowReport {
            name: self.plan.name.clone(),
            congestion_control: self.checked_congestion_control()?,
            connected_ns: self.connected_ns.get().copied(),
            finished_ns,
            bytes_received,
            bytes_acked: sender.data_acked(),
            retransmits: u64::from(sender.total_retrans()),
            busy_us: sender.busy_us(),
            rwnd_limited_us: sender.rwnd_limited_us(),
            sndbuf_limited_us: sender.sndbuf_limited_us(),
            error: self.error.get().cloned(),
        })
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

fn tcp_socket() -> Result<OwnedFd> {
    socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)
}

fn listener(port: u16) -> Result<OwnedFd> {
    let socket = tcp_socket()?;
    bind(&socket, &SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, port))?;
    listen(&socket, 1)?;
    Ok(socket)
}

fn read_info(socket: BorrowedFd<'_>) -> Option<TcpInfo> {
    tcp_info(socket).ok().map(TcpInfo)
}

fn no_such_control(plan: &Flow, place: &str, error: Errno) -> Failure {
    let place = format!("{place}.congestion_control");
    if error != Errno::NOENT {
        let what = format!("flow {} can't use '{}': {error}", plan.name, plan.congestion_control);
        return failure(what, place, "choose another congestion control");
    }
    let available = std::fs::read_to_string(AVAILABLE).unwrap_or_default();
    let what =
        format!("flow {}: the kernel has no congestion control '{}'", plan.name, plan.congestion_control);
    failure(what, place, format!("choose one of: {}", available.trim()))
}

fn fell_back(plan: &Flow, place: &str, real: &str) -> Failure {
    let wanted = &plan.congestion_control;
    let what = format!("flow {} uses '{real}' in place of '{wanted}'", plan.name);
    let remedy = "the kernel gave it up, for want of ECN or memory; choose another congestion control";
    failure(what, format!("{place}.congestion_control"), remedy)
}
