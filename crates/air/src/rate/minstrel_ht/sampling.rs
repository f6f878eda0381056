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

/// A rate of the chain is sampled for its robustness; one above this probability has shown it.
const KNOWN_ROBUST: f64 = 0.95;

/// Samples of one kind in their places, the next one first.
#[derive(Clone, Copy, Debug, Default)]
struct Samples {
    places: [Option<u16>; SAMPLES],
}

impl Samples {
    fn has(&self, place: u16) -> bool {
        self.places.iter().map_while(|&there| there).any(|there| there == place)
    }

    fn take(&mut self) -> Option<u16> {
        self.places.iter_mut().find_map(Option::take)
    }

    /// Moves those that are still valid to the front and returns where the next one goes. As in Linux 6.12 the one in the first
    /// place does not count, so that another takes its place: it is lost if none was taken since the last time.
    fn keep(&mut self, valid: impl Fn(u16) -> bool) -> usize {
        let mut kept = 0;
        for n in 0..SAMPLES {
            let still = self.places[n].filter(|&place| valid(place));
            if n == 0 {
                self.places[0] = still;
            } else {
                self.places[n] = None;
                if still.is_some() {
                    self.places[kept] = still;
                    kept += 1;
                }
            }
        }
        kept
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
    /// Earliest time of the next sample.
    next_at: Instant,
    /// Whether samples were drawn since the last evaluation.
    drawn: bool,
}

impl Sampling {
    /// The chain changed: samples are checked and drawn before the next one is sent, which may be at once.
    pub(super) const fn expire(&mut self) {
        self.drawn = false;
        self.next_at = Instant::ZERO;
    }

    /// As if nothing had been drawn for the chain that is.
    #[cfg(test)]
    pub(super) const fn forget(&mut self) {
        self.drawn = false;
    }

    #[cfg(test)]
    pub(super) fn take_upgrade(&mut self) {
        self.samples[Kind::Upgrade as usize].take();
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
