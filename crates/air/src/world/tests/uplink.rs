//! Uplinks that the access point triggers, by hand: 11ax at 20 MHz, HE-MCS 7 with one stream.

use airtcp_plan::{AirPlan, MultiUserAcknowledgement, MultiUserPlan, MultiUserScheduler, Standard, UplinkPlan};

use super::hosts::{BEYOND, Hosts, STA1, STA2, us};
use super::plans::{aggregating, he};

const UPLINK: UplinkPlan =
    UplinkPlan { bsrp: false, interval_us: 100, report_lifetime_us: 20_000, target_rssi_dbm: None };

fn triggering(stations: u32, uplink: UplinkPlan) -> AirPlan {
    let mut plan = aggregating(stations, 7);
    plan.cells[0].standard = Standard::He;
    plan.cells[0].multi_user = Some(MultiUserPlan {
        scheduler: MultiUserScheduler::RoundRobin,
        stations: 4,
        acknowledgement: MultiUserAcknowledgement::Sequential,
        uplink: Some(uplink),
    });
    plan.nics.iter_mut().for_each(|nic| nic.rate_control = he(7));
    plan
}

#[test]
fn one_frame_of_each_of_two() {
    let mut h = Hosts::new(triggering(2, UPLINK), 1);
    h.send_as(150, STA1, BEYOND, (400, 0));
    h.send_as(150, STA2, BEYOND, (400, 0));
    h.advance_to(us(800));
    h.expect_ppdus("");
}
