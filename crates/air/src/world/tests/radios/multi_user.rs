//! PPDUs of several users and uplinks with mac80211 above, by hand: the PPDUs are those of airtcp's own MAC (`world/tests/multi_user`,
//! `world/tests/uplink`, which explain the numbers), and the driver is told of each user.

use airtcp_plan::{
    AccessParameters, AirPlan, LinuxRateControl, LinuxSetup, MuEdcaParameters, MultiUserAcknowledgement,
    MultiUserPlan, MultiUserScheduler, Standard, UplinkPlan,
};
use airtcp_testing::plans::mac;
use airtcp_units::{Duration, Instant};

use super::super::super::World;
use super::super::hosts::{AP, OPTIONS, STA1, STA2, STA3, line};
use super::super::plans::{AT_ONCE, Cliff, aggregating, he, set_rssi};
use super::fake::{Told, data};
use super::fleet::{Fleet, MPDU_BYTES, on_linux};
use crate::border::AccessCategory;
use crate::low::ErrorRates;
use crate::phy::{Format, Guard, TxVector, Width};
use crate::{NicId, RadioEdcaf, TimeSpan};

const HE7: TxVector = TxVector::mimo(Format::He, 7, 1, Width::Mhz20, Guard::Ns800);

const SEQUENTIAL: MultiUserPlan = MultiUserPlan {
    scheduler: MultiUserScheduler::RoundRobin,
    stations: 4,
    acknowledgement: MultiUserAcknowledgement::Sequential,
    mu_rts: false,
    uplink: None,
};

const UPLINK: UplinkPlan = UplinkPlan {
    bsrp: false,
    interval_us: 100,
    report_lifetime_us: 20_000,
    target_rssi_dbm: None,
    mu_edca: None,
    random_access: None,
};

/// Thermal noise in 20 MHz.
const NOISE_DBM: f64 = -93.97;

/// A cell of 11ax at HE-MCS 7 whose access point sends to several stations at once.
pub(super) fn sharing(stations: u32, multi_user: MultiUserPlan) -> AirPlan {
    let mut plan = on_linux(aggregating(stations, 7));
    (plan.cells[0].standard, plan.cells[0].multi_user) = (Standard::He, Some(multi_user));
    plan.cells[0].linux.as_mut().expect("it has mac80211").rate_control = LinuxRateControl::Ours;
    plan.nics.iter_mut().for_each(|nic| nic.rate_control = he(7));
    plan
}

/// The same, and it asks them; they contend with an AIFS of 151 us.
fn triggering(stations: u32) -> AirPlan {
    let mut plan = sharing(stations, MultiUserPlan { uplink: Some(UPLINK), ..SEQUENTIAL });
    let slow = AccessParameters { aifsn: 15, ..AT_ONCE };
    plan.nics.iter_mut().skip(1).for_each(|nic| nic.access = Some(vec![slow; 4]));
    plan
}

/// Its radios, associated and with agreements in both directions; queues have turns.
pub(super) fn fleet(plan: AirPlan, errors: Option<Box<dyn ErrorRates>>) -> Fleet {
    let mut fleet = match errors {
        Some(errors) => Fleet::with_errors(plan, HE7, errors),
        None => Fleet::new(plan, HE7),
    };
    (fleet.fake.aggregates, fleet.fake.turns) = (true, true);
    for station in 1..fleet.plan.nics.len() as u32 {
        fleet.associate(NicId(station), Some(AP));
        fleet.agree(AP, mac(station), 64);
        fleet.agree(NicId(station), mac(0), 64);
    }
    fleet
}

/// At 100 us the access point has a frame of 1514 bytes for each of these.
fn give(fleet: &mut Fleet, stations: &[u32]) {
    for &station in stations {
        fleet.send_at(100, AP, mac(station), 1);
    }
}

/// A frame of 400 bytes comes to a station at this instant: an MPDU of 424 octets.
fn give_station(fleet: &mut Fleet, at_us: u64, station: NicId) {
    fleet.at(at_us);
    let frame = data(fleet.mac(station), mac(0), 424, true);
    fleet.send_as(station, frame);
}

