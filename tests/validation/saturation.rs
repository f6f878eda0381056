//! n saturated stations without aggregation, n = 1 ... 50: the simulated air against Bianchi's model, and the model against its
//! published values.
//!
//! Sources: G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE JSAC 18(3), 2000, in the
//! two forms of `docs/models/analytic.md` (DCF and EDCA count slots differently); tables of ns-3's `wifi-bianchi.cc`
//! (`data/ns3-bianchi.csv`). Tolerance 1.5 % for the air against the model, 0.3 % for the model against its tables.
//!
//! **Length of runs.** Every n has a seed of its own and lasts 20000 successes. The number of successes in a time varies less than
//! that of a Poisson process (a success is followed by a fixed time, only collisions and idle slots vary): 20000 of them have a
//! standard error below 1 / sqrt(20000) = 0.7 %, and of 0.2 to 0.45 % in fact, as the root mean square over n shows that each
//! sweep prints. A point at the tolerance would be off by more than three standard errors, and the mean over fifty n, which is held
//! to 0.75 %, by more than ten.

use airtcp_air::analytic::{AfterBusy, Saturation};
use airtcp_plan::{AirPlan, Source, Standard};
use airtcp_units::Duration;

use crate::scene::{
    FRAME_BYTES, PAYLOAD_BYTES, Phy, Up, Worst, legacy, link, mbps, mcs, plan, run, run_saturated,
    saturated_source,
};

const SUCCESSES: f64 = 20_000.0;
const TOLERANCE: f64 = 0.015;

/// What the model says for this many stations of a plan.
fn model(air: &AirPlan, stations: u32) -> Saturation {
    Saturation::new(&link(air, 1, 0), stations, FRAME_BYTES, PAYLOAD_BYTES)
}

/// A sweep over n: each within the tolerance, their mean within half of it.
fn sweep(what: &str, phy: Phy, counts: impl Iterator<Item = u32>, edit: impl Fn(&mut AirPlan)) {
    let mut worst = Worst::default();
    for stations in counts {
        let mut air = plan(phy, stations);
        edit(&mut air);
        let expected = model(&air, stations).solve().throughput_bps;
        let seconds = SUCCESSES * f64::from(PAYLOAD_BYTES) * 8.0 / expected;
        let measured = mbps(&run_saturated(air, Up, seconds, u64::from(stations)), PAYLOAD_BYTES);
        worst.note(format!("{stations} stations"), measured * 1e6, expected);
    }
    worst.within(TOLERANCE, what);
    let (_, mean, _) = worst.moments();
    assert!(mean.abs() < TOLERANCE / 2.0, "{what}: mean {mean}");
}

fn all() -> std::ops::RangeInclusive<u32> {
    1..=50
}

#[test]
fn hr_dsss_1_mbps() {
    sweep("11b 1 Mbit/s", legacy(Standard::HrDsss, 1_000), all(), |_| {});
}

#[test]
fn hr_dsss_11_mbps() {
    sweep("11b 11 Mbit/s", legacy(Standard::HrDsss, 11_000), all(), |_| {});
}

#[test]
fn hr_dsss_11_mbps_with_the_short_preamble() {
    let phy = legacy(Standard::HrDsss, 11_000);
    sweep("11b 11 Mbit/s, short preamble", phy, all().step_by(7), |air| air.cells[0].short_preamble = true);
}

#[test]
fn ofdm_6_mbps() {
    sweep("11a 6 Mbit/s", legacy(Standard::Ofdm, 6_000), all(), |_| {});
}

#[test]
fn ofdm_24_mbps() {
    sweep("11a 24 Mbit/s", legacy(Standard::Ofdm, 24_000), all().step_by(7), |_| {});
}

#[test]
fn ofdm_54_mbps() {
    sweep("11a 54 Mbit/s", legacy(Standard::Ofdm, 54_000), all(), |_| {});
}

#[test]
fn erp_6_mbps() {
    sweep("11g 6 Mbit/s", legacy(Standard::Erp, 6_000), all().step_by(7), |_| {});
}

#[test]
fn erp_54_mbps() {
    sweep("11g 54 Mbit/s", legacy(Standard::Erp, 54_000), all(), |_| {});
}

#[test]
fn he_20_mhz_mcs_0() {
    sweep("11ax 20 MHz MCS 0", mcs(Standard::He, 0, 1, 20, 800), all(), |_| {});
}

#[test]
fn he_20_mhz_mcs_11() {
    sweep("11ax 20 MHz MCS 11", mcs(Standard::He, 11, 1, 20, 800), all(), |_| {});
}

#[test]
fn he_80_mhz_mcs_11() {
    sweep("11ax 80 MHz MCS 11", mcs(Standard::He, 11, 1, 80, 800), all().step_by(7), |_| {});
}

