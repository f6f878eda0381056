//! Resource units of unequal size beside each other: the leaves of a tree of halves.
//!
//! ```text
//!   width - ... - 484 - 242 - 106 - 52 - 26
//!                            '- a 26 in the centre, beside the two halves
//! ```
//! A half is a resource unit of the next smaller size. 242 tones have two halves of 106 and, between them, 26 more (IEEE 802.11ax-2021,
//! Figures 27-5 to 27-7). The 26 tones in the centre of 80 MHz, which EHT has not, are not used.

use super::equal_rus::of_size;
use crate::phy::{Allocation, RuSize, Width};

/// Leaves of 26 tones in a resource unit, those in centres not counted. All sizes are powers of two, and so is the width.
pub(super) const fn leaves(size: RuSize) -> u32 {
    1 << size as u32
}

/// Leaves of 26 tones in 20 MHz, those in centres not counted.
const LEAVES_OF_20_MHZ: u32 = leaves(RuSize::Tones242);
/// Leaves of 26 tones in 20 MHz, and how many of them come before the one in the centre.
const WITH_CENTRE: u32 = LEAVES_OF_20_MHZ + 1;
const BEFORE_CENTRE: u32 = LEAVES_OF_20_MHZ / 2;

/// The resource unit of a size that begins with this leaf. It must be aligned: the leaf is a multiple of its leaves.
pub(super) fn beginning_at(width: Width, size: RuSize, leaf: u32) -> Option<Allocation> {
    if size == RuSize::Tones26 {
        let (subchannel, place) = (leaf / LEAVES_OF_20_MHZ, leaf % LEAVES_OF_20_MHZ);
        let after_centre = u32::from(place >= BEFORE_CENTRE);
        return of_size(width, size).nth((subchannel * WITH_CENTRE + place + after_centre) as usize);
    }
    Allocation::ru(width, size, (leaf / leaves(size) + 1) as u8)
}

/// The 26 tones in the centre of a 20 MHz subchannel, the lowest first.
pub(super) fn centre(width: Width, subchannel: u32) -> Option<Allocation> {
    of_size(width, RuSize::Tones26).nth((subchannel * WITH_CENTRE + BEFORE_CENTRE) as usize)
}

/// Subchannels of 20 MHz without a centre between resource units of these sizes.
pub(super) fn undivided_subchannels(sizes: impl Iterator<Item = RuSize>) -> u32 {
    sizes.filter(|&size| size >= RuSize::Tones242).map(RuSize::subchannels).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::Format;

    /// A leaf has its tones within those of every resource unit that begins there, in every width.
    #[test]
    fn leaves_are_where_they_belong() {
        for width in [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160, Width::Mhz320] {
            for size in RuSize::ALL.into_iter().filter(|&size| size <= RuSize::filling(width)) {
                let all = leaves(RuSize::filling(width));
                for first in (0..all).step_by(leaves(size) as usize) {
                    let ru = beginning_at(width, size, first).expect("an RU").tones(Format::He);
                    for leaf in 0..all {
                        let of_leaf = beginning_at(width, RuSize::Tones26, leaf).expect("an RU");
                        let is_within = (first..first + leaves(size)).contains(&leaf);
                        assert_eq!(
                            ru.overlap(&of_leaf.tones(Format::He)),
                            is_within,
                            "{size} {first} {leaf}"
                        );
                    }
                    for subchannel in 0..width.mhz() / 20 {
                        let centre = centre(width, subchannel).expect("an RU").tones(Format::He);
                        let is_within = size >= RuSize::Tones242
                            && (first..first + leaves(size)).contains(&(subchannel * LEAVES_OF_20_MHZ));
                        assert_eq!(ru.overlap(&centre), is_within, "{size} {first} {subchannel}");
                    }
                }
            }
        }
    }

    #[test]
    fn centres_are_between_small_resource_units() {
        let of = |sizes: &[RuSize]| undivided_subchannels(sizes.iter().copied());
        assert_eq!(of(&[RuSize::Tones484, RuSize::Tones242, RuSize::Tones106, RuSize::Tones106]), 3);
        assert_eq!(of(&[RuSize::Tones26; 32]), 0);
        assert_eq!(of(&[RuSize::Tones996]), 4);
    }
}
