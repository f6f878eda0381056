//! Stations in resource units in proportion to what each needs, so that their PSDUs end at about the same time.
//!
//! How a width is divided among given stations is in [`super::ru_division`]. How many it is divided among: among the first 1, 2, 3...
//! in the order of their turns a number is as good as the time that the PPDU saves, which is what its data would take in PPDUs for each
//! alone over what it takes together, with [`EXCHANGE`] for each PPDU. No PPDU is longer than 5.484 ms; what does not fit waits, and of a
//! PPDU alone only the part counts that is carried. The largest number is served that is at least [`GOOD_ENOUGH`] tenths as good as the
//! best. That may be one: beside a station with much, one with little leaves half of the width empty. A number is out of question if a
//! first frame does not fit into its resource unit.
//!
//! A trigger frame asks stations in the same way, by what they have reported.

use airtcp_units::Duration;

use super::ru_division::{Divider, Division, Share};
use super::scheduler::{Candidate, Scheduler};
use crate::phy::Allocation;

/// What an exchange takes beside its data: in 11ax AIFS and half of the first contention window 110 us, preamble 43 us, SIFS 16 us and
/// a `BlockAck` of 32 us.
const EXCHANGE: Duration = Duration::from_micros(200);

/// Tenths of the best that are good enough, since a station that is left over waits for all of the PPDU. With eight tenths full PPDUs of
/// 80 MHz at MCS 11 would be for six stations, four of them with 106 tones, which have no 1024-QAM.
const GOOD_ENOUGH: u128 = 9;

/// Shares by need.
#[derive(Debug)]
pub(super) struct Proportional {
    stations: u32,
    divider: Divider,
    /// What each number of stations saves; kept for its memory.
    savings: Vec<Saving>,
}

/// What the data of a PPDU would take in PPDUs for each station alone, and what it takes together.
#[derive(Clone, Copy, Debug)]
struct Saving {
    apart: Duration,
    together: Duration,
}

impl Proportional {
    /// One with this many stations in a PPDU at most.
    pub(super) const fn new(stations: u32) -> Self {
        Self { stations, divider: Divider::new(), savings: Vec::new() }
    }

    /// How many stations are served.
    fn count(&mut self, candidates: &[Candidate]) -> usize {
        self.savings.clear();
        for count in 1..=candidates.len() {
            let served = &candidates[..count];
            let Some(division) = self.divider.divide(served) else { break };
            self.savings.push(Saving::of(served, division));
        }
        let best = self.savings.iter().copied().reduce(Saving::better);
        let is_enough = |one: &Saving| best.is_some_and(|best| one.is_good_enough(best));
        self.savings.iter().rposition(is_enough).map_or(1, |last| last + 1)
    }
}

impl Scheduler for Proportional {
    fn most_stations(&self) -> usize {
        self.stations as usize
    }

    fn weighs_backlogs(&self) -> bool {
        true
    }

    fn share(&mut self, candidates: &[Candidate], rus: &mut Vec<Allocation>) {
        let Some(first) = candidates.first() else { return };
        let count = self.count(candidates);
        if let Some(division) = self.divider.divide(&candidates[..count]) {
            division.place(first.tx.width(), rus);
        }
    }

    fn share_uplink(&mut self, candidates: &[Candidate], rus: &mut Vec<Allocation>) {
        self.share(candidates, rus);
    }
}

impl Saving {
    /// Nobody would be served so.
    const NOTHING: Self = Self { apart: Duration::ZERO, together: EXCHANGE };

    fn of(served: &[Candidate], division: &Division) -> Self {
        let limit = served[0].tx.max_ppdu_duration().unwrap_or_else(|| division.longest());
        let has_room =
            |(one, share): (&Candidate, Share)| one.time_of_first_in(share.size) + EXCHANGE <= limit;
        if served.len() > 1 && !served.iter().zip(division.shares()).all(has_room) {
            return Self::NOTHING;
        }
        let apart = served.iter().zip(division.shares()).map(|(one, share)| {
            let (alone, lasts) = (one.time(), share.time);
            let carried = if lasts <= limit { alone } else { part_of(alone, limit, lasts) };
            // Alone, what is carried here would be a part of a PPDU with all, or with as much as fits.
            carried + part_of(EXCHANGE, carried, alone.min(limit))
        });
        Self {
            apart: apart.fold(Duration::ZERO, |sum, one| sum + one),
            together: EXCHANGE + division.longest().min(limit),
        }
    }

