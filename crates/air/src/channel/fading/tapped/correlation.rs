//! Correlation between the antennas of one end.

use std::f64::consts::{PI, SQRT_2};
use std::ops::Add;

use super::complex::Complex;

/// Antennas of a NIC at most.
pub(in crate::channel) const ANTENNAS: usize = 8;

/// A square matrix by rows.
pub(super) type Matrix = [[Complex; ANTENNAS]; ANTENNAS];

/// Parts of the integral over the angles; odd, so that the peak is in the middle of one.
const PARTS: u32 = 4001;

/// A lower triangular `L` with `L L^H` the correlation of antennas in a line, half a wavelength apart, to which waves come
/// from around `mean_deg` with a Laplacian distribution of spread `spread_deg`, cut at 180 degrees from its mean (IEEE
/// 802.11-03/940r4, equations 3 to 10).
pub(super) fn factor([mean_deg, spread_deg]: [f64; 2], antennas: usize) -> Matrix {
    let mut lags = [Complex::ZERO; ANTENNAS];
    lags[0] = Complex::ONE;
    for (lag, value) in lags.iter_mut().enumerate().take(antennas).skip(1) {
        *value = correlation(mean_deg.to_radians(), spread_deg.to_radians(), lag);
    }
    cholesky(&lags, antennas)
}

/// Correlation of two antennas that are this many half wavelengths apart.
pub(super) fn correlation(mean: f64, spread: f64, lag: usize) -> Complex {
    let (mut sum, mut weights) = (Complex::ZERO, 0.0);
    for part in 0..PARTS {
        let off = PI * (2.0 * (f64::from(part) + 0.5) / f64::from(PARTS) - 1.0);
        let weight = libm::exp(-SQRT_2 * off.abs() / spread);
        sum = sum + Complex::unit(PI * lag as f64 * libm::sin(mean + off)).scale(weight);
        weights += weight;
    }
    sum.scale(1.0 / weights)
}

/// The Cholesky factor of the Hermitian Toeplitz matrix with these values below its diagonal.
fn cholesky(lags: &[Complex; ANTENNAS], antennas: usize) -> Matrix {
    let mut lower = [[Complex::ZERO; ANTENNAS]; ANTENNAS];
    for row in 0..antennas {
        for column in 0..=row {
            let products = (0..column).map(|k| lower[row][k] * lower[column][k].conjugate());
            let sum = products.fold(Complex::ZERO, Add::add);
            let rest = lags[row - column] + sum.scale(-1.0);
            lower[row][column] = if row == column {
                Complex { re: libm::sqrt(rest.re.max(0.0)), im: 0.0 }
            } else {
                rest.scale(1.0 / lower[column][column].re.max(f64::MIN_POSITIVE))
            };
        }
    }
    lower
}
