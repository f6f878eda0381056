//! What part of a channel a PPDU, or one of its users, fills.

use std::fmt;

use super::{Puncturing, RuSize};
use crate::phy::Width;

/// What the data field of a PPDU fills, or the part of one user: the whole width, a resource unit (RU) of it, or what puncturing leaves.
///
/// It is two octets, since every mode and every PPDU on the air has one: three bits of width, four of kind, eight of place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Allocation(u16);

/// What an [`Allocation`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The whole width.
    Whole,
    /// A resource unit smaller than the width.
    Ru(ResourceUnit),
    /// The width less punctured subchannels.
    Punctured(Puncturing),
}

/// A resource unit within a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceUnit {
    /// Its size.
    pub size: RuSize,
    /// Its number among those of its size in the width, from 1 at the lowest frequency on: the RU index of IEEE 802.11ax-2021, Tables
    /// 27-7 to 27-9, which goes on in the next 80 MHz.
    pub index: u8,
}

/// What an allocation's subcarriers are counted by.
#[derive(Clone, Copy)]
enum Filled {
    By(RuSize),
    ByParts(Puncturing),
}

const WIDTH_BITS: u32 = 3;
const KIND_BITS: u32 = 4;
const WIDTH: u16 = (1 << WIDTH_BITS) - 1;
const KIND: u16 = (1 << KIND_BITS) - 1;
/// The kind of a whole width; those of RUs follow in the order of sizes.
const WHOLE: u16 = 0;
const PUNCTURED: u16 = KIND;

impl Allocation {
    /// A whole width.
    #[inline]
    pub const fn whole(width: Width) -> Self {
        Self(width as u16)
    }

    /// A resource unit of a width; `None`: the width has no such RU. An RU that fills the width is the whole width.
    pub const fn ru(width: Width, size: RuSize, index: u8) -> Option<Self> {
        if matches!(width, Width::Mhz2160) || index == 0 || index as u32 > size.count_in(width) {
            return None;
        }
        if size as u8 == RuSize::filling(width) as u8 {
            return Some(Self::whole(width));
        }
        Some(Self::new(width, size as u16 + 1, index))
    }

    /// A punctured width.
    pub const fn punctured(puncturing: Puncturing) -> Self {
        Self::new(puncturing.width(), PUNCTURED, puncturing.value())
    }

    const fn new(width: Width, kind: u16, place: u8) -> Self {
        Self(width as u16 | kind << WIDTH_BITS | (place as u16) << 8)
    }

    /// Every RU of a size in a width.
    pub fn rus(width: Width, size: RuSize) -> impl Iterator<Item = Self> {
        (1..=size.count_in(width)).filter_map(move |index| Self::ru(width, size, index as u8))
    }

    /// Width of the channel that it is in.
    #[inline]
    pub const fn width(self) -> Width {
        match self.0 & WIDTH {
            0 => Width::Mhz20,
            1 => Width::Mhz40,
            2 => Width::Mhz80,
            3 => Width::Mhz160,
            4 => Width::Mhz320,
            _ => Width::Mhz2160,
        }
    }

    /// Whether it is the whole width.
    #[inline]
    pub const fn is_whole(self) -> bool {
        self.0 <= WIDTH
    }

    /// What it is.
    pub const fn extent(self) -> Extent {
        let (kind, place) = (self.0 >> WIDTH_BITS & KIND, (self.0 >> 8) as u8);
        match kind {
            WHOLE => Extent::Whole,
            PUNCTURED => match Puncturing::of_value(self.width(), place) {
                Some(puncturing) => Extent::Punctured(puncturing),
                None => Extent::Whole,
            },
            _ => Extent::Ru(ResourceUnit { size: RuSize::ALL[kind as usize - 1], index: place }),
        }
    }

    /// The RU that has as many subcarriers, or the pattern of those that are punctured.
    #[inline]
    const fn filled(self) -> Filled {
        if self.is_whole() {
            return Filled::By(RuSize::filling(self.width()));
        }
        match self.extent() {
            Extent::Ru(ru) => Filled::By(ru.size),
            Extent::Punctured(puncturing) => Filled::ByParts(puncturing),
            Extent::Whole => Filled::By(RuSize::filling(self.width())),
        }
    }

