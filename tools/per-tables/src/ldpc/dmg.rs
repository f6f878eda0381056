//! The base matrices of directional multi-gigabit (IEEE 802.11-2020, 20.3.8).

use super::base_matrix::BaseMatrix;
use crate::code_rate::CodeRate;

/// Bits of every codeword.
pub const CODEWORD_BITS: usize = 672;

/// Base matrix of the code of this rate, if there is one.
pub fn base_matrix(code_rate: CodeRate) -> Option<BaseMatrix> {
    let shifts: &[i8] = match code_rate {
        CodeRate::Half => R1_2.as_flattened(),
        CodeRate::FiveEighths => R5_8.as_flattened(),
        CodeRate::ThreeQuarters => R3_4.as_flattened(),
        CodeRate::ThirteenSixteenths => R13_16.as_flattened(),
        CodeRate::TwoThirds | CodeRate::FiveSixths => return None,
    };
    Some(BaseMatrix { columns: COLUMNS, shifts, z: CODEWORD_BITS / COLUMNS })
}

/// Columns of every base matrix.
const COLUMNS: usize = 16;

#[rustfmt::skip]
const R1_2: [[i8; COLUMNS]; 8] = [
    [40, -1, 38, -1, 13, -1,  5, -1, 18, -1, -1, -1, -1, -1, -1, -1],
    [34, -1, 35, -1, 27, -1, -1, 30,  2,  1, -1, -1, -1, -1, -1, -1],
    [-1, 36, -1, 31, -1,  7, -1, 34, -1, 10, 41, -1, -1, -1, -1, -1],
    [-1, 27, -1, 18, -1, 12, 20, -1, -1, -1, 15,  6, -1, -1, -1, -1],
    [35, -1, 41, -1, 40, -1, 39, -1, 28, -1, -1,  3, 28, -1, -1, -1],
    [29, -1,  0, -1, -1, 22, -1,  4, -1, 28, -1, 27, -1, 23, -1, -1],
    [-1, 31, -1, 23, -1, 21, -1, 20, -1, -1, 12, -1, -1,  0, 13, -1],
    [-1, 22, -1, 34, 31, -1, 14, -1,  4, -1, -1, -1, 13, -1, 22, 24],
];

#[rustfmt::skip]
const R5_8: [[i8; COLUMNS]; 6] = [
    [20, 36, 34, 31, 20,  7, 41, 34, -1, 10, 41, -1, -1, -1, -1, -1],
    [30, 27, -1, 18, -1, 12, 20, 14,  2, 25, 15,  6, -1, -1, -1, -1],
    [35, -1, 41, -1, 40, -1, 39, -1, 28, -1, -1,  3, 28, -1, -1, -1],
    [29, -1,  0, -1, -1, 22, -1,  4, -1, 28, -1, 27, 24, 23, -1, -1],
    [-1, 31, -1, 23, -1, 21, -1, 20, -1,  9, 12, -1, -1,  0, 13, -1],
    [-1, 22, -1, 34, 31, -1, 14, -1,  4, -1, -1, -1, -1, -1, 22, 24],
];

#[rustfmt::skip]
const R3_4: [[i8; COLUMNS]; 4] = [
    [35, 19, 41, 22, 40, 41, 39,  6, 28, 18, 17,  3, 28, -1, -1, -1],
    [29, 30,  0,  8, 33, 22, 17,  4, 27, 28, 20, 27, 24, 23, -1, -1],
    [37, 31, 18, 23, 11, 21,  6, 20, 32,  9, 12, 29, -1,  0, 13, -1],
    [25, 22,  4, 34, 31,  3, 14, 15,  4, -1, 14, 18, 13, 13, 22, 24],
];

#[rustfmt::skip]
const R13_16: [[i8; COLUMNS]; 3] = [
    [29, 30,  0,  8, 33, 22, 17,  4, 27, 28, 20, 27, 24, 23, -1, -1],
    [37, 31, 18, 23, 11, 21,  6, 20, 32,  9, 12, 29, 10,  0, 13, -1],
    [25, 22,  4, 34, 31,  3, 14, 15,  4,  2, 14, 18, 13, 13, 22, 24],
];
