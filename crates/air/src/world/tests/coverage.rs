//! Coverage against what a world of the same plan has.

use airtcp_plan::coverage::CoverageRequest;
use airtcp_plan::{AirPlan, CodeChoice, Fading, FloorPlan, NicRole, Propagation, Reception, Shadowing, Wall};
use airtcp_testing::plans::mac;
use airtcp_units::{Dbm, Decibel, Metre};

use super::hosts::{AP, Hosts, STA1, us};
use super::plans::{no_backoff, tune};
use crate::world::coverage;
use crate::{NicId, PpduKind};

/// Places of the access point, of two stations behind none and one wall, and of the access point of another cell.
const PLACES: [[f64; 3]; 4] = [[0.0, 0.0, 2.5], [14.0, 0.0, 1.0], [0.0, 31.0, 1.0], [40.0, 0.0, 2.5]];

fn building() -> AirPlan {
    let mut plan = no_backoff(3, 7);
    plan.cells.push(plan.cells[0].clone());
    plan.cells[1].name = "far".to_owned();
    tune(&mut plan.cells[1], 5500);
    (plan.nics[3].cell, plan.nics[3].role) = (1, NicRole::AccessPoint);
    plan.nics[3].tx_power_dbm = Dbm::new(14.0);
    for (nic, place) in plan.nics.iter_mut().zip(PLACES) {
        nic.position_m = place.map(Metre::new);
        nic.rate_control = airtcp_plan::RateControlPlan::Ideal { error_rate: 0.01 };
    }
    let wall = Wall {
        from_m: [-50.0, 3.0].map(Metre::new),
        to_m: [50.0, 3.0].map(Metre::new),
        height_m: [0.0, 3.0].map(Metre::new),
        loss_db: Decibel::new(11.0),
    };
    plan.channel.propagation = Propagation::MultiWall {
        exponent: 3.0,
        reference_loss_db: None,
        floor_plan: FloorPlan { walls: vec![wall] },
    };
    plan.channel.reception = Reception::Table { code: CodeChoice::Bcc };
    plan
}

fn request(places: &[[f64; 3]]) -> CoverageRequest {
    CoverageRequest { error_rate: 0.01, places_m: places.iter().map(|place| place.map(Metre::new)).collect() }
}

/// Signals of both access points, exactly as a run has them; the rate that `ideal` chooses in it for data to the station.
#[test]
fn at_the_place_of_a_station_it_is_what_a_run_has() {
    let plan = building();
    let found = coverage(&plan, &request(&PLACES)).expect("it can be modelled");
    let [near, far] = &found.access_points[..] else { panic!("two access points") };
    assert_eq!((near.node.as_str(), near.cell.as_str(), far.cell.as_str()), ("ap", "cell", "far"));
    let mut h = Hosts::new(plan.clone(), 1);
    for station in [1, 2] {
        for (access_point, of) in [(0, near), (3, far)] {
            let power = h.world.mean_power(NicId(access_point), NicId(station));
            assert_eq!(of.signal_dbm[station as usize].get().to_bits(), power.get().to_bits());
        }
    }
    h.send_at(100, AP, mac(1));
    h.send_at(100, AP, mac(2));
    h.advance_to(us(20_000));
    let data = |to| {
        let found =
            h.journal().iter().find(|p| p.kind == PpduKind::Data && p.first().receiver.nic() == Some(to));
        found.expect("its data").first().tx.bit_rate()
    };
    let rate = |station: usize| near.modes[near.mode[station] as usize].rate_bps;
    assert_eq!([rate(1), rate(2)], [data(STA1), data(NicId(2))]);
    assert_ne!(rate(1), rate(2), "the wall costs a mode");
}

/// By hand: 16 dBm - 46.7344 dB - 30 log10(14.0801) at 5180 MHz; 14 dBm - 47.2552 dB - 30 log10(26.0432) at 5500 MHz.
#[test]
fn signals_by_hand() {
    let found = coverage(&building(), &request(&PLACES[1..2])).expect("it can be modelled");
    let signals: Vec<f64> = found.access_points.iter().map(|of| of.signal_dbm[0].get()).collect();
    let by_hand = [16.0 - 46.734_4 - 34.458_3, 14.0 - 47.255_2 - 42.470_3];
    assert!(signals.iter().zip(by_hand).all(|(a, b)| (a - b).abs() < 1e-3), "{signals:?}");
}

/// What differs by chance from link to link is left out: a map of it would be of one station's luck.
#[test]
fn chance_is_left_out() {
    let without = coverage(&building(), &request(&PLACES)).expect("it can be modelled");
    let mut plan = building();
    plan.channel.shadowing =
        Some(Shadowing { sigma_db: Decibel::new(6.0), decorrelation_m: Metre::new(5.0) });
    plan.channel.fading = Fading::Rayleigh { coherence_ns: 1_000_000 };
    assert_eq!(coverage(&plan, &request(&PLACES)).expect("it can be modelled"), without);
    let shadowed = Hosts::new(plan, 1).world.mean_power(AP, STA1);
    assert_ne!(shadowed, without.access_points[0].signal_dbm[1]);
}

#[test]
fn places_must_mean_something() {
    let error = coverage(&no_backoff(1, 7), &request(&PLACES)).expect_err("powers are given");
    assert_eq!(error.key, "air.channel.propagation");
    let wrong = CoverageRequest { error_rate: 1.0, ..request(&PLACES) };
    assert!(coverage(&building(), &wrong).is_err());
}
