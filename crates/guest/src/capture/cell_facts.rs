//! Settings of cells and NICs that appear in the headers of their frames.

use airtcp_plan::{AirNic, AirPlan, CellKind, MacAddress, NicRole, RadioChannel, Slot};
use airtcp_units::Dbm;

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
    /// Number of its primary 20 MHz channel, from the lowest of the whole channel on.
    pub(super) primary_subchannel: u32,
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
    /// Transmit power of each.
    powers: Vec<Dbm>,
    /// Number of each in its cell: stations count from 1 in the order of the plan, as they associate.
    aids: Vec<u16>,
}

impl AirFacts {
    pub(super) fn new(plan: &AirPlan) -> Self {
        let nics = plan.nics.iter().map(|nic| (nic.mac, nic.cell as usize)).collect();
        let mut stations = vec![0; plan.cells.len()];
        let aid = |nic: &AirNic| {
            if nic.role != NicRole::Station {
                return 0;
            }
            let own = &mut stations[nic.cell as usize];
            *own += 1;
            *own
        };
        Self {
            aids: plan.nics.iter().map(aid).collect(),
            powers: plan.nics.iter().map(|nic| nic.tx_power_dbm).collect(),
            cells: (0..plan.cells.len()).map(|number| cell(plan, number)).collect(),
            nics,
        }
    }

    pub(super) fn power(&self, nic: airtcp_air::NicId) -> Dbm {
        self.powers[nic.index()]
    }

    /// The number of each NIC in its cell.
    pub(super) fn aids(&self) -> &[u16] {
        &self.aids
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
        primary_subchannel: {
            let RadioChannel { primary_mhz, centre_mhz, width_mhz } = cell.channel;
            (primary_mhz + width_mhz / 2).saturating_sub(centre_mhz) / 20
        },
        basic_rates: cell.basic_rates_bps.iter().map(|rate| (rate.as_bps() / 500_000) as u8).collect(),
        short_preamble: cell.short_preamble,
        short_slot: cell.slot == Slot::Short,
        beacon_interval: cell.beacon.map_or(0, |beacon| (beacon.interval_us / 1024) as u16),
        members,
    }
}
