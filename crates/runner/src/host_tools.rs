//! Which programs of the host set a run up: they run in the guest from the host's files, and are no part of a run's name.

use std::path::Path;
use std::process::{Command, Stdio};

use airtcp_plan::{LinuxSetup, Plan, Queue, host_program_places};
use serde::Serialize;

use crate::installation::file_hash;

/// The description of a distribution (os-release(5)).
const OS_RELEASE: [&str; 2] = ["/etc/os-release", "/usr/lib/os-release"];

/// Programs of the host that a run used beside the installation, for its manifest.
#[derive(Debug, Serialize)]
pub struct HostTools {
    /// The distribution with its version, by which the versions of all its packages are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    os: Option<String>,
    /// The program that set up queues of kind `tc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tc: Option<Tool>,
    /// The daemon of access points of the kernel's Wi-Fi stack.
    #[serde(skip_serializing_if = "Option::is_none")]
    hostapd: Option<Tool>,
    /// `wpa_supplicant` of the stations.
    #[serde(skip_serializing_if = "Option::is_none")]
    wpa_supplicant: Option<Tool>,
}

/// A program of the host.
#[derive(Debug, Serialize)]
struct Tool {
    /// The version that it prints.
    version: Option<String>,
    sha256: Option<String>,
}

impl HostTools {
    /// What this plan uses of the host; `None` if it runs none of its programs.
    pub fn of(plan: &Plan) -> Option<Self> {
        let tool = |used: bool, name: &str, says: &str| used.then(|| Tool::find(name, says)).flatten();
        let (tc, daemons) = (uses_tc(plan), uses_daemons(plan));
        (tc || daemons || !plan.programs.is_empty()).then(|| Self {
            os: distribution(),
            tc: tool(tc, "tc", "-V"),
            hostapd: tool(daemons, "hostapd", "-v"),
            wpa_supplicant: tool(daemons, "wpa_supplicant", "-v"),
        })
    }
}

impl Tool {
    fn find(name: &str, says: &str) -> Option<Self> {
        let path = host_program_places(name).find(|path| path.exists())?;
        Some(Self::at(&path, says))
    }

    /// `says` is the option that prints its version; hostapd prints it on standard error.
    fn at(path: &Path, says: &str) -> Self {
        let said = Command::new(path).arg(says).env_clear().stdin(Stdio::null()).output();
        let said = said.ok().and_then(|output| {
            [output.stdout, output.stderr].iter().find_map(|text| first_line(&String::from_utf8_lossy(text)))
        });
        Self { version: said, sha256: file_hash(path).ok() }
    }
}

fn first_line(text: &str) -> Option<String> {
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

fn uses_tc(plan: &Plan) -> bool {
    plan.nodes.iter().any(|node| {
        let in_words = |queue: &Queue| matches!(queue, Queue::Tc { .. });
        !node.tc.is_empty() || node.interfaces.iter().any(|interface| in_words(&interface.egress.queue))
    })
}

fn uses_daemons(plan: &Plan) -> bool {
    plan.air
        .cells
        .iter()
        .any(|cell| cell.linux.as_ref().is_some_and(|linux| linux.setup == LinuxSetup::Daemons))
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
        let mut plan = airtcp_testing::golden_plans::plan("two-hosts-and-a-switch");
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
    fn tc_is_identified_by_version_and_hash() {
        let mut by_words = plan();
        by_words.nodes[0].interfaces[0].egress.queue = Queue::Tc { args: vec!["codel".to_owned()] };
        let mut by_lines = plan();
        by_lines.nodes[0].tc.push("qdisc show".to_owned());
        for plan in [by_words, by_lines] {
            let tools = HostTools::of(&plan).unwrap();
            assert_eq!(tools.tc.is_some(), Tool::find("tc", "-V").is_some());
            assert!(tools.hostapd.is_none() && tools.wpa_supplicant.is_none());
        }
        let shell = Tool::at(Path::new("/bin/sh"), "--version");
        assert_eq!(shell.sha256.unwrap().len(), 64);
    }

    #[test]
    fn daemons_are_identified_by_version() {
        let plan = airtcp_testing::golden_plans::golden_plan("linux").to_string();
        let tools = HostTools::of(&Plan::from_json(&plan).unwrap()).unwrap();
        for (tool, begins) in [(tools.hostapd, "hostapd v"), (tools.wpa_supplicant, "wpa_supplicant v")] {
            assert!(tool.is_none_or(|tool| tool.version.unwrap().starts_with(begins)));
        }
    }

    #[test]
    fn the_distribution_is_what_it_calls_itself() {
        let text = "NAME=\"A\"\nPRETTY_NAME=\"A Linux 12 (name)\"\nID=a\n";
        assert_eq!(pretty_name(text).as_deref(), Some("A Linux 12 (name)"));
        assert_eq!(pretty_name("NAME=A\n"), None);
    }
}
