//! Options of netlink sockets (Linux `include/uapi/linux/netlink.h`).

use std::os::fd::OwnedFd;

use rustix::io::Result;

use super::option::set_option;

const SOL_NETLINK: libc::c_int = 270;
const NETLINK_ADD_MEMBERSHIP: libc::c_int = 1;

/// Events of this group come to the socket from now on.
pub(crate) fn join_group(socket: &OwnedFd, group: u32) -> Result<()> {
    set_option(socket, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group)
}
