//! Network namespaces of threads, and PID namespaces of their children.

#![expect(unsafe_code, reason = "unshare(2) is unsafe in rustix for the sake of other flags")]

use std::fs::File;
use std::marker::PhantomData;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

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

/// The children that this thread starts are in another PID namespace, until this is dropped. The thread can't start threads
/// meanwhile (`copy_process` of kernel/fork.c).
#[derive(Debug)]
pub(crate) struct PidNamespaceOfChildren {
    before: OwnedFd,
    of_one_thread: PhantomData<*const ()>,
}

impl PidNamespaceOfChildren {
    /// In this one.
    pub(crate) fn enter(namespace: BorrowedFd<'_>) -> std::io::Result<Self> {
        Self::change(|| Ok(move_into_link_name_space(namespace, Some(LinkNameSpaceType::ProcessID))?))
    }

    /// In a new one, of which the first child is process 1.
    pub(crate) fn make() -> std::io::Result<Self> {
        // SAFETY: this changes neither memory nor file descriptors, only the PID namespace of later children.
        Self::change(|| Ok(unsafe { unshare_unsafe(UnshareFlags::NEWPID) }?))
    }

    fn change(change: impl FnOnce() -> std::io::Result<()>) -> std::io::Result<Self> {
        let before = File::open("/proc/thread-self/ns/pid")?.into();
        change()?;
        Ok(Self { before, of_one_thread: PhantomData })
    }
}

impl Drop for PidNamespaceOfChildren {
    fn drop(&mut self) {
        let back = move_into_link_name_space(self.before.as_fd(), Some(LinkNameSpaceType::ProcessID));
        back.expect("a thread may return to the namespace that it is in");
    }
}
