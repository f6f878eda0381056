//! Scenes of one cell: an access point (NIC 0), stations (1 and on), everybody in reach, no loss but collisions.

use airtcp_air::analytic::{Goodput, Link, goodput};
use airtcp_air::sources::run_scene;
use airtcp_plan::scene_report::SceneReport;
use airtcp_plan::{
    AccessParameters, Aggregation, AirPlan, AirScene, Cell, FqCodelPlan, MacAddress, McsFormat, Mode,
    PLAN_VERSION, Pace, QueuePlan, RadioChannel, RateControlPlan, Slot, Source, Standard,
};
use airtcp_testing::plans::{self, cell};
use airtcp_units::BitRate;

/// Octets of a full Ethernet frame, and of UDP payload in it.
pub(crate) const FRAME_BYTES: u32 = 1514;
pub(crate) const PAYLOAD_BYTES: u32 = 1472;

/// DCF's access from 11a on (IEEE 802.11-2020, 17.4.4).
pub(crate) const DCF: AccessParameters = AccessParameters { aifsn: 2, cw_min: 15, cw_max: 1023, txop_us: 0 };
/// EDCA's best effort (Table 9-155).
pub(crate) const BEST_EFFORT: AccessParameters = AccessParameters { aifsn: 3, ..DCF };

/// A-MPDUs as long as the standards allow, 64 MPDUs; no A-MSDUs.
pub(crate) const AMPDU: Aggregation = Aggregation { ampdu_bytes: 15_523_200, ..plans::AMPDU };

/// Queues that neither drop nor stop anybody, with turns of one PPDU.
pub(crate) const PATIENT: FqCodelPlan = FqCodelPlan {
    packets: 65_536,
    memory_bytes: 1 << 30,
    flows: 1024,
    quantum_bytes: 1514,
    target_us: 1_000_000_000,
    interval_us: 1_000_000_000,
    ecn: false,
    slow_stations: None,
    airtime_quantum_us: 256,
    airtime_fairness: false,
    aql_us: None,
    aql_threshold_us: 24_000,
};

/// A standard, and the mode of all data in the cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phy {
    pub(crate) standard: Standard,
    pub(crate) mode: Mode,
}

/// A rate of 11b, 11a or 11g.
pub(crate) const fn legacy(standard: Standard, kbps: u64) -> Phy {
    Phy { standard, mode: Mode::Legacy { rate_bps: BitRate::from_bps(kbps * 1000) } }
}

/// An MCS of a newer standard with this many streams, width and guard interval.
pub(crate) fn mcs(standard: Standard, mcs: u32, streams: u32, width_mhz: u32, guard_ns: u32) -> Phy {
    let format = match standard {
        Standard::Ht => McsFormat::Ht,
        Standard::Vht => McsFormat::Vht,
        Standard::He => McsFormat::He,
        Standard::Eht => McsFormat::Eht,
        Standard::Dmg => McsFormat::Dmg,
        older => panic!("{older:?} has no MCS"),
    };
    Phy { standard, mode: Mode::Mcs { format, mcs, streams, width_mhz, guard_ns } }
}

/// Single carrier of 11ad.
pub(crate) fn dmg(index: u32) -> Phy {
    mcs(Standard::Dmg, index, 1, 2160, 800)
}

impl Phy {
    /// Whether it is one of those without A-MPDU, which contend by DCF here.
    pub(crate) fn is_legacy(self) -> bool {
        matches!(self.mode, Mode::Legacy { .. })
    }

    /// Streams, width and guard interval.
    fn shape(self) -> (u32, u32, u32) {
        match self.mode {
            Mode::Legacy { .. } => (1, 20, 800),
            Mode::Mcs { streams, width_mhz, guard_ns, .. } => (streams, width_mhz, guard_ns),
        }
    }

