//! mac80211 as the upper half of its radios.

use airtcp_units::Instant;

use super::Mac80211;
use super::block_ack_tracker::Agreement;
use super::radios::LinuxRadios;
use crate::border::{
    AccessCategory, Addresses, BlockAckQuery, ControlFrame, HighMac, Mpdu, MpduFate, MpduHandle, PpduStatus,
    RateChain, Receiver, Requests, RxStatus, TxqId,
};
use crate::high::Links;
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
        if let (true, Some(rates)) = (data, &mut self.radios.radio(nic).own_rates) {
            rates.learn(now, receiver, status);
        }
    }

    #[inline]
    fn mpdu_done(&mut self, now: Instant, nic: NicId, mpdu: &Mpdu, fate: MpduFate, _requests: &mut Requests) {
        self.radios.radio(nic).counts.ended(mpdu, fate);
        self.mac.mpdu_done(now, nic, mpdu.handle, fate);
    }

    fn rx(&mut self, now: Instant, nic: NicId, mpdus: &[Mpdu], status: &RxStatus, _requests: &mut Requests) {
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
        Some(mpdu.handle)
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
