//! Constellations, code rates and codes.

/// A signal constellation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Constellation {
    /// 1 bit per subcarrier.
    Bpsk,
    /// 2 bits.
    Qpsk,
    /// 4 bits.
    Qam16,
    /// 6 bits.
    Qam64,
    /// 8 bits.
    Qam256,
    /// 10 bits.
    Qam1024,
    /// 12 bits.
    Qam4096,
}

/// Information bits per coded bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeRate {
    /// 1/2.
    Half,
    /// 2/3.
    TwoThirds,
    /// 3/4.
    ThreeQuarters,
    /// 5/6.
    FiveSixths,
    /// 5/8: DMG.
    FiveEighths,
    /// 13/16: DMG.
    ThirteenSixteenths,
}

/// A forward error correction code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Coding {
    /// The binary convolutional code (IEEE 802.11-2020, 17.3.5.6).
    Bcc,
    /// Low-density parity check (19.3.11.7).
    Ldpc,
}

/// Constellation and code rate of an OFDM subcarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Modulation {
    /// The constellation.
    pub constellation: Constellation,
    /// The code rate.
    pub code_rate: CodeRate,
}

impl Constellation {
    /// Coded bits per subcarrier and stream, `N_BPSCS`.
    #[inline]
    pub const fn bits(self) -> u32 {
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
}

impl CodeRate {
    /// Numerator and denominator.
    #[inline]
    pub const fn ratio(self) -> (u32, u32) {
        match self {
            Self::Half => (1, 2),
            Self::TwoThirds => (2, 3),
            Self::ThreeQuarters => (3, 4),
            Self::FiveSixths => (5, 6),
            Self::FiveEighths => (5, 8),
            Self::ThirteenSixteenths => (13, 16),
        }
    }

    /// Information bits that so many coded bits carry, rounded down; up to 2^25 coded bits.
    #[inline]
    pub(super) const fn data_bits(self, coded_bits: u32) -> u32 {
        // In 48ths every rate is an integer, and a constant divisor costs a multiplication.
        let numerator = match self {
            Self::Half => 24,
            Self::TwoThirds => 32,
            Self::ThreeQuarters => 36,
            Self::FiveSixths => 40,
            Self::FiveEighths => 30,
            Self::ThirteenSixteenths => 39,
        };
        coded_bits * numerator / 48
    }
}

impl Modulation {
    /// Number of places that [`Self::index`] needs.
    pub const COUNT: usize = 7 * 6;

    /// The modulation of these parts.
    pub const fn new(constellation: Constellation, code_rate: CodeRate) -> Self {
        Self { constellation, code_rate }
    }

    /// Index in a table by modulation.
    #[inline]
    pub const fn index(self) -> usize {
        self.constellation as usize * 6 + self.code_rate as usize
    }
}
