//! Whatever a driver asks for, in any order: nothing panics, every MPDU ends once, counters balance.

use airtcp_plan::{
    AccessParameters, AggregatesFormed, AirPlan, CardPlan, HardwareQueue, HardwareQueueSize,
    InterruptModeration, LinuxRateControl, MacAddress, MultiUserAcknowledgement, MultiUserPlan,
    MultiUserScheduler, RadioChannel, RandomAccessPlan, Standard, TxInterrupt, UplinkPlan,
};
use airtcp_testing::plans::mac;
use airtcp_units::{Dbm, Duration};
use proptest::prelude::*;

use super::super::plans::{aggregating, he};
use super::fleet::{Fleet, best_effort, on_linux};
use crate::NicId;
use crate::border::{Protection, RateChain, RateStage};
use crate::linux_mac::RadioMpduKind;
use crate::phy::{Format, Guard, TxVector, Width};

const STATIONS: u32 = 4;

/// What a driver may do.
#[derive(Clone, Debug)]
enum Call {
    Send(u32, u32, u32),
    First(u32, u32, RadioMpduKind),
    Tune(u32, Option<u32>),
    Agree(u32, u32, u16),
    Purge(u32, u32),
    Stop(u32),
    Monitor(u32, bool),
    Edca(u32, u32, u32),
    Power(u32, i8),
    Address(u32, bool),
    Associate(u32, bool),
    Sleep(u32, bool),
}

/// Stations, the group, and nobody.
fn receiver(number: u32) -> MacAddress {
    match number {
        0..=STATIONS => mac(number),
        5 => MacAddress([0xff; 6]),
        _ => MacAddress([2, 0, 0, 0, 9, 9]),
    }
}

fn call() -> impl Strategy<Value = Call> {
    let nic = || 0..=STATIONS;
    let to = || 0..7_u32;
    prop_oneof![
        8 => (nic(), to(), 1..40_u32).prop_map(|(from, to, count)| Call::Send(from, to, count)),
        3 => (nic(), to(), prop_oneof![
            Just(RadioMpduKind::Management), Just(RadioMpduKind::Beacon), Just(RadioMpduKind::BlockAckReq)
        ]).prop_map(|(from, to, kind)| Call::First(from, to, kind)),
        4 => (nic(), prop_oneof![
            3 => Just(Some(5180)), 1 => Just(Some(5200)), 1 => Just(Some(5220)), 1 => Just(Some(2412)),
            1 => Just(None)
        ]).prop_map(|(nic, mhz)| Call::Tune(nic, mhz)),
        2 => (nic(), to(), prop_oneof![Just(0), Just(2), Just(64)]).prop_map(|(a, b, w)| Call::Agree(a, b, w)),
        2 => (nic(), to()).prop_map(|(nic, to)| Call::Purge(nic, to)),
        1 => nic().prop_map(Call::Stop),
        1 => (nic(), any::<bool>()).prop_map(|(nic, on)| Call::Monitor(nic, on)),
        1 => (nic(), 1..8_u32, 0..5_u32).prop_map(|(nic, aifsn, cw)| Call::Edca(nic, aifsn, cw)),
        1 => (nic(), -80..20_i8).prop_map(|(nic, dbm)| Call::Power(nic, dbm)),
        1 => (nic(), any::<bool>()).prop_map(|(nic, add)| Call::Address(nic, add)),
        2 => (1..=STATIONS, prop::bool::weighted(0.8)).prop_map(|(nic, on)| Call::Associate(nic, on)),
        1 => (1..=STATIONS, any::<bool>()).prop_map(|(nic, on)| Call::Sleep(nic, on)),
    ]
}

