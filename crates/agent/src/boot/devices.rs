//! The device nodes that programs expect (Linux Documentation/admin-guide/devices.txt).

use rustix::fs::{CWD, FileType, Mode, makedev, mkdirat, mknodat, symlinkat};
use rustix::io::{Errno, Result};
use rustix::mount::{MountFlags, mount};

/// Name, major, minor. The last is the kernel's own (`AIRTCP_MINOR` of the kernel patches).
const NODES: [(&str, u32, u32); 8] = [
    ("null", 1, 3),
    ("zero", 1, 5),
    ("full", 1, 7),
    ("random", 1, 8),
    ("urandom", 1, 9),
    ("tty", 5, 0),
    ("net/tun", 10, 200),
    ("airtcp", 10, 240),
];

/// Name and target.
const LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

/// Fills an empty `/dev`.
pub(super) fn populate(folder: &str) -> Result<()> {
    mkdirat(CWD, format!("{folder}/net"), Mode::from_raw_mode(0o755))?;
    for (name, major, minor) in NODES {
        let path = format!("{folder}/{name}");
        mknodat(CWD, path, FileType::CharacterDevice, Mode::from_raw_mode(0o666), makedev(major, minor))?;
    }
    for (name, target) in LINKS {
        symlinkat(target, CWD, format!("{folder}/{name}"))?;
    }
    mkdirat(CWD, format!("{folder}/shm"), Mode::from_raw_mode(0o1777))?;
    let pts = format!("{folder}/pts");
    mkdirat(CWD, pts.as_str(), Mode::from_raw_mode(0o755))?;
    match mount("devpts", pts.as_str(), "devpts", MountFlags::NOSUID, Some(c"ptmxmode=0666,mode=620")) {
        // A kernel without pseudo-terminals: programs do without, too.
        Err(Errno::NODEV) => Ok(()),
        other => other,
    }
}
