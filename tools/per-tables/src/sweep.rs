//! A curve: the packet error rate over the SNR grid, for one mode and length.

use crate::awgn::{SnrStep, stream};
use crate::isotonic::non_increasing;
use crate::link;
use crate::mode::Mode;

/// How many frames a point may cost.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// A point ends after this many frames in error ...
    pub frame_errors: u64,
    /// ... but not before this many frames ...
    pub frames_min: u64,
    /// ... and in any case after this many PSDU octets.
    pub octets_max: u64,
}

/// Frames that must all be lost for a point to count as lost altogether. With
/// 500, the packet error rate is above 0.994 with 95 % confidence.
pub const FRAMES_ALL_LOST: u64 = 500;

/// A curve ends with the first point below this packet error rate.
pub const PER_FLOOR: f64 = 1e-3;

/// No curve is still above `PER_FLOOR` so far beyond its Shannon limit; a guard against bugs.
const RANGE_DB: f64 = 20.0;

/// One simulated point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// SNR per data subcarrier.
    pub snr: SnrStep,
    /// Frames sent.
    pub frames: u64,
    /// Frames of which at least one PSDU bit was wrong.
    pub errors: u64,
    /// Packet error rate, after isotonic regression over the curve.
    pub per: f64,
}

/// A simulated curve, SNR ascending.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Mode of its frames.
    pub mode: Mode,
    /// Length of its frames.
    pub psdu_bytes: usize,
    /// From the last point at which all frames were lost to the first below [`PER_FLOOR`].
    pub points: Vec<Point>,
}

impl Curve {
    /// Frames sent in all points.
    pub fn frames(&self) -> u64 {
        self.points.iter().map(|point| point.frames).sum()
    }

    /// Points that the isotonic regression moved.
    pub fn smoothed(&self) -> usize {
        self.points.iter().filter(|point| (point.per - ratio(point)).abs() > 1e-12).count()
    }
}

fn ratio(point: &Point) -> f64 {
    point.errors as f64 / point.frames as f64
}

/// Simulates the curve of `mode` and `psdu_bytes`. The grid is walked upwards
/// from the Shannon limit, below which every long frame is lost; short frames
/// begin 3 dB lower, because a short frame may arrive by chance.
///
/// # Panics
/// If the curve does not fall below [`PER_FLOOR`], which would be a bug of the link.
pub fn sweep(mode: Mode, psdu_bytes: usize, seed: u64, effort: Effort) -> Curve {
    let margin_db = if psdu_bytes < 256 { 3.0 } else { 0.0 };
    let first = SnrStep::at_or_below(mode.shannon_limit_db() - margin_db);
    let mut points: Vec<Point> = Vec::new();
    for snr in (first.0..).map(SnrStep) {
        assert!(snr.db() < mode.shannon_limit_db() + RANGE_DB, "{mode:?} does not reach {PER_FLOOR}");
        let point = measure(mode, psdu_bytes, snr, seed, effort);
        if point.errors == point.frames {
            points.clear();
        }
        points.push(point);
        if point.per < PER_FLOOR {
            break;
        }
    }
    smooth(&mut points);
    Curve { mode, psdu_bytes, points }
}

/// Simulates one point, without regard to its neighbours.
pub fn measure(mode: Mode, psdu_bytes: usize, snr: SnrStep, seed: u64, effort: Effort) -> Point {
    let mut link = link::reference(mode, psdu_bytes);
    let mut rng = stream(seed, mode, psdu_bytes, snr);
    simulate(snr, psdu_bytes, effort, || link.psdu_bit_errors(snr.db(), &mut rng) > 0)
}

fn simulate(snr: SnrStep, psdu_bytes: usize, effort: Effort, mut lost: impl FnMut() -> bool) -> Point {
    let frames_max = (effort.octets_max / psdu_bytes as u64).max(effort.frames_min);
    let mut point = Point { snr, frames: 0, errors: 0, per: 1.0 };
    loop {
        point.frames += 1;
        point.errors += u64::from(lost());
        let all_lost = point.frames == FRAMES_ALL_LOST && point.errors == FRAMES_ALL_LOST;
        let enough = point.errors >= effort.frame_errors && point.frames >= effort.frames_min;
        if all_lost || enough || point.frames >= frames_max {
            point.per = ratio(&point);
            return point;
        }
    }
}

fn smooth(points: &mut [Point]) {
    let measured: Vec<_> = points.iter().map(|point| (ratio(point), point.frames as f64)).collect();
    for (point, per) in points.iter_mut().zip(non_increasing(&measured)) {
        point.per = per;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mode::BCC_MODES;

    const EFFORT: Effort = Effort { frame_errors: 50, frames_min: 100, octets_max: 32 * 4000 };

    #[test]
    fn a_point_stops_as_soon_as_it_may() {
        let frames = |lost: fn() -> bool| simulate(SnrStep(0), 32, EFFORT, lost).frames;
        assert_eq!(frames(|| true), 100);
        assert_eq!(frames(|| false), 4000);
        let patient = Effort { frames_min: 2000, ..EFFORT };
        assert_eq!(simulate(SnrStep(0), 32, patient, || true).frames, FRAMES_ALL_LOST);
    }

    #[test]
    fn a_curve_falls_from_one_to_the_floor_and_repeats() {
        let effort = Effort { frame_errors: 50, frames_min: 500, octets_max: 32 * 3000 };
        let curve = sweep(BCC_MODES[7], 32, 1, effort);
        assert!((curve.points[0].per - 1.0).abs() < 1e-12);
        assert!(curve.points.windows(2).all(|pair| pair[0].per >= pair[1].per));
        assert!(curve.points.windows(2).all(|pair| pair[0].snr.0 + 1 == pair[1].snr.0));
        assert!(curve.points.last().expect("a curve has points").per < PER_FLOOR);
        assert_eq!(curve.points, sweep(BCC_MODES[7], 32, 1, effort).points);
        assert_ne!(curve.points, sweep(BCC_MODES[7], 32, 2, effort).points);
    }
}
