//! The channel as the two halves of the MAC see it.

use airtcp_units::Instant;

use crate::NicId;
use crate::channel::Channel;
use crate::high::Links;
use crate::phy::Width;
use crate::rate::LinkState;

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
