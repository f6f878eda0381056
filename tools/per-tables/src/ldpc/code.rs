//! A code: which codewords there are, and the one of given data.

use super::base_matrix::{BaseMatrix, Block};

/// A low-density parity-check code with its encoder.
#[derive(Clone, Debug)]
pub struct Code {
    matrix: BaseMatrix,
    layers: Vec<Vec<Block>>,
    /// For each parity bit, the data bits whose sum it is: bit b of word w stands for data bit 64 w + b.
    parity: Vec<Vec<u64>>,
}

impl Code {
    /// The code of `matrix`.
    ///
    /// # Panics
    /// If its parity part cannot be inverted, so that not every data word has exactly one codeword.
    pub fn new(matrix: BaseMatrix) -> Self {
        let layers = (0..matrix.rows()).map(|row| matrix.blocks(row).collect()).collect();
        Self { matrix, layers, parity: systematic(&matrix) }
    }

    /// Bits of a codeword.
    pub fn codeword_bits(&self) -> usize {
        self.matrix.codeword_bits()
    }

    /// Data bits of a codeword; they come first.
    pub fn data_bits(&self) -> usize {
        self.matrix.data_bits()
    }

    /// Rows and columns of a block.
    pub fn z(&self) -> usize {
        self.matrix.z
    }

    /// The blocks that are not zero, row of blocks by row of blocks.
    pub fn layers(&self) -> &[Vec<Block>] {
        &self.layers
    }

    /// Appends the codeword of `data` (one bit per byte, 0 or 1).
    ///
    /// # Panics
    /// If `data` is not [`Code::data_bits`] long.
    pub fn encode(&self, data: &[u8], codeword: &mut Vec<u8>) {
        assert_eq!(data.len(), self.data_bits(), "data bits of a codeword");
        codeword.extend_from_slice(data);
        let mut words = vec![0_u64; data.len().div_ceil(64)];
        for (place, bit) in data.iter().enumerate() {
            words[place / 64] |= u64::from(*bit) << (place % 64);
        }
        codeword.extend(self.parity.iter().map(|row| {
            let odd = row.iter().zip(&words).fold(0, |sum, (row, word)| sum ^ (row & word));
            (odd.count_ones() & 1) as u8
        }));
    }
}

/// Solves the parity checks for the parity bits by Gaussian elimination over bits.
fn systematic(matrix: &BaseMatrix) -> Vec<Vec<u64>> {
    let data_bits = matrix.data_bits();
    // The parity bits come first in these rows, and the data bits begin on a word of their own.
    let parity_bits = matrix.codeword_bits() - data_bits;
    let data_word = parity_bits.div_ceil(64);
    let mut rows: Vec<Vec<u64>> = matrix
        .checks()
        .map(|bits| {
            let mut row = vec![0_u64; data_word + data_bits.div_ceil(64)];
            for bit in bits {
                let place = if bit < data_bits { 64 * data_word + bit } else { bit - data_bits };
                row[place / 64] ^= 1 << (place % 64);
            }
            row
        })
        .collect();
    for pivot in 0..parity_bits {
        eliminate(&mut rows, pivot);
    }
    rows.iter().map(|row| row[data_word..].to_vec()).collect()
}

/// Brings a row with bit `pivot` to place `pivot` and clears that bit in all others.
fn eliminate(rows: &mut [Vec<u64>], pivot: usize) {
    let has = |row: &[u64]| row[pivot / 64] >> (pivot % 64) & 1 == 1;
    let found = (pivot..rows.len()).find(|row| has(&rows[*row])).expect("an invertible parity part");
    rows.swap(pivot, found);
    let chosen = rows[pivot].clone();
    for (place, row) in rows.iter_mut().enumerate() {
        if place != pivot && has(row) {
            row.iter_mut().zip(&chosen).for_each(|(bits, other)| *bits ^= other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_rate::CodeRate::{
        self, FiveEighths, FiveSixths, Half, ThirteenSixteenths, ThreeQuarters, TwoThirds,
    };
    use crate::ldpc::{annex_f, dmg};
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn random_bits(rng: &mut ChaCha8Rng, bits: usize) -> Vec<u8> {
        (0..bits).map(|_| u8::from(rng.random::<bool>())).collect()
    }

    fn annex_f_matrices() -> impl Iterator<Item = BaseMatrix> {
        let rates: [CodeRate; 4] = [Half, TwoThirds, ThreeQuarters, FiveSixths];
        let names = [648, 1296, 1944].into_iter().flat_map(move |bits| rates.map(|rate| (bits, rate)));
        names.map(|(bits, rate)| annex_f::base_matrix(bits, rate).expect("a matrix"))
    }

    #[test]
    fn codewords_meet_every_parity_check() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let dmg = [Half, FiveEighths, ThreeQuarters, ThirteenSixteenths]
            .map(|rate| dmg::base_matrix(rate).expect("a matrix"));
        for matrix in annex_f_matrices().chain(dmg) {
            let code = Code::new(matrix);
            for _ in 0..3 {
                let data = random_bits(&mut rng, code.data_bits());
                let mut word = Vec::new();
                code.encode(&data, &mut word);
                assert_eq!(word.len(), code.codeword_bits());
                assert_eq!(word[..data.len()], data);
                let odd = matrix.checks().filter(|c| c.iter().map(|bit| word[*bit]).sum::<u8>() % 2 == 1);
                assert_eq!(odd.count(), 0);
            }
        }
    }

    /// The customary encoder of dual-diagonal codes: all rows of blocks add up to the first block of parity, the
    /// others follow one by one. It shares nothing with the elimination.
    #[test]
    fn the_dual_diagonal_encoder_finds_the_same_parity() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for matrix in annex_f_matrices() {
            let (z, rows, data_columns) = (matrix.z, matrix.rows(), matrix.columns - matrix.rows());
            let data = random_bits(&mut rng, matrix.data_bits());
            let rotated = |block: &[u8], shift: usize| -> Vec<u8> {
                (0..z).map(|lane| block[(lane + shift) % z]).collect()
            };
            let add = |sum: &mut Vec<u8>, other: &[u8]| sum.iter_mut().zip(other).for_each(|(s, o)| *s ^= o);
            let mut sums = vec![vec![0; z]; rows];
            for (row, sum) in sums.iter_mut().enumerate() {
                for block in matrix.blocks(row).filter(|block| block.column < data_columns) {
                    add(sum, &rotated(&data[block.column * z..][..z], block.shift));
                }
            }
            let mut first = vec![0; z];
            for sum in &sums {
                add(&mut first, sum);
            }
            let mut parity = first.clone();
            let mut previous = vec![0; z];
            for (row, sum) in sums.iter().enumerate().take(rows - 1) {
                let own = matrix.blocks(row).find(|block| block.column == data_columns);
                if let Some(block) = own {
                    add(&mut previous, &rotated(&first, block.shift));
                }
                add(&mut previous, sum);
                parity.extend(&previous);
            }
            let mut word = Vec::new();
            Code::new(matrix).encode(&data, &mut word);
            assert_eq!(word[data.len()..], parity);
        }
    }
}