    /// A channel of its width: 2.4 GHz for 11b and 11g, 6 GHz for 320 MHz, 60 GHz for 11ad, else 5 GHz.
    fn channel(self) -> RadioChannel {
        let (_, width_mhz, _) = self.shape();
        let (primary_mhz, centre_mhz) = match (self.standard, width_mhz) {
            (Standard::HrDsss | Standard::Erp, _) => (2412, 2412),
            (_, 40) => (5180, 5190),
            (_, 80) => (5180, 5210),
            (_, 160) => (5180, 5250),
            (_, 320) => (5955, 6105),
            (_, 2160) => (60_480, 60_480),
            _ => (5180, 5180),
        };
        RadioChannel { primary_mhz, centre_mhz, width_mhz }
    }

    fn set(self, cell: &mut Cell) {
        (cell.standard, cell.channel) = (self.standard, self.channel());
        cell.access = if self.is_legacy() { vec![DCF] } else { vec![BEST_EFFORT; 4] };
        (cell.short_retry_limit, cell.long_retry_limit) = (1_000_000, 1_000_000);
        cell.subframe_retry_limit = 1_000_000;
        cell.station_retry_limit = 1_000_000;
        cell.rts_threshold_bytes = u32::MAX;
        if self.standard == Standard::Dmg {
            // MCS 1. Rates of control frames follow from the MCS alone (IEEE 802.11-2020, 10.6.7).
            cell.group_rate_bps = BitRate::from_mbps(385);
        }
        if self.standard == Standard::HrDsss {
            cell.slot = Slot::Long;
            cell.access[0].cw_min = 31;
            cell.basic_rates_bps = [1, 2].map(BitRate::from_mbps).to_vec();
            cell.group_rate_bps = BitRate::from_mbps(1);
        }
    }
}

/// A cell with so many stations, all with this mode; without aggregation, RTS, TXOP or beacons. No frame is ever given up.
pub(crate) fn plan(phy: Phy, stations: u32) -> AirPlan {
    let mut plan = cell(stations);
    phy.set(&mut plan.cells[0]);
    let (streams, _, guard_ns) = phy.shape();
    for (number, nic) in (0_u32..).zip(&mut plan.nics) {
        let [.., high, low] = number.to_be_bytes();
        (nic.node, nic.mac) = (format!("n{number}"), MacAddress([2, 0, 0, 0, high, low]));
        (nic.streams, nic.guard_ns) = (streams, guard_ns);
        nic.rate_control = RateControlPlan::Fixed { mode: phy.mode };
        nic.queue = QueuePlan::FqCodel(PATIENT);
    }
    plan
}

/// The same for every NIC.
pub(crate) fn aggregate(plan: &mut AirPlan, limits: Aggregation) {
    plan.nics.iter_mut().for_each(|nic| nic.aggregation = Some(limits));
}

/// Who has always something to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Down,
}

pub(crate) use Direction::{Down, Up};

impl Direction {
    /// Sender and receiver of this station's frames.
    pub(crate) const fn ends(self, station: u32) -> (u32, u32) {
        match self {
            Up => (station, 0),
            Down => (0, station),
        }
    }
}

/// A saturated source of full frames.
pub(crate) fn saturated_source(from: u32, to: u32, priority: u8) -> Source {
    Source {
        name: format!("{from} to {to}, {priority}"),
        from,
        to,
        frame_bytes: FRAME_BYTES,
        priority,
        pace: Pace::Saturated,
        start_ns: 0,
        end_ns: u64::MAX,
    }
}

/// Runs these sources; what happens in the first tenth of a second is not counted.
pub(crate) fn run(air: AirPlan, sources: Vec<Source>, seconds: f64, seed: u64) -> SceneReport {
    run_after(0.1, air, sources, (seconds, seed))
}

/// Runs these sources for so many seconds with a seed; the seconds `before` are not counted.
pub(crate) fn run_after(
    before: f64,
    air: AirPlan,
    sources: Vec<Source>,
    (seconds, seed): (f64, u64),
) -> SceneReport {
    let warmup_ns = (before * 1e9) as u64;
    let duration_ns = warmup_ns + (seconds * 1e9) as u64;
    let name = "validation".to_owned();
    let scene = AirScene { version: PLAN_VERSION, name, seed, warmup_ns, duration_ns, air, sources };
    scene.check().expect("a legal scene");
    run_scene(&scene).expect("the world has such a plan")
}

