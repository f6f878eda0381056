//! A connection to netlink of one network namespace.
//!
//! Requests are sent in batches, for a system call of the guest costs 16 us:
//! only the last one asks for an acknowledgement, since errors are reported
//! without asking and the kernel works in order.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::io;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{
    AddressFamily, Protocol, RecvFlags, SendFlags, SocketFlags, SocketType, bind, recv, send, socket_with,
};

use super::message::{HEADER_BYTES, Reply, Request, find, replies, text, u32_at};
use crate::failure::{KERNEL_REMEDY, failure};
use airtcp_plan::report::Failure;

/// Bytes of requests in one datagram, far below the default socket buffer (212,992).
const BATCH_BYTES: usize = 48 * 1024;
/// Longest datagram the kernel builds for a dump (`netlink_dump`: 32 KiB), with room.
const RECEIVE_BYTES: usize = 64 * 1024;
/// `NLMSGERR_ATTR_MSG`.
const ERROR_TEXT: u16 = 1;
/// `NLM_F_CAPPED`: the error does not repeat the request.
const CAPPED: u16 = 0x100;
/// `NLM_F_ACK_TLVS`: the error carries attributes.
const HAS_ATTRIBUTES: u16 = 0x200;

/// A request that the kernel refused, or a broken connection to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The step, as it was named when it was added.
    pub(crate) step: Step,
    /// The kernel's error.
    pub(crate) errno: io::Errno,
    /// The kernel's extended error message, if there is one.
    pub(crate) explanation: Option<String>,
}

/// The purpose of a request, for error messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// What is done, for example `create wire 3`.
    pub(crate) what: String,
    /// The key of the plan that requires it.
    pub(crate) place: String,
}

/// Requests to be executed in order.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    requests: Vec<(Step, Request)>,
}

impl Batch {
    /// Adds a request.
    pub(crate) fn add(&mut self, what: impl Into<String>, place: impl Into<String>, request: Request) {
        self.requests.push((Step { what: what.into(), place: place.into() }, request));
    }
}

/// The connection.
#[derive(Debug)]
pub(crate) struct Netlink {
    socket: OwnedFd,
    sequence: u32,
}

impl Netlink {
    /// Connects to rtnetlink of the namespace the calling thread is in; the connection stays there.
    pub(crate) fn open() -> io::Result<Self> {
        Self::open_protocol(None)
    }

    /// Connects to generic netlink in the namespace of the calling thread.
    pub(crate) fn open_generic() -> io::Result<Self> {
        Self::open_protocol(Some(rustix::net::netlink::GENERIC))
    }

    /// Connects to `sock_diag`, the statistics of sockets, in the namespace of the calling thread.
    pub(crate) fn open_sock_diag() -> io::Result<Self> {
        Self::open_protocol(Some(rustix::net::netlink::SOCK_DIAG))
    }

