//! Network namespaces of threads.

#![expect(unsafe_code, reason = "unshare(2) is unsafe in rustix for the sake of other flags")]

use std::fs::File;
use std::os::fd::OwnedFd;

use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Puts the calling thread into a new network namespace and returns it.
pub(crate) fn enter_new_network() -> std::io::Result<OwnedFd> {
    // SAFETY: a new network namespace changes neither memory nor file descriptors.
    unsafe { unshare_unsafe(UnshareFlags::NEWNET) }?;
    Ok(File::open("/proc/thread-self/ns/net")?.into())
}
