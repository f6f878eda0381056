//! Radios of the kernel's mac80211: interfaces, networks and associations, by nl80211.
//!
//! ```text
//!   initial namespace: wiphy airN of NIC N -> interface airN of its type
//!   node:              wiphy and interface move in -> name, address, up (as all interfaces)
//!   direct:            the agent starts access points, answers their stations, connects stations
//!   daemons:           hostapd and wpa_supplicant of the host, in their nodes
//! ```
//! An interface keeps the number that it has in the initial namespace, so numbers stay unique in the guest.

mod access_point;
mod associations;
mod capability;
mod channel_number;
pub(crate) mod control;
mod daemon_config;
mod daemons;
mod element;
mod frame;
mod join;
mod radio;
#[cfg(test)]
mod sample;
mod station;
mod tuning;

use std::collections::BTreeMap;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use airtcp_plan::{LinuxBss, LinuxSetup, NicRole, Plan};

use self::access_point::AccessPoint;
use self::associations::Associations;
use self::capability::Wiphy;
use self::daemons::Daemons;
pub(crate) use self::radio::Placed;
use self::radio::{Radio, RadioFacts, interface_type};
use self::station::Station;
use crate::ending;
use crate::failure::{KERNEL_REMEDY, Outcome, because, failure};
use crate::netlink::generic::Family;
use crate::netlink::nl80211::{self, attribute, command};
use crate::netlink::{Batch, Netlink, refused};
use crate::process;
use crate::sys::namespace::enter_network;

/// What sets up the network of a NIC; `None`: it is no radio of mac80211.
fn setup_of(plan: &Plan, nic: u32) -> Option<LinuxSetup> {
    let cell = &plan.air.cells[plan.air.nics[nic as usize].cell as usize];
    cell.linux.as_ref().map(|linux| linux.setup)
}

/// Whether a NIC is a radio of mac80211.
pub(crate) fn is_radio(plan: &Plan, nic: u32) -> bool {
    setup_of(plan, nic).is_some()
}

/// Whether programs set up the network of a NIC: until then its interface does not work.
pub(crate) fn is_left_to_programs(plan: &Plan, nic: u32) -> bool {
    setup_of(plan, nic) == Some(LinuxSetup::Programs)
}

/// The radios of a plan, in the initial namespace.
#[derive(Debug)]
pub(crate) struct Radios {
    family: Arc<Family>,
    netlink: Netlink,
    wiphys: BTreeMap<u32, Wiphy>,
}

impl Radios {
    /// Makes the interface of every radio of mac80211; `None`: the plan has none.
    ///
    /// # Errors
    /// The kernel has no such radio, or refuses.
    pub(crate) fn create(plan: &Plan) -> Outcome<Option<Self>> {
        let wanted: Vec<u32> = (0..plan.air.nics.len() as u32).filter(|&nic| is_radio(plan, nic)).collect();
        let Some(first) = wanted.first() else { return Ok(None) };
        let place = format!("air.nics[{first}]");
        let failed = "mac80211 can't be reached";
        let mut netlink = Netlink::open_generic().map_err(because(failed, &place, KERNEL_REMEDY))?;
        let family = Family::of_name(&mut netlink, nl80211::NAME);
        let family = family.map_err(because(failed, &place, KERNEL_REMEDY))?;
        let family = family.ok_or_else(|| failure("this kernel has no mac80211", &place, KERNEL_REMEDY))?;
        let present = Wiphy::all(&mut netlink, &family).map_err(because(failed, &place, KERNEL_REMEDY))?;
        let mut own = Self { family: Arc::new(family), netlink, wiphys: BTreeMap::new() };
        for nic in wanted {
            let name = format!("air{nic}");
            let Some(wiphy) = present.iter().find(|wiphy| wiphy.name == name) else {
                let what = format!("the kernel has no radio {name}");
                let remedy = "start the guest with the library of the air";
                return Err(failure(what, format!("air.nics[{nic}]"), remedy));
            };
            own.wiphys.insert(nic, wiphy.clone());
        }
        own.create_interfaces(plan)?;
        Ok(Some(own))
    }

