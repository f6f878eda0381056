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
use super::path::{Path, decibel};

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

#[cfg(test)]
mod tests {
    use airtcp_units::{Dbm, Hertz};
    use proptest::prelude::*;

    use super::*;
    use crate::channel::mobility::Position;
    use crate::channel::path_loss::free_space;

    const TOTAL: TwoRay = TwoRay { permittivity: None };
    const GROUND: TwoRay = TwoRay { permittivity: Some(15.0) };

    fn path(distance_m: f64, heights_m: [f64; 2]) -> Path {
        let [sender, receiver] = heights_m;
        Path {
            ends: [0, 1],
            places: [Position([0.0, 0.0, sender]), Position([0.0, distance_m, receiver])],
            frequency: Hertz::new(5.18e9),
            sent: Dbm::new(20.0),
        }
    }

    /// What the reflected ray adds to free space, in decibels.
    fn gain(model: &TwoRay, path: &Path) -> f64 {
        free_space::loss(path).get() - model.loss(path).get()
    }

    /// The formula as in textbooks, with complex numbers.
    fn field_squared(permittivity: Option<f64>, path: &Path) -> f64 {
        let [[_, _, sender], [_, ground, receiver]] = path.places.map(|p| p.0);
        let direct = ground.hypot(sender - receiver);
        let reflected = ground.hypot(sender + receiver);
        let (sine, cosine) = ((sender + receiver) / reflected, ground / reflected);
        let reflection = permittivity.map_or(-1.0, |e| {
            let root = (e - cosine * cosine).sqrt();
            (e * sine - root) / (e * sine + root)
        });
        let phase = 2.0 * PI / path.wavelength() * (reflected - direct);
        let real = 1.0 / direct + reflection * phase.cos() / reflected;
        let imaginary = reflection * phase.sin() / reflected;
        real * real + imaginary * imaginary
    }

    /// At `4 h_t h_r / lambda` the reflected ray is half a wavelength longer, and turned by its reflection: both add
    /// up to twice the field. It is the last maximum; beyond it the power only falls.
    #[test]
    fn the_crossover_distance_is_the_last_maximum() {
        let crossover_m = 4.0 * 1.5 * 1.5 / path(1.0, [1.5; 2]).wavelength();
        assert!((crossover_m - 155.5).abs() < 0.05);
        assert!((gain(&TOTAL, &path(crossover_m, [1.5; 2])) - 6.02).abs() < 0.01);
        let losses: Vec<f64> = (0..400)
            .map(|i| TOTAL.loss(&path(crossover_m * (1.0 + 0.1 * f64::from(i)), [1.5; 2])).get())
            .collect();
        assert!(losses.is_sorted());
        // Half of it is the last minimum: the rays differ by a whole wavelength.
        assert!(gain(&TOTAL, &path(crossover_m / 2.0, [1.5; 2])) < -40.0);
    }

    /// Far away `L = (d^2 / (h_t h_r))^2`, whatever the frequency.
    #[test]
    fn far_away_power_falls_with_the_fourth_power() {
        for heights_m in [[1.5, 1.5], [10.0, 2.0]] {
            let plane_earth = 40.0 * libm::log10(1e6) - 20.0 * libm::log10(heights_m[0] * heights_m[1]);
            let far = path(1e6, heights_m);
            assert!((TOTAL.loss(&far).get() - plane_earth).abs() < 1e-4);
            assert!(
                (TOTAL.loss(&Path { frequency: Hertz::new(2.412e9), ..far }).get() - plane_earth).abs()
                    < 1e-4
            );
            for model in [&TOTAL, &GROUND] {
                let steeper = model.loss(&path(2e6, heights_m)).get() - model.loss(&far).get();
                assert!((steeper - 12.041_2).abs() < 1e-3, "{steeper}");
            }
        }
    }

