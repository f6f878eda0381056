//! With the same queue and rate the air can't tell mac80211 from airtcp's own upper half: every PPDU is the same.

use airtcp_plan::report::NicReport;
use airtcp_plan::{
    AccessParameters, AirPlan, CodeChoice, Delivery, LinkLoss, LinuxRateControl, MacAddress,
    MultiUserAcknowledgement, MultiUserPlan, MultiUserScheduler, Propagation, RandomAccessPlan,
    RateControlPlan, Reception, Standard, UplinkPlan,
};
use airtcp_testing::plans::{AMPDU, cell, linux_cell, mac};
use airtcp_units::{Dbm, Instant};

use super::super::super::{Outbox, World};
use super::super::hosts::{OPTIONS, us};
use super::super::plans::{aggregating, he, no_backoff};
use super::fleet::{Fleet, on_linux};
use crate::high::{Action, Frame};
use crate::linux_mac::NoMac80211;
use crate::phy::{Format, Guard, TxVector, Width};
use crate::trace::PpduRecord;
use crate::world::WorldReport;
use crate::{FrameHandle, NicId};

/// Frames that each of these senders always has below it.
const WAITING: u32 = 90;

/// By then radios have been on their channel for longer than AIFS.
const BEGIN: Instant = us(1_000);

/// Senders that always have something to send, each with its receiver.
type Flows<'a> = &'a [(u32, u32)];

/// Saturated senders of airtcp's own MAC.
fn own(plan: &AirPlan, flows: Flows<'_>, end: Instant) -> (Vec<PpduRecord>, WorldReport) {
    let mut world = World::new(plan, 1, OPTIONS).expect("a legal plan");
    let (mut out, mut ppdus) = (Outbox::default(), Vec::new());
    // The handle says the flow too.
    let give = |world: &mut World, out: &mut Outbox, now, handle: u64| {
        let (from, to) = flows[handle as usize % flows.len()];
        let (source, destination) = (mac(from), mac(to));
        let handle = FrameHandle(handle);
        let frame = Frame { handle, bytes: 1514, source, destination, priority: 0, flow: 0, ect: false };
        world.transmit(now, NicId(from), frame, out);
    };
    for handle in 0..u64::from(WAITING) * flows.len() as u64 {
        give(&mut world, &mut out, BEGIN, handle);
    }
    while world.next_wakeup() <= end {
        let now = world.next_wakeup();
        world.run(now, &mut NoMac80211, &mut out);
        ppdus.append(&mut out.records.ppdus);
        for action in std::mem::take(&mut out.actions) {
            assert!(!matches!(action, Action::Dropped { .. }), "{action:?}");
            if let Action::Sent { frame, .. } = action {
                give(&mut world, &mut out, now, frame.0);
            }
        }
    }
    let report = world.finish(end, &mut NoMac80211, &mut out);
    (ppdus, report)
}

/// The same of mac80211.
fn with_mac80211(
    plan: AirPlan,
    flows: Flows<'_>,
    tx: TxVector,
    end: Instant,
) -> (Vec<PpduRecord>, WorldReport) {
    let aggregates = plan.nics[0].aggregation.is_some();
    let mut fleet = Fleet::new(plan, tx);
    fleet.fake.aggregates = aggregates;
    fleet.fake.told = None;
    for &(from, to) in flows {
        if aggregates {
            fleet.agree(NicId(from), mac(to), AMPDU.block_ack_window as u16);
        }
    }
    if fleet.plan.cells[0].multi_user.is_some() {
        (1..fleet.plan.nics.len() as u32).for_each(|station| fleet.associate(NicId(station), Some(NicId(0))));
    }
    fleet.advance_to(BEGIN);
    for _ in 0..WAITING {
        for &(from, to) in flows {
            fleet.send(NicId(from), mac(to), 1);
        }
    }
    let mut sent = 0;
    while fleet.world.next_wakeup() <= end {
        fleet.advance_to(fleet.world.next_wakeup());
        // One comes for each that has ended, to the same receiver, in the order of their ends.
        for (nic, to) in std::mem::take(&mut fleet.fake.ended) {
            sent += 1;
            fleet.send(nic, to, 1);
        }
    }
    assert!(sent > 100, "{sent} MPDUs were sent");
    fleet.now = end;
    let report = fleet.finish();
    (fleet.ppdus, report)
}

#[track_caller]
fn expect_the_same(plan: &AirPlan, flows: Flows<'_>, tx: TxVector) {
    expect_the_same_of(plan, on_linux(plan.clone()), flows, tx);
}

