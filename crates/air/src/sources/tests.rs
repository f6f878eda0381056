//! The driver: conservation, pace, order, saturation; and the air under it against closed forms.

use std::collections::BTreeSet;

use airtcp_plan::scene_report::{MediumReport, SceneReport, SourceReport};
use airtcp_plan::{
    AirPlan, AirScene, CardPlan, CellKind, FqCodelPlan, HostDelay, InterruptModeration, LinkLoss, McsFormat,
    MeshRoute, Mode, NicRole, PLAN_VERSION, Pace, QueuePlan, Source, Standard, TxInterrupt,
};
use airtcp_testing::plans::{AMPDU, FQ_CODEL};
use airtcp_units::{BitRate, Instant};

use super::agenda::SourceId;
use super::driver::Driver;
use super::run_scene;
use super::source::flow_hash;
use crate::NicId;
use crate::analytic::{Link, goodput};
use crate::world::tests::{best_effort, hidden, mcs, plan};

const LEGACY: Mode = Mode::Legacy { rate_bps: BitRate::from_mbps(54) };
const MS: u64 = 1_000_000;

fn source(from: usize, to: usize, pace: Pace) -> Source {
    Source {
        name: format!("{from} to {to}"),
        from: from as u32,
        to: to as u32,
        frame_bytes: 1514,
        priority: 0,
        pace,
        start_ns: 0,
        end_ns: u64::MAX,
    }
}

fn cbr(interval_ns: u64) -> Pace {
    Pace::Cbr { interval_ns }
}

fn scene(air: AirPlan, sources: Vec<Source>, (warmup_ms, duration_ms): (u64, u64)) -> AirScene {
    let scene = AirScene {
        version: PLAN_VERSION,
        name: "test".to_owned(),
        seed: 1,
        warmup_ns: warmup_ms * MS,
        duration_ns: duration_ms * MS,
        air,
        sources,
    };
    scene.check().expect("a legal scene");
    scene
}

/// Every station saturated, towards the access point or from it.
fn saturated(air: AirPlan, up: bool, times: (u64, u64)) -> AirScene {
    let stations = 1..air.nics.len();
    let sources = stations.map(|i| {
        let (from, to) = if up { (i, 0) } else { (0, i) };
        source(from, to, Pace::Saturated)
    });
    let sources = sources.collect();
    scene(air, sources, times)
}

fn run(scene: &AirScene) -> SceneReport {
    run_scene(scene).expect("the world has such a plan")
}

fn dropped(source: &SourceReport, reason: &str) -> u64 {
    source.dropped[reason]
}

/// Bits per second of all sources, Ethernet octets.
fn total_bps(report: &SceneReport) -> f64 {
    report.sources.iter().map(|source| source.throughput_bps).sum()
}

#[test]
fn a_constant_rate_is_kept_to_the_frame() {
    let mut sources = vec![
        source(1, 0, cbr(2 * MS)),
        source(2, 0, cbr(3 * MS)),
        source(2, 0, cbr(3 * MS)),
        source(0, 1, cbr(2 * MS)),
    ];
    sources[2].name = "again".to_owned();
    (sources[1].start_ns, sources[1].end_ns) = (100 * MS, 400 * MS);
    let report = run(&scene(plan(Standard::Ofdm, LEGACY, 2, None), sources, (0, 1200)));
    let counts: Vec<u64> = report.sources.iter().map(|source| source.offered.frames).collect();
    // An interval that fits into the time as often as counted: whatever the phase.
    assert_eq!(counts, [600, 100, 400, 600]);
    for source in &report.sources {
        assert_eq!(source.delivered.frames, source.offered.frames - source.in_flight_end);
        assert!(source.in_flight_end <= 1 && source.held_back == 0);
        assert_eq!(source.offered.bytes, source.offered.frames * 1514);
        let delay = source.delay.expect("frames were delivered");
        // 248 us of data, and never a long wait on an air with half its time free.
        assert!((248_000..=300_000).contains(&delay.min_ns) && delay.p50_ns < MS, "{delay:?}");
    }
}

