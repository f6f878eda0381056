//! Socket options that rustix does not have.

#![expect(unsafe_code, reason = "setsockopt(2)")]

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::io::{Errno, Result};

/// The error of the last system call.
pub(super) fn errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).expect("the last system call failed")
}

/// Whole numbers, as options have them: without padding.
pub(super) trait Number: Copy {}
impl Number for u32 {}
impl Number for u64 {}
impl Number for [u32; 8] {}

/// Sets an option whose value has this size.
pub(super) fn set_option<N: Number>(
    socket: &OwnedFd,
    level: libc::c_int,
    name: libc::c_int,
    value: &N,
) -> Result<()> {
    let length = size_of::<N>() as libc::socklen_t;
    // SAFETY: the kernel reads the bytes of the value, which outlives the call.
    let result = unsafe {
        libc::setsockopt(socket.as_raw_fd(), level, name, std::ptr::from_ref(value).cast(), length)
    };
    if result == 0 { Ok(()) } else { Err(errno()) }
}
