//! Places of links in dense tables.

use airtcp_plan::MacAddress;

/// The place of a pair of different NICs, whichever comes first: pairs of the first n NICs fill `0..n (n - 1) / 2`.
#[inline]
pub(super) fn unordered(a: usize, b: usize) -> usize {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high * (high - 1) / 2 + low
}

/// How many pairs there are among this many NICs.
pub(super) fn count(nics: usize) -> usize {
    nics * nics.saturating_sub(1) / 2
}

/// The addresses of a pair in an order that does not depend on the places of the NICs in the plan.
pub(super) fn addresses(nics: &[MacAddress], a: usize, b: usize) -> [MacAddress; 2] {
    let [x, y] = [nics[a], nics[b]];
    if x.0 <= y.0 { [x, y] } else { [y, x] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_fill_a_table_once() {
        let mut places: Vec<usize> = (0..20).flat_map(|b| (0..b).map(move |a| unordered(a, b))).collect();
        assert!((0..20).all(|b| (0..b).all(|a| unordered(a, b) == unordered(b, a))));
        places.sort_unstable();
        assert_eq!(places, (0..count(20)).collect::<Vec<_>>());
        assert_eq!([count(0), count(1)], [0, 0]);
    }
}