    fn create_interfaces(&mut self, plan: &Plan) -> Outcome<()> {
        let mut batch = Batch::default();
        for (&nic, wiphy) in &self.wiphys {
            let kind = interface_type(plan.air.nics[nic as usize].role);
            let request = self.family.request(command::NEW_INTERFACE);
            let request = nl80211::new_interface(request, wiphy.index, &wiphy.name, kind);
            batch.add(format!("make an interface of {}", wiphy.name), format!("air.nics[{nic}]"), request);
        }
        self.netlink.execute(batch).map_err(refused)
    }

    /// Moves radios and their interfaces to their nodes.
    ///
    /// # Errors
    /// The kernel refuses.
    pub(crate) fn move_to_nodes(&mut self, placed: &[Placed]) -> Outcome<()> {
        let mut batch = Batch::default();
        for one in placed {
            let wiphy = &self.wiphys[&one.nic];
            let request = self
                .family
                .request(command::SET_WIPHY_NETNS)
                .u32(attribute::WIPHY, wiphy.index)
                .u32(attribute::NETNS_FD, one.namespace.as_raw_fd().cast_unsigned());
            batch.add(format!("move {}", wiphy.name), format!("air.nics[{}]", one.nic), request);
        }
        self.netlink.execute(batch).map_err(refused)
    }

    /// Starts every network, and waits until every station is in its own.
    ///
    /// # Errors
    /// A station is not at the epoch, or a step is refused.
    pub(crate) fn start(self, plan: &Plan, placed: &[Placed]) -> Outcome<()> {
        control::prepare()?;
        let mut direct = Associations::default();
        let (mut others, mut stations) = (Vec::new(), Vec::new());
        let mut daemons = Daemons::default();
        for one in placed {
            if is_left_to_programs(plan, one.nic) {
                continue;
            }
            enter_network(one.namespace)?;
            let mut radio = Radio::open(self.facts(plan, one), &self.family)?;
            join::tune(&mut radio)?;
            let by_daemons = radio.facts.linux().setup == LinuxSetup::Daemons;
            match radio.facts.nic.role {
                NicRole::AccessPoint | NicRole::Station if by_daemons => {
                    daemons.add(plan, &radio.facts, one)?;
                }
                NicRole::AccessPoint => direct.access_points.push(AccessPoint::start(radio)?),
                NicRole::Station => stations.push(radio),
                NicRole::Mesh | NicRole::Ibss | NicRole::Monitor => {
                    join::join(&mut radio)?;
                    others.push(radio);
                }
            }
        }
        direct.stations = stations.into_iter().map(|radio| directly(plan, radio)).collect();
        direct.begin(plan.epoch_ns)?;
        join::wait_for_neighbours(&mut others, plan.epoch_ns)?;
        daemons.start(plan.epoch_ns)?;
        keep_serving(direct)
    }

    fn facts(&self, plan: &Plan, placed: &Placed) -> RadioFacts {
        let nic = plan.air.nics[placed.nic as usize].clone();
        let mut cell = plan.air.cells[nic.cell as usize].clone();
        if let Some(linux) = &mut cell.linux {
            let further = linux.bss.iter().find(|bss| bss.stations.contains(&placed.nic)).cloned();
            if let Some(LinuxBss { ssid, security, .. }) = further {
                (linux.ssid, linux.security) = (ssid, security);
            }
        }
        RadioFacts {
            index: placed.index,
            ht_protection: plan.air.ht_protection_mode(nic.cell as usize),
            place: format!("air.nics[{}]", placed.nic),
            band: self.wiphys[&placed.nic].band(nl80211::band(cell.channel.primary_mhz)),
            cell: Arc::new(cell),
            nic,
        }
    }
}

/// A station, and the access point of its cell.
fn directly(plan: &Plan, radio: Radio) -> Station {
    let cell = radio.facts.nic.cell;
    let point = plan.air.nics.iter().find(|n| n.cell == cell && n.role == NicRole::AccessPoint);
    let point = point.expect("the plan was checked: an infrastructure cell has an access point");
    Station::new(radio, point.mac, point.node.clone())
}

fn keep_serving(direct: Associations) -> Outcome<()> {
    if direct.access_points.is_empty() {
        return Ok(());
    }
    process::spawn("associations".to_owned(), || {
        if let Err(failure) = direct.go_on() {
            ending::fail(failure);
        }
    })
}
