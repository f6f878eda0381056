//! What the guest's process may do on the host, whatever happens inside it: read files, write its own folders, nothing else.
//!
//! The guest's kernel keeps its programs in as any kernel does. Should one break out of it, it is code of the user
//! who started the run, in the process that this module has restricted before it became the kernel:
//!
//! - Landlock (Linux, Documentation/userspace-api/landlock.rst): no file may be written, made, removed or renamed but below the
//!   run's working folder and the folder of the guest's memory; no TCP, no socket of another process by name, no signal to one. A
//!   restricted process can't look into processes that are not restricted by it either.
//! - A filter of system calls (seccomp(2)): no socket but those between processes of this machine, and none of them may be
//!   connected or sent from. The guest's own processes make no system calls of the host.
//!
//! Both need no privileges, are inherited and can't be undone. Where the host's kernel lacks one, the run goes on without it;
//! `airtcp doctor` says so of the files. What both leave open is in `docs/security.md`.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, Scope,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

/// The newest rules that are asked for; an older kernel is asked for those that it knows.
const NEWEST: ABI = ABI::V10;
/// Second numbers of the system calls of x86-64, for programs with 32-bit pointers (Linux, `arch/x86/include/uapi/asm/unistd.h`).
const X32_BIT: i64 = 0x4000_0000;
/// Of these calls the second number has another place (`arch/x86/entry/syscalls/syscall_64.tbl`).
const X32_SENDMSG: i64 = 518;
const X32_SENDMMSG: i64 = 538;

/// Restricts the calling process and all that it starts, for good. `writable`: the folders that it may write below.
///
/// # Errors
/// A folder can't be opened, or the system refuses a restriction that it has.
pub fn contain(writable: &[&Path]) -> io::Result<()> {
    restrict_files(writable).map_err(io::Error::other)?;
    match seccompiler::apply_filter(&socket_filter()) {
        // A kernel without filters says so by these.
        Err(seccompiler::Error::Seccomp(error)) if is_missing(&error) => Ok(()),
        other => other.map_err(io::Error::other),
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS))
}

fn restrict_files(writable: &[&Path]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_write(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    for folder in writable {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(folder)?, inside()))?;
    }
    let null = PathFd::new("/dev/null")?;
    rules = rules.add_rule(PathBeneath::new(null, AccessFs::WriteFile))?;
    rules.restrict_self()?;
    Ok(())
}

/// Everything but device files.
fn inside() -> BitFlags<AccessFs> {
    AccessFs::from_write(NEWEST) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev)
}

/// How well the machine can keep a guest's process from the user's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// Every way to change what is in a file is closed (Linux 6.2 and later).
    Kept,
    /// A file may be cut short, but not written (5.13 to 6.1).
    CutShort,
    /// The host's kernel has no Landlock, or has it switched off.
    Open,
}

/// What this machine's kernel has.
pub fn files() -> Files {
    let has = |abi| {
        let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        rules.handle_access(AccessFs::from_write(abi)).and_then(Ruleset::create).is_ok()
    };
    match (has(ABI::V3), has(ABI::V1)) {
        (true, _) => Files::Kept,
        (false, true) => Files::CutShort,
        (false, false) => Files::Open,
    }
}

/// No socket but `AF_UNIX`, and no sending and no connecting with those. Rings of calls (`io_uring`) could make sockets too.
fn socket_filter() -> BpfProgram {
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let foreign = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, libc::AF_UNIX as u64);
    let foreign = SeccompRule::new(vec![foreign.expect("there is a first argument")]);
    let foreign = vec![foreign.expect("a rule may have one condition")];
    let mut calls = BTreeMap::from([(libc::SYS_socket, foreign.clone())]);
    calls.insert(libc::SYS_socket | X32_BIT, foreign);
    for call in [libc::SYS_connect, libc::SYS_sendto, libc::SYS_io_uring_setup] {
        calls.extend([(call, Vec::new()), (call | X32_BIT, Vec::new())]);
    }
    for call in [libc::SYS_sendmsg, libc::SYS_sendmmsg, X32_SENDMSG | X32_BIT, X32_SENDMMSG | X32_BIT] {
        calls.insert(call, Vec::new());
    }
    let machine = std::env::consts::ARCH.try_into().expect("guests run on x86-64");
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, refused, machine);
    filter.and_then(TryInto::try_into).expect("the filter is the same everywhere")
}
