//! Free space: `L = (4 pi d / lambda)^2` (Friis, A Note on a Simple Transmission Formula, Proc. IRE 34, 1946).

use std::f64::consts::PI;

use airtcp_units::Decibel;

use super::path::{Path, decibel};

/// Loss between isotropic antennas.
pub(super) fn loss(path: &Path) -> Decibel {
    loss_at(path.distance(), path.wavelength())
}

/// The same over this distance, at this wavelength, in metres.
pub(super) fn loss_at(distance_m: f64, wavelength: f64) -> Decibel {
    let amplitude = 4.0 * PI * distance_m.max(nearest_m(wavelength)) / wavelength;
    decibel(amplitude * amplitude)
}

/// Nearer counts as this: the far field, for which the formula holds, begins at `2 D^2 / lambda`, which is half a
/// wavelength for the half-wave dipole, D = lambda / 2 (Balanis, Antenna Theory, 4th edition, 2.2.4).
pub(super) fn nearest_m(wavelength: f64) -> f64 {
    wavelength / 2.0
}
