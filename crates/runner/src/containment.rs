//! What the guest's process may do on the host, whatever happens inside it: read files, write its own folders, nothing else.
//!
//! The guest's kernel keeps its programs in as any kernel does. Should one break out of it, it is code of the user
//! who started the run, in the process that this module has restricted before it became the kernel:
//!
//! - Landlock (Linux, Documentation/userspace-api/landlock.rst): files may be written, created, removed and renamed only below the
//!   run's working folder and the folder of the guest's memory; no TCP, no socket of another process by name, no signal to one. A
//!   restricted process can't look into processes that are not restricted by it either.
//! - A filter of system calls (seccomp(2), [`crate::system_calls`]) allows only those that the kernel's process needs. The guest's
//!   own processes make no system calls of the host but by the few instructions of the kernel's in them.
//!
//! Both need no privileges, are inherited and can't be reverted. Where the host's kernel lacks one, the run goes on without it;
//! `airtcp doctor` reports whether files are protected. What both leave open is in `docs/security.md`.

use std::io;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, Scope,
};

use crate::system_calls;

/// The newest version of the rules; an older kernel applies those that it supports.
const NEWEST: ABI = ABI::V10;
/// Restricts the calling process and all that it starts, irrevocably. `writable`: the folders that it may write below.
///
/// # Errors
/// A folder can't be opened, or the system refuses a restriction that it has.
pub fn contain(writable: &[&Path]) -> io::Result<()> {
    restrict_files(writable).map_err(io::Error::other)?;
    system_calls::restrict()
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
    /// The content of files can't be changed in any way (Linux 6.2 and later).
    Kept,
    /// A file may be truncated, but not written (5.13 to 6.1).
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
