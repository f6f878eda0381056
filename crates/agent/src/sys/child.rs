//! Starting programs inside a node.

#![expect(unsafe_code, reason = "steps between fork and exec")]

use std::ffi::{CStr, CString};
use std::num::NonZeroU64;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use airtcp_plan::report::PROGRAMS_FOLDER;
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use rustix::io::Result;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount, mount_bind,
    mount_change, mount_remount, move_mount, open_tree, unmount,
};
use rustix::path::Arg;
use rustix::process::{Resource, Rlimit, chdir, ioctl_tiocsctty, setrlimit, setsid};
use rustix::stdio::stdin;
use rustix::system::sethostname;
use rustix::thread::{
    CapabilitySet, LinkNameSpaceType, UnshareFlags, move_into_link_name_space,
    remove_capability_from_bounding_set, set_current_timer_slack, unshare_unsafe,
};

use crate::guest_paths::PROGRAMS;

/// What no program must be able to do: look into the agent or command the probes, change the clock of all nodes, or end the guest.
const WITHHELD: [CapabilitySet; 7] = [
    CapabilitySet::MKNOD,
    CapabilitySet::SYS_RAWIO,
    CapabilitySet::SYS_MODULE,
    CapabilitySet::SYS_PTRACE,
    CapabilitySet::SYS_BOOT,
    CapabilitySet::SYS_TIME,
    CapabilitySet::CHECKPOINT_RESTORE,
];

/// What only a privileged program can do beside: mount and make namespaces, open files by their numbers, trace the kernel.
const PRIVILEGES: [CapabilitySet; 3] =
    [CapabilitySet::SYS_ADMIN, CapabilitySet::DAC_READ_SEARCH, CapabilitySet::PERFMON];

/// What daemons have and programs have not, to whom it is of no use: the kernel shows no process to one that lacks one of its
/// capabilities (`cap_ptrace_access_check` of security/commoncap.c). So no program, privileged or not, enters the namespaces of a
/// daemon, opens its files or reads its memory.
const OF_DAEMONS: CapabilitySet = CapabilitySet::BLOCK_SUSPEND;

/// What a program sees in place of the run's working folder: plan, records and reports are not its own, and what the kernel and
/// the library report of their progress depends on the host.
const SEEN: &CStr = c"/run/airtcp";

/// The kernel's default of a thread (prctl(2), `PR_SET_TIMERSLACK`); the agent itself uses none.
const TIMER_SLACK_NS: NonZeroU64 = NonZeroU64::new(50_000).expect("not zero");

/// What the kernel gives process 1 (`INR_OPEN_CUR` and `INR_OPEN_MAX` of include/uapi/linux/fs.h); the agent itself has more.
const OPEN_FILES: Rlimit = Rlimit { current: Some(1024), maximum: Some(4096) };

/// The owner of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The agent's: a tool that ends at once.
    #[default]
    Agent,
    /// A node's: a daemon, which no program may look into.
    Node,
    /// The user's: it begins in the scenario's folder, and runs only when nothing else is runnable (`SCHED_IDLE`). All nodes share
    /// one processor, on which a program that polls would delay the traffic of others until the next tick.
    User,
}

/// The mounts that a program sees and makes.
#[derive(Debug, Default)]
pub(crate) enum Mounts {
    /// Mounts of the program alone: copies of those of the agent.
    #[default]
    Private,
    /// Mounts of the program alone, with a `/proc` of the PID namespace that it is in.
    WithProc,
    /// Mounts of the program's node, as the process that holds them has made them.
    OfNode(OwnedFd),
}

/// What a program has beside what every program has.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    /// Owner of the program.
    pub(crate) owner: Owner,
    /// Folders, and where they appear.
    pub(crate) binds: Vec<[CString; 2]>,
    /// A file of the working folder, which appears in [`SEEN`] by its name, to be read.
    pub(crate) reads: Option<VisibleFile>,
    /// `/sys/kernel/debug`, where mac80211 shows its state.
    pub(crate) debugfs: bool,
    /// The name of its host; `None`: the kernel's.
    pub(crate) hostname: Option<CString>,
    /// The capabilities in [`PRIVILEGES`].
    pub(crate) privileged: bool,
    /// Mounts of the program.
    pub(crate) mounts: Mounts,
}

/// A file of the working folder that a daemon sees.
#[derive(Debug)]
pub(crate) struct VisibleFile {
    /// Path of the file from the working folder.
    own: CString,
    /// Path of the file for the daemon.
    pub(crate) seen: CString,
}

impl VisibleFile {
    /// The file of this name in a folder of the working folder.
    pub(crate) fn new(folder: &str, name: &str) -> Self {
        let path = |text: String| CString::new(text).expect("paths and names have no zero");
        let seen = format!("{}/{name}", SEEN.to_str().expect("a constant in ASCII"));
        Self { own: path(format!("{folder}/{name}")), seen: path(seen) }
    }
}

