//! Radios of mac80211 change their channel when they are in no exchange.

use airtcp_plan::RadioChannel;
use airtcp_units::Instant;

use super::Exchanges;
use crate::NicId;
use crate::low::Low;
use crate::low::contention::AccessFunction;
use crate::low::context::Context;

impl Exchanges {
    /// Whether a NIC would be on another channel, but for its exchange.
    #[inline]
    pub(super) fn will_leave(&self, nic: NicId) -> bool {
        self.retuning.iter().any(|&(other, _)| other == nic)
    }

    /// Whether a radio waits to be on another channel.
    #[inline]
    pub(crate) fn any_will_leave(&self) -> bool {
        !self.retuning.is_empty()
    }
}

impl Low {
    /// Whether a NIC is in an exchange or will answer something, so that it can't leave its channel.
    fn is_engaged(&self, nic: NicId) -> bool {
        let radio = &self.exchanges.radios[nic];
        radio.exchange.is_some() || radio.answer.is_some() || self.on_air.ppdu(nic).on_air
    }

    /// A radio of mac80211 is to be on another channel, or off.
    pub(crate) fn tune(
        &mut self,
        now: Instant,
        nic: NicId,
        channel: Option<RadioChannel>,
        high: &mut impl Context,
    ) {
        let listed = self.exchanges.retuning.iter().position(|&(other, _)| other == nic);
        match (self.is_engaged(nic), listed) {
            (true, Some(place)) => self.exchanges.retuning[place].1 = channel,
            (true, None) => self.exchanges.retuning.push((nic, channel)),
            (false, listed) => {
                listed.map(|place| self.exchanges.retuning.remove(place));
                self.retune(now, nic, channel, high);
            }
        }
    }

    /// Radios whose exchange is over change to the channel that is wanted.
    #[cold]
    pub(crate) fn retune_free(&mut self, now: Instant, high: &mut impl Context) {
        let mut place = 0;
        while let Some(&(nic, channel)) = self.exchanges.retuning.get(place) {
            if self.is_engaged(nic) {
                place += 1;
                continue;
            }
            self.exchanges.retuning.remove(place);
            self.retune(now, nic, channel, high);
        }
    }

    fn retune(&mut self, now: Instant, nic: NicId, channel: Option<RadioChannel>, high: &mut impl Context) {
        if self.on_air.retune(now, nic, channel, high.channel()) {
            for function in AccessFunction::ALL {
                self.contend_if_pending(now, nic, function, high);
            }
        }
    }
}
