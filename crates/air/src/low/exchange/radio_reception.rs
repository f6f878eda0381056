//! What radios of mac80211 receive beside what is for them alone: frames to groups, and as monitors everything.

use airtcp_units::Instant;

use crate::NicId;
use crate::border::Receiver;
use crate::low::noted::no_bitmap;
use crate::low::on_air::{Part, Ppdu, PpduUser, UserId};
use crate::low::{Low, LowerMacContext};
use crate::random::Purpose;

impl Low {
    /// Whether a group frame is for every radio on the channel, not only for its sender's cell.
    #[inline]
    pub(crate) fn is_for_channel(&self, ppdu: &Ppdu) -> bool {
        self.radios[ppdu.from].capabilities.filters_groups_above && ppdu.carries_mpdus()
    }

    /// A group frame goes to every radio that decodes it; mac80211 knows what it is for. False if one that was there and hears it has
    /// not decoded it.
    pub(crate) fn deliver_to_radios(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        user: UserId,
        high: &mut impl LowerMacContext,
    ) -> bool {
        let m = self.radios[ppdu.from].medium;
        let mut by_all = true;
        for member in self.media[m].members.keys() {
            let to = self.media[m].members[member];
            if to == ppdu.from || !self.hears(to, ppdu) || !self.is_tuned(ppdu, to) {
                continue;
            }
            by_all &= self.deliver_whole(now, ppdu, user, ppdu.psdu_part(user, to, Purpose::Data), high);
        }
        by_all
    }

    /// A monitor gets what was for others too, and what the lower halves of others make themselves. What was for groups it has got
    /// already.
    #[cold]
    pub(crate) fn deliver_to_monitors(&mut self, now: Instant, ppdu: &Ppdu, high: &mut impl LowerMacContext) {
        if !ppdu.carries_mpdus() {
            self.deliver_control(now, ppdu, high);
            return;
        }
        let m = self.radios[ppdu.from].medium;
        for (user, PpduUser { receiver, .. }) in ppdu.users.enumerate() {
            if *receiver == Receiver::Group {
                continue;
            }
            for member in self.media[m].members.keys() {
                let to = self.media[m].members[member];
                if self.radios[to].monitor && to != ppdu.from && *receiver != Receiver::One(to) {
                    self.deliver_to_monitor(now, ppdu, user, to, high);
                }
            }
        }
    }

    /// A control frame that the lower half of a radio has made itself goes to those that monitor.
    fn deliver_control(&mut self, now: Instant, ppdu: &Ppdu, high: &mut impl LowerMacContext) {
        let mut bitmap = no_bitmap();
        let Some(frame) = self.control_frame(ppdu, &mut bitmap, high) else { return };
        let user = UserId::FIRST;
        let m = self.radios[ppdu.from].medium;
        for member in self.media[m].members.keys() {
            let to = self.media[m].members[member];
            let whole = ppdu.psdu_part(user, to, Purpose::Overheard);
            if self.radios[to].monitor && to != ppdu.from && self.decodes_whole(ppdu, whole, high) {
                let status = self.status(ppdu, user, to, high);
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
        high: &mut impl LowerMacContext,
    ) {
        let whole = ppdu.psdu_part(user, to, Purpose::Overheard);
        if !ppdu.is_aggregate(user) {
            self.deliver_whole(now, ppdu, user, whole, high);
            return;
        }
        if !self.is_tuned(ppdu, to) || !self.decoder.synchronises(high.channel(), ppdu, whole) {
            return;
        }
        let mut arrived = std::mem::take(&mut self.radios[to].arrived);
        arrived.clear();
        for (index, mpdu) in ppdu.mpdus[user].iter().enumerate() {
            if self.decoder.decodes(high.channel(), ppdu, ppdu.mpdu_part(user, index, whole)) {
                arrived.push(*mpdu);
            }
        }
        if !arrived.is_empty() {
            let status = self.status(ppdu, user, to, high);
            high.rx(now, to, &arrived, &status, &mut self.requests);
        }
        self.radios[to].arrived = arrived;
    }

    /// Delivers the PSDU of a user to a radio as a whole, if it decodes it.
    fn deliver_whole(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        user: UserId,
        whole: Part,
        high: &mut impl LowerMacContext,
    ) -> bool {
        let decodes = self.decodes_whole(ppdu, whole, high);
        if decodes {
            let status = self.status(ppdu, user, whole.listener, high);
            high.rx(now, whole.listener, &ppdu.mpdus[user], &status, &mut self.requests);
        }
        decodes
    }

    fn decodes_whole(&mut self, ppdu: &Ppdu, whole: Part, high: &mut impl LowerMacContext) -> bool {
        self.is_tuned(ppdu, whole.listener)
            && self.decoder.synchronises(high.channel(), ppdu, whole)
            && self.decoder.decodes(high.channel(), ppdu, whole)
    }

    fn hears(&self, listener: NicId, ppdu: &Ppdu) -> bool {
        let [there, from] = [listener, ppdu.from].map(|nic| &self.radios[nic]);
        let medium = &self.media[from.medium];
        there.medium == from.medium && medium.contention.hears(there.member, from.member, ppdu.width)
    }
}
