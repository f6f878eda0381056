//! The guest's root: the host's files, read-only, with own `/proc`, `/sys`, `/dev`, `/tmp` and `/run`. Where the kernel has
//! overlayfs, the host's files are below a layer in memory that programs may write.
//!
//! The root of an initramfs can't be pivoted, so the new one is moved over it.

use std::ffi::CStr;
use std::os::fd::OwnedFd;

use airtcp_plan::report::PROGRAMS_FOLDER;

use rustix::fs::Mode;
use rustix::io::{Errno, Result};
use rustix::mount::{MountFlags, UnmountFlags, mount, mount_bind, mount_move, mount_remount, unmount};
use rustix::process::{chdir, chroot, fchdir, umask};
use rustix::system::uname;

use super::work::{make_folder, mount_work};
use super::{devices, separate};
use crate::failure::{KERNEL_REMEDY, Outcome, because};

/// Where the new root is put together.
const NEW_ROOT: &str = "/root";
/// Where the layers of a writable root are mounted until they are one: the host's files, and what is written over them.
const HOST: &str = "/host";
const LAYER: &str = "/layer";
/// Where a lab guest's programs find what they have written over the host's files, below the root.
const WRITTEN: &str = "run/airtcp-written";

/// Builds the root and enters it.
///
/// # Errors
/// A mount is refused.
pub(crate) fn build_root() -> Outcome<()> {
    umask(Mode::empty());
    let step = |what, result: Result<()>| result.map_err(because(what, "boot", KERNEL_REMEDY));
    step("the folder of the new root can't be created", make_folder(NEW_ROOT))?;
    let files = if has_overlayfs() { writable_files() } else { hostfs(NEW_ROOT, c"/", MountFlags::RDONLY) };
    step("the host's files can't be mounted", files)?;
    // Their sizes leave memory for the guest even if all are full: a program that fills them gets an error.
    step("/proc can't be mounted", special("proc", "proc", c""))?;
    step("/dev can't be mounted", special("dev", "tmpfs", c"mode=755,size=15%"))?;
    step("/dev can't be filled", devices::populate(&inside("dev")))?;
    step("/run can't be mounted", special("run", "tmpfs", c"mode=755,size=5%"))?;
    for (folder, kind, options) in [
        ("sys", "sysfs", c""),
        ("tmp", "tmpfs", c"mode=1777,size=35%"),
        ("var/tmp", "tmpfs", c"mode=1777,size=15%"),
    ] {
        step("a temporary folder can't be mounted", unless_missing(special(folder, kind, options)))?;
    }
    step("/run can't be filled", make_folder(&inside("run/netns")))?;
    step("/run can't be filled", make_folder(&inside("run/airtcp")))?;
    let remedy = "start the guest with the run's folder as file descriptor 3";
    let work = mount_work().map_err(because("the working folder can't be mounted", "boot", remedy))?;
    if has_overlayfs() {
        step("what programs write can't be shown", show_written())?;
    }
    step("the new root can't be entered", enter(&work))?;
    step("the folder of programs can't be mounted", separate(PROGRAMS_FOLDER))
}

/// A kernel with it is of another flavour, whose release says so. Nothing may differ in a guest of the plain kernel.
fn has_overlayfs() -> bool {
    uname().release().to_bytes().ends_with(b"-lab")
}

/// The host's files leave the mount namespace: nothing but the overlay leads to them.
fn writable_files() -> Result<()> {
    for folder in [HOST, LAYER] {
        make_folder(folder)?;
    }
    hostfs(HOST, c"/", MountFlags::RDONLY)?;
    mount("tmpfs", LAYER, "tmpfs", MountFlags::NODEV, Some(c"mode=755,size=20%"))?;
    for folder in ["/layer/upper", "/layer/work"] {
        make_folder(folder)?;
    }
    let layers = c"lowerdir=/host,upperdir=/layer/upper,workdir=/layer/work";
    mount("overlay", NEW_ROOT, "overlay", MountFlags::NODEV | MountFlags::NOATIME, Some(layers))?;
    unmount(HOST, UnmountFlags::DETACH)
}

/// Programs see what they have written over the host's files in a folder of its own, read-only; then the layers have left the
/// mount namespace.
fn show_written() -> Result<()> {
    let folder = inside(WRITTEN);
    make_folder(&folder)?;
    mount_bind("/layer/upper", folder.as_str())?;
    mount_remount(folder.as_str(), MountFlags::BIND | MountFlags::RDONLY | MountFlags::NODEV, c"")?;
    unmount(LAYER, UnmountFlags::DETACH)
}

fn inside(folder: &str) -> String {
    format!("{NEW_ROOT}/{folder}")
}

fn hostfs(target: &str, host_path: &CStr, flags: MountFlags) -> Result<()> {
    mount("none", target, "hostfs", flags | MountFlags::NODEV | MountFlags::NOATIME, Some(host_path))
}

fn special(folder: &str, kind: &str, options: &CStr) -> Result<()> {
    let flags = if folder == "dev" { MountFlags::NOSUID } else { MountFlags::NOSUID | MountFlags::NODEV };
    mount(kind, inside(folder), kind, flags, Some(options))
}

fn unless_missing(result: Result<()>) -> Result<()> {
    match result {
        Err(Errno::NOENT) => Ok(()),
        other => other,
    }
}

fn enter(work: &OwnedFd) -> Result<()> {
    chdir(NEW_ROOT)?;
    mount_move(".", "/")?;
    chroot(".")?;
    fchdir(work)?;
    // Files of the working folder belong to the user who started the run; their group may read them.
    umask(Mode::from_raw_mode(0o022));
    Ok(())
}
