//! Which subcarriers a resource unit has (IEEE 802.11ax-2021, Tables 27-7 to 27-9; IEEE 802.11be, 36.3.2.1).
//!
//! Every plan is symmetric: the RUs of the upper half are those of the lower half, mirrored. Wider channels are several of 80 MHz.

use super::{Allocation, Extent, Puncturing, ResourceUnit, RuSize};
use crate::phy::{Format, Width};

/// From one subcarrier of HE and EHT to the next: a sixteenth MHz and a quarter of that (IEEE 802.11ax-2021, Table 27-12).
pub const SUBCARRIER_SPACING_HZ: f64 = 78_125.0;
/// Subcarriers of 80 MHz.
const TRANSFORM_80_MHZ: i16 = 1024;
/// The most ranges of any allocation: two in each 80 MHz of 320 MHz.
const MOST_RANGES: usize = 8;

/// Subcarriers without a gap, counted from the centre of the channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToneRange {
    /// The lowest.
    pub first: i16,
    /// The highest.
    pub last: i16,
}

/// The subcarriers of an allocation, data and pilots, from the lowest on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tones {
    ranges: [ToneRange; MOST_RANGES],
    count: usize,
}

/// First tones of the RUs below the centre, by size up to 242 tones.
#[expect(clippy::struct_field_names, reason = "the names of sizes")]
struct LowerHalf {
    tones_26: &'static [i16],
    tones_52: &'static [i16],
    tones_106: &'static [i16],
    tones_242: &'static [i16],
}

/// Table 27-7, without the RUs around the centre (5 of 26 tones, and that of 242).
const HE_20_MHZ: LowerHalf = LowerHalf {
    tones_26: &[-121, -95, -68, -42],
    tones_52: &[-121, -68],
    tones_106: &[-122],
    tones_242: &[],
};

/// Table 27-8.
const HE_40_MHZ: LowerHalf = LowerHalf {
    tones_26: &[-243, -217, -189, -163, -136, -109, -83, -55, -29],
    tones_52: &[-243, -189, -109, -55],
    tones_106: &[-243, -109],
    tones_242: &[-244],
};

/// Table 27-9, without the RU of 26 tones around the centre.
const HE_80_MHZ: LowerHalf = LowerHalf {
    tones_26: &[
        -499, -473, -445, -419, -392, -365, -339, -311, -285, -257, -231, -203, -177, -150, -123, -97, -69,
        -43,
    ],
    tones_52: &[-499, -445, -365, -311, -257, -203, -123, -69],
    tones_106: &[-499, -365, -257, -123],
    tones_242: &[-500, -258],
};

/// IEEE 802.11be, 36.3.2.1: the 20 MHz at the centre have moved away from it, and the RU around it is gone.
const EHT_80_MHZ: LowerHalf = LowerHalf {
    tones_26: &[
        -499, -473, -445, -419, -392, -365, -339, -311, -285, -252, -226, -198, -172, -145, -118, -92, -64,
        -38,
    ],
    tones_52: &[-499, -445, -365, -311, -252, -198, -118, -64],
    tones_106: &[-499, -365, -252, -118],
    tones_242: &[-500, -253],
};

impl Tones {
    /// The ranges.
    pub fn ranges(&self) -> &[ToneRange] {
        &self.ranges[..self.count]
    }

    /// How many tones there are.
    pub fn len(&self) -> u32 {
        self.ranges().iter().map(|range| u32::from(range.last.abs_diff(range.first)) + 1).sum()
    }

    /// Whether there are none: the format has no such RU.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether some are in both, of one channel.
    pub fn overlap(&self, other: &Self) -> bool {
        self.ranges().iter().any(|a| other.ranges().iter().any(|b| a.first <= b.last && b.first <= a.last))
    }

    fn push(&mut self, first: i16, last: i16) {
        self.ranges[self.count] = ToneRange { first, last };
        self.count += 1;
    }

    fn push_around(&mut self, centre: i16, tones: &[ToneRange]) {
        for range in tones {
            self.push(centre + range.first, centre + range.last);
        }
    }
}

impl Allocation {
    /// The subcarriers of HE, or those of EHT. None where the format has no such RU: in EHT there is no 26-tone RU in the centre of 80
    /// MHz (IEEE 802.11be, 36.3.2.1).
    pub fn tones(self, format: Format) -> Tones {
        let width = self.width();
        match self.extent() {
            Extent::Whole => of_ru(ResourceUnit { size: RuSize::filling(width), index: 1 }, width, format),
            Extent::Ru(ru) => of_ru(ru, width, format),
            Extent::Punctured(puncturing) => left_of(puncturing, format),
        }
    }
}

