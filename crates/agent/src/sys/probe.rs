//! Requests to `/dev/airtcp`: what the kernel is to watch (`arch/um/include/shared/airtcp.h` of the kernel patches).

#![expect(unsafe_code, reason = "ioctl(2) with structures of the kernel patches")]

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, RawFd};

use airtcp_plan::{kernel_constants, kernel_structures};

kernel_constants! {
    /// Starts watching. Numbers of requests are as `_IOW` makes them of the size of their structures.
    pub(super) const PROBE_START: libc::c_ulong = AIRTCP_PROBE_START = 0x4058_aa01;
    /// Names the receiving end of a flow.
    pub(super) const PROBE_RECEIVER: libc::c_ulong = AIRTCP_PROBE_RECEIVER = 0x4008_aa02;
    /// Reports the end of a flow, by its number.
    pub(super) const PROBE_FLOW_END: libc::c_ulong = AIRTCP_PROBE_FLOW_END = 0xaa03;
    /// Ends watching; has no argument.
    pub(super) const PROBE_END: libc::c_ulong = AIRTCP_PROBE_END = 0xaa04;
    /// Names the sending end of a flow.
    pub(super) const PROBE_SENDER: libc::c_ulong = AIRTCP_PROBE_SENDER = 0x4008_aa05;
    /// Names the namespace of a node, and its clock.
    pub(super) const PROBE_NODE: libc::c_ulong = AIRTCP_PROBE_NODE = 0x4020_aa06;
    /// Opens the messages of a session; has no argument, and returns a descriptor.
    pub(super) const PROBE_SESSION: libc::c_ulong = AIRTCP_PROBE_SESSION = 0xaa07;
}

/// Device of the kernel that takes the requests.
pub(crate) const DEVICE: &str = "/dev/airtcp";

/// Opens the device to which requests are made.
///
/// # Errors
/// The kernel's answer.
pub(crate) fn open() -> io::Result<File> {
    File::options().read(true).write(true).open(DEVICE)
}

kernel_structures! {
    /// A device whose packets or queueing disciplines are watched.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct WatchedDevice: airtcp_probe_device {
        /// Number in the kernel, unique in the whole guest.
        pub(crate) ifindex: u32,
        /// Number of the device in the plan.
        pub(crate) device: u32,
        /// Points at which packets of the device are seen, as bits.
        pub(crate) points: u32,
        /// Whether queueing disciplines of the device are sampled (0 or 1).
        pub(crate) qdiscs: u32,
    }

    /// What is watched, and when samples are taken.
    struct StartRequest: airtcp_probe_start {
        first_ns: u64,
        end_ns: u64,
        flows_interval_ns: u64,
        qdiscs_interval_ns: u64,
        stations_interval_ns: u64,
        rates_interval_ns: u64,
        devices: u64,
        senders: u64,
        device_count: u32,
        sender_count: u32,
        acks: u32,
        head_len: u32,
        sockets: u32,
        unused: u32,
    }

    /// A namespace and the clock that it gets.
    struct NodeRequest: airtcp_probe_node {
        netns: RawFd,
        node: u32,
        age_ns: u64,
        offset_ns: i64,
        skew_ppb: i64,
    }

    /// An end of a flow.
    struct SocketRequest: airtcp_probe_socket {
        flow: u32,
        fd: RawFd,
    }
}

/// The clock of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeClock {
    /// Number of the node, from 1.
    pub(crate) number: u32,
    /// How long the host had been up when the machine started.
    pub(crate) age_ns: u64,
    /// How far the wall clock is ahead at that age, in nanoseconds; negative: behind.
    pub(crate) offset_ns: i64,
    /// How much faster its clocks run, in parts per 1e9.
    pub(crate) skew_ppb: i64,
}

/// When samples are taken, and what else is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watching {
    /// Samples are taken at multiples of the intervals after this time since boot,
    pub(crate) first_ns: u64,
    /// and before this one.
    pub(crate) end_ns: u64,
    /// Interval between samples of flows, in nanoseconds; 0: none are taken.
    pub(crate) flows_interval_ns: u64,
    /// Interval between samples of queueing disciplines, in nanoseconds; 0: none are taken.
    pub(crate) qdiscs_interval_ns: u64,
    /// Interval between samples of peers of mac80211, in nanoseconds; 0: none are taken.
    pub(crate) stations_interval_ns: u64,
    /// Interval between samples of the rates to those peers, in nanoseconds; 0: none are taken.
    pub(crate) rates_interval_ns: u64,
    /// Whether segments that reach a sender are seen.
    pub(crate) acks: bool,
    /// Whether TCP sockets of programs are watched.
    pub(crate) sockets: bool,
    /// Most first bytes of a packet that are seen.
    pub(crate) seen_bytes: u32,
}