#[test]
fn phases_come_from_the_seed() {
    let sources = (1..=4).map(|i| source(i, 0, cbr(10 * MS))).collect();
    let first = scene(plan(Standard::Ofdm, LEGACY, 4, None), sources, (0, 11));
    let begins = |scene: &AirScene| -> Vec<u64> {
        let begin = |i| super::source::Source::new(scene, i).begin(&scene.sources[i]).as_nanos();
        (0..4).map(begin).collect()
    };
    let one = begins(&first);
    assert_eq!(one, begins(&first));
    assert!(one.iter().all(|&ns| ns < 10 * MS) && one.windows(2).all(|w| w[0] != w[1]), "{one:?}");
    // A further source does not change the others.
    let mut longer = first.clone();
    longer.sources.insert(0, source(0, 4, cbr(MS)));
    assert_eq!(one[3], super::source::Source::new(&longer, 4).begin(&longer.sources[4]).as_nanos());
    assert_ne!(one, begins(&AirScene { seed: 2, ..first }));
}

#[test]
fn equal_scenes_give_equal_reports() {
    let scene = saturated(plan(Standard::Ofdm, LEGACY, 5, None), true, (50, 300));
    let report = run(&scene);
    assert_eq!(report, run(&scene));
    assert_ne!(report.sources, run(&AirScene { seed: 2, ..scene }).sources);
}

#[test]
fn a_saturated_air_is_never_idle_and_its_aggregates_are_full() {
    let queues =
        [QueuePlan::Fifo { packets: 500 }, QueuePlan::Direct { aggregates: 2 }, QueuePlan::FqCodel(PATIENT)];
    for queue in queues {
        let mut air = plan(Standard::Ht, mcs(McsFormat::Ht, 7, 20), 2, Some(AMPDU));
        air.nics.iter_mut().for_each(|nic| nic.queue = queue);
        for up in [true, false] {
            let report = run(&saturated(air.clone(), up, (100, 1100)));
            assert_eq!(report.media[0].idle_ns, 0, "{queue:?}");
            for nic in report.nics.iter().filter(|nic| nic.transmissions > 0) {
                // 28 MPDUs of 1538 octets last no longer than 5.484 ms.
                let mean = nic.mpdus as f64 / nic.transmissions as f64;
                // One first-in-first-out queue for two receivers cuts some short where their frames meet.
                let mixed = !up && matches!(queue, QueuePlan::Fifo { .. });
                let least = if mixed { 25.0 } else { 27.99 };
                assert!(mean > least, "{queue:?}, {up}: {mean} MPDUs in an aggregate");
            }
            for source in &report.sources {
                assert_eq!(dropped(source, "queue_full"), 0, "{queue:?}");
            }
        }
    }
}

/// So patient that it never drops.
const PATIENT: FqCodelPlan =
    FqCodelPlan { target_us: 10_000_000, interval_us: 10_000_000, ecn: false, aql_us: None, ..FQ_CODEL };

#[test]
fn saturated_sources_of_one_nic_take_turns() {
    for queue in [QueuePlan::Fifo { packets: 300 }, QueuePlan::Direct { aggregates: 1 }] {
        let mut air = plan(Standard::Ht, mcs(McsFormat::Ht, 7, 20), 5, Some(AMPDU));
        air.nics[0].queue = queue;
        let report = run(&saturated(air, false, (200, 3200)));
        let frames: Vec<u64> = report.sources.iter().map(|source| source.delivered.frames).collect();
        let (least, most) = (frames.iter().min().expect("five"), frames.iter().max().expect("five"));
        assert!(most - least <= 60, "{queue:?}: {frames:?}");
    }
}

#[test]
fn a_queue_without_backpressure_drops_what_comes_too_fast() {
    let mut air = plan(Standard::Ofdm, LEGACY, 1, None);
    (air.nics[1].backpressure, air.nics[1].queue) = (false, QueuePlan::Fifo { packets: 50 });
    // 5000 frames per second, of which the air carries about half.
    let report = run(&scene(air, vec![source(1, 0, cbr(MS / 5))], (200, 1200)));
    let flow = &report.sources[0];
    assert_eq!((flow.offered.frames, flow.held_back), (5000, 0));
    assert!((49..=50).contains(&flow.in_flight_end));
    let gone = flow.delivered.frames + dropped(flow, "queue_full");
    assert_eq!(flow.in_flight_begin + 5000, gone + flow.in_flight_end);
    assert_eq!(report.media[0].idle_ns, 0);
}

