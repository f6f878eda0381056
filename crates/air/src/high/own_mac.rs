//! The upper half as the lower one calls it.

use airtcp_units::{Decibel, Instant};

use super::host::Action;
use super::upper::{Links, Upper};
use crate::border::{
    AccessCategory, Backlog, BlockAckQuery, HighMac, Link, Mpdu, MpduFate, PpduStatus, RateChain, Receiver,
    Requests, RxStatus, TxqId, bitmap_octet,
};
use crate::phy::TxVector;
use crate::{FrameHandle, NicId};

/// An [`Upper`] with what its answers need for the time of a call: the channel's links, and the host's list of actions.
#[derive(Debug)]
pub(crate) struct OwnMac<'a, L> {
    /// The upper halves.
    pub(crate) upper: &'a mut Upper,
    /// The channel.
    pub(crate) links: &'a mut L,
    /// What the host must do.
    pub(crate) out: &'a mut Vec<Action>,
}

impl<L: Links> HighMac for OwnMac<'_, L> {
    #[inline]
    fn pending(&mut self, _now: Instant, nic: NicId, ac: AccessCategory) -> bool {
        self.upper.nic(nic).queues.has(ac)
    }

    #[inline]
    fn next_txq(&mut self, _now: Instant, nic: NicId, ac: AccessCategory) -> Option<TxqId> {
        self.upper.next_txq(nic, ac)
    }

    #[inline]
    fn dequeue(&mut self, now: Instant, txq: TxqId) -> Option<Mpdu> {
        self.upper.pull(txq).next(now, self.out)
    }

    #[inline]
    fn dequeue_while(&mut self, now: Instant, txq: TxqId, mut take: impl FnMut(Mpdu) -> bool) {
        let mut pull = self.upper.pull(txq);
        while pull.next(now, self.out).is_some_and(&mut take) {}
    }

    #[inline]
    fn return_txq(&mut self, now: Instant, txq: TxqId, more: bool) {
        self.upper.return_txq(now, txq, more);
    }

    fn depth(&mut self, txq: TxqId) -> Option<u64> {
        Some(self.upper.depth(txq))
    }

    fn backlog(&mut self, nic: NicId, tid: u8) -> Option<Backlog> {
        Some(self.upper.backlog_to_access_point(nic, tid))
    }

    fn uplink_mode(&mut self, now: Instant, nic: NicId, station: NicId, more: Decibel) -> Option<TxVector> {
        Some(self.upper.uplink_mode(now, Link { from: station, to: nic }, more, self.links))
    }

    #[inline]
    fn rates(&mut self, now: Instant, nic: NicId, mpdu: &Mpdu) -> RateChain {
        self.upper.rates(now, nic, mpdu, self.links)
    }

    #[inline]
    fn ppdu_done<'m>(
        &mut self,
        now: Instant,
        nic: NicId,
        receiver: Receiver,
        mut mpdus: impl Iterator<Item = &'m Mpdu>,
        status: &PpduStatus,
    ) {
        // Control frames and beacons teach nothing about the rates of data, and neither does what goes in a mode of another's choice.
        if !status.solicited && mpdus.next().is_some_and(|first| first.kind.carries_data()) {
            self.upper.ppdu_done(now, nic, receiver, status);
        }
    }

    #[inline]
    fn mpdu_done(
        &mut self,
        _now: Instant,
        _nic: NicId,
        mpdu: &Mpdu,
        fate: MpduFate,
        requests: &mut Requests,
    ) {
        self.upper.mpdu_done(mpdu, fate, requests, self.out);
    }

    #[inline]
    fn rx(&mut self, now: Instant, nic: NicId, mpdus: &[Mpdu], status: &RxStatus, _wishes: &mut Requests) {
        self.upper.rx(now, nic, mpdus, status, self.out);
    }

    fn frames(&self, _nic: NicId, mpdu: &Mpdu) -> impl Iterator<Item = FrameHandle> {
        mpdu.kind.carries_data().then(|| self.upper.frames(mpdu.handle)).into_iter().flatten()
    }

    /// The buffer of a receiver records what a `BlockAckReq` asks about. (An MPDU of an aggregate may have been released already.)
    fn block_ack(&mut self, query: &BlockAckQuery, bitmap: &mut [u8]) -> Option<u16> {
        if !query.requested {
            return None;
        }
        for (octet, number) in bitmap.iter_mut().zip((0..).step_by(8)) {
            let has = |sequence| self.upper.has_arrived(query.link, query.tid, sequence);
            *octet = bitmap_octet(query.start.wrapping_add(number), has);
        }
        Some(query.start)
    }
}
