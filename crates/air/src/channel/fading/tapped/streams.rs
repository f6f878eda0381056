//! Spatial streams behind a linear MMSE receiver.

use super::complex::Complex;
use super::correlation::ANTENNAS;

/// Column `k`: what the receiver's antennas get of transmit antenna `k`, on one subcarrier.
pub(super) type Columns = [[Complex; ANTENNAS]; ANTENNAS];

/// `[(I + rho G^H G)^-1]_kk` for each stream, from which its ratio is `1 / that - 1` (for example Tse and Viswanath,
/// "Fundamentals of Wireless Communication", 8.3.3), where `rho` is the power of one stream over noise and interference of one
/// antenna. Returns the ratios of the first `streams`.
pub(super) fn mmse(columns: &Columns, streams: usize, receivers: usize, rho: f64) -> [f64; ANTENNAS] {
    let product = |i: usize, j: usize| {
        let terms = (0..receivers).map(|r| columns[i][r].conjugate() * columns[j][r]);
        terms.fold(Complex::ZERO, |sum, term| sum + term)
    };
    let mut ratios = [0.0; ANTENNAS];
    match streams {
        1 => ratios[0] = rho * product(0, 0).re,
        2 => {
            let [a, b] = [product(0, 0).re, product(1, 1).re];
            let c = product(0, 1).norm();
            ratios[0] = rho * (a - rho * c / (1.0 + rho * b));
            ratios[1] = rho * (b - rho * c / (1.0 + rho * a));
        }
        _ => {
            let mut gram = [[Complex::ZERO; ANTENNAS]; ANTENNAS];
            for (i, row) in gram.iter_mut().enumerate().take(streams) {
                for (j, value) in row.iter_mut().enumerate().take(streams) {
                    let own = if i == j { Complex::ONE } else { Complex::ZERO };
                    *value = own + product(i, j).scale(rho);
                }
            }
            for (ratio, error) in ratios.iter_mut().zip(inverse_diagonal(&gram, streams)).take(streams) {
                *ratio = 1.0 / error - 1.0;
            }
        }
    }
    ratios.map(|ratio| ratio.max(0.0))
}

/// The diagonal of the inverse of a Hermitian matrix that is positive definite: column by column through its Cholesky
/// factor, `[A^-1]_kk = sum_i |[L^-1]_ik|^2`.
fn inverse_diagonal(matrix: &Columns, size: usize) -> [f64; ANTENNAS] {
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

    fn complex(re: f64, im: f64) -> Complex {
        Complex { re, im }
    }

    fn columns(values: &[&[Complex]]) -> Columns {
        let mut columns = [[Complex::ZERO; ANTENNAS]; ANTENNAS];
        for (column, given) in columns.iter_mut().zip(values) {
            column[..given.len()].copy_from_slice(given);
        }
        columns
    }

    /// Orthogonal columns do not disturb each other: `rho |g|^2`.
    #[test]
    fn orthogonal_streams_have_all_their_power() {
        let of = columns(&[&[complex(1.0, 0.0), complex(0.0, 1.0)], &[complex(0.0, 2.0), complex(2.0, 0.0)]]);
        let ratios = mmse(&of, 2, 2, 10.0);
        assert!((ratios[0] - 20.0).abs() < 1e-9 && (ratios[1] - 80.0).abs() < 1e-9, "{ratios:?}");
    }

    /// Equal columns: the other stream is as strong as one's own, `rho |g|^2 / (1 + rho |g|^2)`.
    #[test]
    fn equal_columns_leave_less_than_one() {
        let g: &[Complex] = &[complex(1.0, 0.0), complex(1.0, 0.0)];
        let ratios = mmse(&columns(&[g, g]), 2, 2, 10.0);
        assert!((ratios[0] - 20.0 / 21.0).abs() < 1e-9, "{ratios:?}");
    }

    /// The closed form of two streams and the inverse of three with one that is silent agree.
    #[test]
    fn closed_form_and_inverse_agree() {
        let a: &[Complex] = &[complex(0.3, -1.0), complex(0.7, 0.2), complex(-0.4, 0.1)];
        let b: &[Complex] = &[complex(-0.2, 0.5), complex(1.1, 0.3), complex(0.9, -0.6)];
        let two = mmse(&columns(&[a, b]), 2, 3, 7.0);
        let three = mmse(&columns(&[a, b, &[Complex::ZERO; 3]]), 3, 3, 7.0);
        assert!((two[0] - three[0]).abs() < 1e-9 && (two[1] - three[1]).abs() < 1e-9, "{two:?} {three:?}");
        assert!(three[2].abs() < 1e-12);
    }
}
