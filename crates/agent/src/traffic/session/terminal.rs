//! Terminals of jobs: pseudo-terminals of the guest.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

use airtcp_plan::TerminalSize;
use rustix::fs::OFlags;
use rustix::io::Result;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The agent's side of a terminal.
pub(super) fn open(size: TerminalSize) -> Result<OwnedFd> {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&terminal)?;
    unlockpt(&terminal)?;
    resize(&terminal, size)?;
    Ok(terminal)
}

/// The side of the job's processes.
pub(super) fn other_side(terminal: &OwnedFd) -> std::io::Result<File> {
    let name = ptsname(terminal, Vec::new())?;
    let path = name.to_str().expect("names of terminals are numbers");
    let flags = OFlags::NOCTTY.bits().cast_signed();
    File::options().read(true).write(true).custom_flags(flags).open(path)
}

/// Gives a terminal another size; its foreground processes get SIGWINCH.
pub(super) fn resize(terminal: impl AsFd, size: TerminalSize) -> Result<()> {
    let TerminalSize { rows, columns } = size;
    tcsetwinsize(terminal, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })
}