    /// The one of two that saves more; of equal ones the first.
    fn better(self, other: Self) -> Self {
        if other.times(self) > self.times(other) { other } else { self }
    }

    fn is_good_enough(self, best: Self) -> bool {
        self.apart > Duration::ZERO && 10 * self.times(best) >= GOOD_ENOUGH * best.times(self)
    }

    /// One quotient is larger than the other if this is.
    fn times(self, other: Self) -> u128 {
        u128::from(self.apart.as_nanos()) * u128::from(other.together.as_nanos())
    }
}

/// As much of a time as one is of another.
fn part_of(time: Duration, one: Duration, other: Duration) -> Duration {
    let nanos =
        u128::from(time.as_nanos()) * u128::from(one.as_nanos()) / u128::from(other.as_nanos().max(1));
    Duration::from_nanos(nanos as u64)
}

#[cfg(test)]
mod tests {
    use super::super::questions::{decide, decide_uplink, names, of_octets};
    use super::*;
    use crate::phy::Width;

    fn served(mcs: u8, octets: &[u64]) -> usize {
        decide(&mut Proportional::new(74), &of_octets(mcs, Width::Mhz20, octets)).len()
    }

    /// 20 MHz, MCS 7: 86.03 Mbit/s, with 106 tones 37.5, with 52 tones 17.65. Three with 100 us of data: apart 900 us, together 100 us * 1170
    /// / 240 + 200 us = 688 us; two of them 600 us and 429 us, which is 1.07 times as good. Three with 1 ms: apart 3600 us, together 5075
    /// us; two 2400 us and 2494 us, one alone is the best.
    #[test]
    fn a_third_is_served_if_that_is_good_enough() {
        assert_eq!(served(7, &[1_075; 3]), 3);
        assert_eq!(served(7, &[10_753; 3]), 2);
    }

    /// 5.6 ms beside 0.1 ms: what fits into 5.484 ms of 106 tones takes 2390 us alone, and its part of an exchange 87 us; apart 2777 us,
    /// together 5684 us.
    #[test]
    fn much_beside_little_is_not_good_enough() {
        assert_eq!([served(7, &[60_000, 1_075]), served(7, &[1_075, 60_000])], [1, 1]);
        // The station with little shares with others that have little.
        assert_eq!(served(7, &[1_075, 1_075, 60_000, 1_075]), 2);
    }

    /// Full PPDUs save nothing, and cost the tones without data: two with 102 of 234 subcarriers have 0.87 of what one has, four with 48
    /// 0.82. Nine with 24 have 0.92, which is good enough.
    #[test]
    fn full_ppdus_are_shared_if_few_tones_are_lost() {
        assert_eq!([2, 4, 9, 12].map(|stations| served(7, &vec![1_000_000; stations])), [1, 1, 9, 9]);
    }

    /// 80 MHz, MCS 11, full PPDUs: four with 234 of 980 subcarriers have 0.955 of what one has. Five have 0.88, as two have 102 then and MCS 9,
    /// which is 0.8 of the rate; eight 0.67.
    #[test]
    fn small_resource_units_without_1024_qam_cost_too_much() {
        let candidates = of_octets(11, Width::Mhz80, &[10_000_000; 8]);
        assert_eq!(decide(&mut Proportional::new(8), &candidates).len(), 4);
    }

    /// MCS 0 has 51 bits in 13.6 us of 106 tones and 24 of 52: 1508 octets take 3.2 ms and 6.8 ms.
    #[test]
    fn first_frames_have_room() {
        assert_eq!(served(0, &[1_508; 9]), 2);
    }

    /// 80 MHz, MCS 7: 360 Mbit/s, so 44, 44, 89 and 178 us alone. With 102, 102, 234 and 468 of 980 subcarriers they take 427, 427, 372 and
    /// 372 us. Apart 1155 us, together 627 us: 1.84, and three of them 2.01. A fifth with 355 us would leave two with 48 subcarriers, which
    /// take 907 us: 1.54, which is not good enough.
    #[test]
    fn resource_units_are_by_need() {
        let candidates = of_octets(7, Width::Mhz80, &[2_000, 2_000, 4_000, 8_000, 16_000]);
        let expected = ["106/7", "106/8", "242/3", "484/1"].map(|ru| format!("RU {ru} of 80 MHz"));
        assert_eq!(names(&decide(&mut Proportional::new(8), &candidates)), expected);
        assert_eq!(names(&decide_uplink(&mut Proportional::new(8), &candidates)), expected);
    }
}
