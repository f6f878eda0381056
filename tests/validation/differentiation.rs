//! Who gets how much: access categories, capture, losses.
//!
//! Sources: Bianchi's fixed point with two classes of stations, whose windows (Y. Xiao, "Performance analysis of priority schemes for
//! IEEE 802.11 and IEEE 802.11e wireless LANs", IEEE Transactions on Wireless Communications 4(4), 2005) or whose luck in collisions differ;
//! geometric sums for losses. The equations are written here, from durations alone. Tolerances 1.5 % (two classes), 1 % (losses).

use airtcp_air::analytic::goodput;
use airtcp_plan::{AccessParameters, LinkLoss, Propagation, RssiLink, Standard};
use airtcp_units::{Dbm, Decibel};

use crate::scene::{
    BEST_EFFORT, FRAME_BYTES, PAYLOAD_BYTES, Up, Worst, link, mbps, mcs, plan, run, run_saturated,
    saturated_source,
};

/// Probability to begin in a model slot with windows from `cw_min` to `cw_max` when a share `p` of the attempts is repeated (EDCA:
/// (W + 1) / 2 slots from one attempt to the next).
fn start_probability((cw_min, cw_max): (u32, u32), p: f64) -> f64 {
    let (mut attempts, mut slots, mut reached, mut cw) = (0.0, 0.0, 1.0, cw_min);
    while reached > 1e-15 {
        attempts += reached;
        slots += reached * (f64::from(cw) + 2.0) / 2.0;
        (reached, cw) = (reached * p, (2 * cw + 1).min(cw_max));
    }
    attempts / slots
}

/// Two stations with one AIFS, whose windows begin at 15 and 63: successes per station. Two, because only then nobody waits for EIFS while
/// those who collided go on (`docs/models/analytic.md`: the head start), which this model does not know.
#[test]
fn smaller_windows_get_more() {
    let classes = [(15, 1023), (63, 1023)];
    let access = |(cw_min, cw_max)| AccessParameters { cw_min, cw_max, ..BEST_EFFORT };
    let mut air = plan(mcs(Standard::Ht, 7, 1, 20, 800), 2);
    air.cells[0].access =
        vec![access(classes[1]), access(classes[1]), access(classes[0]), access(classes[0])];
    // Priority 5 is video's.
    let report = run(air, vec![saturated_source(1, 0, 5), saturated_source(2, 0, 0)], 120.0, 1);
    let [small, large] = [0, 1].map(|i: usize| report.sources[i].delivered.frames as f64);
    // Damped iteration of the two equations.
    let mut tau: [f64; 2] = [0.05, 0.02];
    for _ in 0..2000 {
        let other = [tau[1], tau[0]];
        for i in 0..2 {
            tau[i] = 0.9 * tau[i] + 0.1 * start_probability(classes[i], other[i]);
        }
    }
    let expected = tau[0] * (1.0 - tau[1]) / (tau[1] * (1.0 - tau[0]));
    let mut worst = Worst::default();
    worst.note(
        format!("windows of 15 and 63: {:.3} to 1, model {expected:.3}", small / large),
        small / large,
        expected,
    );
    worst.within(0.025, "two windows, ratio of successes");
}

/// Video with a TXOP and best effort without, same window and AIFS: each access carries what fits.
#[test]
fn a_txop_is_a_share() {
    let mut air = plan(mcs(Standard::Ht, 7, 1, 20, 800), 2);
    let video = AccessParameters { txop_us: 3_008, ..BEST_EFFORT };
    air.cells[0].access = vec![BEST_EFFORT, BEST_EFFORT, video, video];
    let mut of_video = link(&air, 1, 0);
    of_video.access = video;
    let expected = f64::from(of_video.txop(FRAME_BYTES).frames());
    let report = run(air, vec![saturated_source(1, 0, 5), saturated_source(2, 0, 0)], 240.0, 1);
    let [video, other] = [0, 1].map(|i: usize| report.sources[i].delivered.frames as f64);
    let mut worst = Worst::default();
    worst.note(format!("{expected} frames to 1"), video / other, expected);
    worst.within(0.025, "a TXOP against single frames, ratio");
}

/// A near and a far station, 20 dB apart, and a receiver that captures from 10 dB on: the near one never fails, the far one fails
/// whenever both begin. With two stations: p = 0 and p = tau of the near one. Chance: 100 000 successes, 0.3 %.
#[test]
fn the_stronger_station_survives() {
    let mut air = plan(mcs(Standard::Ht, 7, 1, 20, 800), 2);
    air.channel.capture_db = Some(Decibel::new(10.0));
    let near = RssiLink { a: 0, b: 1, rssi_dbm: Dbm::new(-40.0) };
    let far = RssiLink { a: 0, b: 2, rssi_dbm: Dbm::new(-60.0) };
    let between = RssiLink { a: 1, b: 2, rssi_dbm: Dbm::new(-60.0) };
    air.channel.propagation =
        Propagation::Rssi { links: vec![near, far, between], default_dbm: Dbm::new(-60.0) };
    let report = run_saturated(air, Up, 60.0, 1);
    let nics = &report.nics;
    assert_eq!((nics[1].collisions, nics[1].mpdus_lost), (0, 0));
    let windows = (15, 1023);
    let near = start_probability(windows, 0.0);
    let far = start_probability(windows, near);
    let mut worst = Worst::default();
    let lost = nics[2].mpdus_lost as f64 / nics[2].mpdus as f64;
    worst.note(format!("loss of the far station {lost:.4}, model {near:.4}"), lost, near);
    let ratio = report.sources[0].delivered.frames as f64 / report.sources[1].delivered.frames as f64;
    let expected = near / (far * (1.0 - near));
    worst.note(format!("near to far {ratio:.4}, model {expected:.4}"), ratio, expected);
    worst.within(0.03, "capture, two stations");
}

/// A station alone whose frames are lost with probability p: attempt i costs the frame, its Ack or the timeout of one, AIFS and half of
/// window i; so many attempts as it takes.
#[test]
fn losses_cost_attempts_and_wider_windows() {
    let mut worst = Worst::default();
    for loss in [0.05, 0.1, 0.3, 0.5] {
        let mut air = plan(mcs(Standard::Ht, 7, 1, 20, 800), 1);
        air.channel.losses = vec![LinkLoss { from: 1, to: 0, loss }];
        let link = link(&air, 1, 0);
        let exchange = goodput(&link, FRAME_BYTES).txop.exchanges[0];
        let [total, data, aifs, slot, timeout] = [
            exchange.total,
            exchange.data,
            link.aifs(),
            link.times.slot,
            link.times.response_timeout(link.response_mode()),
        ]
        .map(airtcp_units::Duration::as_secs_f64);
        let (mut time, mut reached, mut cw) = (total, 1.0, 15);
        while reached > 1e-12 {
            let backoff = f64::from(cw) / 2.0 * slot;
            // This attempt's beginning; and its failure, after which the next begins.
            time += reached * (aifs + backoff + loss * (data + timeout));
            (reached, cw) = (reached * loss, (2 * cw + 1).min(1023));
        }
        let expected = f64::from(PAYLOAD_BYTES) * 8e-6 / time;
        let measured = mbps(&run_saturated(air, Up, 240.0, 1), PAYLOAD_BYTES);
        println!("loss {loss}: {measured} {expected}");
        worst.note(format!("loss {loss}: {measured:.2} Mbit/s"), measured, expected);
    }
    worst.within(0.01, "losses of one station");
}
