//! Starts the guest so that nothing of the host enters it.
//!
//! The runner starts itself once more (`airtcp-runner launch`), and that process requests to be killed with its
//! parent, switches address-space randomisation off ([`crate::addresses`]), keeps to one core
//! ([`crate::own_core`]), drops the rights that a guest does not need ([`crate::containment`]), and becomes the kernel.
//! The kernel's command line is constant: all paths are inherited file descriptors, and the seed is an option
//! that stays off it, because the guest's random pool mixes it in.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use airtcp_plan::Plan;
use airtcp_plan::report::{CONSOLE_FILE, WITH_USER};
use command_fds::{CommandFdExt, FdMapping};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::signal::Signal;

use crate::containment::contain;
use crate::installation::Installation;
use crate::memory_folder::MemoryFolder;
use crate::own_core::{self, Cores};
use crate::partner::{Exchange, Partner};

/// The run's working folder, in the guest's process. The agent mounts it by this number.
const FD_WORK: i32 = 3;
/// The initial file system.
const FD_INITRD: i32 = 5;
/// The guest library.
const FD_LIBRARY: i32 = 6;
const NS_PER_S: u64 = 1_000_000_000;

/// The message of a process that could not become the kernel, before the kernel's path and the reason.
pub const NOT_STARTED: &str = "airtcp: cannot start ";

/// What a guest has of the machine.
#[derive(Debug)]
pub struct Place<'a> {
    /// Working folder of the guest.
    pub work: &'a Path,
    /// Folder for the file that is the guest's memory.
    pub memory: &'a MemoryFolder,
    /// Cores on which the guest may run.
    pub cores: Cores,
}

/// A guest that runs.
#[derive(Debug)]
pub struct Guest {
    /// The kernel's process.
    pub child: Child,
    /// Working folder of the guest.
    pub work: PathBuf,
    /// Cores on which the guest may run.
    pub cores: Cores,
}

impl Guest {
    /// Ends it.
    fn end(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts one guest for a plan in each working folder; several share memory, and none the core of another.
///
/// # Errors
/// As [`launch`]; then none runs.
pub fn launch_all(
    plan: &Plan,
    parts: &Installation,
    folders: &[PathBuf],
    memory: &MemoryFolder,
) -> io::Result<Vec<Guest>> {
    let exchange = if folders.len() > 1 { Some(Exchange::create()?) } else { None };
    let mut guests = Vec::new();
    for (work, cores) in folders.iter().zip(Cores::all().shared_by(folders.len())) {
        let shared = exchange.as_ref().map(Exchange::try_clone).transpose();
        let partner = shared.map(|shared| shared.map_or(Partner::Nobody, Partner::Guest));
        let place = Place { work, memory, cores };
        match partner.and_then(|partner| launch(plan, parts, place, partner)) {
            Ok(guest) => guests.push(guest),
            Err(error) => {
                guests.iter_mut().for_each(Guest::end);
                return Err(error);
            }
        }
    }
    Ok(guests)
}

/// Starts the guest for a plan.
///
/// # Errors
/// An error of the system when files can't be opened or the process can't be created.
pub fn launch(plan: &Plan, parts: &Installation, place: Place<'_>, partner: Partner) -> io::Result<Guest> {
    let Place { work, memory, cores } = place;
    let console = File::create(work.join(CONSOLE_FILE))?;
    let fds = [(FD_WORK, work), (FD_LIBRARY, &parts.library)];
    let mut mappings = fds.into_iter().map(|(fd, path)| mapping(fd, path)).collect::<io::Result<Vec<_>>>()?;
    mappings.push(FdMapping { parent_fd: initrd(parts)?, child_fd: FD_INITRD });
    let arguments = kernel_arguments(plan, matches!(partner, Partner::User(_)));
    mappings.extend(partner.mappings());
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg("launch")
        .arg(&parts.kernel)
        .args(arguments)
        .env_clear()
        .env("TMPDIR", memory.path())
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(console.try_clone()?)
        .stderr(console)
        .fd_mappings(mappings)
        .map_err(|error| io::Error::other(error.to_string()))?;
    let child = cores.during(|| command.spawn())?;
    Ok(Guest { child, work: work.to_owned(), cores })
}

/// The image with the agent and the kernel's modules, a file in memory without a name.
fn initrd(parts: &Installation) -> io::Result<OwnedFd> {
    let mut agent = File::open(&parts.agent)?;
    let bytes = u32::try_from(agent.metadata()?.len()).map_err(io::Error::other)?;
    let mut image = File::from(memfd_create(c"initrd", MFdFlags::MFD_CLOEXEC)?);
    crate::initrd::write(&mut image, &mut agent, bytes, &parts.modules()?)?;
    Ok(image.into())
}

fn mapping(child_fd: i32, path: &Path) -> io::Result<FdMapping> {
    Ok(FdMapping { parent_fd: OwnedFd::from(File::open(path)?), child_fd })
}

fn kernel_arguments(plan: &Plan, has_user: bool) -> Vec<String> {
    let user = if has_user { WITH_USER } else { "" };
    vec![
        format!("mem={}M", plan.memory_mib),
        "time-travel=inf-cpu".to_owned(),
        // Its wall-clock time at boot, so that the epoch is the plan's date.
        format!("time-travel-start={}", plan.date_s * NS_PER_S - plan.epoch_ns),
        format!("seed={}", plan.seed),
        format!("airtcp=/proc/self/fd/{FD_LIBRARY},/proc/self/fd/{FD_WORK}{user}"),
        format!("initrd=/proc/self/fd/{FD_INITRD}"),
        "con=null".to_owned(),
        "con0=null,fd:1".to_owned(),
        // Only warnings and errors: messages of a normal boot cost time and have no use.
        "quiet".to_owned(),
        "loglevel=5".to_owned(),
        "panic=-1".to_owned(),
        // Places of TCP's hash table, which a host of 8 GiB has (one for 128 KiB): from it follow limits of every namespace, those of
        // programs too (`tcp_init` of net/ipv4/tcp.c, `tcp_sk_init` of net/ipv4/tcp_ipv4.c).
        "thash_entries=65536".to_owned(),
    ]
}

/// The second half, in the child: becomes the kernel. Returns only on failure.
pub fn become_kernel(kernel: &Path, arguments: &[String]) -> io::Error {
    if let Err(error) = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL) {
        return error.into();
    }
    // The parent may have died before this request.
    if nix::unistd::getppid().as_raw() == 1 {
        return io::Error::other("the runner has ended");
    }
    if let Err(error) = crate::addresses::fix() {
        return error;
    }
    own_core::keep_to_one();
    let memory = PathBuf::from(std::env::var_os("TMPDIR").unwrap_or_default());
    if let Err(error) = contain(&[Path::new(&format!("/proc/self/fd/{FD_WORK}")), &memory]) {
        return io::Error::other(format!("cannot restrict the guest's process: {error}"));
    }
    Command::new(kernel).args(arguments).exec()
}
