//! What the standard leaves to Linux and its drivers; `exchanges` has the timelines of everything else.

use airtcp_plan::{
    AccessParameters, AirPlan, BeaconAccess, BeaconPlan, LinkLoss, Propagation, RtsPolicy, Standard,
};
use airtcp_testing::plans::mac;
use airtcp_units::Dbm;

use crate::NicId;

use super::hosts::{AP, BEYOND, Hosts, STA1, STA2, us};
use super::plans::{AT_ONCE, Cliff, aggregating, he, no_backoff, set_rssi};

/// Two frames of a station at once, in this user priority.
fn two_frames(plan: AirPlan, priority: u8) -> Hosts {
    let mut h = Hosts::new(plan, 1);
    h.advance_to(us(100));
    for _ in 0..2 {
        h.give(STA1, (h.mac(STA1), BEYOND), 1514, priority);
    }
    h.drain();
    h.settle();
    h
}

fn data_ppdus(h: &Hosts) -> usize {
    h.timeline().iter().filter(|line| line.contains("sta1>ap data")).count()
}

/// None of the data arrives. Single frames have two attempts, MPDUs under block acknowledgement three.
#[test]
fn subframes_have_a_limit_of_their_own() {
    let mut plan = aggregating(1, 2);
    plan.cells[0].subframe_retry_limit = 3;
    plan.channel.losses = vec![LinkLoss { from: 1, to: 0, loss: 1.0 }];
    let h = two_frames(plan.clone(), 0);
    assert_eq!(data_ppdus(&h), 3, "{:?}", h.timeline());
    // Voice is not under block acknowledgement: two frames with two attempts each.
    let h = two_frames(plan, 6);
    assert_eq!(data_ppdus(&h), 4, "{:?}", h.timeline());
}

/// Two MPDUs in 420 us and a `BlockAck` (32), or 228 us each and an Ack (28).
#[test]
fn voice_is_aggregated_only_if_the_cell_says_so() {
    let mut plan = aggregating(1, 7);
    let alone = two_frames(plan.clone(), 6);
    alone.expect_ppdus(
        "100 328 sta1>ap data 65 1 received
         344 372 ap>sta1 ack 24 1 received
         406 634 sta1>ap data 65 1 received
         650 678 ap>sta1 ack 24 1 received",
    );
    for nic in &mut plan.nics {
        nic.aggregation.as_mut().expect("it aggregates").voice = true;
    }
    let together = two_frames(plan, 6);
    together.expect_ppdus(
        "100 520 sta1>ap data 0 1 65 1 received
         536 568 ap>sta1 ba 24 1 received",
    );
}

/// The Ack of a station ends at 396. The access point waits for SIFS and one slot, the station for SIFS and two.
#[test]
fn an_access_point_has_parameters_of_its_own() {
    let mut plan = no_backoff(2, 7);
    plan.cells[0].ap_access = Some(vec![AccessParameters { aifsn: 1, ..AT_ONCE }]);
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(200, STA2, BEYOND);
    h.send_at(200, AP, mac(1));
    h.settle();
    let starts: Vec<_> = h.timeline().iter().filter(|line| line.contains("data")).cloned().collect();
    assert_eq!(starts[1], "417 665 ap>sta1 data 54 1 received", "{starts:?}");
}

