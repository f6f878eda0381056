//! The run's working folder, and the folders in it that other processes see.

use std::ffi::CString;
use std::os::fd::OwnedFd;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, open};
use rustix::io::{Errno, Result};
use rustix::mount::{MountFlags, mount};

use crate::guest_paths::WORK;

/// The host's name of the working folder: file descriptor 3 of the process the guest runs in.
const HOST: &str = "/proc/self/fd/3";
/// Mount point of the run's working folder: below the root that is mounted over that of the initramfs, where no path leads.
const PLACE: &str = "/work";

/// Mounts the working folder; the caller enters it when it has entered its root.
pub(super) fn mount_work() -> Result<OwnedFd> {
    make_folder(PLACE)?;
    mount_from_host(PLACE, HOST)?;
    open(PLACE, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// Makes a folder of the working folder a file system of its own. Who sees it, or has a file of it open, has no way to the others:
/// fanotify(7), for example, hands out descriptors of whatever is opened in a file system.
pub(crate) fn separate(folder: &str) -> Result<()> {
    let path = format!("{WORK}/{folder}");
    make_folder(&path)?;
    mount_from_host(&path, &format!("{HOST}/{folder}"))
}

pub(super) fn make_folder(path: &str) -> Result<()> {
    match mkdirat(CWD, path, Mode::from_raw_mode(0o755)) {
        Err(Errno::EXIST) => Ok(()),
        other => other,
    }
}

fn mount_from_host(place: &str, host: &str) -> Result<()> {
    let host = CString::new(host).expect("these paths have no zero");
    mount("none", place, "hostfs", MountFlags::NODEV | MountFlags::NOATIME, Some(host.as_c_str()))
}
