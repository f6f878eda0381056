//! The upper half as the lower one calls it.

use airtcp_units::Instant;

use super::host::Action;
use super::upper::{Links, Upper};
use crate::NicId;
use crate::border::{
    AccessCategory, HighMac, Mpdu, MpduFate, PpduStatus, RateChain, Receiver, RxStatus, TxqId, Wishes,
};

/// An [`Upper`] with what its answers need for the time of a call: the channel's links, and the host's list of actions.
#[derive(Debug)]
pub(crate) struct Attached<'a, L> {
    /// The upper halves.
    pub(crate) upper: &'a mut Upper,
    /// The channel.
    pub(crate) links: &'a mut L,
    /// What the host must do.
    pub(crate) out: &'a mut Vec<Action>,
}

impl<L: Links> HighMac for Attached<'_, L> {
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
        self.upper.dequeue(now, txq, self.out)
    }

    #[inline]
    fn return_txq(&mut self, now: Instant, txq: TxqId, more: bool) {
        self.upper.return_txq(now, txq, more);
    }

    #[inline]
    fn rates(&mut self, now: Instant, nic: NicId, mpdu: &Mpdu) -> RateChain {
        self.upper.rates(now, nic, mpdu, self.links)
    }

    #[inline]
    fn ppdu_done(&mut self, now: Instant, nic: NicId, receiver: Receiver, status: &PpduStatus) {
        self.upper.ppdu_done(now, nic, receiver, status);
    }

    #[inline]
    fn mpdu_done(&mut self, _now: Instant, _nic: NicId, mpdu: &Mpdu, fate: MpduFate, wishes: &mut Wishes) {
        self.upper.mpdu_done(mpdu, fate, wishes, self.out);
    }

    #[inline]
    fn rx(&mut self, now: Instant, nic: NicId, mpdus: &[Mpdu], status: &RxStatus, _wishes: &mut Wishes) {
        self.upper.rx(now, nic, mpdus, status, self.out);
    }
}
