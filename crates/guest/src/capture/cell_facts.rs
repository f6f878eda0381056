//! Settings of cells and NICs that appear in the headers of their frames.

use airtcp_plan::{AirPlan, CellKind, MacAddress, NicRole, Slot};

/// One cell.
#[derive(Clone, Debug)]
pub(super) struct CellFacts {
    pub(super) name: String,
    pub(super) kind: CellKind,
    /// Four access categories, and so `QoS` data frames.
    pub(super) qos: bool,
    /// The access point's address; none in a mesh.
    pub(super) bssid: Option<MacAddress>,
    pub(super) primary_mhz: u32,
    /// In units of 500 kb/s.
    pub(super) basic_rates: Vec<u8>,
    pub(super) short_preamble: bool,
    pub(super) short_slot: bool,
    /// In units of 1024 us; 0 without beacons.
    pub(super) beacon_interval: u16,
    /// Addresses of the cell's members, in order.
    members: Vec<MacAddress>,
}

impl CellFacts {
    /// Whether an address is that of a member of the cell.
    pub(super) fn has(&self, address: MacAddress) -> bool {
        self.members.binary_search(&address).is_ok()
    }
}

/// The cells and NICs of a plan.
#[derive(Clone, Debug)]
pub(super) struct AirFacts {
    cells: Vec<CellFacts>,
    /// Address and cell of each NIC.
    nics: Vec<(MacAddress, usize)>,
}

impl AirFacts {
    pub(super) fn new(plan: &AirPlan) -> Self {
        let nics = plan.nics.iter().map(|nic| (nic.mac, nic.cell as usize)).collect();
        Self { cells: (0..plan.cells.len()).map(|number| cell(plan, number)).collect(), nics }
    }

    pub(super) fn mac(&self, nic: airtcp_air::NicId) -> MacAddress {
        self.nics[nic.index()].0
    }

    pub(super) fn cell_of(&self, nic: airtcp_air::NicId) -> &CellFacts {
        &self.cells[self.nics[nic.index()].1]
    }
}

fn cell(plan: &AirPlan, number: usize) -> CellFacts {
    let cell = &plan.cells[number];
    let nics = || plan.nics.iter().filter(|nic| nic.cell as usize == number);
    let mut members: Vec<_> = nics().map(|nic| nic.mac).collect();
    members.sort_unstable();
    CellFacts {
        name: cell.name.clone(),
        kind: cell.kind,
        qos: cell.access.len() == 4,
        bssid: nics().find(|nic| nic.role == NicRole::AccessPoint).map(|nic| nic.mac),
        primary_mhz: cell.channel.primary_mhz,
        basic_rates: cell.basic_rates_bps.iter().map(|rate| (rate.as_bps() / 500_000) as u8).collect(),
        short_preamble: cell.short_preamble,
        short_slot: cell.slot == Slot::Short,
        beacon_interval: cell.beacon.map_or(0, |beacon| (beacon.interval_us / 1024) as u16),
        members,
    }
}
