//! Punctured channels: the static patterns of EHT without OFDMA.

use super::RuSize;
use crate::phy::Width;

/// A channel of which 20 MHz subchannels are left out, in one of the patterns that an EHT MU PPDU without OFDMA can have (IEEE
/// 802.11be, Table 36-30: Punctured Channel Information). What is left is a multiple resource unit (MRU) of large RUs (36.3.2.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Puncturing {
    width: Width,
    value: u8,
}

impl Puncturing {
    /// The pattern with this value of Punctured Channel Information, from 1 on.
    pub const fn of_value(width: Width, value: u8) -> Option<Self> {
        if value >= 1 && value <= patterns(width) { Some(Self { width, value }) } else { None }
    }

    /// The pattern that leaves out these subchannels, one bit each, the lowest first: the form of Linux's `punctured`.
    pub const fn of_mask(width: Width, mask: u16) -> Option<Self> {
        let mut value = 1;
        while value <= patterns(width) {
            let this = Self { width, value };
            if this.mask() == mask {
                return Some(this);
            }
            value += 1;
        }
        None
    }

    /// Every pattern of a width.
    pub fn all(width: Width) -> impl Iterator<Item = Self> {
        (1..=patterns(width)).map(move |value| Self { width, value })
    }

    /// Width with what is left out.
    pub const fn width(self) -> Width {
        self.width
    }

    /// Its value of Punctured Channel Information.
    pub const fn value(self) -> u8 {
        self.value
    }

    /// A bit for each 20 MHz that is left out, the lowest first.
    pub const fn mask(self) -> u16 {
        let place = self.value - 1;
        match (self.width, place) {
            (Width::Mhz80, _) | (Width::Mhz160, 0..8) => 1 << place,
            (Width::Mhz160, _) => 0b11 << (2 * (place - 8)),
            (_, 0..8) => 0b11 << (2 * place),
            (_, 8..12) => 0b1111 << (4 * (place - 8)),
            // 80 MHz at one edge and 40 MHz of the rest.
            (_, 12..18) => 0x000f | 0b11 << (2 * (place - 12) + 4),
            _ => 0xf000 | 0b11 << (2 * (place - 18)),
        }
    }

    /// A bit for each 20 MHz that is used, the lowest first.
    pub const fn used(self) -> u16 {
        let all = ((1_u32 << (self.width.mhz() / 20)) - 1) as u16;
        all & !self.mask()
    }

    /// How many RUs of 996, 484 and 242 tones are left.
    const fn parts(self) -> [u32; 3] {
        let mut parts = [0; 3];
        let mut used = self.used();
        while used != 0 {
            match (used & 0b1111).count_ones() {
                4 => parts[0] += 1,
                3 => {
                    parts[1] += 1;
                    parts[2] += 1;
                }
                2 => parts[1] += 1,
                _ => {}
            }
            used >>= 4;
        }
        parts
    }

    /// Tones, data and pilots.
    pub const fn tones(self) -> u32 {
        let [large, half, quarter] = self.parts();
        large * RuSize::Tones996.tones()
            + half * RuSize::Tones484.tones()
            + quarter * RuSize::Tones242.tones()
    }

    /// Data subcarriers, `N_SD` (IEEE 802.11be, Table 36-19): those of its RUs.
    pub const fn data_subcarriers(self) -> u32 {
        let [large, half, quarter] = self.parts();
        large * RuSize::Tones996.data_subcarriers()
            + half * RuSize::Tones484.data_subcarriers()
            + quarter * RuSize::Tones242.data_subcarriers()
    }

    /// Data subcarriers of a quarter of a symbol, `N_SD,short` (IEEE 802.11be, Table 36-47): those of its RUs, where two of 996 tones
    /// have as many as one of 2x996.
    pub const fn quarter_subcarriers(self) -> u32 {
        let [large, half, quarter] = self.parts();
        large / 2 * RuSize::Tones2x996.quarter_subcarriers()
            + large % 2 * RuSize::Tones996.quarter_subcarriers()
            + half * RuSize::Tones484.quarter_subcarriers()
            + quarter * RuSize::Tones242.quarter_subcarriers()
    }
}

/// How many patterns a width has.
const fn patterns(width: Width) -> u8 {
    match width {
        Width::Mhz80 => 4,
        Width::Mhz160 => 12,
        Width::Mhz320 => 24,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IEEE 802.11be, Table 36-30, as patterns of 20 MHz (80 and 160 MHz) and of 40 MHz (320 MHz), the lowest first.
    #[test]
    fn patterns_are_those_of_the_table() {
        let table = |width, unit: u32, rows: &[&str]| {
            let found: Vec<u16> = Puncturing::all(width).map(Puncturing::mask).collect();
            let of_row = |row: &&str| {
                let mut mask = 0;
                for (place, _) in row.chars().enumerate().filter(|(_, c)| *c == 'x') {
                    mask |= ((1_u16 << unit) - 1) << (place as u32 * unit);
                }
                mask
            };
            assert_eq!(found, rows.iter().map(of_row).collect::<Vec<_>>());
        };
        table(Width::Mhz80, 1, &["x111", "1x11", "11x1", "111x"]);
        let of_20 =
            ["x1111111", "1x111111", "11x11111", "111x1111", "1111x111", "11111x11", "111111x1", "1111111x"];
        let of_40 = ["xx111111", "11xx1111", "1111xx11", "111111xx"];
        table(Width::Mhz160, 1, &[of_20.as_slice(), of_40.as_slice()].concat());
        let low = ["xxx11111", "xx1x1111", "xx11x111", "xx111x11", "xx1111x1", "xx11111x"];
        let high = ["x11111xx", "1x1111xx", "11x111xx", "111x11xx", "1111x1xx", "11111xxx"];
        table(Width::Mhz320, 2, &[of_20.as_slice(), &of_40, &low, &high].concat());
    }

    /// `N_SD` and `N_SD,short` of the MRUs: 484+242; 996+484+242, 996+484; 3x996+484, 3x996, 2x996+484.
    #[test]
    fn subcarriers_of_multiple_resource_units() {
        let of = |width, value| {
            let this = Puncturing::of_value(width, value).expect("a pattern");
            [this.tones(), this.data_subcarriers(), this.quarter_subcarriers()]
        };
        assert_eq!(of(Width::Mhz80, 2), [726, 702, 180]);
        assert_eq!(of(Width::Mhz160, 5), [1722, 1682, 420]);
        assert_eq!(of(Width::Mhz160, 12), [1480, 1448, 360]);
        assert_eq!(of(Width::Mhz320, 1), [3472, 3408, 852]);
        assert_eq!(of(Width::Mhz320, 9), [2988, 2940, 732]);
        assert_eq!(of(Width::Mhz320, 24), [2476, 2428, 612]);
    }

    #[test]
    fn only_these_patterns_exist() {
        assert_eq!(Puncturing::of_mask(Width::Mhz80, 0b0011), None);
        assert_eq!(Puncturing::of_mask(Width::Mhz40, 0b01), None);
        assert_eq!(Puncturing::of_value(Width::Mhz160, 13), None);
        assert_eq!(Puncturing::of_mask(Width::Mhz320, 0x0f00), Puncturing::of_value(Width::Mhz320, 11));
    }
}
