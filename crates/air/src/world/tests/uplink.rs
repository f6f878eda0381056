//! Uplinks that the access point triggers, by hand: 11ax at 20 MHz, HE-MCS 7 with one stream, 1.6 us between symbols.
//!
//! Two stations have RUs of 106 tones: 510 bits in a symbol of 14.4 us; one alone has 1170. The preamble of their PPDUs takes 48 us: legacy
//! preamble and L-SIG 20, RL-SIG 4, HE-SIG-A 8, HE-STF 8, one HE-LTF 8.
//!
//! A Basic trigger frame has 28 octets and 6 for each station: at 6 Mbit/s 72 us for one, 80 us for two. Of a station that has said nothing
//! 500 octets are asked, and 34 for headers: 8 * 534 + 16 = 4288 bits, 9 symbols, 129.6 us; so its PPDU lasts 177.6 us.
//!
//! A multi-STA `BlockAck` has 22 octets and 2 for each single MPDU: at 24 Mbit/s 32 us. An aggregate needs 12: 36 us in all for one
//! station. SIFS 16, slot 9, DIFS 34. A station waits 45 us for it, the access point 57 us for answers.
//!
//! Stations contend too, with an AIFS of 151 us, so that the access point is faster.

use airtcp_plan::{
    AccessParameters, AirPlan, MultiUserAcknowledgement, MultiUserPlan, MultiUserScheduler, Standard,
    UplinkPlan,
};
use airtcp_units::{Dbm, Decibel};

use super::hosts::{AP, BEYOND, Hosts, OPTIONS, STA1, STA2, us};
use super::plans::{AT_ONCE, Cliff, aggregating, he, set_rssi};
use crate::World;
use crate::low::ErrorRates;
use crate::phy::TxVector;

pub(super) const UPLINK: UplinkPlan = UplinkPlan {
    bsrp: false,
    interval_us: 100,
    report_lifetime_us: 20_000,
    target_rssi_dbm: None,
    mu_edca: None,
    random_access: None,
};

/// Thermal noise in 20 MHz.
pub(super) const NOISE_DBM: f64 = -93.97;

pub(super) fn triggering(stations: u32, uplink: UplinkPlan) -> AirPlan {
    let mut plan = aggregating(stations, 7);
    plan.cells[0].standard = Standard::He;
    plan.cells[0].multi_user = Some(MultiUserPlan {
        scheduler: MultiUserScheduler::RoundRobin,
        stations: 4,
        acknowledgement: MultiUserAcknowledgement::Sequential,
        mu_rts: false,
        uplink: Some(uplink),
    });
    plan.nics.iter_mut().for_each(|nic| nic.rate_control = he(7));
    let slow = AccessParameters { aifsn: 15, ..AT_ONCE };
    plan.nics.iter_mut().skip(1).for_each(|nic| nic.access = Some(vec![slow; 4]));
    plan
}

/// While the trigger frame of 100 us is on the air, both stations get a frame of 400 bytes: an MPDU of 424 octets.
pub(super) fn give_both(h: &mut Hosts) {
    for station in [STA1, STA2] {
        h.send_as(150, station, BEYOND, (400, 0));
    }
}

/// ```text
/// 100      180   196             373.6   389.6          421.6
///  | trigger |SIFS| data of both   |SIFS| multi-STA ack |
/// ```
#[test]
fn one_frame_of_each_of_two() {
    let mut h = Hosts::new(triggering(2, UPLINK), 1);
    give_both(&mut h);
    h.advance_to(us(455));
    h.expect_ppdus(
        "100 180 ap>sta1 trigger 6 1 received
         100 180 ap>sta2 trigger 6 1 received
         196 373.6 sta1>ap data 35.416666 1 received
         196 373.6 sta2>ap data 35.416666 1 received
         389.6 421.6 ap>sta1 multistablockack 24 1 received
         389.6 421.6 ap>sta2 multistablockack 24 1 received",
    );
    h.expect_actions(
        "373.6 deliver 0 to ap
         373.6 deliver 1 to ap
         421.6 sent 0 of sta1
         421.6 sent 1 of sta2",
    );
    let report = h.finish();
    assert_eq!((report.media[0].collision_ns, report.media[0].data_ns), (0, 177_600));
}

