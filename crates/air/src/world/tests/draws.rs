//! Random streams belong to stations: who joins does not move the draws of others.

use airtcp_plan::{AirPlan, CodeChoice, NicRole, Propagation, Reception};
use airtcp_testing::plans::{cell, mac};
use airtcp_units::Dbm;

use super::hosts::{BEYOND, Hosts, us};
use super::plans::tune;
use crate::NicId;

/// Two stations, a noisy link at 54 Mbit/s.
fn base() -> AirPlan {
    let mut plan = cell(2);
    plan.channel.propagation = Propagation::Rssi { links: vec![], default_dbm: Dbm::new(-93.99 + 17.0) };
    plan.channel.reception = Reception::Table { code: CodeChoice::Bcc };
    plan
}

/// The timeline of both stations' frames up to 50 ms.
fn timeline(plan: AirPlan, seed: u64) -> Vec<String> {
    let who = ["sta1", "sta2"].map(|name| {
        let place = plan.nics.iter().position(|n| n.node == name).expect("it is in the plan");
        NicId(place as u32)
    });
    let mut h = Hosts::new(plan, seed);
    for id in who {
        h.saturate(id, BEYOND, 1514);
    }
    h.advance_to(us(50_000));
    h.timeline()
}

#[test]
fn a_silent_station_changes_nothing_wherever_it_stands_in_the_plan() {
    let expected = timeline(base(), 1);
    for outcome in ["collision", "corrupted"] {
        assert!(expected.iter().any(|line| line.ends_with(outcome)), "the scene has no {outcome}");
    }
    for place in 0..=3 {
        let mut plan = base();
        let mut silent = plan.nics[1].clone();
        (silent.node, silent.mac) = ("silent".to_owned(), mac(9));
        plan.nics.insert(place, silent);
        assert_eq!(timeline(plan, 1), expected, "inserted at {place}");
    }
}

#[test]
fn a_cell_on_another_frequency_changes_nothing() {
    let scene = |other_sends: bool| {
        let mut plan = base();
        let mut cell = plan.cells[0].clone();
        cell.name = "other".to_owned();
        // Beyond what leaks into the next channels.
        tune(&mut cell, 5260);
        plan.cells.push(cell);
        for (role, number) in [(NicRole::AccessPoint, 20), (NicRole::Station, 21)] {
            let mut nic = plan.nics[1].clone();
            (nic.node, nic.mac, nic.role, nic.cell) = (format!("other{number}"), mac(number), role, 1);
            plan.nics.push(nic);
        }
        let mut h = Hosts::new(plan, 1);
        for id in [1, 2, 4] {
            if other_sends || id < 4 {
                h.saturate(NicId(id), BEYOND, 1514);
            }
        }
        h.advance_to(us(50_000));
        h.timeline().into_iter().partition::<Vec<_>, _>(|line| !line.contains("other"))
    };
    let [(alone, silence), (beside, other)] = [scene(false), scene(true)];
    assert_eq!(alone, beside);
    assert!(!other.is_empty() && silence.is_empty());
    assert_eq!(alone, timeline(base(), 1));
}

#[test]
fn another_seed_is_another_history() {
    assert_ne!(timeline(base(), 1), timeline(base(), 2));
}
