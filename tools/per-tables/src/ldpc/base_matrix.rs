//! A parity-check matrix made of shifted identity matrices.

/// A parity-check matrix in units of `z` by `z` blocks. A block is zero or the identity with its
/// columns shifted cyclically to the right (IEEE 802.11-2020, 19.3.11.7.4).
#[derive(Clone, Copy, Debug)]
pub struct BaseMatrix {
    /// Blocks of a row.
    pub columns: usize,
    /// The shift of each block, row by row; -1 is the zero block.
    pub shifts: &'static [i8],
    /// Rows and columns of a block.
    pub z: usize,
}

/// A block that is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its place in the row.
    pub column: usize,
    /// Row r of the block has its one in column (r + shift) mod z.
    pub shift: usize,
}

impl BaseMatrix {
    /// Rows of blocks.
    pub fn rows(&self) -> usize {
        self.shifts.len() / self.columns
    }

    /// The blocks of a row of blocks that are not zero, in order.
    pub fn blocks(&self, row: usize) -> impl Iterator<Item = Block> + use<> {
        let row = &self.shifts[row * self.columns..(row + 1) * self.columns];
        let blocks = row.iter().enumerate().filter(|(_, shift)| **shift >= 0);
        blocks.map(|(column, shift)| Block { column, shift: shift.unsigned_abs().into() })
    }

    /// Bits of a codeword.
    pub fn codeword_bits(&self) -> usize {
        self.columns * self.z
    }

    /// Data bits of a codeword; they come first.
    pub fn data_bits(&self) -> usize {
        (self.columns - self.rows()) * self.z
    }

