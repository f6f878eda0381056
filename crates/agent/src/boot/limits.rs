//! Limits of the kernel that hosts have each for themselves, and that all nodes of a run share here
//! (`docs/internals/shared-limits.md`).
//!
//! A limit that bounds what hosts use together is that of one host times their number. One whose value follows from the memory of
//! the machine is that of a host with [`HOST_MIB`]: the guest's own memory is less, and no property of a host. Where the guest's
//! memory ends, the run ends with a message (`panic_on_oom`, and kernel patch 0060).

use std::io::ErrorKind;
use std::path::Path;

use airtcp_plan::Plan;
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::failure::{KERNEL_REMEDY, Outcome, because};

/// Memory of the host whose limits nodes have, as most real hosts have or exceed.
const HOST_MIB: u64 = 8 * 1024;
/// Hosts that programs of a privileged guest make at most, as Mininet does. The kernel shares its limits among them too.
const HOSTS_OF_PROGRAMS: u64 = 1024;

/// Files that the agent may have open: three for each flow, two for each node. A process can't be allowed more
/// (`sysctl_nr_open` of fs/file.c).
const OPEN_FILES_MOST: u64 = 1024 * 1024;

/// Pages that TCP, UDP and SCTP never have: 8 TiB. A host of its own has so much memory for them that its sockets meet their own
/// limits first (`tcp_mem` of Documentation/networking/ip-sysctl.rst: 366 MiB of [`HOST_MIB`]). Pages that several packets share
/// count for each, so no number that follows from the guest's memory would do.
const UNREACHABLE_PAGES: u64 = 1 << 31;
/// `gc_thresh1`, `gc_thresh2` and `gc_thresh3` of a host: from the first on, unused neighbours are forgotten, and there are at
/// most as many as the third says (`arp_tbl` of net/ipv4/arp.c, `nd_tbl` of net/ipv6/ndisc.c).
const NEIGHBOURS: [u64; 3] = [128, 512, 1024];
/// Half the places of TCP's hash table (`tcp_init` of net/ipv4/tcp.c), which has one for each 128 KiB of memory.
const ORPHANS: u64 = HOST_MIB * 1024 / 128 / 2;
/// Packets that wait for a processor (`max_backlog` of net/core/hotdata.c).
const BACKLOG_PACKETS: u64 = 1000;
/// `inet_initpeers` of net/ipv4/inetpeer.c; each node has peers of its own.
const PEERS: u64 = 65_536 + 128;
/// Places of the hash table of connections, and so their number (`nf_conntrack_init_start` of
/// `net/netfilter/nf_conntrack_core.c`); each node has connections of its own.
const TRACKED_CONNECTIONS: u64 = 262_144;
/// A sixty-fourth of it (`nf_conntrack_expect_init`).
const EXPECTED_CONNECTIONS: u64 = TRACKED_CONNECTIONS / 64;
/// Free memory that only interrupts may use: `calculate_min_free_kbytes` of `mm/page_alloc.c`, the root of 16 times the memory. In one
/// instant all nodes may receive.
const RESERVED_KIB: u64 = (HOST_MIB * 1024 * 16).isqrt();

