//! The kernel's samples of flows, queues, radios and packets: its structures, turned into calls of [`crate::watch::Watch`].

use std::ffi::{CStr, c_int, c_uint, c_ulonglong, c_void};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};

use airtcp_plan::{Points, TcpInfo};

use super::running::{or_end, with};
use super::waiting::of_instant;
use crate::abi::{KernelAck, KernelFlow, KernelMptcp, KernelPacket, KernelQdisc, KernelSocket, NONE};
use crate::watch::{
    CC_INFO_BYTES, ConnectedSocket, FlowSample, MptcpSample, QdiscSample, RadioSample, SeenPacket,
    SocketSample, Watch,
};

/// The bytes at a pointer of the kernel.
///
/// # Safety
/// `length` bytes at `start` are valid and unchanged for as long as the slice is used; `start` may be null for none.
unsafe fn bytes<'a>(start: *const c_void, length: c_uint) -> &'a [u8] {
    if start.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(start.cast(), length as usize) }
}

/// Records what was seen at this time.
fn watched(ns: c_ulonglong, record: impl FnOnce(&mut Watch) -> io::Result<()>) {
    or_end(with(|running| {
        running.seen_at(ns);
        record(&mut running.watch)
    }));
}

pub(super) extern "C" fn flow(flow: c_uint, at_ns: c_ulonglong, sample: *const KernelFlow) {
    // SAFETY: the kernel gives a valid structure, whose pointers are valid for the time of the call.
    let sample = unsafe { flow_sample(&sample.read()) };
    if !of_instant(|waiting, _, watch| waiting.flow(watch.planned(flow), &sample)) {
        watched(at_ns, |watch| watch.flow(flow, at_ns, &sample));
    }
}

/// The kernel's sample of a connection.
///
/// # Safety
/// Its pointers are valid.
unsafe fn flow_sample(sample: &KernelFlow) -> FlowSample {
    // SAFETY: the caller's promise.
    let (sender, receiver, ca) = unsafe {
        let info = |of| bytes(of, sample.info_len);
        (info(sample.sender), info(sample.receiver), bytes(sample.ca, sample.ca_len))
    };
    let mut cc_info = [0; CC_INFO_BYTES];
    let kept = ca.len().min(CC_INFO_BYTES);
    cc_info[..kept].copy_from_slice(&ca[..kept]);
    FlowSample {
        sender: TcpInfo::from_bytes(sender),
        receiver: TcpInfo::from_bytes(receiver),
        limited_ns: sample.limited_ns,
        cc_kind: sample.ca_kind,
        cc_info,
    }
}

/// The kernel's sample of an end of an MPTCP connection.
fn mptcp_sample(sample: &KernelMptcp) -> MptcpSample {
    MptcpSample {
        token: sample.token,
        subflows: sample.subflows,
        add_addr_signalled: sample.add_addr_signalled,
        add_addr_accepted: sample.add_addr_accepted,
        local_addr_used: sample.local_addr_used,
        bytes_written: sample.bytes_written,
        bytes_sent: sample.bytes_sent,
        bytes_acked: sample.bytes_acked,
        bytes_reinjected: sample.bytes_reinjected,
        bytes_received: sample.bytes_received,
    }
}

pub(super) extern "C" fn socket_connected(
    number: c_uint,
    now_ns: c_ulonglong,
    socket: *const KernelSocket,
) -> c_int {
    // SAFETY: the kernel gives a valid structure.
    let socket = unsafe { socket.read() };
    // The kernel's ports have 16 bits.
    let end = |address, port| SocketAddrV4::new(Ipv4Addr::from_bits(address), port as u16);
    let connected = ConnectedSocket {
        group: socket.group,
        local: end(socket.local_address, socket.local_port),
        remote: end(socket.remote_address, socket.remote_port),
        accepted: socket.accepted != 0,
    };
    // `NONE`: the kernel has no room for one more.
    let number = (number != NONE).then_some(number);
    let mut is_watched = false;
    watched(now_ns, |watch| {
        is_watched = watch.socket_connected(number, now_ns, &connected);
        Ok(())
    });
    is_watched.into()
}