/// What collides is an RTS.
#[test]
fn ofdm_54_mbps_with_rts() {
    let phy = legacy(Standard::Ofdm, 54_000);
    sweep("11a 54 Mbit/s, RTS", phy, all().step_by(7), |air| air.cells[0].rts_threshold_bytes = 0);
}

/// Frames are given up after four attempts (Wu et al., INFOCOM 2002).
#[test]
fn ofdm_54_mbps_with_a_retry_limit() {
    let limit = |air: &mut AirPlan| {
        (air.cells[0].short_retry_limit, air.cells[0].long_retry_limit) = (4, 4);
    };
    sweep("11a 54 Mbit/s, four attempts", legacy(Standard::Ofdm, 54_000), all().step_by(7), limit);
}

/// One row of the published tables.
struct Published {
    after_collision: &'static str,
    format: &'static str,
    mode: f64,
    mbps: Vec<f64>,
}

fn published() -> Vec<Published> {
    let lines = include_str!("data/ns3-bianchi.csv").lines().filter(|line| !line.starts_with('#')).skip(1);
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |cell: &&str| cell.parse::<f64>().expect("a number");
            Published {
                after_collision: cells[0],
                format: cells[1],
                mode: number(&cells[2]),
                mbps: cells[3..].iter().map(number).collect(),
            }
        })
        .collect()
}

/// Stations of the columns of the tables.
fn columns() -> impl Iterator<Item = u32> {
    (5..=50).step_by(5)
}

/// Constants of the published model in microseconds.
struct Times {
    data: f64,
    ack: f64,
    slot: f64,
    sifs: f64,
    difs: f64,
    values: f64,
}

impl Times {
    /// 1500 octets of payload in PSDUs of 1536 (11b), 1534 (11a) and 1538 (11ax) octets; the Ack at the highest basic rate that is
    /// not above that of the data.
    fn new(format: &str, mode: f64) -> Self {
        let ofdm = |sifs, values| Self { data: 0.0, ack: 0.0, slot: 9.0, sifs, difs: 34.0, values };
        let ofdm_us = |bits: f64, bits_per_symbol: f64| 20.0 + 4.0 * ((bits + 22.0) / bits_per_symbol).ceil();
        match format {
            "hr_dsss" => {
                let data = 192.0 + 1536.0 * 8.0 / mode;
                let ack = 192.0 + 112.0 / mode.min(2.0);
                Self { data, ack, slot: 20.0, sifs: 10.0, difs: 50.0, values: 32.0 }
            }
            "ofdm" => {
                let basic = if mode >= 24.0 {
                    24.0
                } else if mode >= 12.0 {
                    12.0
                } else {
                    6.0
                };
                let (data, ack) = (ofdm_us(1534.0 * 8.0, 4.0 * mode), ofdm_us(112.0, 4.0 * basic));
                Self { data, ack, ..ofdm(16.0, 16.0) }
            }
            _ => {
                let subcarriers: f64 = if format == "he20" { 234.0 } else { 980.0 };
                let bits: f64 = match mode as u32 {
                    0 => 0.5,
                    4 => 4.0 * 0.75,
                    7 => 6.0 * 5.0 / 6.0,
                    _ => 10.0 * 5.0 / 6.0,
                };
                let per_symbol = (subcarriers * bits + 1e-9).floor();
                let data = 44.0 + 13.6 * ((1538.0 * 8.0 + 22.0) / per_symbol).ceil();
                let ack = if mode > 0.0 { 28.0 } else { 44.0 };
                Self { data, ack, ..ofdm(16.0, 16.0) }
            }
        }
    }

    /// The published formula: Bianchi's chain of W values and m doublings. In the tables of 11a and 11b who has just sent may draw 0
    /// and send again at once (B = 1 / W); in those of 11ax B = 0.
    fn mbps(&self, stations: u32, head: f64, after_collision: &str) -> f64 {
        let (doublings, n) = (libm::log2(1024.0 / self.values) as i32, stations.cast_signed());
        let tau = |p: f64| {
            let sum: f64 = (0..doublings).map(|i| (2.0 * p).powi(i)).sum();
            2.0 / (1.0 + self.values + p * self.values * sum)
        };
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let guess = f64::midpoint(low, high);
            if 1.0 - (1.0 - tau(guess)).powi(n - 1) > guess { low = guess } else { high = guess }
        }
        let tau = tau(low);
        let (silent, one) = ((1.0 - tau).powi(n), f64::from(n) * tau * (1.0 - tau).powi(n - 1));
        let delta = 0.1;
        let success = (self.data + self.sifs + self.ack + self.difs + delta) / (1.0 - head) + self.slot;
        let eifs = if after_collision == "eifs" { self.sifs + self.ack + delta } else { 0.0 };
        let collision = self.data + self.difs + eifs;
        let time = silent * self.slot + one * success + (1.0 - silent - one) * collision;
        one * 12_000.0 / (1.0 - head) / time
    }
}

