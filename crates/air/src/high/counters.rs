//! What a NIC's upper half did so far.

use super::host::DropReason;

/// Counts of one NIC. `accepted = sent + dropped + in flight`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    /// Frames that the host gave it, relayed ones included.
    pub(crate) accepted: u64,
    /// Frames that were acknowledged, or sent to a group.
    pub(crate) sent: u64,
    /// Frames dropped, by reason.
    pub(crate) dropped: [u64; DropReason::ALL.len()],
    /// Frames handed to its host.
    pub(crate) delivered: u64,
    /// Frames it gave back to be forwarded inside the cell.
    pub(crate) relayed: u64,
    /// Frames marked with congestion experienced.
    pub(crate) marked: u64,
    /// MPDUs received that it had already, or that came after their turn.
    pub(crate) discarded: u64,
    /// MPDUs given to the lower half.
    pub(crate) mpdus: u64,
    /// MPDUs with more than one frame.
    pub(crate) amsdus: u64,
    /// `BlockAckReq` frames asked for.
    pub(crate) block_ack_reqs: u64,
}

impl Counters {
    /// Frames dropped for any reason.
    pub(crate) fn dropped_sum(&self) -> u64 {
        self.dropped.iter().sum()
    }
}
