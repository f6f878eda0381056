//! What radios of mac80211 receive beside what is for them alone: frames to groups, and as monitors everything.

use airtcp_units::Instant;

use super::answers::no_bitmap;
use super::decoding::Part;
use super::ppdu::Ppdu;
use super::{Low, Surroundings};
use crate::NicId;
use crate::border::Receiver;
use crate::random::Purpose;

impl Low {
    /// Whether a NIC is a radio of mac80211.
    #[inline]
    pub(super) fn is_radio(&self, nic: NicId) -> bool {
        self.radios[nic].tuning.is_some()
    }

    fn monitors(&self, nic: NicId) -> bool {
        self.radios[nic].tuning.as_ref().is_some_and(|tuning| tuning.monitor)
    }

    /// A group frame goes to every radio that reads it; mac80211 knows what it is for. False if one that was there and hears it
    /// has not read it.
    pub(super) fn hand_over_to_radios(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        high: &mut impl Surroundings,
    ) -> bool {
        let m = self.radios[ppdu.from].medium;
        let mut by_all = true;
        for member in self.media[m].members.keys() {
            let to = self.media[m].members[member];
            if to == ppdu.from || !self.hears(to, ppdu.from) || !self.is_tuned(ppdu, to) {
                continue;
            }
            by_all &= self.hand_over_whole(now, ppdu, (to, Purpose::Data), high);
        }
        by_all
    }

    /// A monitor gets what was for others too, and what the lower halves of others make themselves. What was for groups it has got
    /// already.
    #[cold]
    pub(super) fn hand_over_to_monitors(&mut self, now: Instant, nic: NicId, high: &mut impl Surroundings) {
        let ppdu = self.air.take(nic);
        if self.is_radio(nic) && ppdu.mpdus.is_empty() {
            self.hand_over_control(now, &ppdu, high);
        } else if self.is_radio(nic) && ppdu.receiver != Receiver::Group {
            let m = self.radios[nic].medium;
            for member in self.media[m].members.keys() {
                let to = self.media[m].members[member];
                if self.monitors(to) && to != nic && ppdu.receiver != Receiver::One(to) {
                    self.hand_over_to_monitor(now, &ppdu, to, high);
                }
            }
        }
        self.air.put(ppdu);
    }

    /// A control frame that the lower half of a radio has made itself goes to those that monitor.
    fn hand_over_control(&mut self, now: Instant, ppdu: &Ppdu, high: &mut impl Surroundings) {
        let mut bitmap = no_bitmap();
        let Some(frame) = self.control_frame(ppdu, &mut bitmap, high) else { return };
        let m = self.radios[ppdu.from].medium;
        for member in self.media[m].members.keys() {
            let to = self.media[m].members[member];
            if self.monitors(to) && to != ppdu.from && self.reads_whole(ppdu, (to, Purpose::Overheard), high)
            {
                let status = self.status(ppdu, to, high);
                high.hear(now, to, &frame, &status);
            }
        }
    }

    /// Each MPDU of an aggregate is read or not for itself.
    fn hand_over_to_monitor(&mut self, now: Instant, ppdu: &Ppdu, to: NicId, high: &mut impl Surroundings) {
        if !ppdu.is_aggregate() {
            self.hand_over_whole(now, ppdu, (to, Purpose::Overheard), high);
            return;
        }
        let whole = Self::whole(ppdu, (to, Purpose::Overheard));
        if !self.is_tuned(ppdu, to) || !self.decoder.locks(high.channel(), ppdu, whole) {
            return;
        }
        let mut arrived = std::mem::take(&mut self.radios[to].arrived);
        arrived.clear();
        for (index, mpdu) in ppdu.mpdus.iter().enumerate() {
            let part = Part { span: ppdu.span(index), bytes: mpdu.bytes, ..whole };
            if self.decoder.reads(high.channel(), ppdu, part) {
                arrived.push(*mpdu);
            }
        }
        if !arrived.is_empty() {
            let status = self.status(ppdu, to, high);
            high.rx(now, to, &arrived, &status, &mut self.wishes);
        }
        self.radios[to].arrived = arrived;
    }

    /// Hands a PPDU over to a radio as a whole, if it reads it.
    fn hand_over_whole(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        (to, purpose): (NicId, Purpose),
        high: &mut impl Surroundings,
    ) -> bool {
        let reads = self.reads_whole(ppdu, (to, purpose), high);
        if reads {
            let status = self.status(ppdu, to, high);
            high.rx(now, to, &ppdu.mpdus, &status, &mut self.wishes);
        }
        reads
    }

    fn reads_whole(&mut self, ppdu: &Ppdu, listener: (NicId, Purpose), high: &mut impl Surroundings) -> bool {
        let part = Self::whole(ppdu, listener);
        self.is_tuned(ppdu, part.listener)
            && self.decoder.locks(high.channel(), ppdu, part)
            && self.decoder.reads(high.channel(), ppdu, part)
    }

    fn whole(ppdu: &Ppdu, (listener, purpose): (NicId, Purpose)) -> Part {
        Part { listener, span: (ppdu.payload_start(), ppdu.end), bytes: ppdu.psdu_bytes, purpose }
    }

    fn hears(&self, listener: NicId, sender: NicId) -> bool {
        let [there, from] = [listener, sender].map(|nic| &self.radios[nic]);
        let medium = &self.media[from.medium];
        there.medium == from.medium && medium.contention.hears(there.member, from.member)
    }
}
