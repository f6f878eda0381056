//! The performance anomaly, and airtime fairness, which ends it.
//!
//! Sources: M. Heusse, F. Rousseau, G. Berger-Sabbatel and A. Duda, "Performance anomaly of 802.11b", INFOCOM 2003: stations get equal
//! throughput whatever their rates, and one at 1 Mbit/s pulls those at 11 Mbit/s below 1 Mbit/s. T. Høiland-Jørgensen et al., "Ending the
//! anomaly", USENIX ATC 2017: with equal airtime every station gets its share of what it would have alone. Totals come from closed forms.
//! Tolerances as said at each.

use airtcp_air::analytic::{Goodput, Link, Saturation, goodput};
use airtcp_plan::{
    Aggregation, AirPlan, FqCodelPlan, LinkTrace, QueuePlan, RateControlPlan, Standard, TracePoint,
};
use airtcp_units::{BitRate, Duration};

use crate::scene::{
    AMPDU, Down, FRAME_BYTES, PATIENT, PAYLOAD_BYTES, Phy, Up, Worst, legacy, link, mbps, mcs, plan,
    run_saturated,
};

/// Stations with modes of their own in a cell of the first's standard.
fn mixed(modes: &[Phy]) -> AirPlan {
    let mut air = plan(modes[0], modes.len() as u32);
    for (nic, phy) in air.nics[1..].iter_mut().zip(modes) {
        nic.rate_control = RateControlPlan::Fixed { mode: phy.mode };
    }
    air
}

/// Bianchi's model with modes that differ: who begins does not depend on how long it lasts, so that probabilities are those of equal
/// stations, a success lasts as long as those of all stations on average (by their shares of the successes), and a collision as long
/// as the longest in it. Mbit/s of payload of all together.
fn saturation_mbps(air: &AirPlan, shares: &[f64]) -> f64 {
    let stations = air.nics.len() as u32 - 1;
    let models: Vec<Saturation> = (1..=stations)
        .map(|i| Saturation::new(&link(air, i, 0), stations, FRAME_BYTES, PAYLOAD_BYTES))
        .collect();
    let seconds = |duration: Duration| duration.as_secs_f64();
    let mean: f64 = shares.iter().zip(&models).map(|(share, model)| share * seconds(model.success)).sum();
    let tau = models[0].solve().start_probability;
    // All sets of two and more stations that may begin together.
    let (mut collided, mut time) = (0.0, 0.0);
    for set in 0_u32..1 << stations {
        let size = set.count_ones();
        if size >= 2 {
            let p = (0..stations).map(|i| if set >> i & 1 == 1 { tau } else { 1.0 - tau }).product::<f64>();
            let longest =
                (0..stations as usize).filter(|i| set >> i & 1 == 1).map(|i| seconds(models[i].collision));
            collided += p;
            time += p * longest.fold(0.0, f64::max);
        }
    }
    // The same model with these two durations.
    let ns = |seconds: f64| Duration::from_nanos((seconds * 1e9) as u64);
    let model = Saturation { success: ns(mean), collision: ns(time / collided), ..models[0] };
    model.solve().throughput_bps / 1e6
}