pub(super) extern "C" fn socket(number: c_uint, at_ns: c_ulonglong, sample: *const KernelFlow) {
    // SAFETY: the kernel gives a valid structure, whose pointers are valid for the time of the call; `ca_name` is a string.
    let (sample, name, mptcp) = unsafe {
        let sample = sample.read();
        (flow_sample(&sample), CStr::from_ptr(sample.ca_name), sample.mptcp.as_ref())
    };
    if of_instant(|_, sockets, _| sockets.add(number, &sample)) {
        return;
    }
    let seen = SocketSample {
        end: sample,
        congestion_control: name.to_str().unwrap_or_default(),
        mptcp: mptcp.map(mptcp_sample),
    };
    watched(at_ns, |watch| {
        watch.socket(number, at_ns, &seen);
        Ok(())
    });
}

pub(super) extern "C" fn socket_closed(number: c_uint, now_ns: c_ulonglong) {
    watched(now_ns, |watch| watch.socket_closed(number, now_ns));
}

pub(super) extern "C" fn sockets_sampled(at_ns: c_ulonglong) {
    if !of_instant(|waiting, sockets, watch| sockets.tell(waiting, watch)) {
        watched(at_ns, |watch| watch.sockets_sampled(at_ns));
    }
}

pub(super) extern "C" fn ack(flow: c_uint, now_ns: c_ulonglong, ack: *const KernelAck) {
    // SAFETY: the kernel gives a valid structure.
    let ack = unsafe { ack.read() };
    watched(now_ns, |watch| watch.ack(flow, now_ns, &ack));
}

/// A sample of mac80211's state for a radio or one of its peers.
pub(super) extern "C" fn radio<S: RadioSample>(nic: c_uint, at_ns: c_ulonglong, sample: *const S) {
    // SAFETY: the kernel gives a valid structure.
    let sample = unsafe { sample.read() };
    watched(at_ns, |watch| watch.radio(nic, at_ns, &sample));
}

pub(super) extern "C" fn qdisc(device: c_uint, at_ns: c_ulonglong, sample: *const KernelQdisc) {
    // SAFETY: the kernel gives a valid structure, whose pointers are valid for the time of the call; `kind` is a string.
    let (sample, kind, own) = unsafe {
        let sample = sample.read();
        let (kind, own) = (CStr::from_ptr(sample.kind), bytes(sample.own, sample.own_len));
        (sample, kind, own)
    };
    let seen = QdiscSample {
        handle: sample.handle,
        backlog_packets: sample.backlog_packets,
        backlog_bytes: sample.backlog_bytes,
        packets: sample.packets,
        bytes: sample.bytes,
        drops: sample.drops,
        overlimits: sample.overlimits,
        kind: kind.to_str().unwrap_or_default(),
        own,
    };
    if !of_instant(|waiting, _, watch| waiting.queue(watch.place(device), &seen)) {
        watched(at_ns, |watch| watch.qdisc(device, at_ns, &seen));
    }
}

pub(super) extern "C" fn packet(
    device: c_uint,
    point: c_uint,
    now_ns: c_ulonglong,
    packet: *const KernelPacket,
) {
    // SAFETY: the kernel gives a valid structure, whose pointer is valid for the time of the call.
    let (packet, head) = unsafe {
        let packet = packet.read();
        let head = bytes(packet.head.cast(), packet.head_len);
        (packet, head)
    };
    let seen = SeenPacket {
        device,
        point: Points(point),
        head,
        bytes: packet.len,
        segments: packet.segments,
        segment_bytes: packet.segment_len,
    };
    watched(now_ns, |watch| watch.packet(now_ns, &seen));
}
