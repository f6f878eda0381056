//! Resource units of one size for all stations of a PPDU.

use crate::phy::{Allocation, Extent, RuSize, Width};

/// Resource units of the smallest size of which the width has no more than so many stations, as in ns-3: 3 stations in 20 MHz are not
/// served with 52 tones each, but two of them with 106. The 26-tone RUs in the centres of 80 MHz, which lie between those of 20 MHz, are
/// not used.
pub(crate) fn equal_rus(width: Width, stations: usize) -> impl Iterator<Item = Allocation> {
    let all_are_used = |size: &RuSize| (1..=stations).contains(&of_size(width, *size).count());
    let size = RuSize::ALL.into_iter().find(all_are_used);
    size.into_iter().flat_map(move |size| of_size(width, size))
}

/// Resource units of a size, but for those in the centres of 80 MHz.
pub(super) fn of_size(width: Width, size: RuSize) -> impl Iterator<Item = Allocation> {
    let is_beside_centre = move |allocation: &Allocation| match allocation.extent() {
        Extent::Ru(ru) => !ru.is_centre_of_80_mhz(width),
        _ => true,
    };
    Allocation::rus(width, size).filter(is_beside_centre)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(width: Width) -> Vec<String> {
        let name = |stations: usize| match equal_rus(width, stations).next().expect("one").extent() {
            Extent::Ru(ru) => format!("{}x{}", equal_rus(width, stations).count(), ru.size),
            _ => "whole".to_owned(),
        };
        [1, 2, 3, 4, 5, 8, 9, 16, 36, 40].map(name).to_vec()
    }

    /// IEEE 802.11ax-2021, Table 27-6: 20 MHz has 2, 4 and 9 RUs below its own, 40 MHz 2, 4, 8 and 18, 80 MHz 2, 4, 8, 16 and 36. ns-3
    /// 3.44 serves as many, with the same RUs, for 2 to 16 stations.
    #[test]
    fn the_smallest_size_of_which_all_are_used() {
        let of_20 = ["whole", "2x106", "2x106", "4x52", "4x52", "4x52", "9x26", "9x26", "9x26", "9x26"];
        assert_eq!(sizes(Width::Mhz20), of_20);
        let of_40 = ["whole", "2x242", "2x242", "4x106", "4x106", "8x52", "8x52", "8x52", "18x26", "18x26"];
        assert_eq!(sizes(Width::Mhz40), of_40);
        let of_80 =
            ["whole", "2x484", "2x484", "4x242", "4x242", "8x106", "8x106", "16x52", "36x26", "36x26"];
        assert_eq!(sizes(Width::Mhz80), of_80);
        assert_eq!(equal_rus(Width::Mhz20, 0).count(), 0);
    }

    #[test]
    fn the_centre_is_left_out() {
        let indices: Vec<_> = equal_rus(Width::Mhz80, 36)
            .map(|allocation| match allocation.extent() {
                Extent::Ru(ru) => ru.index,
                _ => 0,
            })
            .collect();
        assert_eq!(indices, (1..=18).chain(20..=37).collect::<Vec<_>>());
    }
}
