//! How much CPU a saturated air costs, in every standard, up and down.
//!
//! `cargo run --release -p airtcp-air --example saturated -- [STATIONS [STANDARD [SECONDS [up|down]]]]`
//!
//! Without arguments: 1, 10, 50 and 100 stations, each of `11g`, `11n`, `11ac` and `11ax`, two simulated seconds. The scenes are
//! those of `tools/crosscheck/speed.toml`.

use airtcp_air::sources::run_scene;
use airtcp_plan::{
    AccessParameters, Aggregation, AirNic, AirPlan, AirScene, FqCodelPlan, MacAddress, McsFormat, Mode,
    PLAN_VERSION, Pace, QueuePlan, RadioChannel, RateControlPlan, Source, Standard,
};
use airtcp_units::BitRate;

/// CPU time of this process (Linux: nanoseconds first in `schedstat`), which a busy
/// machine moves less than the time on the wall.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures")]
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux tells the CPU time");
    let ns: f64 = text.split(' ').next().and_then(|n| n.parse().ok()).expect("it starts with a number");
    ns / 1e9
}

/// Most memory that this process ever had, in MB (Linux: `VmHWM`).
#[expect(clippy::disallowed_methods, reason = "a benchmark measures")]
fn peak_memory_mb() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("Linux tells the memory");
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it has a high water mark");
    let kb: f64 = line.trim().trim_end_matches(" kB").parse().expect("in kB");
    kb / 1024.0
}

/// Mode, channel width and longest A-MPDU of a standard.
fn standard(name: &str) -> (Standard, Mode, u32, u32) {
    let mcs = |format, mcs, width_mhz| Mode::Mcs { format, mcs, streams: 2, width_mhz, guard_ns: 800 };
    match name {
        "11g" => (Standard::Erp, Mode::Legacy { rate_bps: BitRate::from_mbps(54) }, 20, 0),
        "11n" => (Standard::Ht, mcs(McsFormat::Ht, 7, 40), 40, 65_535),
        "11ac" => (Standard::Vht, mcs(McsFormat::Vht, 9, 80), 80, 1_048_575),
        "11ax" => (Standard::He, mcs(McsFormat::He, 11, 80), 80, 6_500_631),
        other => panic!("{other} is none of 11g, 11n, 11ac, 11ax"),
    }
}

/// Queues of several stations that neither drop nor stop anybody.
const QUEUES: FqCodelPlan = FqCodelPlan {
    packets: 65_536,
    memory_bytes: 1 << 30,
    flows: 1024,
    quantum_bytes: 1514,
    target_us: 1_000_000_000,
    interval_us: 1_000_000_000,
    ecn: false,
    airtime_quantum_us: 256,
    airtime_fairness: false,
    aql_us: None,
    aql_threshold_us: 24_000,
};

fn plan(name: &str, stations: u32) -> AirPlan {
    let (standard, mode, width_mhz, ampdu_bytes) = standard(name);
    let mut plan: AirPlan = serde_json::from_str(include_str!("../tests/one-station.json")).expect("a plan");
    let cell = &mut plan.cells[0];
    (cell.standard, cell.rts_threshold_bytes) = (standard, u32::MAX);
    let (primary_mhz, centre_mhz) = match width_mhz {
        20 => (2412, 2412),
        40 => (5180, 5190),
        _ => (5180, 5210),
    };
    cell.channel = RadioChannel { primary_mhz, centre_mhz, width_mhz };
    if ampdu_bytes > 0 {
        let best_effort = AccessParameters { aifsn: 3, cw_min: 15, cw_max: 1023, txop_us: 0 };
        cell.access = vec![best_effort; 4];
        (cell.short_retry_limit, cell.long_retry_limit) = (1_000_000, 1_000_000);
    }
    let aggregation =
        Aggregation { ampdu_bytes, ampdu_us: 5_484, block_ack_window: 64, amsdu_bytes: 0, amsdu_frames: 0 };
    let like = |nic: &AirNic, number: u32| {
        let [.., high, low] = number.to_be_bytes();
        AirNic {
            node: format!("n{number}"),
            mac: MacAddress([2, 0, 0, 0, high, low]),
            streams: if ampdu_bytes > 0 { 2 } else { 1 },
            rate_control: RateControlPlan::Fixed { mode },
            queue: QueuePlan::FqCodel(QUEUES),
            aggregation: (ampdu_bytes > 0).then_some(aggregation),
            ..nic.clone()
        }
    };
    let (access_point, station) = (plan.nics[0].clone(), plan.nics[1].clone());
    plan.nics = (0..=stations).map(|i| like(if i == 0 { &access_point } else { &station }, i)).collect();
    plan
}

fn scene(name: &str, stations: u32, seconds: u64, up: bool) -> AirScene {
    let source = |station| {
        let (from, to) = if up { (station, 0) } else { (0, station) };
        Source {
            name: format!("{from} to {to}"),
            from,
            to,
            frame_bytes: 1514,
            priority: 0,
            pace: Pace::Saturated,
            start_ns: 0,
            end_ns: u64::MAX,
        }
    };
    AirScene {
        version: PLAN_VERSION,
        name: name.to_owned(),
        seed: 1,
        warmup_ns: 0,
        duration_ns: seconds * 1_000_000_000,
        air: plan(name, stations),
        sources: (1..=stations).map(source).collect(),
    }
}

#[expect(clippy::disallowed_methods, reason = "the program has arguments")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize| arguments.get(place).map(|a| a.parse::<u32>().expect("a whole number"));
    let stations = number(0).map_or(vec![1, 10, 50, 100], |n| vec![n]);
    let names = arguments.get(1).map_or(vec!["11g", "11n", "11ac", "11ax"], |name| vec![name.as_str()]);
    let seconds = u64::from(number(2).unwrap_or(2));
    let directions = arguments.get(3).map_or(vec![true, false], |direction| vec![direction == "up"]);
    println!("standard  stations  way     Mb/s    frames/s  ns/frame  CPU ms per s  x real time");
    for name in &names {
        for &up in &directions {
            for &stations in &stations {
                let scene = scene(name, stations, seconds, up);
                scene.check().expect("a legal scene");
                let started = cpu_seconds();
                let report = run_scene(&scene).expect("a legal scene");
                let cpu = cpu_seconds() - started;
                let frames: u64 = report.sources.iter().map(|source| source.delivered.frames).sum();
                let way = if up { "up" } else { "down" };
                let per_second = frames as f64 / seconds as f64;
                let (mbps, cost_ns) = (per_second * 1514.0 * 8.0 / 1e6, cpu * 1e9 / frames as f64);
                let per_simulated = cpu / seconds as f64;
                println!(
                    "{name:8} {stations:9}  {way:4} {mbps:8.2} {per_second:11.0} {cost_ns:9.0} {:13.2} {:12.0}",
                    per_simulated * 1e3,
                    1.0 / per_simulated
                );
            }
        }
    }
    println!("peak memory {:.1} MB", peak_memory_mb());
}
