//! Code rates.

/// The part of the coded bits that is data (IEEE 802.11-2020, 17.3.5.6, 19.3.11.7 and 20.3.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeRate {
    /// 1/2.
    Half,
    /// 5/8, DMG only.
    FiveEighths,
    /// 2/3.
    TwoThirds,
    /// 3/4.
    ThreeQuarters,
    /// 13/16, DMG only.
    ThirteenSixteenths,
    /// 5/6.
    FiveSixths,
}

impl CodeRate {
    /// Data bits and coded bits of the code rate's fraction.
    pub const fn fraction(self) -> (usize, usize) {
        match self {
            Self::Half => (1, 2),
            Self::FiveEighths => (5, 8),
            Self::TwoThirds => (2, 3),
            Self::ThreeQuarters => (3, 4),
            Self::ThirteenSixteenths => (13, 16),
            Self::FiveSixths => (5, 6),
        }
    }
}
