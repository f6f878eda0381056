//! Plans that are refused, and how.

use airtcp_plan::{Aggregation, AirPlan, MacAddress, NicRole, Propagation, QueuePlan, RssiLink, Standard};
use airtcp_testing::plans::{AMPDU, cell};
use airtcp_units::{BitRate, Dbm, Decibel, Metre};

use super::hosts::OPTIONS;
use super::plans::{allow_attempts, fixed, tune};
use crate::SetupError;
use crate::world::World;

fn refuse(edit: impl FnOnce(&mut AirPlan)) -> SetupError {
    let mut plan = cell(2);
    edit(&mut plan);
    World::new(&plan, 1, OPTIONS).expect_err("the plan is refused")
}

#[track_caller]
fn refused_at(key: &str, edit: impl FnOnce(&mut AirPlan)) {
    let error = refuse(edit);
    assert_eq!(error.key, key, "{error}");
    assert!(!error.reason.is_empty() && !error.remedy.is_empty());
}

#[test]
fn rates_outside_the_standard() {
    refused_at("air.nics[1].rate_control", |p| p.nics[1].rate_control = fixed(11));
    refused_at("air.cells[0].basic_rates_bps[1]", |p| p.cells[0].basic_rates_bps[1] = BitRate::from_mbps(1));
    refused_at("air.cells[0].basic_rates_bps", |p| p.cells[0].basic_rates_bps.clear());
    refused_at("air.cells[0].group_rate_bps", |p| p.cells[0].group_rate_bps = BitRate::from_mbps(2));
    refused_at("air.cells[0].group_rate_bps", |p| p.cells[0].group_rate_bps = BitRate::from_mbps(54));
}

#[test]
fn frequencies_outside_the_band() {
    refused_at("air.cells[0].channel.primary_mhz", |p| tune(&mut p.cells[0], 2412));
    refused_at("air.cells[0].channel.primary_mhz", |p| p.cells[0].standard = Standard::Erp);
    refused_at("air.cells[0].channel.primary_mhz", |p| tune(&mut p.cells[0], 3000));
    refused_at("air.cells[0].channel", |p| tune(&mut p.cells[0], 5181));
    refused_at("air.cells[0].channel", |p| p.cells[0].channel.width_mhz = 40);
    refused_at("air.cells[0].channel", |p| {
        p.cells[0].standard = Standard::Erp;
        tune(&mut p.cells[0], 2484);
    });
}

/// The next channel, one that overlaps in part, and one inside a wider one; but no channel that the standard has not.
#[test]
fn channels_of_neighbours_may_overlap() {
    let two_cells = |plan: &mut AirPlan, mhz: u32| {
        let mut cell = plan.cells[0].clone();
        tune(&mut cell, mhz);
        plan.cells.push(cell);
        plan.nics[2].role = NicRole::AccessPoint;
        plan.nics[2].cell = 1;
    };
    refused_at("air.cells[1].channel", |p| two_cells(p, 5190));
    for (own, other) in [(5180, 5180), (5180, 5200), (2412, 2422)] {
        let mut plan = cell(2);
        if own < 3000 {
            plan.cells[0].standard = Standard::Erp;
        }
        tune(&mut plan.cells[0], own);
        two_cells(&mut plan, other);
        World::new(&plan, 1, OPTIONS).expect("channels of the standard");
    }
}

#[test]
fn contention_that_is_none() {
    refused_at("air.cells[0].access[0].cw_min", |p| p.cells[0].access[0].cw_min = 16);
    refused_at("air.cells[0].access[0].cw_max", |p| p.cells[0].access[0].cw_max = u32::MAX);
    refused_at("air.cells[0].access[0].cw_min", |p| p.cells[0].access[0].cw_max = 7);
    refused_at("air.cells[0].short_retry_limit", |p| allow_attempts(&mut p.cells[0], 0));
    refused_at("air.cells[0].station_retry_limit", |p| p.cells[0].station_retry_limit = 0);
    refused_at("air.cells[0].rts_retry_limit", |p| p.cells[0].rts_retry_limit = Some(0));
}

#[test]
fn cells_and_nics_that_do_not_fit() {
    refused_at("air.cells[0]", |p| p.nics[0].role = NicRole::Station);
    refused_at("air.cells[0]", |p| p.nics[1].role = NicRole::AccessPoint);
    refused_at("air.nics[2].cell", |p| p.nics[2].cell = 7);
    refused_at("air.nics[2].mac", |p| p.nics[2].mac = p.nics[1].mac);
    refused_at("air.nics[2].mac", |p| p.nics[2].mac = MacAddress::BROADCAST);
    refused_at("air.nics[1].queue.packets", |p| p.nics[1].queue = QueuePlan::Fifo { packets: 0 });
    refused_at("air.nics[1].position_m", |p| p.nics[1].position_m[0] = Metre::new(f64::NAN));
}

#[test]
fn channels_that_make_no_sense() {
    let link = |a, b| RssiLink { a, b, rssi_dbm: Dbm::new(-50.0) };
    let given = |links| Propagation::Rssi { links, default_dbm: Dbm::new(-50.0) };
    refused_at("air.channel.propagation.links[0]", |p| p.channel.propagation = given(vec![link(0, 9)]));
    refused_at("air.channel.propagation.links[0]", |p| p.channel.propagation = given(vec![link(1, 1)]));
    refused_at("air.channel.propagation.links[1]", |p| {
        p.channel.propagation = given(vec![link(0, 1), link(1, 0)]);
    });
    refused_at("air.channel.propagation.reference_distance_m", |p| {
        p.channel.propagation = Propagation::LogDistance {
            exponent: 3.0,
            reference_loss_db: Some(Decibel::new(40.0)),
            reference_distance_m: Metre::new(0.0),
        };
    });
    refused_at("air.channel.noise_figure_db", |p| p.channel.noise_figure_db = Decibel::new(f64::INFINITY));
}

/// A message names the thing, the place and the remedy.
#[test]
fn what_no_receiver_can_ask_for() {
    let padding = |standard, us| {
        move |plan: &mut AirPlan| {
            plan.cells[0].standard = standard;
            plan.nics[0].nominal_packet_padding_us = us;
        }
    };
    refused_at("air.nics[0].nominal_packet_padding_us", padding(Standard::Vht, 8));
    refused_at("air.nics[0].nominal_packet_padding_us", padding(Standard::He, 20));
    refused_at("air.nics[0].nominal_packet_padding_us", padding(Standard::Eht, 12));
    refused_at("air.nics[0].aggregation.start_spacing_ns", |plan| {
        plan.nics[0].aggregation = Some(Aggregation { start_spacing_ns: 3_000, ..AMPDU });
    });
}

#[test]
fn a_message_has_names_and_values() {
    let error = refuse(|p| p.cells[0].access[0].cw_min = 16);
    let text = "air.cells[0].access[0].cw_min: 16 is not one less than a power of two up to 32768; use a value \
                such as 15 or 1023";
    assert_eq!(error.to_string(), text);
}
