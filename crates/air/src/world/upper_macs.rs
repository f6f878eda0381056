//! The upper half of every NIC: airtcp's own MAC, or mac80211.

use airtcp_units::{Decibel, Instant};

use super::card_events::CardEvents;
use super::links::ChannelLinks;
use crate::border::{
    AccessCategory, Addresses, Backlog, BlockAckQuery, ControlFrame, HighMac, Mpdu, MpduFate, MpduHandle,
    PpduStatus, RateChain, Receiver, Requests, RxStatus, TxqId,
};
use crate::channel::Channel;
use crate::high::OwnMac;
use crate::linux_mac::{LinuxMac, LinuxRadios, Mac80211};
use crate::low::Context;
use crate::phy::TxVector;
use crate::{FrameHandle, NicId};

/// The upper half of all NICs: airtcp's own MAC and mac80211 as one. Each call goes to that of its NIC or queue. Where there is
/// no mac80211 the compiler leaves the second out.
#[derive(Debug)]
pub(super) struct UpperMacs<'a, M> {
    pub(super) own: OwnMac<'a, ChannelLinks>,
    /// What the library keeps for radios of mac80211.
    pub(super) linux: &'a mut LinuxRadios,
    pub(super) mac: &'a mut M,
    /// What happens at cards, for their interrupts.
    pub(super) cards: &'a mut CardEvents,
}

impl<M: Mac80211> UpperMacs<'_, M> {
    #[inline]
    fn is_linux(&self, nic: NicId) -> bool {
        M::PRESENT && self.linux.is_radio(nic)
    }

    #[inline]
    fn is_linux_queue(&self, txq: TxqId) -> bool {
        M::PRESENT && self.linux.is_queue(txq)
    }

    /// The frames of an MPDU, which was at its end for the card before, end for their host.
    pub(super) fn complete(
        &mut self,
        now: Instant,
        nic: NicId,
        mpdu: &Mpdu,
        fate: MpduFate,
        requests: &mut Requests,
    ) {
        if self.is_linux(nic) {
            self.linux().mpdu_done(now, nic, mpdu, fate, requests);
        } else {
            self.own.upper.complete(mpdu.handle, fate, requests, self.own.out);
        }
    }

    #[inline]
    fn linux(&mut self) -> LinuxMac<'_, ChannelLinks, M> {
        LinuxMac { radios: self.linux, mac: self.mac, links: self.own.links }
    }
}

/// The call for this NIC, made to its upper half.
macro_rules! of_nic {
    ($self:ident, $nic:ident, $call:ident($($argument:expr),*)) => {
        if $self.is_linux($nic) { $self.linux().$call($($argument),*) } else { $self.own.$call($($argument),*) }
    };
}

/// The call for this queue, made to its upper half.
macro_rules! of_queue {
    ($self:ident, $txq:ident, $call:ident($($argument:expr),*)) => {
        if $self.is_linux_queue($txq) { $self.linux().$call($($argument),*) } else { $self.own.$call($($argument),*) }
    };
}

