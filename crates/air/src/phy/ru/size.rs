//! Sizes of resource units (IEEE 802.11ax-2021, 27.3.2.2; IEEE 802.11be, 36.3.2.1).

use std::fmt;

use crate::phy::Width;

/// Size of a resource unit (RU), by its tones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuSize {
    /// 26 tones.
    Tones26,
    /// 52 tones.
    Tones52,
    /// 106 tones.
    Tones106,
    /// 242 tones: 20 MHz.
    Tones242,
    /// 484 tones: 40 MHz.
    Tones484,
    /// 996 tones: 80 MHz.
    Tones996,
    /// 2x996 tones: 160 MHz.
    Tones2x996,
    /// 4x996 tones: 320 MHz; EHT only.
    Tones4x996,
}

impl RuSize {
    /// Every size, the least first.
    pub const ALL: [Self; 8] = [
        Self::Tones26,
        Self::Tones52,
        Self::Tones106,
        Self::Tones242,
        Self::Tones484,
        Self::Tones996,
        Self::Tones2x996,
        Self::Tones4x996,
    ];

    /// Tones, data and pilots: `N_ST`.
    #[inline]
    pub const fn tones(self) -> u32 {
        [26, 52, 106, 242, 484, 996, 1992, 3984][self as usize]
    }

    /// Data subcarriers, `N_SD` (IEEE 802.11ax-2021, Table 27-13; IEEE 802.11be, Table 36-19).
    #[inline]
    pub const fn data_subcarriers(self) -> u32 {
        [24, 48, 102, 234, 468, 980, 1960, 3920][self as usize]
    }

    /// Pilots, `N_SP` (same tables).
    pub const fn pilots(self) -> u32 {
        self.tones() - self.data_subcarriers()
    }

    /// Data subcarriers of a quarter of a symbol, `N_SD,short` (IEEE 802.11ax-2021, Table 27-33; for 4x996 tones IEEE 802.11be,
    /// Table 36-47).
    #[inline]
    pub const fn quarter_subcarriers(self) -> u32 {
        [6, 12, 24, 60, 120, 240, 492, 984][self as usize]
    }

    /// The RU that fills a width.
    #[inline]
    pub const fn filling(width: Width) -> Self {
        match width {
            Width::Mhz20 => Self::Tones242,
            Width::Mhz40 => Self::Tones484,
            Width::Mhz80 => Self::Tones996,
            Width::Mhz160 => Self::Tones2x996,
            _ => Self::Tones4x996,
        }
    }

    /// How many RUs of this size a width has, those with no use in EHT counted (IEEE 802.11ax-2021, Table 27-6; IEEE 802.11be, 36.3.2.1). From 80 MHz on there is a 26-tone RU in the centre of each 80 MHz beside the nine of each 20 MHz.
    pub const fn count_in(self, width: Width) -> u32 {
        let parts = width.mhz() / 20;
        match self {
            Self::Tones26 => 9 * parts + parts / 4,
            Self::Tones52 => 4 * parts,
            Self::Tones106 => 2 * parts,
            Self::Tones242 => parts,
            Self::Tones484 => parts / 2,
            Self::Tones996 => parts / 4,
            Self::Tones2x996 => parts / 8,
            Self::Tones4x996 => parts / 16,
        }
    }

    /// The size of which it is a half; `None`: it is the largest.
    pub fn doubled(self) -> Option<Self> {
        Self::ALL.get(self as usize + 1).copied()
    }

    /// Subchannels of 20 MHz that it fills; below 242 tones, the one it is in.
    pub const fn subchannels(self) -> u32 {
        match self {
            Self::Tones26 | Self::Tones52 | Self::Tones106 | Self::Tones242 => 1,
            Self::Tones484 => 2,
            Self::Tones996 => 4,
            Self::Tones2x996 => 8,
            Self::Tones4x996 => 16,
        }
    }
}

impl fmt::Display for RuSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["26", "52", "106", "242", "484", "996", "2x996", "4x996"][*self as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IEEE 802.11ax-2021, Table 27-6 (maximum number of RUs for each channel width), and Table 27-13.
    #[test]
    fn counts_and_pilots_are_those_of_the_tables() {
        let counts = |width| RuSize::ALL.map(|size| size.count_in(width));
        assert_eq!(counts(Width::Mhz20), [9, 4, 2, 1, 0, 0, 0, 0]);
        assert_eq!(counts(Width::Mhz40), [18, 8, 4, 2, 1, 0, 0, 0]);
        assert_eq!(counts(Width::Mhz80), [37, 16, 8, 4, 2, 1, 0, 0]);
        assert_eq!(counts(Width::Mhz160), [74, 32, 16, 8, 4, 2, 1, 0]);
        assert_eq!(counts(Width::Mhz320), [148, 64, 32, 16, 8, 4, 2, 1]);
        assert_eq!(RuSize::ALL.map(RuSize::pilots), [2, 4, 4, 8, 16, 16, 32, 64]);
    }
}
