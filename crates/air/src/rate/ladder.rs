//! The rungs on which ARF and its children climb and fall.
//!
//! Their authors knew links whose rates have one order. Links with spatial streams have not: at one bit rate, few streams
//! with a dense constellation need far more signal than many with a sparse one. The rungs are therefore chosen so that
//! each is faster and needs more signal than the one below, whatever the antennas do: in the widest channel with the
//! shortest guard interval the first MCS with one stream, two streams and so on, then each MCS with all of them.

use airtcp_units::BitRate;

use super::RateSet;
use crate::border::{Protection, RateChain, RateStage};
use crate::phy::{Format, TxVector};

/// Rungs, and the current rung of a sender.
#[derive(Clone, Debug)]
pub(super) struct Ladder {
    /// Slowest first.
    rungs: Vec<TxVector>,
    /// Index of the current rung.
    rung: usize,
    /// The highest rung it may use now.
    limit: usize,
}

impl Ladder {
    /// The rungs of a set; the current one is the lowest.
    pub(super) fn new(rates: &RateSet) -> Self {
        let widest = rates.modes().map(TxVector::width).max();
        let shortest = rates.modes().map(|tx| tx.guard).min();
        let most = rates.modes().map(|tx| tx.streams).max();
        let first = rates.modes().map(|tx| tx.index).min();
        let is_rung = |tx: &TxVector| {
            let whole = Some(tx.width()) == widest && Some(tx.guard) == shortest;
            is_legacy(*tx) || whole && (Some(tx.streams) == most || Some(tx.index) == first)
        };
        let rungs: Vec<TxVector> = rates.modes().filter(is_rung).collect();
        let limit = rungs.len() - 1;
        Self { rungs, rung: 0, limit }
    }

    /// Mode of the current rung.
    #[inline]
    pub(super) fn mode(&self) -> TxVector {
        self.rungs[self.rung]
    }

    /// Allows nothing above a bit rate from now on, and steps down if the current rung is higher.
    #[inline]
    pub(super) fn limit_to(&mut self, cap: Option<BitRate>) {
        self.limit = match cap {
            None => self.rungs.len() - 1,
            Some(cap) => self.rungs.partition_point(|tx| tx.bit_rate() <= cap).saturating_sub(1),
        };
        self.rung = self.rung.min(self.limit);
    }

    /// Steps up; false if it may not.
    #[inline]
    pub(super) fn up(&mut self) -> bool {
        let may = self.rung < self.limit;
        self.rung += usize::from(may);
        may
    }

    /// Steps down; false on the lowest rung.
    #[inline]
    pub(super) fn down(&mut self) -> bool {
        let may = self.rung > 0;
        self.rung -= usize::from(may);
        may
    }

    /// One attempt at the current rung: every retry requests a new chain.
    #[inline]
    pub(super) fn chain(&self, protection: Protection) -> RateChain {
        RateChain::one(RateStage { tx: self.mode(), tries: 1, protection })
    }
}

const fn is_legacy(tx: TxVector) -> bool {
    matches!(tx.format, Format::HrDsss | Format::Ofdm | Format::Dmg)
}

#[cfg(test)]
mod tests {
    use airtcp_plan::Standard;

    use super::*;
    use crate::phy::Width;
    use crate::rate::rate_set::example;

    fn rungs(rates: &RateSet) -> Vec<(u8, u8)> {
        Ladder::new(rates).rungs.iter().map(|tx| (tx.streams, tx.index)).collect()
    }

    #[test]
    fn every_legacy_rate_is_a_rung() {
        let ladder = Ladder::new(&example(Standard::Erp, Width::Mhz20, 1));
        assert_eq!(ladder.rungs.len(), 12);
        assert_eq!(rungs(&example(Standard::Dmg, Width::Mhz2160, 1)).len(), 12);
    }

    #[test]
    fn streams_are_climbed_before_mcs() {
        let ht = rungs(&example(Standard::Ht, Width::Mhz40, 3));
        assert_eq!(ht, [(1, 0), (2, 0), (3, 0), (3, 1), (3, 2), (3, 3), (3, 4), (3, 5), (3, 6), (3, 7)]);
        // VHT has no MCS 6 with three streams in 80 MHz.
        let vht = rungs(&example(Standard::Vht, Width::Mhz80, 3));
        assert_eq!(vht[2..], [(3, 0), (3, 1), (3, 2), (3, 3), (3, 4), (3, 5), (3, 7), (3, 8), (3, 9)]);
    }

    #[test]
    fn a_limit_holds_it_down() {
        let mut ladder = Ladder::new(&example(Standard::Ofdm, Width::Mhz20, 1));
        while ladder.up() {}
        assert_eq!(ladder.mode(), TxVector::ofdm(7));
        ladder.limit_to(Some(BitRate::from_mbps(20)));
        assert_eq!((ladder.mode(), ladder.up()), (TxVector::ofdm(3), false));
        ladder.limit_to(Some(BitRate::from_mbps(1)));
        assert_eq!((ladder.mode(), ladder.down()), (TxVector::ofdm(0), false));
        ladder.limit_to(None);
        assert!(ladder.up());
    }
}