fn request(device: &File, number: libc::c_ulong, argument: u64) -> io::Result<()> {
    // SAFETY: the callers' arguments are what the request of this number takes; structures outlive the call.
    match unsafe { libc::ioctl(device.as_raw_fd(), number, argument) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn address<T>(of: &T) -> u64 {
    std::ptr::from_ref(of) as u64
}

/// Begins to watch these devices and the senders of all flows, in the order of the flows' numbers. Of a sender that will be
/// accepted, this is the listener.
pub(crate) fn start(
    kernel: &File,
    watching: Watching,
    devices: &[WatchedDevice],
    senders: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let senders: Vec<RawFd> = senders.iter().map(AsRawFd::as_raw_fd).collect();
    let asked = StartRequest {
        first_ns: watching.first_ns,
        end_ns: watching.end_ns,
        flows_interval_ns: watching.flows_interval_ns,
        qdiscs_interval_ns: watching.qdiscs_interval_ns,
        stations_interval_ns: watching.stations_interval_ns,
        rates_interval_ns: watching.rates_interval_ns,
        devices: devices.as_ptr() as u64,
        senders: senders.as_ptr() as u64,
        device_count: devices.len() as u32,
        sender_count: senders.len() as u32,
        acks: watching.acks.into(),
        head_len: watching.seen_bytes,
        sockets: watching.sockets.into(),
        unused: 0,
    };
    request(kernel, PROBE_START, address(&asked))
}

/// Gives a namespace in which nothing has happened yet a clock and a timer wheel.
pub(crate) fn node(kernel: &File, namespace: BorrowedFd<'_>, clock: NodeClock) -> io::Result<()> {
    let NodeClock { number, age_ns, offset_ns, skew_ppb } = clock;
    let asked = NodeRequest { netns: namespace.as_raw_fd(), node: number, age_ns, offset_ns, skew_ppb };
    request(kernel, PROBE_NODE, address(&asked))
}

/// Registers the receiving end of a flow.
pub(crate) fn receiver(kernel: &File, flow: u32, socket: BorrowedFd<'_>) -> io::Result<()> {
    request(kernel, PROBE_RECEIVER, address(&SocketRequest { flow, fd: socket.as_raw_fd() }))
}

/// Registers the sending end of a flow, which its listener has accepted.
pub(crate) fn sender(kernel: &File, flow: u32, socket: BorrowedFd<'_>) -> io::Result<()> {
    request(kernel, PROBE_SENDER, address(&SocketRequest { flow, fd: socket.as_raw_fd() }))
}

/// Opens the messages of the session.
///
/// # Errors
/// The kernel was started without a session.
pub(crate) fn session(kernel: &File) -> io::Result<File> {
    // SAFETY: the request has no argument.
    match unsafe { libc::ioctl(kernel.as_raw_fd(), PROBE_SESSION) } {
        // SAFETY: the kernel has just made this descriptor for us.
        number if number >= 0 => Ok(unsafe { File::from_raw_fd(number) }),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Takes a flow's last sample.
pub(crate) fn flow_end(kernel: &File, flow: u32) -> io::Result<()> {
    request(kernel, PROBE_FLOW_END, flow.into())
}

/// Takes the last sample of everything, as of the planned end.
pub(crate) fn end(kernel: &File) -> io::Result<()> {
    request(kernel, PROBE_END, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_header_says_the_same() {
        airtcp_testing::c_header::assert_same(STRUCTURES, CONSTANTS);
    }

    #[test]
    fn requests_have_the_sizes_that_their_numbers_say() {
        let size = |number: libc::c_ulong| (number >> 16 & 0x3fff) as usize;
        assert_eq!(size(PROBE_START), size_of::<StartRequest>());
        assert_eq!(size(PROBE_RECEIVER), size_of::<SocketRequest>());
        assert_eq!(size(PROBE_SENDER), size_of::<SocketRequest>());
        assert_eq!(size(PROBE_NODE), size_of::<NodeRequest>());
    }
}
