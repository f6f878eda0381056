//! Where the guest finds programs of the host.

/// Where distributions, and those who build for themselves, put system programs; the first that has one counts. The agent runs
/// what it finds there, the runner says in the manifest what that is.
pub const HOST_PROGRAM_FOLDERS: [&str; 6] =
    ["/usr/sbin", "/sbin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/local/bin"];
