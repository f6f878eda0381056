//! What the upper half of a radio of mac80211 counted.

use crate::border::{Mpdu, MpduFate, MpduKind};
use crate::high::{Counters, DropReason};

/// Counts of one radio. Data MPDUs are counted as frames are elsewhere: `accepted = sent + dropped + in flight`, where those in
/// flight are buffered in the lower half.
#[derive(Debug, Default)]
pub(crate) struct LinuxCounters {
    /// Data MPDUs; what is received, too.
    pub(crate) data: Counters,
    /// Data MPDUs that were taken back. (The reasons of `data` are those of airtcp's own MAC.)
    pub(crate) purged: u64,
    /// Data MPDUs buffered in the lower half.
    pub(crate) in_flight: u32,
    /// Largest value of `in_flight` so far.
    pub(crate) most_in_flight: u32,
    /// MPDUs of every kind buffered in the lower half.
    pub(crate) held: u32,
}

impl LinuxCounters {
    /// The lower half takes an MPDU.
    #[inline]
    pub(super) fn taken(&mut self, mpdu: &Mpdu) {
        self.held += 1;
        if mpdu.kind.carries_data() {
            self.data.accepted += 1;
            self.data.mpdus += 1;
            self.in_flight += 1;
            self.most_in_flight = self.most_in_flight.max(self.in_flight);
        }
        self.data.block_ack_reqs += u64::from(mpdu.kind == MpduKind::BlockAckReq);
    }

    /// An MPDU has ended.
    #[inline]
    pub(super) fn ended(&mut self, mpdu: &Mpdu, fate: MpduFate) {
        self.held -= 1;
        if !mpdu.kind.carries_data() {
            return;
        }
        self.in_flight -= 1;
        match fate {
            MpduFate::Acked | MpduFate::Sent => self.data.sent += 1,
            MpduFate::GivenUp => self.data.dropped[DropReason::RetryLimit as usize] += 1,
            MpduFate::Purged => self.purged += 1,
        }
    }

    /// Data MPDUs that ended otherwise than by being sent.
    pub(crate) fn dropped(&self) -> u64 {
        self.data.dropped_sum() + self.purged
    }

    /// Checks the counters of the NIC with this number. Panics if they do not balance, which is our bug.
    pub(super) fn check(&self, i: usize) {
        assert_eq!(
            self.data.accepted,
            self.data.sent + self.dropped() + u64::from(self.in_flight),
            "counters of air.nics[{i}]: accepted = sent + dropped + in flight"
        );
    }
}
