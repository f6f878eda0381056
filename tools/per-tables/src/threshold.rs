//! The SNR at which a link loses a tenth of its frames, from few frames.

use rand_chacha::ChaCha8Rng;

use crate::format::Format;
use crate::link::{self, Link};
use crate::mode::Mode;

/// How many frames it may cost.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Frames that tell on which side of 50 % a ratio is.
    pub probe_frames: u32,
    /// Frames of each point of the curve at most.
    pub point_frames: u32,
    /// Lost frames after which a point ends.
    pub point_losses: u32,
    /// Distance of the points in dB.
    pub step_db: f64,
}

/// The long PSDU of the tables, with which channels are measured.
pub const PSDU_BYTES: usize = 1458;
/// Where 50 % is looked for, over the Shannon limit of the mode and the mean gain of the channel.
const ABOVE_LIMIT_DB: [f64; 2] = [0.0, 20.0];

/// The SNR in dB, at a gain of 1, at which PSDUs of [`PSDU_BYTES`] are lost in 10 % over data subcarriers with these gains.
///
/// # Panics
/// If the curve does not fall within 20 dB of the Shannon limit.
pub fn of_channel(
    (mode, format): (Mode, Format),
    gains: &[f64],
    effort: Effort,
    rng: &mut ChaCha8Rng,
) -> f64 {
    let mean_db = 10.0 * libm::log10(gains.iter().sum::<f64>() / gains.len() as f64);
    let range = ABOVE_LIMIT_DB.map(|db| mode.shannon_limit_db() - mean_db + db);
    let mut link = link::selective(mode, PSDU_BYTES, format, gains);
    snr_db_at_ten_percent(&mut *link, range, effort, rng).expect("a curve that falls")
}

/// Points of the curve: from what the probes take for 50 % upwards.
const POINTS: u32 = 6;
/// The probes end when they know the place of 50 % to this many dB.
const PROBED_DB: f64 = 0.2;
/// What is looked for.
const WANTED: f64 = 0.1;

/// The SNR in dB at which `link` loses 10 % of its frames, between these two.
///
/// In the tail of a waterfall `ln(-ln(1 - PER))` is nearly a straight line over dB: it is fitted to the points by least
/// squares, each weighted by what its frames tell. The standard deviation of the result is about 0.03 dB with 400 frames and 40 losses.
/// `None` if no line falls through the points.
pub fn snr_db_at_ten_percent(
    link: &mut dyn Link,
    [low_db, high_db]: [f64; 2],
    effort: Effort,
    rng: &mut ChaCha8Rng,
) -> Option<f64> {
    let mut share_lost = |snr_db: f64, frames: u32, losses: u32| {
        let (mut sent, mut lost) = (0, 0);
        while sent < frames && lost < losses {
            sent += 1;
            lost += u32::from(link.psdu_bit_errors(snr_db, rng) > 0);
        }
        (sent, f64::from(lost) / f64::from(sent))
    };
    let (mut low_db, mut high_db) = (low_db, high_db);
    while high_db - low_db > PROBED_DB {
        let middle = f64::midpoint(low_db, high_db);
        let (_, per) = share_lost(middle, effort.probe_frames, effort.probe_frames);
        if per > 0.5 { low_db = middle } else { high_db = middle }
    }
    let middle = f64::midpoint(low_db, high_db);
    let points = (0..POINTS).map(|step| middle + f64::from(step) * effort.step_db);
    let curve: Vec<_> = points
        .map(|snr_db| {
            let (frames, per) = share_lost(snr_db, effort.point_frames, effort.point_losses);
            Point { snr_db, frames, per }
        })
        .collect();
    line(&curve).map(|[slope, offset]| (log_log(WANTED) - offset) / slope)
}

/// What a share of so many frames was lost at.
struct Point {
    snr_db: f64,
    frames: u32,
    per: f64,
}

fn log_log(per: f64) -> f64 {
    libm::log(-libm::log1p(-per))
}

/// Slope and offset of the line through points that lost some of their frames.
fn line(curve: &[Point]) -> Option<[f64; 2]> {
    let [mut w, mut wx, mut wy, mut wxx, mut wxy] = [0.0; 5];
    for &Point { snr_db: x, frames, per } in curve.iter().filter(|point| (1e-9..0.7).contains(&point.per)) {
        // The variance of a share, through the derivative of what is fitted.
        let weight = f64::from(frames) * (libm::log1p(-per) * (1.0 - per)).powi(2) / (per * (1.0 - per));
        let y = log_log(per);
        w += weight;
        wx += weight * x;
        wy += weight * y;
        wxx += weight * x * x;
        wxy += weight * x * y;
    }
    let spread = w * wxx - wx * wx;
    let slope = (w * wxy - wx * wy) / spread;
    (spread > 0.0 && slope < 0.0).then(|| [slope, (wy - slope * wx) / w])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};

    /// Loses frames by a known curve with 10 % at 7 dB.
    struct Known;

    impl Link for Known {
        fn psdu_bit_errors(&mut self, snr_db: f64, rng: &mut ChaCha8Rng) -> usize {
            let per = -libm::expm1(-libm::exp(log_log(0.1) - 3.0 * (snr_db - 7.0)));
            usize::from(rng.random::<f64>() < per)
        }
    }

    #[test]
    fn a_known_curve_is_found_again() {
        let effort = Effort { probe_frames: 16, point_frames: 400, point_losses: 40, step_db: 0.2 };
        let found = (0..20).map(|seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            snr_db_at_ten_percent(&mut Known, [0.0, 20.0], effort, &mut rng).expect("a curve")
        });
        let errors: Vec<f64> = found.map(|snr_db| snr_db - 7.0).collect();
        assert!(errors.iter().all(|error| error.abs() < 0.12), "{errors:?}");
        assert!((errors.iter().sum::<f64>() / 20.0).abs() < 0.02, "{errors:?}");
    }
}