/// Airtimes of which the driver was told, in microseconds, and whether in answers to a trigger frame.
fn airtimes(fleet: &Fleet) -> Vec<(f64, bool)> {
    let of = |told: &Told| match told {
        Told::Ppdu { status, .. } => Some((status.airtime.as_nanos() as f64 / 1000.0, status.solicited)),
        _ => None,
    };
    fleet.fake.told.iter().flatten().filter_map(of).collect()
}

/// Each user has half of the tones, and so half of the 587.2 us. The `BlockAckReq` is the lower half's own: mac80211 knows nothing of it.
#[test]
fn the_driver_is_told_of_each_user() {
    let mut fleet = fleet(sharing(2, SEQUENTIAL), None);
    give(&mut fleet, &[1, 2]);
    fleet.expect_history(
        "100 487.2 ap>sta1 data 37.5 1 received
         100 487.2 ap>sta2 data 37.5 1 received
         503.2 531.2 sta1>ap ack 24 1 received
         547.2 603.2 ap>sta2 bar 6 1 received
         619.2 687.2 sta2>ap ba 6 1 received",
    );
    fleet.expect_told(
        "487.2 sta1 rx [0] of ap at 5180
         487.2 sta2 rx [1] of ap at 5180
         687.2 ap ppdu [0] 86.029411 1 acked 1
         687.2 ap done 0 acked
         687.2 ap ppdu [1] 86.029411 1 acked 1
         687.2 ap done 1 acked",
    );
    assert_eq!(airtimes(&fleet), [(293.6, false); 2]);
    fleet.finish();
}

/// sta2 loses what is faster than 24 Mbit/s: what it has lost is the access point's again, and goes alone.
#[test]
fn data_that_one_user_has_lost_is_repeated() {
    let mut plan = sharing(2, SEQUENTIAL);
    set_rssi(&mut plan, &[(0, 2, NOISE_DBM + 15.5)]);
    let mut fleet = fleet(plan, Some(Box::new(Cliff)));
    give(&mut fleet, &[1, 2]);
    fleet.at(920);
    fleet.expect_ppdus(
        "100 487.2 ap>sta1 data 37.5 1 received
         100 487.2 ap>sta2 data 37.5 1 corrupted
         503.2 531.2 sta1>ap ack 24 1 received
         547.2 603.2 ap>sta2 bar 6 1 received
         619.2 687.2 sta2>ap ba 6 1 received
         721.2 914 ap>sta2 data 86.029411 2 corrupted",
    );
    fleet.expect_told(
        "487.2 sta1 rx [0] of ap at 5180
         687.2 ap ppdu [0] 86.029411 1 acked 1
         687.2 ap done 0 acked
         687.2 ap ppdu [1] 86.029411 1 acked 0",
    );
}

/// The answer of sta2 does not come, as it has not heard that it is asked.
#[test]
fn an_answer_that_does_not_come_leaves_the_others_as_they_are() {
    let mut plan = sharing(2, SEQUENTIAL);
    set_rssi(&mut plan, &[(0, 2, NOISE_DBM + 8.5)]);
    let mut fleet = fleet(plan, Some(Box::new(Cliff)));
    give(&mut fleet, &[1, 2]);
    fleet.at(880);
    fleet.expect_ppdus(
        "100 487.2 ap>sta1 data 37.5 1 received
         100 487.2 ap>sta2 data 37.5 1 corrupted
         503.2 531.2 sta1>ap ack 24 1 received
         547.2 603.2 ap>sta2 bar 6 1 corrupted
         682.2 875 ap>sta2 data 86.029411 2 corrupted",
    );
    fleet.expect_told(
        "487.2 sta1 rx [0] of ap at 5180
         648.2 ap ppdu [0] 86.029411 1 acked 1
         648.2 ap done 0 acked
         648.2 ap ppdu [1] 86.029411 1 acked 0",
    );
}

