//! The order in which legacy Minstrel samples rates.

use crate::random::Stream;

/// Random orders of all rates, one after another (Linux: `SAMPLE_COLUMNS`).
const COLUMNS: usize = 10;

/// Ten random orders of the rates, walked through again and again.
#[derive(Clone, Debug)]
pub(super) struct SampleTable {
    /// Column after column.
    places: Vec<u8>,
    next: usize,
}

impl SampleTable {
    /// A table of so many rates.
    pub(super) fn new(rates: usize, rng: &mut Stream) -> Self {
        let mut places: Vec<u8> = (0..COLUMNS).flat_map(|_| 0..rates as u8).collect();
        for column in places.chunks_mut(rates) {
            for last in (1..rates).rev() {
                column.swap(last, below(last + 1, rng));
            }
        }
        Self { places, next: 0 }
    }

    /// The next rate.
    #[inline]
    pub(super) fn next(&mut self) -> usize {
        let place = self.places[self.next];
        self.next = (self.next + 1) % self.places.len();
        usize::from(place)
    }
}

/// Uniform over `0..count`.
#[inline]
pub(super) fn below(count: usize, rng: &mut Stream) -> usize {
    (rng.unit() * count as f64) as usize
}

#[cfg(test)]
mod tests {
    use airtcp_plan::MacAddress;

    use super::*;
    use crate::random::Purpose;

    #[test]
    fn every_column_has_every_rate_once() {
        let mut rng = Stream::new(5, Purpose::Backoff, MacAddress([2; 6]), MacAddress([4; 6]));
        let mut table = SampleTable::new(8, &mut rng);
        let columns: Vec<Vec<usize>> =
            (0..2 * COLUMNS).map(|_| (0..8).map(|_| table.next()).collect()).collect();
        for column in &columns {
            let mut sorted = column.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..8).collect::<Vec<_>>());
        }
        assert_ne!(columns[0], columns[1]);
        assert_eq!(columns[..COLUMNS], columns[COLUMNS..]);
    }
}
