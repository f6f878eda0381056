//! Wires between the parts of a split network: frames that leave this guest's part, and those that enter it.

use std::ffi::{c_uint, c_ulonglong};

use airtcp_units::Instant;

use super::running::{Running, with};
use crate::abi::{HostTable, KernelImage};
use crate::parts::{Image, Parts};

fn with_parts<R>(call: impl FnOnce(&mut Parts, &HostTable) -> R) -> R {
    with(|Running { parts, host, .. }| call(parts.as_mut().expect("the network is split"), host))
}

/// Nodes count from 1 in the kernel.
pub(super) extern "C" fn part_of(node: c_uint) -> c_uint {
    with_parts(|parts, _| parts.part_of(node as usize - 1))
}

pub(super) extern "C" fn wire_leaves(
    ifindex: c_uint,
    arrival: c_ulonglong,
    now: c_ulonglong,
    image: *const KernelImage,
) {
    // SAFETY: the kernel gives a valid structure for the time of the call.
    let image = unsafe { image.read() };
    // SAFETY: its bytes are valid for the time of the call.
    let bytes = unsafe { std::slice::from_raw_parts(image.bytes, image.bytes_len as usize) };
    let frame = Image {
        ifindex,
        arrival: Instant::from_nanos(arrival),
        bytes,
        len: image.len,
        checksum: [image.csum_start, image.csum_offset],
    };
    with_parts(|parts, _| parts.send(Instant::from_nanos(now), &frame));
}

pub(super) extern "C" fn exchange(now: c_ulonglong) -> c_ulonglong {
    let next = with_parts(|parts, host| {
        parts.exchange(Instant::from_nanos(now), |frame| {
            let [csum_start, csum_offset] = frame.checksum;
            let (bytes, bytes_len) = (frame.bytes.as_ptr(), frame.bytes.len() as c_uint);
            let image = KernelImage { bytes, bytes_len, len: frame.len, csum_start, csum_offset };
            // SAFETY: the structure is valid during the call, which only puts the frame on its wire.
            unsafe { (host.wire_enters)(frame.ifindex, frame.arrival.as_nanos(), &raw const image) }
        })
    });
    next.as_nanos()
}
