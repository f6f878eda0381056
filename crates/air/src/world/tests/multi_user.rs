//! PPDUs of several users, by hand: 11ax at 20 MHz, HE-MCS 7 with one stream and 0.8 us between symbols.
//!
//! Two stations have RUs of 106 tones: 102 data subcarriers with 6 bits at rate 5/6, 510 bits in a symbol of 13.6 us. The preamble of
//! the PPDU takes 47.2 us: legacy preamble and L-SIG 20, RL-SIG 4, HE-SIG-A 8, HE-SIG-B 4, HE-STF 4, one HE-LTF 7.2. HE-SIG-B at MCS 5
//! has 208 bits in a symbol; it needs 18 for the common field and 52 for two users, with CRC and tail.
//!
//! An MPDU of 1538 octets alone: 8 (4 + 1538) + 16 = 12,352 bits, 25 symbols, 340 us; so the PPDU lasts 387.2 us. Three of them:
//! 8 (2 * 1544 + 1542) + 16 = 37,056 bits, 73 symbols, 992.8 us: 1040 us.
//!
//! SIFS 16, slot 9, DIFS 34; Ack at 24 Mbit/s 28, `BlockAck` 32; `BlockAckReq` at 6 Mbit/s 56, and the `BlockAck` to it 68; the timeout
//! for a response 45.

use airtcp_plan::{
    AirPlan, MultiUserAcknowledgement, MultiUserPlan, MultiUserScheduler, Propagation, QueuePlan, Standard,
};
use airtcp_testing::plans::{FQ_CODEL, IDEAL, mac};
use airtcp_units::{Dbm, Decibel, Metre};

use super::hosts::{AP, BEYOND, Hosts, OPTIONS, STA1, STA2, STA3, us};
use super::plans::{Cliff, aggregating, fixed, he, set_rssi};
use crate::border::Receiver;
use crate::low::{ErrorRates, Reception};
use crate::phy::TxVector;
use crate::trace::PpduOutcome;
use crate::{PpduKind, World};

pub(super) const SEQUENTIAL: MultiUserPlan = MultiUserPlan {
    scheduler: MultiUserScheduler::RoundRobin,
    stations: 4,
    acknowledgement: MultiUserAcknowledgement::Sequential,
    mu_rts: false,
    uplink: None,
};

/// An access point that sends to several of its stations at once.
pub(super) fn sharing(stations: u32) -> AirPlan {
    let mut plan = aggregating(stations, 7);
    (plan.cells[0].standard, plan.cells[0].multi_user) = (Standard::He, Some(SEQUENTIAL));
    plan.nics.iter_mut().for_each(|nic| nic.rate_control = he(7));
    plan
}

/// At 100 us the access point has frames for these stations, in this order.
pub(super) fn give(h: &mut Hosts, stations: &[u32]) {
    h.advance_to(us(100));
    for &station in stations {
        h.give(AP, (BEYOND, mac(station)), 1514, 0);
    }
    h.drain();
}

/// ```text
/// 100          487.2   503.2  531.2  547.2    603.2   619.2   687.2
///  | data of both |SIFS|ack  |SIFS| BlockAckReq |SIFS| BlockAck |
/// ```
#[test]
fn one_frame_for_each_of_two() {
    let mut h = Hosts::new(sharing(2), 1);
    give(&mut h, &[1, 2]);
    h.expect_history(
        "100 487.2 ap>sta1 data 37.5 1 received
         100 487.2 ap>sta2 data 37.5 1 received
         503.2 531.2 sta1>ap ack 24 1 received
         547.2 603.2 ap>sta2 bar 0 6 1 received
         619.2 687.2 sta2>ap ba 6 1 received",
    );
    h.expect_actions(
        "487.2 deliver 0 to sta1
         487.2 deliver 1 to sta2
         687.2 sent 0 of ap
         687.2 sent 1 of ap",
    );
}

/// A station that is this far above the noise at the access point: with 15.5 dB it loses what is faster than 24 Mbit/s, with 8.5 dB
/// everything.
fn with_weak(stations: u32, weak: u32, snr_db: f64) -> Hosts {
    let mut plan = sharing(stations);
    set_rssi(&mut plan, &[(0, weak, -93.97 + snr_db)]);
    Hosts::with_errors(plan, 1, Box::new(Cliff))
}

/// The second user has less: its PSDU is padded, and both end together. First in, first out, the frames of the first are taken before.
#[test]
fn users_with_less_are_padded() {
    let mut h = Hosts::new(sharing(2), 1);
    give(&mut h, &[1, 1, 1, 2]);
    h.expect_history(
        "100 1140 ap>sta1 data 0 1 2 37.5 1 received
         100 1140 ap>sta2 data 37.5 1 received
         1156 1188 sta1>ap ba 24 1 received
         1204 1260 ap>sta2 bar 0 6 1 received
         1276 1344 sta2>ap ba 6 1 received",
    );
}

