use airtcp_plan::{Fading, LinkLoss, LinkTrace, Propagation, RssiLink, Shadowing, TracePoint};
use airtcp_units::{Decibel, Metre};

use super::super::scene::{EPOCH, at, cell, plan, waypoint};
use super::*;

const A: NicId = NicId(0);
const B: NicId = NicId(1);
const C: NicId = NicId(2);

/// Three NICs in a line: 0, 10 and 30 m.
fn line() -> AirPlan {
    plan(&[[0.0, 0.0, 1.0], [10.0, 0.0, 1.0], [30.0, 0.0, 1.0]])
}

fn channel(plan: &AirPlan) -> Channel {
    super::super::check(plan).expect("the plan is right");
    Channel::new(plan, 1, EPOCH)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-3
}

fn decibel(ratio: f64) -> f64 {
    10.0 * libm::log10(ratio)
}

fn point(time_s: f64) -> TracePoint {
    TracePoint { time_ns: at(time_s).since(EPOCH).as_nanos(), rssi_dbm: None, loss: None, rate_bps: None }
}

fn shadowing(sigma_db: f64) -> Shadowing {
    Shadowing { sigma_db: Decibel::new(sigma_db), decorrelation_m: Metre::new(5.0) }
}

#[test]
fn a_still_channel_has_its_powers_and_never_changes() {
    let mut channel = channel(&line());
    // 20 dBm less 46.734 dB at 1 m and 20 log10 of the distance.
    assert!(close(channel.mean_dbm(A, B).get(), -46.734_4));
    assert!(close(channel.mean_dbm(C, A).get(), -26.734_4 - 29.542_4));
    assert!(close(channel.power_mw(at(1.0), A, B) * 1e5, 2.121_1));
    assert_eq!(channel.next_update(), Instant::FAR_FUTURE);
    assert!(!channel.update(at(1e6)));
    assert!(close(channel.extra_loss(at(1.0), A, B), 0.0));
    assert_eq!(channel.rate_cap(at(1.0), A, B), None);
}

#[test]
fn a_nic_that_is_moved_is_there_at_once_and_a_fixed_power_stays() {
    let mut plan = line();
    plan.nics[1].waypoints = vec![waypoint(5.0, [20.0, 0.0, 1.0])];
    let mut channel = channel(&plan);
    assert!(channel.move_to(at(1.0), B, Position::new([1.0, 0.0, 1.0].map(Metre::new))));
    // 20 dBm less 46.734 dB at 1 m; its waypoint is void.
    assert!(close(channel.mean_dbm(A, B).get(), -26.734_4));
    assert_eq!(channel.next_update(), Instant::FAR_FUTURE);
    assert!(!channel.move_to(at(2.0), B, Position::new([1.0, 0.0, 1.0].map(Metre::new))));
    assert!(channel.fix_power(at(3.0), [A, B], Dbm::new(-70.0)));
    assert!(channel.move_to(at(4.0), B, Position::new([10.0, 0.0, 1.0].map(Metre::new))));
    assert_eq!(channel.mean_dbm(A, B), Dbm::new(-70.0));
    assert!(close(channel.mean_dbm(B, A).get(), -46.734_4));
}

#[test]
fn nobody_receives_himself() {
    let mut plan = line();
    plan.channel.fading = Fading::Rayleigh { coherence_ns: 1_000_000 };
    plan.channel.shadowing = Some(shadowing(6.0));
    let mut channel = channel(&plan);
    assert_eq!(channel.mean_dbm(B, B), Dbm::new(f64::NEG_INFINITY));
    assert!(channel.power_mw(at(1.0), B, B) <= 0.0);
}

#[test]
fn the_frequency_is_that_of_the_sender() {
    let mut plan = line();
    plan.cells.push(cell(2412));
    plan.nics[1].cell = 1;
    let channel = channel(&plan);
    assert!(close(channel.mean_dbm(A, B).get(), -46.734_4));
    assert!(close(channel.mean_dbm(B, A).get(), -40.095_3));
}

#[test]
fn noise_is_that_of_the_width() {
    let channel = channel(&line());
    for width in WIDTHS {
        // -173.9752 dBm/Hz, 7 dB and the width.
        let dbm = decibel(channel.noise_mw(width));
        let hertz = f64::from(width.mhz()) * 1e6;
        assert!(close(dbm, -166.975_2 + decibel(hertz)), "{width:?} {dbm}");
    }
}