impl<M: Mac80211> HighMac for UpperMacs<'_, M> {
    #[inline]
    fn pending(&mut self, now: Instant, nic: NicId, ac: AccessCategory) -> bool {
        of_nic!(self, nic, pending(now, nic, ac))
    }

    #[inline]
    fn next_txq(&mut self, now: Instant, nic: NicId, ac: AccessCategory) -> Option<TxqId> {
        of_nic!(self, nic, next_txq(now, nic, ac))
    }

    #[inline]
    fn dequeue(&mut self, now: Instant, txq: TxqId) -> Option<Mpdu> {
        of_queue!(self, txq, dequeue(now, txq))
    }

    #[inline]
    fn dequeue_while(&mut self, now: Instant, txq: TxqId, take: impl FnMut(Mpdu) -> bool) {
        of_queue!(self, txq, dequeue_while(now, txq, take));
    }

    #[inline]
    fn return_txq(&mut self, now: Instant, txq: TxqId, more: bool) {
        of_queue!(self, txq, return_txq(now, txq, more));
    }

    fn depth(&mut self, txq: TxqId) -> Option<u64> {
        of_queue!(self, txq, depth(txq))
    }

    fn backlog(&mut self, nic: NicId, tid: u8) -> Option<Backlog> {
        of_nic!(self, nic, backlog(nic, tid))
    }

    fn uplink_mode(&mut self, now: Instant, nic: NicId, station: NicId, more: Decibel) -> Option<TxVector> {
        of_nic!(self, nic, uplink_mode(now, nic, station, more))
    }

    #[inline]
    fn rates(&mut self, now: Instant, nic: NicId, mpdu: &Mpdu) -> RateChain {
        of_nic!(self, nic, rates(now, nic, mpdu))
    }

    #[inline]
    fn ppdu_done<'m>(
        &mut self,
        now: Instant,
        nic: NicId,
        receiver: Receiver,
        mpdus: impl Iterator<Item = &'m Mpdu>,
        status: &PpduStatus,
    ) {
        of_nic!(self, nic, ppdu_done(now, nic, receiver, mpdus, status));
    }

    #[inline]
    fn mpdu_done(&mut self, now: Instant, nic: NicId, mpdu: &Mpdu, fate: MpduFate, requests: &mut Requests) {
        if self.cards.any && self.cards.ended(nic, mpdu, fate) {
            if !self.is_linux(nic) {
                self.own.upper.move_window(mpdu, fate, requests);
            }
            return;
        }
        of_nic!(self, nic, mpdu_done(now, nic, mpdu, fate, requests));
    }

    #[inline(always)]
    fn mpdus_done<'m>(
        &mut self,
        now: Instant,
        nic: NicId,
        mpdus: impl Iterator<Item = &'m Mpdu>,
        fate: MpduFate,
        requests: &mut Requests,
    ) {
        if self.cards.any || self.is_linux(nic) {
            mpdus.for_each(|mpdu| self.mpdu_done(now, nic, mpdu, fate, requests));
        } else {
            self.own.mpdus_done(now, nic, mpdus, fate, requests);
        }
    }

    #[inline]
    fn rx(&mut self, now: Instant, nic: NicId, mpdus: &[Mpdu], status: &RxStatus, requests: &mut Requests) {
        if self.cards.any {
            let mac80211 = self.is_linux(nic);
            self.cards.arrived(nic, mpdus, mac80211);
        }
        of_nic!(self, nic, rx(now, nic, mpdus, status, requests));
    }

    fn rx_control(&mut self, now: Instant, nic: NicId, frame: &ControlFrame<'_>, status: &RxStatus) {
        of_nic!(self, nic, rx_control(now, nic, frame, status));
    }

    #[inline]
    fn take_requests(&mut self, requests: &mut Requests) {
        if M::PRESENT {
            self.linux().take_requests(requests);
        }
    }

    fn frames(&self, nic: NicId, mpdu: &Mpdu) -> impl Iterator<Item = FrameHandle> {
        (!self.is_linux(nic)).then(|| self.own.frames(nic, mpdu)).into_iter().flatten()
    }

    fn octets(&mut self, nic: NicId, mpdu: &Mpdu) -> Option<MpduHandle> {
        of_nic!(self, nic, octets(nic, mpdu))
    }

    fn addresses(&mut self, nic: NicId, mpdu: &Mpdu) -> Option<Addresses> {
        of_nic!(self, nic, addresses(nic, mpdu))
    }

    fn block_ack(&mut self, query: &BlockAckQuery, bitmap: &mut [u8]) -> Option<u16> {
        let receiver = query.link.to;
        of_nic!(self, receiver, block_ack(query, bitmap))
    }
}

impl<M: Mac80211> Context for UpperMacs<'_, M> {
    #[inline]
    fn channel(&mut self) -> &mut Channel {
        &mut self.own.links.channel
    }
}