/// A cell's total, and how far its slow station is from an equal share of the frames.
fn anomaly(standard: Standard, rts: bool, worst: &mut Worst, shares: &mut Worst) {
    let (fast, slow) = if standard == Standard::HrDsss { (11_000, 1_000) } else { (54_000, 6_000) };
    for fast_stations in [1, 2, 5] {
        let mut modes = vec![legacy(standard, fast); fast_stations];
        modes.push(legacy(standard, slow));
        let mut air = mixed(&modes);
        if rts {
            // One basic rate, so that all RTS are equally long.
            let cell = &mut air.cells[0];
            cell.rts_threshold_bytes = 0;
            cell.basic_rates_bps.truncate(1);
        }
        let count = modes.len() as f64;
        let seconds = 60_000.0 * f64::from(PAYLOAD_BYTES) * 8e-6
            / saturation_mbps(&air, &vec![1.0 / count; modes.len()]);
        let report = run_saturated(air.clone(), Up, seconds, 1);
        let frames: Vec<f64> = report.sources.iter().map(|source| source.delivered.frames as f64).collect();
        let all: f64 = frames.iter().sum();
        // Who is next is nearly a coin toss: with the shares as they were chance in them says nothing about the total.
        let expected = saturation_mbps(&air, &frames.iter().map(|own| own / all).collect::<Vec<_>>());
        let measured = mbps(&report, PAYLOAD_BYTES);
        let each = measured / count;
        let what = format!("{standard:?}, {fast_stations} fast and a slow one, RTS: {rts}");
        println!("{what}: {measured:.3} Mbit/s, model {expected:.3}, {each:.3} each");
        worst.note(what.as_str(), measured, expected);
        shares.note(what.as_str(), frames[fast_stations] * count, all);
        // What the paper observes: nobody has 1 Mbit/s beside a station with that rate.
        assert!(standard != Standard::HrDsss || each < 1.0, "{what}: {each} Mbit/s each");
    }
}

/// With RTS all collisions are equally long: the total within 1 % of the model, the slow one's share equal to the others' within 4 % (it
/// is a count of 10000 to 30000 with some memory: over six seeds it was between 0.985 and 1.005 of them).
#[test]
fn slow_stations_slow_down_fast_ones_behind_rts() {
    let (mut worst, mut shares) = (Worst::default(), Worst::default());
    anomaly(Standard::HrDsss, true, &mut worst, &mut shares);
    anomaly(Standard::Ofdm, true, &mut worst, &mut shares);
    worst.within(0.01, "performance anomaly behind RTS, total against the model");
    shares.within(0.04, "performance anomaly behind RTS, share of the slow station");
}

/// Without RTS a fast station whose frame collided with a slow one's is done long before: when the slow frame ends its timeout is over, and
/// it goes on after DIFS, where the slow one waits for a timeout and others for EIFS (10.3.2.3.7, 10.3.2.11). So the slow one has a
/// little less, up to 7 %; the total with these shares is that of the model within 1 %.
#[test]
fn slow_stations_slow_down_fast_ones() {
    let (mut worst, mut shares) = (Worst::default(), Worst::default());
    anomaly(Standard::HrDsss, false, &mut worst, &mut shares);
    anomaly(Standard::Ofdm, false, &mut worst, &mut shares);
    worst.within(0.01, "performance anomaly, total against the model");
    shares.within(0.07, "performance anomaly, share of the slow station");
}

/// Fast and slow stations of one access point: the rate to each is capped by a recording, and chosen as fast as that. A-MPDUs of at
/// most 4 ms, as ath9k has them, or none.
fn downlink(fairness: bool, aggregates: bool) -> AirPlan {
    let mut air = plan(mcs(Standard::Ht, 7, 2, 20, 400), CAPS_KBPS.len() as u32);
    let queue = FqCodelPlan { airtime_fairness: fairness, ..PATIENT };
    for nic in &mut air.nics {
        nic.rate_control = RateControlPlan::Ideal { error_rate: 0.01 };
        nic.queue = QueuePlan::FqCodel(queue);
        nic.aggregation = aggregates.then_some(Aggregation { ampdu_us: 4_000, ..AMPDU });
    }
    air.channel.traces = (1..).zip(CAPS_KBPS).map(|(to, kbps)| cap(to, kbps)).collect();
    air
}

/// The testbed's stations of the second paper: two at 144.4 Mbit/s and one at 7.2 Mbit/s (HT20, short guard interval).
const CAPS_KBPS: [u64; 3] = [144_500, 144_500, 7_300];

fn cap(to: u32, kbps: u64) -> LinkTrace {
    let rate_bps = Some(BitRate::from_bps(kbps * 1000));
    let point = TracePoint { time_ns: 0, rssi_dbm: None, loss: None, rate_bps };
    LinkTrace { from: 0, to, repeat: false, points: vec![point] }
}