fn left_of(puncturing: Puncturing, format: Format) -> Tones {
    let (width, used) = (puncturing.width(), puncturing.used());
    let mut tones = Tones::default();
    for segment in 0..width.mhz() / 80 {
        let used = used >> (4 * segment) & 0b1111;
        let sizes = match used {
            0b1111 => [(RuSize::Tones996, 1), (RuSize::Tones996, 0)],
            0b0111 => [(RuSize::Tones484, 1), (RuSize::Tones242, 3)],
            0b1011 => [(RuSize::Tones484, 1), (RuSize::Tones242, 4)],
            0b1101 => [(RuSize::Tones242, 1), (RuSize::Tones484, 2)],
            0b1110 => [(RuSize::Tones242, 2), (RuSize::Tones484, 2)],
            0b0011 => [(RuSize::Tones484, 1), (RuSize::Tones484, 0)],
            0b1100 => [(RuSize::Tones484, 2), (RuSize::Tones484, 0)],
            _ => continue,
        };
        for (size, index) in sizes.into_iter().filter(|(_, index)| *index > 0) {
            let of_80 = in_80_mhz(ResourceUnit { size, index }, format);
            tones.push_around(centre_of(segment, width), of_80.ranges());
        }
    }
    tones
}

fn of_ru(ru: ResourceUnit, width: Width, format: Format) -> Tones {
    match width {
        Width::Mhz20 => in_20_mhz(ru),
        Width::Mhz40 => in_40_mhz(ru),
        Width::Mhz80 => in_80_mhz(ru, format),
        _ => {
            let mut tones = Tones::default();
            let segments = (ru.size.subchannels() / 4).max(1);
            let in_segment = RuSize::count_in(ru.size, Width::Mhz80).max(1);
            let place = u32::from(ru.index) - 1;
            let of_80 = match segments {
                1 => ResourceUnit { index: (place % in_segment + 1) as u8, ..ru },
                _ => ResourceUnit { size: RuSize::Tones996, index: 1 },
            };
            let of_80 = in_80_mhz(of_80, format);
            let first = place / in_segment * segments;
            (first..first + segments).for_each(|s| tones.push_around(centre_of(s, width), of_80.ranges()));
            tones
        }
    }
}

/// Centre of the 80 MHz with this number, from the lowest on, in a wider channel.
const fn centre_of(segment: u32, width: Width) -> i16 {
    let segments = (width.mhz() / 80) as i16;
    (2 * segment as i16 + 1 - segments) * (TRANSFORM_80_MHZ / 2)
}

fn in_20_mhz(ru: ResourceUnit) -> Tones {
    match (ru.size, ru.index) {
        (RuSize::Tones26, 5) => around_the_centre(4, 16),
        (RuSize::Tones242, _) => around_the_centre(2, 122),
        _ => beside_the_centre(ru, Width::Mhz20, &HE_20_MHZ),
    }
}

fn in_40_mhz(ru: ResourceUnit) -> Tones {
    match ru.size {
        RuSize::Tones484 => around_the_centre(3, 244),
        _ => beside_the_centre(ru, Width::Mhz40, &HE_40_MHZ),
    }
}

fn in_80_mhz(ru: ResourceUnit, format: Format) -> Tones {
    let is_eht = matches!(format, Format::Eht);
    match ru.size {
        RuSize::Tones26 if ru.is_centre_of_80_mhz(Width::Mhz80) => {
            if is_eht {
                Tones::default()
            } else {
                around_the_centre(4, 16)
            }
        }
        RuSize::Tones484 => {
            // The two RUs of 242 tones, between which EHT has a gap.
            let mut tones = Tones::default();
            let ranges = if is_eht { [(-500, -259), (-253, -12)] } else { [(-500, -259), (-258, -17)] };
            match ru.index {
                1 => ranges.into_iter().for_each(|(first, last)| tones.push(first, last)),
                _ => ranges.into_iter().rev().for_each(|(first, last)| tones.push(-last, -first)),
            }
            tones
        }
        RuSize::Tones996 => around_the_centre(3, 500),
        _ => beside_the_centre(ru, Width::Mhz80, if is_eht { &EHT_80_MHZ } else { &HE_80_MHZ }),
    }
}

fn around_the_centre(least: i16, most: i16) -> Tones {
    let mut tones = Tones::default();
    tones.push(-most, -least);
    tones.push(least, most);
    tones
}

