//! Gray mapping and soft demapping (IEEE 802.11-2020, 17.3.5.8).
//!
//! All four constellations are products of one or two equal axes: the first
//! half of a subcarrier's bits chooses the in-phase level, the second half the
//! quadrature level. In Gaussian noise the axes are independent, so the
//! simulator works with single axes. BPSK has one, the others have two.

use crate::rate::Modulation;

/// Soft values per unit of squared distance. One step is then 0.5 % of the
/// smallest noiseless soft value of 64-QAM (4/42).
pub const SOFT_SCALE: f32 = 2048.0;

/// Largest magnitude of a soft value. At -3 dB it lies three standard
/// deviations beyond the mean of BPSK, the worst case.
pub const SOFT_LIMIT: i32 = 1 << 16;

/// Most levels of an axis (64-QAM).
const LEVELS_MAX: usize = 8;

/// One axis of a constellation with unit mean energy per subcarrier.
#[derive(Clone, Debug)]
pub struct Axis {
    bits: usize,
    /// Level of each label; the first bit of the label is its highest.
    levels: [f32; LEVELS_MAX],
}

impl Axis {
    /// The axis of `modulation`.
    pub fn new(modulation: Modulation) -> Self {
        // The factor of Table 17-10 that makes the mean energy of a subcarrier one.
        let (bits, energy) = match modulation {
            Modulation::Bpsk => (1, 1.0),
            Modulation::Qpsk => (1, 2.0),
            Modulation::Qam16 => (2, 10.0),
            Modulation::Qam64 => (3, 42.0),
        };
        let count = 1_usize << bits;
        let factor = 1.0 / libm::sqrtf(energy);
        let mut levels = [0.0; LEVELS_MAX];
        for index in 0..count {
            // Gray label of the index-th level, from the most negative one (Figure 17-10).
            let label = index ^ (index >> 1);
            levels[label] = (2.0 * index as f32 - (count - 1) as f32) * factor;
        }
        Self { bits, levels }
    }

    /// Bits that choose a level of this axis.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The level of `bits`, first bit first.
    pub fn level(&self, bits: &[u8]) -> f32 {
        let label = bits.iter().fold(0, |label, bit| label << 1 | usize::from(*bit));
        self.levels[label]
    }

    /// Soft values of the bits behind the received value `y`: the difference
    /// of squared distances to the nearest level with the bit one and the
    /// nearest with the bit zero, so that positive favours zero. This is the
    /// max-log likelihood ratio times the noise density, a factor common to
    /// all bits of a frame, to which the Viterbi decoder is blind.
    pub fn soft_values(&self, y: f32, soft: &mut [i32]) {
        match self.bits {
            1 => self.soft_values_of::<1, 2>(y, soft),
            2 => self.soft_values_of::<2, 4>(y, soft),
            _ => self.soft_values_of::<3, 8>(y, soft),
        }
    }

    /// The sizes are constants, so that the compiler unrolls the loops.
    fn soft_values_of<const BITS: usize, const LEVELS: usize>(&self, y: f32, soft: &mut [i32]) {
        let distances: [f32; LEVELS] = std::array::from_fn(|label| {
            let distance = y - self.levels[label];
            distance * distance
        });
        for (place, value) in (0..BITS).rev().zip(soft) {
            let nearest =
                |bit: usize| {
                    let of_bit = (0..LEVELS).filter(|label| label >> place & 1 == bit);
                    of_bit.fold(f32::INFINITY, |least, label| {
                        if distances[label] < least { distances[label] } else { least }
                    })
                };
            let difference = ((nearest(1) - nearest(0)) * SOFT_SCALE) as i32;
            *value = difference.clamp(-SOFT_LIMIT, SOFT_LIMIT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULATIONS: [Modulation; 4] =
        [Modulation::Bpsk, Modulation::Qpsk, Modulation::Qam16, Modulation::Qam64];

    fn labels(axis: &Axis) -> impl Iterator<Item = Vec<u8>> + use<> {
        let bits = axis.bits();
        (0..1_usize << bits).map(move |label| (0..bits).rev().map(|bit| (label >> bit & 1) as u8).collect())
    }

    #[test]
    fn mean_energy_of_a_subcarrier_is_one() {
        for modulation in MODULATIONS {
            let axis = Axis::new(modulation);
            let per_subcarrier = modulation.bits_per_subcarrier() / axis.bits();
            let energy: f32 = labels(&axis).map(|bits| axis.level(&bits).powi(2)).sum();
            let mean = per_subcarrier as f32 * energy / (1 << axis.bits()) as f32;
            assert!((mean - 1.0).abs() < 1e-6, "{modulation:?} {mean}");
        }
    }

    /// The in-phase column of Figure 17-10: labels 000 001 011 010 110 111 101 100 from -7 to 7.
    #[test]
    fn levels_of_64_qam() {
        let axis = Axis::new(Modulation::Qam64);
        let column = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1], [1, 0, 0]];
        for (bits, level) in column.iter().zip([-7.0_f32, -5.0, -3.0, -1.0, 1.0, 3.0, 5.0, 7.0]) {
            assert!((axis.level(bits) * 42.0_f32.sqrt() - level).abs() < 1e-5, "{bits:?}");
        }
    }

    #[test]
    fn noiseless_soft_values_give_the_bits_back() {
        for modulation in MODULATIONS {
            let axis = Axis::new(modulation);
            for bits in labels(&axis) {
                let mut soft = vec![0; axis.bits()];
                axis.soft_values(axis.level(&bits), &mut soft);
                let hard: Vec<u8> = soft.iter().map(|value| u8::from(*value < 0)).collect();
                assert_eq!(hard, bits, "{modulation:?}");
                assert!(soft.iter().all(|value| value.abs() >= 190), "{modulation:?} {soft:?}");
            }
        }
    }
}
