//! What the lower half keeps for a queue of the upper half.

use std::collections::VecDeque;

use airtcp_units::Duration;

use crate::NicId;
use crate::border::{AccessCategory, Mpdu, MpduKind, RateChain, RateStage, TxqId};
use crate::low::cell::{Failure, RetryLimits};
use crate::phy::{FCS_BYTES, Format, MAC_HEADER_BYTES, QOS_CONTROL_BYTES, Width};

/// An MPDU that the lower half buffers, for its first attempt or for retry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) mpdu: Mpdu,
    /// PPDUs in which it was sent so far.
    pub(crate) tries: u32,
    /// Whether the last of them brought it to its receiver.
    pub(crate) arrived: bool,
    /// Time that it takes at the data rate it had when a card took it, if the card counts that.
    pub(super) airtime: Duration,
    /// Short and long retry count (IEEE 802.11-2020, 10.3.4.4).
    short: u32,
    long: u32,
    /// RTS frames without CTS, where they have a limit of their own.
    rts: u32,
}

/// MPDUs that wait.
#[derive(Debug, Default)]
pub(super) struct HeldCount {
    pub(super) mpdus: u32,
    /// Airtime at their data rates, if the card counts it.
    pub(super) airtime: Duration,
}

impl HeldCount {
    /// One more MPDU waits.
    #[inline]
    pub(super) fn add(&mut self, held: &Held) {
        self.mpdus += 1;
        self.airtime += held.airtime;
    }

    /// An MPDU does not wait any more.
    #[inline]
    pub(super) fn remove(&mut self, held: &Held) {
        self.mpdus -= 1;
        self.airtime = self.airtime - held.airtime;
    }
}

impl Held {
    /// An MPDU that was never sent.
    pub(super) const fn new(mpdu: Mpdu) -> Self {
        Self { mpdu, tries: 0, arrived: false, airtime: Duration::ZERO, short: 0, long: 0, rts: 0 }
    }

    /// Octets of the frame in it.
    pub(crate) fn frame_octets(&self) -> u32 {
        const AROUND: u32 = MAC_HEADER_BYTES + QOS_CONTROL_BYTES + FCS_BYTES;
        self.mpdu.bytes.saturating_sub(AROUND)
    }

    /// One more attempt failed; true if it was the last.
    #[inline]
    pub(super) fn fails(&mut self, failure: Failure, limits: &RetryLimits) -> bool {
        match failure {
            Failure::NotCleared if limits.rts.is_some() => self.rts += 1,
            Failure::NotCleared => self.short += 1,
            Failure::Short => (self.tries, self.short) = (self.tries + 1, self.short + 1),
            Failure::Long => (self.tries, self.long) = (self.tries + 1, self.long + 1),
        }
        self.is_worn(limits)
    }

    /// Whether no attempt is left.
    #[inline]
    pub(super) fn is_worn(&self, limits: &RetryLimits) -> bool {
        let worn = match (self.mpdu.kind, limits.block_ack_req) {
            (MpduKind::Aggregable, _) => self.short + self.long >= limits.subframe,
            (MpduKind::BlockAckReq, Some(limit)) => self.short + self.long >= limit,
            _ => self.short >= limits.short || self.long >= limits.long,
        };
        worn || limits.rts.is_some_and(|limit| self.rts >= limit)
    }
}

/// The first MPDU for a user of an exchange, and how it is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) txq: Option<TxqId>,
    pub(crate) held: Held,
    pub(crate) stage: RateStage,
    /// The width of the mode that rate control chose; a `BlockAckReq` is sent in another mode.
    pub(crate) width: Width,
    pub(crate) probe: bool,
}

impl Head {
    /// Whether it can share a PPDU with what is for others: data under block acknowledgement for one station that has HE or EHT. What
    /// samples a rate is sent alone.
    pub(crate) fn is_shareable(&self) -> bool {
        matches!(self.stage.tx.format, Format::He | Format::Eht)
            && self.held.mpdu.kind == MpduKind::Aggregable
            && self.held.mpdu.receiver.nic().is_some()
            && !self.probe
    }
}

