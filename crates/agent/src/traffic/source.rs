//! The sending end of a flow: connects on time and writes as fast as TCP takes it.

use std::io::IoSlice;
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;

use airtcp_plan::FlowEnd;
use rustix::io::{Errno, Result};
use rustix::net::{SendAncillaryBuffer, SendFlags, Shutdown, SocketAddrV4, connect, sendmsg, shutdown};

use super::flow::FlowState;
use crate::clock::Timeline;
use crate::ending;

/// What is sent. One page, so that it stays in the cache and one page fault brings it in.
static ZEROS: [u8; PAGE_BYTES] = [0; PAGE_BYTES];
const PAGE_BYTES: usize = 4096;
/// Pages of one system call: 256 KiB, which keeps system calls below a tenth of a percent of the cost of a packet.
const PAGES: usize = 64;

/// Lives the sender's life.
pub(super) fn run(flow: &FlowState, timeline: Timeline) {
    timeline.sleep_until(flow.plan.start_ns);
    let to = SocketAddrV4::new(flow.plan.to_address, flow.plan.port);
    if let Err(error) = connect(&flow.sender, &to) {
        let told = flow.told_to_end.load(Ordering::Acquire);
        return flow.note_error(if told { "told to end before it was connected" } else { "connect" }, error);
    }
    let now_ns = u64::try_from(timeline.now_ns()).expect("a flow starts after the epoch");
    flow.connected_ns.set(now_ns).expect("a flow connects once");
    if let Err(failure) = flow.checked_congestion_control() {
        ending::fail(failure);
    }
    let sent = match flow.plan.end {
        FlowEnd::At { .. } => send_until_told(flow),
        FlowEnd::Bytes { count } => send_bytes(flow, count),
    };
    if let Err(error) = sent {
        flow.note_error("send", error);
    }
}

fn send_until_told(flow: &FlowState) -> Result<()> {
    loop {
        match send_zeros(flow.sender.as_fd(), PAGES * PAGE_BYTES) {
            Err(Errno::PIPE) if flow.told_to_end.load(Ordering::Acquire) => return Ok(()),
            other => other?,
        };
    }
}

fn send_bytes(flow: &FlowState, count: u64) -> Result<()> {
    let mut left = count;
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(PAGES * PAGE_BYTES);
        left -= send_zeros(flow.sender.as_fd(), most)? as u64;
    }
    shutdown(&flow.sender, Shutdown::Write)
}

/// Writes up to `count` bytes (at most [`PAGES`] pages) in one system call.
fn send_zeros(socket: std::os::fd::BorrowedFd<'_>, count: usize) -> Result<usize> {
    let mut parts = [IoSlice::new(&ZEROS); PAGES];
    let (pages, rest) = (count / PAGE_BYTES, count % PAGE_BYTES);
    let used = if rest == 0 {
        pages
    } else {
        parts[pages] = IoSlice::new(&ZEROS[..rest]);
        pages + 1
    };
    sendmsg(socket, &parts[..used], &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    #[test]
    fn exactly_the_asked_bytes_are_written() {
        for count in [1, PAGE_BYTES - 1, PAGE_BYTES, PAGE_BYTES + 1, 5 * PAGE_BYTES + 7] {
            let (here, mut there) = UnixStream::pair().unwrap();
            assert_eq!(send_zeros(here.as_fd(), count), Ok(count));
            drop(here);
            let mut received = Vec::new();
            there.read_to_end(&mut received).unwrap();
            assert_eq!(received, vec![0; count]);
        }
    }
}
