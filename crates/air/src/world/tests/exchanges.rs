//! What a DCF station alone does not do, by hand: EDCA, TXOP, RTS and CTS, aggregates, hidden stations, capture, protection,
//! beacons, meshes.
//!
//! As in `timeline`; further at 5 GHz, in microseconds: data of 1538 octets (with four categories) 252 in 11a. HT MCS 7: preamble
//! 36, one MPDU 228, two 420, three 608; RTS, CTS and Ack at 24 Mbit/s 28, `BlockAck` 32; at 6 Mbit/s, before data with an MCS, RTS 52,
//! CTS 44, `BlockAckReq` 56, and the `BlockAck` to it 68.

use airtcp_plan::{
    AccessParameters, AirPlan, BeaconPlan, Delivery, ErpProtection, MacAddress, NicRole, Propagation,
};
use airtcp_testing::plans::mac;
use airtcp_units::{BitRate, Decibel};

use super::hosts::{AP, BEYOND, Hosts, STA1, STA2, STA3, us};
use super::plans::{
    AT_ONCE, Cliff, aggregating, at_2_4_ghz, chain, no_backoff, set_rssi, tune, weak_access_point,
};
use crate::NicId;

/// 11a with EDCA: AIFSN 7 for background, 2 for the others; no backoff.
fn edca(stations: u32, attempts: u32) -> AirPlan {
    let mut plan = no_backoff(stations, attempts);
    plan.cells[0].access = vec![AT_ONCE; 4];
    plan.cells[0].access[0].aifsn = 7;
    plan
}

/// Frames of the same host at one instant, before the air runs.
fn send_many(h: &mut Hosts, at_us: u64, from: NicId, count: u32) {
    h.advance_to(us(at_us));
    for _ in 0..count {
        h.give(from, (h.mac(from), BEYOND), 1514, 0);
    }
    h.drain();
}

/// ```text
/// 100          352  368  396   430          682
///  | voice      |SIFS|ack |DIFS| best effort
/// ```
#[test]
fn the_higher_of_two_categories_is_first() {
    let mut h = Hosts::new(edca(1, 7), 1);
    h.advance_to(us(100));
    h.give(STA1, (mac(1), BEYOND), 1514, 0);
    h.give(STA1, (mac(1), BEYOND), 1514, 6);
    h.expect_history(
        "100 352 sta1>ap data 54 1 received
         368 396 ap>sta1 ack 24 1 received
         430 682 sta1>ap data 54 1 received
         698 726 ap>sta1 ack 24 1 received",
    );
    h.expect_actions(
        "352 deliver 1 to ap
         396 sent 1 of sta1
         682 deliver 0 to ap
         726 sent 0 of sta1",
    );
}

/// The category that lost to its own NIC draws from a wider window: of 0..=1 slots where it began with 0. The loser of an
/// external collision does the same, so both of its frames are late by the same draws.
#[test]
fn an_internal_collision_widens_the_window() {
    let starts = |seed| {
        let mut plan = edca(1, 7);
        plan.cells[0].access[1].cw_max = 1;
        let mut h = Hosts::new(plan, seed);
        h.advance_to(us(100));
        h.give(STA1, (mac(1), BEYOND), 1514, 0);
        h.give(STA1, (mac(1), BEYOND), 1514, 6);
        h.settle();
        h.ppdus[2].start_ns
    };
    let late = (0..32).filter(|&seed| match starts(seed) {
        430_000 => false,
        439_000 => true,
        other => panic!("the loser begins at {other} ns"),
    });
    assert!((4..=28).contains(&late.count()), "both draws happen");
}

