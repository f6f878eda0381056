//! Limits of the kernel that hosts have each for themselves, and that all nodes of a run share here.

use airtcp_plan::Plan;
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::failure::{KERNEL_REMEDY, Outcome, because};

/// Files that the agent may have open: three for each flow, two for each node. A process can't be allowed more
/// (`sysctl_nr_open` of fs/file.c).
const OPEN_FILES_MOST: u64 = 1024 * 1024;
/// As many threads as there are numbers for them (`PID_MAX_DEFAULT` of include/linux/threads.h). The kernel's default is an
/// eighth of the memory in stacks, which are large in User-Mode Linux: not enough for 500 flows with two threads each.
const THREADS_MOST: usize = 0x8000;
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
    for (key, value) in settings(plan.nodes.len()) {
        let set = std::fs::write(format!("/proc/sys/{key}"), value.to_string());
        set.map_err(because(refused, &key, KERNEL_REMEDY))?;
    }
    Ok(())
}

/// Files below `/proc/sys` and their values, for so many nodes.
fn settings(nodes: usize) -> Vec<(String, usize)> {
    let neighbours = NEIGHBOURS.iter().zip(1..);
    let thresholds =
        neighbours.map(|(most, i)| (format!("net/ipv4/neigh/default/gc_thresh{i}"), most * nodes.max(1)));
    std::iter::once(("kernel/threads-max".to_owned(), THREADS_MOST)).chain(thresholds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_the_neighbours_of_a_host() {
        let set = settings(200);
        assert_eq!(set[3], ("net/ipv4/neigh/default/gc_thresh3".to_owned(), 204_800));
        assert_eq!(settings(0)[1].1, 128);
    }
}
