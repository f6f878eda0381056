//! The channel as the two halves of the MAC see it.

use airtcp_units::Instant;

use crate::border::{Addresses, ControlFrame, Mpdu, MpduHandle, PpduStatus, Receiver, RxStatus, Wishes};
use crate::channel::Channel;
use crate::high::Links;
use crate::hosted::{Mac80211, Served};
use crate::low::Surroundings;
use crate::phy::Width;
use crate::rate::LinkState;
use crate::{FrameHandle, NicId};

/// The channel, and what of it is rate control's to know.
#[derive(Debug)]
pub(super) struct ChannelLinks {
    pub(super) channel: Channel,
    pub(super) noisy: bool,
    /// Of each NIC's cell.
    pub(super) widths: Vec<Width>,
}

impl Links for ChannelLinks {
    fn link_state(&mut self, now: Instant, from: NicId, to: NicId) -> LinkState {
        let snr_db = self.noisy.then(|| {
            let noise = self.channel.noise_mw(self.widths[from.index()]);
            10.0 * libm::log10(self.channel.power_mw(now, from, to) / noise)
        });
        LinkState { snr_db, rate_cap: self.channel.rate_cap(now, from, to) }
    }
}

impl<M: Mac80211> Surroundings for Served<'_, ChannelLinks, M> {
    #[inline]
    fn channel(&mut self) -> &mut Channel {
        &mut self.own.links.channel
    }

    #[inline]
    fn radio_ppdu_done<'m>(
        &mut self,
        now: Instant,
        link: (NicId, Receiver),
        mpdus: impl Iterator<Item = &'m Mpdu>,
        status: &PpduStatus,
    ) {
        self.teach(now, link, mpdus, status);
    }

    #[inline]
    fn add_wishes(&mut self, wishes: &mut Wishes) {
        self.take_wishes(wishes);
    }

    fn frames(&self, mpdu: MpduHandle) -> impl Iterator<Item = FrameHandle> {
        self.own.upper.frames(mpdu)
    }

    fn has_arrived(&mut self, link: (NicId, NicId), tid: u8, sequence: u16) -> bool {
        self.own.upper.has_arrived(link, tid, sequence)
    }

    fn addresses(&self, nic: NicId, mpdu: MpduHandle) -> Option<Addresses> {
        self.addresses_of(nic, mpdu)
    }

    fn block_ack(&self, asked: (Addresses, u8), bitmap: &mut [u8]) -> Option<u16> {
        self.block_ack_of(asked, bitmap)
    }

    fn hear(&mut self, now: Instant, nic: NicId, frame: &ControlFrame<'_>, status: &RxStatus) {
        self.overhear(now, nic, frame, status);
    }
}