/// A station leaves while it is sent data: its MPDU is not repeated, and the other's is done.
#[test]
fn what_one_user_has_lost_ends_if_it_is_purged() {
    let mut plan = sharing(2, SEQUENTIAL);
    set_rssi(&mut plan, &[(0, 2, NOISE_DBM + 8.5)]);
    let mut fleet = fleet(plan, Some(Box::new(Cliff)));
    give(&mut fleet, &[1, 2]);
    fleet.at(300);
    let txq = fleet.fake.queue(AP, mac(2), 0);
    fleet.purge(AP, txq);
    fleet.settle();
    fleet.expect_told(
        "487.2 sta1 rx [0] of ap at 5180
         648.2 ap ppdu [0] 86.029411 1 acked 1
         648.2 ap done 0 acked
         648.2 ap ppdu [1] 86.029411 1 acked 0
         648.2 ap done 1 purged",
    );
    assert!(fleet.world.flush(AP));
    fleet.finish();
}

/// Three stations with two resource units: the third goes first in the next PPDU. Its queue is out meanwhile, and comes back.
#[test]
fn a_queue_without_a_resource_unit_goes_first_and_comes_back() {
    let mut fleet = fleet(sharing(3, SEQUENTIAL), None);
    give(&mut fleet, &[1, 2, 3]);
    fleet.send_at(400, AP, mac(3), 1);
    fleet.send(AP, mac(1), 1);
    fleet.expect_history(
        "100 487.2 ap>sta1 data 37.5 1 received
         100 487.2 ap>sta2 data 37.5 1 received
         503.2 531.2 sta1>ap ack 24 1 received
         547.2 603.2 ap>sta2 bar 6 1 received
         619.2 687.2 sta2>ap ba 6 1 received
         721.2 1434.8 ap>sta3 data 37.5 1 received
         721.2 1434.8 ap>sta1 data 37.5 1 received
         1450.8 1482.8 sta3>ap ba 24 1 received
         1498.8 1554.8 ap>sta1 bar 6 1 received
         1570.8 1638.8 sta1>ap ba 6 1 received",
    );
    assert_eq!(fleet.fake.waiting(AP), 0);
    fleet.send_at(2_000, AP, mac(3), 1);
    fleet.settle();
    assert_eq!(fleet.fake.waiting(AP), 0);
    fleet.finish();
}

/// A queue whose agreement is for one MPDU at a time: four frames for the other, one for this one.
#[test]
fn the_window_is_that_of_the_agreement() {
    let mut fleet = fleet(sharing(2, SEQUENTIAL), None);
    fleet.agree(AP, mac(2), 1);
    give(&mut fleet, &[1, 1, 2, 2]);
    fleet.at(1_400);
    let of_users: Vec<_> = fleet.ppdus.iter().take(2).map(|ppdu| ppdu.bytes).collect();
    assert_eq!(of_users, [2 * (4 + MPDU_BYTES) + 2, 4 + MPDU_BYTES]);
}

/// The monitor hears the `BlockAckReq` that the lower half has made, in the name of its queue's addresses.
#[test]
fn a_monitor_hears_what_the_lower_half_asks() {
    let mut fleet = fleet(sharing(3, SEQUENTIAL), None);
    fleet.world.monitor(fleet.now, STA3, true, &mut fleet.out);
    // A record that begins with an agreement is complete.
    fleet.agree(AP, mac(2), 64);
    give(&mut fleet, &[1, 2]);
    fleet.settle();
    let told = fleet.fake.told.as_mut().expect("it is kept");
    told.retain(|told| matches!(told, Told::Heard { .. }));
    fleet.expect_told(
        "531.2 sta3 hears ack sta1>ap 0
         603.2 sta3 hears blockackreq ap>sta2 84 0 0
         687.2 sta3 hears blockack sta2>ap 0 0 0 0100000000000000",
    );
    fleet.finish();
}

