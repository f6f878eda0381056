//! Options and statistics of a flow's TCP sockets.

#![expect(unsafe_code, reason = "TCP_INFO, and discarding data without a buffer")]

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use airtcp_plan::TcpInfo;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, Result};
use rustix::net::{AddressFamily, SocketType, socket};

use super::option::{errno, set_option};

/// The most bytes one system call moves (`MAX_RW_COUNT`).
pub(crate) const MOVED_BYTES_MAX: u64 = 0x7fff_f000;

/// Room for `struct tcp_info` at first: twice the 248 bytes of Linux 6.12.
const TCP_INFO_ROOM: usize = 496;

/// The kernel's `struct tcp_info` of a connection, whole.
pub(crate) fn tcp_info(socket: BorrowedFd<'_>) -> Result<TcpInfo> {
    let mut bytes = vec![0; TCP_INFO_ROOM];
    loop {
        let length = option_bytes(socket, libc::TCP_INFO, &mut bytes)?;
        if length < bytes.len() {
            return Ok(TcpInfo::from_bytes(&bytes[..length]));
        }
        // It may have more than there was room for.
        bytes.resize(2 * length, 0);
    }
}

/// Bytes of this kernel's `struct tcp_info`.
pub(crate) fn tcp_info_bytes() -> Result<u16> {
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None)?;
    Ok(u16::try_from(tcp_info(socket.as_fd())?.bytes().len()).expect("a structure of fewer than 64 KiB"))
}

/// Bytes of the largest member of `union tcp_cc_info` (Linux `include/uapi/linux/inet_diag.h`).
pub(crate) const CC_INFO_BYTES: usize = 20;

/// The congestion control's own information, raw; zeros if it has none.
pub(crate) fn congestion_control_info(socket: BorrowedFd<'_>) -> Result<[u8; CC_INFO_BYTES]> {
    let mut value = [0; CC_INFO_BYTES];
    option_bytes(socket, libc::TCP_CC_INFO, &mut value).map(|_| value)
}

/// Reads an option; returns how many bytes the kernel wrote.
fn option_bytes(socket: BorrowedFd<'_>, name: libc::c_int, value: &mut [u8]) -> Result<usize> {
    let mut length = value.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes to `value`, and both outlive the call.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            name,
            value.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if result == 0 { Ok(length as usize) } else { Err(errno()) }
}

/// Limits the rate of a socket's data, and of connections it accepts, in bytes per second.
pub(crate) fn limit_rate(socket: &OwnedFd, bytes_per_second: u64) -> Result<()> {
    set_option(socket, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, &bytes_per_second)
}

/// Lets a receiver sleep until so much is there, or the connection ends.
pub(crate) fn wake_at(socket: &OwnedFd, bytes: u32) -> Result<()> {
    set_option(socket, libc::SOL_SOCKET, libc::SO_RCVLOWAT, &bytes)
}

/// Sleeps until there is something to receive, and discards all of it; 0 at the end of the connection.
pub(crate) fn discard_ready(socket: BorrowedFd<'_>) -> Result<u64> {
    discard_once(socket, MOVED_BYTES_MAX, 0)
}

fn discard_once(socket: BorrowedFd<'_>, most: u64, flags: libc::c_int) -> Result<u64> {
    // SAFETY: with MSG_TRUNC TCP never writes to the buffer, so it need not exist.
    let received = unsafe {
        libc::recv(socket.as_raw_fd(), std::ptr::null_mut(), most as usize, flags | libc::MSG_TRUNC)
    };
    u64::try_from(received).map_err(|_| errno())
}

/// Receives and discards so many bytes, or until the connection ends; returns their number.
///
/// The thread sleeps in the kernel meanwhile, and nothing is copied (`MSG_TRUNC`, tcp(7)).
pub(crate) fn discard(socket: BorrowedFd<'_>, count: u64) -> Result<u64> {
    let mut left = count;
    while left > 0 {
        match discard_once(socket, left.min(MOVED_BYTES_MAX), libc::MSG_WAITALL)? {
            0 => break,
            taken => left -= taken,
        }
    }
    Ok(count - left)
}

/// Sleeps until there is something to receive, or the connection has ended.
pub(crate) fn wait_readable(socket: BorrowedFd<'_>) -> Result<()> {
    poll(&mut [PollFd::from_borrowed_fd(socket, PollFlags::IN)], None).map(drop)
}

/// Sleeps until data can be written, at most so long; whether it can.
pub(crate) fn wait_writable(socket: &OwnedFd, most: Timespec) -> Result<bool> {
    let ready = poll(&mut [PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::OUT)], Some(&most))?;
    Ok(ready > 0)
}

/// The error of a connection that ended in the midst of something.
pub(crate) const CUT: Errno = Errno::CONNRESET;
