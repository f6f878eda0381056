//! The sockets of a flow, with the options that its plan requires.

use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;

use airtcp_plan::report::Failure;
use airtcp_plan::{Flow, Workload};
use rustix::io::{Errno, Result};
use rustix::net::{SocketFlags, SocketType, bind, listen, socket_with, sockopt};

use crate::failure::{Outcome, because, failure};
use crate::network::Network;
use crate::sys::ip::{any, family, set_traffic_class};
use crate::sys::tcp::limit_rate;

/// Where the kernel lists its congestion controls.
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// Congestion controls of which the receiver is a part: DCTCP's echoes each mark (RFC 8257, 3.2), and
/// Linux only agrees on ECN with a sender that marks its SYN if the listener uses the same control.
const NEEDS_RECEIVER: [&str; 1] = ["dctcp"];

/// The DSCP is above the two bits of ECN in the octet (RFC 3168, 5).
pub(super) const ECN_BITS: u32 = 2;

/// The sockets of a flow that are on this machine: in a guest both.
#[derive(Debug)]
pub(super) struct Ends {
    /// The socket that connects
    pub(super) caller: Option<OwnedFd>,
    /// to this listener. Accepted sockets inherit its options.
    pub(super) listener: Option<OwnedFd>,
}

/// Makes the sockets of a flow, each in its node.
///
/// # Errors
/// A congestion control that the kernel lacks, or a port that can't be used.
pub(super) fn open(plan: &Flow, place: &str, network: &Network) -> Outcome<Ends> {
    network.enter(plan.listening())?;
    let listener = Some(open_listener(plan, place)?);
    network.enter(plan.connecting())?;
    let caller = Some(open_caller(plan, place)?);
    Ends { caller, listener }.prepared(plan, place)
}

/// Makes those of the sockets that this node has, in the namespace of the calling thread.
///
/// # Errors
/// A congestion control that the kernel lacks, or a port that can't be used.
pub(super) fn open_at(node: &str, plan: &Flow, place: &str) -> Outcome<Ends> {
    let listener = (plan.listening() == node).then(|| open_listener(plan, place)).transpose()?;
    let caller = (plan.connecting() == node).then(|| open_caller(plan, place)).transpose()?;
    Ends { caller, listener }.prepared(plan, place)
}

fn open_listener(plan: &Flow, place: &str) -> Outcome<OwnedFd> {
    let what = format!("flow {} can't listen on port {} of {}", plan.name, plan.port, plan.listening());
    listener(plan.address, plan.port).map_err(because(&what, place, "choose another port"))
}

fn open_caller(plan: &Flow, place: &str) -> Outcome<OwnedFd> {
    let what = format!("flow {} can't open a socket in {}", plan.name, plan.connecting());
    tcp_socket(plan.address).map_err(because(&what, place, "give the guest more memory (memory_mib)"))
}

impl Ends {
    /// Sets the congestion control and options of the sockets.
    fn prepared(self, plan: &Flow, place: &str) -> Outcome<Self> {
        let (caller, listener) = (self.caller.as_ref(), self.listener.as_ref());
        let (sender, receiver) =
            if plan.workload.is_asked_for() { (listener, caller) } else { (caller, listener) };
        let both = plan.workload.is_asked_for();
        control(sender, receiver, &plan.congestion_control, both)
            .map_err(|e| no_such_control(plan, place, e))?;
        let what = format!("flow {} can't set its socket options", plan.name);
        set_options(sender, [caller, listener], plan).map_err(because(&what, place, "report this"))?;
        Ok(self)
    }
}

/// A socket for connections to this address, in the namespace of the calling thread; so for the next one.
pub(super) fn tcp_socket(address: IpAddr) -> Result<OwnedFd> {
    socket_with(family(address), SocketType::STREAM, SocketFlags::CLOEXEC, None)
}

/// A socket that listens on this port, in the namespace of the calling thread.
///
/// Connections of an earlier flow may still be in TIME-WAIT there: a measured network keeps them for a minute
/// (`TCP_TIMEWAIT_LEN`) where this end closed first. With `SO_REUSEADDR`, which these have too, the port is taken in
/// spite of them (socket(7)), and not in spite of another listener.
pub(super) fn listener(address: IpAddr, port: u16) -> Result<OwnedFd> {
    let socket = tcp_socket(address)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    bind(&socket, &SocketAddr::new(any(address), port))?;
    listen(&socket, 1)?;
    Ok(socket)
}

/// Sets the congestion control: at both ends of an application, at the sender of a bulk transfer.
pub(super) fn control(
    sender: Option<&OwnedFd>,
    receiver: Option<&OwnedFd>,
    name: &str,
    both: bool,
) -> Result<()> {
    let receiver = receiver.filter(|_| both || NEEDS_RECEIVER.contains(&name));
    sender.into_iter().chain(receiver).try_for_each(|end| sockopt::set_tcp_congestion(end, name))
}

fn set_options(sender: Option<&OwnedFd>, both: [Option<&OwnedFd>; 2], plan: &Flow) -> Result<()> {
    if let (Some(sender), Some(pacing_bps)) = (sender, plan.pacing_bps) {
        limit_rate(sender, pacing_bps / 8)?;
    }
    for socket in both.into_iter().flatten() {
        if plan.dscp > 0 {
            set_traffic_class(socket, plan.address, plan.dscp << ECN_BITS)?;
        }
        // The last bytes of a message do not wait for acknowledgements (Nagle, RFC 9293, 3.7.4): browsers, players and
        // servers disable Nagle. A bulk transfer keeps the default.
        if !matches!(plan.workload, Workload::Bulk {} | Workload::Bytes { .. }) {
            sockopt::set_tcp_nodelay(socket, true)?;
        }
    }
    Ok(())
}

fn no_such_control(plan: &Flow, place: &str, error: Errno) -> Failure {
    let place = format!("{place}.congestion_control");
    if error != Errno::NOENT {
        let what = format!("flow {} can't use '{}': {error}", plan.name, plan.congestion_control);
        // Without rights a process may use those that the administrator allows (tcp(7)).
        let remedy = match error {
            Errno::PERM => "allow it in net.ipv4.tcp_allowed_congestion_control, or choose another",
            _ => "choose another congestion control",
        };
        return failure(what, place, remedy);
    }
    let available = available();
    let what =
        format!("flow {}: the kernel has no congestion control '{}'", plan.name, plan.congestion_control);
    failure(what, place, format!("choose one of: {available}"))
}

/// The names of the kernel's congestion controls.
pub(super) fn available() -> String {
    std::fs::read_to_string(AVAILABLE).unwrap_or_default().trim().to_owned()
}

/// The kernel uses another congestion control than planned.
pub(super) fn fell_back(plan: &Flow, place: &str, real: &str) -> Failure {
    let wanted = &plan.congestion_control;
    let what = format!("flow {} uses '{real}' instead of '{wanted}'", plan.name);
    let remedy = "the kernel fell back to it for lack of ECN or memory; choose another congestion control";
    failure(what, format!("{place}.congestion_control"), remedy)
}
