//! Receivers that miss preambles, by hand: what they decode, and what they sense, while the rest of the PPDU is on the air.
//!
//! As in the timelines: 11a, no backoff, data of 1536 octets at 54 Mbit/s takes 248 us, an Ack 28, SIFS 16, DIFS 34. The broadcasts of the
//! other access point, 1536 octets at 6 Mbit/s, take 2072 us. A frame of its cell is 30 dB weaker than those of the station's own.

use airtcp_plan::{AirPlan, MacAddress, NicRole, Propagation, RssiLink};
use airtcp_testing::plans::mac;
use airtcp_units::{Dbm, Decibel};

use super::hosts::{BEYOND, Hosts, STA1, STA2, us};
use super::plans::{Cliff, no_backoff};
use crate::NicId;

/// What the other cell's frames bring into this one.
const WEAK_DBM: f64 = -75.0;

/// A cell with stations, and an access point of another cell that everybody hears weakly. Receivers have no capture.
fn two_cells(stations: u32) -> (AirPlan, NicId) {
    let mut plan = no_backoff(stations, 7);
    let mut cell = plan.cells[0].clone();
    cell.name = "neighbour".to_owned();
    plan.cells.push(cell);
    let mut nic = plan.nics[0].clone();
    (nic.node, nic.mac, nic.role, nic.cell) = ("other".to_owned(), mac(77), NicRole::AccessPoint, 1);
    plan.nics.push(nic);
    let id = plan.nics.len() as u32 - 1;
    let weak: Vec<(u32, u32, f64)> = (0..id).map(|nic| (nic, id, WEAK_DBM)).collect();
    set_rssi(&mut plan, &weak);
    plan.channel.capture_db = None;
    (plan, NicId(id))
}

/// The powers between these NICs are these.
fn set_rssi(plan: &mut AirPlan, powers: &[(u32, u32, f64)]) {
    let Propagation::Rssi { links, .. } = &mut plan.channel.propagation else { panic!("powers are given") };
    for &(a, b, dbm) in powers {
        links.retain(|link| (link.a, link.b) != (a, b));
        links.push(RssiLink { a, b, rssi_dbm: Dbm::new(dbm) });
    }
}

/// What the own cell sends.
fn own(h: &Hosts) -> Vec<String> {
    h.timeline().into_iter().filter(|line| line.contains("sta")).collect()
}

fn broadcast(h: &mut Hosts, at_us: u64, from: NicId) {
    h.send_as(at_us, from, MacAddress::BROADCAST, (1514, 0));
}

fn with_errors(plan: AirPlan) -> Hosts {
    Hosts::with_errors(plan, 1, Box::new(Cliff))
}

/// ```text
/// 100        348  364 392                            2172
///  | sta1     |SIFS|ack |
///  | other, in the same slot                          |
/// ```
/// sta1 sent when the other PPDU began: it is not synchronised to it, and decodes the Ack.
#[test]
fn the_shorter_of_two_that_begin_together_is_acknowledged() {
    let (plan, other) = two_cells(1);
    let mut h = with_errors(plan);
    h.send_at(100, STA1, BEYOND);
    broadcast(&mut h, 100, other);
    h.advance_to(us(2_100));
    let timeline = own(&h);
    assert_eq!(timeline[0], "100 348 sta1>ap data 54 1 received");
    assert_eq!(timeline[1], "364 392 ap>sta1 ack 24 1 received");
}

/// The access point decodes what begins after the PPDU to which it is synchronised, though the other one still lasts.
/// ```text
/// 100        348  364 392      500       748
///  | sta1     |SIFS|ack |       | sta2    |SIFS|ack
///      | 110: other, which sta1 and sta2 do not hear       |
/// ```
#[test]
fn a_receiver_that_was_busy_takes_the_next_preamble() {
    let (mut plan, other) = two_cells(2);
    set_rssi(&mut plan, &[(1, other.0, -100.0), (2, other.0, -100.0)]);
    let mut h = with_errors(plan);
    h.send_at(100, STA1, BEYOND);
    broadcast(&mut h, 110, other);
    h.send_at(500, STA2, BEYOND);
    h.advance_to(us(2_000));
    assert_eq!(
        own(&h)[..4],
        [
            "100 348 sta1>ap data 54 1 received",
            "364 392 ap>sta1 ack 24 1 received",
            "500 748 sta2>ap data 54 1 received",
            "764 792 ap>sta2 ack 24 1 received",
        ]
    );
}

/// A receiver that is idle when the weaker PPDU begins is synchronised to it, and misses what follows, unless it has capture.
#[test]
fn a_receiver_that_heard_the_preamble_stays_without_capture() {
    let outcome = |capture: Option<f64>| {
        let (mut plan, other) = two_cells(1);
        set_rssi(&mut plan, &[(1, other.0, -100.0)]);
        plan.channel.capture_db = capture.map(Decibel::new);
        let mut h = with_errors(plan);
        broadcast(&mut h, 100, other);
        h.send_at(500, STA1, BEYOND);
        h.advance_to(us(900));
        own(&h)[0].clone()
    };
    assert_eq!(outcome(None), "500 748 sta1>ap data 54 1 collision");
    assert_eq!(outcome(Some(10.0)), "500 748 sta1>ap data 54 1 received");
}