#[test]
fn powers_change_where_somebody_moves_and_at_updates_only() {
    let mut plan = line();
    // From 2 s to 4 s from 10 m to 20 m, then 1 s at rest.
    let [near, far] = [[10.0, 0.0, 1.0], [20.0, 0.0, 1.0]];
    plan.nics[1].waypoints = vec![waypoint(2.05, near), waypoint(4.05, far), waypoint(5.0, far)];
    let mut channel = channel(&plan);
    assert_eq!(channel.next_update(), at(2.1));
    assert!(!channel.update(at(2.0)));
    assert!(channel.update(at(2.1)));
    let still = channel.mean_dbm(A, C);
    assert!(close(channel.mean_dbm(A, B).get(), -26.734_4 - 2.0 * decibel(10.25)));
    assert!(close(channel.mean_dbm(C, B).get(), -26.734_4 - 2.0 * decibel(19.75)));
    assert_eq!(channel.next_update(), at(2.2));
    assert!(channel.update(at(4.0)));
    assert!(channel.update(at(4.1)));
    assert!(close(channel.mean_dbm(B, A).get(), -26.734_4 - 2.0 * decibel(20.0)));
    assert_eq!(channel.mean_dbm(A, C), still);
    // The last waypoint is the only time left at which something could change; nothing does.
    assert_eq!(channel.next_update(), at(5.0));
    assert!(!channel.update(at(5.0)));
    assert_eq!(channel.next_update(), Instant::FAR_FUTURE);
}

#[test]
fn late_updates_catch_up() {
    let mut plan = line();
    plan.channel.shadowing = Some(shadowing(6.0));
    plan.nics[2].waypoints = vec![waypoint(0.0, [30.0, 0.0, 1.0]), waypoint(8.0, [30.0, 9.0, 1.0])];
    let [mut late, mut punctual] = [channel(&plan), channel(&plan)];
    let mut now = punctual.next_update();
    while now <= at(7.77) {
        assert!(punctual.update(now));
        now = punctual.next_update();
    }
    assert!(late.update(at(7.77)));
    assert_eq!(late.next_update(), punctual.next_update());
    for (from, to) in [(A, B), (A, C), (C, B), (B, A)] {
        assert_eq!(late.mean_dbm(from, to), punctual.mean_dbm(from, to));
    }
}

#[test]
fn shadowing_is_the_same_both_ways_and_stays_while_nobody_moves() {
    let mut plan = line();
    plan.channel.propagation = Propagation::Rssi { links: vec![], default_dbm: Dbm::new(-60.0) };
    plan.channel.shadowing = Some(shadowing(6.0));
    plan.nics[2].waypoints = vec![waypoint(0.0, [30.0, 0.0, 1.0]), waypoint(1.0, [30.0, 9.0, 1.0])];
    let mut channel = channel(&plan);
    let before = [(A, B), (A, C)].map(|(a, b)| channel.mean_dbm(a, b));
    assert!(channel.update(at(1.0)));
    assert_eq!(channel.mean_dbm(A, B), before[0]);
    assert_ne!(channel.mean_dbm(A, C), before[1]);
    for (a, b) in [(A, B), (A, C), (B, C)] {
        assert_eq!(channel.mean_dbm(a, b), channel.mean_dbm(b, a));
        assert_ne!(channel.mean_dbm(a, b), Dbm::new(-60.0));
    }
}

#[test]
fn neither_place_in_the_plan_nor_others_change_what_is_drawn() {
    let random = |mut plan: AirPlan| {
        plan.channel.propagation = Propagation::Rssi { links: vec![], default_dbm: Dbm::new(-60.0) };
        plan.channel.shadowing = Some(shadowing(6.0));
        plan.channel.fading = Fading::Rayleigh { coherence_ns: 1_000_000 };
        channel(&plan)
    };
    let mut turned = line();
    turned.nics.reverse();
    let mut fewer = line();
    fewer.nics.pop();
    let [mut all, mut turned, mut fewer] = [line(), turned, fewer].map(random);
    let power = all.power_mw(at(0.5), A, B);
    assert_eq!(turned.power_mw(at(0.5), C, B).to_bits(), power.to_bits());
    assert_eq!(fewer.power_mw(at(0.5), A, B).to_bits(), power.to_bits());
    let mut other = line();
    other.nics[1].mac.0[5] = 77;
    assert_ne!(random(other).power_mw(at(0.5), A, B).to_bits(), power.to_bits());
}

#[test]
fn fading_varies_about_the_mean_power() {
    let mut plan = line();
    plan.channel.fading = Fading::Rayleigh { coherence_ns: 1_000_000 };
    let mut channel = channel(&plan);
    let mean_mw = channel.mean_dbm(A, B).to_milliwatt().get();
    let n = 10_000;
    let sum: f64 = (0..n).map(|k| channel.power_mw(at(f64::from(k) * 1e-3 + 5e-4), A, B) / mean_mw).sum();
    // Variance 1, four standard errors.
    assert!((sum / f64::from(n) - 1.0).abs() < 0.04, "{sum}");
    assert_eq!(channel.next_update(), Instant::FAR_FUTURE);
}

