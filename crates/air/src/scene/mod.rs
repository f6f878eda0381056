//! The whole air: channel, lower halves and upper halves, and the host's border to them.

mod build;
#[cfg(test)]
mod tests;

use airtcp_units::{Duration, Instant};

use crate::NicId;
use crate::channel::Channel;
use crate::high::{Action, Attached, Frame, Links, Upper};
use crate::low::{Low, Surroundings};
use crate::phy::Width;
use crate::rate::LinkState;

/// How a scene is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SceneOptions {
    /// Traffic time zero.
    pub(crate) epoch: Instant,
    /// Whether every PPDU is recorded.
    pub(crate) ppdu_trace: bool,
}

/// Every NIC's MAC, and the air between them.
#[derive(Debug)]
pub(crate) struct Scene {
    low: Low,
    upper: Upper,
    links: ChannelLinks,
    now: Instant,
}

/// The channel, and what of it is rate control's to know.
#[derive(Debug)]
struct ChannelLinks {
    channel: Channel,
    noisy: bool,
    /// Of each NIC's cell.
    widths: Vec<Width>,
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
}

impl Scene {
    /// A host gives a frame to its NIC.
    pub(crate) fn transmit(&mut self, now: Instant, nic: NicId, frame: Frame, out: &mut Vec<Action>) {
        self.pass(now);
        self.upper.transmit(now, nic, &frame, &mut self.low.wishes, out);
        let Self { low, upper, links, .. } = self;
        low.grant(now, &mut Attached { upper, links, out });
    }

    /// When [`Self::run`] must be called next.
    pub(crate) fn next_wakeup(&self) -> Instant {
        self.low.next_wakeup().min(self.upper.next_timeout()).min(self.links.channel.next_update())
    }

    /// Everything that is due at `now`: the channel changes first, then what was on the air ends.
    pub(crate) fn run(&mut self, now: Instant, out: &mut Vec<Action>) -> u64 {
        self.pass(now);
        if self.links.channel.next_update() <= now && self.links.channel.update(now) {
            self.low.rehear(now, &self.links.channel);
        }
        if self.upper.next_timeout() <= now {
            self.upper.expire(now, out);
        }
        let Self { low, upper, links, .. } = self;
        low.run(now, &mut Attached { upper, links, out })
    }

    fn pass(&mut self, now: Instant) {
        assert!(now >= self.now, "time runs backwards: {now} after {}", self.now);
        self.now = now;
    }

    /// The end: the books must balance.
    pub(crate) fn finish(&self) {
        self.upper.finish();
    }

    /// Time that a NIC's PPDUs took.
    pub(crate) fn airtime(&self, nic: NicId) -> Duration {
        self.low.airtime(nic)
    }
}