/// RUs of 52 tones: 48 data subcarriers, 240 bits in a symbol; 52 symbols are 707.2 us. HE-SIG-B has 122 bits, one symbol.
#[test]
fn four_stations_answer_in_turn() {
    let mut h = Hosts::new(sharing(4), 1);
    give(&mut h, &[1, 2, 3, 4]);
    h.expect_history(
        "100 854.4 ap>sta1 data 17.647058 1 received
         100 854.4 ap>sta2 data 17.647058 1 received
         100 854.4 ap>sta3 data 17.647058 1 received
         100 854.4 ap>sta4 data 17.647058 1 received
         870.4 898.4 sta1>ap ack 24 1 received
         914.4 970.4 ap>sta2 bar 0 6 1 received
         986.4 1054.4 sta2>ap ba 6 1 received
         1070.4 1126.4 ap>sta3 bar 0 6 1 received
         1142.4 1210.4 sta3>ap ba 6 1 received
         1226.4 1282.4 ap>sta4 bar 0 6 1 received
         1298.4 1366.4 sta4>ap ba 6 1 received",
    );
}

/// Of three stations two have RUs, as there are two of 106 tones. The third goes first in the next TXOP, before frames of others that came
/// earlier or later: 8 (1544 + 1542) + 16 = 24,704 bits with 106 tones are 49 symbols, 713.6 us. It shares with sta1.
#[test]
fn a_station_without_a_resource_unit_goes_first_in_the_next() {
    // With airtime fairness the newest queue has the first turn.
    for (queue, given) in
        [(QueuePlan::Fifo { packets: 1000 }, [1, 2, 3]), (QueuePlan::FqCodel(FQ_CODEL), [3, 2, 1])]
    {
        let mut plan = sharing(3);
        plan.nics[0].queue = queue;
        let mut h = Hosts::new(plan, 1);
        give(&mut h, &given);
        h.advance_to(us(400));
        for station in [1, 3] {
            h.give(AP, (BEYOND, mac(station)), 1514, 0);
        }
        h.drain();
        h.expect_history(
            "100 487.2 ap>sta1 data 37.5 1 received
             100 487.2 ap>sta2 data 37.5 1 received
             503.2 531.2 sta1>ap ack 24 1 received
             547.2 603.2 ap>sta2 bar 0 6 1 received
             619.2 687.2 sta2>ap ba 6 1 received
             721.2 1434.8 ap>sta3 data 0 1 37.5 1 received
             721.2 1434.8 ap>sta1 data 37.5 1 received
             1450.8 1482.8 sta3>ap ba 24 1 received
             1498.8 1554.8 ap>sta1 bar 1 6 1 received
             1570.8 1638.8 sta1>ap ba 6 1 received",
        );
    }
}

/// Users of each PPDU of several users with data.
pub(super) fn receivers(h: &Hosts) -> Vec<Vec<u32>> {
    let data = h.journal().iter().filter(|ppdu| ppdu.kind == PpduKind::Data);
    data.map(|ppdu| ppdu.users.iter().filter_map(|user| user.receiver.nic()).map(|nic| nic.0).collect())
        .collect()
}

/// Eight stations with the same load, of which 20 MHz serves four at once: each is in every second PPDU, whatever the queues.
#[test]
fn stations_that_wait_have_their_turns() {
    for queue in [QueuePlan::Fifo { packets: 1000 }, QueuePlan::FqCodel(FQ_CODEL)] {
        let mut plan = sharing(8);
        plan.cells[0].multi_user = Some(MultiUserPlan { stations: 8, ..SEQUENTIAL });
        plan.nics[0].queue = queue;
        let mut h = Hosts::new(plan, 1);
        for _ in 0..60 {
            give(&mut h, &[1, 2, 3, 4, 5, 6, 7, 8]);
        }
        h.advance_to(us(40_000));
        let receivers = receivers(&h);
        assert!(receivers.len() > 6, "{receivers:?}");
        for two in receivers.windows(2) {
            let mut both = two.concat();
            both.sort_unstable();
            assert_eq!(both, (1..=8).collect::<Vec<_>>(), "{receivers:?}");
        }
    }
}

/// Three stations at a scheduler that takes two: the third has its turn in the next TXOP, alone. 11 symbols with 1170 bits and a preamble
/// of 43.2 us are 192.8 us.
#[test]
fn the_scheduler_takes_as_many_as_it_may() {
    let mut plan = sharing(3);
    plan.cells[0].multi_user = Some(MultiUserPlan { stations: 2, ..SEQUENTIAL });
    let mut h = Hosts::new(plan, 1);
    give(&mut h, &[1, 2, 3]);
    h.expect_history(
        "100 487.2 ap>sta1 data 37.5 1 received
         100 487.2 ap>sta2 data 37.5 1 received
         503.2 531.2 sta1>ap ack 24 1 received
         547.2 603.2 ap>sta2 bar 0 6 1 received
         619.2 687.2 sta2>ap ba 6 1 received
         721.2 914 ap>sta3 data 86.029411 1 received
         930 958 sta3>ap ack 24 1 received",
    );
}