/// MPDUs to repeat, and where the rate chain stands.
#[derive(Debug, Default)]
pub(super) struct TxqState {
    /// In the order of their sequence numbers; those that were dequeued but did not fit are at the end.
    pub(super) held: VecDeque<Held>,
    chain: Option<RateChain>,
    used: u32,
    /// Window of the block acknowledgement agreement, for a queue of mac80211.
    pub(super) window: Option<u16>,
    /// Owner of a mac80211 queue with buffered MPDUs.
    pub(super) owner: Option<(NicId, AccessCategory)>,
}

impl TxqState {
    /// The chain in use, if an attempt of it is left.
    #[inline]
    pub(super) fn chain(&self) -> Option<&RateChain> {
        self.chain.as_ref().filter(|chain| chain.stage(self.used).is_some())
    }

    /// Goes on with a chain of which so many attempts have failed.
    #[inline]
    pub(super) fn resume_chain(&mut self, chain: RateChain, used: u32) {
        (self.chain, self.used) = (Some(chain), used);
    }

    /// Begins a chain.
    #[inline]
    pub(super) fn begin_chain(&mut self, chain: RateChain) -> &RateChain {
        self.used = 0;
        self.chain.insert(chain)
    }

    /// Number of the next attempt in the chain, from 0.
    #[inline]
    pub(super) const fn used(&self) -> u32 {
        self.used
    }

    /// An attempt of the chain failed.
    #[inline]
    pub(super) fn attempt_failed(&mut self) {
        self.used += 1;
    }

    /// The chain is done with: the next PPDU asks anew.
    #[inline]
    pub(super) fn end_chain(&mut self) {
        (self.chain, self.used) = (None, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::Failure::{Long, NotCleared, Short};
    use super::*;
    use crate::border::{MpduHandle, Receiver};

    #[test]
    fn each_failure_counts_against_its_limit() {
        let mpdu = |kind| Mpdu {
            handle: MpduHandle(1),
            bytes: 1000,
            receiver: Receiver::One(NicId(0)),
            tid: 0,
            sequence: 0,
            kind,
        };
        let limits = RetryLimits { short: 4, long: 2, subframe: 6, rts: None, block_ack_req: None };
        let run_in = |limits, kind, failures: &[Failure]| {
            let mut held = Held::new(mpdu(kind));
            let last = failures.iter().map(|&failure| held.fails(failure, &limits)).collect::<Vec<_>>();
            (last, held.tries)
        };
        let run_of = |kind, failures: &[Failure]| run_in(limits, kind, failures);
        let run = |failures: &[Failure]| run_of(MpduKind::Data, failures);
        assert_eq!(run(&[Short; 4]), (vec![false, false, false, true], 4));
        assert_eq!(run(&[Long; 2]), (vec![false, true], 2));
        // An RTS is short, whatever it announces, and no attempt with the data.
        assert_eq!(run(&[NotCleared; 4]), (vec![false, false, false, true], 0));
        assert_eq!(run(&[NotCleared, Long, NotCleared, Short]), (vec![false; 4], 2));
        assert_eq!(run(&[NotCleared, Long, NotCleared, Long]), (vec![false, false, false, true], 2));
        // Under block acknowledgement all of them count against one limit.
        let mut last = vec![false; 5];
        last.push(true);
        let failures = [Long, Short, NotCleared, Long, Long, Short];
        assert_eq!(run_of(MpduKind::Aggregable, &failures), (last, 5));
        // A BlockAckReq is a short frame, unless it has a limit of its own.
        let request = MpduKind::BlockAckReq;
        assert_eq!(run_of(request, &[Short; 4]), (vec![false, false, false, true], 4));
        let once = RetryLimits { block_ack_req: Some(1), ..limits };
        assert_eq!(run_in(once, request, &[Short]), (vec![true], 1));
        // With a limit of their own RTS frames are no attempts.
        let apart = RetryLimits { rts: Some(3), ..limits };
        let failures = [NotCleared, Short, Short, NotCleared, Short, NotCleared];
        assert_eq!(
            run_in(apart, MpduKind::Data, &failures),
            (vec![false, false, false, false, false, true], 3)
        );
        let failures = [NotCleared, NotCleared, Long, Long];
        assert_eq!(run_in(apart, MpduKind::Data, &failures), (vec![false, false, false, true], 2));
    }
}
