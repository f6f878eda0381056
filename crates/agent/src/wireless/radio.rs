//! A radio of mac80211 in its node.

use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use airtcp_plan::{AirNic, Cell, HtProtectionMode, LinuxCell, MacAddress, NicRole, Standard};

use super::capability::Band;
use crate::failure::{KERNEL_REMEDY, Outcome, because};
use crate::netlink::generic::Family;
use crate::netlink::nl80211::{InterfaceType, MLME_GROUP, attribute};
use crate::netlink::{Batch, Netlink, Request, refused};

/// An interface in its node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'a> {
    /// Number of its NIC.
    pub(crate) nic: u32,
    /// Number of the interface.
    pub(crate) index: u32,
    /// Name of the interface.
    pub(crate) name: &'a str,
    /// The bridge whose port it is.
    pub(crate) bridge: Option<&'a str>,
    /// Network namespace of the node.
    pub(crate) namespace: BorrowedFd<'a>,
}

/// What an interface of this role is.
pub(super) fn interface_type(role: NicRole) -> InterfaceType {
    match role {
        NicRole::AccessPoint => InterfaceType::AccessPoint,
        NicRole::Station => InterfaceType::Station,
        NicRole::Mesh => InterfaceType::Mesh,
        NicRole::Ibss => InterfaceType::Ibss,
        NicRole::Monitor => InterfaceType::Monitor,
    }
}

/// The plan's settings for a radio, and its interface.
#[derive(Clone, Debug)]
pub(crate) struct RadioFacts {
    /// Number of the interface.
    pub(super) index: u32,
    /// The radio in the plan.
    pub(super) nic: AirNic,
    /// Cell of the radio.
    pub(super) cell: Arc<Cell>,
    /// HT Protection of the cell.
    pub(super) ht_protection: HtProtectionMode,
    /// Key of the plan.
    pub(super) place: String,
    /// Capabilities of the radio in the band of its cell.
    pub(super) band: Band,
}

impl RadioFacts {
    /// Settings of mac80211 of the radio's cell. Panics if the cell has another MAC.
    pub(super) fn linux(&self) -> &LinuxCell {
        self.cell.linux.as_ref().expect("a radio of mac80211 is in a cell of it")
    }

    /// Whether the radio's cell has HT or newer.
    pub(super) fn has_ht(&self) -> bool {
        self.cell.standard >= Standard::Ht
    }

    /// The address of its radio.
    pub(super) fn mac(&self) -> MacAddress {
        self.nic.mac
    }
}

/// A radio with its connections to the kernel, in its node's namespace.
#[derive(Debug)]
pub(crate) struct Radio {
    pub(super) facts: RadioFacts,
    family: Arc<Family>,
    commands: Netlink,
    events: Netlink,
}

impl Radio {
    /// Connects in the calling thread's namespace.
    pub(super) fn open(facts: RadioFacts, family: &Arc<Family>) -> Outcome<Self> {
        let open = || {
            let opened = Netlink::open_generic();
            opened.map_err(because("generic netlink can't be opened", &facts.place, KERNEL_REMEDY))
        };
        let (commands, events) = (open()?, open()?);
        if let Some(group) = family.group(MLME_GROUP) {
            let joined = events.join_groups(&[group]);
            joined.map_err(because(
                "events of nl80211 can't be subscribed to",
                &facts.place,
                KERNEL_REMEDY,
            ))?;
        }
        Ok(Self { facts, family: Arc::clone(family), commands, events })
    }

    /// A command about its interface.
    pub(super) fn request(&self, command: u8) -> Request {
        self.family.request(command).u32(attribute::IFINDEX, self.facts.index)
    }

    /// A command about the radio's interface.
    pub(super) fn bare_request(&self, command: u8) -> Request {
        self.family.request(command)
    }

    /// A command without the number of the radio's interface.
    pub(super) fn execute(&mut self, what: &str, request: Request) -> Outcome<()> {
        self.try_execute(what, request).map_err(refused)
    }

    /// Executes one command; an error is the kernel's refusal as it is.
    pub(super) fn try_execute(
        &mut self,
        what: &str,
        request: Request,
    ) -> Result<(), crate::netlink::Refusal> {
        let mut batch = Batch::default();
        batch.add(format!("{what} of {}", self.facts.nic.node), &self.facts.place, request);
        self.commands.execute(batch)
    }

    /// Executes one command on the connection that gets events.
    pub(super) fn execute_for_events(&mut self, what: &str, request: Request) -> Outcome<()> {
        let mut batch = Batch::default();
        batch.add(format!("{what} of {}", self.facts.nic.node), &self.facts.place, request);
        self.events.execute(batch).map_err(refused)
    }

    /// What the kernel has of this type for the interface.
    pub(super) fn dump(&mut self, command: u8, each: impl FnMut(&[u8])) -> rustix::io::Result<()> {
        let mut fixed = crate::netlink::generic::header(command).to_vec();
        fixed.extend(8u16.to_ne_bytes());
        fixed.extend(attribute::IFINDEX.to_ne_bytes());
        fixed.extend(self.facts.index.to_ne_bytes());
        self.commands.dump(self.family.id, &fixed, each)
    }

    /// The next datagram of events.
    pub(super) fn receive(&self) -> rustix::io::Result<Vec<u8>> {
        self.events.receive()
    }
}

impl AsFd for Radio {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.events.as_fd()
    }
}