/// The tables come from Bianchi's formula with the constants they name: 36 rows of ten values within 0.3 %.
#[test]
fn the_published_tables_are_bianchis_model() {
    let mut worst = Worst::default();
    let rows = published();
    assert_eq!(rows.len(), 36);
    for row in rows {
        let times = Times::new(row.format, row.mode);
        let head = if row.format.starts_with("he") { 0.0 } else { 1.0 / times.values };
        for (stations, &published) in columns().zip(&row.mbps) {
            let of = format!("{} {} {}, {stations}", row.after_collision, row.format, row.mode);
            worst.note(of, times.mbps(stations, head, row.after_collision), published);
        }
    }
    worst.within(0.003, "Bianchi's formula against ns-3's tables");
}

/// The solver that the air is held against gives the published values when it is given the published constants (11ax, whose tables
/// count slots as EDCA does), within 0.2 %.
#[test]
fn our_solver_gives_the_published_values() {
    let mut worst = Worst::default();
    for row in published().iter().filter(|row| row.format.starts_with("he")) {
        let times = Times::new(row.format, row.mode);
        let duration = |us: f64| Duration::from_nanos((us * 1e3) as u64);
        let eifs = if row.after_collision == "eifs" { times.sifs + times.ack } else { 0.0 };
        for (stations, &published) in columns().zip(&row.mbps) {
            let model = Saturation {
                stations,
                cw_min: 15,
                cw_max: 1023,
                attempts: None,
                after_busy: AfterBusy::CountsAsSlot,
                slot: duration(times.slot),
                success: duration(times.data + times.sifs + times.ack + times.difs + times.slot),
                collision: duration(times.data + times.difs + eifs),
                head_start: Duration::ZERO,
                payload_bytes: 1500,
            };
            let of = format!("{} {} {}, {stations}", row.after_collision, row.format, row.mode);
            worst.note(of, model.solve().throughput_bps / 1e6, published);
        }
    }
    worst.within(0.002, "our solver against ns-3's tables for 11ax");
}

/// The simulated air straight against the published tables (every third column). They put the Ack's own rate into EIFS where
/// 10.3.2.3.7 has the lowest one (16 us in 11a from 24 Mbit/s on, 56 us in 11b from 2 Mbit/s on), count DCF's slot after a collision as one
/// in which anybody may begin, and give nobody a head start: 2 % in all where many collide. In those of 11ax EIFS has DIFS where
/// AIFS is a slot longer: 25 us in all of a collision of 215 us at MCS 11. So each format has a tolerance where the Ack has the lowest
/// rate anyway, and one for the other modes.
fn against_tables(format: &str, phy: impl Fn(f64) -> Phy, frame_bytes: u32, others: f64) {
    let (mut lowest, mut other) = (Worst::default(), Worst::default());
    for row in published().iter().filter(|row| row.format == format && row.after_collision == "eifs") {
        for (stations, &published) in columns().zip(&row.mbps).step_by(3) {
            let air = plan(phy(row.mode), stations);
            let source = |station| Source { frame_bytes, ..saturated_source(station, 0, 0) };
            let seconds = SUCCESSES * 12_000.0 / (published * 1e6);
            let report = run(air, (1..=stations).map(source).collect(), seconds, u64::from(stations));
            let same = matches!((format, row.mode as u32), ("hr_dsss", 1) | ("ofdm", 6 | 9) | ("he20", 0));
            let worst = if same { &mut lowest } else { &mut other };
            worst.note(format!("mode {}, {stations} stations", row.mode), mbps(&report, 1500), published);
        }
    }
    lowest.within(TOLERANCE, &format!("the air against ns-3's tables, {format}, Ack at the lowest rate"));
    other.within(others, &format!("the air against ns-3's tables, {format}, other modes"));
}

#[test]
fn the_air_against_the_published_tables_of_11b() {
    against_tables("hr_dsss", |mode| legacy(Standard::HrDsss, (mode * 1000.0) as u64), 1514, 0.02);
}

#[test]
fn the_air_against_the_published_tables_of_11a() {
    against_tables("ofdm", |mode| legacy(Standard::Ofdm, (mode * 1000.0) as u64), 1512, 0.025);
}

#[test]
fn the_air_against_the_published_tables_of_11ax() {
    against_tables("he20", |mode| mcs(Standard::He, mode as u32, 1, 20, 800), 1514, 0.045);
}