/// The kernel's limit of threads: an eighth of the memory in stacks, which are large in User-Mode Linux (`set_max_threads` of
/// kernel/fork.c). Programs share it: each of their processes is one of the machine that computes the run. Those of the agent
/// come on top.
const THREADS: &str = "kernel/threads-max";
/// Namespaces, signals that wait, and processes of a user: half the threads of a host (`fork_init` of kernel/fork.c), an eighth of
/// whose memory stacks of 16 KiB may take.
const OF_A_USER: u64 = HOST_MIB * 1024 / 8 / 16 / 2;
/// systemd's for all hosts with 64 bits, which is also the kernel's largest (`PID_MAX_LIMIT`).
const PIDS: u64 = 4 * 1024 * 1024;
/// `fs/notify/inotify/inotify_user.c`; a watch counts 1 KiB of a hundredth of the memory.
const INOTIFY_INSTANCES: u64 = 128;
const INOTIFY_WATCHES: u64 = HOST_MIB * 1024 / 100;
/// `eventpoll_init` of fs/eventpoll.c: 160 bytes of a twenty-fifth of the memory.
const EPOLL_WATCHES: u64 = HOST_MIB * 1024 * 1024 / 25 / 160;
/// `pipe_user_pages_soft` of fs/pipe.c, and `aio_max_nr` of fs/aio.c.
const PIPE_PAGES: u64 = 16 * 1024;
const ASYNCHRONOUS_REQUESTS: u64 = 64 * 1024;
/// `pty_limit` of drivers/tty/pty.c, and the most that the kernel allows (`NR_UNIX98_PTY_MAX`).
const TERMINALS: u64 = 4096;
const TERMINALS_MOST: u64 = 1 << 20;
/// `MQ_BYTES_MAX` of include/uapi/linux/mqueue.h.
const MESSAGE_QUEUE_BYTES: u64 = 819_200;

/// A setting below `/proc/sys`, and its value.
type Setting = (&'static str, String);

/// Sets the limits by the size of the plan; before the network is built, in the initial namespace.
///
/// # Errors
/// The kernel refuses.
pub(crate) fn raise_limits(plan: &Plan) -> Outcome<()> {
    limit_process(Resource::Nofile, OPEN_FILES_MOST, "open files")?;
    let hosts = hosts(plan);
    network_settings(hosts).iter().try_for_each(set)?;
    set(&(THREADS, (threads_of_programs()? + own_threads(plan)).to_string()))?;
    if plan.programs.is_empty() && plan.session.is_none() {
        return Ok(());
    }
    limit_process(Resource::Sigpending, OF_A_USER * hosts, "signals that wait")?;
    limit_process(Resource::Nproc, OF_A_USER * hosts, "processes of a user")?;
    limit_process(Resource::Msgqueue, MESSAGE_QUEUE_BYTES * hosts, "message queues")?;
    program_settings(hosts).iter().try_for_each(set)?;
    namespace_limits()?.iter().try_for_each(|name| {
        let file = format!("user/{name}");
        write(&file, &(OF_A_USER * hosts).to_string())
    })
}

/// Hosts that may share the kernel.
fn hosts(plan: &Plan) -> u64 {
    let of_programs = if plan.guest.privileged { HOSTS_OF_PROGRAMS } else { 0 };
    plan.nodes.len().max(1) as u64 + of_programs
}

fn threads_of_programs() -> Outcome<u64> {
    let refused = "the limit of threads can't be read";
    let text = std::fs::read_to_string(Path::new("/proc/sys").join(THREADS));
    let text = text.map_err(because(refused, THREADS, KERNEL_REMEDY))?;
    text.trim().parse().map_err(because(refused, THREADS, KERNEL_REMEDY))
}

/// Two for each flow, and one for each stream of datagrams and each program.
fn own_threads(plan: &Plan) -> u64 {
    (2 * plan.flows.len() + plan.datagrams.len() + plan.programs.len()) as u64
}

/// What bounds the traffic of nodes.
fn network_settings(hosts: u64) -> Vec<Setting> {
    let unreachable = format!("{UNREACHABLE_PAGES} {UNREACHABLE_PAGES} {UNREACHABLE_PAGES}");
    let mut settings = vec![
        ("net/ipv4/tcp_mem", unreachable.clone()),
        ("net/ipv4/udp_mem", unreachable.clone()),
        ("net/sctp/sctp_mem", unreachable),
        ("net/ipv4/tcp_max_orphans", (ORPHANS * hosts).min(i32::MAX as u64).to_string()),
        ("net/core/netdev_max_backlog", (BACKLOG_PACKETS * hosts).to_string()),
        ("net/ipv4/inet_peer_threshold", PEERS.to_string()),
        ("net/netfilter/nf_conntrack_max", TRACKED_CONNECTIONS.to_string()),
        ("net/netfilter/nf_conntrack_expect_max", EXPECTED_CONNECTIONS.to_string()),
        ("vm/min_free_kbytes", RESERVED_KIB.to_string()),
        // Whatever the kernel killed would be missing from the result.
        ("vm/panic_on_oom", "1".to_owned()),
    ];
    let thresholds = [
        ["net/ipv4/neigh/default/gc_thresh1", "net/ipv6/neigh/default/gc_thresh1"],
        ["net/ipv4/neigh/default/gc_thresh2", "net/ipv6/neigh/default/gc_thresh2"],
        ["net/ipv4/neigh/default/gc_thresh3", "net/ipv6/neigh/default/gc_thresh3"],
    ];
    for (files, neighbours) in thresholds.into_iter().zip(NEIGHBOURS) {
        settings.extend(files.map(|file| (file, (neighbours * hosts).to_string())));
    }
    settings
}

/// What bounds programs, all of which have one user.
fn program_settings(hosts: u64) -> Vec<Setting> {
    vec![
        ("kernel/pid_max", PIDS.to_string()),
        // As systemd sets it: files are bounded by what processes may open (`nr_open`).
        ("fs/file-max", i64::MAX.to_string()),
        ("fs/inotify/max_user_instances", (INOTIFY_INSTANCES * hosts).to_string()),
        ("fs/inotify/max_user_watches", (INOTIFY_WATCHES * hosts).min(i32::MAX as u64).to_string()),
        ("fs/epoll/max_user_watches", (EPOLL_WATCHES * hosts).to_string()),
        ("fs/pipe-user-pages-soft", (PIPE_PAGES * hosts).to_string()),
        ("fs/aio-max-nr", (ASYNCHRONOUS_REQUESTS * hosts).to_string()),
        ("kernel/pty/max", (TERMINALS * hosts).min(TERMINALS_MOST).to_string()),
    ]
}

/// `max_user_namespaces` and its like, of the kinds of namespaces that the kernel has.
fn namespace_limits() -> Outcome<Vec<String>> {
    let place = "/proc/sys/user";
    let failed = || because("the limits of namespaces can't be read", place, KERNEL_REMEDY);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(place).map_err(failed())? {
        names.extend(entry.map_err(failed())?.file_name().into_string());
    }
    names.retain(|name| name.ends_with("_namespaces"));
    names.sort_unstable();
    Ok(names)
}

fn set((file, value): &Setting) -> Outcome<()> {
    write(file, value)
}

/// A setting that the kernel lacks needs no value: it has no such limit.
fn write(file: &str, value: &str) -> Outcome<()> {
    match std::fs::write(Path::new("/proc/sys").join(file), value) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other.map_err(because("a limit of the kernel can't be raised", file, KERNEL_REMEDY)),
    }
}

