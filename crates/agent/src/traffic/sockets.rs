//! The sockets of a flow, with the options that its plan requires.

use std::net::Ipv4Addr;
use std::os::fd::OwnedFd;

use airtcp_plan::report::Failure;
use airtcp_plan::{Flow, Workload};
use rustix::io::{Errno, Result};
use rustix::net::{AddressFamily, SocketAddrV4, SocketFlags, SocketType, bind, listen, socket_with, sockopt};

use crate::failure::{Outcome, because, failure};
use crate::network::Network;
use crate::sys::tcp::limit_rate;

/// Where the kernel lists its congestion controls.
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// Congestion controls of which the receiver is a part: DCTCP's echoes each mark (RFC 8257, 3.2), and
/// Linux only agrees on ECN with a sender that marks its SYN if the listener uses the same control.
const NEEDS_RECEIVER: [&str; 1] = ["dctcp"];

/// The DSCP is above the two bits of ECN in the octet (RFC 3168, 5).
pub(super) const ECN_BITS: u32 = 2;

/// The sockets of a flow.
#[derive(Debug)]
pub(super) struct Ends {
    /// The socket that connects
    pub(super) caller: OwnedFd,
    /// to this listener. Accepted sockets inherit its options.
    pub(super) listener: OwnedFd,
}

/// Makes the sockets of a flow, each in its node.
///
/// # Errors
/// A congestion control that the kernel lacks, or a port that can't be used.
pub(super) fn open(plan: &Flow, place: &str, network: &Network) -> Outcome<Ends> {
    network.enter(plan.listening())?;
    let what = format!("flow {} can't listen on port {} of {}", plan.name, plan.port, plan.listening());
    let listener = listener(plan.port).map_err(because(&what, place, "choose another port"))?;
    network.enter(plan.connecting())?;
    let what = format!("flow {} can't open a socket in {}", plan.name, plan.connecting());
    let remedy = "give the guest more memory (memory_mib)";
    let caller = tcp_socket().map_err(because(&what, place, remedy))?;
    let (sender, receiver) =
        if plan.workload.is_asked_for() { (&listener, &caller) } else { (&caller, &listener) };
    let both = plan.workload.is_asked_for();
    control(sender, receiver, &plan.congestion_control, both).map_err(|e| no_such_control(plan, place, e))?;
    let what = format!("flow {} can't set its socket options", plan.name);
    prepare(sender, [&caller, &listener], plan).map_err(because(&what, place, "report this"))?;
    Ok(Ends { caller, listener })
}

/// A socket in the namespace of the calling thread; so for the next one.
pub(super) fn tcp_socket() -> Result<OwnedFd> {
    socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)
}

pub(super) fn listener(port: u16) -> Result<OwnedFd> {
    let socket = tcp_socket()?;
    bind(&socket, &SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, port))?;
    listen(&socket, 1)?;
    Ok(socket)
}

/// Both ends of an application use its congestion control; of a bulk transfer, the sender.
pub(super) fn control(sender: &OwnedFd, receiver: &OwnedFd, name: &str, both: bool) -> Result<()> {
    sockopt::set_tcp_congestion(sender, name)?;
    if both || NEEDS_RECEIVER.contains(&name) {
        sockopt::set_tcp_congestion(receiver, name)?;
    }
    Ok(())
}

fn prepare(sender: &OwnedFd, both: [&OwnedFd; 2], plan: &Flow) -> Result<()> {
    if let Some(pacing_bps) = plan.pacing_bps {
        limit_rate(sender, pacing_bps / 8)?;
    }
    for socket in both {
        if plan.dscp > 0 {
            sockopt::set_ip_tos(socket, plan.dscp << ECN_BITS)?;
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
        return failure(what, place, "choose another congestion control");
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