fn beside_the_centre(ru: ResourceUnit, width: Width, lower: &LowerHalf) -> Tones {
    let firsts = match ru.size {
        RuSize::Tones26 => lower.tones_26,
        RuSize::Tones52 => lower.tones_52,
        RuSize::Tones106 => lower.tones_106,
        _ => lower.tones_242,
    };
    let count = ru.size.count_in(width) as usize;
    let (place, length) = (usize::from(ru.index) - 1, ru.size.tones() as i16);
    let mut tones = Tones::default();
    if place < firsts.len() {
        tones.push(firsts[place], firsts[place] + length - 1);
    } else {
        let mirrored = firsts[count - 1 - place];
        tones.push(1 - mirrored - length, -mirrored);
    }
    tones
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_allocation(width: Width) -> Vec<Allocation> {
        let rus = RuSize::ALL.into_iter().flat_map(|size| Allocation::rus(width, size));
        rus.chain(Puncturing::all(width).map(Allocation::punctured)).collect()
    }

    const WIDTHS: [Width; 5] = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160, Width::Mhz320];

    #[test]
    fn every_allocation_has_its_number_of_tones() {
        for format in [Format::He, Format::Eht] {
            for this in WIDTHS.into_iter().flat_map(every_allocation) {
                let tones = this.tones(format);
                let is_gone = format == Format::Eht
                    && matches!(this.extent(), Extent::Ru(ru) if ru.is_centre_of_80_mhz(this.width()));
                assert_eq!(tones.len(), if is_gone { 0 } else { this.tone_count() }, "{format} {this}");
                assert_eq!(tones.is_empty(), is_gone);
                let edge = (this.width().mhz() as i16) * 64 / 10;
                assert!(tones.ranges().windows(2).all(|pair| pair[0].last < pair[1].first), "{this}");
                assert!(tones.ranges().iter().all(|r| -edge < r.first && r.last < edge), "{this}");
            }
        }
    }

    /// RUs of one size have no tone in common, and each lies in the subchannels that it is said to be in, but for the two tones by
    /// which some RUs of HE reach beyond an edge.
    #[test]
    fn rus_are_disjoint_and_where_they_should_be() {
        for (format, width) in [Format::He, Format::Eht].into_iter().flat_map(|f| WIDTHS.map(|w| (f, w))) {
            for size in RuSize::ALL {
                let all: Vec<Tones> = Allocation::rus(width, size).map(|ru| ru.tones(format)).collect();
                for (place, a) in all.iter().enumerate() {
                    assert!(all[..place].iter().all(|b| !a.overlap(b)), "{format} {width:?} {size:?}");
                }
            }
            for this in every_allocation(width) {
                let lowest = -(i32::from(width.mhz() as u16) * 64 / 10);
                let inside = |tone: i32| {
                    let part = |tone: i32| (tone - lowest) / 256;
                    [tone - 3, tone, tone + 3].iter().any(|&t| this.subchannels() >> part(t) & 1 == 1)
                };
                let tones = this.tones(format);
                let mut tones = tones.ranges().iter().flat_map(|r| r.first.into()..=r.last.into());
                assert!(tones.all(inside), "{format} {this}");
            }
        }
    }

    /// Rows of Tables 27-7 to 27-9 and of 36.3.2.1, one of each kind.
    #[test]
    fn ranges_are_those_of_the_tables() {
        let of = |format, width, size, index| {
            let tones = Allocation::ru(width, size, index).expect("an RU").tones(format);
            tones.ranges().iter().map(|r| (r.first, r.last)).collect::<Vec<_>>()
        };
        let he = |width, size, index| of(Format::He, width, size, index);
        let eht = |width, size, index| of(Format::Eht, width, size, index);
        assert_eq!(he(Width::Mhz20, RuSize::Tones26, 5), [(-16, -4), (4, 16)]);
        assert_eq!(he(Width::Mhz20, RuSize::Tones26, 9), [(96, 121)]);
        assert_eq!(he(Width::Mhz20, RuSize::Tones106, 2), [(17, 122)]);
        assert_eq!(he(Width::Mhz20, RuSize::Tones242, 1), [(-122, -2), (2, 122)]);
        assert_eq!(he(Width::Mhz40, RuSize::Tones26, 14), [(111, 136)]);
        assert_eq!(he(Width::Mhz40, RuSize::Tones52, 6), [(58, 109)]);
        assert_eq!(he(Width::Mhz40, RuSize::Tones484, 1), [(-244, -3), (3, 244)]);
        assert_eq!(he(Width::Mhz80, RuSize::Tones26, 19), [(-16, -4), (4, 16)]);
        assert_eq!(he(Width::Mhz80, RuSize::Tones26, 20), [(18, 43)]);
        assert_eq!(he(Width::Mhz80, RuSize::Tones106, 6), [(152, 257)]);
        assert_eq!(he(Width::Mhz80, RuSize::Tones242, 2), [(-258, -17)]);
        assert_eq!(he(Width::Mhz80, RuSize::Tones484, 2), [(17, 258), (259, 500)]);
        assert_eq!(he(Width::Mhz160, RuSize::Tones242, 5), [(12, 253)]);
        let whole = [(-1012, -515), (-509, -12), (12, 509), (515, 1012)];
        assert_eq!(he(Width::Mhz160, RuSize::Tones2x996, 1), whole);
        assert_eq!(eht(Width::Mhz80, RuSize::Tones26, 18), [(-38, -13)]);
        assert_eq!(eht(Width::Mhz80, RuSize::Tones52, 9), [(13, 64)]);
        assert_eq!(eht(Width::Mhz80, RuSize::Tones242, 3), [(12, 253)]);
        assert_eq!(eht(Width::Mhz80, RuSize::Tones484, 1), [(-500, -259), (-253, -12)]);
        assert_eq!(eht(Width::Mhz320, RuSize::Tones106, 1), [(-2035, -1930)]);
        let punctured = Puncturing::of_mask(Width::Mhz80, 0b0010).expect("a pattern");
        let left = Allocation::punctured(punctured).tones(Format::Eht);
        let left: Vec<_> = left.ranges().iter().map(|r| (r.first, r.last)).collect();
        assert_eq!(left, [(-500, -259), (12, 253), (259, 500)]);
    }
}