/// EIFS - DIFS + AIFS: 352 + 60 + 79.
#[test]
fn after_a_collision_background_waits_longest() {
    let mut h = Hosts::new(edca(3, 1), 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(100, STA2, BEYOND);
    h.send_as(200, STA3, BEYOND, (1514, 1));
    h.expect_history(
        "100 352 sta1>ap data 54 1 collision
         100 352 sta2>ap data 54 1 collision
         491 743 sta3>ap data 54 1 received
         759 787 ap>sta3 ack 24 1 received",
    );
}

/// While a NIC waits for a response, none of its categories sends: the other one's AIFS begins at the timeout, 397, as well.
/// (Without, it would start at 352 + 34.)
#[test]
fn the_other_category_waits_for_the_timeout_too() {
    let mut plan = edca(2, 1);
    plan.cells[0].access[3].aifsn = 1;
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(100, STA2, BEYOND);
    h.send_as(200, STA1, BEYOND, (1514, 6));
    h.expect_history(
        "100 352 sta1>ap data 54 1 collision
         100 352 sta2>ap data 54 1 collision
         422 674 sta1>ap data 54 1 received
         690 718 ap>sta1 ack 24 1 received",
    );
}

/// A TXOP of 1000 us has room for three exchanges of 296 us and two SIFS; the fourth frame contends again.
#[test]
fn a_txop_has_several_exchanges() {
    let mut plan = edca(2, 7);
    plan.cells[0].access.iter_mut().for_each(|ac| ac.txop_us = 1000);
    let mut h = Hosts::new(plan, 1);
    send_many(&mut h, 100, STA1, 4);
    h.expect_history(
        "100 352 sta1>ap data 54 1 received
         368 396 ap>sta1 ack 24 1 received
         412 664 sta1>ap data 54 1 received
         680 708 ap>sta1 ack 24 1 received
         724 976 sta1>ap data 54 1 received
         992 1020 ap>sta1 ack 24 1 received
         1054 1306 sta1>ap data 54 1 received
         1322 1350 ap>sta1 ack 24 1 received",
    );
}

/// A TXOP ends with a failure; the first frame of the next may be longer than the TXOP.
#[test]
fn a_failure_ends_the_txop() {
    let mut plan = edca(1, 2);
    plan.cells[0].access.iter_mut().for_each(|ac| ac.txop_us = 200);
    set_rssi(&mut plan, &[(0, 1, -81.0)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    send_many(&mut h, 100, STA1, 2);
    h.settle();
    // Timeout 45 and DIFS 34 after each end.
    h.expect_ppdus(
        "100 352 sta1>ap data 54 1 corrupted
         431 683 sta1>ap data 54 2 corrupted
         762 1014 sta1>ap data 54 1 corrupted
         1093 1345 sta1>ap data 54 2 corrupted",
    );
    h.expect_actions(
        "728 dropped 0 of sta1: retry_limit
         1390 dropped 1 of sta1: retry_limit",
    );
}

/// ```text
/// 100  128        173  207
///  |RTS |CTSTimeout|DIFS|RTS again, given up at 280
///                              235 + EIFS = 329: the bystander
/// ```
#[test]
fn rts_collide_and_time_out() {
    let mut plan = no_backoff(3, 2);
    plan.cells[0].rts_threshold_bytes = 1535;
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(100, STA2, BEYOND);
    h.send_at(300, STA3, BEYOND);
    h.expect_history(
        "100 128 sta1>ap rts 24 1 collision
         100 128 sta2>ap rts 24 1 collision
         207 235 sta1>ap rts 24 1 collision
         207 235 sta2>ap rts 24 1 collision
         329 357 sta3>ap rts 24 1 received
         373 401 ap>sta3 cts 24 1 received
         417 665 sta3>ap data 54 1 received
         681 709 ap>sta3 ack 24 1 received",
    );
    h.expect_actions(
        "280 dropped 0 of sta1: retry_limit
         280 dropped 1 of sta2: retry_limit
         665 deliver 2 to ap
         709 sent 2 of sta3",
    );
    let report = h.finish();
    // No data of sta1 has been on the air.
    assert_eq!((report.nics[1].transmissions, report.nics[1].collisions), (0, 0));
    assert_eq!(report.nics[1].airtime_ns, 56_000);
}

/// A PSDU of exactly the threshold goes without.
#[test]
fn the_threshold_itself_is_short() {
    let mut plan = no_backoff(1, 2);
    plan.cells[0].rts_threshold_bytes = 1536;
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.expect_history(
        "100 348 sta1>ap data 54 1 received
         364 392 ap>sta1 ack 24 1 received",
    );
}

/// Data at 54 Mbit/s is lost behind RTS and CTS; a PSDU above the threshold has the long retry limit of 2.
#[test]
fn a_long_psdu_counts_as_long() {
    let mut plan = no_backoff(1, 7);
    (plan.cells[0].rts_threshold_bytes, plan.cells[0].long_retry_limit) = (1000, 2);
    set_rssi(&mut plan, &[(0, 1, -81.0)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    h.send_at(100, STA1, BEYOND);
    h.expect_history(
        "100 128 sta1>ap rts 24 1 received
         144 172 ap>sta1 cts 24 1 received
         188 436 sta1>ap data 54 1 corrupted
         515 543 sta1>ap rts 24 2 received
         559 587 ap>sta1 cts 24 2 received
         603 851 sta1>ap data 54 2 corrupted",
    );
    h.expect_actions("896 dropped 0 of sta1: retry_limit");
}

/// The access point does not hear sta1. A NIC that decoded the RTS resets its NAV when 2 SIFS, the time of a CTS, 20 us and 2 slots have
/// passed without anything: 128 + 32 + 28 + 20 + 18 = 226, and DIFS.
#[test]
fn an_rts_that_nothing_follows_is_forgotten() {
    let mut plan = no_backoff(2, 1);
    plan.cells[0].rts_threshold_bytes = 1000;
    set_rssi(&mut plan, &[(0, 1, -100.0)]);
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(110, STA2, BEYOND);
    h.expect_history(
        "100 128 sta1>ap rts 24 1 corrupted
         260 288 sta2>ap rts 24 1 received
         304 332 ap>sta2 cts 24 1 received
         348 596 sta2>ap data 54 1 received
         612 640 ap>sta2 ack 24 1 received",
    );
}

/// sta2 reads RTS, CTS and neither data nor Ack: its NAV, set by the RTS and kept because something followed, ends with the
/// exchange at 480, and not with EIFS after the data, at 530 - 16.
#[test]
fn an_rts_that_is_followed_holds_to_the_end() {
    let mut plan = no_backoff(3, 1);
    plan.cells[0].rts_threshold_bytes = 1000;
    // sta2 hears sta1 but can't read 54 Mbit/s, and does not hear the access point; its own frame goes to sta3's mesh.
    set_rssi(&mut plan, &[(1, 2, -81.0), (0, 2, -100.0)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    h.send_at(100, STA1, BEYOND);
    h.send_at(200, STA2, BEYOND);
    h.advance_to(us(520));
    h.expect_ppdus(
        "100 128 sta1>ap rts 24 1 received
         144 172 ap>sta1 cts 24 1 received
         188 436 sta1>ap data 54 1 received
         452 480 ap>sta1 ack 24 1 received",
    );
    // EIFS after the data that it could not read: 436 + 94. NAV and DIFS: 480 + 34.
    assert_eq!(h.world.next_wakeup(), us(530));
}

/// sta1 can't read the access point, which answers its second RTS although its own CTS (until 480) asked for silence.
/// ```text
/// 100  128  144  172  266  294  310  338
///  |RTS |SIFS|CTS |EIFS|RTS |SIFS|CTS
/// ```
#[test]
fn who_answered_may_be_asked_again() {
    let mut plan = weak_access_point(1, 2);
    plan.cells[0].rts_threshold_bytes = 1000;
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    h.send_at(100, STA1, BEYOND);
    h.expect_history(
        "100 128 sta1>ap rts 24 1 received
         144 172 ap>sta1 cts 24 1 corrupted
         266 294 sta1>ap rts 24 1 received
         310 338 ap>sta1 cts 24 1 corrupted",
    );
    h.expect_actions("338 dropped 0 of sta1: retry_limit");
}

/// Nor is the access point itself bound by its CTS: it has waited for DIFS at 206.
#[test]
fn who_answered_is_not_bound_by_it() {
    let mut plan = weak_access_point(2, 1);
    plan.cells[0].rts_threshold_bytes = 1000;
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    h.send_at(100, STA1, BEYOND);
    h.send_at(150, AP, mac(2));
    h.advance_to(us(240));
    h.expect_ppdus(
        "100 128 sta1>ap rts 24 1 received
         144 172 ap>sta1 cts 24 1 corrupted
         206 234 ap>sta2 rts 24 1 corrupted",
    );
}

/// ```text
/// 100      348  393  the timeouts; given up at once
///  | sta1   |
///      | sta2   | 448
/// ```
#[test]
fn hidden_stations_collide_at_any_time() {
    let mut plan = no_backoff(2, 1);
    set_rssi(&mut plan, &[(1, 2, -100.0)]);
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(200, STA2, BEYOND);
    h.expect_history(
        "100 348 sta1>ap data 54 1 collision
         200 448 sta2>ap data 54 1 collision",
    );
    h.expect_actions(
        "393 dropped 0 of sta1: retry_limit
         493 dropped 1 of sta2: retry_limit",
    );
}

/// The hidden station reads the CTS and waits for the end of what it announces: 480 and DIFS.
#[test]
fn a_cts_silences_the_hidden_station() {
    let mut plan = no_backoff(2, 1);
    plan.cells[0].rts_threshold_bytes = 1000;
    set_rssi(&mut plan, &[(1, 2, -100.0)]);
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(200, STA2, BEYOND);
    h.expect_history(
        "100 128 sta1>ap rts 24 1 received
         144 172 ap>sta1 cts 24 1 received
         188 436 sta1>ap data 54 1 received
         452 480 ap>sta1 ack 24 1 received
         514 542 sta2>ap rts 24 1 received
         558 586 ap>sta2 cts 24 1 received
         602 850 sta2>ap data 54 1 received
         866 894 ap>sta2 ack 24 1 received",
    );
}

/// A NIC that is silenced by its NAV does not answer another's RTS: sta2 has decoded sta1's CTS (from the access point), not its RTS.
#[test]
fn no_cts_inside_the_nav() {
    let mut plan = chain(4);
    plan.cells[0].rts_threshold_bytes = 1000;
    (plan.cells[0].short_retry_limit, plan.cells[0].long_retry_limit) = (1, 1);
    // Each hears its neighbours.
    set_rssi(&mut plan, &[(0, 2, -100.0), (0, 3, -100.0), (1, 3, -100.0)]);
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, NicId(0), mac(1));
    h.send_at(180, NicId(3), mac(2));
    h.settle();
    // MPDUs with four addresses take 252 us.
    h.expect_ppdus(
        "100 128 m0>m1 rts 24 1 received
         144 172 m1>m0 cts 24 1 received
         180 208 m3>m2 rts 24 1 received
         188 440 m0>m1 data 54 1 received
         456 484 m1>m0 ack 24 1 received",
    );
    h.expect_actions(
        "253 dropped 1 of m3: retry_limit
         440 deliver 0 to m1
         484 sent 0 of m0",
    );
}

/// sta1 waits for a CTS and hears another's frame begin instead (m2's CTS for m3, 16 us after m1's RTS ends): it fails when that
/// ends, and honours its Duration field.
#[test]
fn what_is_heard_instead_ends_the_wait() {
    let mut plan = chain(4);
    plan.cells[0].rts_threshold_bytes = 1000;
    (plan.cells[0].short_retry_limit, plan.cells[0].long_retry_limit) = (2, 2);
    set_rssi(&mut plan, &[(0, 2, -100.0), (0, 3, -100.0), (1, 3, -100.0)]);
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, NicId(3), mac(2));
    h.send_at(100, NicId(1), mac(0));
    h.advance_to(us(600));
    // m2 hears both RTS and reads none; m0 reads that of m1.
    h.expect_ppdus(
        "100 128 m1>m0 rts 24 1 received
         100 128 m3>m2 rts 24 1 collision
         144 172 m0>m1 cts 24 1 received
         207 235 m3>m2 rts 24 1 collision
         188 440 m1>m0 data 54 1 received
         456 484 m0>m1 ack 24 1 received",
    );
}

/// Short MPDUs below the threshold make an aggregate above it.
#[test]
fn an_aggregate_above_the_threshold_begins_with_rts() {
    let mut plan = aggregating(1, 7);
    plan.cells[0].rts_threshold_bytes = 2000;
    let mut h = Hosts::new(plan, 1);
    send_many(&mut h, 100, STA1, 3);
    h.advance_to(us(900));
    h.send_at(1000, STA1, BEYOND);
    h.expect_history(
        "100 152 sta1>ap rts 6 1 received
         168 212 ap>sta1 cts 6 1 received
         228 836 sta1>ap data 0 1 2 65 1 received
         852 884 ap>sta1 ba 24 1 received
         1000 1228 sta1>ap data 65 1 received
         1244 1272 ap>sta1 ack 24 1 received",
    );
}

/// In 700 us there is room for three MPDUs without RTS (656 us), which is not allowed above the threshold, and for two with RTS
/// (556 us). Up to the threshold they go without.
#[test]
fn rts_takes_room_from_the_aggregate() {
    let first = |rts_threshold_bytes| {
        let mut plan = aggregating(1, 7);
        plan.cells[0].rts_threshold_bytes = rts_threshold_bytes;
        plan.cells[0].access.iter_mut().for_each(|ac| ac.txop_us = 700);
        let mut h = Hosts::new(plan, 1);
        send_many(&mut h, 100, STA1, 3);
        h.settle();
        h.timeline().into_iter().take(3).collect::<Vec<_>>()
    };
    assert_eq!(
        first(2000),
        [
            "100 152 sta1>ap rts 6 1 received",
            "168 212 ap>sta1 cts 6 1 received",
            "228 648 sta1>ap data 0 1 65 1 received",
        ]
    );
    assert_eq!(first(4000)[0], "100 520 sta1>ap data 0 1 65 1 received");
    assert_eq!(first(4630)[0], "100 708 sta1>ap data 0 1 2 65 1 received");
}

/// A cell with an access point alone, on the same channel, which hears and is heard by everybody but sta1 of the first cell.
fn with_a_neighbour(plan: &mut AirPlan) -> NicId {
    let mut cell = plan.cells[0].clone();
    cell.name = "neighbour".to_owned();
    plan.cells.push(cell);
    let mut nic = plan.nics[0].clone();
    (nic.node, nic.mac, nic.role, nic.cell) = ("other".to_owned(), mac(77), NicRole::AccessPoint, 1);
    plan.nics.push(nic);
    let id = plan.nics.len() as u32 - 1;
    set_rssi(plan, &[(1, id, -100.0)]);
    NicId(id)
}

/// A hidden access point's broadcast (82 octets at 6 Mbit/s: 136 us) hits the second of three MPDUs, whose octets are on the air
/// from 326.6 to 517.3.
fn one_mpdu_lost(delivery: Delivery) -> Hosts {
    let mut plan = aggregating(1, 7);
    let other = with_a_neighbour(&mut plan);
    plan.nics[0].delivery = delivery;
    let mut h = Hosts::new(plan, 1);
    send_many(&mut h, 100, STA1, 3);
    h.send_as(350, other, MacAddress::BROADCAST, (60, 0));
    h.settle();
    h
}

/// ```text
/// 100           708 724 756 790      1018 1034 1062
///  | 0 1(lost) 2 |  |BA |    | 1 again |   |ack
/// ```
#[test]
fn one_lost_mpdu_of_an_aggregate_is_repeated() {
    let h = one_mpdu_lost(Delivery::PpduEnd);
    h.expect_ppdus(
        "350 486 other>all data 6 1 received
         100 708 sta1>ap data 0 1! 2 65 1 received
         724 756 ap>sta1 ba 24 1 received
         790 1018 sta1>ap data 65 2 received
         1034 1062 ap>sta1 ack 24 2 received",
    );
    h.expect_actions(
        "486 sent 3 of other
         708 deliver 0 to ap
         708 hold 2
         756 sent 0 of sta1
         756 sent 2 of sta1
         1018 deliver 1 to ap
         1018 deliver 2 to ap
         1018 release 2
         1062 sent 1 of sta1",
    );
}

/// sta2 hears sta1 and not the access point. The hidden broadcast spoils the first MPDU for it; the others tell it to wait until 756, and
/// EIFS, until 802, does not follow.
#[test]
fn one_decoded_mpdu_of_an_aggregate_sets_the_nav_and_ends_the_need_for_eifs() {
    let mut plan = aggregating(2, 7);
    let other = with_a_neighbour(&mut plan);
    set_rssi(&mut plan, &[(0, 2, -100.0)]);
    let mut h = Hosts::new(plan, 1);
    send_many(&mut h, 100, STA1, 3);
    h.send_as(150, other, MacAddress::BROADCAST, (60, 0));
    h.send_at(200, STA2, mac(0));
    h.advance_to(us(1_100));
    let of_sta2 = h.timeline().into_iter().find(|line| line.contains("sta2>ap")).expect("sta2 sends");
    assert!(of_sta2.starts_with("790 "), "{of_sta2}");
}

/// The same, delivered MPDU by MPDU: the first 1542 of 4630 octets end 190.501 us after the preamble.
#[test]
fn an_mpdu_is_delivered_at_its_own_end_if_the_receiver_wants_it() {
    let h = one_mpdu_lost(Delivery::MpduEnd);
    assert_eq!(h.actions()[..3], ["326.501 deliver 0 to ap", "486 sent 3 of other", "708 hold 2"]);
}

/// The access point's responses can't be read. The MPDUs are sent again, given up, and asked for by a `BlockAckReq` that
/// says that the window begins after them; nobody hears the answers to that either.
/// ```text
/// 100      520 536 568  662     1082 1098 1130 1224 1280 1296 1364
///  | 0 1    |  |BA |EIFS | 0 1   |   |BA |EIFS |BAR  |   |BA  |
/// ```
#[test]
fn a_block_ack_req_follows_what_was_given_up() {
    let mut plan = aggregating(1, 2);
    let weak = weak_access_point(1, 2);
    (plan.channel, plan.nics[0].tx_power_dbm) = (weak.channel, weak.nics[0].tx_power_dbm);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    send_many(&mut h, 100, STA1, 2);
    h.expect_history(
        "100 520 sta1>ap data 0 1 65 1 received
         536 568 ap>sta1 ba 24 1 corrupted
         662 1082 sta1>ap data 0 1 65 2 received
         1098 1130 ap>sta1 ba 24 2 corrupted
         1224 1280 sta1>ap bar 2 6 1 received
         1296 1364 ap>sta1 ba 6 1 corrupted
         1458 1514 sta1>ap bar 2 6 2 received
         1530 1598 ap>sta1 ba 6 2 corrupted",
    );
    h.expect_actions(
        "520 deliver 0 to ap
         520 deliver 1 to ap
         1130 dropped 0 of sta1: retry_limit
         1130 dropped 1 of sta1: retry_limit",
    );
}

/// 11g beside 11b: CTS at 11 Mbit/s with the long preamble (192 + 11 us), SIFS 10, data 254, Ack 34.
#[test]
fn erp_protection_by_cts_to_self() {
    let mut plan = no_backoff(1, 7);
    at_2_4_ghz(&mut plan);
    plan.cells[0].protection = ErpProtection::CtsToSelf;
    let rates = [1_000_000, 2_000_000, 5_500_000, 11_000_000, 6_000_000, 12_000_000, 24_000_000];
    plan.cells[0].basic_rates_bps = rates.map(BitRate::from_bps).to_vec();
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.expect_history(
        "100 303 sta1>all cts 11 1 received
         313 567 sta1>ap data 54 1 received
         577 611 ap>sta1 ack 24 1 received",
    );
}

/// Both start at once; sta1 is 20 dB stronger at the access point, which is tuned to it. sta2 hears the Ack for sta1 begin while
/// it waits for its own, and so knows at its end that there is none.
#[test]
fn the_stronger_of_two_is_captured() {
    let mut plan = no_backoff(2, 7);
    plan.channel.capture_db = Some(Decibel::new(10.0));
    set_rssi(&mut plan, &[(0, 2, -70.0)]);
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(100, STA2, BEYOND);
    h.expect_history(
        "100 348 sta1>ap data 54 1 received
         100 348 sta2>ap data 54 1 collision
         364 392 ap>sta1 ack 24 1 received
         426 674 sta2>ap data 54 2 received
         690 718 ap>sta2 ack 24 2 received",
    );
}

/// The access point leaves the weak sta2 for the strong sta1, which can't hear it.
#[test]
fn a_later_and_stronger_one_is_captured() {
    let mut plan = no_backoff(2, 1);
    plan.channel.capture_db = Some(Decibel::new(10.0));
    set_rssi(&mut plan, &[(0, 2, -70.0), (1, 2, -100.0)]);
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA2, BEYOND);
    h.send_at(200, STA1, BEYOND);
    h.expect_history(
        "100 348 sta2>ap data 54 1 collision
         200 448 sta1>ap data 54 1 received
         464 492 ap>sta1 ack 24 1 received",
    );
}

/// Of an aggregate that its receiver leaves for a stronger frame, what came before is read; what comes after is not, and the
/// receiver, which has not heard its end, does not answer. The group frame of 136 us lies inside the second MPDU.
#[test]
fn an_aggregate_that_is_left_is_not_answered() {
    let mut plan = aggregating(1, 1);
    let other = with_a_neighbour(&mut plan);
    plan.channel.capture_db = Some(Decibel::new(10.0));
    set_rssi(&mut plan, &[(0, 1, -70.0)]);
    let mut h = Hosts::new(plan, 1);
    send_many(&mut h, 100, STA1, 3);
    h.send_as(350, other, MacAddress::BROADCAST, (60, 0));
    h.advance_to(us(760));
    h.expect_ppdus(
        "350 486 other>all data 6 1 received
         100 708 sta1>ap data 0 1! 2! 65 1 received",
    );
    h.expect_actions(
        "486 sent 3 of other
         708 deliver 0 to ap
         753 dropped 0 of sta1: retry_limit
         753 dropped 1 of sta1: retry_limit
         753 dropped 2 of sta1: retry_limit",
    );
}

/// A beacon of 200 octets at 6 Mbit/s takes 292 us. A frame that comes meanwhile waits for DIFS, and a beacon for the end of a frame and
/// PIFS, 25 us.
#[test]
fn beacons_take_their_time() {
    let mut plan = no_backoff(1, 7);
    plan.cells[0].beacon = Some(BeaconPlan { interval_us: 1024, bytes: 200 });
    let mut h = Hosts::new(plan, 1);
    h.send_at(1100, STA1, BEYOND);
    h.send_at(1960, STA1, BEYOND);
    h.advance_to(us(2600));
    h.expect_ppdus(
        "1024 1316 ap>all beacon 6 1 received
         1350 1598 sta1>ap data 54 1 received
         1614 1642 ap>sta1 ack 24 1 received
         1960 2208 sta1>ap data 54 1 received
         2224 2252 ap>sta1 ack 24 1 received
         2277 2569 ap>all beacon 6 1 received",
    );
}

/// Cells on one channel spread their beacons over the interval; otherwise they would collide for ever.
#[test]
fn beacons_of_neighbours_do_not_meet() {
    let mut plan = no_backoff(1, 7);
    plan.cells[0].beacon = Some(BeaconPlan { interval_us: 2048, bytes: 200 });
    with_a_neighbour(&mut plan);
    let mut h = Hosts::new(plan, 1);
    h.advance_to(us(5500));
    h.expect_ppdus(
        "2048 2340 ap>all beacon 6 1 received
         3072 3364 other>all beacon 6 1 received
         4096 4388 ap>all beacon 6 1 received
         5120 5412 other>all beacon 6 1 received",
    );
}

/// Two hops of a mesh: four addresses, 1542 octets, 252 us.
#[test]
fn a_mesh_station_forwards() {
    let mut h = Hosts::new(chain(3), 1);
    h.send_at(100, NicId(0), mac(2));
    h.expect_history(
        "100 352 m0>m1 data 54 1 received
         368 396 m1>m0 ack 24 1 received
         430 682 m1>m2 data 54 1 received
         698 726 m2>m1 ack 24 1 received",
    );
    h.expect_actions(
        "352 relay 0 by m1
         396 sent 0 of m0
         682 deliver 1 to m2
         726 sent 1 of m1",
    );
}

/// Cells on one channel are one medium: they defer to each other, and their group frames are not for the other.
#[test]
fn cells_on_one_channel_share_it() {
    let mut plan = no_backoff(1, 7);
    let other = with_a_neighbour(&mut plan);
    let Propagation::Rssi { links, .. } = &mut plan.channel.propagation else { unreachable!() };
    links.clear();
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.send_as(200, other, MacAddress::BROADCAST, (60, 0));
    h.expect_history(
        "100 348 sta1>ap data 54 1 received
         364 392 ap>sta1 ack 24 1 received
         426 562 other>all data 6 1 received",
    );
    h.expect_actions("348 deliver 0 to ap\n392 sent 0 of sta1\n562 sent 1 of other");
}

/// Cells on channels apart do not.
#[test]
fn cells_on_other_channels_do_not() {
    let mut plan = no_backoff(1, 7);
    let other = with_a_neighbour(&mut plan);
    tune(&mut plan.cells[1], 5200);
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.send_as(200, other, MacAddress::BROADCAST, (60, 0));
    h.expect_history(
        "200 336 other>all data 6 1 received
         100 348 sta1>ap data 54 1 received
         364 392 ap>sta1 ack 24 1 received",
    );
}

/// What every access parameter of these scenes has in common.
#[test]
fn the_scenes_have_no_chance_in_them() {
    assert_eq!((AT_ONCE.cw_min, AT_ONCE.cw_max), (0, 0));
    assert!(edca(1, 1).cells[0].access.iter().all(|ac: &AccessParameters| ac.cw_max == 0));
}