#[track_caller]
fn expect_the_same_of(plan: &AirPlan, linux: AirPlan, flows: Flows<'_>, tx: TxVector) {
    let end = us(500_000);
    let (expected, own) = own(plan, flows, end);
    let (ppdus, linux) = with_mac80211(linux, flows, tx, end);
    assert!(expected.len() > 100, "{} PPDUs", expected.len());
    let differs = expected.iter().zip(&ppdus).position(|(a, b)| a != b);
    if let Some(place) = differs {
        panic!("PPDU {place}: {:?} is {:?}", expected[place], ppdus[place]);
    }
    assert_eq!(expected.len(), ppdus.len());
    assert_eq!(own.media, linux.media);
    for (a, b) in own.nics.iter().zip(&linux.nics) {
        let of_host = |n: &NicReport| (n.accepted, n.sent, n.in_flight);
        let of_air = |n: &NicReport| (n.transmissions, n.retries, n.collisions, n.corrupted, n.airtime_ns);
        assert_eq!(of_air(a), of_air(b), "{}", a.node);
        assert_eq!((a.mpdus, a.mpdus_lost), (b.mpdus, b.mpdus_lost), "{}", a.node);
        // What waits is above a radio of mac80211, and in the queue of another.
        assert_eq!((of_host(a).1, of_host(a).0 - of_host(a).2), (of_host(b).1, of_host(b).0 - of_host(b).2));
    }
}

fn edca_54() -> (AirPlan, TxVector) {
    let mut plan = cell(6);
    plan.cells[0].access = vec![AccessParameters { aifsn: 3, cw_min: 15, cw_max: 1023, txop_us: 0 }; 4];
    (plan, TxVector::ofdm(7))
}

/// 11n with A-MPDUs and backoff.
fn aggregates(stations: u32) -> (AirPlan, TxVector) {
    let mut plan = aggregating(stations, 1000);
    plan.cells[0].access = vec![AccessParameters { aifsn: 3, cw_min: 15, cw_max: 1023, txop_us: 0 }; 4];
    (plan, TxVector::mimo(Format::Ht, 7, 1, Width::Mhz20, Guard::Ns800))
}

#[test]
fn of_one_saturated_station() {
    let (plan, tx) = edca_54();
    expect_the_same(&plan, &[(1, 0)], tx);
}

#[test]
fn of_several_stations_in_contention() {
    let (plan, tx) = edca_54();
    expect_the_same(&plan, &[(1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0)], tx);
}

#[test]
fn of_one_station_with_aggregates() {
    let (plan, tx) = aggregates(1);
    expect_the_same(&plan, &[(1, 0)], tx);
}

#[test]
fn of_aggregates_up_and_down() {
    let (plan, tx) = aggregates(4);
    expect_the_same(&plan, &[(0, 1), (1, 0), (0, 2), (2, 0), (0, 3), (4, 0)], tx);
}

#[test]
fn of_stations_in_txops_that_collide() {
    let (mut plan, tx) = aggregates(5);
    plan.cells[0].access.iter_mut().for_each(|ac| ac.txop_us = 3008);
    expect_the_same(&plan, &[(1, 0), (2, 0), (3, 0), (4, 0), (5, 0)], tx);
}

#[test]
fn under_losses_with_mpdus_one_by_one() {
    let (mut plan, tx) = aggregates(3);
    plan.channel.reception = Reception::Table { code: CodeChoice::Bcc };
    plan.channel.losses = vec![LinkLoss { from: 1, to: 0, loss: 0.2 }];
    plan.nics[0].delivery = Delivery::MpduEnd;
    expect_the_same(&plan, &[(1, 0), (2, 0), (0, 3)], tx);
}

/// What the driver would say of rates is never asked.
const NOWHERE: TxVector = TxVector::mimo(Format::Ht, 0, 4, Width::Mhz40, Guard::Ns400);

/// Rate control of the library has the same draws and hears the same of each PPDU.
#[test]
fn with_our_own_rate_control() {
    for rate_control in [
        RateControlPlan::MinstrelHt { interval_us: 20_000, ewma_percent: 75 },
        RateControlPlan::Ideal { error_rate: 0.1 },
        RateControlPlan::Aarf {
            success_min: 10,
            success_max: 60,
            success_factor: 2.0,
            timeout_min_frames: 15,
            timeout_factor: 2.0,
        },
    ] {
        let (mut plan, _) = aggregates(3);
        plan.channel.reception = Reception::Table { code: CodeChoice::Bcc };
        plan.channel.propagation = Propagation::Rssi { links: vec![], default_dbm: Dbm::new(-74.0) };
        plan.nics.iter_mut().for_each(|nic| nic.rate_control = rate_control);
        let mut linux = on_linux(plan.clone());
        let cell = linux.cells[0].linux.as_mut().expect("it has mac80211");
        cell.rate_control = LinuxRateControl::Ours;
        expect_the_same_of(&plan, linux, &[(1, 0), (0, 2), (3, 0)], NOWHERE);
    }
}

