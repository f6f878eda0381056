//! Limits that all hosts of the guest share, and that were met: read at the end of a run.
//!
//! [`crate::boot::raise_limits`] puts them out of reach, unless the scenario sets one.

use std::fs;
use std::os::fd::AsFd;

use airtcp_plan::report::LimitReport;

use super::Network;
use crate::failure::{KERNEL_REMEDY, Outcome, because};
use crate::sys::namespace::enter_network;

/// Counters of a namespace: file below `/proc/net`, group and name in it, and what the count means.
const OF_NODES: [(&str, &str, &str, &str); 3] = [
    (
        "netstat",
        "TcpExt",
        "TCPMemoryPressures",
        "was short of memory for TCP, so its windows and send buffers shrank: all hosts share net.ipv4.tcp_mem",
    ),
    (
        "netstat",
        "TcpExt",
        "TCPAbortOnMemory",
        "aborted connections for want of memory: all hosts share net.ipv4.tcp_mem and net.ipv4.tcp_max_orphans",
    ),
    ("snmp", "Udp", "MemErrors", "dropped datagrams for want of memory: all hosts share net.ipv4.udp_mem"),
];

/// Counters of the guest: file, column in its last line, name, and what the count means. Columns are counted as the kernel prints
/// them (`neigh_stat_seq_show` of net/core/neighbour.c, `softnet_seq_show` of net/core/net-procfs.c).
const OF_THE_GUEST: [(&str, usize, &str, &str); 3] = [
    (
        "stat/arp_cache",
        12,
        "arp_cache table_fulls",
        "had no room for neighbours: all hosts share net.ipv4.neigh.default.gc_thresh3",
    ),
    (
        "stat/ndisc_cache",
        12,
        "ndisc_cache table_fulls",
        "had no room for neighbours: all hosts share net.ipv6.neigh.default.gc_thresh3",
    ),
    (
        "softnet_stat",
        1,
        "softnet dropped",
        "dropped packets between devices: all hosts share net.core.netdev_max_backlog",
    ),
];

/// The limits that were met, and a warning for each.
pub(crate) struct SharedLimits {
    pub(crate) met: Vec<LimitReport>,
    pub(crate) warnings: Vec<String>,
}

impl SharedLimits {
    fn add(&mut self, node: Option<&str>, counter: String, times: u64, meaning: &str) {
        if times == 0 {
            return;
        }
        let who = node.map_or_else(|| "the guest".to_owned(), |node| format!("node {node}"));
        let remedy = "raise it if the scenario sets it, else report this with the plan";
        self.warnings.push(format!("{who} {meaning} ({counter}: {times}); {remedy}"));
        self.met.push(LimitReport { node: node.map(str::to_owned), counter, times });
    }
}

impl Network {
    /// Reads the counters of every node and of the guest. Nothing changes by it but the namespace of the calling thread.
    ///
    /// # Errors
    /// The kernel refuses.
    pub(crate) fn shared_limits(&self) -> Outcome<SharedLimits> {
        let mut found = SharedLimits { met: Vec::new(), warnings: Vec::new() };
        for node in &self.nodes {
            self.enter(&node.name)?;
            for file in ["netstat", "snmp"] {
                let text = read(file)?;
                for (_, group, name, meaning) in OF_NODES.iter().filter(|counter| counter.0 == file) {
                    let times = counted(&text, group, name);
                    found.add(Some(&node.name), format!("{group}{name}"), times, meaning);
                }
            }
        }
        enter_network(self.initial.as_fd())?;
        for (file, column, name, meaning) in OF_THE_GUEST {
            found.add(None, name.to_owned(), hexadecimal(&read(file)?, column), meaning);
        }
        Ok(found)
    }
}

fn read(file: &str) -> Outcome<String> {
    let path = format!("/proc/thread-self/net/{file}");
    fs::read_to_string(&path).map_err(because("the kernel's counters can't be read", &path, KERNEL_REMEDY))
}

/// A value of pairs of lines, the first with names and the second with values, both beginning with their group; 0 of a counter that
/// the kernel lacks.
fn counted(text: &str, group: &str, name: &str) -> u64 {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(group)?.strip_prefix(": "));
    let (names, values) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let place = names.split(' ').position(|one| one == name);
    place.and_then(|place| values.split(' ').nth(place)?.parse().ok()).unwrap_or(0)
}

/// A hexadecimal column of the last line.
fn hexadecimal(text: &str, column: usize) -> u64 {
    let value = text.lines().last().and_then(|line| line.split_whitespace().nth(column));
    value.and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NETSTAT: &str = "TcpExt: SyncookiesSent TCPMemoryPressures TCPAbortOnMemory\nTcpExt: 5 4 0\nIpExt: InNoRoutes\nIpExt: 9\n";

    #[test]
    fn counters_are_found_by_their_names() {
        assert_eq!(counted(NETSTAT, "TcpExt", "TCPMemoryPressures"), 4);
        assert_eq!(counted(NETSTAT, "IpExt", "InNoRoutes"), 9);
        assert_eq!(counted(NETSTAT, "TcpExt", "NoSuchCounter"), 0);
        assert_eq!(counted("", "TcpExt", "TCPMemoryPressures"), 0);
    }

    #[test]
    fn the_full_table_of_neighbours_is_the_last_column() {
        let head = "entries  allocs   destroys hash_grows lookups  hits     res_failed rcv_probes_mcast rcv_probes_ucast \
                    periodic_gc_runs forced_gc_runs unresolved_discards table_fulls\n";
        let values = "00000003 00000004 00000001 00000000   00000009 00000007 00000000   00000000         00000000         \
                      00000002         00000000       00000000            0000001f\n";
        assert_eq!(head.split_whitespace().nth(OF_THE_GUEST[0].1), Some("table_fulls"));
        assert_eq!(hexadecimal(&format!("{head}{values}"), OF_THE_GUEST[0].1), 31);
    }

    #[test]
    fn what_was_not_met_is_not_reported() {
        let mut found = SharedLimits { met: Vec::new(), warnings: Vec::new() };
        found.add(Some("h1"), "TcpExtTCPMemoryPressures".to_owned(), 0, "x");
        assert!(found.met.is_empty());
        found.add(Some("h1"), "TcpExtTCPMemoryPressures".to_owned(), 4, OF_NODES[0].3);
        assert!(
            found.warnings[0].starts_with("node h1 was short of memory for TCP"),
            "{}",
            found.warnings[0]
        );
        assert_eq!(found.met[0].times, 4);
    }
}