    /// Rappaport, Wireless Communications, 2nd edition, example 4.6: at 5 km from an antenna 50 m high, 1.5 m above ground at
    /// 900 MHz, the field is 113.1 uV/m if it is 1 mV/m at 1 km in free space; he writes x for sin x, which is 1.3 % more.
    #[test]
    fn the_textbook_example() {
        let frequency = Hertz::new(900e6);
        let near = free_space::loss(&Path { frequency, ..path(1000.0, [1.5; 2]) }).get();
        let far = TOTAL.loss(&Path { frequency, ..path(5000.0, [50.0, 1.5]) }).get();
        let field_uv_m = 1000.0 * libm::pow(10.0, (near - far) / 20.0);
        assert!((field_uv_m * 1.0135 - 113.1).abs() < 0.3, "{field_uv_m}");
    }

    /// At Brewster's angle, sin = 1 / sqrt(1 + permittivity) = 1/4, nothing is reflected (vertical polarisation only).
    #[test]
    fn brewsters_angle_leaves_the_direct_ray() {
        let path = path(1.5 * 60.0_f64.sqrt(), [1.5; 2]);
        assert!(gain(&GROUND, &path).abs() < 1e-9);
        assert!(gain(&TOTAL, &path).abs() > 0.1);
    }

    /// Straight down `R = (sqrt(e) - 1) / (sqrt(e) + 1) = 0.5896`; antennas above each other, 2 m and 6 m of way.
    #[test]
    fn antennas_above_each_other() {
        let path = path(0.0, [4.0, 2.0]);
        let phase = 2.0 * PI * 4.0 / path.wavelength();
        let reflected = 0.589_6 * 2.0 / 6.0;
        let square = 1.0 + reflected * reflected + 2.0 * reflected * phase.cos();
        assert!((gain(&GROUND, &path) - 10.0 * libm::log10(square)).abs() < 1e-3);
    }

    #[test]
    fn ground_like_vacuum_reflects_nothing() {
        let vacuum = TwoRay { permittivity: Some(1.0) };
        for distance_m in [1.0, 30.0, 1000.0] {
            assert!(gain(&vacuum, &path(distance_m, [1.5, 4.0])).abs() < 1e-6);
        }
    }

    #[test]
    fn nearer_than_half_a_wavelength_counts_as_there() {
        let nearest = nearest_m(path(1.0, [1.5; 2]).wavelength());
        for model in [TOTAL, GROUND] {
            let there = model.loss(&path(nearest, [1.5; 2])).get();
            for distance_m in [0.0, nearest / 3.0] {
                assert!((model.loss(&path(distance_m, [1.5; 2])).get() - there).abs() < 1e-9);
            }
        }
    }

    proptest! {
        #[test]
        fn the_formula_as_written(
            distance_m in 0.1..2000.0_f64,
            heights_m in prop::array::uniform2(0.1..30.0_f64),
            permittivity in prop::option::of(1.0..100.0_f64),
        ) {
            let path = path(distance_m, heights_m);
            let ours = TwoRay { permittivity }.field_squared(&Rays::new(&path, 0.0), 2.0 * PI / path.wavelength());
            let written = field_squared(permittivity, &path);
            // The phase of the written one is rounded most: a difference of lengths, in wavelengths.
            let direct = free_space::loss(&path).get();
            let scale = libm::pow(10.0, -direct / 10.0) * (4.0 * PI / path.wavelength()).powi(2);
            prop_assert!((ours - written).abs() < 1e-8 * scale, "{ours} {written}");
        }

        #[test]
        fn every_loss_is_a_number(
            distance_m in 0.0..1e6_f64,
            heights_m in prop::array::uniform2(1e-3..1e6_f64),
            permittivity in prop::option::of(1.0..1e4_f64),
        ) {
            let loss = TwoRay { permittivity }.loss(&path(distance_m, heights_m)).get();
            // Never more than both fields at their strongest.
            prop_assert!(loss.is_finite() && loss > 15.9 - 6.03);
        }
    }
}