/// So does a capture: a `BlockAckReq`, and, when a trigger frame asks, `BlockAck`s with their addresses.
#[test]
fn a_capture_has_the_addresses_of_what_is_asked_and_answered() {
    for acknowledgement in [MultiUserAcknowledgement::Sequential, MultiUserAcknowledgement::MuBar] {
        let mut fleet = fleet(sharing(2, MultiUserPlan { acknowledgement, ..SEQUENTIAL }), None);
        fleet.world.capture(TimeSpan { start: Instant::ZERO, end: Instant::FAR_FUTURE });
        give(&mut fleet, &[1, 2]);
        fleet.settle();
        let captured = &fleet.out.captured;
        let made = captured.ppdus().iter().filter(|ppdu| {
            let by_radio = |mpdu: &crate::CapturedMpdu| mpdu.radio.is_some();
            ppdu.trigger.is_none() && !captured.mpdus(ppdu).iter().any(by_radio)
        });
        let addresses: Vec<_> = made.map(|ppdu| ppdu.addresses.expect("they are known")).collect();
        let expected = match acknowledgement {
            MultiUserAcknowledgement::Sequential => vec![(1, 0), (0, 2), (2, 0)],
            _ => vec![(1, 0), (2, 0)],
        };
        let pairs: Vec<_> = addresses.iter().map(|of| (of.transmitter, of.receiver)).collect();
        assert_eq!(pairs, expected.iter().map(|&(from, to)| (mac(from), mac(to))).collect::<Vec<_>>());
        let asked: Vec<_> = captured.ppdus().iter().flat_map(|ppdu| captured.triggered(ppdu)).collect();
        let stations: Vec<_> = asked.iter().filter_map(|of| of.station).collect();
        let by_trigger = acknowledgement == MultiUserAcknowledgement::MuBar;
        assert_eq!(stations, if by_trigger { vec![STA1, STA2] } else { Vec::new() });
    }
}

/// Data of two stations in answer to a trigger frame: each has half of the 177.6 us. Nothing of it is rate control's.
#[test]
fn two_stations_are_asked_for_data() {
    let mut fleet = fleet(triggering(2), None);
    give_station(&mut fleet, 150, STA1);
    give_station(&mut fleet, 150, STA2);
    fleet.at(455);
    fleet.expect_ppdus(
        "100 180 ap>sta1 trigger 6 1 received
         100 180 ap>sta2 trigger 6 1 received
         196 373.6 sta1>ap data 35.416666 1 received
         196 373.6 sta2>ap data 35.416666 1 received
         389.6 421.6 ap>sta1 multistablockack 24 1 received
         389.6 421.6 ap>sta2 multistablockack 24 1 received",
    );
    fleet.expect_told(
        "373.6 ap rx [0] of sta1 at 5180
         373.6 ap rx [1] of sta2 at 5180
         421.6 sta1 ppdu [0] 35.416666 1 acked 1
         421.6 sta1 done 0 acked
         421.6 sta2 ppdu [1] 35.416666 1 acked 1
         421.6 sta2 done 1 acked",
    );
    assert_eq!(airtimes(&fleet), [(88.8, true); 2]);
    let receptions = fleet.fake.told.iter().flatten().filter_map(|told| match told {
        Told::Rx { status, .. } => Some(status.share.of(status.end.since(status.start))),
        _ => None,
    });
    assert!(receptions.eq([Duration::from_nanos(88_800); 2]));
}

/// A station without data says so, in `QoS` Null frames of its lower half; the other's frame is acknowledged. Four frames are more than is
/// asked for: they are reported, and asked for next.
#[test]
fn a_station_without_data_answers_for_itself() {
    let mut fleet = fleet(triggering(2), None);
    give_station(&mut fleet, 150, STA1);
    fleet.at(455);
    fleet.expect_ppdus(
        "100 180 ap>sta1 trigger 6 1 received
         100 180 ap>sta2 trigger 6 1 received
         196 373.6 sta1>ap data 35.416666 1 received
         196 373.6 sta2>ap qosnull 35.416666 1 received
         389.6 421.6 ap>sta1 multistablockack 24 1 received",
    );
    fleet.expect_told(
        "373.6 ap rx [0] of sta1 at 5180
         421.6 sta1 ppdu [0] 35.416666 1 acked 1
         421.6 sta1 done 0 acked",
    );
}

