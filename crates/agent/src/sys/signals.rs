//! Signals that end a process, and the one that says that a child has ended.

#![expect(unsafe_code, reason = "signal(2)")]

/// Makes this process ignore what ends all processes of a session: a terminal that is gone, Ctrl-C, a shutdown, a pipe that
/// nobody reads.
pub(crate) fn ignore_ends() {
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM, libc::SIGPIPE] {
        // SAFETY: ignoring a signal runs no code of this program.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// Makes it obey them again: ignored signals are inherited by programs.
pub(crate) fn obey_ends() {
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
        // SAFETY: as above; the default action is the kernel's.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Makes the kernel reap the children of this process, also those that it inherits.
pub(crate) fn let_kernel_reap() {
    // SAFETY: as above.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
}
