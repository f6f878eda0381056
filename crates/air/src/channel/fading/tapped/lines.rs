//! The lines of a plan: what arrives at one delay from one direction.

use std::ops::Range;

use airtcp_plan::{FadingProfile, FadingTap, TgnModel};

use super::profiles::{PROFILES, Profile};

/// Delay of the tap of model F's first cluster that has the vehicle (IEEE 802.11-03/940r4, 4.7.1), in nanoseconds.
const VEHICLE_DELAY_NS: f64 = 20.0;

/// One line. Amplitudes are without and with line of sight; the powers of all lines add up to 1 in either case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) delay_ns: f64,
    pub(super) cluster: usize,
    /// Amplitude of what changes.
    pub(super) scattered: [f64; 2],
    /// Amplitude of what is constant.
    pub(super) direct: [f64; 2],
    pub(super) speed_mps: f64,
    /// Model F has a vehicle here.
    pub(super) vehicle: bool,
}

/// All lines of a link, and what computations need of them as sequences of their own.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) all: Vec<Line>,
    /// Amplitudes of what changes, by line: without and with line of sight.
    pub(super) scattered: [Vec<f32>; 2],
    /// The lines of each cluster.
    pub(super) clusters: Vec<Range<usize>>,
    /// Different delays, in nanoseconds, in the order of the first line that has them.
    pub(super) delays_ns: Vec<f64>,
    /// By line: the number of its delay.
    pub(super) delay_of: Vec<usize>,
}

impl Lines {
    /// Groups lines that are ordered by cluster, and numbers their delays.
    pub(super) fn new(all: Vec<Line>) -> Self {
        let (mut delays_ns, mut delay_of) = (Vec::new(), Vec::new());
        for line in &all {
            let known = delays_ns.iter().position(|&delay_ns| is_same_delay(delay_ns, line.delay_ns));
            delay_of.push(known.unwrap_or(delays_ns.len()));
            if known.is_none() {
                delays_ns.push(line.delay_ns);
            }
        }
        let scattered = [0, 1].map(|sight| all.iter().map(|line| line.scattered[sight] as f32).collect());
        let mut start = 0;
        let clusters = all.chunk_by(|a, b| a.cluster == b.cluster).map(|lines| {
            start += lines.len();
            start - lines.len()..start
        });
        let clusters = clusters.collect();
        Self { all, scattered, clusters, delays_ns, delay_of }
    }
}

fn is_same_delay(a_ns: f64, b_ns: f64) -> bool {
    (a_ns - b_ns).abs() < 1e-9
}

/// The lines of a profile in a channel of this width.
pub(super) fn lines(profile: &FadingProfile, speed_mps: f64, width_mhz: u32) -> Vec<Line> {
    match profile {
        FadingProfile::Tgn { model } => of_model(*model, speed_mps, width_mhz),
        FadingProfile::Taps { taps } => of_taps(taps, speed_mps),
    }
}

/// Merges the lines of one delay: what counts for one antenna at each end.
pub(super) fn merged(lines: &[Line]) -> Vec<Line> {
    let mut merged: Vec<Line> = Vec::new();
    for line in lines {
        match merged.iter_mut().find(|other| is_same_delay(other.delay_ns, line.delay_ns)) {
            Some(other) => {
                let both = |a: f64, b: f64| libm::sqrt(a * a + b * b);
                for sight in [0, 1] {
                    other.scattered[sight] = both(other.scattered[sight], line.scattered[sight]);
                    other.direct[sight] = both(other.direct[sight], line.direct[sight]);
                }
            }
            None => merged.push(*line),
        }
    }
    merged
}

/// The direct path is added to the first tap, and all is then scaled to a power of 1, so that the mean power of a link is
/// what path loss says.
fn of_model(model: TgnModel, speed_mps: f64, width_mhz: u32) -> Vec<Line> {
    let profile: &Profile = &PROFILES[model as usize];
    let taps = profile.taps(width_mhz);
    let direct = libm::pow(10.0, profile.k_db / 10.0) * taps[0].power;
    let scale = 1.0 / (1.0 + direct);
    let line = |(n, tap): (usize, &super::profiles::Tap)| Line {
        delay_ns: tap.delay_ns,
        cluster: tap.cluster,
        scattered: [libm::sqrt(tap.power), libm::sqrt(scale * tap.power)],
        direct: [0.0, if n == 0 { libm::sqrt(scale * direct) } else { 0.0 }],
        speed_mps,
        vehicle: model == TgnModel::F
            && tap.cluster == 0
            && (tap.delay_ns - VEHICLE_DELAY_NS).abs() < 1e-9
            && speed_mps > 0.0,
    };
    taps.iter().enumerate().map(line).collect()
}

fn of_taps(taps: &[FadingTap], speed_mps: f64) -> Vec<Line> {
    let ratio = |db: f64| libm::pow(10.0, db / 10.0);
    let sum: f64 = taps.iter().map(|tap| ratio(tap.power_db.get())).sum();
    let line = |tap: &FadingTap| {
        let power = ratio(tap.power_db.get()) / sum;
        let k = tap.k_db.map_or(0.0, |k_db| ratio(k_db.get()));
        Line {
            delay_ns: tap.delay_ns,
            cluster: 0,
            scattered: [libm::sqrt(power / (k + 1.0)); 2],
            direct: [libm::sqrt(power * k / (k + 1.0)); 2],
            speed_mps: tap.speed_mps.unwrap_or(speed_mps),
            vehicle: false,
        }
    };
    taps.iter().map(line).collect()
}
