//! Gray mapping and soft demapping (IEEE 802.11-2020, 17.3.5.8, 19.3.11.9 and 21.3.10.9; IEEE
//! 802.11ax-2021, 27.3.12.9; IEEE 802.11be-2024, 36.3.13.7).
//!
//! All constellations are products of one or two equal axes: the first half of
//! a subcarrier's bits chooses the in-phase level, the second half the
//! quadrature level. In Gaussian noise the axes are independent, so the
//! simulator works with single axes. BPSK has one, the others have two.

/// Integer soft values per unit of squared distance in white noise. One step is then 0.5 % of the
/// smallest noiseless soft value of 64-QAM (4/42), and 2 % of that of 256-QAM (4/170).
pub const SOFT_SCALE: f32 = 2048.0;

/// Largest magnitude of an integer soft value. At -3 dB it lies three standard
/// deviations beyond the mean of BPSK, the worst case.
pub const SOFT_LIMIT: i32 = 1 << 16;

/// Most bits and levels of an axis (4096-QAM).
const BITS_MAX: usize = 6;
const LEVELS_MAX: usize = 1 << BITS_MAX;

/// The points of a subcarrier, or of a symbol of a single carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constellation {
    /// One bit, on the in-phase axis.
    Bpsk,
    /// Two bits.
    Qpsk,
    /// Four bits.
    Qam16,
    /// Six bits.
    Qam64,
    /// Eight bits.
    Qam256,
    /// Ten bits.
    Qam1024,
    /// Twelve bits.
    Qam4096,
}

impl Constellation {
    /// Every constellation, smallest first.
    pub const ALL: [Self; 7] =
        [Self::Bpsk, Self::Qpsk, Self::Qam16, Self::Qam64, Self::Qam256, Self::Qam1024, Self::Qam4096];

    /// Coded bits per subcarrier (`N_BPSC` of the standard).
    pub const fn bits_per_subcarrier(self) -> usize {
        match self {
            Self::Bpsk => 1,
            Self::Qpsk => 2,
            Self::Qam16 => 4,
            Self::Qam64 => 6,
            Self::Qam256 => 8,
            Self::Qam1024 => 10,
            Self::Qam4096 => 12,
        }
    }

    /// Real dimensions that carry data.
    pub const fn axes(self) -> usize {
        if matches!(self, Self::Bpsk) { 1 } else { 2 }
    }
}

/// One axis of a constellation with unit mean energy per subcarrier.
#[derive(Clone, Debug)]
pub struct Axis {
    bits: usize,
    /// Level of each label; the first bit of the label is its highest.
    levels: [f32; LEVELS_MAX],
}

impl Axis {
    /// The axis of `constellation`.
    pub fn new(constellation: Constellation) -> Self {
        let bits = constellation.bits_per_subcarrier() / constellation.axes();
        let count = 1_usize << bits;
        // Mean energy of the levels -count + 1, ..., -1, 1, ..., count - 1 on each axis, which the factor of
        // Table 17-10 and its successors makes one: 1, 2, 10, 42, 170, 682, 2730.
        let energy = constellation.axes() * (count * count - 1) / 3;
        let factor = 1.0 / libm::sqrtf(energy as f32);
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
    /// all bits of a frame, to which a Viterbi and a min-sum decoder are blind.
    pub fn soft_values(&self, y: f32, soft: &mut [f32]) {
        match self.bits {
            1 => self.soft_values_of::<1, 2>(y, soft),
            2 => self.soft_values_of::<2, 4>(y, soft),
            3 => self.soft_values_of::<3, 8>(y, soft),
            4 => self.soft_values_of::<4, 16>(y, soft),
            5 => self.soft_values_of::<5, 32>(y, soft),
            _ => self.soft_values_of::<6, 64>(y, soft),
        }
    }

    /// The same times `scale` as integers for the Viterbi decoder.
    pub fn integer_soft_values(&self, y: f32, scale: f32, soft: &mut [i32]) {
        let mut values = [0.0; BITS_MAX];
        self.soft_values(y, &mut values[..self.bits]);
        for (value, integer) in values.iter().zip(soft) {
            *integer = ((value * scale) as i32).clamp(-SOFT_LIMIT, SOFT_LIMIT);
        }
    }

    /// The sizes are constants, so that the compiler unrolls the loops.
    fn soft_values_of<const BITS: usize, const LEVELS: usize>(&self, y: f32, soft: &mut [f32]) {
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
            *value = nearest(1) - nearest(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> impl Iterator<Item = Vec<u8>> + use<> {
        let bits = axis.bits();
        (0..1_usize << bits).map(move |label| (0..bits).rev().map(|bit| (label >> bit & 1) as u8).collect())
    }

    #[test]
    fn mean_energy_of_a_subcarrier_is_one() {
        for constellation in Constellation::ALL {
            let axis = Axis::new(constellation);
            let energy: f32 = labels(&axis).map(|bits| axis.level(&bits).powi(2)).sum();
            let mean = constellation.axes() as f32 * energy / (1 << axis.bits()) as f32;
            assert!((mean - 1.0).abs() < 1e-5, "{constellation:?} {mean}");
        }
    }

    /// The in-phase column of Figure 17-10: labels 000 001 011 010 110 111 101 100 from -7 to 7.
    #[test]
    fn levels_of_64_qam() {
        let axis = Axis::new(Constellation::Qam64);
        let column = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1], [1, 0, 0]];
        for (bits, level) in column.iter().zip([-7.0_f32, -5.0, -3.0, -1.0, 1.0, 3.0, 5.0, 7.0]) {
            assert!((axis.level(bits) * 42.0_f32.sqrt() - level).abs() < 1e-5, "{bits:?}");
        }
    }

    /// Neighbouring levels differ in one bit, and the first bit is the sign.
    #[test]
    fn labels_are_gray() {
        for constellation in Constellation::ALL {
            let axis = Axis::new(constellation);
            let mut points: Vec<_> = labels(&axis).map(|bits| (axis.level(&bits), bits)).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            for pair in points.windows(2) {
                let differing = pair[0].1.iter().zip(&pair[1].1).filter(|(a, b)| a != b).count();
                assert_eq!(differing, 1, "{constellation:?}");
            }
            assert!(points.iter().all(|(level, bits)| (*level > 0.0) == (bits[0] == 1)));
        }
    }

    #[test]
    fn noiseless_soft_values_give_the_bits_back() {
        for constellation in Constellation::ALL {
            let axis = Axis::new(constellation);
            for bits in labels(&axis) {
                let mut soft = vec![0; axis.bits()];
                axis.integer_soft_values(axis.level(&bits), SOFT_SCALE, &mut soft);
                let hard: Vec<u8> = soft.iter().map(|value| u8::from(*value < 0)).collect();
                assert_eq!(hard, bits, "{constellation:?}");
            }
        }
    }

    /// The resolution that the decoder of the convolutional code needs, up to 256-QAM.
    #[test]
    fn integer_soft_values_are_fine_enough() {
        for constellation in &Constellation::ALL[..5] {
            let axis = Axis::new(*constellation);
            for bits in labels(&axis) {
                let mut soft = vec![0; axis.bits()];
                axis.integer_soft_values(axis.level(&bits), SOFT_SCALE, &mut soft);
                assert!(soft.iter().all(|value| value.abs() >= 46), "{constellation:?} {soft:?}");
            }
        }
    }
}
