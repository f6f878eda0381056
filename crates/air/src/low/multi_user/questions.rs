//! Questions to schedulers, for their tests.

use super::scheduler::{Candidate, Scheduler};
use crate::phy::{Allocation, Format, Guard, TxVector, Width};

/// Octets of a full frame in an MPDU, with LLC and SNAP.
const FRAME_OCTETS: u64 = 1_508;

/// Stations of 11ax with one stream in this MCS, for which so many octets wait, in the order of their turns.
pub(super) fn of_octets(mcs: u8, width: Width, octets: &[u64]) -> Vec<Candidate> {
    let tx = TxVector::mimo(Format::He, mcs, 1, width, Guard::Ns800);
    let candidate = |&octets: &u64| Candidate { tx, octets, first_octets: octets.min(FRAME_OCTETS) as u32 };
    octets.iter().map(candidate).collect()
}

/// Resource units of a PPDU to these stations.
pub(super) fn decide(scheduler: &mut dyn Scheduler, candidates: &[Candidate]) -> Vec<Allocation> {
    let mut rus = Vec::new();
    scheduler.share(candidates, &mut rus);
    rus
}

/// Resource units of a trigger frame to these stations.
pub(super) fn decide_uplink(scheduler: &mut dyn Scheduler, candidates: &[Candidate]) -> Vec<Allocation> {
    let mut rus = Vec::new();
    scheduler.share_uplink(candidates, &mut rus);
    rus
}

/// Their names.
pub(super) fn names(rus: &[Allocation]) -> Vec<String> {
    rus.iter().map(ToString::to_string).collect()
}