    /// The codeword bits that must have even parity, for each parity check.
    pub fn checks(&self) -> impl Iterator<Item = Vec<usize>> {
        let z = self.z;
        (0..self.rows()).flat_map(move |row| (0..z).map(move |lane| (row, lane))).map(move |(row, lane)| {
            self.blocks(row).map(|block| block.column * z + (lane + block.shift) % z).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_rate::CodeRate;
    use crate::ldpc::{annex_f, dmg};

    const ANNEX_F_RATES: [CodeRate; 4] =
        [CodeRate::Half, CodeRate::TwoThirds, CodeRate::ThreeQuarters, CodeRate::FiveSixths];
    const DMG_RATES: [CodeRate; 4] =
        [CodeRate::Half, CodeRate::FiveEighths, CodeRate::ThreeQuarters, CodeRate::ThirteenSixteenths];

    fn annex_f_matrices() -> impl Iterator<Item = (CodeRate, BaseMatrix)> {
        let names = [648, 1296, 1944].into_iter().flat_map(|bits| ANNEX_F_RATES.map(|rate| (bits, rate)));
        names.map(|(bits, rate)| (rate, annex_f::base_matrix(bits, rate).expect("a matrix")))
    }

    fn dmg_matrices() -> impl Iterator<Item = (CodeRate, BaseMatrix)> {
        DMG_RATES.into_iter().map(|rate| (rate, dmg::base_matrix(rate).expect("a matrix")))
    }

    fn shift(matrix: &BaseMatrix, row: usize, column: usize) -> i8 {
        matrix.shifts[row * matrix.columns + column]
    }

    #[test]
    fn dimensions_give_the_code_rate_and_shifts_stay_below_z() {
        for (rate, matrix) in annex_f_matrices().chain(dmg_matrices()) {
            let (data, coded) = rate.fraction();
            assert_eq!(matrix.data_bits() * coded, matrix.codeword_bits() * data, "{rate:?}");
            assert!(matrix.shifts.iter().all(|shift| (-1..matrix.z as i8).contains(shift)), "{rate:?}");
        }
        assert!(annex_f::base_matrix(1000, CodeRate::Half).is_none());
        assert!(annex_f::base_matrix(648, CodeRate::FiveEighths).is_none());
    }

    /// Annex F: the parity part has 1, 0, 1 in its first column (in the first, a middle and the last row) and two
    /// diagonals of zero shifts beside it.
    #[test]
    fn parity_part_of_annex_f_is_dual_diagonal() {
        for (rate, matrix) in annex_f_matrices() {
            let (rows, first) = (matrix.rows(), matrix.columns - matrix.rows());
            let column: Vec<_> = (0..rows).map(|row| shift(&matrix, row, first)).collect();
            let used: Vec<_> = column.iter().enumerate().filter(|(_, shift)| **shift >= 0).collect();
            assert!(
                matches!(used[..], [(0, 1), (1.., 0), (last, 1)] if last == rows - 1),
                "{rate:?} {used:?}"
            );
            for row in 0..rows {
                for column in 1..rows {
                    let on_diagonals = row == column || row + 1 == column;
                    let wanted = if on_diagonals { 0 } else { -1 };
                    assert_eq!(shift(&matrix, row, first + column), wanted, "{rate:?} {row} {column}");
                }
            }
        }
    }

    /// The blocks above the diagonal of the parity part are zero, those on it are not: bits of parity follow from
    /// those before them.
    #[test]
    fn parity_part_of_dmg_is_lower_triangular() {
        for (rate, matrix) in dmg_matrices() {
            let (rows, first) = (matrix.rows(), matrix.columns - matrix.rows());
            for row in 0..rows {
                assert!(shift(&matrix, row, first + row) >= 0, "{rate:?}");
                assert!((row + 1..rows).all(|column| shift(&matrix, row, first + column) < 0), "{rate:?}");
            }
        }
    }

    /// The DMG codes were made from one another: rows of the higher rates are rows of rate 1/2, or pairs of rows
    /// without a common column merged into one, with a few blocks added.
    #[test]
    fn dmg_codes_are_nested() {
        let [half, five_eighths, three_quarters, highest] = DMG_RATES.map(|r| dmg::base_matrix(r).unwrap());
        let row = |matrix: &BaseMatrix, row: usize| -> Vec<i8> {
            matrix.shifts[row * matrix.columns..(row + 1) * matrix.columns].to_vec()
        };
        let common = |a: &[i8], b: &[i8]| a.iter().zip(b).filter(|(a, b)| **a >= 0 && a == b).count();
        let blocks = |a: &[i8]| a.iter().filter(|shift| **shift >= 0).count();
        // The last four rows of 1/2 and of 5/8 are the same but for a few added or moved blocks.
        for (low, high) in [(4, 2), (5, 3), (6, 4), (7, 5)] {
            let (low, high) = (row(&half, low), row(&five_eighths, high));
            assert!(common(&low, &high) + 1 >= blocks(&low), "{low:?} {high:?}");
        }
        // Each row of 3/4 holds all blocks of one of the last four rows of 5/8.
        for (low, high) in [(2, 0), (3, 1), (4, 2), (5, 3)] {
            let (low, high) = (row(&five_eighths, low), row(&three_quarters, high));
            assert_eq!(common(&low, &high), blocks(&low), "{low:?} {high:?}");
        }
        // 13/16 is the last three rows of 3/4 with its gaps filled.
        for (low, high) in [(1, 0), (2, 1), (3, 2)] {
            let (low, high) = (row(&three_quarters, low), row(&highest, high));
            assert_eq!(common(&low, &high), blocks(&low), "{low:?} {high:?}");
        }
    }

    /// Blocks of a row: the checks of a code are about equally heavy, and the heavier the higher its rate.
    #[test]
    fn checks_are_even() {
        for (rate, matrix) in annex_f_matrices() {
            let bounds = match rate {
                CodeRate::Half => 7..=8,
                CodeRate::TwoThirds => 11..=11,
                CodeRate::ThreeQuarters => 14..=15,
                _ => 19..=22,
            };
            for row in 0..matrix.rows() {
                assert!(bounds.contains(&matrix.blocks(row).count()), "{rate:?}, z {}, row {row}", matrix.z);
            }
        }
    }

    /// Two rows and two columns whose shifts cancel make a cycle of length four: two checks that share two bits.
    fn cycles_of_length_four(matrix: &BaseMatrix) -> usize {
        let block = i32::try_from(matrix.z).expect("a size of blocks");
        let pairs = |n: usize| (0..n).flat_map(move |high| (high + 1..n).map(move |low| (high, low)));
        pairs(matrix.rows())
            .flat_map(|rows| pairs(matrix.columns).map(move |columns| (rows, columns)))
            .filter(|((high, low), (left, right))| {
                let corners = [(high, left), (low, left), (low, right), (high, right)];
                let [a, b, c, d] = corners.map(|(row, column)| i32::from(shift(matrix, *row, *column)));
                [a, b, c, d].iter().all(|shift| *shift >= 0) && (a - b + c - d) % block == 0
            })
            .count()
    }

    /// Codes are made without such cycles; three of Annex F have one or two all the same, in every copy of the tables
    /// that we looked at. A wrong digit is likely to make another.
    #[test]
    fn cycles_of_length_four_are_rare() {
        for (rate, matrix) in annex_f_matrices().chain(dmg_matrices()) {
            let expected = match (matrix.z, rate) {
                (27, CodeRate::ThreeQuarters) | (54, CodeRate::TwoThirds) => 2,
                (81, CodeRate::TwoThirds) => 1,
                _ => 0,
            };
            assert_eq!(cycles_of_length_four(&matrix), expected, "{rate:?}, z {}", matrix.z);
        }
    }
}
