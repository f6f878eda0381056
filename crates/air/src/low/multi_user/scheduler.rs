//! What a scheduler is asked.

use airtcp_units::Duration;

use super::equal_rus::equal_rus;
use crate::phy::{Allocation, RuSize, TxVector};

/// A station for which its access point has something, or that has something for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// How something would be sent alone, in the whole width.
    pub(crate) tx: TxVector,
    /// Octets of the frames that wait, the first included; 0 if the scheduler does not weigh them.
    pub(crate) octets: u64,
    /// Octets of the first of them.
    pub(crate) first_octets: u32,
}

impl Candidate {
    /// Time that all that waits takes in the whole width, without preamble.
    pub(super) fn time(&self) -> Duration {
        time_of(self.octets, self.tx)
    }

    /// Time that it takes in a resource unit of this size, without preamble.
    pub(super) fn time_in(&self, size: RuSize) -> Duration {
        time_of(self.octets, self.mode_in(size))
    }

    /// Time that the first frame takes in a resource unit of this size, without preamble.
    pub(super) fn time_of_first_in(&self, size: RuSize) -> Duration {
        time_of(self.first_octets.into(), self.mode_in(size))
    }

    /// The power for each tone is the same in all resource units, so the MCS stays, if the resource unit has it.
    fn mode_in(&self, size: RuSize) -> TxVector {
        let ru = Allocation::ru(self.tx.width(), size, 1).unwrap_or_else(|| self.tx.width().into());
        TxVector { index: self.tx.index.min(ru.max_index()), ..self.tx.within(ru) }
    }
}

/// Time that so many octets take at the data rate of a mode.
fn time_of(octets: u64, tx: TxVector) -> Duration {
    const BIT_NANOS_PER_OCTET: u64 = 8 * 1_000_000_000;
    Duration::from_nanos(octets.saturating_mul(BIT_NANOS_PER_OCTET).div_ceil(tx.bit_rate().as_bps()))
}

/// Decides which stations share a PPDU.
pub(crate) trait Scheduler: std::fmt::Debug {
    /// The most stations that it wants to choose among.
    fn most_stations(&self) -> usize;

    /// Whether it decides by the octets that wait for each station.
    fn weighs_backlogs(&self) -> bool {
        false
    }

    /// Gives resource units of the candidates' width, which is the same for all, to the first of them, in their order. Stations
    /// without one wait for their next turn. Of less than two resource units nothing comes: the first station is sent a PPDU alone.
    fn share(&mut self, candidates: &[Candidate], rus: &mut Vec<Allocation>);

    /// The same for stations that a trigger frame asks for data, by what they have reported. One alone has the whole width. Without a
    /// decision of its own a scheduler gives all the same.
    fn share_uplink(&mut self, candidates: &[Candidate], rus: &mut Vec<Allocation>) {
        if let Some(first) = candidates.first() {
            rus.extend(equal_rus(first.tx.width(), candidates.len()).take(candidates.len()));
        }
    }
}
