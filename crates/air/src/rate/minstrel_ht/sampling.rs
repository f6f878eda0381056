//! Which rates are sampled, and when.
//!
//! At most every 20 ms one PPDU samples. Six samples are three upgrades, two jumps and one slow one:
//!
//! - **Upgrade**: the slowest rate of a group that is faster than the best rate.
//! - **Jump**: any rate of a group that is faster than all three rates of the chain.
//! - **Slow**: any rate of a group between the fastest and the slowest rate of the chain.
//!
//! Groups take turns. After each evaluation upgrades are drawn anew; jumps and slow samples that still are what they were drawn
//! for are kept, and new ones drawn, up to five of each kind and none twice.

use airtcp_units::{Duration, Instant};

use super::MinstrelHt;
use crate::random::Stream;
use crate::rate::sample_table::below;

/// Least time between samples (Linux: `MINSTREL_SAMPLE_INTERVAL`).
const SAMPLE_INTERVAL: Duration = Duration::from_millis(20);
/// Samples of a kind between two evaluations (Linux: `MINSTREL_SAMPLE_RATES`).
const SAMPLES: usize = 5;
/// The order of kinds.
const SEQUENCE: [Kind; 6] = [Kind::Upgrade, Kind::Jump, Kind::Upgrade, Kind::Jump, Kind::Upgrade, Kind::Slow];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Upgrade = 0,
    Jump = 1,
    Slow = 2,
}

/// Samples of one kind, the next one first.
#[derive(Clone, Copy, Debug, Default)]
struct Samples {
    places: [u16; SAMPLES],
    len: usize,
}

impl Samples {
    const fn is_full(&self) -> bool {
        self.len == SAMPLES
    }

    fn all(&self) -> &[u16] {
        &self.places[..self.len]
    }

    /// Adds a sample; false if it is there already or there is no room.
    fn put(&mut self, place: u16) -> bool {
        let new = !self.is_full() && !self.all().contains(&place);
        if new {
            self.places[self.len] = place;
            self.len += 1;
        }
        new
    }

    fn take(&mut self) -> Option<u16> {
        let first = self.all().first().copied()?;
        self.retain(|place| place != first);
        Some(first)
    }

    fn retain(&mut self, keep: impl Fn(u16) -> bool) {
        let mut kept = Self::default();
        for &place in self.all() {
            if keep(place) {
                kept.put(place);
            }
        }
        *self = kept;
    }
}

/// State of sampling.
#[derive(Clone, Debug, Default)]
pub(super) struct Sampling {
    /// By kind.
    samples: [Samples; 3],
    /// The group of the last upgrade and the last jump.
    turn: [usize; 2],
    /// Place in the sequence of kinds.
    next_kind: usize,
    /// Not before this.
    next_at: Instant,
    /// Whether samples were drawn since the last evaluation.
    drawn: bool,
}

impl Sampling {
    /// The chain changed: samples are checked and drawn before the next one is sent.
    pub(super) const fn expire(&mut self) {
        self.drawn = false;
    }

    /// The next group to have its turn.
    const fn turn(&mut self, kind: Kind, groups: usize) -> usize {
        let turn = &mut self.turn[kind as usize];
        *turn = (*turn + 1) % groups;
        *turn
    }
}

impl MinstrelHt {
    /// The rate to sample now, if any.
    #[inline]
    pub(super) fn sample(&mut self, now: Instant, dice: &mut Stream) -> Option<u16> {
        if now < self.sampling.next_at {
            return None;
        }
        self.sampling.next_at = now + SAMPLE_INTERVAL;
        if !self.sampling.drawn {
            self.draw_samples(dice);
        }
        let kind = SEQUENCE[self.sampling.next_kind];
        self.sampling.next_kind = (self.sampling.next_kind + 1) % SEQUENCE.len();
        self.sampling.samples[kind as usize].take()
    }

    /// Drops samples that are no longer what they were drawn for, and draws new ones.
    fn draw_samples(&mut self, dice: &mut Stream) {
        self.sampling.drawn = true;
        let (fastest, slowest) = self.chain_nanos();
        let mut samples = self.sampling.samples;
        samples[Kind::Upgrade as usize] = Samples::default();
        samples[Kind::Jump as usize].retain(|place| self.rate(place).nanos < fastest);
        samples[Kind::Slow as usize].retain(|place| self.is_slow(place, fastest, slowest));
        self.sampling.samples = samples;
        while self.draw_upgrade() {}
        while self.draw_jump(dice) {}
    }

    /// Airtimes of the fastest and the slowest rate of the chain.
    fn chain_nanos(&self) -> (u64, u64) {
        let [a, b, c] = self.chain_places().map(|place| self.rate(place).nanos);
        (a.min(b).min(c), a.max(b).max(c))
    }

    const fn chain_places(&self) -> [u16; 3] {
        [self.best[0], self.best[1], self.most_probable]
    }

    fn is_slow(&self, place: u16, fastest: u64, slowest: u64) -> bool {
        let nanos = self.rate(place).nanos;
        fastest <= nanos && nanos < slowest && !self.chain_places().contains(&place)
    }

    /// Draws an upgrade; false if there is no other or no room.
    fn draw_upgrade(&mut self) -> bool {
        let best = self.rate(self.best[0]).nanos;
        (0..self.groups.len()).any(|_| {
            let group = self.groups[self.sampling.turn(Kind::Upgrade, self.groups.len())];
            let upgrade = group.places().find(|&place| self.rate(place).nanos < best);
            upgrade.is_some_and(|place| self.sampling.samples[Kind::Upgrade as usize].put(place))
        })
    }

    /// Draws a jump, and slow samples on the way to it; false if no group gave a jump or there is no room.
    fn draw_jump(&mut self, dice: &mut Stream) -> bool {
        let (fastest, slowest) = self.chain_nanos();
        (0..self.groups.len()).any(|_| {
            let group = self.groups[self.sampling.turn(Kind::Jump, self.groups.len())];
            let has_room = !self.sampling.samples[Kind::Slow as usize].is_full();
            let limit = if has_room { slowest } else { fastest };
            let rates = &self.rates[group.range()];
            let count = rates.iter().filter(|rate| rate.nanos < limit).count();
            if count == 0 {
                return false;
            }
            // A group's rates become faster with their place.
            let place = group.first + (rates.len() - count + below(count, dice)) as u16;
            if self.rate(place).nanos < fastest {
                return self.sampling.samples[Kind::Jump as usize].put(place);
            }
            if self.is_slow(place, fastest, slowest) {
                self.sampling.samples[Kind::Slow as usize].put(place);
            }
            false
        })
    }

    /// The samples drawn and not yet sent: upgrades, jumps, slow ones.
    #[cfg(test)]
    pub(super) fn drawn(&mut self, dice: &mut Stream) -> [Vec<u16>; 3] {
        self.draw_samples(dice);
        self.sampling.samples.map(|samples| samples.all().to_vec())
    }
}