    /// Tones, data and pilots.
    pub const fn tone_count(self) -> u32 {
        match self.filled() {
            Filled::By(size) => size.tones(),
            Filled::ByParts(puncturing) => puncturing.tones(),
        }
    }

    /// Data subcarriers, `N_SD`.
    #[inline]
    pub const fn data_subcarriers(self) -> u32 {
        if self.is_whole() {
            return RuSize::filling(self.width()).data_subcarriers();
        }
        self.data_subcarriers_of_part()
    }

    #[inline(never)]
    const fn data_subcarriers_of_part(self) -> u32 {
        match self.filled() {
            Filled::By(size) => size.data_subcarriers(),
            Filled::ByParts(puncturing) => puncturing.data_subcarriers(),
        }
    }

    /// Data subcarriers of a quarter of a symbol, `N_SD,short`.
    #[inline]
    pub const fn quarter_subcarriers(self) -> u32 {
        if self.is_whole() {
            return RuSize::filling(self.width()).quarter_subcarriers();
        }
        self.quarter_subcarriers_of_part()
    }

    #[inline(never)]
    const fn quarter_subcarriers_of_part(self) -> u32 {
        match self.filled() {
            Filled::By(size) => size.quarter_subcarriers(),
            Filled::ByParts(puncturing) => puncturing.quarter_subcarriers(),
        }
    }

    /// Highest MCS that every receiver has in it: below 242 tones 1024-QAM and 4096-QAM are options (IEEE 802.11ax-2021, 9.4.2.248.3),
    /// which are not modelled.
    pub const fn max_index(self) -> u8 {
        const FASTEST_256_QAM: u8 = 9;
        if self.is_whole() || self.tone_count() >= RuSize::Tones242.tones() {
            return u8::MAX;
        }
        FASTEST_256_QAM
    }

    /// A bit for each 20 MHz of the width in which it has tones, the lowest first. The preamble of an HE TB or EHT TB PPDU is sent
    /// there (IEEE 802.11ax-2021, 27.3.11.2). Of the few tones that some RUs of HE have beyond the edge of their 20 MHz, none counts.
    pub const fn subchannels(self) -> u16 {
        match self.extent() {
            Extent::Whole => ((1_u32 << (self.width().mhz() / 20)) - 1) as u16,
            Extent::Punctured(puncturing) => puncturing.used(),
            Extent::Ru(ru) => ru.subchannels(self.width()),
        }
    }
}

impl ResourceUnit {
    /// Whether it is the 26-tone RU in the centre of 80 MHz.
    pub const fn is_centre_of_80_mhz(self, width: Width) -> bool {
        width.mhz() >= 80 && matches!(self.size, RuSize::Tones26) && self.index % 37 == 19
    }

    const fn subchannels(self, width: Width) -> u16 {
        let place = self.index as u32 - 1;
        let (first, count) = match self.size {
            RuSize::Tones26 if width.mhz() >= 80 => match place % 37 {
                18 => (place / 37 * 4 + 1, 2),
                lower @ 0..18 => (place / 37 * 4 + lower / 9, 1),
                upper => (place / 37 * 4 + (upper - 1) / 9, 1),
            },
            RuSize::Tones26 => (place / 9, 1),
            RuSize::Tones52 => (place / 4, 1),
            RuSize::Tones106 => (place / 2, 1),
            size => (place * size.subchannels(), size.subchannels()),
        };
        (((1_u32 << count) - 1) << first) as u16
    }
}

impl fmt::Display for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mhz = self.width().mhz();
        match self.extent() {
            Extent::Whole => write!(f, "{mhz} MHz"),
            Extent::Ru(ResourceUnit { size, index }) => write!(f, "RU {size}/{index} of {mhz} MHz"),
            Extent::Punctured(puncturing) => write!(f, "{mhz} MHz punctured {:#x}", puncturing.mask()),
        }
    }
}