/// Four frames of 1514 bytes are more than is asked of an unknown station. It reports 6056 octets: 667.2 us, of which all is its own.
#[test]
fn a_report_of_what_waits_in_mac80211_makes_the_answer_long() {
    let mut fleet = fleet(triggering(2), None);
    fleet.send_at(150, STA1, mac(0), 4);
    fleet.at(1_230);
    fleet.expect_ppdus(
        "100 180 ap>sta1 trigger 6 1 received
         100 180 ap>sta2 trigger 6 1 received
         196 373.6 sta1>ap qosnull 35.416666 1 received
         196 373.6 sta2>ap qosnull 35.416666 1 received
         407.6 479.6 ap>sta1 trigger 6 1 received
         495.6 1162.8 sta1>ap data 81.25 1 received
         1178.8 1214.8 ap>sta1 multistablockack 24 1 received",
    );
    assert_eq!(airtimes(&fleet), [(667.2, true)]);
}

/// What is lost in an answer ends there if its queue is purged meanwhile, and waits for the station's own access if not.
#[test]
fn lost_answers_are_repeated_unless_they_are_purged() {
    for purged in [false, true] {
        let mut plan = triggering(2);
        set_rssi(&mut plan, &[(0, 2, NOISE_DBM + 15.0)]);
        let mut fleet = fleet(plan, Some(Box::new(Cliff)));
        give_station(&mut fleet, 150, STA1);
        give_station(&mut fleet, 150, STA2);
        fleet.at(300);
        if purged {
            let txq = fleet.fake.queue(STA2, mac(0), 0);
            fleet.purge(STA2, txq);
        }
        fleet.at(430);
        let end = if purged { "421.6 sta2 done 1 purged" } else { "" };
        fleet.expect_told(&format!(
            "373.6 ap rx [0] of sta1 at 5180
             421.6 sta1 ppdu [0] 35.416666 1 acked 1
             421.6 sta1 done 0 acked
             421.6 sta2 ppdu [1] 35.416666 1 acked 0
             {end}"
        ));
        assert_eq!(fleet.world.flush(STA2), purged);
    }
}

/// Who is not associated is not asked, and neither is who sleeps; who comes back is.
#[test]
fn stations_that_are_not_there_are_not_asked() {
    let mut fleet = fleet(triggering(3), None);
    fleet.associate(STA2, None);
    fleet.world.asleep(fleet.now, AP, mac(3), true, &mut fleet.out);
    fleet.at(150);
    let asked =
        |fleet: &Fleet| fleet.ppdus.iter().filter(|ppdu| ppdu.nic == AP).map(|ppdu| ppdu.to).collect();
    let asked_then: Vec<_> = asked(&fleet);
    assert_eq!(asked_then, []);
    fleet.at(200);
    let asked_then: Vec<_> = asked(&fleet);
    assert_eq!(asked_then, [Some(STA1)]);
    fleet.associate(STA2, Some(AP));
    fleet.world.asleep(fleet.now, AP, mac(3), false, &mut fleet.out);
    fleet.at(1_000);
    let asked_then: Vec<_> = asked(&fleet);
    assert_eq!(asked_then, [Some(STA1), Some(STA3), Some(STA2)]);
}

/// Two access points; a station that changes to the other one is asked by that.
#[test]
fn a_station_is_asked_by_the_access_point_that_it_is_associated_with() {
    let mut plan = triggering(1);
    let cell = plan.cells[0].clone();
    plan.cells.push(airtcp_plan::Cell { name: "other".to_owned(), ..cell });
    let access_point = plan.nics[0].clone();
    plan.nics.push(airtcp_plan::AirNic { cell: 1, mac: mac(2), node: "other".to_owned(), ..access_point });
    let mut fleet = Fleet::new(plan, HE7);
    fleet.fake.aggregates = true;
    fleet.associate(STA1, Some(NicId(2)));
    fleet.at(500);
    assert!(!fleet.ppdus.is_empty());
    assert!(fleet.ppdus.iter().all(|ppdu| [STA1, NicId(2)].contains(&ppdu.nic)), "{:?}", fleet.ppdus);
}