/// 11ax whose access point sends to several stations at once.
fn several_users(stations: u32, multi_user: MultiUserPlan) -> (AirPlan, AirPlan) {
    let (mut plan, _) = aggregates(stations);
    (plan.cells[0].standard, plan.cells[0].multi_user) = (Standard::He, Some(multi_user));
    plan.channel.losses = vec![LinkLoss { from: 0, to: 1, loss: 0.1 }];
    plan.nics.iter_mut().for_each(|nic| nic.rate_control = he(7));
    let mut linux = on_linux(plan.clone());
    linux.cells[0].linux.as_mut().expect("it has mac80211").rate_control = LinuxRateControl::Ours;
    (plan, linux)
}

#[test]
fn of_several_users_at_once() {
    use MultiUserAcknowledgement::{AggregatedMuBar, MuBar, Sequential};
    for (acknowledgement, mu_rts) in [(Sequential, false), (MuBar, true), (AggregatedMuBar, false)] {
        let multi_user = MultiUserPlan {
            scheduler: MultiUserScheduler::RoundRobin,
            stations: 4,
            acknowledgement,
            mu_rts,
            uplink: None,
        };
        let (plan, linux) = several_users(5, multi_user);
        expect_the_same_of(&plan, linux, &[(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)], NOWHERE);
    }
}

#[test]
fn of_uplinks_that_are_triggered() {
    let random = Some(RandomAccessPlan { rus: 2, ocw_min: 1, ocw_max: 7 });
    for (bsrp, random_access) in [(false, None), (true, None), (false, random), (true, random)] {
        let uplink = UplinkPlan {
            bsrp,
            interval_us: 2_000,
            report_lifetime_us: 20_000,
            target_rssi_dbm: None,
            mu_edca: None,
            random_access,
        };
        let multi_user = MultiUserPlan {
            scheduler: MultiUserScheduler::RoundRobin,
            stations: 4,
            acknowledgement: MultiUserAcknowledgement::MuBar,
            mu_rts: false,
            uplink: Some(uplink),
        };
        let (plan, linux) = several_users(4, multi_user);
        expect_the_same_of(&plan, linux, &[(1, 0), (0, 1), (2, 0), (0, 2), (3, 0)], NOWHERE);
    }
}

/// Cells of both kinds on one channel: NICs of the other kind are sensed and not decoded.
#[test]
fn both_kinds_share_a_channel() {
    let mut plan = no_backoff(1, 7);
    let mut other = plan.cells[0].clone();
    other.name = "other".to_owned();
    other.linux = Some(linux_cell());
    plan.cells.push(other);
    for i in [2, 3] {
        let mut nic = plan.nics[i - 2].clone();
        (nic.cell, nic.mac, nic.node) = (1, mac(i as u32), ["radio_ap", "radio"][i - 2].to_owned());
        plan.nics.push(nic);
    }
    let mut fleet = Fleet::new(plan, TxVector::ofdm(7));
    fleet.at(100);
    fleet.send(NicId(3), mac(2), 1);
    fleet.at(110);
    let frame = Frame {
        handle: FrameHandle(0),
        bytes: 1514,
        source: mac(1),
        destination: mac(0),
        priority: 0,
        flow: 0,
        ect: false,
    };
    fleet.world.transmit(fleet.now, NicId(1), frame, &mut fleet.out);
    fleet.settle();
    // Data of airtcp's own MAC waits for data and Ack of the radio, and DIFS. A group frame of the radio reaches no station.
    fleet.expect_ppdus(
        "100 352 radio>radio_ap data 54 1 received
         368 396 radio_ap>radio ack 24 1 received
         430 678 sta1>ap data 54 1 received
         694 722 ap>sta1 ack 24 1 received",
    );
    assert_eq!(fleet.out.actions[0], Action::Deliver { nic: NicId(0), frame: FrameHandle(0) });
    let before = fleet.out.actions.len();
    fleet.send(NicId(2), MacAddress([0xff; 6]), 1);
    fleet.settle();
    assert_eq!(fleet.out.actions.len(), before);
    fleet.finish();
}