impl fmt::Debug for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl From<Width> for Allocation {
    fn from(width: Width) -> Self {
        Self::whole(width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ru(width: Width, size: RuSize, index: u8) -> Allocation {
        Allocation::ru(width, size, index).expect("an RU")
    }

    #[test]
    fn an_allocation_is_what_it_was_made_of() {
        assert_eq!(size_of::<Allocation>(), 2);
        for width in Width::ALL {
            let whole = Allocation::whole(width);
            assert_eq!((whole.width(), whole.extent()), (width, Extent::Whole));
            for size in RuSize::ALL {
                for (place, this) in Allocation::rus(width, size).enumerate() {
                    assert_eq!(this.width(), width);
                    let index = place as u8 + 1;
                    let is_whole = size == RuSize::filling(width);
                    let expected =
                        if is_whole { Extent::Whole } else { Extent::Ru(ResourceUnit { size, index }) };
                    assert_eq!(this.extent(), expected);
                    assert_eq!(this.data_subcarriers(), size.data_subcarriers());
                    assert_eq!(this.tone_count(), size.tones());
                }
                let none = [0, size.count_in(width) as u8 + 1];
                assert_eq!(none.map(|index| Allocation::ru(width, size, index)), [None; 2]);
            }
            for puncturing in Puncturing::all(width) {
                let this = Allocation::punctured(puncturing);
                assert_eq!((this.width(), this.extent()), (width, Extent::Punctured(puncturing)));
                assert_eq!(this.subchannels(), puncturing.used());
            }
        }
    }

    #[test]
    fn rus_are_in_these_subchannels() {
        let cases = [
            (ru(Width::Mhz20, RuSize::Tones26, 5), 0b1),
            (ru(Width::Mhz40, RuSize::Tones26, 9), 0b01),
            (ru(Width::Mhz40, RuSize::Tones26, 10), 0b10),
            (ru(Width::Mhz80, RuSize::Tones26, 18), 0b0010),
            (ru(Width::Mhz80, RuSize::Tones26, 19), 0b0110),
            (ru(Width::Mhz80, RuSize::Tones26, 20), 0b0100),
            (ru(Width::Mhz80, RuSize::Tones26, 28), 0b0100),
            (ru(Width::Mhz80, RuSize::Tones26, 29), 0b1000),
            (ru(Width::Mhz160, RuSize::Tones26, 37), 0b1000),
            (ru(Width::Mhz160, RuSize::Tones26, 38), 0b1_0000),
            (ru(Width::Mhz160, RuSize::Tones26, 56), 0b110_0000),
            (ru(Width::Mhz320, RuSize::Tones26, 148), 0x8000),
            (ru(Width::Mhz160, RuSize::Tones52, 9), 0b100),
            (ru(Width::Mhz160, RuSize::Tones106, 16), 0b1000_0000),
            (ru(Width::Mhz80, RuSize::Tones242, 3), 0b100),
            (ru(Width::Mhz80, RuSize::Tones484, 2), 0b1100),
            (ru(Width::Mhz320, RuSize::Tones996, 2), 0x00f0),
            (ru(Width::Mhz320, RuSize::Tones2x996, 2), 0xff00),
            (Allocation::whole(Width::Mhz320), 0xffff),
        ];
        for (this, subchannels) in cases {
            assert_eq!(this.subchannels(), subchannels, "{this}");
        }
    }

    #[test]
    fn names() {
        let punctured = Puncturing::of_mask(Width::Mhz160, 0b1100).expect("a pattern");
        let names = [
            Allocation::whole(Width::Mhz80),
            ru(Width::Mhz80, RuSize::Tones26, 19),
            ru(Width::Mhz320, RuSize::Tones2x996, 1),
            Allocation::punctured(punctured),
        ];
        let names = names.map(|this| this.to_string());
        assert_eq!(names, ["80 MHz", "RU 26/19 of 80 MHz", "RU 2x996/1 of 320 MHz", "160 MHz punctured 0xc"]);
    }
}