/// Runs all stations of a plan saturated with full frames.
pub(crate) fn run_saturated(air: AirPlan, direction: Direction, seconds: f64, seed: u64) -> SceneReport {
    let sources = saturated_stations(&air, direction);
    run(air, sources, seconds, seed)
}

/// A saturated source of full frames for every station.
pub(crate) fn saturated_stations(air: &AirPlan, direction: Direction) -> Vec<Source> {
    let of = |station| {
        let (from, to) = direction.ends(station);
        saturated_source(from, to, 0)
    };
    (1..air.nics.len() as u32).map(of).collect()
}

/// Mbit/s of all sources: frames of one length with so many octets of payload each.
pub(crate) fn mbps(report: &SceneReport, payload_bytes: u32) -> f64 {
    let frames: u64 = report.sources.iter().map(|source| source.delivered.frames).sum();
    frames as f64 * f64::from(payload_bytes) * 8e3 / (report.end_ns - report.warmup_ns) as f64
}

/// The link of a plan with fixed modes, from one NIC to another, for best effort.
pub(crate) fn link(plan: &AirPlan, from: u32, to: u32) -> Link {
    let modes = Link::modes(plan, from, to).expect("a legal plan");
    Link::new(plan, from, to, modes[0], 0)
}

/// The closed form for station 1 alone.
pub(crate) fn closed_form(plan: &AirPlan, direction: Direction, frame_bytes: u32) -> Goodput {
    let (from, to) = direction.ends(1);
    goodput(&link(plan, from, to), frame_bytes)
}

/// How long a station alone has to run until the mean of its backoffs, each uniform in 0 ... `CWmin` slots, is known so well that
/// the standard error of its goodput is this share of it. At least 400 accesses: the end may cut one, a quarter of a percent.
pub(crate) fn seconds_alone(expected: &Goodput, cw_min: u32, standard_error: f64) -> f64 {
    let cycle = expected.cycle.as_secs_f64();
    let slot = 2.0 * expected.mean_backoff.as_secs_f64() / f64::from(cw_min);
    let values = f64::from(cw_min) + 1.0;
    let deviation = slot * libm::sqrt((values * values - 1.0) / 12.0) / cycle;
    let accesses = (deviation / standard_error) * (deviation / standard_error);
    accesses.max(400.0) * cycle
}

/// Deviations of measured from expected values; the largest is printed.
#[derive(Debug, Default)]
pub(crate) struct Worst {
    deviations: Vec<(f64, String)>,
}

impl Worst {
    /// Takes note of a measured and an expected value; gives measured / expected - 1.
    pub(crate) fn note(&mut self, of: impl Into<String>, measured: f64, expected: f64) -> f64 {
        let deviation = measured / expected - 1.0;
        self.deviations.push((deviation, of.into()));
        deviation
    }

    /// How many there are, their mean and root mean square.
    pub(crate) fn moments(&self) -> (usize, f64, f64) {
        let count = self.deviations.len();
        let mean = self.deviations.iter().map(|(d, _)| d).sum::<f64>() / count as f64;
        let square = self.deviations.iter().map(|(d, _)| d * d).sum::<f64>() / count as f64;
        (count, mean, libm::sqrt(square))
    }

    /// Asserts that there are deviations, and none larger than this.
    #[track_caller]
    pub(crate) fn within(&self, tolerance: f64, what: &str) {
        let largest = self.deviations.iter().max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
        let (largest, of) = largest.expect("something was compared");
        let (cases, mean, rms) = self.moments();
        let [largest, mean, rms] = [*largest, mean, rms].map(|share| 100.0 * share);
        println!("{what}: {cases} cases, at most {largest:+.2} % ({of}), mean {mean:+.2} %, rms {rms:.2} %");
        // A NaN is no agreement.
        let beyond: Vec<_> =
            self.deviations.iter().filter(|(d, _)| d.is_nan() || d.abs() >= tolerance).collect();
        assert!(beyond.is_empty(), "{what}, beyond {tolerance}: {beyond:#?}");
    }
}