/// What the second user lost it says itself, in the `BlockAck` that it is asked for. Its frame is repeated, alone.
#[test]
fn lost_data_of_the_second_is_repeated() {
    let mut h = with_weak(2, 2, 15.5);
    give(&mut h, &[1, 2]);
    h.advance_to(us(920));
    h.expect_ppdus(
        "100 487.2 ap>sta1 data 37.5 1 received
         100 487.2 ap>sta2 data 37.5 1 corrupted
         503.2 531.2 sta1>ap ack 24 1 received
         547.2 603.2 ap>sta2 bar 0 6 1 received
         619.2 687.2 sta2>ap ba 6 1 received
         721.2 914 ap>sta2 data 86.029411 2 corrupted",
    );
}

/// The first user answers nothing, so the access point has not gained the medium: timeout, DIFS, and all is sent again. The other station
/// is the first then, and the weak one is asked.
#[test]
fn a_missing_first_response_fails_the_exchange() {
    let mut h = with_weak(2, 1, 15.5);
    give(&mut h, &[1, 2]);
    h.advance_to(us(1160));
    h.expect_ppdus(
        "100 487.2 ap>sta1 data 37.5 1 corrupted
         100 487.2 ap>sta2 data 37.5 1 received
         566.2 953.4 ap>sta2 data 37.5 2 received
         566.2 953.4 ap>sta1 data 37.5 2 corrupted
         969.4 997.4 sta2>ap ack 24 2 received
         1013.4 1069.4 ap>sta1 bar 0 6 2 received
         1085.4 1153.4 sta1>ap ba 6 2 received",
    );
    h.expect_actions(
        "487.2 deliver 1 to sta2
         1153.4 sent 1 of ap",
    );
}

/// The second of four does not hear that it is asked. The medium has been idle for longer than PIFS at the timeout, and the third is asked.
#[test]
fn a_missing_response_in_the_middle_is_passed_over() {
    let mut h = with_weak(4, 2, 8.5);
    give(&mut h, &[1, 2, 3, 4]);
    h.advance_to(us(1550));
    h.expect_ppdus(
        "100 854.4 ap>sta1 data 17.647058 1 received
         100 854.4 ap>sta2 data 17.647058 1 corrupted
         100 854.4 ap>sta3 data 17.647058 1 received
         100 854.4 ap>sta4 data 17.647058 1 received
         870.4 898.4 sta1>ap ack 24 1 received
         914.4 970.4 ap>sta2 bar 0 6 1 corrupted
         1015.4 1071.4 ap>sta3 bar 0 6 1 received
         1087.4 1155.4 sta3>ap ba 6 1 received
         1171.4 1227.4 ap>sta4 bar 0 6 1 received
         1243.4 1311.4 sta4>ap ba 6 1 received
         1345.4 1538.2 ap>sta2 data 86.029411 2 corrupted",
    );
}

/// The last does not hear that it is asked: the others' data is done, and the TXOP is over at the timeout.
#[test]
fn a_missing_last_response_ends_the_txop() {
    let mut h = with_weak(2, 2, 8.5);
    give(&mut h, &[1, 2]);
    h.advance_to(us(880));
    h.expect_ppdus(
        "100 487.2 ap>sta1 data 37.5 1 received
         100 487.2 ap>sta2 data 37.5 1 corrupted
         503.2 531.2 sta1>ap ack 24 1 received
         547.2 603.2 ap>sta2 bar 0 6 1 corrupted
         682.2 875 ap>sta2 data 86.029411 2 corrupted",
    );
    h.expect_actions(
        "487.2 deliver 0 to sta1
         648.2 sent 0 of ap",
    );
}

