//! How commands of the user are kept in their nodes: rights, and namespaces that a node has of its own.
//!
//! A process of the agent's program holds the namespaces of one node. In a PID namespace it is process 1: the kernel gives it the
//! orphans, and reaps them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};

use airtcp_plan::{Namespace, Node, Plan};
use rustix::process::Pid;
use rustix::thread::set_name;

use crate::failure::{KERNEL_REMEDY, Outcome, because};
use crate::network::Network;
use crate::process::reaper;
use crate::sys::child::{self, Extras, Mounts, Owner};
use crate::sys::namespace::PidNamespaceOfChildren;
use crate::sys::signals;
use crate::wireless::control;

/// The name under which this program holds namespaces.
const HOLDER: &str = "airtcp-init";

/// What all commands of a run have of rights and namespaces.
#[derive(Debug, Default)]
pub(crate) struct Confinement {
    privileged: bool,
    nodes: BTreeMap<String, Namespaces>,
}

/// Namespaces that the programs of one node share.
#[derive(Debug)]
struct Namespaces {
    pid: Option<OwnedFd>,
    mount: Option<OwnedFd>,
}

impl Confinement {
    /// Makes the namespaces that nodes of the plan have of their own; of a plan that names none, nothing is made.
    ///
    /// # Errors
    /// The kernel refuses.
    pub(crate) fn prepare(plan: &Plan, network: &Network) -> Outcome<Self> {
        let privileged = plan.guest.privileged;
        let wanted = plan.nodes.iter().enumerate().filter(|(_, node)| !node.namespaces.is_empty());
        let made = wanted.map(|(n, node)| {
            let place = format!("nodes[{n}].namespaces");
            let failed = because("the namespaces of a node can't be made", &place, KERNEL_REMEDY);
            let held = hold(node, network.namespace(&node.name), privileged).map_err(failed)?;
            Ok((node.name.clone(), held))
        });
        Ok(Self { privileged, nodes: made.collect::<Outcome<_>>()? })
    }

    /// Starts a command in a node, whose network this is.
    ///
    /// # Errors
    /// Nothing can be executed, or the node's process 1 is gone.
    pub(crate) fn start(
        &self,
        node: &str,
        network: BorrowedFd<'_>,
        command: &mut Command,
    ) -> io::Result<Pid> {
        let own = self.nodes.get(node);
        let pid = own.and_then(|own| own.pid.as_ref());
        let mounts = match own.and_then(|own| own.mount.as_ref()) {
            Some(mounts) => Mounts::OfNode(mounts.try_clone()?),
            None if pid.is_some() => Mounts::WithProc,
            None => Mounts::Private,
        };
        child::confine(command, network, extras(node, self.privileged, mounts));
        let _children = pid.map(|own| PidNamespaceOfChildren::enter(own.as_fd())).transpose()?;
        reaper::start(command)
    }
}

fn extras(node: &str, privileged: bool, mounts: Mounts) -> Extras {
    Extras { owner: Owner::User, privileged, mounts, ..control::extras(node) }
}

/// Starts the process that holds the namespaces of a node. It has the rights of programs, which can look into it.
fn hold(node: &Node, network: BorrowedFd<'_>, privileged: bool) -> io::Result<Namespaces> {
    let has = |one| node.namespaces.contains(&one);
    let mut holder = Command::new("/proc/self/exe");
    holder.arg0(HOLDER).env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mounts = if has(Namespace::Pid) { Mounts::WithProc } else { Mounts::Private };
    child::confine(&mut holder, network, extras(&node.name, privileged, mounts));
    let children = has(Namespace::Pid).then(PidNamespaceOfChildren::make).transpose()?;
    let number = holder.spawn()?.id();
    drop(children);
    let open = |file| File::open(format!("/proc/{number}/ns/{file}")).map(OwnedFd::from);
    Ok(Namespaces {
        pid: has(Namespace::Pid).then(|| open("pid")).transpose()?,
        mount: has(Namespace::Mount).then(|| open("mnt")).transpose()?,
    })
}

/// Whether this process was started to hold namespaces.
pub(crate) fn is_asked_for() -> bool {
    std::env::args().next().is_some_and(|name| name == HOLDER)
}

/// The whole life of this process.
pub(crate) fn run() -> ExitCode {
    // Only for those who list processes.
    let _ = set_name(c"airtcp-init");
    signals::let_kernel_reap();
    loop {
        std::thread::park();
    }
}
