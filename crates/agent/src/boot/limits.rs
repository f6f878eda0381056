//! Limits of the kernel that hosts have each for themselves, and that all nodes of a run share here.

use airtcp_plan::Plan;
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::failure::{KERNEL_REMEDY, Outcome, because};

/// Files that the agent may have open: three for each flow, two for each node. A process can't be allowed more
/// (`sysctl_nr_open` of fs/file.c).
const OPEN_FILES_MOST: u64 = 1024 * 1024;
/// The kernel's limit of threads: an eighth of the memory in stacks, which are large in User-Mode Linux (`set_max_threads` of
/// kernel/fork.c). It is meant for programs, each of whose processes is one of the host; those of the agent come on top.
const THREADS: &str = "/proc/sys/kernel/threads-max";

/// Pages of memory from which on TCP saves, and at most (`tcp_mem` of Documentation/networking/ip-sysctl.rst).
const TCP_MEMORY: &str = "/proc/sys/net/ipv4/tcp_mem";
const PAGES_OF_MIB: usize = 256;

/// `gc_thresh1`, `gc_thresh2` and `gc_thresh3` of a host: from the first on, unused neighbours are forgotten, and there are at
/// most as many as the third says (`arp_tbl` of net/ipv4/arp.c).
const NEIGHBOURS: [usize; 3] = [128, 512, 1024];

/// Sets the limits by the size of the plan; before the network is built, in the initial namespace.
///
/// # Errors
/// The kernel refuses.
pub(crate) fn raise_limits(plan: &Plan) -> Outcome<()> {
    let refused = "a limit of the kernel can't be raised";
    let files = Rlimit { current: Some(OPEN_FILES_MOST), maximum: Some(OPEN_FILES_MOST) };
    setrlimit(Resource::Nofile, files).map_err(because(refused, "open files", KERNEL_REMEDY))?;
    let set = |file: &str, value: usize| {
        std::fs::write(file, value.to_string()).map_err(because(refused, file, KERNEL_REMEDY))
    };
    let of_programs = std::fs::read_to_string(THREADS).map_err(because(refused, THREADS, KERNEL_REMEDY))?;
    let of_programs: usize = of_programs.trim().parse().map_err(because(refused, THREADS, KERNEL_REMEDY))?;
    set(THREADS, of_programs + own_threads(plan))?;
    if plan.split.is_some() {
        set_tcp_memory(plan).map_err(because(refused, TCP_MEMORY, KERNEL_REMEDY))?;
    }
    thresholds(plan.nodes.len()).iter().try_for_each(|(file, value)| set(file, *value))
}

/// All nodes share TCP's memory. In a split network, hosts of one part must not feel that those of the other use much: the limits
/// are all of the memory.
fn set_tcp_memory(plan: &Plan) -> std::io::Result<()> {
    let pages = plan.memory_mib as usize * PAGES_OF_MIB;
    std::fs::write(TCP_MEMORY, format!("{pages} {pages} {pages}"))
}

/// Two for each flow, and one for each stream of datagrams and each program.
fn own_threads(plan: &Plan) -> usize {
    2 * plan.flows.len() + plan.datagrams.len() + plan.programs.len()
}

/// The settings of neighbours and their values, for so many nodes.
fn thresholds(nodes: usize) -> [(String, usize); 3] {
    std::array::from_fn(|i| {
        let file = format!("/proc/sys/net/ipv4/neigh/default/gc_thresh{}", i + 1);
        (file, NEIGHBOURS[i] * nodes.max(1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_the_neighbours_of_a_host() {
        let last = ("/proc/sys/net/ipv4/neigh/default/gc_thresh3".to_owned(), 204_800);
        assert_eq!(thresholds(200)[2], last);
        assert_eq!(thresholds(0)[0].1, 128);
    }
}