#[test]
fn with_backpressure_the_host_holds_frames_back() {
    let mut air = plan(Standard::Ofdm, LEGACY, 1, None);
    air.nics[1].queue = QueuePlan::Fifo { packets: 50 };
    let report = run(&scene(air, vec![source(1, 0, cbr(MS / 5))], (0, 1000)));
    let flow = &report.sources[0];
    assert_eq!(flow.offered.frames + flow.held_back, 5000);
    assert_eq!(dropped(flow, "queue_full"), 0);
    assert!(flow.in_flight_end <= 50);
    // Its delay counts from its arrival: about half a second at the end.
    let delay = flow.delay.expect("frames were delivered");
    assert!(delay.max_ns > 450 * MS && delay.max_ns < 550 * MS, "{delay:?}");
}

#[test]
fn an_overfull_saturated_queue_refuses_and_goes_on() {
    let mut air = plan(Standard::Ofdm, LEGACY, 1, None);
    (air.nics[1].backpressure, air.nics[1].queue) = (false, QueuePlan::Fifo { packets: 4 });
    let mut sources =
        vec![source(1, 0, Pace::Saturated), source(1, 0, Pace::Saturated), source(1, 0, cbr(MS))];
    (sources[1].name, sources[2].name) = ("second".to_owned(), "constant".to_owned());
    let report = run(&scene(air, sources, (100, 1100)));
    assert_eq!(report.media[0].idle_ns, 0);
    let frames: Vec<u64> = report.sources.iter().map(|source| source.delivered.frames).collect();
    assert!(frames[0].abs_diff(frames[1]) < frames[0] / 20, "{frames:?}");
}

#[test]
fn an_access_point_forwards_between_stations() {
    let sources = vec![source(1, 2, cbr(MS)), source(2, 1, Pace::Saturated)];
    let report = run(&scene(plan(Standard::Ofdm, LEGACY, 2, None), sources, (0, 1000)));
    let [first, second] = &report.sources[..] else { panic!("two sources") };
    assert_eq!(first.offered.frames, 1000);
    assert!(first.delivered.frames <= first.sent.frames && second.delivered.frames < second.sent.frames);
    let lost: u64 = [first, second].iter().flat_map(|source| source.dropped_forwarding.values()).sum();
    let delivered = first.delivered.frames + second.delivered.frames;
    assert_eq!(report.nics[0].accepted, delivered + lost + report.nics[0].in_flight);
}

/// Two sources of the access point for different receivers; the second has a backlog that grows.
fn rest_and_backlog(flows: u32) -> AirScene {
    let mut air = plan(Standard::Ofdm, LEGACY, 2, None);
    (air.nics[0].backpressure, air.nics[0].queue) =
        (false, QueuePlan::FqCodel(FqCodelPlan { flows, ..PATIENT }));
    scene(air, vec![source(0, 1, cbr(5 * MS)), source(0, 2, cbr(MS / 3))], (0, 1000))
}

/// How often frames of the access point met a flow of another queue, when the scene is over.
fn flow_collisions(scene: &AirScene) -> u64 {
    let mut driver = Driver::new(scene, false).expect("the world has such a plan");
    driver.advance(Instant::from_nanos(scene.duration_ns));
    driver.world.flow_collisions(NicId(0))
}

#[test]
fn each_source_is_a_flow_of_its_own() {
    assert_eq!(flow_collisions(&rest_and_backlog(4096)), 0);
    let flow = |number| (u64::from(flow_hash(SourceId(number))) * 4096) >> 32;
    let flows: BTreeSet<_> = (0..4096 / 3).map(flow).collect();
    assert_eq!(flows.len(), 4096 / 3);
}

#[test]
fn sources_may_have_to_share_a_flow() {
    assert!(flow_collisions(&rest_and_backlog(1)) > 0);
}

