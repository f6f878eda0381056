//! The sending end of a bulk flow: connects on time and writes as fast as TCP accepts data.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use airtcp_plan::Workload;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create, sendfile};
use rustix::io::{Errno, Result};
use rustix::net::{Shutdown, shutdown};

use super::flow::FlowState;
use crate::clock::Timeline;
use crate::ending;
use crate::sys::tcp::MOVED_BYTES_MAX;

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
    let sent =
        send_bytes(flow.caller().as_fd(), count).and_then(|()| shutdown(flow.caller(), Shutdown::Write));
    match sent {
        Err(Errno::PIPE) if flow.end_requested.load(Ordering::Acquire) => {}
        Err(error) => flow.note_error("send", error),
        Ok(()) => {}
    }
}

/// Makes the file now and not when the first flow begins: the kernel draws a random number for it.
///
/// # Errors
/// The guest has no memory left.
pub(crate) fn make_ready() -> Result<()> {
    zeros().map(drop)
}

/// What is sent: a file that is one hole. The kernel has one page of zeros for all holes (`ZERO_PAGE`), and
/// `sendfile` passes it by reference, so that nothing is copied.
fn zeros() -> Result<BorrowedFd<'static>> {
    static ZEROS: OnceLock<OwnedFd> = OnceLock::new();
    if let Some(file) = ZEROS.get() {
        return Ok(file.as_fd());
    }
    let file = memfd_create("zeros", MemfdFlags::CLOEXEC)?;
    ftruncate(&file, MOVED_BYTES_MAX)?;
    Ok(ZEROS.get_or_init(|| file).as_fd())
}

/// Writes so many bytes.
pub(super) fn send_bytes(socket: BorrowedFd<'_>, count: u64) -> Result<()> {
    let mut left = count;
    while left > 0 {
        left -= send_zeros(socket, left)?;
    }
    Ok(())
}

/// Writes up to `count` bytes in one system call; returns how many.
pub(super) fn send_zeros(socket: BorrowedFd<'_>, count: u64) -> Result<u64> {
    let most = count.min(MOVED_BYTES_MAX) as usize;
    sendfile(socket, zeros()?, Some(&mut 0), most).map(|sent| sent as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    #[test]
    fn exactly_the_asked_bytes_are_written() {
        for count in [1, 4095, 4096, 4097, 5 * 4096 + 7, 65_536] {
            let (here, mut there) = UnixStream::pair().unwrap();
            assert_eq!(send_zeros(here.as_fd(), count as u64), Ok(count as u64));
            drop(here);
            let mut received = Vec::new();
            there.read_to_end(&mut received).unwrap();
            assert_eq!(received, vec![0; count]);
        }
    }
}