#[test]
fn a_recorded_power_replaces_the_model_in_its_direction_at_its_times() {
    let mut plan = line();
    let rssi = |time_s, dbm: Option<f64>| TracePoint { rssi_dbm: dbm.map(Dbm::new), ..point(time_s) };
    let points = vec![rssi(0.25, Some(-70.0)), rssi(0.5, Some(-70.0)), rssi(1.0, None)];
    plan.channel.traces = vec![LinkTrace { from: 0, to: 1, repeat: false, points }];
    let mut channel = channel(&plan);
    let modelled = channel.mean_dbm(A, B);
    assert_eq!(channel.next_update(), at(0.25));
    assert!(channel.update(at(0.25)));
    assert_eq!(channel.mean_dbm(A, B), Dbm::new(-70.0));
    assert_eq!(channel.mean_dbm(B, A), modelled);
    assert_eq!(channel.next_update(), at(0.5));
    assert!(!channel.update(at(0.5)), "the same power is no change");
    assert!(channel.update(at(1.0)));
    assert_eq!(channel.mean_dbm(A, B), modelled);
    assert_eq!(channel.next_update(), Instant::FAR_FUTURE);
}

#[test]
fn a_recording_does_not_change_what_others_draw() {
    let mut plan = line();
    plan.channel.shadowing = Some(shadowing(6.0));
    plan.nics[2].waypoints = vec![waypoint(0.0, [30.0, 0.0, 1.0]), waypoint(8.0, [30.0, 9.0, 1.0])];
    let mut unrecorded = channel(&plan);
    let points =
        (0..50).map(|i| TracePoint { rssi_dbm: Some(Dbm::new(-70.0)), ..point(0.01 * f64::from(i)) });
    plan.channel.traces = vec![LinkTrace { from: 0, to: 1, repeat: true, points: points.collect() }];
    let mut traced = channel(&plan);
    unrecorded.update(at(5.0));
    traced.update(at(5.0));
    assert_eq!(unrecorded.mean_dbm(A, C), traced.mean_dbm(A, C));
    assert_ne!(unrecorded.mean_dbm(A, B), traced.mean_dbm(A, B));
}

#[test]
fn losses_combine_as_independent_and_have_a_direction() {
    let mut plan = line();
    plan.channel.losses = vec![LinkLoss { from: 0, to: 1, loss: 0.2 }];
    let points = vec![TracePoint { loss: Some(0.5), ..point(1.0) }];
    plan.channel.traces = vec![
        LinkTrace { from: 0, to: 1, repeat: false, points: points.clone() },
        LinkTrace { from: 2, to: 1, repeat: false, points },
    ];
    let mut channel = channel(&plan);
    assert!(close(channel.extra_loss(at(0.5), A, B), 0.2));
    assert!(close(channel.extra_loss(at(1.0), A, B), 0.6));
    assert!(close(channel.extra_loss(at(1.0), C, B), 0.5));
    assert!(close(channel.extra_loss(at(1.0), B, A), 0.0));
    assert_eq!(channel.next_update(), Instant::FAR_FUTURE, "no power is recorded");
}

#[test]
fn rate_caps_follow_the_recording() {
    let mut plan = line();
    let rate = BitRate::from_mbps(24);
    let points = vec![TracePoint { rate_bps: Some(rate), ..point(0.0) }, point(1.0)];
    plan.channel.traces = vec![LinkTrace { from: 0, to: 1, repeat: false, points }];
    let mut channel = channel(&plan);
    assert_eq!(channel.rate_cap(Instant::ZERO, A, B), Some(rate), "before the epoch all is as at the epoch");
    assert_eq!(channel.rate_cap(at(0.9), A, B), Some(rate));
    assert_eq!(channel.rate_cap(at(1.0), A, B), None);
    assert_eq!(channel.rate_cap(at(0.9), B, A), None);
}

#[test]
fn a_hundred_nics_are_small() {
    let places: Vec<[f64; 3]> = (0..100).map(|i| [f64::from(i), 0.0, 1.0]).collect();
    let mut plan = plan(&places);
    plan.channel.propagation = Propagation::Rssi {
        links: (1..100).map(|b| RssiLink { a: b, b: 0, rssi_dbm: Dbm::new(-40.0 - f64::from(b)) }).collect(),
        default_dbm: Dbm::new(-90.0),
    };
    plan.channel.shadowing = Some(shadowing(0.0));
    let channel = channel(&plan);
    assert!(close(channel.mean_dbm(NicId(7), A).get(), -47.0));
    assert!(close(channel.mean_dbm(A, NicId(99)).get(), -139.0));
    assert!(close(channel.mean_dbm(B, C).get(), -90.0));
    assert!(channel.mean.len() * size_of::<Mean>() <= 160_000);
}
