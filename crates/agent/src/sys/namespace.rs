//! Network namespaces of threads.

#![expect(unsafe_code, reason = "unshare(2) is unsafe in rustix for the sake of other flags")]

use std::fs::File;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};

use crate::failure::{KERNEL_REMEDY, Outcome, because};

/// Puts the calling thread into a new network namespace and returns it.
pub(crate) fn enter_new_network() -> std::io::Result<OwnedFd> {
    // SAFETY: a new network namespace changes neither memory nor file descriptors.
    unsafe { unshare_unsafe(UnshareFlags::NEWNET) }?;
    Ok(File::open("/proc/thread-self/ns/net")?.into())
}

/// Puts the calling thread into a network namespace.
///
/// # Errors
/// The kernel refuses.
pub(crate) fn enter_network(namespace: BorrowedFd<'_>) -> Outcome<()> {
    move_into_link_name_space(namespace, Some(LinkNameSpaceType::Network)).map_err(because(
        "a namespace can't be entered",
        "network",
        KERNEL_REMEDY,
    ))
}
