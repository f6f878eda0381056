//! Spatial streams behind a linear MMSE receiver.
//!
//! `G` has a column for each stream: what the receiver's antennas get of it. The ratio of a stream is `1 / [(I + rho G^H G)^-1]_kk -
//! 1` (for example Tse and Viswanath, "Fundamentals of Wireless Communication", 8.3.3), where `rho` is the power of one stream over
//! noise and interference of one antenna.

use super::complex::Complex;
use super::correlation::{ANTENNAS, Matrix};
use super::grid::{BINS, Bins};

/// Appends the ratios of the first `streams` in the bins of a block, stream by stream. `bins` gives what an antenna of the
/// receiver (second) gets of one of the sender (first).
pub(super) fn ratios<'a>(
    bins: impl Fn(usize, usize) -> &'a Bins,
    [streams, receivers]: [usize; 2],
    rho: f64,
    to: &mut Vec<f32>,
) {
    match streams {
        1 => to.extend(power(&bins, 0, receivers).map(|power| rho as f32 * power)),
        2 => two(&bins, receivers, rho as f32, to),
        _ => {
            let mut of_streams = [[0.0; BINS]; ANTENNAS];
            for bin in 0..BINS {
                let errors = inverse_diagonal(&gram(&bins, [streams, receivers], rho, bin), streams);
                for (ratios, error) in of_streams.iter_mut().zip(errors) {
                    ratios[bin] = (1.0 / error - 1.0).max(0.0) as f32;
                }
            }
            of_streams[..streams].iter().for_each(|ratios| to.extend(ratios));
        }
    }
}

/// What all antennas of the receiver get of one of the sender.
fn power<'a>(bins: &impl Fn(usize, usize) -> &'a Bins, sender: usize, receivers: usize) -> [f32; BINS] {
    let mut powers = [0.0; BINS];
    for receiver in 0..receivers {
        bins(sender, receiver).add_powers(&mut powers);
    }
    powers
}

/// Ratios behind a linear MMSE receiver of two streams: `rho (a - rho c / (1 + rho b))`, with the powers `a` and `b` of the
/// streams, and the power `c` of the product of their columns.
fn two<'a>(bins: &impl Fn(usize, usize) -> &'a Bins, receivers: usize, rho: f32, to: &mut Vec<f32>) {
    let [a, b] = [0, 1].map(|sender| power(bins, sender, receivers));
    let mut product = Bins::ZERO;
    for receiver in 0..receivers {
        product.add_conjugate_product(bins(0, receiver), bins(1, receiver));
    }
    let mut c = [0.0; BINS];
    product.add_powers(&mut c);
    let of = |own: &[f32; BINS], other: &[f32; BINS]| -> [f32; BINS] {
        let ratio = |bin: usize| rho * (own[bin] - rho * c[bin] / (1.0 + rho * other[bin]));
        std::array::from_fn(|bin| ratio(bin).max(0.0))
    };
    to.extend(of(&a, &b));
    to.extend(of(&b, &a));
}

/// `I + rho G^H G` in one bin.
fn gram<'a>(
    bins: &impl Fn(usize, usize) -> &'a Bins,
    [streams, receivers]: [usize; 2],
    rho: f64,
    bin: usize,
) -> Matrix {
    let value = |sender, receiver| {
        let bins: &Bins = bins(sender, receiver);
        Complex { re: bins.re[bin].into(), im: bins.im[bin].into() }
    };
    let mut gram = [[Complex::ZERO; ANTENNAS]; ANTENNAS];
    for (i, row) in gram.iter_mut().enumerate().take(streams) {
        for (j, element) in row.iter_mut().enumerate().take(streams) {
            let terms = (0..receivers).map(|r| value(i, r).conjugate() * value(j, r));
            let own = if i == j { Complex::ONE } else { Complex::ZERO };
            *element = own + terms.fold(Complex::ZERO, |sum, term| sum + term).scale(rho);
        }
    }
    gram
}

