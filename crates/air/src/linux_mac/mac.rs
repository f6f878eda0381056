//! mac80211 as the upper half of its radios.

use airtcp_units::{Decibel, Instant};

use super::Mac80211;
use super::block_ack_tracker::Agreement;
use super::radios::LinuxRadios;
use crate::border::{
    AccessCategory, Addresses, Backlog, BlockAckQuery, ControlFrame, HighMac, Link, Mpdu, MpduFate,
    MpduHandle, PpduStatus, RateChain, Receiver, Requests, RxStatus, TxqId,
};
use crate::high::Links;
use crate::phy::TxVector;
use crate::{FrameHandle, NicId};

/// A [`Mac80211`] with what the library keeps for its radios, for the time of a call. All NICs and queues it is asked about are
/// mac80211's.
#[derive(Debug)]
pub(crate) struct LinuxMac<'a, L, M> {
    /// What is not in the kernel.
    pub(crate) radios: &'a mut LinuxRadios,
    /// The kernel.
    pub(crate) mac: &'a mut M,
    /// The channel.
    pub(crate) links: &'a mut L,
}

impl<L: Links, M: Mac80211> HighMac for LinuxMac<'_, L, M> {
    #[inline]
    fn pending(&mut self, _now: Instant, nic: NicId, ac: AccessCategory) -> bool {
        self.mac.has(nic, ac)
    }

    #[inline]
    fn next_txq(&mut self, now: Instant, nic: NicId, ac: AccessCategory) -> Option<TxqId> {
        self.mac.next_txq(now, nic, ac).map(|txq| self.radios.asked(nic, txq))
    }

    #[inline]
    fn dequeue(&mut self, now: Instant, txq: TxqId) -> Option<Mpdu> {
        let driver = self.radios.drivers(txq);
        let mpdu = self.mac.dequeue(now, driver)?;
        Some(self.radios.take(self.radios.owner(txq), Some(driver), &mpdu))
    }

    #[inline]
    fn return_txq(&mut self, now: Instant, txq: TxqId, more: bool) {
        self.mac.return_txq(now, self.radios.drivers(txq), more);
    }

    fn backlog(&mut self, nic: NicId, tid: u8) -> Option<Backlog> {
        let driver = self.mac.uplink_txq(nic, tid)?;
        Some(Backlog { txq: self.radios.asked(nic, driver), octets: self.mac.depth(driver) })
    }

    fn depth(&mut self, txq: TxqId) -> Option<u64> {
        Some(self.mac.depth(self.radios.drivers(txq)))
    }

    /// Of the kernel's rate control, which has no modes of HE, nothing is known.
    fn uplink_mode(&mut self, now: Instant, nic: NicId, station: NicId, more: Decibel) -> Option<TxVector> {
        let link = Link { from: station, to: nic };
        self.radios.radio(nic).own_rates.as_mut()?.uplink_mode(now, link, more, self.links)
    }

    #[inline]
    fn rates(&mut self, now: Instant, nic: NicId, mpdu: &Mpdu) -> RateChain {
        if let Some(rates) = &mut self.radios.radio(nic).own_rates {
            return rates.chain(now, nic, mpdu, self.links);
        }
        let chain = self.mac.rates(now, nic, mpdu.handle);
        match mpdu.receiver {
            Receiver::One(to) => chain.to_receiver(self.radios.paddings[to.index()]),
            Receiver::Group | Receiver::Absent => chain,
        }
    }

    fn ppdu_done<'m>(
        &mut self,
        now: Instant,
        nic: NicId,
        receiver: Receiver,
        mpdus: impl Iterator<Item = &'m Mpdu>,
        status: &PpduStatus,
    ) {
        let mut handles = std::mem::take(&mut self.radios.handles);
        let mut data = false;
        handles.clear();
        handles.extend(mpdus.inspect(|mpdu| data |= mpdu.kind.carries_data()).map(|mpdu| mpdu.handle));
        let response = receiver.nic().filter(|_| status.answered).map(|peer| self.links.power(peer, nic));
        self.mac.ppdu_done(now, nic, &handles, status, response);
        self.radios.handles = handles;
        if let (true, Some(rates)) = (data && !status.solicited, &mut self.radios.radio(nic).own_rates) {
            rates.learn(now, receiver, status);
        }
    }

    #[inline]
    fn mpdu_done(&mut self, now: Instant, nic: NicId, mpdu: &Mpdu, fate: MpduFate, _requests: &mut Requests) {
        self.radios.radio(nic).counts.ended(mpdu, fate);
        self.mac.mpdu_done(now, nic, mpdu.handle, fate);
    }

    fn rx(&mut self, now: Instant, nic: NicId, mpdus: &[Mpdu], status: &RxStatus, _requests: &mut Requests) {
        if mpdus.iter().all(|mpdu| mpdu.handle == MpduHandle::NONE) {
            // The lower half of the sender has asked for a `BlockAck`, which is the lower half's business here too.
            return;
        }
        let mut handles = std::mem::take(&mut self.radios.handles);
        handles.clear();
        handles.extend(mpdus.iter().map(|mpdu| mpdu.handle));
        self.mac.rx(now, nic, &handles, status);
        self.radios.handles = handles;
        if let Some(tracker) = &mut self.radios.tracker {
            let own = mpdus.iter().filter(|mpdu| mpdu.receiver == Receiver::One(nic));
            own.for_each(|mpdu| tracker.receive(mpdu));
        }
        let mine = |mpdu: &&Mpdu| {
            mpdu.kind.carries_data() && [Receiver::Group, Receiver::One(nic)].contains(&mpdu.receiver)
        };
        let delivered = mpdus.iter().filter(mine).count() as u64;
        self.radios.radio(nic).counts.data.delivered += delivered;
    }

    fn rx_control(&mut self, now: Instant, nic: NicId, frame: &ControlFrame<'_>, status: &RxStatus) {
        self.mac.hear(now, nic, frame, status);
    }

    #[inline]
    fn take_requests(&mut self, requests: &mut Requests) {
        while let Some(request) = self.mac.request() {
            requests.push(self.radios.request(request));
        }
    }

    /// Hosts give their frames to the kernel.
    fn frames(&self, _nic: NicId, _mpdu: &Mpdu) -> impl Iterator<Item = FrameHandle> {
        std::iter::empty()
    }

    fn octets(&mut self, _nic: NicId, mpdu: &Mpdu) -> Option<MpduHandle> {
        Some(mpdu.handle).filter(|&handle| handle != MpduHandle::NONE)
    }

    fn addresses(&mut self, _nic: NicId, mpdu: &Mpdu) -> Option<Addresses> {
        self.radios.addresses(mpdu)
    }

    fn block_ack(&mut self, query: &BlockAckQuery, bitmap: &mut [u8]) -> Option<u16> {
        let addresses = query.addresses?;
        let tracker = self.radios.tracker.as_ref();
        let start =
            tracker.and_then(|tracker| tracker.block_ack(Agreement { addresses, tid: query.tid }, bitmap));
        Some(start.unwrap_or(query.start))
    }
}
