//! Two rays: the direct one and its reflection on flat ground, added with their phases.
//!
//! Received over sent power is `(lambda / 4 pi)^2 |exp(-j k d1) / d1 + R exp(-j k d2) / d2|^2` with `d1` the direct and
//! `d2` the reflected length, `k = 2 pi / lambda`, and R Fresnel's coefficient (Rappaport, Wireless Communications, 2nd
//! edition, 4.5 and 4.6; exact lengths and phases, not the approximation for large distances).
//!
//! Polarisation is **vertical** (the electric field in the plane of incidence), as that of upright dipoles. The
//! ground has no conductivity: for average ground (5 mS/m) it is 60 lambda sigma = 0.04 beside a permittivity of 15.

use std::f64::consts::PI;

use airtcp_units::Decibel;

use super::free_space::nearest_m;
use super::{Path, decibel};

/// Flat ground at height 0.
#[derive(Debug)]
pub(crate) struct TwoRay {
    /// Relative permittivity; `None`: total reflection, R = -1.
    pub(super) permittivity: Option<f64>,
}

/// Lengths in metres.
#[derive(Debug)]
struct Rays {
    direct: f64,
    reflected: f64,
    /// Reflected less direct.
    excess: f64,
    /// Sine of the angle between reflected ray and ground.
    sine: f64,
}

impl TwoRay {
    pub(super) fn loss(&self, path: &Path) -> Decibel {
        let wavelength = path.wavelength();
        let rays = Rays::new(path, nearest_m(wavelength));
        let field = self.field_squared(&rays, 2.0 * PI / wavelength);
        let scale = wavelength / (4.0 * PI);
        // Two fields can cancel beyond what a float holds; that is no more than a very large loss.
        decibel(1.0 / (scale * scale * field).max(f64::MIN_POSITIVE))
    }

    /// `|exp(-j k d1) / d1 + R exp(-j k d2) / d2|^2`, written so that nothing cancels at large distances:
    /// `(a - b)^2 + 4 a b s^2` with a and b the amplitudes and s the sine (R < 0) or cosine (R > 0) of half the phase.
    fn field_squared(&self, rays: &Rays, wave_number: f64) -> f64 {
        let (reflection, shortfall) = self.reflection(rays);
        let (a, b) = (1.0 / rays.direct, libm::fabs(reflection) / rays.reflected);
        let half_phase = wave_number * rays.excess / 2.0;
        let (difference, s) = if reflection < 0.0 {
            (rays.excess / (rays.direct * rays.reflected) + shortfall / rays.reflected, libm::sin(half_phase))
        } else {
            (a - b, libm::cos(half_phase))
        };
        difference * difference + 4.0 * a * b * s * s
    }

    /// R and `1 + R`, each computed on its own since R is nearly -1 far away.
    fn reflection(&self, rays: &Rays) -> (f64, f64) {
        let Some(permittivity) = self.permittivity else { return (-1.0, 0.0) };
        // `permittivity - cosine^2`, without cancelling.
        let transmitted = libm::sqrt(permittivity - 1.0 + rays.sine * rays.sine);
        let incident = permittivity * rays.sine;
        let sum = incident + transmitted;
        ((incident - transmitted) / sum, 2.0 * incident / sum)
    }
}

impl Rays {
    /// Antennas nearer than `nearest` count as moved apart along the ground until they are that far.
    fn new(path: &Path, nearest: f64) -> Self {
        let [[x, y, sender], [u, v, receiver]] = path.places.map(|p| p.0);
        let (rise, sum) = (sender - receiver, sender + receiver);
        let ground = ((x - u) * (x - u) + (y - v) * (y - v)).max(nearest * nearest - rise * rise);
        let [direct, reflected] = [rise, sum].map(|height| libm::sqrt(ground + height * height));
        let excess = 4.0 * sender * receiver / (direct + reflected);
        Self { direct, reflected, excess, sine: sum / reflected }
    }
}
