//! What a scheduler is asked.

use crate::phy::{Allocation, TxVector};

/// A station for which its access point has something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// How it would be sent something alone, in the whole width.
    pub(crate) tx: TxVector,
}

/// Decides which stations share a PPDU.
pub(crate) trait Scheduler: std::fmt::Debug {
    /// The most stations that it wants to choose among.
    fn most_stations(&self) -> usize;

    /// Gives resource units of the candidates' width, which is the same for all, to the first of them, in their order. Stations
    /// without one wait for their next turn. Of less than two resource units nothing comes: the first station is sent a PPDU alone.
    fn share(&mut self, candidates: &[Candidate], rus: &mut Vec<Allocation>);
}