/// Nothing waits, so both say that in `QoS` Null frames, eight with 286 octets, padded to 534. Nobody acknowledges them, and while their
/// reports are young nobody is asked again: for 20 ms from 373.6 us on. The access point contended last at 407.6 us, and looks every 100 us.
#[test]
fn empty_stations_say_so_and_are_left_alone() {
    let mut h = Hosts::new(triggering(2, UPLINK), 1);
    h.advance_to(us(20_700));
    h.expect_ppdus(
        "100 180 ap>sta1 trigger 6 1 received
         100 180 ap>sta2 trigger 6 1 received
         196 373.6 sta1>ap qosnull 35.416666 1 received
         196 373.6 sta2>ap qosnull 35.416666 1 received
         20407.6 20487.6 ap>sta1 trigger 6 1 received
         20407.6 20487.6 ap>sta2 trigger 6 1 received
         20503.6 20681.2 sta1>ap qosnull 35.416666 1 received
         20503.6 20681.2 sta2>ap qosnull 35.416666 1 received",
    );
    assert_eq!(h.ppdus[2].bytes, 286);
}

/// Four frames of 1514 bytes do not fit into what is asked of an unknown station. It reports 6056 octets, rounded up to 6144; with 34 for
/// headers 49,424 + 16 bits are 43 symbols: 667.2 us. The other station has nothing, and is not asked.
#[test]
fn a_report_makes_the_answer_as_long_as_it_needs() {
    let mut h = Hosts::new(triggering(2, UPLINK), 1);
    for _ in 0..4 {
        h.send_as(150, STA1, BEYOND, (1514, 0));
    }
    h.advance_to(us(1_230));
    h.expect_ppdus(
        "100 180 ap>sta1 trigger 6 1 received
         100 180 ap>sta2 trigger 6 1 received
         196 373.6 sta1>ap qosnull 35.416666 1 received
         196 373.6 sta2>ap qosnull 35.416666 1 received
         407.6 479.6 ap>sta1 trigger 6 1 received
         495.6 1162.8 sta1>ap data 0 1 2 3 81.25 1 received
         1178.8 1214.8 ap>sta1 multistablockack 24 1 received",
    );
}

/// A report may be wrong: both stations have said that 3028 octets wait (3072), and have given them up since, after one attempt at 86 Mbit/s
/// in which they met. Both are asked for 3106 octets, 49 symbols, and send the `BlockAckReq` that they owe with padding. Each is acknowledged
/// in 2 octets: 32 us.
#[test]
fn a_report_may_be_wrong() {
    let mut plan = triggering(2, UplinkPlan { interval_us: 1_000, ..UPLINK });
    super::plans::allow_attempts(&mut plan.cells[0], 1);
    let mut h = Hosts::new(plan, 1);
    for station in [STA1, STA2, STA1, STA2] {
        h.send_as(1_010, station, BEYOND, (1514, 0));
    }
    h.advance_to(us(3_000));
    h.expect_ppdus(
        "1000 1080 ap>sta1 trigger 6 1 received
         1000 1080 ap>sta2 trigger 6 1 received
         1096 1273.6 sta1>ap qosnull 35.416666 1 received
         1096 1273.6 sta2>ap qosnull 35.416666 1 received
         1480.6 1823 sta1>ap data 0! 1! 86.029411 1 collision
         1480.6 1823 sta2>ap data 0! 1! 86.029411 1 collision
         2000 2080 ap>sta1 trigger 6 1 received
         2000 2080 ap>sta2 trigger 6 1 received
         2096 2849.6 sta1>ap bar 2 35.416666 1 received
         2096 2849.6 sta2>ap bar 2 35.416666 1 received
         2865.6 2897.6 ap>sta1 multistablockack 24 1 received
         2865.6 2897.6 ap>sta2 multistablockack 24 1 received",
    );
}