fn limit_process(resource: Resource, most: u64, name: &str) -> Outcome<()> {
    let limit = Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(resource, limit).map_err(because("a limit of the kernel can't be raised", name, KERNEL_REMEDY))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(settings: &[Setting], file: &str) -> String {
        settings.iter().find(|setting| setting.0 == file).unwrap().1.clone()
    }

    #[test]
    fn every_node_has_the_neighbours_of_a_host() {
        let settings = network_settings(200);
        for family in ["ipv4", "ipv6"] {
            assert_eq!(value(&settings, &format!("net/{family}/neigh/default/gc_thresh3")), "204800");
        }
        assert_eq!(value(&network_settings(1), "net/ipv4/neigh/default/gc_thresh1"), "128");
    }

    /// What Linux computes of 8 GiB.
    #[test]
    fn limits_by_memory_are_those_of_a_host() {
        assert_eq!((ORPHANS, OF_A_USER, RESERVED_KIB), (32_768, 32_768, 11_585));
        assert_eq!(value(&network_settings(3), "net/ipv4/tcp_max_orphans"), "98304");
    }

    #[test]
    fn no_number_of_hosts_exceeds_what_the_kernel_takes() {
        let most = 100_000;
        assert_eq!(value(&network_settings(most), "net/ipv4/tcp_max_orphans"), i32::MAX.to_string());
        assert_eq!(value(&program_settings(most), "kernel/pty/max"), TERMINALS_MOST.to_string());
    }
}
