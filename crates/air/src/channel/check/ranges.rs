//! In which ranges numbers of a plan must be.

use std::ops::RangeInclusive;

use airtcp_plan::Propagation;
use airtcp_units::Metre;

use crate::setup_error::{Check, SetupError};

/// Levels and ratios in decibels, and coefficients: beyond any radio, and far from where powers of ten overflow.
pub(super) const NUMBERS: RangeInclusive<f64> = -1000.0..=1000.0;
/// Ratios and lengths that can't be negative: beyond any radio.
pub(super) const SIZES: RangeInclusive<f64> = 0.0..=1000.0;
/// Coordinates in metres, so that squares of distances stay exact to less than a millimetre.
pub(super) const COORDINATES: RangeInclusive<f64> = -1e6..=1e6;
/// Lengths in metres that are divided by.
pub(super) const LENGTHS: RangeInclusive<f64> = 1e-3..=1e6;
/// Times of preamble detection in nanoseconds. The training sequence that is detected takes 16 us (IEEE 802.11-2020, 17.3.3).
pub(super) const PREAMBLE_DETECTIONS: RangeInclusive<f64> = 1.0..=16e3;
/// Probabilities.
pub(super) const PROBABILITIES: RangeInclusive<f64> = 0.0..=1.0;
/// Shape of Nakagami fading: at least 1/2 by definition; beyond the other end there is no fading left.
pub(super) const SHAPES: RangeInclusive<f64> = 0.5..=1e6;
/// Relative permittivities: that of vacuum is the least, that of water about 80.
pub(super) const PERMITTIVITIES: RangeInclusive<f64> = 1.0..=1e4;
/// Heights above reflecting ground, in metres: on the ground both rays cancel at every distance.
pub(super) const HEIGHTS: RangeInclusive<f64> = 1e-3..=1e6;

/// Refuses what is outside, and what is not a number.
pub(super) fn within(key: &str, value: f64, range: &RangeInclusive<f64>, remedy: &str) -> Check {
    if range.contains(&value) {
        return Ok(());
    }
    let reason = format!("{value} is not between {} and {}", range.start(), range.end());
    Err(SetupError::new(key, reason, remedy))
}

/// Whether a NIC can be at this place.
///
/// # Errors
/// [`SetupError`] with the key of the coordinate that is wrong.
pub fn check_place(key: &str, place: [Metre; 3], propagation: &Propagation) -> Check {
    for coordinate in place {
        within(key, coordinate.get(), &COORDINATES, "use metres from an origin nearby")?;
    }
    match propagation {
        Propagation::TwoRay { .. } => {
            let remedy = "raise the antenna above the ground, for example to 1.5 m";
            within(&format!("{key}[2]"), place[2].get(), &HEIGHTS, remedy)
        }
        _ => Ok(()),
    }
}
