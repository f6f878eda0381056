//! Packets that wait in a socket, with the kernel's receive timestamps.

#![expect(unsafe_code, reason = "recvmmsg(2) with control messages")]

use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use rustix::io::{Errno, Result};

use super::option::{errno, set_option};

/// An IPv4 header with all options, and an ICMP header: what a raw socket returns; a UDP socket returns its payload.
const HEAD_BYTES: usize = 60 + 8;
/// One control message with a `timespec`, aligned.
const CONTROL_BYTES: usize = 64;
/// Packets read by one system call.
const PACKETS: usize = 16;

/// The beginning of a received packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Received {
    /// First bytes of the packet; zeros where it has no more.
    pub(crate) head: [u8; HEAD_BYTES],
    /// Time at which the packet came to the host, on the realtime clock.
    pub(crate) realtime_ns: u64,
}

/// Enables the kernel's timestamps of packets that a socket receives.
pub(crate) fn keep_times(socket: &OwnedFd) -> Result<()> {
    set_option(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &1u32)
}

/// Gives every packet that waits to `each`, in the order of arrival; never sleeps.
pub(crate) fn drain(socket: BorrowedFd<'_>, mut each: impl FnMut(Received)) -> Result<()> {
    loop {
        let mut heads = [[0u8; HEAD_BYTES]; PACKETS];
        let mut controls = [Control([0; CONTROL_BYTES]); PACKETS];
        let count = receive(socket, &mut heads, &mut controls)?;
        for (head, control) in heads.iter().zip(&controls).take(count) {
            if let Some(realtime_ns) = timestamp(&control.0) {
                each(Received { head: *head, realtime_ns });
            }
        }
        if count < PACKETS {
            return Ok(());
        }
    }
}

/// Control messages are aligned like `struct cmsghdr`.
#[derive(Clone, Copy)]
#[repr(align(8))]
struct Control([u8; CONTROL_BYTES]);

fn receive(
    socket: BorrowedFd<'_>,
    heads: &mut [[u8; HEAD_BYTES]; PACKETS],
    controls: &mut [Control; PACKETS],
) -> Result<usize> {
    let mut parts: [libc::iovec; PACKETS] =
        std::array::from_fn(|i| libc::iovec { iov_base: heads[i].as_mut_ptr().cast(), iov_len: HEAD_BYTES });
    let mut messages: [libc::mmsghdr; PACKETS] = std::array::from_fn(|i| {
        // SAFETY: all-zero bytes are a valid mmsghdr (null pointers and zero lengths).
        let mut message: libc::mmsghdr = unsafe { std::mem::zeroed() };
        message.msg_hdr.msg_iov = &raw mut parts[i];
        message.msg_hdr.msg_iovlen = 1;
        message.msg_hdr.msg_control = controls[i].0.as_mut_ptr().cast();
        message.msg_hdr.msg_controllen = CONTROL_BYTES;
        message
    });
    // SAFETY: every pointer in `messages` leads to a buffer of the stated length that outlives the call.
    let count = unsafe {
        libc::recvmmsg(
            socket.as_raw_fd(),
            messages.as_mut_ptr(),
            PACKETS as libc::c_uint,
            libc::MSG_DONTWAIT,
            std::ptr::null_mut(),
        )
    };
    match usize::try_from(count) {
        Ok(count) => Ok(count),
        Err(_) => match errno() {
            // Nothing waits; or the error of an earlier packet, which is delivered once.
            Errno::AGAIN | Errno::HOSTUNREACH | Errno::NETUNREACH | Errno::CONNREFUSED => Ok(0),
            other => Err(other),
        },
    }
}

/// The timestamp in the first control message: `struct cmsghdr`, then a `timespec`.
fn timestamp(control: &[u8; CONTROL_BYTES]) -> Option<u64> {
    let i32_at = |at: usize| i32::from_ne_bytes(control[at..at + 4].try_into().expect("four bytes"));
    let u64_at = |at: usize| u64::from_ne_bytes(control[at..at + 8].try_into().expect("eight bytes"));
    let is_timestamp = i32_at(8) == libc::SOL_SOCKET && i32_at(12) == libc::SCM_TIMESTAMPNS;
    is_timestamp.then(|| u64_at(16) * 1_000_000_000 + u64_at(24))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_is_read_from_its_control_message() {
        let mut control = [0; CONTROL_BYTES];
        assert_eq!(timestamp(&control), None);
        control[8..12].copy_from_slice(&libc::SOL_SOCKET.to_ne_bytes());
        control[12..16].copy_from_slice(&libc::SCM_TIMESTAMPNS.to_ne_bytes());
        control[16..24].copy_from_slice(&3u64.to_ne_bytes());
        control[24..32].copy_from_slice(&14u64.to_ne_bytes());
        assert_eq!(timestamp(&control), Some(3_000_000_014));
    }
}