    fn open_protocol(protocol: Option<Protocol>) -> io::Result<Self> {
        let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, protocol)?;
        Ok(Self { socket, sequence: 0 })
    }

    /// Subscribes to the events of these groups, once.
    pub(crate) fn join_groups(&self, groups: &[u32]) -> io::Result<()> {
        // A socket without an address counts as the kernel's own, which receives no broadcasts (`do_one_broadcast`).
        bind(&self.socket, &SocketAddrNetlink::new(0, 0))?;
        groups.iter().try_for_each(|&group| crate::sys::netlink::join_group(&self.socket, group))
    }

    /// Receives one datagram. The memory is fresh each time, so that only touched pages of it ever exist.
    pub(crate) fn receive(&self) -> io::Result<Vec<u8>> {
        let mut datagram = Vec::with_capacity(RECEIVE_BYTES);
        recv(&self.socket, spare_capacity(&mut datagram), RecvFlags::empty())?;
        Ok(datagram)
    }

    /// Executes the requests in order, and stops sending at the first datagram with an error.
    pub(crate) fn execute(&mut self, batch: Batch) -> Result<(), Refusal> {
        let mut pending: Vec<(u32, Step)> = Vec::new();
        let mut datagram: Vec<u8> = Vec::new();
        let last = batch.requests.len().wrapping_sub(1);
        for (i, (step, request)) in batch.requests.into_iter().enumerate() {
            self.sequence += 1;
            let is_last = i == last || datagram.len() > BATCH_BYTES;
            let flags = if is_last { libc::NLM_F_ACK as u16 } else { 0 };
            datagram.extend(request.finish(self.sequence, flags));
            pending.push((self.sequence, step));
            if is_last {
                self.exchange(&datagram, &pending)?;
                datagram.clear();
                pending.clear();
            }
        }
        Ok(())
    }

    fn exchange(&self, datagram: &[u8], pending: &[(u32, Step)]) -> Result<(), Refusal> {
        let (last, last_step) = pending.last().expect("a datagram holds a request");
        let broken = |errno| Refusal { step: last_step.clone(), errno, explanation: None };
        send(&self.socket, datagram, SendFlags::empty()).map_err(broken)?;
        let mut refusal = None;
        loop {
            for reply in replies(&self.receive().map_err(broken)?) {
                if i32::from(reply.kind) != libc::NLMSG_ERROR {
                    continue;
                }
                if let (Some((errno, explanation)), None) = (error_of(&reply), &refusal) {
                    let step =
                        pending.iter().find(|(s, _)| *s == reply.sequence).map_or(last_step, |(_, s)| s);
                    refusal = Some(Refusal { step: step.clone(), errno, explanation });
                }
                if reply.sequence == *last {
                    return refusal.map_or(Ok(()), Err);
                }
            }
        }
    }

    /// Dumps all objects of this type: calls `each` with the body of each object.
    pub(crate) fn dump(&mut self, kind: u16, fixed: &[u8], mut each: impl FnMut(&[u8])) -> io::Result<()> {
        self.sequence += 1;
        let request = Request::new(kind, 0, fixed).finish(self.sequence, libc::NLM_F_DUMP as u16);
        send(&self.socket, &request, SendFlags::empty())?;
        loop {
            for reply in replies(&self.receive()?).filter(|r| r.sequence == self.sequence) {
                match i32::from(reply.kind) {
                    libc::NLMSG_DONE => return Ok(()),
                    libc::NLMSG_ERROR => return error_of(&reply).map_or(Ok(()), |(errno, _)| Err(errno)),
                    _ => each(reply.body),
                }
            }
        }
    }
}

impl AsFd for Netlink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The error that an `NLMSG_ERROR` carries; `None` for an acknowledgement.
fn error_of(reply: &Reply) -> Option<(io::Errno, Option<String>)> {
    let code = u32_at(reply.body, 0).cast_signed();
    if code == 0 {
        return None;
    }
    let repeated = if reply.flags & CAPPED == 0 { u32_at(reply.body, 4) as usize } else { HEADER_BYTES };
    let rest = reply.body.get(4 + repeated.next_multiple_of(4)..).unwrap_or_default();
    let explanation = (reply.flags & HAS_ATTRIBUTES != 0).then(|| find(rest, ERROR_TEXT).map(text)).flatten();
    Some((io::Errno::from_raw_os_error(-code), explanation))
}

/// What to report when the kernel refuses a step of the network.
pub(crate) fn refused(refusal: Refusal) -> Failure {
    let why = refusal.explanation.unwrap_or_else(|| refusal.errno.to_string());
    let remedy = match refusal.errno {
        rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOENT | rustix::io::Errno::NODEV => KERNEL_REMEDY,
        _ => "correct this value of the plan",
    };
    failure(format!("{}: {why}", refusal.step.what), refusal.step.place, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_reply(code: i32, flags: u16, rest: &[u8]) -> Vec<u8> {
        let mut body = code.to_ne_bytes().to_vec();
        body.extend((HEADER_BYTES as u32).to_ne_bytes());
        body.extend([0; 12]);
        body.extend(rest);
        Request::new(libc::NLMSG_ERROR as u16, flags, &body).finish(1, 0)
    }

    #[test]
    fn an_acknowledgement_is_no_error() {
        let bytes = error_reply(0, 0, &[]);
        assert_eq!(error_of(&replies(&bytes).next().unwrap()), None);
    }

    #[test]
    fn an_error_is_read_with_the_kernels_words() {
        let words = Request::new(0, 0, &[]).text(ERROR_TEXT, "Unknown qdisc").finish(0, 0);
        let bytes = error_reply(-libc::ENOENT, HAS_ATTRIBUTES, &words[HEADER_BYTES..]);
        let (errno, explanation) = error_of(&replies(&bytes).next().unwrap()).unwrap();
        assert_eq!((errno, explanation.as_deref()), (io::Errno::NOENT, Some("Unknown qdisc")));
    }
}
