//! Which rates are sampled, and when.
//!
//! At most every 20 ms one PPDU samples, and one at once after each evaluation. Six samples are three upgrades, two jumps and one
//! slow one:
//!
//! - **Upgrade**: the slowest rate of a group that is faster than the best rate.
//! - **Jump**: any rate of a group that is faster than all three rates of the chain.
//! - **Slow**: any rate of a group between the fastest and the slowest rate of the chain, unless it has proved robust.
//!
//! Groups take turns. After each evaluation samples that still are what they were drawn for are kept, and new ones drawn, up to
//! five of each kind and none twice.

use airtcp_units::{Duration, Instant};

use super::MinstrelHt;
use super::samples::{Kind, SAMPLES};
use crate::random::Stream;
use crate::rate::sample_table::below;

/// Least time between samples (Linux: `MINSTREL_SAMPLE_INTERVAL`).
const SAMPLE_INTERVAL: Duration = Duration::from_millis(20);
/// The order of kinds.
const SEQUENCE: [Kind; 6] = [Kind::Upgrade, Kind::Jump, Kind::Upgrade, Kind::Jump, Kind::Upgrade, Kind::Slow];

/// A rate of the chain is sampled for its robustness; one above this probability has shown it.
const KNOWN_ROBUST: f64 = 0.95;

impl MinstrelHt {
    /// The rate to sample now, if any.
    #[inline]
    pub(super) fn sample(&mut self, now: Instant, rng: &mut Stream) -> Option<u16> {
        if now < self.sampling.next_at {
            return None;
        }
        self.sampling.next_at = now + SAMPLE_INTERVAL;
        if !self.sampling.drawn {
            self.draw_samples(rng);
        }
        let kind = SEQUENCE[self.sampling.next_kind];
        self.sampling.next_kind = (self.sampling.next_kind + 1) % SEQUENCE.len();
        self.sampling.samples[kind as usize].take()
    }

    /// Drops samples that are no longer what they were drawn for, and draws new ones.
    fn draw_samples(&mut self, rng: &mut Stream) {
        self.sampling.drawn = true;
        let (fastest, slowest) = self.chain_nanos();
        let mut upgrades = self.sampling.samples[Kind::Upgrade as usize];
        let next = upgrades.keep(|place| self.rate(place).nanos < fastest);
        self.sampling.samples[Kind::Upgrade as usize] = upgrades;
        for n in next..SAMPLES {
            let drawn = self.next_upgrade();
            self.sampling.samples[Kind::Upgrade as usize].places[n] = drawn;
            if drawn.is_none() {
                break;
            }
        }
        let [_, mut jumps, mut slow] = self.sampling.samples;
        let next = jumps.keep(|place| self.rate(place).nanos < fastest);
        let mut next_slow = slow.keep(|place| (fastest + 1..slowest).contains(&self.rate(place).nanos));
        self.sampling.samples[Kind::Jump as usize] = jumps;
        self.sampling.samples[Kind::Slow as usize] = slow;
        for n in next..SAMPLES {
            let drawn = self.next_jump(&mut next_slow, rng);
            self.sampling.samples[Kind::Jump as usize].places[n] = drawn;
            if drawn.is_none() {
                break;
            }
        }
    }

    /// Airtimes of the fastest and the slowest rate of the chain.
    fn chain_nanos(&self) -> (u64, u64) {
        let [a, b, c] = self.chain_places().map(|place| self.rate(place).nanos);
        (a.min(b).min(c), a.max(b).max(c))
    }

    const fn chain_places(&self) -> [u16; 3] {
        [self.best[0], self.best[1], self.most_probable]
    }

    /// Draws an upgrade; `None` if there is no other.
    fn next_upgrade(&mut self) -> Option<u16> {
        let best = self.rate(self.best[0]).nanos;
        (0..self.groups.len()).find_map(|_| {
            let group = self.groups[self.sampling.turn(Kind::Upgrade, self.groups.len())];
            let upgrade = group.places().find(|&place| self.rate(place).nanos < best)?;
            (!self.sampling.samples[Kind::Upgrade as usize].has(upgrade)).then_some(upgrade)
        })
    }

    /// Draws a jump, and slow samples on the way to it, from this place on; none if no group gave a jump.
    fn next_jump(&mut self, next_slow: &mut usize, rng: &mut Stream) -> Option<u16> {
        let (fastest, slowest) = self.chain_nanos();
        (0..self.groups.len()).find_map(|_| {
            let group = self.groups[self.sampling.turn(Kind::Jump, self.groups.len())];
            let limit = if *next_slow < SAMPLES { slowest } else { fastest };
            let rates = &self.rates[group.range()];
            let count = rates.iter().filter(|rate| rate.nanos < limit).count();
            if count == 0 {
                return None;
            }
            // A group's rates become faster with their place.
            let place = group.first + (rates.len() - count + below(count, rng)) as u16;
            if self.rate(place).nanos < fastest {
                return (!self.sampling.samples[Kind::Jump as usize].has(place)).then_some(place);
            }
            let known =
                self.rate(place).probability.get() > KNOWN_ROBUST || self.chain_places().contains(&place);
            let slow = &mut self.sampling.samples[Kind::Slow as usize];
            if *next_slow < SAMPLES && !known && !slow.has(place) {
                slow.places[*next_slow] = Some(place);
                *next_slow += 1;
            }
            None
        })
    }

    /// The samples drawn and not yet sent: upgrades, jumps, slow ones.
    #[cfg(test)]
    pub(super) fn drawn(&mut self, rng: &mut Stream) -> [Vec<u16>; 3] {
        self.draw_samples(rng);
        self.sampling.samples.map(|samples| samples.places.iter().flatten().copied().collect())
    }
}
