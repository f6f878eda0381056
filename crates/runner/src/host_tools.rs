//! Which programs of the host set a run up: they run in the guest from the host's files, and are no part of a run's name.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use airtcp_plan::{Plan, Queue};
use serde::Serialize;

use crate::installation::file_hash;

/// Where the agent looks for `tc`, in its order.
const FOLDERS: [&str; 4] = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];
/// What distributions say of themselves (os-release(5)).
const OS_RELEASE: [&str; 2] = ["/etc/os-release", "/usr/lib/os-release"];

/// What a run took from the host beside the installation, as its manifest tells it.
#[derive(Debug, Serialize)]
pub struct HostTools {
    /// The distribution with its version, by which the versions of all its packages are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    os: Option<String>,
    /// The program that set queues in words of `tc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tc: Option<Tool>,
}

/// A program of the host.
#[derive(Debug, Serialize)]
struct Tool {
    /// As it says itself.
    version: Option<String>,
    sha256: Option<String>,
}

impl HostTools {
    /// What this plan uses of the host; `None` if it runs none of its programs.
    pub fn of(plan: &Plan) -> Option<Self> {
        let tc = uses_tc(plan);
        (tc || !plan.programs.is_empty())
            .then(|| Self { os: distribution(), tc: tc.then(find_tc).flatten().map(|path| Tool::at(&path)) })
    }
}

impl Tool {
    fn at(path: &Path) -> Self {
        let said = Command::new(path).arg("-V").env_clear().stdin(Stdio::null()).output();
        let said = said.ok().map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        Self { version: said.filter(|text| !text.is_empty()), sha256: file_hash(path).ok() }
    }
}

fn uses_tc(plan: &Plan) -> bool {
    plan.nodes.iter().any(|node| {
        let in_words = |queue: &Queue| matches!(queue, Queue::Tc { .. });
        !node.tc.is_empty() || node.interfaces.iter().any(|interface| in_words(&interface.egress.queue))
    })
}

fn find_tc() -> Option<PathBuf> {
    FOLDERS.iter().map(|folder| Path::new(folder).join("tc")).find(|path| path.exists())
}

fn distribution() -> Option<String> {
    let text = OS_RELEASE.iter().find_map(|path| std::fs::read_to_string(path).ok())?;
    pretty_name(&text)
}

fn pretty_name(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim().trim_matches(['"', '\'']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let mut plan =
            Plan::from_json(include_str!("../../agent/tests/two_hosts_and_a_switch.json")).unwrap();
        plan.programs.clear();
        for node in &mut plan.nodes {
            node.tc.clear();
            for interface in &mut node.interfaces {
                interface.egress.queue = Queue::Packets { limit: 100 };
            }
        }
        plan
    }

    #[test]
    fn a_run_that_uses_no_program_of_the_host_tells_of_none() {
        assert!(HostTools::of(&plan()).is_none());
    }

    #[test]
    fn tc_is_told_by_version_and_hash() {
        let mut by_words = plan();
        by_words.nodes[0].interfaces[0].egress.queue = Queue::Tc { args: vec!["codel".to_owned()] };
        let mut by_lines = plan();
        by_lines.nodes[0].tc.push("qdisc show".to_owned());
        for plan in [by_words, by_lines] {
            let told = HostTools::of(&plan).unwrap();
            assert_eq!(told.tc.is_some(), find_tc().is_some());
        }
        let shell = Tool::at(Path::new("/bin/sh"));
        assert_eq!(shell.sha256.unwrap().len(), 64);
    }

    #[test]
    fn the_distribution_is_what_it_calls_itself() {
        let text = "NAME=\"A\"\nPRETTY_NAME=\"A Linux 12 (name)\"\nID=a\n";
        assert_eq!(pretty_name(text).as_deref(), Some("A Linux 12 (name)"));
        assert_eq!(pretty_name("NAME=A\n"), None);
    }
}
