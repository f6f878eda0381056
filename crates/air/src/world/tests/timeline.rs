//! Frame exchanges by hand: which PPDUs are on the air when, and what the hosts see.
//!
//! Contention windows of 0 take chance away: every backoff is 0 slots. In 11a at 54 Mbit/s
//! data of 1536 octets takes 248 us, an acknowledgement 28; SIFS 16, DIFS 34, `AckTimeout` 45,
//! EIFS 94. Times in microseconds.

use airtcp_plan::{AirPlan, CodeChoice, MacAddress, QueuePlan, Reception};
use airtcp_testing::plans::{cell, mac};

use super::hosts::{AP, BEYOND, Hosts, STA1, STA2, STA3, us};
use super::plans::{at_2_4_ghz, fixed, no_backoff, set_rssi, weak_access_point};
use crate::high::DropReason;
use crate::linux_mac::NoMac80211;

/// ```text
/// 100          348  364  392  426          674  690  718
///  | data 0     |SIFS|ack |DIFS| data 1     |SIFS|ack |
/// ```
#[test]
fn two_frames_one_after_the_other() {
    let mut h = Hosts::new(no_backoff(1, 7), 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(200, STA1, BEYOND);
    h.expect_history(
        "100 348 sta1>ap data 54 1 received
         364 392 ap>sta1 ack 24 1 received
         426 674 sta1>ap data 54 1 received
         690 718 ap>sta1 ack 24 1 received",
    );
    h.expect_actions(
        "348 deliver 0 to ap
         392 sent 0 of sta1
         674 deliver 1 to ap
         718 sent 1 of sta1",
    );
}

/// 11g: every PPDU ends with 6 us of silence, SIFS is 10, DIFS 28; the sums are those of 11a.
#[test]
fn the_same_in_11g() {
    let mut plan = no_backoff(1, 7);
    at_2_4_ghz(&mut plan);
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(200, STA1, BEYOND);
    h.expect_history(
        "100 354 sta1>ap data 54 1 received
         364 398 ap>sta1 ack 24 1 received
         426 680 sta1>ap data 54 1 received
         690 724 ap>sta1 ack 24 1 received",
    );
}

/// ```text
/// 100            348   393      427            675   720
///  | data of both  |timeout|DIFS| both again     |timeout| given up
/// ```
#[test]
fn two_senders_without_backoff_collide_until_they_give_up() {
    let mut h = Hosts::new(no_backoff(2, 2), 1);
    h.send_at(100, STA2, BEYOND);
    h.send_at(100, STA1, BEYOND);
    h.expect_history(
        "100 348 sta1>ap data 54 1 collision
         100 348 sta2>ap data 54 1 collision
         427 675 sta1>ap data 54 2 collision
         427 675 sta2>ap data 54 2 collision",
    );
    h.expect_actions(
        "720 dropped 1 of sta1: retry_limit
         720 dropped 0 of sta2: retry_limit",
    );
    let report = h.finish();
    assert_eq!((report.nics[1].transmissions, report.nics[1].retries, report.nics[1].collisions), (2, 1, 2));
    assert_eq!(report.nics[1].dropped["retry_limit"], 1);
}

/// ```text
/// 100               348   393  427  442
///  | sta1 and sta2    |timeout|    |
///  |    | sta3's frame comes       | sta3 starts after EIFS
/// ```
/// The colliders give up after one attempt.
#[test]
fn a_bystander_waits_for_eifs_after_a_collision() {
    let mut h = Hosts::new(no_backoff(3, 1), 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(100, STA2, BEYOND);
    h.send_at(200, STA3, BEYOND);
    h.expect_history(
        "100 348 sta1>ap data 54 1 collision
         100 348 sta2>ap data 54 1 collision
         442 690 sta3>ap data 54 1 received
         706 734 ap>sta3 ack 24 1 received",
    );
}

/// ```text
/// 100        348                       2172  2206
///  | sta1 54 |timeout at 393 passes in this |
///  | sta2 at 6 Mbit/s                     |DIFS| sta1
/// ```
/// The longer PPDU keeps the medium busy; its sender waits for its own timeout, the other,
/// which heard nothing of it, for DIFS. sta2 retries at 2172 + 45 + 34.
#[test]
fn unequal_ppdus_collide_up_to_the_end_of_the_longer() {
    let mut plan = no_backoff(2, 7);
    plan.nics[2].rate_control = fixed(6);
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(100, STA2, BEYOND);
    h.advance_to(us(2500));
    h.expect_ppdus(
        "100 348 sta1>ap data 54 1 collision
         100 2172 sta2>ap data 6 1 collision
         2206 2454 sta1>ap data 54 2 received
         2470 2498 ap>sta1 ack 24 2 received",
    );
    let medium = h.finish().media[0].clone();
    assert_eq!(medium.collision_ns, 2_072_000);
}

/// A frame that comes 5 us after another's start, inside its slot, collides with it; one
/// that comes 9 us after it has sensed it.
#[test]
fn starts_inside_one_slot_collide() {
    let mut h = Hosts::new(no_backoff(2, 1), 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(105, STA2, BEYOND);
    h.expect_history(
        "100 348 sta1>ap data 54 1 collision
         105 353 sta2>ap data 54 1 collision",
    );
    let medium = h.finish().media[0].clone();
    assert_eq!((medium.data_ns, medium.collision_ns), (5_000, 248_000));

    let mut h = Hosts::new(no_backoff(2, 1), 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(109, STA2, BEYOND);
    h.settle();
    assert_eq!(h.ppdus.len(), 4);
    assert_eq!(h.ppdus[2].start_ns, 426_000);
}

/// The access point sends so weakly that no acknowledgement is readable.
/// ```text
/// 100       348  364  392         486
///  | data    |SIFS|ack |  EIFS     | data again, a duplicate
/// ```
#[test]
fn a_lost_acknowledgement_makes_a_duplicate_that_is_not_delivered() {
    let mut plan = weak_access_point(1, 2);
    plan.channel.reception = Reception::Table { code: CodeChoice::Bcc };
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.expect_history(
        "100 348 sta1>ap data 54 1 received
         364 392 ap>sta1 ack 24 1 corrupted
         486 734 sta1>ap data 54 2 received
         750 778 ap>sta1 ack 24 2 corrupted",
    );
    h.expect_actions(
        "348 deliver 0 to ap
         778 dropped 0 of sta1: retry_limit",
    );
}

/// A plan in which sta1 can't be read at the access point, at 54 Mbit/s, but by sta2.
fn lost_at_the_access_point() -> AirPlan {
    let mut plan = no_backoff(2, 2);
    set_rssi(&mut plan, &[(0, 1, -81.0)]);
    plan.channel.reception = Reception::Table { code: CodeChoice::Bcc };
    plan
}

/// ```text
/// 100       348   393   427
///  | data    |timeout|DIFS| data again
/// ```
#[test]
fn data_lost_to_noise_is_sent_again_after_the_timeout() {
    let mut h = Hosts::new(lost_at_the_access_point(), 1);
    h.send_at(100, STA1, BEYOND);
    h.expect_history(
        "100 348 sta1>ap data 54 1 corrupted
         427 675 sta1>ap data 54 2 corrupted",
    );
    h.expect_actions("720 dropped 0 of sta1: retry_limit");
    let report = h.finish();
    assert_eq!((report.nics[1].corrupted, report.nics[1].collisions), (2, 0));
}

/// ```text
/// 100                    348    392   426
///  | sta1's data, lost     | NAV  | DIFS | sta2, which could read it: 348 + 16 + 28 + 34
///  | sta2's frame comes    |             |
///  | the access point's frame comes      |            442 = 348 + EIFS would be its turn
/// ```
/// sta1's retry would start at 427, a slot not yet over after sta2's start: they collide, and sta2's, 31 dB stronger, is
/// read all the same.
#[test]
fn the_nav_outlasts_lost_data() {
    let mut h = Hosts::new(lost_at_the_access_point(), 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(200, STA2, BEYOND);
    h.send_at(200, AP, mac(2));
    h.advance_to(us(680));
    h.expect_ppdus(
        "100 348 sta1>ap data 54 1 corrupted
         426 674 sta2>ap data 54 1 received
         427 675 sta1>ap data 54 2 collision",
    );
}

/// ```text
/// 100        2172  2206
///  | group     |DIFS| the next frame; nobody acknowledges
/// ```
#[test]
fn a_group_frame_goes_to_everybody_at_the_group_rate() {
    let mut h = Hosts::new(no_backoff(3, 7), 1);
    h.send_at(100, AP, MacAddress::BROADCAST);
    h.send_at(200, AP, mac(2));
    h.expect_history(
        "100 2172 ap>all data 6 1 received
         2206 2454 ap>sta2 data 54 1 received
         2470 2498 sta2>ap ack 24 1 received",
    );
    h.expect_actions(
        "2172 deliver 0 to sta1
         2172 deliver 0 to sta2
         2172 deliver 0 to sta3
         2172 sent 0 of ap
         2454 deliver 1 to sta2
         2498 sent 1 of ap",
    );
}

/// A station's broadcast goes to the access point, which delivers it and sends it to all;
/// its source ignores it. The relayed copy (1) enters the queue at 348, when the PPDU that
/// brought it is still going on, so it has its backoff (of 0) after the acknowledgement.
#[test]
fn a_station_broadcasts_through_its_access_point() {
    let mut h = Hosts::new(no_backoff(2, 7), 1);
    h.send_at(100, STA1, MacAddress::BROADCAST);
    h.settle();
    h.expect_actions(
        "348 deliver 0 to ap
         348 relay 0 by ap
         392 sent 0 of sta1
         2498 deliver 1 to sta2
         2498 sent 1 of ap",
    );
}

#[test]
fn stations_of_a_cell_talk_through_their_access_point() {
    let mut h = Hosts::new(no_backoff(2, 7), 1);
    h.send_at(100, STA1, mac(2));
    h.settle();
    h.expect_actions(
        "348 relay 0 by ap
         392 sent 0 of sta1
         674 deliver 1 to sta2
         718 sent 1 of ap",
    );
}

#[test]
fn a_frame_for_the_access_point_itself_is_delivered_there() {
    let mut h = Hosts::new(no_backoff(2, 7), 1);
    let access_point = h.mac(AP);
    h.send_at(100, STA1, access_point);
    h.settle();
    h.expect_actions("348 deliver 0 to ap\n392 sent 0 of sta1");
}

/// A group frame that collides is neither delivered nor sent again; nobody notices.
#[test]
fn a_group_frame_that_collides_is_lost() {
    let mut h = Hosts::new(no_backoff(2, 1), 1);
    h.send_at(100, AP, MacAddress::BROADCAST);
    h.send_at(100, STA1, BEYOND);
    h.expect_history(
        "100 348 sta1>ap data 54 1 collision
         100 2172 ap>all data 6 1 collision",
    );
    h.expect_actions("393 dropped 1 of sta1: retry_limit\n2172 sent 0 of ap");
}

#[test]
fn what_can_not_be_sent_is_dropped_at_once() {
    let mut h = Hosts::new(no_backoff(1, 7), 1);
    let station = h.mac(STA1);
    h.advance_to(us(5));
    h.give(AP, (h.mac(AP), BEYOND), 1514, 0);
    h.give(STA1, (BEYOND, h.mac(AP)), 1514, 0);
    h.give(STA1, (station, BEYOND), 2311, 0);
    h.drain();
    h.expect_actions(
        "5 dropped 0 of ap: no_such_station
         5 dropped 1 of sta1: foreign_source
         5 dropped 2 of sta1: too_long",
    );
    let report = h.finish();
    assert_eq!(report.nics[0].dropped["no_such_station"], 1);
    assert_eq!((report.nics[1].dropped["foreign_source"], report.nics[1].dropped["too_long"]), (1, 1));
}

/// Backpressure: Stop with the second of two frames; a third that was on its way is taken;
/// Wake only when there is room, after the frame that made it.
#[test]
fn a_full_queue_stops_its_qdisc() {
    let mut plan = no_backoff(1, 7);
    plan.nics[1].queue = QueuePlan::Fifo { packets: 2 };
    let mut h = Hosts::new(plan, 1);
    for _ in 0..3 {
        h.send_at(100, STA1, BEYOND);
    }
    h.settle();
    h.expect_actions(
        "100 stop sta1
         348 deliver 0 to ap
         392 sent 0 of sta1
         674 deliver 1 to ap
         718 sent 1 of sta1
         718 wake sta1
         1000 deliver 2 to ap
         1044 sent 2 of sta1",
    );
    assert_eq!(h.finish().nics[1].queue_max, 3);
}

#[test]
fn without_backpressure_a_full_queue_drops() {
    let mut plan = no_backoff(1, 7);
    plan.nics[1].queue = QueuePlan::Fifo { packets: 2 };
    plan.nics[1].backpressure = false;
    let mut h = Hosts::new(plan, 1);
    for _ in 0..3 {
        h.send_at(100, STA1, BEYOND);
    }
    h.expect_actions("100 dropped 2 of sta1: queue_full");
    h.settle();
    let report = h.finish();
    assert_eq!((report.nics[1].sent, report.nics[1].dropped["queue_full"]), (2, 1));
}

/// No qdisc stands above relayed frames: a full queue drops them even with backpressure,
/// while the kernel's own frame is taken.
#[test]
fn a_relayed_frame_can_be_dropped_in_spite_of_backpressure() {
    let mut plan = no_backoff(2, 7);
    plan.nics[0].queue = QueuePlan::Fifo { packets: 1 };
    let mut h = Hosts::new(plan, 1);
    h.advance_to(us(100));
    h.give(AP, (BEYOND, mac(2)), 1514, 0);
    h.give(AP, (mac(1), mac(2)), 1514, 0);
    h.give(AP, (BEYOND, mac(2)), 1514, 0);
    h.drain();
    h.expect_actions("100 stop ap\n100 dropped 1 of ap: queue_full");
    h.settle();
    assert_eq!(h.finish().nics[0].sent, 2);
}

/// Tie: at one instant it does not matter whether the caller runs the air before or after
/// it gives the frame: what was due in the air happens first.
#[test]
fn tie_run_and_transmit_at_one_instant() {
    let scene = |run_first: bool| {
        let mut h = Hosts::new(cell(2), 3);
        h.send_at(100, STA1, BEYOND);
        h.advance_to(us(347));
        h.now = us(348);
        if run_first {
            h.world.run(us(348), &mut NoMac80211, &mut h.out);
        }
        h.give(STA2, (mac(2), BEYOND), 1514, 0);
        h.world.run(us(348), &mut NoMac80211, &mut h.out);
        h.drain();
        h.settle();
        (h.timeline(), h.actions())
    };
    assert_eq!(scene(true), scene(false));
}

/// One frame needs three visits: the start of its PPDU, its end, and the end of its acknowledgement. The SIFS between
/// needs none.
#[test]
fn a_frame_exchange_needs_three_wakeups() {
    let mut h = Hosts::new(no_backoff(1, 7), 1);
    h.send_at(100, STA1, BEYOND);
    for at in [100, 348, 392] {
        assert_eq!(h.world.next_wakeup(), us(at));
        h.advance_to(us(at));
    }
    assert_eq!(h.world.next_wakeup(), airtcp_units::Instant::FAR_FUTURE);
}

#[test]
#[should_panic(expected = "the air had to run at 100.000 us, but it is 349.000 us")]
fn a_late_caller_is_told_so() {
    let mut h = Hosts::new(no_backoff(1, 7), 1);
    h.send_at(100, STA1, BEYOND);
    h.world.run(us(349), &mut NoMac80211, &mut h.out);
}

#[test]
fn drop_reasons_have_the_names_of_the_report() {
    let names = DropReason::ALL.map(DropReason::name);
    let expected = ["queue_full", "codel", "retry_limit", "no_such_station", "foreign_source", "too_long"];
    assert_eq!(names, expected);
}
