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

/// Resource units of one size for as many of these stations as have room beside so many random access RUs, which come after them: at least
/// for one, if there is one. Where random ones are more than go into what equal parts leave, the size is smaller, and some are not used.
pub(crate) fn rus_beside_random(
    width: Width,
    stations: usize,
    random: usize,
) -> impl Iterator<Item = Allocation> {
    let least = random + stations.min(1);
    // Beyond the resource units of the smallest size no number has more.
    let smallest = of_size(width, RuSize::Tones26).count();
    let is_enough = |&count: &usize| equal_rus(width, count).count() >= least;
    let count = (random + stations..smallest.max(random + stations)).find(is_enough).unwrap_or(smallest);
    equal_rus(width, count).take(random + stations)
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

    /// One station and one RA-RU have halves, one and two have three of four quarters; of four stations beside one RA-RU three have a place.
    #[test]
    fn random_access_has_its_place() {
        let of = |width, stations, random| {
            let rus = rus_beside_random(width, stations, random).collect::<Vec<_>>();
            format!("{} of {}", rus.len(), rus.first().map_or(0, |ru| ru.tone_count()))
        };
        let of_20 = |stations, random| of(Width::Mhz20, stations, random);
        assert_eq!([of_20(0, 1), of_20(0, 2), of_20(0, 3)], ["1 of 242", "2 of 106", "3 of 52"]);
        assert_eq!([of_20(1, 1), of_20(1, 2), of_20(2, 2)], ["2 of 106", "3 of 52", "4 of 52"]);
        assert_eq!([of_20(4, 1), of_20(4, 4), of_20(4, 8)], ["4 of 52", "8 of 26", "9 of 26"]);
        assert_eq!([of_20(1, 8), of_20(9, 1), of_20(20, 5)], ["9 of 26", "9 of 26", "9 of 26"]);
        assert_eq!([of(Width::Mhz80, 4, 4), of(Width::Mhz40, 0, 17)], ["8 of 106", "17 of 26"]);
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
