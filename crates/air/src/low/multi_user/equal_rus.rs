//! Resource units of one size for all stations of a PPDU.

use crate::phy::{Allocation, Extent, RuSize, Width};

/// For so many stations, resource units of the largest size of which the width has enough. They are fewer if it has not as many of the
/// smallest. The 26-tone RUs in the centres of 80 MHz, which lie between those of 20 MHz, are not used.
pub(crate) fn equal_rus(width: Width, stations: usize) -> impl Iterator<Item = Allocation> {
    let has_enough = |size: &RuSize| of_size(width, *size).count() >= stations;
    let size = RuSize::ALL.into_iter().rev().find(has_enough).unwrap_or(RuSize::Tones26);
    of_size(width, size).take(stations)
}

fn of_size(width: Width, size: RuSize) -> impl Iterator<Item = Allocation> {
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
        [1, 2, 3, 4, 5, 9, 16, 36, 40].map(name).to_vec()
    }

    /// IEEE 802.11ax-2021, Table 27-6: 20 MHz has 2, 4 and 9 RUs below its own, 40 MHz 2, 4, 8 and 18, 80 MHz 2, 4, 8, 16 and 36.
    #[test]
    fn the_largest_size_with_enough_of_them() {
        let of_20 = ["whole", "2x106", "3x52", "4x52", "5x26", "9x26", "9x26", "9x26", "9x26"];
        assert_eq!(sizes(Width::Mhz20), of_20);
        let of_40 = ["whole", "2x242", "3x106", "4x106", "5x52", "9x26", "16x26", "18x26", "18x26"];
        assert_eq!(sizes(Width::Mhz40), of_40);
        let of_80 = ["whole", "2x484", "3x242", "4x242", "5x106", "9x52", "16x52", "36x26", "36x26"];
        assert_eq!(sizes(Width::Mhz80), of_80);
    }

    #[test]
    fn the_centre_is_left_out() {
        let indices: Vec<_> = equal_rus(Width::Mhz80, 20)
            .map(|allocation| match allocation.extent() {
                Extent::Ru(ru) => ru.index,
                _ => 0,
            })
            .collect();
        assert_eq!(indices, (1..=18).chain(20..=21).collect::<Vec<_>>());
    }
}