#[test]
#[should_panic(expected = "frame 0 of NIC 0 is delivered after 1")]
fn frames_overtake_for_no_other_reason() {
    let scene = rest_and_backlog(4096);
    let mut driver = Driver::new(&scene, false).expect("the world has such a plan");
    for number in [1, 0] {
        let frame = driver.frames.own(SourceId(0), number, Instant::ZERO);
        driver.deliver(Instant::ZERO, NicId(1), frame);
    }
}

/// Received frames wait for 10 ms since the first of them, completions for 7 ms.
const MODERATED: CardPlan = CardPlan {
    rx_interrupt: Some(after_ms(10)),
    tx_interrupt: Some(TxInterrupt::Own(after_ms(7))),
    ..CardPlan::IDEAL
};

const fn after_ms(ms: u64) -> InterruptModeration {
    InterruptModeration { after_first_ns: Some(ms * MS), after_last_ns: None, frames: None, load: None }
}

/// A frame each 2 ms. What arrives less than 10 ms before the end may reach no host, and so has no delay. All but a frame that is
/// still on the air at the end has left its NIC.
#[test]
fn what_waits_for_an_interrupt_at_the_end_is_counted_once() {
    let mut air = plan(Standard::Ofdm, LEGACY, 1, None);
    air.nics.iter_mut().for_each(|nic| nic.card = MODERATED);
    for end_ms in 200..212 {
        let sources = vec![source(1, 0, cbr(2 * MS)), source(0, 1, cbr(2 * MS))];
        let report = run(&scene(air.clone(), sources, (50, end_ms)));
        for (flow, nics) in report.sources.iter().zip([[1, 0], [0, 1]]) {
            let [from, to] = nics.map(|nic: usize| &report.nics[nic]);
            assert_eq!((flow.sent.frames, flow.in_flight_end), (from.sent, from.in_flight));
            assert!(flow.in_flight_end <= 1, "{end_ms} ms: {flow:?}");
            // At the end of the warm-up and at the end up to six frames wait for a host.
            assert!(to.delivered.abs_diff(flow.delivered.frames) <= 6, "{end_ms} ms: {flow:?}");
            let delay = flow.delay.expect("frames were delivered");
            assert!(delay.max_ns > 9 * MS && delay.max_ns < 12 * MS, "{end_ms} ms: {delay:?}");
        }
    }
}

/// Saturated sources at NICs that stop their hosts, an access point that forwards, and losses: the counters balance.
#[test]
fn hosts_may_be_late_in_every_scene() {
    let delay = Some(HostDelay { fixed_ns: 300_000, jitter_ns: None });
    for card in
        [CardPlan { host_delay: delay, ..CardPlan::IDEAL }, CardPlan { host_delay: delay, ..MODERATED }]
    {
        let queues = [
            QueuePlan::Fifo { packets: 20 },
            QueuePlan::Direct { aggregates: 1 },
            QueuePlan::FqCodel(PATIENT),
        ];
        for queue in queues {
            let mut air = plan(Standard::Ht, mcs(McsFormat::Ht, 7, 20), 3, Some(AMPDU));
            air.nics.iter_mut().for_each(|nic| (nic.card, nic.queue) = (card, queue));
            air.channel.losses = vec![LinkLoss { from: 1, to: 0, loss: 0.3 }];
            let sources = vec![
                source(1, 2, Pace::Saturated),
                source(2, 0, Pace::Saturated),
                source(0, 3, Pace::Saturated),
                source(3, 1, cbr(MS / 2)),
            ];
            let report = run(&scene(air, sources, (50, 253)));
            assert!(total_bps(&report) > 1e6, "{queue:?}: {:?}", report.sources);
        }
    }
}

#[test]
fn frames_hop_through_a_mesh() {
    let mut air = plan(Standard::Ofdm, LEGACY, 2, None);
    air.cells[0].kind = CellKind::Mesh;
    air.nics.iter_mut().for_each(|nic| nic.role = NicRole::Mesh);
    air.nics[0].mesh_routes = vec![MeshRoute { to: 2, via: 1 }];
    let report = run(&scene(air, vec![source(0, 2, cbr(2 * MS))], (0, 1000)));
    assert_eq!((report.sources[0].offered.frames, report.nics[1].accepted), (500, report.nics[1].sent));
    assert!(report.sources[0].delivered.frames >= 499);
    // Two hops: data twice.
    let delay = report.sources[0].delay.expect("frames were delivered");
    assert!(delay.min_ns > 2 * 248_000, "{delay:?}");
}