/// Makes a command run in a network namespace, with a `/sys` that shows it, in a working folder that shows nothing
/// but that of programs, and without the capabilities in [`WITHHELD`]. The namespace must stay open until the command has been started.
pub(crate) fn confine(command: &mut Command, namespace: BorrowedFd<'_>, extras: Extras) {
    let number = namespace.as_raw_fd();
    let steps = move || {
        // SAFETY: the caller keeps the namespace open, and the child has a copy of the descriptor.
        enter(unsafe { BorrowedFd::borrow_raw(number) }, &extras).map_err(Into::into)
    };
    // SAFETY: `enter` only makes system calls: no allocation, no lock.
    unsafe { command.pre_exec(steps) };
}

/// Makes a command the leader of a session, whose terminal is its standard input.
pub(crate) fn lead_terminal(command: &mut Command) {
    let steps = || {
        setsid()?;
        ioctl_tiocsctty(stdin()).map_err(Into::into)
    };
    // SAFETY: both only make system calls: no allocation, no lock.
    unsafe { command.pre_exec(steps) };
}

fn enter(namespace: BorrowedFd<'_>, extras: &Extras) -> Result<()> {
    setrlimit(Resource::Nofile, OPEN_FILES)?;
    move_into_link_name_space(namespace, Some(LinkNameSpaceType::Network))?;
    let with_mounts = match extras.mounts {
        Mounts::OfNode(_) => UnshareFlags::empty(),
        Mounts::Private | Mounts::WithProc => UnshareFlags::NEWNS,
    };
    // SAFETY: the child is a process of its own; new namespaces of mounts and names change no memory and no descriptors.
    unsafe { unshare_unsafe(with_mounts | UnshareFlags::NEWUTS) }?;
    if let Some(name) = &extras.hostname {
        sethostname(name.to_bytes())?;
    }
    if let Mounts::OfNode(mounts) = &extras.mounts {
        move_into_link_name_space(mounts.as_fd(), Some(LinkNameSpaceType::Mount))?;
        set_idle_policy()?;
    } else {
        make_mounts(extras)?;
    }
    if extras.owner == Owner::User {
        chdir(crate::guest_paths::SCENARIO)?;
    }
    let privileges = if extras.privileged { &[][..] } else { &PRIVILEGES };
    let of_daemons = if extras.owner == Owner::Node { &[][..] } else { &[OF_DAEMONS] };
    for capability in WITHHELD.iter().chain(privileges).chain(of_daemons) {
        remove_capability_from_bounding_set(*capability)?;
    }
    set_current_timer_slack(Some(TIMER_SLACK_NS))
}

/// In a mount namespace of the process's own. The run's folder leaves it first: the paths of the other steps may lead wherever a
/// program wants that has renamed something.
fn make_mounts(extras: &Extras) -> Result<()> {
    mount_change(c"/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
    withdraw(extras.reads.as_ref())?;
    if matches!(extras.mounts, Mounts::WithProc) {
        unmount(c"/proc", UnmountFlags::DETACH)?;
        mount(c"proc", c"/proc", c"proc", MountFlags::NOSUID | MountFlags::NODEV, None)?;
    }
    unmount(c"/sys", UnmountFlags::DETACH)?;
    mount(c"sysfs", c"/sys", c"sysfs", MountFlags::empty(), None)?;
    if extras.debugfs {
        mount(c"debugfs", c"/sys/kernel/debug", c"debugfs", MountFlags::empty(), None)?;
    }
    for [folder, place] in &extras.binds {
        mount_bind(folder.as_c_str(), place.as_c_str())?;
    }
    match extras.owner {
        Owner::User => set_idle_policy(),
        Owner::Agent | Owner::Node => Ok(()),
    }
}

fn set_idle_policy() -> Result<()> {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: of the calling thread (0), with parameters that outlive the call.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameters) } {
        0 => Ok(()),
        _ => Err(rustix::io::Errno::from_io_error(&std::io::Error::last_os_error())
            .unwrap_or(rustix::io::Errno::INVAL)),
    }
}

/// In the mount namespace of the program alone: an empty folder in place of the run's, which the process is in, with that of
/// programs in it. A program that may unmount finds nothing below.
fn withdraw(reads: Option<&VisibleFile>) -> Result<()> {
    let copied = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    let programs = open_tree(CWD, PROGRAMS_FOLDER, copied)?;
    let read = reads.map(|file| open_tree(CWD, file.own.as_c_str(), copied)).transpose()?;
    unmount(c".", UnmountFlags::DETACH)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOATIME;
    mount(c"none", SEEN, c"tmpfs", flags, c"mode=755,size=0")?;
    mkdirat(CWD, PROGRAMS, Mode::from_raw_mode(0o755))?;
    attach(&programs, PROGRAMS)?;
    if let (Some(file), Some(read)) = (reads, &read) {
        let place = file.seen.as_c_str();
        openat(CWD, place, OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC, Mode::from_raw_mode(0o444))?;
        attach(read, place)?;
        mount_remount(place, flags | MountFlags::BIND | MountFlags::RDONLY, c"")?;
    }
    mount_remount(SEEN, flags | MountFlags::RDONLY, c"")?;
    chdir(PROGRAMS)
}

fn attach<P: Arg>(tree: &OwnedFd, place: P) -> Result<()> {
    move_mount(tree, c"", CWD, place, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
}
