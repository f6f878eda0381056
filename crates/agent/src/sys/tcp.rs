//! What a flow asks of its TCP sockets.

#![expect(unsafe_code, reason = "TCP_INFO, and discarding data without a buffer")]

use std::os::fd::{AsRawFd, BorrowedFd};

use airtcp_plan::TCP_INFO_BYTES;
use rustix::io::{Errno, Result};

/// The most bytes one system call moves (`MAX_RW_COUNT`).
const MOVED_BYTES_MAX: usize = 0x7fff_f000;

fn errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).expect("the last system call failed")
}

/// The kernel's `struct tcp_info` of a connection, raw.
pub(crate) fn tcp_info(socket: BorrowedFd<'_>) -> Result<[u8; TCP_INFO_BYTES]> {
    let mut info = [0u8; TCP_INFO_BYTES];
    let mut length = TCP_INFO_BYTES as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes to `info`, and both outlive the call.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if result == 0 { Ok(info) } else { Err(errno()) }
}

/// Receives and discards until the connection ends or two gibibytes came; returns their number, 0 at the end.
///
/// The thread sleeps in the kernel meanwhile, and nothing is copied (`MSG_TRUNC`, tcp(7)).
pub(crate) fn discard(socket: BorrowedFd<'_>) -> Result<u64> {
    // SAFETY: with MSG_TRUNC TCP never writes to the buffer, so it need not exist.
    let received = unsafe {
        libc::recv(
            socket.as_raw_fd(),
            std::ptr::null_mut(),
            MOVED_BYTES_MAX,
            libc::MSG_TRUNC | libc::MSG_WAITALL,
        )
    };
    u64::try_from(received).map_err(|_| errno())
}
