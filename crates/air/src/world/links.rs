//! The channel as the two halves of the MAC see it.

use airtcp_units::Instant;

use crate::border::MpduHandle;
use crate::channel::Channel;
use crate::high::{Attached, Links};
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
            let noise = self.channel.noise_mw(self.widths[from.0 as usize]);
            10.0 * libm::log10(self.channel.power_mw(now, from, to) / noise)
        });
        LinkState { snr_db, rate_cap: self.channel.rate_cap(now, from, to) }
    }
}

impl Surroundings for Attached<'_, ChannelLinks> {
    #[inline]
    fn channel(&mut self) -> &mut Channel {
        &mut self.links.channel
    }

    fn frames(&self, mpdu: MpduHandle) -> impl Iterator<Item = FrameHandle> {
        self.upper.frames(mpdu)
    }

    fn has_arrived(&mut self, link: (NicId, NicId), tid: u8, sequence: u16) -> bool {
        self.upper.has_arrived(link, tid, sequence)
    }
}
