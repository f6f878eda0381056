//! Plans for the tests of the channel.

use airtcp_plan::{AirNic, AirPlan, Cell, MacAddress, NicRole, Propagation, Waypoint};
use airtcp_testing::plans::one_station;
use airtcp_units::{Dbm, Instant, Metre};

/// Traffic begins this long after the guest's clock.
pub(super) const EPOCH: Instant = Instant::from_nanos(3_000_000_000);

/// The instant this many seconds after the epoch.
pub(super) fn at(time_s: f64) -> Instant {
    Instant::from_nanos(EPOCH.as_nanos() + nanos(time_s))
}

pub(super) fn nanos(time_s: f64) -> u64 {
    (time_s * 1e9).round() as u64
}

pub(super) fn metres(place: [f64; 3]) -> [Metre; 3] {
    place.map(Metre::new)
}

/// A waypoint at this many seconds.
pub(super) fn waypoint(time_s: f64, place: [f64; 3]) -> Waypoint {
    Waypoint { time_ns: nanos(time_s), position_m: metres(place) }
}

/// Free space at 5.18 GHz between NICs that send 20 dBm from these places, without fading and loss.
pub(super) fn plan(places: &[[f64; 3]]) -> AirPlan {
    let mut plan = one_station();
    let template = plan.nics.remove(0);
    let nic = |(number, &place): (u32, _)| AirNic {
        mac: MacAddress([2, 0, 0, 0, (number >> 8) as u8, number as u8]),
        role: NicRole::Station,
        tx_power_dbm: Dbm::new(20.0),
        position_m: metres(place),
        ..template.clone()
    };
    plan.nics = (1..).zip(places).map(nic).collect();
    plan.channel.propagation = Propagation::FreeSpace;
    plan
}

/// A cell on a channel of 20 MHz.
pub(super) fn cell(frequency_mhz: u32) -> Cell {
    let mut cell = one_station().cells.remove(0);
    (cell.channel.primary_mhz, cell.channel.centre_mhz) = (frequency_mhz, frequency_mhz);
    cell
}
