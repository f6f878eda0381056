//! Small plans.

use airtcp_plan::{AirPlan, MacAddress, Standard};
use airtcp_testing::plans::{AMPDU, ARF, cell, make_chain};

/// An address that no NIC has.
pub(super) const BEYOND: MacAddress = MacAddress([2, 0, 0, 0, 2, 1]);

/// An 802.11a cell of one access point and some stations at 54 Mbit/s, with DCF and a queue of 100 frames.
pub(super) fn legacy(stations: u32) -> AirPlan {
    let mut plan = cell(stations);
    plan.cells[0].long_retry_limit = 4;
    plan
}

/// The same of 802.11n at 5 GHz, with EDCA and A-MPDUs.
pub(super) fn high_throughput(stations: u32) -> AirPlan {
    let mut plan = legacy(stations);
    let cell = &mut plan.cells[0];
    (cell.standard, cell.access) = (Standard::Ht, vec![cell.access[0]; 4]);
    for nic in &mut plan.nics {
        (nic.aggregation, nic.rate_control) = (Some(AMPDU), ARF);
    }
    plan
}

/// A chain of mesh stations with 802.11a.
pub(super) fn chain(stations: u32) -> AirPlan {
    let mut plan = legacy(stations - 1);
    make_chain(&mut plan);
    plan
}
