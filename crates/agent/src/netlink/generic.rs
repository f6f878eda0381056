//! Generic netlink: families of commands with numbers of their own (Linux `include/uapi/linux/genetlink.h`).

use rustix::io;

use super::message::{attributes, find, text, u16_at, u32_at};
use super::{Netlink, Request};

/// `GENL_ID_CTRL`: the family that lists the others.
const CONTROLLER: u16 = 16;
const CTRL_CMD_GETFAMILY: u8 = 3;
const CTRL_ATTR_FAMILY_ID: u16 = 1;
const CTRL_ATTR_FAMILY_NAME: u16 = 2;
const CTRL_ATTR_MCAST_GROUPS: u16 = 7;
const CTRL_ATTR_MCAST_GRP_NAME: u16 = 1;
const CTRL_ATTR_MCAST_GRP_ID: u16 = 2;

/// Bytes of `struct genlmsghdr`.
pub(crate) const HEADER_BYTES: usize = 4;

/// `struct genlmsghdr`: command and version.
pub(crate) const fn header(command: u8) -> [u8; HEADER_BYTES] {
    [command, 1, 0, 0]
}

/// A family of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Family {
    /// Type of its messages.
    pub(crate) id: u16,
    /// Multicast groups of the family, by name.
    groups: Vec<(String, u32)>,
}

impl Family {
    /// The family of this name; `None`: the kernel has none.
    pub(crate) fn of_name(netlink: &mut Netlink, name: &str) -> io::Result<Option<Self>> {
        let mut found = None;
        netlink.dump(CONTROLLER, &header(CTRL_CMD_GETFAMILY), |body| {
            let family = body.get(HEADER_BYTES..).unwrap_or_default();
            if find(family, CTRL_ATTR_FAMILY_NAME).map(text).as_deref() == Some(name) {
                found = Self::read(family);
            }
        })?;
        Ok(found)
    }

    fn read(family: &[u8]) -> Option<Self> {
        let id = u16_at(find(family, CTRL_ATTR_FAMILY_ID)?, 0);
        let groups = find(family, CTRL_ATTR_MCAST_GROUPS).unwrap_or_default();
        let groups = attributes(groups).filter_map(|(_, group)| {
            let number = u32_at(find(group, CTRL_ATTR_MCAST_GRP_ID)?, 0);
            Some((text(find(group, CTRL_ATTR_MCAST_GRP_NAME)?), number))
        });
        Some(Self { id, groups: groups.collect() })
    }

    /// The number of a group of events.
    pub(crate) fn group(&self, name: &str) -> Option<u32> {
        self.groups.iter().find(|(own, _)| own == name).map(|&(_, number)| number)
    }

    /// A command of the family.
    pub(crate) fn request(&self, command: u8) -> Request {
        Request::new(self.id, 0, &header(command))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlink::message::replies;

    #[test]
    fn a_family_is_read_with_its_groups() {
        let bytes = Request::new(CONTROLLER, 0, &header(1))
            .attribute(CTRL_ATTR_FAMILY_ID, &0x1bu16.to_ne_bytes())
            .text(CTRL_ATTR_FAMILY_NAME, "nl80211")
            .nest(CTRL_ATTR_MCAST_GROUPS, &[], |r| {
                r.nest(1, &[], |r| r.u32(CTRL_ATTR_MCAST_GRP_ID, 7).text(CTRL_ATTR_MCAST_GRP_NAME, "mlme"))
            })
            .finish(1, 0);
        let family = Family::read(&replies(&bytes).next().unwrap().body[HEADER_BYTES..]).unwrap();
        assert_eq!((family.id, family.group("mlme"), family.group("scan")), (0x1b, Some(7), None));
    }

    #[test]
    fn this_kernel_has_the_controller() {
        let mut netlink = Netlink::open_generic().unwrap();
        assert_eq!(Family::of_name(&mut netlink, "nlctrl").unwrap().unwrap().id, CONTROLLER);
        assert_eq!(Family::of_name(&mut netlink, "no such family").unwrap(), None);
    }
}
