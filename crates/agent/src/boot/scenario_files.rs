//! The files that programs see: the names of nodes, and the files of the scenario.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use airtcp_plan::{Node, Plan, ScenarioFile};
use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::io::Errno;
use rustix::mount::{MountFlags, mount_bind, mount_remount};

use crate::failure::{KERNEL_REMEDY, Outcome, because, failure};
use crate::guest_paths::SCENARIO;

/// Files that replace the host's own.
const HOSTS: &str = "/run/hosts";
const RESOLVER: &str = "/run/resolv.conf";

/// Writes the files of the scenario and the names of nodes, and puts them where programs look for them.
///
/// # Errors
/// The guest's memory is full, or the kernel refuses a mount.
pub(crate) fn furnish(plan: &Plan) -> Outcome<()> {
    write_scenario(&plan.files)?;
    replace("/etc/hosts", HOSTS, &hosts(&plan.nodes))?;
    // No node has a name server: a name that is not in the file is unknown at once, and the host's name servers are not queried.
    replace("/etc/resolv.conf", RESOLVER, "")
}

fn write_scenario(files: &[ScenarioFile]) -> Outcome<()> {
    let wrong = |path: &str, error: std::io::Error| {
        because("a file of the scenario can't be written", path, "use fewer or smaller files")(error)
    };
    fs::create_dir_all(SCENARIO).map_err(|error| wrong(SCENARIO, error))?;
    for file in files {
        let path = Path::new(SCENARIO).join(&file.path);
        let bytes = file.content.bytes().expect("a checked plan");
        let mode = fs::Permissions::from_mode(if file.executable { 0o755 } else { 0o644 });
        let folder = path.parent().expect("below the scenario's folder");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, bytes))
            .and_then(|()| fs::set_permissions(&path, mode))
            .map_err(|error| wrong(&file.path, error))?;
    }
    let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    mount_bind(SCENARIO, SCENARIO).and_then(|()| mount_remount(SCENARIO, flags, c"")).map_err(because(
        "the scenario's folder can't be made read-only",
        SCENARIO,
        KERNEL_REMEDY,
    ))
}

/// Replaces a file of the host with a text; on a host without that file there is nothing to replace. In a writable root
/// programs may change it in turn.
fn replace(place: &str, own: &str, text: &str) -> Outcome<()> {
    if is_writable("/") {
        // What the host has there may be a link to nowhere.
        let _ = fs::remove_file(place);
        return fs::write(place, text).map_err(because("a file can't be written", place, KERNEL_REMEDY));
    }
    fs::write(own, text).map_err(because("a file can't be written", own, KERNEL_REMEDY))?;
    match mount_bind(own, place) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => {
            Err(failure(format!("a file of the host can't be replaced: {error}"), place, KERNEL_REMEDY))
        }
    }
}

fn is_writable(folder: &str) -> bool {
    statvfs(folder).is_ok_and(|facts| !facts.f_flag.contains(StatVfsMountFlags::RDONLY))
}

/// A file of names (hosts(5)): of each node its first address of each version of IP; by `NODE-INTERFACE` those of each interface. The name of a node
/// without any has an address of its loopback interface, that of Debian for hosts without a permanent one.
fn hosts(nodes: &[Node]) -> String {
    let mut text = "127.0.0.1 localhost\n".to_owned();
    for node in nodes {
        let interfaces = node.interfaces.iter().map(|own| (&own.name, &own.addresses));
        let bridges = node.bridges.iter().map(|own| (&own.name, &own.addresses));
        let all = interfaces.chain(bridges);
        let addressed = all.flat_map(|(name, own)| own.iter().map(move |address| (name, address)));
        let mut addressed = addressed.peekable();
        if addressed.peek().is_none() {
            writeln!(text, "127.0.1.1 {}", node.name).expect("memory");
        }
        let mut named = BTreeSet::new();
        for (interface, address) in addressed {
            let address = address.split('/').next().unwrap_or(address);
            let is_first = named.insert(address.contains(':'));
            let alias = if is_first { format!("{} ", node.name) } else { String::new() };
            writeln!(text, "{address} {alias}{}-{interface}", node.name).expect("memory");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_names_and_so_have_their_interfaces() {
        let plan = crate::sample_plan::two_hosts_and_a_switch();
        let text = hosts(&plan.nodes);
        assert!(text.starts_with("127.0.0.1 localhost\n"), "{text}");
        for node in plan.nodes.iter().filter(|node| !node.interfaces[0].addresses.is_empty()) {
            let address = node.interfaces[0].addresses[0].split('/').next().unwrap();
            let line = format!("{address} {} {}-{}\n", node.name, node.name, node.interfaces[0].name);
            assert!(text.contains(&line), "{text}");
        }
    }

    #[test]
    fn the_name_of_a_node_without_addresses_leads_to_itself() {
        let mut plan = crate::sample_plan::two_hosts_and_a_switch();
        let node = &mut plan.nodes[0];
        node.bridges.clear();
        node.interfaces.clear();
        assert!(hosts(&plan.nodes).contains(&format!("127.0.1.1 {}\n", plan.nodes[0].name)));
    }
}
