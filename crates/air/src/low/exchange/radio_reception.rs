//! What radios of mac80211 receive beside what is for them alone: frames to groups, and as monitors everything.

use airtcp_units::Instant;

use crate::NicId;
use crate::border::Receiver;
use crate::low::Low;
use crate::low::context::Context;
use crate::low::noted::no_bitmap;
use crate::low::on_air::{Part, Ppdu, PpduUser, UserId};
use crate::random::Purpose;

impl Low {
    /// Whether a group frame is for every radio on the channel, not only for its sender's cell.
    #[inline]
    pub(super) fn is_for_channel(&self, ppdu: &Ppdu) -> bool {
        self.exchanges.radios[ppdu.from].capabilities.filters_groups_above && ppdu.carries_mpdus()
    }

    /// A group frame goes to every radio that decodes it; mac80211 knows what it is for. False if one that was there and hears it has
    /// not decoded it.
    pub(super) fn deliver_to_radios(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        user: UserId,
        high: &mut impl Context,
    ) -> bool {
        let mut by_all = true;
        for place in 0..self.on_air.members(ppdu.place.medium).len() {
            let to = self.on_air.members(ppdu.place.medium)[place];
            if to == ppdu.from || !self.on_air.hears(to, ppdu) || !self.on_air.is_tuned(ppdu, to) {
                continue;
            }
            by_all &= self.deliver_whole(now, ppdu, user, ppdu.psdu_part(user, to, Purpose::Data), high);
        }
        by_all
    }

    /// A monitor gets what was for others too, and what the lower halves of others make themselves. What was for groups it has got
    /// already.
    #[cold]
    pub(super) fn deliver_to_monitors(&mut self, now: Instant, ppdu: &Ppdu, high: &mut impl Context) {
        if !ppdu.carries_mpdus() || ppdu.is_made_below() {
            self.deliver_control(now, ppdu, high);
            return;
        }
        for (user, PpduUser { receiver, .. }) in ppdu.users.enumerate() {
            if *receiver == Receiver::Group {
                continue;
            }
            for place in 0..self.on_air.members(ppdu.place.medium).len() {
                let to = self.on_air.members(ppdu.place.medium)[place];
                if self.exchanges.radios[to].monitors && to != ppdu.from && *receiver != Receiver::One(to) {
                    self.deliver_to_monitor(now, ppdu, user, to, high);
                }
            }
        }
    }

    /// A control frame that the lower half of a radio has made itself goes to those that monitor.
    fn deliver_control(&mut self, now: Instant, ppdu: &Ppdu, high: &mut impl Context) {
        let mut bitmap = no_bitmap();
        let announced = self.buffers.psdus(ppdu.from);
        let Some(frame) = self.notes.control_frame(ppdu, announced, &mut bitmap, high) else { return };
        let user = UserId::FIRST;
        for place in 0..self.on_air.members(ppdu.place.medium).len() {
            let to = self.on_air.members(ppdu.place.medium)[place];
            let whole = ppdu.psdu_part(user, to, Purpose::Overheard);
            if self.exchanges.radios[to].monitors
                && to != ppdu.from
                && self.on_air.receives(ppdu, whole, high.channel())
            {
                let status = self.on_air.status(ppdu, user, to, high.channel());
                high.rx_control(now, to, &frame, &status);
            }
        }
    }

    /// Each MPDU of an aggregate is decoded or not for itself.
    fn deliver_to_monitor(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        user: UserId,
        to: NicId,
        high: &mut impl Context,
    ) {
        if !ppdu.is_aggregate(user) {
            let whole = ppdu.psdu_part(user, to, Purpose::Overheard);
            self.deliver_whole(now, ppdu, user, whole, high);
            return;
        }
        let arrived = &mut self.exchanges.radios[to].arrived;
        arrived.clear();
        self.on_air.receives_of(ppdu, user, to, high.channel(), arrived);
        if !arrived.is_empty() {
            let status = self.on_air.status(ppdu, user, to, high.channel());
            high.rx(now, to, arrived, &status, &mut self.requests);
        }
    }

    /// Delivers the PSDU of a user to a radio as a whole, if it decodes it.
    pub(super) fn deliver_whole(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        user: UserId,
        whole: Part,
        high: &mut impl Context,
    ) -> bool {
        let decodes = self.on_air.receives(ppdu, whole, high.channel());
        if decodes {
            let status = self.on_air.status(ppdu, user, whole.listener, high.channel());
            high.rx(now, whole.listener, &ppdu.mpdus[user], &status, &mut self.requests);
        }
        decodes
    }
}
