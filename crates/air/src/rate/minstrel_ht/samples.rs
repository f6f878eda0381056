//! Samples that are drawn, and whose turn it is.

use airtcp_units::Instant;

/// Samples of a kind between two evaluations (Linux: `MINSTREL_SAMPLE_RATES`).
pub(super) const SAMPLES: usize = 5;
/// Why a rate is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Upgrade = 0,
    Jump = 1,
    Slow = 2,
}

/// Samples of one kind in their places, the next one first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Samples {
    pub(super) places: [Option<u16>; SAMPLES],
}

impl Samples {
    pub(super) fn has(&self, place: u16) -> bool {
        self.places.iter().map_while(|&there| there).any(|there| there == place)
    }

    pub(super) fn take(&mut self) -> Option<u16> {
        self.places.iter_mut().find_map(Option::take)
    }

    /// Moves those that are still valid to the front and returns where the next one goes. As in Linux 6.12 the one in the first
    /// place does not count, so that another takes its place: it is lost if none was taken since the last time.
    pub(super) fn keep(&mut self, valid: impl Fn(u16) -> bool) -> usize {
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
    pub(super) samples: [Samples; 3],
    /// The group of the last upgrade and the last jump.
    pub(super) turn: [usize; 2],
    /// Place in the sequence of kinds.
    pub(super) next_kind: usize,
    /// Earliest time of the next sample.
    pub(super) next_at: Instant,
    /// Whether samples were drawn since the last evaluation.
    pub(super) drawn: bool,
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
    pub(super) const fn turn(&mut self, kind: Kind, groups: usize) -> usize {
        let turn = &mut self.turn[kind as usize];
        *turn = (*turn + 1) % groups;
        *turn
    }
}