/// What each station would get alone at its rate.
fn alone(air: &AirPlan) -> Vec<Goodput> {
    let of = |(station, kbps): (u32, u64)| {
        let modes = Link::modes(air, 0, station).expect("a legal plan");
        let fastest = modes.iter().filter(|tx| tx.bit_rate() <= BitRate::from_bps(kbps * 1000));
        let tx = *fastest.max_by_key(|tx| tx.bit_rate()).expect("a mode so slow");
        goodput(&Link::new(air, 0, station, tx, 0), FRAME_BYTES)
    };
    (1..).zip(CAPS_KBPS).map(of).collect()
}

/// Turns of one PPDU each: the time of a round is that of one cycle of each. Single frames give all stations the same throughput, the
/// anomaly; aggregates that are long for all give each its time.
#[test]
fn turns_of_one_ppdu_give_the_anomaly() {
    let mut worst = Worst::default();
    for aggregates in [false, true] {
        let air = downlink(false, aggregates);
        let alone = alone(&air);
        let round: f64 = alone.iter().map(|own| own.cycle.as_secs_f64()).sum();
        let report = run_saturated(air, Down, 20.0, 1);
        for (own, source) in alone.iter().zip(&report.sources) {
            let expected = f64::from(own.txop.frames()) / round * 20.0;
            let of = format!("{}, aggregates: {aggregates}", source.name);
            worst.note(of, source.delivered.frames as f64, expected);
        }
        println!("turns, aggregates {aggregates}: {:.2} Mbit/s", mbps(&report, PAYLOAD_BYTES));
    }
    worst.within(0.015, "turns of one PPDU, each station");
}

/// Equal airtime: the accesses of a station are in inverse proportion to the airtime of its exchange, and their cycles fill the time. With
/// long aggregates that is a third of its goodput alone.
#[test]
fn equal_airtime_gives_each_its_share_of_its_own_goodput() {
    let mut worst = Worst::default();
    for aggregates in [false, true] {
        let air = downlink(true, aggregates);
        let alone = alone(&air);
        let airtime = |own: &Goodput| own.txop.duration.as_secs_f64();
        let sum: f64 = alone.iter().map(|own| own.cycle.as_secs_f64() / airtime(own)).sum();
        let report = run_saturated(air, Down, 20.0, 1);
        for (own, source) in alone.iter().zip(&report.sources) {
            let measured = source.delivered.frames as f64 / 20.0;
            let share = f64::from(own.txop.frames()) / airtime(own) / sum;
            worst.note(format!("{}, aggregates: {aggregates}", source.name), measured, share);
            if aggregates {
                worst.note(format!("a third, {}", source.name), measured, own.frames_per_second / 3.0);
            }
        }
        println!("equal airtime, aggregates {aggregates}: {:.2} Mbit/s", mbps(&report, PAYLOAD_BYTES));
    }
    worst.within(0.015, "equal airtime, each station");
}

/// What fairness gains where PPDUs are single frames. Measurements with ath9k went from 41.6 to 52.1 Mbit/s in one testbed, two fast stations
/// from 19.5 to 25.1, the slow one from 2.6 to 1.8 (patch of the paper's author for ath9k): the direction for each can be held.
#[test]
fn airtime_fairness_ends_the_anomaly() {
    let [turns, fair] = [false, true].map(|fair| {
        let report = run_saturated(downlink(fair, false), Down, 10.0, 1);
        [0, 1, 2].map(|i: usize| report.sources[i].throughput_bps / 1e6)
    });
    println!("turns {turns:.2?}, equal airtime {fair:.2?}");
    assert!((turns[0] / turns[2] - 1.0).abs() < 0.01, "{turns:?}");
    assert!(fair[0] > turns[0] && fair[1] > turns[1] && fair[2] < turns[2], "{turns:?}, {fair:?}");
    assert!(fair.iter().sum::<f64>() > 1.25 * turns.iter().sum::<f64>(), "{turns:?}, {fair:?}");
}