fn carry_out(fleet: &mut Fleet, call: &Call) {
    let now = fleet.now;
    match *call {
        Call::Send(from, to, count) => fleet.send(NicId(from), receiver(to), count),
        Call::First(_, 5.., RadioMpduKind::BlockAckReq) => {}
        Call::First(from, to, kind) => {
            let to = if kind == RadioMpduKind::Beacon { receiver(5) } else { receiver(to) };
            fleet.send_first(NicId(from), to, 100, kind);
        }
        Call::Tune(nic, mhz) => {
            let channel = |mhz| RadioChannel { primary_mhz: mhz, centre_mhz: mhz, width_mhz: 20 };
            fleet.tune(NicId(nic), mhz.map(channel));
        }
        Call::Agree(nic, to, window) => {
            fleet.agree(NicId(nic), receiver(to), window);
        }
        Call::Purge(nic, to) => {
            let txq = fleet.fake.queue(NicId(nic), receiver(to), 0);
            fleet.purge(NicId(nic), txq);
        }
        Call::Stop(nic) => fleet.world.stop(now, NicId(nic), &mut fleet.fake, &mut fleet.out),
        Call::Monitor(nic, on) => fleet.world.monitor(now, NicId(nic), on, &mut fleet.out),
        Call::Edca(nic, aifsn, cw) => {
            let cw = (1 << cw) - 1;
            let parameters = AccessParameters { aifsn, cw_min: cw, cw_max: 2 * cw + 1, txop_us: 0 };
            fleet.world.edca(now, best_effort(NicId(nic)), parameters, &mut fleet.out);
        }
        Call::Power(nic, dbm) => {
            fleet.world.tx_power(now, NicId(nic), Dbm::new(f64::from(dbm)), &mut fleet.out);
        }
        Call::Address(nic, true) => fleet.world.add_address(now, NicId(nic), mac(nic), &mut fleet.out),
        Call::Associate(nic, on) => fleet.associate(NicId(nic), on.then_some(NicId(0))),
        Call::Sleep(nic, on) => fleet.world.asleep(now, NicId(0), mac(nic), on, &mut fleet.out),
        Call::Address(nic, false) => fleet.world.remove_address(now, NicId(nic), mac(nic), &mut fleet.out),
    }
}

/// An ideal card, one of firmware with moderated completions, and one that forms aggregates at entry.
fn card(number: u32) -> CardPlan {
    let own = InterruptModeration {
        after_first_ns: Some(1_000_000),
        after_last_ns: None,
        frames: Some(20),
        load: None,
    };
    let queue = |size, aggregates| Some(HardwareQueue { size, aggregates });
    match number {
        0 => CardPlan::IDEAL,
        1 => CardPlan {
            tx_interrupt: Some(TxInterrupt::Own(own)),
            hardware_queue: queue(HardwareQueueSize::Airtime { ns: 3_000_000 }, AggregatesFormed::AtAccess),
            ..CardPlan::IDEAL
        },
        _ => CardPlan {
            rx_interrupt: Some(own),
            tx_interrupt: Some(TxInterrupt::WithReception),
            hardware_queue: queue(HardwareQueueSize::Ppdus { count: 1 }, AggregatesFormed::AtEntry),
            ..CardPlan::IDEAL
        },
    }
}

fn plan(prefetch_ppdus: u32, txop_us: u32, card: CardPlan) -> AirPlan {
    let mut plan = on_linux(aggregating(STATIONS, 3));
    plan.channel.propagation = airtcp_plan::Propagation::FreeSpace;
    plan.channel.losses = vec![airtcp_plan::LinkLoss { from: 1, to: 0, loss: 0.3 }];
    for access in &mut plan.cells[0].access {
        (access.cw_min, access.cw_max, access.txop_us) = (3, 15, txop_us);
    }
    plan.cells[0].linux.as_mut().expect("it has mac80211").prefetch_ppdus = prefetch_ppdus;
    plan.nics.iter_mut().for_each(|nic| nic.card = card);
    plan
}

/// The same with PPDUs of several users, and uplinks of them. (With an interval shorter than a trigger frame at 1 Mbit/s nothing else would
/// be sent.)
fn with_several_users(mut plan: AirPlan, acknowledgement: MultiUserAcknowledgement, uplink: bool) -> AirPlan {
    let triggers = UplinkPlan {
        bsrp: false,
        interval_us: 5_000,
        report_lifetime_us: 2_000,
        target_rssi_dbm: None,
        mu_edca: None,
        random_access: (acknowledgement == MultiUserAcknowledgement::MuBar).then_some(RandomAccessPlan {
            rus: 1,
            ocw_min: 0,
            ocw_max: 3,
        }),
    };
    let multi_user = MultiUserPlan {
        scheduler: MultiUserScheduler::RoundRobin,
        stations: 3,
        acknowledgement,
        mu_rts: uplink,
        uplink: uplink.then_some(triggers),
    };
    (plan.cells[0].standard, plan.cells[0].multi_user) = (Standard::He, Some(multi_user));
    plan.cells[0].linux.as_mut().expect("it has mac80211").rate_control = LinuxRateControl::Ours;
    plan.nics.iter_mut().for_each(|nic| nic.rate_control = he(5));
    plan
}

