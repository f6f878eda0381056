//! Resource units of unequal size for stations of unequal need: those with which all PSDUs end earliest.
//!
//! What a station needs is the time that all octets that wait for it take in its mode and the whole width, without preamble. In a
//! resource unit they take longer, as the data rate there is lower.
//!
//! **Sizes.** Sizes are powers of two of a leaf of 26 tones ([`super::ru_tree`]); 20 MHz have eight leaves. Each station begins with one
//! leaf. As long as leaves are left, the station that would last longest gets twice as many; if so many are not left, the next one that
//! can have them. Nothing ends earlier: what a station has more than one leaf it was given when it lasted longest of all, and when the
//! longest can't be given more, nothing else helps it. All leaves are used, since those that are left are enough for the smallest.
//!
//! **Centres.** In the centre of 20 MHz that no station has alone are 26 more tones. Those who need least may be there, and leave their
//! leaves to others: as many as makes all end earliest, and the fewest with which they do.
//!
//! **Places.** The largest resource unit has the lowest frequency.
//!
//! **Ties.** The station whose turn is earlier needs more, lasts longer, and has the lower frequency.

use std::cmp::Reverse;

use airtcp_units::Duration;

use super::ru_tree::{beginning_at, centre, leaves, undivided_subchannels};
use super::scheduler::Candidate;
use crate::phy::{Allocation, RuSize, Width};

/// What stations of a PPDU have.
#[derive(Debug)]
pub(super) struct Division {
    /// In the order of turns.
    shares: Vec<Share>,
    longest: Duration,
}

/// What one station has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) size: RuSize,
    /// Whether it is the 26 tones in a centre.
    is_centre: bool,
    /// Time that all that waits takes in it.
    pub(super) time: Duration,
}

/// Divides widths; it keeps memory.
#[derive(Debug)]
pub(super) struct Divider {
    /// What each needs, and stations, those who need most first.
    needs: Vec<Duration>,
    by_need: Vec<usize>,
    trial: Division,
    best: Division,
}

impl Divider {
    /// One without memory.
    pub(super) const fn new() -> Self {
        Self { needs: Vec::new(), by_need: Vec::new(), trial: Division::NONE, best: Division::NONE }
    }

    /// The division among these stations; `None`: there are none, or more than resource units.
    pub(super) fn divide(&mut self, candidates: &[Candidate]) -> Option<&Division> {
        let width = candidates.first()?.tx.width();
        let Self { needs, by_need, trial, best } = self;
        needs.clear();
        needs.extend(candidates.iter().map(Candidate::time));
        by_need.clear();
        by_need.extend(0..candidates.len());
        by_need.sort_unstable_by_key(|&station| (Reverse(needs[station]), station));
        let all = leaves(RuSize::filling(width));
        let too_many = candidates.len().saturating_sub(all as usize);
        let mut is_found = false;
        for beside_centres in (1..=candidates.len() - too_many).rev() {
            trial.grow(candidates, &by_need[..beside_centres], all);
            if trial.has_enough_centres(width) && !(is_found && trial.longest >= best.longest) {
                std::mem::swap(trial, best);
                is_found = true;
            }
            // Whoever would be the next in a centre may end too late there.
            let next = &candidates[by_need[beside_centres - 1]];
            if is_found && next.time_in(RuSize::Tones26) >= best.longest {
                break;
            }
        }
        is_found.then_some(&*best)
    }
}

impl Division {
    const NONE: Self = Self { shares: Vec::new(), longest: Duration::ZERO };

    /// Gives all leaves to some stations; the others are in centres.
    fn grow(&mut self, candidates: &[Candidate], beside_centres: &[usize], leaves_of_width: u32) {
        let Self { shares, longest } = self;
        let smallest = |one: &Candidate| Share {
            size: RuSize::Tones26,
            is_centre: true,
            time: one.time_in(RuSize::Tones26),
        };
        shares.clear();
        shares.extend(candidates.iter().map(smallest));
        for &station in beside_centres {
            shares[station].is_centre = false;
        }
        let mut left = leaves_of_width - beside_centres.len() as u32;
        while left > 0 {
            let able = |(_, share): &(usize, &Share)| !share.is_centre && leaves(share.size) <= left;
            let ends_last = |&(station, share): &(usize, &Share)| (share.time, Reverse(station));
            let growing = shares.iter().enumerate().filter(able).max_by_key(ends_last);
            let Some((station, size)) =
                growing.and_then(|(station, share)| Some((station, share.size.doubled()?)))
            else {
                break;
            };
            left -= leaves(shares[station].size);
            shares[station] = Share { size, is_centre: false, time: candidates[station].time_in(size) };
        }
        *longest = shares.iter().map(|share| share.time).max().unwrap_or_default();
    }

    fn has_enough_centres(&self, width: Width) -> bool {
        let in_centres = self.shares.iter().filter(|share| share.is_centre).count() as u32;
        in_centres + self.undivided_subchannels() <= width.mhz() / 20
    }

    fn undivided_subchannels(&self) -> u32 {
        undivided_subchannels(self.shares.iter().map(|share| share.size))
    }

    /// What each has, in the order of turns.
    pub(super) fn shares(&self) -> impl Iterator<Item = Share> {
        self.shares.iter().copied()
    }

    /// Time after which the last PSDU ends.
    pub(super) const fn longest(&self) -> Duration {
        self.longest
    }

