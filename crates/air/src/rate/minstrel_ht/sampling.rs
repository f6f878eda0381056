//! Which rates are sampled, and when.
//!
//! At most every 20 ms one PPDU samples. Six samples are three upgrades, two jumps and one slow one:
//!
//! - **Upgrade**: the slowest rate of a group that is faster than the best rate.
//! - **Jump**: any rate of a group that is faster than all three rates of the chain.
//! - **Slow**: any rate of a group between the fastest and the slowest rate of the chain.
//!
//! Groups take turns. After each evaluation up to five samples of each kind are drawn anew; what was not sent is forgotten.

use airtcp_units::{Duration, Instant};

use super::{MinstrelHt, Rate};
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

/// Samples of one kind; they are taken from the front.
#[derive(Clone, Copy, Debug, Default)]
struct Samples {
    places: [u16; SAMPLES],
    len: usize,
    taken: usize,
}

impl Samples {
    const fn is_full(&self) -> bool {
        self.len == SAMPLES
    }

    const fn put(&mut self, place: u16) {
        self.places[self.len] = place;
        self.len += 1;
    }

    fn take(&mut self) -> Option<u16> {
        let place = self.places[self.taken..self.len].first().copied()?;
        self.taken += 1;
        Some(place)
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
    /// The chain changed: samples are drawn anew before the next one is sent.
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

    fn draw_samples(&mut self, dice: &mut Stream) {
        self.sampling.drawn = true;
        self.sampling.samples = Default::default();
        while !self.sampling.samples[Kind::Upgrade as usize].is_full() && self.draw_upgrade() {}
        (0..SAMPLES).for_each(|_| self.draw_jump(dice));
    }

    /// Draws an upgrade; false if no rate is faster than the best.
    fn draw_upgrade(&mut self) -> bool {
        let best = self.rate(self.best[0]).nanos;
        for _ in 0..self.groups.len() {
            let group = self.groups[self.sampling.turn(Kind::Upgrade, self.groups.len())];
            let upgrade = group.places().find(|&place| self.rate(place).nanos < best);
            if let Some(place) = upgrade {
                self.sampling.samples[Kind::Upgrade as usize].put(place);
                return true;
            }
        }
        false
    }

    /// Draws a jump if a group gives one, and slow samples on the way to it.
    fn draw_jump(&mut self, dice: &mut Stream) {
        let chain = [self.best[0], self.best[1], self.most_probable];
        let nanos = chain.map(|place| self.rate(place).nanos);
        let (fastest, slowest) = (nanos[0].min(nanos[1]).min(nanos[2]), nanos[0].max(nanos[1]).max(nanos[2]));
        for _ in 0..self.groups.len() {
            let group = self.groups[self.sampling.turn(Kind::Jump, self.groups.len())];
            let faster = |rate: &Rate| rate.nanos < slowest;
            let count = self.rates[group.range()].iter().filter(|rate| faster(rate)).count();
            if count == 0 {
                continue;
            }
            // A group's rates become faster with their place.
            let place = group.first + (group.places().len() - count + below(count, dice)) as u16;
            if self.rate(place).nanos < fastest {
                self.sampling.samples[Kind::Jump as usize].put(place);
                return;
            }
            let slow = &mut self.sampling.samples[Kind::Slow as usize];
            if !slow.is_full() && !chain.contains(&place) {
                slow.put(place);
            }
        }
    }

    /// The samples drawn and not yet sent: upgrades, jumps, slow ones.
    #[cfg(test)]
    pub(super) fn drawn(&mut self, dice: &mut Stream) -> [Vec<u16>; 3] {
        self.draw_samples(dice);
        self.sampling.samples.map(|samples| samples.places[..samples.len].to_vec())
    }
}
