//! Plans that have no upper half.

use airtcp_plan::{AirPlan, MeshRoute, Mode, RateControlPlan};
use airtcp_testing::plans::AMPDU;
use airtcp_units::BitRate;

use super::lower::upper;
use super::plans::{chain, high_throughput, legacy};

fn refused(mut plan: AirPlan, change: impl FnOnce(&mut AirPlan)) -> String {
    change(&mut plan);
    match upper(&plan) {
        Ok(_) => panic!("the plan can't be modelled"),
        Err(error) => error.key,
    }
}

#[test]
fn the_key_at_fault_is_named() {
    assert_eq!(refused(legacy(1), |p| p.nics[1].aggregation = Some(AMPDU)), "air.nics[1].aggregation");
    assert_eq!(refused(high_throughput(1), |p| p.cells[0].access.truncate(1)), "air.nics[0].aggregation");
    let no_window = |p: &mut AirPlan| p.nics[0].aggregation.as_mut().expect("it has").block_ack_window = 0;
    assert_eq!(refused(high_throughput(1), no_window), "air.nics[0].aggregation");
    let rate = |mbps| RateControlPlan::Fixed { mode: Mode::Legacy { rate_bps: BitRate::from_mbps(mbps) } };
    assert_eq!(refused(legacy(1), |p| p.nics[1].rate_control = rate(11)), "air.nics[1].rate_control");
    assert_eq!(refused(legacy(1), |p| p.nics[0].guard_ns = 400), "air.nics[0]");
    assert_eq!(refused(legacy(1), |p| p.nics[1].guard_ns = 500), "air.nics[1].guard_ns");
    let width = |p: &mut AirPlan| p.cells[0].channel.width_mhz = 30;
    assert_eq!(refused(legacy(1), width), "air.cells[0].channel.width_mhz");
    let group = |p: &mut AirPlan| p.cells[0].group_rate_bps = BitRate::from_mbps(7);
    assert_eq!(refused(legacy(1), group), "air.cells[0].group_rate_bps");
    let basic = |p: &mut AirPlan| p.cells[0].basic_rates_bps.push(BitRate::from_mbps(65));
    assert_eq!(refused(legacy(1), basic), "air.cells[0].basic_rates_bps");
}

#[test]
fn mesh_routes_lead_somewhere() {
    let route = |to, via| move |p: &mut AirPlan| p.nics[0].mesh_routes = vec![MeshRoute { to, via }];
    assert_eq!(refused(chain(3), route(9, 1)), "air.nics[0].mesh_routes[0]");
    assert_eq!(refused(chain(3), route(2, 0)), "air.nics[0].mesh_routes[0]");
    let circle = |p: &mut AirPlan| {
        p.nics[1].mesh_routes = vec![MeshRoute { to: 2, via: 0 }];
    };
    assert_eq!(refused(chain(3), circle), "air.nics[0].mesh_routes");
}
