//! What runs in a guest. Its kernel writes that to its console when it is asked (`kernel/src/arch/um/os-Linux/airtcp_running.c`).

use std::collections::BTreeMap;
use std::path::Path;

use airtcp_plan::Plan;
use airtcp_plan::report::CONSOLE_FILE;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::failure::CONSOLE_BYTES;
use crate::guest_file;

/// What begins a line about what runs.
pub const MARK: &str = "airtcp: running: ";
/// Most processes that a message names.
const NAMED_MOST: usize = 3;

/// Asks a guest, by its kernel's process.
pub fn ask(kernel: Pid) {
    // It may have ended already.
    let _ = kill(kernel, Signal::SIGUSR2);
}

/// What a guest has answered: the processes that ran when it was asked, most often first; `None` if it has not.
pub fn told(plan: &Plan, work: &Path) -> Option<String> {
    let console = guest_file::ends(&work.join(CONSOLE_FILE), CONSOLE_BYTES).unwrap_or_default();
    let mut times = BTreeMap::<String, usize>::new();
    for line in String::from_utf8_lossy(&console).lines() {
        if let Some(running) = line.strip_prefix(MARK) {
            *times.entry(named(plan, running)).or_default() += 1;
        }
    }
    let mut names: Vec<_> = times.into_iter().collect();
    names.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let names: Vec<_> = names.into_iter().take(NAMED_MOST).map(|(name, _)| name).collect();
    (!names.is_empty()).then(|| names.join("; "))
}

/// `process 27 of host 1: true` with the name of the host's node, whose number begins at 1; others as they are.
fn named(plan: &Plan, running: &str) -> String {
    let named = || {
        let (process, rest) = running.split_once(" of host ")?;
        let (host, command) = rest.split_once(": ")?;
        let node = plan.nodes.get(host.parse::<usize>().ok()?.checked_sub(1)?)?;
        Some(format!("{}: {command} ({process})", node.name))
    };
    named().unwrap_or_else(|| running.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told_of(console: &str) -> Option<String> {
        let plan: Plan = airtcp_testing::golden_plans::plan("ping");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(CONSOLE_FILE), console).unwrap();
        told(&plan, folder.path())
    }

    #[test]
    fn the_process_that_ran_most_often_is_named_first_with_its_node() {
        let console = "a line\nairtcp: running: process 9 of host 1: sh -c x\n\
                       airtcp: running: process 27 of host 1: python3 a.py b: c\n\
                       airtcp: running: process 27 of host 1: python3 a.py b: c\n";
        let expected = "ap1: python3 a.py b: c (process 27); ap1: sh -c x (process 9)";
        assert_eq!(told_of(console).as_deref(), Some(expected));
    }

    #[test]
    fn what_belongs_to_no_node_is_told_as_it_is() {
        let console = "airtcp: running: process 3 of host 0: x\nairtcp: running: the kernel (swapper)\n";
        assert_eq!(told_of(console).unwrap(), "process 3 of host 0: x; the kernel (swapper)");
        assert_eq!(told_of("airtcp: running: process 3 of host 900: x").unwrap(), "process 3 of host 900: x");
        assert_eq!(told_of("nothing"), None);
    }
}