/// The diagonal of the inverse of a Hermitian matrix that is positive definite: column by column through its Cholesky
/// factor, `[A^-1]_kk = sum_i |[L^-1]_ik|^2`.
fn inverse_diagonal(matrix: &Matrix, size: usize) -> [f64; ANTENNAS] {
    let mut lower = [[Complex::ZERO; ANTENNAS]; ANTENNAS];
    for row in 0..size {
        for column in 0..=row {
            let products = lower[row].iter().zip(&lower[column]).take(column);
            let rest =
                products.fold(matrix[row][column], |rest, (a, b)| rest + (*a * b.conjugate()).scale(-1.0));
            lower[row][column] = if row == column {
                Complex { re: libm::sqrt(rest.re), im: 0.0 }
            } else {
                rest.scale(1.0 / lower[column][column].re)
            };
        }
    }
    let mut diagonal = [0.0; ANTENNAS];
    for (k, sum) in diagonal.iter_mut().enumerate().take(size) {
        let mut solved = [Complex::ZERO; ANTENNAS];
        for row in k..size {
            let mut rest = if row == k { Complex::ONE } else { Complex::ZERO };
            for (j, value) in solved.iter().enumerate().take(row).skip(k) {
                rest = rest + (lower[row][j] * *value).scale(-1.0);
            }
            solved[row] = rest.scale(1.0 / lower[row][row].re);
            *sum += solved[row].norm();
        }
    }
    diagonal
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ratios in the first bin, of columns that are the same in all.
    fn of(columns: &[&[[f32; 2]]], rho: f64) -> Vec<f32> {
        let all: Vec<Vec<Bins>> = columns
            .iter()
            .map(|column| column.iter().map(|&[re, im]| Bins { re: [re; BINS], im: [im; BINS] }).collect())
            .collect();
        let mut found = Vec::new();
        ratios(|k, r| &all[k][r], [columns.len(), columns[0].len()], rho, &mut found);
        assert_eq!(found.len(), columns.len() * BINS);
        found.into_iter().step_by(BINS).collect()
    }

    fn close(found: &[f32], expected: &[f32]) -> bool {
        found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4 * b.max(1e-2))
    }

    /// All antennas of the receiver add up: `rho (|g_1|^2 + |g_2|^2)`.
    #[test]
    fn one_stream_has_the_power_of_all_antennas() {
        assert!(close(&of(&[&[[1.0, 0.0], [0.6, 0.8]]], 10.0), &[20.0]));
    }

    /// Orthogonal columns do not disturb each other: `rho |g|^2`.
    #[test]
    fn orthogonal_streams_have_all_their_power() {
        let found = of(&[&[[1.0, 0.0], [0.0, 1.0]], &[[0.0, 2.0], [2.0, 0.0]]], 10.0);
        assert!(close(&found, &[20.0, 80.0]), "{found:?}");
    }

    /// Equal columns: the other stream is as strong as one's own, `rho |g|^2 / (1 + rho |g|^2)`.
    #[test]
    fn equal_columns_leave_less_than_one() {
        let g: &[[f32; 2]] = &[[1.0, 0.0], [1.0, 0.0]];
        let found = of(&[g, g], 10.0);
        assert!(close(&found, &[20.0 / 21.0; 2]), "{found:?}");
    }

    /// The closed form of two streams and the inverse of three with one that is silent agree.
    #[test]
    fn closed_form_and_inverse_agree() {
        let a: &[[f32; 2]] = &[[0.3, -1.0], [0.7, 0.2], [-0.4, 0.1]];
        let b: &[[f32; 2]] = &[[-0.2, 0.5], [1.1, 0.3], [0.9, -0.6]];
        let two = of(&[a, b], 7.0);
        let three = of(&[a, b, &[[0.0; 2]; 3]], 7.0);
        assert!(close(&two, &three[..2]), "{two:?} {three:?}");
        assert!(three[2].abs() < 1e-6);
    }
}
