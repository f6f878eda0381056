//! The block interleaver of one OFDM symbol (IEEE 802.11-2020, 17.3.5.7).

use crate::rate::Modulation;

/// Where each coded bit of a symbol goes: `positions[k]` is the place, after
/// interleaving, of the k-th bit before it.
pub fn positions(modulation: Modulation) -> Vec<usize> {
    let bits_per_subcarrier = modulation.bits_per_subcarrier();
    let symbol_bits = crate::rate::DATA_SUBCARRIERS * bits_per_subcarrier;
    let group = (bits_per_subcarrier / 2).max(1);
    (0..symbol_bits)
        .map(|k| {
            // First permutation: neighbours go to subcarriers far apart.
            let i = symbol_bits / 16 * (k % 16) + k / 16;
            // Second permutation: neighbours alternate between strong and weak bits of the constellation.
            group * (i / group) + (i + symbol_bits - 16 * i / symbol_bits) % group
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convolutional::encode;

    const MODULATIONS: [Modulation; 4] =
        [Modulation::Bpsk, Modulation::Qpsk, Modulation::Qam16, Modulation::Qam64];

    #[test]
    fn every_place_is_taken_once() {
        for modulation in MODULATIONS {
            let mut places = positions(modulation);
            places.sort_unstable();
            assert!(places.iter().copied().eq(0..48 * modulation.bits_per_subcarrier()), "{modulation:?}");
        }
    }

    /// Neighbours before interleaving sit three subcarriers apart, except where the rows wrap.
    #[test]
    fn neighbours_go_to_distant_subcarriers() {
        for modulation in MODULATIONS {
            let bits = modulation.bits_per_subcarrier();
            for pair in positions(modulation).windows(2) {
                assert!((pair[0] / bits).abs_diff(pair[1] / bits) >= 3, "{modulation:?} {pair:?}");
            }
        }
    }

    /// Bits k and k + 1 of 64-QAM fall on different rungs of the reliability ladder.
    #[test]
    fn neighbours_alternate_in_reliability() {
        for modulation in [Modulation::Qam16, Modulation::Qam64] {
            let rungs = modulation.bits_per_subcarrier() / 2;
            for row in positions(modulation).chunks(16) {
                for pair in row.windows(2) {
                    assert_ne!(pair[0] % rungs, pair[1] % rungs, "{modulation:?}");
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
        for (bit, place) in coded.iter().zip(positions(Modulation::Bpsk)) {
            interleaved[place] = *bit;
        }
        assert_eq!(interleaved, bits("10010100 11010000 00010100 10000011 00100100 10010100"));
    }
}
