//! What a NIC sent in each mode.

use crate::phy::TxVector;

/// Data PPDUs in one mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ModeCount {
    /// PPDUs sent.
    pub(crate) ppdus: u64,
    /// MPDUs in them.
    pub(crate) mpdus: u64,
    /// MPDUs that were not received.
    pub(crate) mpdus_lost: u64,
}

/// Data PPDUs by mode, in the order in which modes were first used.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModeCounts {
    counts: Vec<(TxVector, ModeCount)>,
    /// Place of the mode used last.
    last: usize,
}

impl ModeCounts {
    /// Counts a PPDU.
    #[inline(always)]
    pub(super) fn add(&mut self, tx: TxVector, mpdus: u64, mpdus_lost: u64) {
        if self.counts.get(self.last).is_none_or(|(mode, _)| *mode != tx) {
            self.last = self.place(tx);
        }
        let count = &mut self.counts[self.last].1;
        count.ppdus += 1;
        count.mpdus += mpdus;
        count.mpdus_lost += mpdus_lost;
    }

    fn place(&mut self, tx: TxVector) -> usize {
        self.counts.iter().position(|(mode, _)| *mode == tx).unwrap_or_else(|| {
            self.counts.push((tx, ModeCount::default()));
            self.counts.len() - 1
        })
    }

    /// The mode used last.
    pub(crate) fn last(&self) -> Option<TxVector> {
        self.counts.get(self.last).map(|(mode, _)| *mode)
    }

    /// Every mode used.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (TxVector, ModeCount)> + '_ {
        self.counts.iter().copied()
    }

    /// Counts of one mode; zeros if it was not used.
    pub(crate) fn get(&self, tx: TxVector) -> ModeCount {
        self.iter().find(|(mode, _)| *mode == tx).map_or_else(ModeCount::default, |(_, count)| count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mode_is_counted_for_itself() {
        let mut counts = ModeCounts::default();
        for (index, mpdus, lost) in [(3, 1, 0), (3, 2, 1), (5, 4, 4), (3, 1, 1)] {
            counts.add(TxVector::ofdm(index), mpdus, lost);
        }
        assert_eq!(counts.get(TxVector::ofdm(3)), ModeCount { ppdus: 3, mpdus: 4, mpdus_lost: 2 });
        assert_eq!(counts.get(TxVector::ofdm(5)), ModeCount { ppdus: 1, mpdus: 4, mpdus_lost: 4 });
        assert_eq!(counts.get(TxVector::ofdm(0)), ModeCount::default());
        assert_eq!(counts.iter().count(), 2);
        assert_eq!(counts.last(), Some(TxVector::ofdm(3)));
        assert_eq!(ModeCounts::default().last(), None);
    }
}