/// sta2 does not decode the trigger frame: the other is acknowledged, and sta2 sends for itself.
#[test]
fn one_of_two_does_not_hear_the_trigger() {
    let mut plan = triggering(2, UPLINK);
    set_rssi(&mut plan, &[(0, 2, NOISE_DBM + 8.5)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    h.send_as(150, STA1, BEYOND, (400, 0));
    h.advance_to(us(455));
    h.expect_ppdus(
        "100 180 ap>sta1 trigger 6 1 received
         100 180 ap>sta2 trigger 6 1 corrupted
         196 373.6 sta1>ap data 35.416666 1 received
         389.6 421.6 ap>sta1 multistablockack 24 1 received",
    );
}

/// What sta2 sends comes with 15 dB, in an RU of 106 tones 18.8, and 20 are needed: it hears a `BlockAck` without itself, and keeps its
/// frame. The other has nothing left and has said so; nothing has been heard from sta2, which is asked alone: 4288 bits are 4 symbols of
/// 1170 bits, 57.6 us.
#[test]
fn data_of_one_of_two_is_lost() {
    let mut plan = triggering(2, UPLINK);
    set_rssi(&mut plan, &[(0, 2, NOISE_DBM + 15.0)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    give_both(&mut h);
    h.advance_to(us(650));
    h.expect_ppdus(
        "100 180 ap>sta1 trigger 6 1 received
         100 180 ap>sta2 trigger 6 1 received
         196 373.6 sta1>ap data 35.416666 1 received
         196 373.6 sta2>ap data 35.416666 1 corrupted
         389.6 421.6 ap>sta1 multistablockack 24 1 received
         455.6 527.6 ap>sta2 trigger 6 1 received
         543.6 649.2 sta2>ap data 81.25 2 corrupted",
    );
}

/// 24 Mbit/s need 20 dB as what is faster.
#[derive(Debug)]
pub(super) struct Steep;

impl ErrorRates for Steep {
    fn decay_per_octet(&self, tx: TxVector, sinr_db: Decibel, _psdu_bytes: u32) -> f64 {
        let needed = if tx.bit_rate().as_bps() >= 24_000_000 { 20.0 } else { 10.0 };
        if sinr_db.get() >= needed { 0.0 } else { f64::INFINITY }
    }
}

/// With 17 dB, in an RU 20.8, the data of sta2 arrives, and the `BlockAck` at 24 Mbit/s is lost. sta2 has heard it, and is done at its end.
/// It sends the frame again by itself, after an AIFS that is 60 us longer (EIFS).
#[test]
fn the_acknowledgement_is_lost_at_one_of_two() {
    let mut plan = triggering(2, UPLINK);
    set_rssi(&mut plan, &[(0, 2, NOISE_DBM + 17.0)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Steep));
    give_both(&mut h);
    h.advance_to(us(900));
    h.expect_ppdus(
        "100 180 ap>sta1 trigger 6 1 received
         100 180 ap>sta2 trigger 6 1 received
         196 373.6 sta1>ap data 35.416666 1 received
         196 373.6 sta2>ap data 35.416666 1 received
         389.6 421.6 ap>sta1 multistablockack 24 1 received
         389.6 421.6 ap>sta2 multistablockack 24 1 corrupted
         632.6 730.2 sta2>ap data 86.029411 2 corrupted",
    );
}

/// Nobody answers: SIFS, a slot and aRxPHYStartDelay of HE, 57 us, after the trigger frame the exchange has failed. DIFS later comes the next,
/// or a slot after that, since the contention window has grown to 1.
#[test]
fn nobody_answers_a_trigger() {
    let mut plan = triggering(2, UPLINK);
    set_rssi(&mut plan, &[(0, 1, NOISE_DBM + 8.5), (0, 2, NOISE_DBM + 8.5)]);
    plan.nics[0].access = Some(vec![AccessParameters { aifsn: 2, cw_min: 0, cw_max: 1, txop_us: 0 }; 4]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    h.advance_to(us(360));
    h.expect_ppdus(
        "100 180 ap>sta1 trigger 6 1 corrupted
         100 180 ap>sta2 trigger 6 1 corrupted
         271 351 ap>sta1 trigger 6 1 corrupted
         271 351 ap>sta2 trigger 6 1 corrupted",
    );
    // Without slots of backoff there would be one every 171 us.
    h.advance_to(us(1_000_000));
    let gaps = h.ppdus.chunks(2).map(|both| both[0].start_ns).collect::<Vec<_>>();
    assert!(gaps.windows(2).any(|two| two[1] - two[0] == 180_000), "{gaps:?}");
}

/// What both send is lost: the access point says nothing, and each station is done after 45 us. EIFS, 94 us, after 373.6 us the access point
/// tries again.
#[test]
fn all_data_is_lost() {
    let mut plan = triggering(2, UPLINK);
    set_rssi(&mut plan, &[(0, 1, NOISE_DBM + 15.0), (0, 2, NOISE_DBM + 15.0)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    give_both(&mut h);
    h.advance_to(us(750));
    h.expect_ppdus(
        "100 180 ap>sta1 trigger 6 1 received
         100 180 ap>sta2 trigger 6 1 received
         196 373.6 sta1>ap data 35.416666 1 corrupted
         196 373.6 sta2>ap data 35.416666 1 corrupted
         467.6 547.6 ap>sta1 trigger 6 1 received
         467.6 547.6 ap>sta2 trigger 6 1 received
         563.6 741.2 sta1>ap data 35.416666 2 corrupted
         563.6 741.2 sta2>ap data 35.416666 2 corrupted",
    );
}

/// BSRP first: 28 octets and 5 for each station, 76 us for two; its answers have 286 octets, 2304 bits, 5 symbols: 120 us. Then Basic, for
/// the one that has something: 434 octets, 3488 bits. They would fill the third symbol of 1170 bits, of which LDPC needs more: 105.6 us.
#[test]
fn buffer_status_is_asked_for_first() {
    let mut h = Hosts::new(triggering(2, UplinkPlan { bsrp: true, ..UPLINK }), 1);
    h.send_as(150, STA2, BEYOND, (400, 0));
    h.advance_to(us(610));
    h.expect_ppdus(
        "100 176 ap>sta1 trigger 6 1 received
         100 176 ap>sta2 trigger 6 1 received
         192 312 sta1>ap qosnull 35.416666 1 received
         192 312 sta2>ap qosnull 35.416666 1 received
         346 418 ap>sta2 trigger 6 1 received
         434 539.6 sta2>ap data 81.25 1 received
         555.6 587.6 ap>sta2 multistablockack 24 1 received",
    );
}

/// In a TXOP with a limit both follow each other by SIFS.
#[test]
fn both_trigger_frames_in_one_txop() {
    let mut plan = triggering(2, UplinkPlan { bsrp: true, ..UPLINK });
    plan.nics[0].access = Some(vec![AccessParameters { txop_us: 3_000, ..AT_ONCE }; 4]);
    let mut h = Hosts::new(plan, 1);
    h.send_as(150, STA2, BEYOND, (400, 0));
    h.advance_to(us(580));
    h.expect_ppdus(
        "100 176 ap>sta1 trigger 6 1 received
         100 176 ap>sta2 trigger 6 1 received
         192 312 sta1>ap qosnull 35.416666 1 received
         192 312 sta2>ap qosnull 35.416666 1 received
         328 400 ap>sta2 trigger 6 1 received
         416 521.6 sta2>ap data 81.25 1 received
         537.6 569.6 ap>sta2 multistablockack 24 1 received",
    );
}

/// The access point wants less than the stations have. Of what it wants 20 dB above the noise in the RU are needed, which is 3.8 dB below that
/// in 20 MHz.
#[test]
fn stations_send_with_the_power_that_is_asked_for() {
    for (target, outcome) in [(-60.0, "received"), (-77.0, "received"), (-78.0, "corrupted")] {
        let target_rssi_dbm = Some(Dbm::new(target));
        let plan = triggering(2, UplinkPlan { target_rssi_dbm, ..UPLINK });
        let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
        give_both(&mut h);
        h.advance_to(us(380));
        let line = &h.timeline()[2];
        assert_eq!(line, &format!("196 373.6 sta1>ap data 35.416666 1 {outcome}"), "{target} dBm");
    }
}

/// A voice frame is asked for first, whatever category the access point has contended in, and best effort by the next trigger frame. (The
/// voice frame is the second that was given.)
#[test]
fn voice_goes_first() {
    let mut h = Hosts::new(triggering(1, UplinkPlan { bsrp: true, ..UPLINK }), 1);
    h.send_as(120, STA1, BEYOND, (300, 0));
    h.send_as(120, STA1, BEYOND, (200, 6));
    h.advance_to(us(1_000));
    let ends = h.actions().into_iter().filter(|line| line.contains("sent")).collect::<Vec<_>>();
    assert_eq!(ends, ["522 sent 1 of sta1", "992.4 sent 0 of sta1"]);
}

/// After a PPDU to several stations an uplink follows, without any interval.
#[test]
fn an_uplink_follows_a_downlink() {
    let mut h = Hosts::new(triggering(2, UplinkPlan { interval_us: 0, ..UPLINK }), 1);
    h.advance_to(us(100));
    for station in [1, 2] {
        h.give(AP, (BEYOND, airtcp_testing::plans::mac(station)), 1514, 0);
    }
    h.drain();
    h.advance_to(us(1_200));
    h.expect_ppdus(
        "100 487.2 ap>sta1 data 37.5 1 received
         100 487.2 ap>sta2 data 37.5 1 received
         503.2 531.2 sta1>ap ack 24 1 received
         547.2 603.2 ap>sta2 bar 0 6 1 received
         619.2 687.2 sta2>ap ba 6 1 received
         721.2 801.2 ap>sta1 trigger 6 1 received
         721.2 801.2 ap>sta2 trigger 6 1 received
         817.2 994.8 sta1>ap qosnull 35.416666 1 received
         817.2 994.8 sta2>ap qosnull 35.416666 1 received",
    );
}

/// What can't be is refused with key, reason and remedy.
#[test]
fn cells_without_triggered_uplinks_are_refused() {
    let refused = |change: &dyn Fn(&mut AirPlan)| {
        let mut plan = triggering(2, UPLINK);
        change(&mut plan);
        World::new(&plan, 1, OPTIONS).expect_err("the plan is refused").to_string()
    };
    assert_eq!(
        refused(&|plan| {
            plan.cells[0].access.truncate(1);
            plan.nics.iter_mut().for_each(|nic| nic.access = None);
        }),
        "air.cells[0].multi_user.uplink: trigger frames ask for QoS frames, and 'cell' has DCF; give its access four categories, or leave \
         uplink out"
    );
    assert_eq!(
        refused(&|plan| {
            let uplink = UplinkPlan { target_rssi_dbm: Some(Dbm::new(-10.0)), ..UPLINK };
            plan.cells[0].multi_user.as_mut().expect("it has").uplink = Some(uplink);
        }),
        "air.cells[0].multi_user.uplink.target_rssi_dbm: a trigger frame can't ask for -10 dBm; use -110 to -20 dBm"
    );
}