/// Nobody answers: each attempt counts for all, the contention window grows, and in the end all is given up.
#[test]
fn nobody_answers() {
    let mut plan = sharing(2);
    plan.cells[0].subframe_retry_limit = 2;
    set_rssi(&mut plan, &[(0, 1, -78.5), (0, 2, -78.5)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    give(&mut h, &[1, 2]);
    h.advance_to(us(1000));
    h.expect_ppdus(
        "100 487.2 ap>sta1 data 37.5 1 corrupted
         100 487.2 ap>sta2 data 37.5 1 corrupted
         566.2 953.4 ap>sta2 data 37.5 2 corrupted
         566.2 953.4 ap>sta1 data 37.5 2 corrupted",
    );
    h.expect_actions(
        "998.4 dropped 1 of ap: retry_limit
         998.4 dropped 0 of ap: retry_limit",
    );
}

/// 70 dB between the access point and each of its stations; sta2 sends with this power, all others with 20 dBm.
fn weaken(plan: &mut AirPlan, power_dbm: f64) {
    plan.channel.propagation = Propagation::LogDistance {
        exponent: 3.0,
        reference_loss_db: Some(Decibel::new(70.0)),
        reference_distance_m: Metre::new(1.0),
    };
    let places = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
    for (nic, [x, y]) in plan.nics.iter_mut().zip(places) {
        (nic.position_m, nic.tx_power_dbm) = ([x, y, 0.0].map(Metre::new), Dbm::new(20.0));
    }
    plan.channel.sensitivity_dbm = Dbm::new(-92.0);
    plan.nics[2].tx_power_dbm = Dbm::new(power_dbm);
}

/// The access point hears an answer, and can't read it: it goes on PIFS after that, 25 us. sta2 sends at -14.5 dBm, which is
/// 9.5 dB above the noise.
#[test]
fn a_response_that_is_not_read_is_passed_over_after_pifs() {
    let mut plan = sharing(4);
    weaken(&mut plan, -14.5);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    give(&mut h, &[1, 2, 3, 4]);
    h.advance_to(us(1390));
    h.expect_ppdus(
        "100 854.4 ap>sta1 data 17.647058 1 received
         100 854.4 ap>sta2 data 17.647058 1 received
         100 854.4 ap>sta3 data 17.647058 1 received
         100 854.4 ap>sta4 data 17.647058 1 received
         870.4 898.4 sta1>ap ack 24 1 received
         914.4 970.4 ap>sta2 bar 0 6 1 received
         986.4 1054.4 sta2>ap ba 6 1 corrupted
         1079.4 1135.4 ap>sta3 bar 0 6 1 received
         1151.4 1219.4 sta3>ap ba 6 1 received
         1235.4 1291.4 ap>sta4 bar 0 6 1 received
         1307.4 1375.4 sta4>ap ba 6 1 received",
    );
}

/// With RTS the medium is the access point's even if the first user does not answer: the second is asked at the timeout.
#[test]
fn after_rts_the_medium_is_the_access_points() {
    let mut plan = sharing(2);
    plan.cells[0].rts_threshold_bytes = 1000;
    set_rssi(&mut plan, &[(0, 1, -78.5)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    give(&mut h, &[1, 2]);
    h.advance_to(us(810));
    h.expect_ppdus(
        "100 152 ap>sta1 rts 6 1 received
         168 212 sta1>ap cts 6 1 received
         228 615.2 ap>sta1 data 37.5 1 corrupted
         228 615.2 ap>sta2 data 37.5 1 received
         660.2 716.2 ap>sta2 bar 0 6 1 received
         732.2 800.2 sta2>ap ba 6 1 received",
    );
}

/// Both together take 587.2 us, more than the TXOP; each alone takes 236.8 us.
#[test]
fn a_short_txop_is_for_one() {
    let mut plan = sharing(2);
    plan.cells[0].access.iter_mut().for_each(|ac| ac.txop_us = 300);
    let mut h = Hosts::new(plan, 1);
    give(&mut h, &[1, 2]);
    h.expect_history(
        "100 292.8 ap>sta1 data 86.029411 1 received
         308.8 336.8 sta1>ap ack 24 1 received
         370.8 563.6 ap>sta2 data 86.029411 1 received
         579.6 607.6 sta2>ap ack 24 1 received",
    );
}

/// Who is the next, and when, if the first user of the PPDU answers nothing and a station has got a frame at 200 us. The TXOP field and
/// the Duration field of the PPDU say 200 us more than 487.2; before, at 566.2, the access point tries again.
#[test]
fn those_who_overhear_it_defer() {
    let begins = |station, txop_duration| {
        let mut plan = sharing(3);
        plan.cells[0].txop_duration = txop_duration;
        set_rssi(&mut plan, &[(0, 1, -78.5)]);
        let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
        give(&mut h, &[1, 2]);
        h.send_at(200, station, BEYOND);
        h.advance_to(us(1500));
        let next = h.ppdus.iter().find(|ppdu| ppdu.start_ns > 100_000).expect("one sends");
        (next.nic, next.start_ns)
    };
    // sta3 reads the header only; without a TXOP field it waits for DIFS.
    assert_eq!(begins(STA3, true), (AP, 566_200));
    assert_eq!(begins(STA3, false), (STA3, 521_200));
    // sta2 has decoded a frame. sta1 has not, and knows no more than the header says; without its TXOP field it waits for EIFS, 94 us.
    for (station, txop_duration) in [(STA2, true), (STA2, false), (STA1, true), (STA1, false)] {
        assert_eq!(begins(station, txop_duration), (AP, 566_200));
    }
}

/// The queue of a station of 11a has its turn between those of others, and waits until it is the first.
#[test]
fn older_stations_are_sent_their_frames_alone() {
    let mut plan = sharing(3);
    let old = &mut plan.nics[3];
    (old.standard, old.rate_control, old.aggregation) = (Some(Standard::Ofdm), fixed(54), None);
    (plan.nics[0].rate_control, plan.nics[0].queue) = (IDEAL, QueuePlan::FqCodel(FQ_CODEL));
    let mut h = Hosts::new(plan, 1);
    give(&mut h, &[1, 3, 2]);
    h.settle();
    let data = h.ppdus.iter().filter(|ppdu| ppdu.kind == PpduKind::Data);
    let receivers: Vec<_> = data.map(|ppdu| (ppdu.start_ns, ppdu.to)).collect();
    assert_eq!(receivers[..2], [(100_000, Some(STA2)), (100_000, Some(STA1))], "{receivers:?}");
    assert_eq!(receivers[2].1, Some(STA3));
}

/// MU-BAR: a trigger frame of 46 octets at 6 Mbit/s takes 88 us. A `BlockAck` of 32 octets and its delimiter have 310 bits with
/// SERVICE and tail: a symbol of 14.4 us with 102 subcarriers at MCS 5, 64-QAM 2/3 (408 bits); with a preamble of 48 us it takes 62.4 us.
/// ```text
/// 100          487.2   503.2    591.2   607.2             669.6
///  | data of both |SIFS| trigger  |SIFS| BlockAcks of both |
/// ```
fn triggering(stations: u32) -> AirPlan {
    let mut plan = sharing(stations);
    let acknowledgement = MultiUserAcknowledgement::MuBar;
    plan.cells[0].multi_user = Some(MultiUserPlan { acknowledgement, ..SEQUENTIAL });
    plan
}

#[test]
fn a_trigger_asks_both_at_once() {
    let mut h = Hosts::new(triggering(2), 1);
    give(&mut h, &[1, 2]);
    h.expect_history(
        "100 487.2 ap>sta1 data 37.5 1 received
         100 487.2 ap>sta2 data 37.5 1 received
         503.2 591.2 ap>sta1 trigger 6 1 received
         503.2 591.2 ap>sta2 trigger 6 1 received
         607.2 669.6 sta1>ap ba 28.333333 1 received
         607.2 669.6 sta2>ap ba 28.333333 1 received",
    );
    h.expect_actions(
        "487.2 deliver 0 to sta1
         487.2 deliver 1 to sta2
         669.6 sent 0 of ap
         669.6 sent 1 of ap",
    );
    let medium = h.finish().media[0].clone();
    assert_eq!((medium.collision_ns, medium.data_ns), (0, 387_200));
}

/// sta2 decodes neither data nor trigger. The other's data is done, and the contention window is the smallest.
#[test]
fn one_of_two_answers_a_trigger() {
    for weak in [1, 2] {
        let mut plan = triggering(2);
        set_rssi(&mut plan, &[(0, weak, -93.97 + 8.5)]);
        let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
        give(&mut h, &[1, 2]);
        h.advance_to(us(900));
        let other = 3 - weak;
        let [of_1, of_2] = [1, 2].map(|station| if station == weak { "corrupted" } else { "received" });
        h.expect_ppdus(&format!(
            "100 487.2 ap>sta1 data 37.5 1 {of_1}
             100 487.2 ap>sta2 data 37.5 1 {of_2}
             503.2 591.2 ap>sta1 trigger 6 1 {of_1}
             503.2 591.2 ap>sta2 trigger 6 1 {of_2}
             607.2 669.6 sta{other}>ap ba 28.333333 1 received
             703.6 896.4 ap>sta{weak} data 86.029411 2 corrupted",
        ));
    }
}

/// What a station lost it says in its answer: data comes with 16.5 dB, and the answer with 20.3 dB.
#[test]
fn a_trigger_is_answered_without_data() {
    let mut plan = triggering(2);
    set_rssi(&mut plan, &[(0, 2, -93.97 + 16.5)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    give(&mut h, &[1, 2]);
    h.advance_to(us(900));
    h.expect_ppdus(
        "100 487.2 ap>sta1 data 37.5 1 received
         100 487.2 ap>sta2 data 37.5 1 corrupted
         503.2 591.2 ap>sta1 trigger 6 1 received
         503.2 591.2 ap>sta2 trigger 6 1 received
         607.2 669.6 sta1>ap ba 28.333333 1 received
         607.2 669.6 sta2>ap ba 28.333333 1 received
         703.6 896.4 ap>sta2 data 86.029411 2 corrupted",
    );
}

/// The answer of sta2 at -8 dBm comes with 19.8 dB, since an RU of 106 tones has 3.8 dB less noise than 20 MHz: it is lost, and the
/// other is not. All ends with the last answer.
#[test]
fn one_answer_to_a_trigger_is_lost() {
    let mut plan = triggering(2);
    weaken(&mut plan, -8.0);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    give(&mut h, &[1, 2]);
    h.advance_to(us(900));
    h.expect_ppdus(
        "100 487.2 ap>sta1 data 37.5 1 received
         100 487.2 ap>sta2 data 37.5 1 received
         503.2 591.2 ap>sta1 trigger 6 1 received
         503.2 591.2 ap>sta2 trigger 6 1 received
         607.2 669.6 sta1>ap ba 28.333333 1 received
         607.2 669.6 sta2>ap ba 28.333333 1 corrupted
         703.6 896.4 ap>sta2 data 86.029411 2 received",
    );
}

/// Nobody answers: SIFS, a slot and aRxPHYStartDelay of HE, 57 us, after the trigger all has failed.
#[test]
fn nobody_answers_a_trigger() {
    let mut plan = triggering(2);
    set_rssi(&mut plan, &[(0, 1, -93.97 + 8.5), (0, 2, -93.97 + 8.5)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    give(&mut h, &[1, 2]);
    h.advance_to(us(1070));
    h.expect_ppdus(
        "100 487.2 ap>sta1 data 37.5 1 corrupted
         100 487.2 ap>sta2 data 37.5 1 corrupted
         503.2 591.2 ap>sta1 trigger 6 1 corrupted
         503.2 591.2 ap>sta2 trigger 6 1 corrupted
         682.2 1069.4 ap>sta2 data 37.5 2 corrupted
         682.2 1069.4 ap>sta1 data 37.5 2 corrupted",
    );
}

/// MU-RTS: 38 octets at 6 Mbit/s take 76 us, CTS 44.
/// ```text
/// 100    176  192       236  252           639.2
///  | MU-RTS |SIFS| CTS of both |SIFS| data of both |SIFS| ...
/// ```
fn clearing(stations: u32) -> AirPlan {
    let mut plan = sharing(stations);
    plan.cells[0].rts_threshold_bytes = 1000;
    plan.cells[0].multi_user = Some(MultiUserPlan { mu_rts: true, ..SEQUENTIAL });
    plan
}

#[test]
fn all_answer_mu_rts() {
    let mut h = Hosts::new(clearing(2), 1);
    give(&mut h, &[1, 2]);
    h.expect_history(
        "100 176 ap>sta1 rts 6 1 received
         100 176 ap>sta2 rts 6 1 received
         192 236 sta1>ap cts 6 1 received
         192 236 sta2>ap cts 6 1 received
         252 639.2 ap>sta1 data 37.5 1 received
         252 639.2 ap>sta2 data 37.5 1 received
         655.2 683.2 sta1>ap ack 24 1 received
         699.2 755.2 ap>sta2 bar 0 6 1 received
         771.2 839.2 sta2>ap ba 6 1 received",
    );
    let medium = h.finish().media[0].clone();
    assert_eq!((medium.collision_ns, medium.data_ns), (0, 387_200));
}

/// One does not decode it, or its CTS is lost: the other's is enough, and both are sent their data.
#[test]
fn one_cts_is_enough() {
    for weak in [1, 2] {
        let mut plan = clearing(2);
        set_rssi(&mut plan, &[(0, weak, -93.97 + 8.5)]);
        let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
        give(&mut h, &[1, 2]);
        h.advance_to(us(650));
        let other = 3 - weak;
        let [of_1, of_2] = [1, 2].map(|station| if station == weak { "corrupted" } else { "received" });
        h.expect_ppdus(&format!(
            "100 176 ap>sta1 rts 6 1 {of_1}
             100 176 ap>sta2 rts 6 1 {of_2}
             192 236 sta{other}>ap cts 6 1 received
             252 639.2 ap>sta1 data 37.5 1 {of_1}
             252 639.2 ap>sta2 data 37.5 1 {of_2}",
        ));
    }
    let mut plan = clearing(2);
    weaken(&mut plan, -14.5);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    give(&mut h, &[1, 2]);
    h.advance_to(us(650));
    h.expect_ppdus(
        "100 176 ap>sta1 rts 6 1 received
         100 176 ap>sta2 rts 6 1 received
         192 236 sta1>ap cts 6 1 received
         192 236 sta2>ap cts 6 1 corrupted
         252 639.2 ap>sta1 data 37.5 1 received
         252 639.2 ap>sta2 data 37.5 1 received",
    );
}

/// Nobody answers: SIFS, a slot and aRxPHYStartDelay, 45 us, after it all has failed; DIFS later it is sent again.
#[test]
fn nobody_answers_mu_rts() {
    let mut plan = clearing(2);
    set_rssi(&mut plan, &[(0, 1, -93.97 + 8.5), (0, 2, -93.97 + 8.5)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    give(&mut h, &[1, 2]);
    h.advance_to(us(340));
    let timeline = h.timeline();
    let [first, second]: [Vec<_>; 2] = [0, 2].map(|place| timeline[place..place + 2].to_vec());
    assert!(first.iter().all(|line| line.starts_with("100 176 ap>") && line.ends_with("corrupted")));
    assert!(
        second.iter().all(|line| line.starts_with("255 331 ap>") && line.contains(" rts ")),
        "{timeline:?}"
    );
    assert_eq!(timeline.len(), 4);
}

/// sta3 does not hear the access point. It decodes CTSs that are on the air at once, and defers until 839.2 us: their Duration field.
#[test]
fn those_who_hear_only_the_cts_defer() {
    let mut plan = clearing(3);
    set_rssi(&mut plan, &[(0, 3, -110.0)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    give(&mut h, &[1, 2]);
    h.send_at(240, STA3, BEYOND);
    h.advance_to(us(1500));
    let own = h.ppdus.iter().find(|ppdu| ppdu.nic == STA3).expect("it sends");
    assert!(own.start_ns >= 839_200 + 34_000, "{own:?}");
    let sent: Vec<_> = h.ppdus.iter().filter(|ppdu| ppdu.end_ns <= 840_000).collect();
    assert!(sent.len() == 9 && sent.iter().all(|ppdu| ppdu.outcome == PpduOutcome::Received), "{sent:?}");
}

/// Aggregated MU-BAR: a trigger frame of 37 octets ends each A-MPDU. 8 (1544 + 41) + 16 = 12,696 bits are 25 symbols, as without it.
/// ```text
/// 100                         487.2   503.2              565.6
///  | data and trigger for both |SIFS| BlockAcks of both |
/// ```
fn triggering_inside(stations: u32) -> AirPlan {
    let mut plan = sharing(stations);
    let acknowledgement = MultiUserAcknowledgement::AggregatedMuBar;
    plan.cells[0].multi_user = Some(MultiUserPlan { acknowledgement, ..SEQUENTIAL });
    plan
}

#[test]
fn triggers_within_the_data_ask_both_at_once() {
    let mut h = Hosts::new(triggering_inside(2), 1);
    give(&mut h, &[1, 2]);
    h.expect_history(
        "100 487.2 ap>sta1 data 0 37.5 1 received
         100 487.2 ap>sta2 data 0 37.5 1 received
         503.2 565.6 sta1>ap ba 28.333333 1 received
         503.2 565.6 sta2>ap ba 28.333333 1 received",
    );
    h.expect_actions(
        "487.2 deliver 0 to sta1
         487.2 deliver 1 to sta2
         565.6 sent 0 of ap
         565.6 sent 1 of ap",
    );
    let medium = h.finish().media[0].clone();
    assert_eq!((medium.collision_ns, medium.data_ns), (0, 387_200));
}

/// Three MPDUs, the last padded to 1544 octets: 8 (3 * 1544 + 41) + 16 = 37,400 bits, 74 symbols, 1006.4 us: one more than without the
/// trigger frame.
#[test]
fn a_trigger_counts_in_its_psdu() {
    let mut h = Hosts::new(triggering_inside(2), 1);
    give(&mut h, &[1, 1, 1, 2]);
    h.expect_history(
        "100 1153.6 ap>sta1 data 0 1 2 37.5 1 received
         100 1153.6 ap>sta2 data 0 37.5 1 received
         1169.6 1232 sta1>ap ba 28.333333 1 received
         1169.6 1232 sta2>ap ba 28.333333 1 received",
    );
    let psdus: Vec<_> = h.journal()[0].users.iter().map(|user| user.psdu_bytes).collect();
    assert_eq!(psdus, [3 * 1544 + 41, 1544 + 41]);
}

/// No A-MPDU is longer than its limit with the trigger frame: 3200 octets have room for two MPDUs alone, 3088 of them with padding, and
/// for 41 more; not so 3100.
#[test]
fn a_trigger_counts_for_the_limit_of_an_aggregate() {
    for (limit, mpdus) in [(3200, 2), (3100, 1)] {
        let mut plan = triggering_inside(2);
        plan.nics.iter_mut().filter_map(|nic| nic.aggregation.as_mut()).for_each(|of| of.ampdu_bytes = limit);
        let mut h = Hosts::new(plan, 1);
        give(&mut h, &[1, 1, 2, 2]);
        h.settle();
        let first = &h.journal()[0];
        assert!(first.users.ids().all(|user| first.mpdus[user].len() == mpdus), "{limit}");
        assert!(first.users.iter().all(|user| user.psdu_bytes <= limit));
    }
}

/// A station that has decoded nothing does not know that it is asked. The other's data is done.
#[test]
fn one_of_two_decodes_its_trigger() {
    for weak in [1, 2] {
        let mut plan = triggering_inside(2);
        set_rssi(&mut plan, &[(0, weak, -93.97 + 15.5)]);
        let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
        give(&mut h, &[1, 2]);
        h.advance_to(us(800));
        let other = 3 - weak;
        let [of_1, of_2] =
            [1, 2].map(|station| if station == weak { "0! 37.5 1 corrupted" } else { "0 37.5 1 received" });
        h.expect_ppdus(&format!(
            "100 487.2 ap>sta1 data {of_1}
             100 487.2 ap>sta2 data {of_2}
             503.2 565.6 sta{other}>ap ba 28.333333 1 received
             599.6 792.4 ap>sta{weak} data 86.029411 2 corrupted",
        ));
    }
}

/// The answer of sta2 at -8 dBm is lost, as after a trigger frame of its own.
#[test]
fn one_answer_to_a_trigger_within_the_data_is_lost() {
    let mut plan = triggering_inside(2);
    weaken(&mut plan, -8.0);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    give(&mut h, &[1, 2]);
    h.advance_to(us(800));
    h.expect_ppdus(
        "100 487.2 ap>sta1 data 0 37.5 1 received
         100 487.2 ap>sta2 data 0 37.5 1 received
         503.2 565.6 sta1>ap ba 28.333333 1 received
         503.2 565.6 sta2>ap ba 28.333333 1 corrupted
         599.6 792.4 ap>sta2 data 86.029411 2 received",
    );
}

/// Nobody has decoded anything: SIFS, a slot and aRxPHYStartDelay of HE, 57 us, after the data, then DIFS.
#[test]
fn nobody_decodes_a_trigger() {
    let mut plan = triggering_inside(2);
    set_rssi(&mut plan, &[(0, 1, -93.97 + 8.5), (0, 2, -93.97 + 8.5)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    give(&mut h, &[1, 2]);
    h.advance_to(us(970));
    h.expect_ppdus(
        "100 487.2 ap>sta1 data 0! 37.5 1 corrupted
         100 487.2 ap>sta2 data 0! 37.5 1 corrupted
         578.2 965.4 ap>sta2 data 0! 37.5 2 corrupted
         578.2 965.4 ap>sta1 data 0! 37.5 2 corrupted",
    );
}

/// What comes through with one octet in a thousand lost.
#[derive(Debug)]
struct Rough;

impl ErrorRates for Rough {
    fn decay_per_octet(&self, tx: TxVector, _sinr_db: Decibel, _psdu_bytes: u32) -> f64 {
        if tx.bit_rate().as_bps() > 30_000_000 { 1e-3 } else { 0.0 }
    }
}

/// A trigger frame is decoded or not for itself. A station answers if and only if it has decoded it; data without answer is sent again.
#[test]
fn a_trigger_is_lost_by_itself() {
    let mut seen = [[0; 2]; 2];
    for seed in 0..300 {
        let mut h = Hosts::with_errors(triggering_inside(2), seed, Box::new(Rough));
        give(&mut h, &[1, 2]);
        h.advance_to(us(570));
        let first = &h.journal()[0];
        for (id, user) in first.users.enumerate() {
            let has_data = first.received[id].contains(&Reception::Good);
            let answers = h.journal()[1..].iter().any(|ppdu| Receiver::One(ppdu.from) == user.receiver);
            assert_eq!(answers, user.has_own_trigger(), "seed {seed}");
            let sent = h.actions().iter().filter(|action| action.contains("sent")).count();
            assert!(sent < h.journal().len(), "seed {seed}");
            seen[usize::from(has_data)][usize::from(answers)] += 1;
        }
    }
    // exp(-1.538) of 600 frames arrive, and exp(-0.037) of the trigger frames.
    assert!(seen.iter().flatten().all(|&count| count > 0), "{seen:?}");
    assert!((100..160).contains(&seen[1].iter().sum::<i32>()), "{seen:?}");
}

/// What can't be is refused with key, reason and remedy.
#[test]
fn cells_without_ofdma_are_refused() {
    let refused = |change: &dyn Fn(&mut AirPlan)| {
        let mut plan = sharing(2);
        change(&mut plan);
        World::new(&plan, 1, OPTIONS).expect_err("the plan is refused").to_string()
    };
    assert_eq!(
        refused(&|plan| plan.cells[0].standard = Standard::Vht),
        "air.cells[0].multi_user: only 11ax and 11be have resource units, and the access point of 'cell' is older; choose standard \
         11ax or 11be, or leave multi_user out"
    );
    assert_eq!(
        refused(&|plan| plan.nics.iter_mut().for_each(|nic| nic.aggregation = None)),
        "air.cells[0].multi_user: 'cell' has no station of 11ax or 11be with aggregation, so no station understands it; give it one, \
         or leave multi_user out"
    );
    assert_eq!(
        refused(&|plan| plan.cells[0].multi_user = Some(MultiUserPlan { stations: 1, ..SEQUENTIAL })),
        "air.cells[0].multi_user.stations: 1 stations do not share a PPDU; use 2 to 74; ns-3 has 4"
    );
}