fn fleet(plan: AirPlan, turns: bool) -> Fleet {
    let tx = TxVector::mimo(Format::Ht, 7, 1, Width::Mhz20, Guard::Ns800);
    let mut fleet = Fleet::new(plan, tx);
    fleet.fake.turns = turns;
    (fleet.fake.aggregates, fleet.fake.asks, fleet.fake.below_limit) = (true, true, 60);
    let stage = |tx, protection| RateStage { tx, tries: 2, protection };
    let protected = stage(TxVector::ofdm(4), Protection::RtsCts);
    fleet.fake.chains[1] = RateChain::one(stage(tx, Protection::None)).then(protected);
    fleet.fake.chains[2] = RateChain::one(stage(tx, Protection::CtsToSelf));
    fleet.fake.chains[3].probe = true;
    fleet
}

fn expect_balance(plan: &AirPlan, turns: bool, calls: &[(u64, Call)]) -> Result<(), TestCaseError> {
    let run = || {
        let mut fleet = fleet(plan.clone(), turns);
        for (pause_us, call) in calls {
            fleet.advance_to(fleet.now + Duration::from_micros(*pause_us));
            carry_out(&mut fleet, call);
        }
        let triggers = plan.cells[0].multi_user.is_some_and(|multi_user| multi_user.uplink.is_some());
        if triggers {
            // It never ends by itself, but with the last station.
            fleet.advance_to(fleet.now + Duration::from_secs(1));
            (1..=STATIONS).for_each(|station| fleet.associate(NicId(station), None));
            // Long queues to somebody on another channel take their time.
            let is_empty = |fleet: &Fleet| (0..=STATIONS).all(|nic| fleet.world.flush(NicId(nic)));
            let mut seconds = 0..60;
            fleet.advance_to(fleet.now + Duration::from_secs(1));
            while !is_empty(&fleet) && seconds.next().is_some() {
                fleet.advance_to(fleet.now + Duration::from_secs(1));
            }
        } else {
            fleet.settle();
        }
        let report = fleet.finish();
        (fleet, report)
    };
    let (mut fleet, report) = run();
    // The same calls, the same air.
    prop_assert_eq!(&run().1, &report);
    // Once everybody is on, nothing is left; once everybody has stopped, nothing is held.
    for nic in (0..=STATIONS).map(NicId) {
        fleet.world.stop(fleet.now, nic, &mut fleet.fake, &mut fleet.out);
        prop_assert!(fleet.world.flush(nic));
    }
    let held = fleet.fake.mpdus.iter().filter(|(_, ended)| !ended).count();
    let waiting: usize = (0..=STATIONS).map(|nic| fleet.fake.waiting(NicId(nic))).sum();
    prop_assert_eq!(held, waiting);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_calls_leave_counters_that_balance(
        calls in prop::collection::vec((0..3_000_u64, call()), 1..80),
        (prefetch, txop_us, number) in (0..3_u32, prop_oneof![Just(0), Just(3008)], 0..3_u32),
        turns in any::<bool>(),
    ) {
        expect_balance(&plan(prefetch, txop_us, card(number)), turns, &calls)?;
    }

    #[test]
    fn with_several_users_too(
        calls in prop::collection::vec((0..3_000_u64, call()), 1..80),
        (prefetch, txop_us, number) in (0..3_u32, prop_oneof![Just(0), Just(3008)], 0..2_u32),
        (turns, uplink) in any::<(bool, bool)>(),
        acknowledgement in prop_oneof![
            Just(MultiUserAcknowledgement::Sequential),
            Just(MultiUserAcknowledgement::MuBar),
            Just(MultiUserAcknowledgement::AggregatedMuBar)
        ],
    ) {
        let plan = with_several_users(plan(prefetch, txop_us, card(number)), acknowledgement, uplink);
        let known = (1..=STATIONS).flat_map(|station| {
            [Call::Associate(station, true), Call::Agree(0, station, 64), Call::Agree(station, 0, 64)]
        });
        let calls: Vec<_> = known.map(|call| (0, call)).chain(calls).collect();
        expect_balance(&plan, turns, &calls)?;
    }
}