    /// Resource units of a width, in the order of turns.
    pub(super) fn place(&self, width: Width, rus: &mut Vec<Allocation>) {
        let of_station = |(station, share): (usize, &Share)| {
            if share.is_centre {
                let before = self.shares[..station].iter().filter(|share| share.is_centre).count() as u32;
                return centre(width, self.undivided_subchannels() + before);
            }
            let order = |station: usize, share: &Share| (Reverse(share.size), station);
            let is_before = |&(other, of_other): &(usize, &Share)| {
                !of_other.is_centre && order(other, of_other) < order(station, share)
            };
            let others = self.shares.iter().enumerate().filter(is_before);
            beginning_at(width, share.size, others.map(|(_, of_other)| leaves(of_other.size)).sum())
        };
        rus.extend(self.shares.iter().enumerate().filter_map(of_station));
    }
}

#[cfg(test)]
mod tests {
    use super::super::questions::{names, of_octets};
    use super::*;

    fn divided(mcs: u8, width: Width, octets: &[u64]) -> Vec<String> {
        let mut rus = Vec::new();
        Divider::new().divide(&of_octets(mcs, width, octets)).expect("there is one").place(width, &mut rus);
        names(&rus)
            .into_iter()
            .map(|name| name.replace("RU ", "").split(' ').next().unwrap_or_default().to_owned())
            .collect()
    }

    /// 20 MHz have eight leaves. Of three equal stations the first gets the leaves that are left over. With a small one beside two large
    /// ones, which have 106 tones each then, that is in the centre: 26 tones carry 100 octets while 106 carry 425.
    #[test]
    fn of_20_mhz() {
        let of = |octets: &[u64]| divided(7, Width::Mhz20, octets);
        assert_eq!(of(&[1_000; 2]), ["106/1", "106/2"]);
        assert_eq!(of(&[1_000; 3]), ["106/1", "52/3", "52/4"]);
        assert_eq!(of(&[1_000, 2_000, 1_000]), ["52/3", "106/1", "52/4"]);
        assert_eq!(of(&[1_000, 100, 1_000]), ["106/1", "26/5", "106/2"]);
        assert_eq!(of(&[1_000; 4]), ["52/1", "52/2", "52/3", "52/4"]);
        // The fifth has as much in the centre as in a leaf that one of the others would have to give up, and these have twice as much.
        assert_eq!(of(&[1_000; 5]), ["52/1", "52/2", "52/3", "26/8", "26/9"]);
        assert_eq!(of(&[1_000, 400, 1_000, 1_000, 1_000]), ["52/1", "26/5", "52/2", "52/3", "52/4"]);
        assert_eq!(of(&[1_000; 9]).len(), 9);
    }

    /// Alone the width is whole. Ten stations are more than 20 MHz have.
    #[test]
    fn as_many_as_there_are_resource_units() {
        assert_eq!(divided(7, Width::Mhz20, &[1_000]), ["20"]);
        assert!(Divider::new().divide(&of_octets(7, Width::Mhz20, &[1_000; 10])).is_none());
        assert!(Divider::new().divide(&[]).is_none());
    }

    /// 8 : 4 : 2 : 1 : 1, and so are the resource units.
    #[test]
    fn of_wider_channels() {
        let octets = [16_000, 8_000, 4_000, 2_000, 2_000];
        assert_eq!(divided(7, Width::Mhz40, &octets), ["242/1", "106/3", "52/7", "26/17", "26/18"]);
        assert_eq!(divided(7, Width::Mhz80, &octets), ["484/1", "242/3", "106/7", "52/15", "52/16"]);
        assert_eq!(divided(7, Width::Mhz160, &octets), ["996/1", "484/3", "242/7", "106/15", "106/16"]);
        // The order of turns does not change who has what.
        let turned = [2_000, 2_000, 4_000, 8_000, 16_000];
        assert_eq!(divided(7, Width::Mhz80, &turned), ["52/15", "52/16", "106/7", "242/3", "484/1"]);
    }

    /// A station at a tenth of the rate needs ten times as long for the same: MCS 0 has 1/2 bit for each tone, MCS 7 has 5.
    #[test]
    fn slow_stations_have_more_tones() {
        let mut candidates = of_octets(7, Width::Mhz80, &[3_000; 3]);
        candidates[1].tx.index = 0;
        let mut rus = Vec::new();
        Divider::new().divide(&candidates).expect("there is one").place(Width::Mhz80, &mut rus);
        assert_eq!(names(&rus), ["RU 242/3 of 80 MHz", "RU 484/1 of 80 MHz", "RU 242/4 of 80 MHz"]);
    }

    /// MCS 11 with 1024-QAM is not in small resource units: its stations have MCS 9 there, and need a quarter longer. 106 tones of MCS 9
    /// and 52 of MCS 11, which are MCS 9 too: 1,250 octets of the fast one take as long as 1,000 of a slow one, no less.
    #[test]
    fn small_resource_units_slow_down_the_fastest() {
        let mut candidates = of_octets(9, Width::Mhz20, &[1_100, 1_000]);
        candidates[0].tx.index = 11;
        assert!(candidates[0].time() < candidates[1].time());
        assert!(candidates[0].time_in(RuSize::Tones106) > candidates[1].time_in(RuSize::Tones106));
    }
}
