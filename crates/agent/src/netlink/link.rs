//! Links: bridges, and what is set on any link
//! (Linux `include/uapi/linux/if_link.h`).

use std::os::fd::{AsRawFd, BorrowedFd};

use airtcp_plan::MacAddress;

use super::Request;

const IFLA_BR_FORWARD_DELAY: u16 = 1;
const IFLA_BR_STP_STATE: u16 = 5;
const IFLA_BR_MCAST_SNOOPING: u16 = 23;
pub(super) const IFLA_GSO_MAX_SEGS: u16 = 40;
/// What a device takes at first (`GSO_MAX_SEGS`): its limit is then that of bytes.
pub(crate) const GSO_MAX_SEGMENTS: u32 = 65_535;
const IFLA_NEW_IFINDEX: u16 = 49;

/// Bytes of `struct ifinfomsg`.
pub(super) const INFO_BYTES: usize = 16;

/// `struct ifinfomsg`.
pub(super) fn info(index: u32, flags: u32, change: u32) -> [u8; INFO_BYTES] {
    let mut bytes = [0; INFO_BYTES];
    bytes[4..8].copy_from_slice(&index.to_ne_bytes());
    bytes[8..12].copy_from_slice(&flags.to_ne_bytes());
    bytes[12..16].copy_from_slice(&change.to_ne_bytes());
    bytes
}

/// What an interface is, apart from its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity<'a> {
    /// Number, chosen by us: unique in the whole guest.
    pub(crate) index: u32,
    /// Name in its namespace.
    pub(crate) name: &'a str,
    /// Hardware address.
    pub(crate) mac: MacAddress,
    /// Largest IP packet in bytes.
    pub(crate) mtu: u32,
    /// Most segments TCP may put into one packet.
    pub(crate) gso_max_segments: u32,
    /// Network namespace of the interface.
    pub(crate) namespace: BorrowedFd<'a>,
}

/// Names, addresses and sizes. TCP builds segments of several MSS and leaves cutting them to the
/// device whatever its features say (`sk_setup_caps`), unless the device takes one segment at a time.
pub(super) fn identify(request: Request, end: &Identity) -> Request {
    request
        .text(libc::IFLA_IFNAME, end.name)
        .attribute(libc::IFLA_ADDRESS, &end.mac.0)
        .u32(libc::IFLA_MTU, end.mtu)
        .u32(IFLA_GSO_MAX_SEGS, end.gso_max_segments)
        .u32(libc::IFLA_NET_NS_FD, end.namespace.as_raw_fd().cast_unsigned())
}

pub(super) fn new_link(index: u32) -> Request {
    let flags = (libc::NLM_F_CREATE | libc::NLM_F_EXCL) as u16;
    Request::new(libc::RTM_NEWLINK, flags, &info(index, 0, 0))
}

pub(super) fn change_link(index: u32) -> Request {
    Request::new(libc::RTM_NEWLINK, 0, &info(index, 0, 0))
}

/// The kind of a device, with the attributes that only this kind has.
pub(super) fn of_kind(request: Request, kind: &str, data: impl FnOnce(Request) -> Request) -> Request {
    request.nest(libc::IFLA_LINKINFO, &[], |r| {
        r.text(libc::IFLA_INFO_KIND, kind).nest(libc::IFLA_INFO_DATA, &[], data)
    })
}

/// Creates a bridge: no spanning tree, ports forward at once, multicast is flooded.
pub(crate) fn create_bridge(bridge: &Identity) -> Request {
    of_kind(identify(new_link(bridge.index), bridge), "bridge", |r| {
        r.u32(IFLA_BR_STP_STATE, 0).u32(IFLA_BR_FORWARD_DELAY, 0).u8(IFLA_BR_MCAST_SNOOPING, 0)
    })
}

/// Moves the existing interface `from_index` of the initial namespace to its place, with a new number.
pub(crate) fn move_link(from_index: u32, to: &Identity) -> Request {
    change_link(from_index)
        .u32(libc::IFLA_NET_NS_FD, to.namespace.as_raw_fd().cast_unsigned())
        .u32(IFLA_NEW_IFINDEX, to.index)
}

/// Gives a moved interface its name and sizes. Its hardware address stays.
pub(crate) fn rename_link(to: &Identity) -> Request {
    change_link(to.index)
        .text(libc::IFLA_IFNAME, to.name)
        .u32(libc::IFLA_MTU, to.mtu)
        .u32(IFLA_GSO_MAX_SEGS, to.gso_max_segments)
}

/// Makes an interface a port of a bridge.
pub(crate) fn join_bridge(index: u32, bridge_index: u32) -> Request {
    change_link(index).u32(libc::IFLA_MASTER, bridge_index)
}

/// Switches an interface on.
pub(crate) fn bring_up(index: u32) -> Request {
    let up = libc::IFF_UP.cast_unsigned();
    Request::new(libc::RTM_NEWLINK, 0, &info(index, up, up))
}

/// Switches an interface off.
pub(crate) fn take_down(index: u32) -> Request {
    Request::new(libc::RTM_NEWLINK, 0, &info(index, 0, libc::IFF_UP.cast_unsigned()))
}
