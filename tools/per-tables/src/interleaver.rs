//! The block interleaver of one OFDM symbol (IEEE 802.11-2020, 17.3.5.7).

use crate::constellation::Constellation;

/// Data subcarriers of an OFDM symbol of clause 17 (Table 17-5).
const DATA_SUBCARRIERS: usize = 48;

/// Where each coded bit of a symbol of clause 17 goes: the k-th number is the place, after
/// interleaving, of the k-th bit before it. Constellations that clause 17 does not have
/// are interleaved by the same rule.
pub fn clause_17(constellation: Constellation) -> Vec<usize> {
    with_columns(constellation, 16, DATA_SUBCARRIERS / 16)
}

/// The same for an interleaver with this many columns, and rows per bit of a subcarrier:
/// 13 and 4 for HT at 20 MHz (19.3.11.8.1), 26 and 9 for HE at 20 MHz (IEEE 802.11ax-2021, 27.3.12.8).
pub fn with_columns(constellation: Constellation, columns: usize, rows_per_bit: usize) -> Vec<usize> {
    let bits_per_subcarrier = constellation.bits_per_subcarrier();
    let rows = rows_per_bit * bits_per_subcarrier;
    let symbol_bits = columns * rows;
    let group = (bits_per_subcarrier / 2).max(1);
    (0..symbol_bits)
        .map(|k| {
            // First permutation: neighbours go to subcarriers far apart.
            let i = rows * (k % columns) + k / columns;
            // Second permutation: neighbours alternate between strong and weak bits of the constellation.
            group * (i / group) + (i + symbol_bits - columns * i / symbol_bits) % group
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convolutional::encode;

    const CONSTELLATIONS: [Constellation; 5] = [
        Constellation::Bpsk,
        Constellation::Qpsk,
        Constellation::Qam16,
        Constellation::Qam64,
        Constellation::Qam256,
    ];

    #[test]
    fn every_place_is_taken_once() {
        for constellation in CONSTELLATIONS {
            let mut places = clause_17(constellation);
            places.sort_unstable();
            assert!(
                places.iter().copied().eq(0..48 * constellation.bits_per_subcarrier()),
                "{constellation:?}"
            );
        }
    }

    /// Neighbours before interleaving sit three subcarriers apart, except where the rows wrap.
    #[test]
    fn neighbours_go_to_distant_subcarriers() {
        for constellation in CONSTELLATIONS {
            let bits = constellation.bits_per_subcarrier();
            for pair in clause_17(constellation).windows(2) {
                assert!((pair[0] / bits).abs_diff(pair[1] / bits) >= 3, "{constellation:?} {pair:?}");
            }
        }
    }

    /// Bits k and k + 1 of 64-QAM have different reliability.
    #[test]
    fn neighbours_alternate_in_reliability() {
        for constellation in [Constellation::Qam16, Constellation::Qam64] {
            let rungs = constellation.bits_per_subcarrier() / 2;
            for row in clause_17(constellation).chunks(16) {
                for pair in row.windows(2) {
                    assert_ne!(pair[0] % rungs, pair[1] % rungs, "{constellation:?}");
                }
            }
        }
    }

    fn bits(text: &str) -> Vec<u8> {
        text.bytes().filter(|byte| *byte != b' ').map(|byte| byte - b'0').collect()
    }

    /// The SIGNAL field of the worked example of Annex I.1 (36 Mbit/s, 100 octets),
    /// coded and interleaved.
    #[test]
    fn signal_field_of_annex_i() {
        let mut coded = Vec::new();
        encode(&bits("1011 0 001001100000 0 000000"), &mut coded);
        assert_eq!(coded, bits("11010001 10100001 00000010 00111110 01110000 00000000"));
        let mut interleaved = vec![0; 48];
        for (bit, place) in coded.iter().zip(clause_17(Constellation::Bpsk)) {
            interleaved[place] = *bit;
        }
        assert_eq!(interleaved, bits("10010100 11010000 00010100 10000011 00100100 10010100"));
    }
}
