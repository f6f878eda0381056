//! What the lower half keeps for a queue of the upper half.

use std::collections::VecDeque;

use crate::border::{Mpdu, RateChain};

/// An MPDU in the lower half's hands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) mpdu: Mpdu,
    /// Attempts so far.
    pub(crate) tries: u32,
}

/// MPDUs to repeat, and where the rate chain stands.
#[derive(Debug, Default)]
pub(crate) struct TxqState {
    /// In the order of their sequence numbers; those that were dequeued but did not fit are at the end.
    pub(crate) held: VecDeque<Held>,
    chain: Option<RateChain>,
    used: u32,
    /// RTS without CTS since the last frame went well or was given up.
    pub(crate) rts_failures: u32,
}

impl TxqState {
    /// The chain in use, if an attempt of it is left.
    #[inline]
    pub(crate) fn chain(&self) -> Option<&RateChain> {
        self.chain.as_ref().filter(|chain| chain.stage(self.used).is_some())
    }

    /// Begins a chain.
    #[inline]
    pub(crate) fn begin_chain(&mut self, chain: RateChain) -> &RateChain {
        self.used = 0;
        self.chain.insert(chain)
    }

    /// Number of the next attempt in the chain, from 0.
    #[inline]
    pub(crate) const fn used(&self) -> u32 {
        self.used
    }

    /// An attempt of the chain failed.
    #[inline]
    pub(crate) fn attempt_failed(&mut self) {
        self.used += 1;
    }

    /// The chain is done with: the next PPDU asks anew.
    #[inline]
    pub(crate) fn end_chain(&mut self) {
        (self.chain, self.used, self.rts_failures) = (None, 0, 0);
    }
}