/// A preamble 30 dB below what is on the air is not detected: the receiver stays free for the next one.
/// ```text
/// 100     236    300                    477          725
///  | other |      | other, under sta1's  |            |         2372
///     | 150: sta1, missed      398       | sta1 again |
/// ```
#[test]
fn a_preamble_under_a_stronger_ppdu_is_not_detected() {
    let (mut plan, other) = two_cells(1);
    set_rssi(&mut plan, &[(1, other.0, -100.0)]);
    let mut h = with_errors(plan);
    // 82 octets at 6 Mbit/s: 136 us, to which the access point is synchronised when sta1 begins.
    h.send_as(100, other, MacAddress::BROADCAST, (60, 0));
    h.send_at(150, STA1, BEYOND);
    broadcast(&mut h, 300, other);
    h.advance_to(us(2_300));
    assert_eq!(
        own(&h)[..3],
        [
            "150 398 sta1>ap data 54 1 collision",
            "477 725 sta1>ap data 54 2 received",
            "741 769 ap>sta1 ack 24 2 received",
        ]
    );
}

/// After its own PPDU sta1 senses nothing of the other one that began with it, unless that is strong, or its level is low.
/// ```text
/// 100        348  364 392  426        674              2172  2206
///  | sta1     |SIFS|ack |DIFS| sta1     |                 |DIFS| sta1 that senses it
///  | other                                                |
/// ```
#[test]
fn who_missed_the_preamble_senses_energy_only() {
    let second = |rssi: f64, midpacket: f64| {
        let (mut plan, other) = two_cells(1);
        set_rssi(&mut plan, &[(1, other.0, rssi)]);
        plan.channel.midpacket_detection_dbm = Dbm::new(midpacket);
        let mut h = with_errors(plan);
        h.send_at(100, STA1, BEYOND);
        broadcast(&mut h, 100, other);
        h.send_at(200, STA1, BEYOND);
        h.advance_to(us(3_000));
        let start = |line: &String| line.split_once(' ').expect("a start").0.parse::<u64>().expect("a time");
        own(&h).iter().filter(|line| line.contains("sta1>ap")).map(start).nth(1).expect("a second one")
    };
    assert_eq!(second(-75.0, -62.0), 426);
    assert_eq!(second(-75.0, -76.0), 2_206);
    assert_eq!(second(-61.0, -62.0), 2_206);
}

/// sta2 receives sta1's PPDU and the Ack, and does not defer to the broadcast that began meanwhile. Without a preamble that it received
/// there is no EIFS either.
/// ```text
/// 100        348  364 392  426        674
///  | sta1     |SIFS|ack |DIFS| sta2    |
///      | 110: other, which sta1 does not hear              2182
/// ```
#[test]
fn a_bystander_that_received_another_ppdu_does_not_defer() {
    let starts = |midpacket: f64| {
        let (mut plan, other) = two_cells(2);
        set_rssi(&mut plan, &[(1, other.0, -100.0)]);
        plan.channel.midpacket_detection_dbm = Dbm::new(midpacket);
        let mut h = with_errors(plan);
        h.send_at(100, STA1, BEYOND);
        broadcast(&mut h, 110, other);
        h.send_at(200, STA2, mac(0));
        h.advance_to(us(3_000));
        own(&h).into_iter().find(|line| line.contains("sta2>ap")).expect("sta2 sends")
    };
    assert_eq!(starts(-62.0), "426 674 sta2>ap data 54 1 received");
    assert_eq!(starts(-82.0), "2216 2464 sta2>ap data 54 1 received");
}

/// By capture a receiver turns to the stronger PPDU, also for carrier sense: when that ends, it is free.
/// ```text
/// 100                                                  2172
///  | other
///        500        748 764 792 826        1074
///         | sta1     |   |ack|   | sta2    |           sta2 heard the preamble of `other`, and turned to sta1
/// ```
#[test]
fn who_turns_to_a_stronger_ppdu_does_not_sense_the_other_any_more() {
    let (mut plan, other) = two_cells(2);
    set_rssi(&mut plan, &[(1, other.0, -100.0)]);
    plan.channel.capture_db = Some(Decibel::new(10.0));
    let mut h = with_errors(plan);
    broadcast(&mut h, 100, other);
    h.send_at(200, STA2, mac(0));
    h.send_at(500, STA1, BEYOND);
    h.advance_to(us(3_000));
    assert_eq!(
        own(&h)[..3],
        [
            "500 748 sta1>ap data 54 1 received",
            "764 792 ap>sta1 ack 24 1 received",
            "826 1074 sta2>ap data 54 1 received",
        ]
    );
}

/// The same events in every order of the plan: nothing depends on which NIC is asked first.
#[test]
fn of_two_that_begin_at_one_instant_the_stronger_is_received() {
    for weaker_first in [true, false] {
        let (plan, other) = two_cells(1);
        let mut h = with_errors(plan);
        if weaker_first {
            broadcast(&mut h, 100, other);
        }
        h.send_at(100, STA1, BEYOND);
        if !weaker_first {
            broadcast(&mut h, 100, other);
        }
        h.advance_to(us(500));
        assert_eq!(own(&h)[0], "100 348 sta1>ap data 54 1 received");
        assert!(own(&h).iter().any(|line| line == "364 392 ap>sta1 ack 24 1 received"));
    }
}
