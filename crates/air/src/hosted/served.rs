//! Both kinds of upper halves, as the lower one calls them.

use airtcp_units::Instant;

use super::Mac80211;
use super::uppers::Hosted;
use crate::NicId;
use crate::border::{
    AccessCategory, Addresses, ControlFrame, HighMac, Mpdu, MpduFate, MpduHandle, PpduStatus, RateChain,
    Receiver, RxStatus, TxqId, Wishes,
};
use crate::high::{Attached, Links};

/// Airtcp's own MAC and mac80211. Where there is no mac80211 the compiler leaves the second out.
#[derive(Debug)]
pub(crate) struct Served<'a, L, M> {
    /// Airtcp's own.
    pub(crate) own: Attached<'a, L>,
    /// What the library keeps for radios of mac80211.
    pub(crate) hosted: &'a mut Hosted,
    /// mac80211.
    pub(crate) mac: &'a mut M,
}

impl<L, M: Mac80211> Served<'_, L, M> {
    #[inline]
    fn is_radio(&self, nic: NicId) -> bool {
        M::PRESENT && self.hosted.is_radio(nic)
    }

    #[inline]
    fn is_queue(&self, txq: TxqId) -> bool {
        M::PRESENT && self.hosted.is_queue(txq)
    }
}

impl<L: Links, M: Mac80211> HighMac for Served<'_, L, M> {
    #[inline]
    fn pending(&mut self, now: Instant, nic: NicId, ac: AccessCategory) -> bool {
        if self.is_radio(nic) { self.mac.has(nic, ac) } else { self.own.pending(now, nic, ac) }
    }

    #[inline]
    fn next_txq(&mut self, now: Instant, nic: NicId, ac: AccessCategory) -> Option<TxqId> {
        if self.is_radio(nic) {
            return self.mac.next_txq(now, nic, ac).map(|txq| self.hosted.asked(nic, txq));
        }
        self.own.next_txq(now, nic, ac)
    }

    #[inline]
    fn dequeue(&mut self, now: Instant, txq: TxqId) -> Option<Mpdu> {
        if self.is_queue(txq) {
            let mpdu = self.mac.dequeue(now, self.hosted.drivers(txq))?;
            return Some(self.hosted.take(self.hosted.owner(txq), Some(self.hosted.drivers(txq)), &mpdu));
        }
        self.own.dequeue(now, txq)
    }

    #[inline]
    fn return_txq(&mut self, now: Instant, txq: TxqId, more: bool) {
        if self.is_queue(txq) {
            self.mac.return_txq(now, self.hosted.drivers(txq), more);
        } else {
            self.own.return_txq(now, txq, more);
        }
    }

    #[inline]
    fn rates(&mut self, now: Instant, nic: NicId, mpdu: &Mpdu) -> RateChain {
        if !self.is_radio(nic) {
            return self.own.rates(now, nic, mpdu);
        }
        match &mut self.hosted.radio(nic).own_rates {
            Some(rates) => rates.chain(now, nic, mpdu, self.own.links),
            None => self.mac.rates(now, nic, mpdu.handle),
        }
    }

    #[inline]
    fn ppdu_done(&mut self, now: Instant, nic: NicId, receiver: Receiver, status: &PpduStatus) {
        self.own.ppdu_done(now, nic, receiver, status);
    }

    #[inline]
    fn mpdu_done(&mut self, now: Instant, nic: NicId, mpdu: &Mpdu, fate: MpduFate, wishes: &mut Wishes) {
        if self.is_radio(nic) {
            self.hosted.radio(nic).counts.ended(mpdu, fate);
            self.mac.mpdu_done(now, nic, mpdu.handle, fate);
        } else {
            self.own.mpdu_done(now, nic, mpdu, fate, wishes);
        }
    }

    #[inline]
    fn rx(&mut self, now: Instant, nic: NicId, mpdus: &[Mpdu], status: &RxStatus, wishes: &mut Wishes) {
        if !self.is_radio(nic) {
            return self.own.rx(now, nic, mpdus, status, wishes);
        }
        let mut handles = std::mem::take(&mut self.hosted.handles);
        handles.clear();
        handles.extend(mpdus.iter().map(|mpdu| mpdu.handle));
        self.mac.rx(now, nic, &handles, status);
        self.hosted.handles = handles;
        if let Some(witness) = &mut self.hosted.witness {
            let own = mpdus.iter().filter(|mpdu| mpdu.receiver == Receiver::One(nic));
            own.for_each(|mpdu| witness.receive(mpdu));
        }
        let mine = |mpdu: &&Mpdu| {
            mpdu.kind.carries_data() && [Receiver::Group, Receiver::One(nic)].contains(&mpdu.receiver)
        };
        let delivered = mpdus.iter().filter(mine).count() as u64;
        self.hosted.radio(nic).counts.data.delivered += delivered;
    }
}

impl<L, M: Mac80211> Served<'_, L, M> {
    /// A PPDU of a radio of mac80211 with these MPDUs has ended.
    pub(crate) fn teach<'m>(
        &mut self,
        now: Instant,
        (nic, receiver): (NicId, Receiver),
        mpdus: impl Iterator<Item = &'m Mpdu>,
        status: &PpduStatus,
    ) {
        let mut handles = std::mem::take(&mut self.hosted.handles);
        let mut data = false;
        handles.clear();
        handles.extend(mpdus.inspect(|mpdu| data |= mpdu.kind.carries_data()).map(|mpdu| mpdu.handle));
        self.mac.ppdu_done(now, nic, &handles, status);
        self.hosted.handles = handles;
        if let (true, Some(rates)) = (data, &mut self.hosted.radio(nic).own_rates) {
            rates.learn(now, receiver, status);
        }
    }

    /// Whose an MPDU of a radio of mac80211 is, and for whom, as far as it is known.
    pub(crate) fn addresses_of(&self, nic: NicId, mpdu: MpduHandle) -> Option<Addresses> {
        let witness = self.hosted.witness.as_ref().filter(|_| self.is_radio(nic))?;
        witness.addresses(mpdu)
    }

    /// Fills the bitmap of a `BlockAck` to this sender, and says with which number it begins.
    pub(crate) fn block_ack_of(&self, asked: (Addresses, u8), bitmap: &mut [u8]) -> Option<u16> {
        self.hosted.witness.as_ref()?.block_ack(asked, bitmap)
    }

    /// A radio that monitors hears a control frame.
    pub(crate) fn overhear(&mut self, now: Instant, nic: NicId, frame: &ControlFrame<'_>, status: &RxStatus) {
        self.mac.hear(now, nic, frame, status);
    }

    /// What mac80211 wants since it was last asked.
    #[inline]
    pub(crate) fn take_wishes(&mut self, wishes: &mut Wishes) {
        if M::PRESENT {
            while let Some(wish) = self.mac.wish() {
                wishes.push(self.hosted.wish(wish));
            }
        }
    }
}