#[test]
fn losses_are_repeated_and_given_up() {
    let mut air = plan(Standard::Ht, mcs(McsFormat::Ht, 7, 20), 2, Some(AMPDU));
    air.cells[0].subframe_retry_limit = 4;
    air.channel.losses = vec![LinkLoss { from: 1, to: 0, loss: 0.3 }];
    let report = run(&saturated(air, true, (100, 2100)));
    let (bad, good) = (&report.sources[0], &report.sources[1]);
    let given_up = dropped(bad, "retry_limit") as f64 / bad.offered.frames as f64;
    // Collisions of two stations fail all MPDUs as well: a little above 0.3^4.
    assert!((0.3_f64.powi(4)..0.03).contains(&given_up), "{given_up}");
    assert!(good.delivered.frames > bad.delivered.frames);
    let lost = report.nics[1].mpdus_lost as f64 / report.nics[1].mpdus as f64;
    assert!((0.3..0.45).contains(&lost), "{lost}");
}

#[test]
fn hidden_stations_are_conserved_too() {
    for threshold in [0, 1_000_000] {
        let report = run(&saturated(hidden(threshold), true, (100, 1100)));
        let nic = &report.nics[1];
        assert_eq!(nic.rts > 0, threshold == 0);
        assert!(nic.rts_failed <= nic.rts && nic.modes.len() == 1 && nic.modes[0].mode == "OFDM 54 Mbit/s");
        assert_eq!((nic.modes[0].ppdus, nic.modes[0].mpdus), (nic.transmissions, nic.mpdus));
        assert!(report.media[0].collision_ns > 0);
    }
}

#[test]
fn one_station_spends_its_time_as_the_closed_form_says() {
    let report = run(&saturated(plan(Standard::Ofdm, LEGACY, 1, None), true, (100, 10_100)));
    let MediumReport { data_ns, response_ns, contention_ns, idle_ns, collision_ns, .. } = report.media[0];
    // Of 393.5 us: 248 of data, 16 + 28 of SIFS and Ack, 34 + 67.5 of DIFS and backoff.
    let share = |ns: u64, us: f64| (ns as f64 / 1e10) / (us / 393.5);
    for (ns, us) in [(data_ns, 248.0), (response_ns, 44.0), (contention_ns, 101.5)] {
        assert!((share(ns, us) - 1.0).abs() < 0.01, "{ns} for {us} us");
    }
    assert_eq!((idle_ns, collision_ns), (0, 0));
}

#[test]
fn rts_and_the_sifs_in_a_txop_are_control() {
    let mut air = plan(Standard::Ofdm, LEGACY, 1, None);
    air.cells[0].rts_threshold_bytes = 0;
    air.cells[0].access = best_effort(15);
    air.cells[0].access.iter_mut().for_each(|access| access.txop_us = 2_000);
    let link = Link::new(&air, 1, 0, Link::modes(&air, 1, 0).expect("legal")[0], 0);
    let alone = goodput(&link, 1514);
    let report = run(&saturated(air, true, (100, 10_100)));
    // Six exchanges of 252 us of data in a cycle; all but AIFS and backoff is data or control.
    let cycle = alone.cycle.as_nanos() as f64;
    let data = alone.txop.exchanges.iter().map(|exchange| exchange.data.as_nanos()).sum::<u64>() as f64;
    let control = alone.txop.duration.as_nanos() as f64 - data;
    let of = |ns: u64| ns as f64 / 1e10;
    assert!((of(report.media[0].data_ns) / (data / cycle) - 1.0).abs() < 0.01);
    assert!((of(report.media[0].response_ns) / (control / cycle) - 1.0).abs() < 0.01);
    assert!((total_bps(&report) / alone.bits_per_second(1514) - 1.0).abs() < 0.01);
}