/// At -85 dBm a PPDU is below carrier sense and above the sensitivity: it is received, and its receiver defers to it. Stations do
/// not exchange frames: at the same power they are hidden from each other.
#[test]
fn below_carrier_sense_a_partner_is_received_and_heard() {
    let mut plan = no_backoff(2, 1);
    plan.channel.sensitivity_dbm = Dbm::new(-92.0);
    let Propagation::Rssi { default_dbm, .. } = &mut plan.channel.propagation else { panic!("a power") };
    *default_dbm = Dbm::new(-85.0);
    let mut h = Hosts::new(plan.clone(), 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(200, AP, mac(2));
    h.settle();
    h.expect_ppdus(
        "100 348 sta1>ap data 54 1 received
         364 392 ap>sta1 ack 24 1 received
         426 674 ap>sta2 data 54 1 received
         690 718 sta2>ap ack 24 1 received",
    );
    let mut h = Hosts::new(plan.clone(), 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(200, STA2, BEYOND);
    h.settle();
    h.expect_ppdus(
        "100 348 sta1>ap data 54 1 collision
         200 448 sta2>ap data 54 1 collision",
    );
    // Weaker than the sensitivity: nothing is received.
    set_rssi(&mut plan, &[(0, 1, -93.0)]);
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.settle();
    h.expect_ppdus("100 348 sta1>ap data 54 1 corrupted");
}

/// sta2 hears sta1 at -81 dBm, an SNR of 13 dB, which is enough for the header and not for 65 Mbit/s and more, and it does not hear
/// the access point. The data ends at its `end`; the `BlockAck` would take SIFS and 32 us, 48 in all. With the TXOP field sta2 starts
/// a DIFS after that (`end` + 48 + 34), without it after EIFS (`end` + 94).
#[test]
fn the_txop_field_of_a_header_sets_a_nav_in_place_of_eifs() {
    let starts_after_us = |txop_duration, standard| {
        let mut plan = aggregating(2, 1);
        let cell = &mut plan.cells[0];
        (cell.standard, cell.txop_duration) = (standard, txop_duration);
        for nic in &mut plan.nics {
            nic.rate_control = he(7);
        }
        set_rssi(&mut plan, &[(1, 2, -81.0), (0, 2, -100.0)]);
        let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
        h.advance_to(us(100));
        for _ in 0..2 {
            h.give(STA1, (h.mac(STA1), BEYOND), 1514, 0);
        }
        h.send_at(200, STA2, BEYOND);
        h.settle();
        let times = |from: &str| -> Vec<f64> {
            let timeline = h.timeline();
            let line = timeline.iter().find(|line| line.contains(from)).expect("it is sent").clone();
            line.split(' ').take(2).map(|time| time.parse().expect("a time")).collect()
        };
        times("sta2>ap data")[0] - times("sta1>ap data")[1]
    };
    assert!((starts_after_us(true, Standard::He) - 82.0).abs() < 1e-9);
    assert!((starts_after_us(false, Standard::He) - 94.0).abs() < 1e-9);
}

/// A beacon (292 us) is due at 1024, in the data of sta1; sta2 has a frame, too. The Ack ends at 1292. After PIFS (25) it is the beacon's
/// turn, whoever waits; contending, it is in the same slot as sta2, after DIFS (34), which goes on after its timeout (45) and DIFS.
#[test]
fn beacons_follow_pifs_unless_they_contend() {
    let run = |beacon_access| {
        let mut plan = no_backoff(2, 7);
        plan.cells[0].beacon = Some(BeaconPlan { interval_us: 1024, bytes: 200 });
        plan.cells[0].beacon_access = beacon_access;
        let mut h = Hosts::new(plan, 1);
        h.send_at(1000, STA1, BEYOND);
        h.send_at(1100, STA2, BEYOND);
        h.advance_to(us(2040));
        h
    };
    run(BeaconAccess::Pifs).expect_ppdus(
        "1000 1248 sta1>ap data 54 1 received
         1264 1292 ap>sta1 ack 24 1 received
         1317 1609 ap>all beacon 6 1 received
         1643 1891 sta2>ap data 54 1 received
         1907 1935 ap>sta2 ack 24 1 received",
    );
    run(BeaconAccess::Edca).expect_ppdus(
        "1000 1248 sta1>ap data 54 1 received
         1264 1292 ap>sta1 ack 24 1 received
         1326 1574 sta2>ap data 54 1 collision
         1326 1618 ap>all beacon 6 1 collision
         1653 1901 sta2>ap data 54 2 received
         1917 1945 ap>sta2 ack 24 2 received",
    );
}

/// The access point's own voice is due at the same instant as its beacon, PIFS after the Ack: it is an internal collision, and voice
/// follows PIFS after the beacon.
#[test]
fn a_beacon_goes_before_its_access_points_voice() {
    let mut plan = no_backoff(2, 7);
    plan.cells[0].access = vec![AT_ONCE; 4];
    plan.cells[0].ap_access = Some(vec![AccessParameters { aifsn: 1, ..AT_ONCE }; 4]);
    plan.cells[0].beacon = Some(BeaconPlan { interval_us: 1024, bytes: 200 });
    let mut h = Hosts::new(plan, 1);
    h.advance_to(us(1000));
    h.give(STA1, (h.mac(STA1), BEYOND), 1510, 0);
    h.drain();
    h.advance_to(us(1100));
    h.give(AP, (BEYOND, mac(2)), 1510, 6);
    h.drain();
    h.advance_to(us(2040));
    // 1536 octets with QoS: 57 symbols.
    h.expect_ppdus(
        "1000 1248 sta1>ap data 54 1 received
         1264 1292 ap>sta1 ack 24 1 received
         1317 1609 ap>all beacon 6 1 received
         1634 1882 ap>sta2 data 54 1 received
         1898 1926 sta2>ap ack 24 1 received",
    );
}

/// Every attempt is lost. A retransmission follows the timeout (45) and DIFS (34).
#[test]
fn rts_before_retries_only() {
    let run = |rts_policy| {
        let mut plan = no_backoff(1, 3);
        plan.cells[0].rts_policy = rts_policy;
        set_rssi(&mut plan, &[(0, 1, -81.0)]);
        let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
        h.send_at(100, STA1, BEYOND);
        h.settle();
        h
    };
    run(RtsPolicy::Retries).expect_ppdus(
        "100 348 sta1>ap data 54 1 corrupted
         427 455 sta1>ap rts 24 2 received
         471 499 ap>sta1 cts 24 2 received
         515 763 sta1>ap data 54 2 corrupted
         842 870 sta1>ap rts 24 3 received
         886 914 ap>sta1 cts 24 3 received
         930 1178 sta1>ap data 54 3 corrupted",
    );
    for without in [RtsPolicy::RateControl, RtsPolicy::Threshold, RtsPolicy::Aggregates] {
        run(without).expect_ppdus(
            "100 348 sta1>ap data 54 1 corrupted
             427 675 sta1>ap data 54 2 corrupted
             754 1002 sta1>ap data 54 3 corrupted",
        );
    }
}

/// RTS (52 us) and CTS (44 us) at 6 Mbit/s go before an aggregate of two, and not before a single MPDU (228 us).
#[test]
fn rts_before_aggregates_only() {
    let mut plan = aggregating(1, 7);
    plan.cells[0].rts_policy = RtsPolicy::Aggregates;
    two_frames(plan.clone(), 0).expect_ppdus(
        "100 152 sta1>ap rts 6 1 received
         168 212 ap>sta1 cts 6 1 received
         228 648 sta1>ap data 0 1 65 1 received
         664 696 ap>sta1 ba 24 1 received",
    );
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.settle();
    h.expect_ppdus(
        "100 328 sta1>ap data 65 1 received
         344 372 ap>sta1 ack 24 1 received",
    );
}

/// In a TXOP of 700 us two MPDUs fit with RTS and CTS: 52 + 16 + 44 + 16 + 420 + 16 + 32 = 596 us. A third takes 192 us more. Without
/// RTS three are 420 + 192 + 48 = 660 us.
#[test]
fn an_aggregate_leaves_room_for_its_rts() {
    let mpdus = |rts_policy| {
        let mut plan = aggregating(1, 7);
        plan.cells[0].rts_policy = rts_policy;
        plan.cells[0].access = vec![AccessParameters { txop_us: 700, ..AT_ONCE }; 4];
        let mut h = Hosts::new(plan, 1);
        h.advance_to(us(100));
        for _ in 0..3 {
            h.give(STA1, (h.mac(STA1), BEYOND), 1514, 0);
        }
        h.drain();
        h.settle();
        let timeline = h.timeline();
        let first = timeline.iter().find(|line| line.contains("data")).expect("data").clone();
        first.split(" data ").nth(1).expect("MPDUs").split(' ').count() - 3
    };
    assert_eq!((mpdus(RtsPolicy::Aggregates), mpdus(RtsPolicy::Threshold)), (2, 3));
}

/// The data PPDU lasts 248 us.
#[test]
fn rts_before_what_lasts_longer() {
    let starts_with_rts = |threshold_us| {
        let mut plan = no_backoff(1, 7);
        plan.cells[0].rts_threshold_us = Some(threshold_us);
        let mut h = Hosts::new(plan, 1);
        h.send_at(100, STA1, BEYOND);
        h.settle();
        h.timeline()[0].contains("rts")
    };
    assert_eq!((starts_with_rts(247), starts_with_rts(248)), (true, false));
}

/// RTS frames have their own limit: the frame is given up after the second, though attempts with it are left.
#[test]
fn rts_may_have_a_limit_of_its_own() {
    let mut plan = no_backoff(1, 7);
    plan.cells[0].rts_threshold_bytes = 0;
    plan.cells[0].rts_retry_limit = Some(2);
    set_rssi(&mut plan, &[(0, 1, -100.0)]);
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.settle();
    h.expect_ppdus(
        "100 128 sta1>ap rts 24 1 corrupted
         207 235 sta1>ap rts 24 1 corrupted",
    );
}

/// MPDUs of 84 octets at 65 Mbit/s. As they are three take 264 octets, 9 symbols: 72 us. If their receiver needs 16 us for each, 130
/// octets, it is 132 + 132 + 88, 11 symbols: 80 us. What the sender needs does not count.
#[test]
fn short_mpdus_start_as_far_apart_as_their_receiver_needs() {
    let sent = |needs: NicId| {
        let mut plan = aggregating(1, 7);
        let nic = &mut plan.nics[needs.index()];
        nic.aggregation.as_mut().expect("it aggregates").start_spacing_ns = 16_000;
        let mut h = Hosts::new(plan, 1);
        h.advance_to(us(100));
        for _ in 0..3 {
            h.give(STA1, (h.mac(STA1), BEYOND), 60, 0);
        }
        h.drain();
        h.settle();
        h
    };
    sent(STA1).expect_ppdus(
        "100 172 sta1>ap data 0 1 2 65 1 received
         188 220 ap>sta1 ba 24 1 received",
    );
    sent(AP).expect_ppdus(
        "100 180 sta1>ap data 0 1 2 65 1 received
         196 228 ap>sta1 ba 24 1 received",
    );
}

/// HE MCS 7, 1542 octets: 43.2 us and 11 symbols of 13.6 us, the last of which has 652 of 1170 bits, three quarters. A receiver that
/// needs 16 us after a full symbol gets 12.
#[test]
fn a_ppdu_ends_with_the_packet_extension_of_its_receiver() {
    let first = |padding_us: [u32; 2]| {
        let mut plan = no_backoff(1, 7);
        plan.cells[0].standard = Standard::He;
        plan.cells[0].access = vec![AT_ONCE; 4];
        for (nic, padding_us) in plan.nics.iter_mut().zip(padding_us) {
            nic.nominal_packet_padding_us = padding_us;
            nic.rate_control = he(7);
        }
        let mut h = Hosts::new(plan, 1);
        h.send_at(100, STA1, BEYOND);
        h.settle();
        h.timeline().into_iter().take(2).collect::<Vec<_>>()
    };
    assert_eq!(
        first([0, 16]),
        ["100 292.8 sta1>ap data 86.029411 1 received", "308.8 336.8 ap>sta1 ack 24 1 received"]
    );
    assert_eq!(
        first([16, 0]),
        ["100 304.8 sta1>ap data 86.029411 1 received", "320.8 348.8 ap>sta1 ack 24 1 received"]
    );
}
