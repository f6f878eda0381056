//! Kernel settings below `/proc/sys`, which shows the calling thread's namespace.

use std::collections::BTreeMap;
use std::io::ErrorKind;

use airtcp_plan::{Node, Sysctl};

use crate::failure::{Outcome, failure};

/// Settings that the kernel keeps once for all namespaces, such as `net.ipv4.tcp_mem`: key, value and place.
#[derive(Debug, Default)]
pub(crate) struct Global(BTreeMap<String, (String, String)>);

/// Writes the file of a setting.
fn write(sysctl: &Sysctl) -> std::io::Result<()> {
    std::fs::write(sysctl.path().expect("a checked plan"), &sysctl.value)
}

/// Whether the key belongs to one of the node's interfaces, and so exists only after it.
pub(crate) fn names_interface(key: &str, node: &Node) -> bool {
    let mut parts = key.split('.').skip_while(|&p| p != "conf" && p != "neigh");
    let Some(name) = parts.nth(1).map(|p| p.replace('/', ".")) else { return false };
    node.interfaces.iter().map(|i| &i.name).chain(node.bridges.iter().map(|b| &b.name)).any(|n| *n == name)
}

/// Writes a setting of the calling thread's namespace; one that is not of any namespace is put into `global`.
pub(crate) fn set(sysctl: &Sysctl, place: &str, global: &mut Global) -> Outcome<()> {
    match write(sysctl) {
        Err(error) if error.kind() == ErrorKind::NotFound => global.note(sysctl, place),
        other => other.map_err(|error| refused(&sysctl.key, &sysctl.value, place, &error)),
    }
}

impl Global {
    fn note(&mut self, sysctl: &Sysctl, place: &str) -> Outcome<()> {
        let wanted = (sysctl.value.clone(), place.to_owned());
        let (value, first) = self.0.entry(sysctl.key.clone()).or_insert(wanted);
        if *value == sysctl.value {
            return Ok(());
        }
        let what = format!(
            "{} is one setting for all nodes and can't be both '{value}' and '{}'",
            sysctl.key, sysctl.value
        );
        Err(failure(what, format!("{first} and {place}"), "give it the same value in every node"))
    }

    /// Writes the settings; the calling thread must be in the initial namespace.
    pub(crate) fn set(&self) -> Outcome<()> {
        for (key, (value, place)) in &self.0 {
            let sysctl = Sysctl { key: key.clone(), value: value.clone() };
            write(&sysctl).map_err(|error| refused(key, value, place, &error))?;
        }
        Ok(())
    }
}

fn refused(key: &str, value: &str, place: &str, error: &std::io::Error) -> airtcp_plan::report::Failure {
    if error.kind() == ErrorKind::NotFound {
        let what = format!("the guest's kernel has no setting {key}");
        return failure(what, place, "correct the key, remove it, or use a kernel that has it");
    }
    failure(format!("{key} can't be set to '{value}': {error}"), place, "correct the value")
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_plan::{Bridge, HostClock, MacAddress, Offloads};

    fn sysctl(key: &str, value: &str) -> Sysctl {
        Sysctl { key: key.to_owned(), value: value.to_owned() }
    }

    #[test]
    fn keys_of_interfaces_are_distinguished_from_others() {
        let bridge = Bridge { name: "br0".to_owned(), mac: MacAddress([2; 6]), addresses: vec![] };
        let node = Node {
            name: "n".to_owned(),
            interfaces: vec![],
            bridges: vec![bridge],
            routes: vec![],
            sysctls: vec![],
            tc: vec![],
            mptcp: None,
            clock: HostClock::default(),
            offloads: Offloads::default(),
            namespaces: vec![],
        };
        assert!(names_interface("net.ipv4.conf.br0.rp_filter", &node));
        assert!(names_interface("net.ipv4.neigh.br0.gc_stale_time", &node));
        for key in
            ["net.ipv4.conf.all.rp_filter", "net.ipv4.conf.default.rp_filter", "net.ipv4.tcp_rmem", "conf"]
        {
            assert!(!names_interface(key, &node), "{key}");
        }
    }

    #[test]
    fn a_setting_for_all_nodes_has_one_value() {
        let mut global = Global::default();
        global.note(&sysctl("net.ipv4.tcp_mem", "1 2 3"), "nodes[0].sysctls[0]").unwrap();
        global.note(&sysctl("net.ipv4.tcp_mem", "1 2 3"), "nodes[1].sysctls[0]").unwrap();
        let error = global.note(&sysctl("net.ipv4.tcp_mem", "4 5 6"), "nodes[2].sysctls[0]").unwrap_err();
        assert_eq!(error.place, "nodes[0].sysctls[0] and nodes[2].sysctls[0]");
    }

    #[test]
    fn a_missing_setting_is_named() {
        let mut global = Global::default();
        global.note(&sysctl("net.ipv4.no_such_key", "1"), "nodes[0].sysctls[0]").unwrap();
        let error = global.set().unwrap_err();
        assert_eq!(error.what, "the guest's kernel has no setting net.ipv4.no_such_key");
        assert_eq!(error.place, "nodes[0].sysctls[0]");
    }
}