/// `conf_tx` has said AIFSN 0 for 8.192 ms: what comes after an answer waits for the end of the timer, or until the driver says that there is
/// none any more. A timer of 0 is none.
#[test]
fn parameters_for_triggered_stations_hold_for_their_time() {
    for (timer, said_at, access) in [(1, None, "8613.6"), (1, Some(2_000), "2000"), (0, None, "1000")] {
        let mut fleet = fleet(triggering(2), None);
        let edcaf = RadioEdcaf { nic: STA1, ac: AccessCategory::BestEffort };
        let parameters = MuEdcaParameters { aifsn: 0, cw_min: 0, cw_max: 0, timer };
        fleet.world.mu_edca(fleet.now, edcaf, Some(parameters), &mut fleet.out);
        give_station(&mut fleet, 150, STA1);
        give_station(&mut fleet, 150, STA2);
        give_station(&mut fleet, 1_000, STA1);
        if let Some(at_us) = said_at {
            fleet.at(at_us);
            fleet.world.mu_edca(fleet.now, edcaf, None, &mut fleet.out);
        }
        fleet.at(9_000);
        let lines: Vec<_> = fleet.ppdus.iter().map(|ppdu| line(&fleet.plan, ppdu, "")).collect();
        assert!(lines[6].starts_with(&format!("{access} ")), "{lines:?}");
    }
}

/// MU EDCA parameters have no TXOP limit: that of the access parameters holds while the timer runs, too.
#[test]
fn a_new_txop_limit_does_not_wait_for_the_timer() {
    let mut fleet = fleet(triggering(2), None);
    let ac = AccessCategory::BestEffort;
    let edcaf = RadioEdcaf { nic: STA1, ac };
    let parameters = MuEdcaParameters { aifsn: 0, cw_min: 0, cw_max: 0, timer: 1 };
    fleet.world.mu_edca(fleet.now, edcaf, Some(parameters), &mut fleet.out);
    give_station(&mut fleet, 150, STA1);
    fleet.at(1_000);
    fleet.world.edca(fleet.now, edcaf, AccessParameters { txop_us: 2_528, ..AT_ONCE }, &mut fleet.out);
    let limit = fleet.world.low.exchanges.txop_limits(STA1).nth(ac as usize);
    assert_eq!(limit, Some(Duration::from_micros(2_528)));
    give_station(&mut fleet, 1_000, STA1);
    fleet.at(9_000);
    let last = line(&fleet.plan, &fleet.ppdus[fleet.ppdus.len() - 2], "");
    assert!(last.starts_with("8613.6 ") && last.contains("sta1>ap data"), "{last}");
}

/// What can't be is refused with key, reason and remedy.
#[test]
fn networks_without_resource_units_are_refused() {
    let refused = |change: &dyn Fn(&mut airtcp_plan::LinuxCell)| {
        let mut plan = sharing(2, SEQUENTIAL);
        change(plan.cells[0].linux.as_mut().expect("it has mac80211"));
        World::new(&plan, 1, OPTIONS).expect_err("the plan is refused").to_string()
    };
    assert_eq!(
        refused(&|linux| linux.setup = LinuxSetup::Programs),
        "air.cells[0].multi_user: programs set up the network of 'cell', so its access point is not known; choose another setup, or \
         leave multi_user out"
    );
    assert_eq!(
        refused(&|linux| linux.rate_control = LinuxRateControl::Kernel),
        "air.cells[0].linux.rate_control: the kernel's rate control, which 'cell' has, knows no modes of 11ax; use ours, or leave \
         multi_user out"
    );
    assert_eq!(
        refused(&|linux| linux.hostapd = vec!["beacon_int=100".to_owned(), "ieee80211ax = 0".to_owned()]),
        "air.cells[0].linux.hostapd: 'ieee80211ax = 0' makes 'cell' a network without 11ax; leave that line out, or multi_user"
    );
    assert_eq!(
        refused(&|linux| linux.wpa_supplicant = vec!["disable_he=1".to_owned()]),
        "air.cells[0].linux.wpa_supplicant: 'disable_he=1' makes 'cell' a network without 11ax; leave that line out, or multi_user"
    );
}
