//! The sending end of a bulk flow: connects on time and writes as fast as TCP accepts data.

use std::io::IoSlice;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::Ordering;

use airtcp_plan::Workload;
use rustix::io::{Errno, Result};
use rustix::net::{SendAncillaryBuffer, SendFlags, Shutdown, sendmsg, shutdown};

use super::flow::FlowState;
use crate::clock::Timeline;
use crate::ending;

/// What is sent. One page, so that it stays in the cache and one page fault brings it in.
static ZEROS: [u8; PAGE_BYTES] = [0; PAGE_BYTES];
const PAGE_BYTES: usize = 4096;
/// Pages of one system call: 256 KiB, which keeps system calls below a tenth of a percent of the cost of a packet.
const PAGES: usize = 64;
/// Bytes of one system call.
pub(super) const PIECE_BYTES: u64 = (PAGES * PAGE_BYTES) as u64;

/// The thread of the sending end, from connecting to the end of the data.
pub(super) fn run(flow: &FlowState, timeline: Timeline) {
    if !flow.connect(timeline) {
        return;
    }
    flow.note_connected(timeline);
    if let Err(failure) = flow.checked_congestion_control() {
        ending::fail(failure);
    }
    let count = if let Workload::Bytes { count } = flow.plan.workload { count } else { u64::MAX };
    let sent = send_bytes(flow.caller.as_fd(), count).and_then(|()| shutdown(&flow.caller, Shutdown::Write));
    match sent {
        Err(Errno::PIPE) if flow.end_requested.load(Ordering::Acquire) => {}
        Err(error) => flow.note_error("send", error),
        Ok(()) => {}
    }
}

/// Writes so many bytes.
pub(super) fn send_bytes(socket: BorrowedFd<'_>, count: u64) -> Result<()> {
    let mut left = count;
    while left > 0 {
        left -= send_zeros(socket, left.min(PIECE_BYTES), SendFlags::empty())?;
    }
    Ok(())
}

/// Writes up to `count` bytes (at most [`PIECE_BYTES`]) in one system call.
pub(super) fn send_zeros(socket: BorrowedFd<'_>, count: u64, flags: SendFlags) -> Result<u64> {
    let mut parts = [IoSlice::new(&ZEROS); PAGES];
    let (pages, rest) = (count as usize / PAGE_BYTES, count as usize % PAGE_BYTES);
    let used = if rest == 0 {
        pages
    } else {
        parts[pages] = IoSlice::new(&ZEROS[..rest]);
        pages + 1
    };
    let flags = SendFlags::NOSIGNAL | flags;
    sendmsg(socket, &parts[..used], &mut SendAncillaryBuffer::default(), flags).map(|sent| sent as u64)
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
            assert_eq!(send_zeros(here.as_fd(), count as u64, SendFlags::empty()), Ok(count as u64));
            drop(here);
            let mut received = Vec::new();
            there.read_to_end(&mut received).unwrap();
            assert_eq!(received, vec![0; count]);
        }
    }
}
