//! What the users of a PPDU receive of it.

use super::OnAir;
use super::ppdu::{OwnTrigger, Part, Ppdu, Preamble, Reception};
use super::users::UserId;
use crate::border::{Mpdu, Receiver, RxStatus};
use crate::channel::Channel;
use crate::phy::Format;
use crate::random::Purpose;
use crate::{NicId, PpduKind};

impl OnAir {
    /// Decides what each user decodes of a PPDU that has ended.
    #[inline(always)]
    pub(crate) fn judge(&mut self, ppdu: &mut Ppdu, channel: &mut Channel) {
        ppdu.users.ids().each(
            #[inline(always)]
            |user| ppdu.users[user].decoded = self.judge_user(ppdu, user, channel),
        );
    }

    /// What a user decodes of a PPDU; true if anything. A group's members are judged one by one when it is delivered.
    #[inline(always)]
    fn judge_user(&mut self, ppdu: &mut Ppdu, user: UserId, channel: &mut Channel) -> bool {
        let to = match ppdu.users[user].receiver {
            Receiver::Group => return true,
            Receiver::One(to) => Some(to).filter(|&to| self.is_tuned(ppdu, to)),
            Receiver::Absent => None,
        };
        let Some(to) = to else {
            ppdu.received[user].iter_mut().for_each(|r| *r = Reception::Lost);
            return false;
        };
        let purpose = match ppdu.kind {
            PpduKind::Data
            | PpduKind::Rts
            | PpduKind::BlockAckReq
            | PpduKind::Trigger
            | PpduKind::Beacon
            | PpduKind::Management
            | PpduKind::QosNull => Purpose::Data,
            PpduKind::Ack | PpduKind::BlockAck | PpduKind::Cts | PpduKind::MultiStaBlockAck => {
                Purpose::Response
            }
        };
        let whole = ppdu.psdu_part(user, to, purpose);
        if !self.is_synchronised(ppdu, user, whole, channel)
            || ppdu.shares_ru() && self.decoder.prefers_in_ru(channel, ppdu, to)
        {
            ppdu.received[user].iter_mut().for_each(|r| *r = Reception::Lost);
            return false;
        }
        if ppdu.kind != PpduKind::Data {
            let mut decoded = self.decoder.decodes(channel, ppdu, whole);
            if decoded && ppdu.kind == PpduKind::BlockAckReq {
                // It goes where data goes, and its answer reports to mac80211 that the station is there.
                let loss = channel.extra_loss(ppdu.start, ppdu.from, to);
                decoded = self.decoder.happens(1.0 - loss, ppdu.from, whole);
            }
            let result = if decoded { Reception::Good } else { Reception::Lost };
            if let Some(only) = ppdu.received[user].first_mut() {
                *only = result;
            }
            return decoded;
        }
        if ppdu.is_undisturbed() {
            self.judge_undisturbed(ppdu, user, whole, channel);
        } else {
            self.judge_disturbed(ppdu, user, whole, channel);
        }
        if ppdu.users[user].own_trigger.is_some() {
            self.judge_trigger(ppdu, user, whole, channel);
        }
        ppdu.received[user].contains(&Reception::Good) || ppdu.users[user].has_own_trigger()
    }

    /// Decides whether a user decodes the trigger frame at the end of its PSDU.
    #[inline(never)]
    fn judge_trigger(&mut self, ppdu: &mut Ppdu, user: UserId, whole: Part, channel: &mut Channel) {
        let Some(OwnTrigger { bytes, .. }) = ppdu.users[user].own_trigger else { return };
        let part = ppdu.trigger_part(user, bytes, whole);
        let loss = channel.extra_loss(ppdu.start, ppdu.from, whole.listener);
        let decoded =
            self.decoder.decodes(channel, ppdu, part) && self.decoder.happens(1.0 - loss, ppdu.from, part);
        ppdu.users[user].own_trigger = Some(OwnTrigger { bytes, decoded });
    }

    #[inline(never)]
    fn judge_disturbed(&mut self, ppdu: &mut Ppdu, user: UserId, whole: Part, channel: &mut Channel) {
        for index in 0..ppdu.mpdus[user].len() {
            if ppdu.received[user][index] == Reception::Open {
                ppdu.received[user][index] = self.judge_mpdu(ppdu, user, index, whole, channel);
            }
        }
    }

    /// Decides which MPDUs of a PPDU that was alone on the air are received: those of one length have one probability.
    #[inline(never)]
    fn judge_undisturbed(&mut self, ppdu: &mut Ppdu, user: UserId, whole: Part, channel: &mut Channel) {
        let loss = channel.extra_loss(ppdu.start, ppdu.from, whole.listener);
        let alone = !ppdu.is_aggregate(user);
        let (mut last_bytes, mut probability) = (0, 1.0);
        let mut received = std::mem::take(&mut ppdu.received[user]);
        let judged = ppdu.mpdus[user].iter().zip(&mut received);
        for (mpdu, reception) in judged.filter(|(_, reception)| **reception == Reception::Open) {
            let bytes = if alone { whole.bytes } else { mpdu.bytes };
            let part = Part { bytes, ..whole };
            if last_bytes != bytes {
                last_bytes = bytes;
                probability = self.decoder.probability(channel, ppdu, part);
            }
            let good = self.decoder.happens(probability, ppdu.from, part)
                && self.decoder.happens(1.0 - loss, ppdu.from, part);
            *reception = if good { Reception::Good } else { Reception::Lost };
        }
        ppdu.received[user] = received;
    }

    /// Whether a user has synchronised to a PPDU, which is decided once.
    fn is_synchronised(&mut self, ppdu: &mut Ppdu, user: UserId, whole: Part, channel: &mut Channel) -> bool {
        let preamble = match ppdu.users[user].preamble {
            Some(known) => known,
            None => self.decoder.preamble(channel, ppdu, whole),
        };
        ppdu.users[user].preamble = Some(preamble);
        preamble == Preamble::Decoded
    }

    fn judge_mpdu(
        &mut self,
        ppdu: &Ppdu,
        user: UserId,
        index: usize,
        whole: Part,
        channel: &mut Channel,
    ) -> Reception {
        let part = match (ppdu.is_aggregate(user), ppdu.is_undisturbed()) {
            (false, _) => whole,
            // Nothing changes during the PPDU: the span of the MPDU makes no difference.
            (true, true) => Part { bytes: ppdu.mpdus[user][index].bytes, ..whole },
            (true, false) => ppdu.mpdu_part(user, index, whole),
        };
        let loss = channel.extra_loss(ppdu.start, ppdu.from, whole.listener);
        let good =
            self.decoder.decodes(channel, ppdu, part) && self.decoder.happens(1.0 - loss, ppdu.from, part);
        if good { Reception::Good } else { Reception::Lost }
    }

    /// Decides about the MPDU of an aggregate for this receiver that ends now, before the others. Its number.
    pub(crate) fn judge_next(
        &mut self,
        ppdu: &mut Ppdu,
        user: UserId,
        to: NicId,
        channel: &mut Channel,
    ) -> usize {
        let index = ppdu.received[user].iter().position(|&r| r == Reception::Open).expect("an MPDU is open");
        let whole = ppdu.psdu_part(user, to, Purpose::Data);
        let synchronised = self.is_tuned(ppdu, to) && self.is_synchronised(ppdu, user, whole, channel);
        ppdu.received[user][index] =
            if synchronised { self.judge_mpdu(ppdu, user, index, whole, channel) } else { Reception::Lost };
        index
    }

    /// Whether a NIC that is no user alone receives this part of a PPDU.
    pub(crate) fn receives(&mut self, ppdu: &Ppdu, part: Part, channel: &mut Channel) -> bool {
        self.is_tuned(ppdu, part.listener)
            && self.decoder.synchronises(channel, ppdu, part)
            && self.decoder.decodes(channel, ppdu, part)
    }

    /// The MPDUs of an aggregate that a NIC receives which is no user of it.
    pub(crate) fn receives_of(
        &mut self,
        ppdu: &Ppdu,
        user: UserId,
        listener: NicId,
        channel: &mut Channel,
        arrived: &mut Vec<Mpdu>,
    ) {
        let whole = ppdu.psdu_part(user, listener, Purpose::Overheard);
        if self.is_tuned(ppdu, listener) && self.decoder.synchronises(channel, ppdu, whole) {
            for (index, mpdu) in ppdu.mpdus[user].iter().enumerate() {
                if self.decoder.decodes(channel, ppdu, ppdu.mpdu_part(user, index, whole)) {
                    arrived.push(*mpdu);
                }
            }
        }
    }

    /// Whether a NIC has decoded the beginning of a PPDU for it that is on the air.
    #[inline(always)]
    pub(crate) fn is_receiving(&self, nic: NicId) -> bool {
        let on_air = &self.media[self.stations[nic].place.medium].on_air;
        !on_air.is_empty() && self.is_receiving_of(nic, on_air)
    }

    #[inline(never)]
    fn is_receiving_of(&self, nic: NicId, on_air: &[NicId]) -> bool {
        let mut ppdus = on_air.iter().map(|&sender| &self.ppdus[sender]);
        ppdus.any(|ppdu| ppdu.user_of(nic).is_some_and(|user| ppdu.users[user].delivered > 0))
    }

    /// Whether a NIC can decode frames in this format.
    pub(crate) fn reads(&self, nic: NicId, format: Format) -> bool {
        self.stations[nic].reads(format)
    }

    /// Whether a NIC can have received a PPDU at all: it is in the same medium, and hears its sender.
    pub(crate) fn hears(&self, listener: NicId, ppdu: &Ppdu) -> bool {
        let [there, from] = [listener, ppdu.from].map(|nic| self.stations[nic].place);
        let contention = &self.media[from.medium].contention;
        there.medium == from.medium && contention.hears(there.member, from.member, ppdu.width)
    }

    /// Whether a receiver has received a PPDU up to its end, and is still there to answer it.
    #[inline(always)]
    pub(crate) fn stays(&self, ppdu: &Ppdu, receiver: NicId, channel: &mut Channel) -> bool {
        self.decoder.stays(channel, ppdu, receiver, ppdu.end) && self.is_tuned(ppdu, receiver)
    }

    /// How this NIC received the PSDU of a user.
    #[inline(always)]
    pub(crate) fn status(&self, ppdu: &Ppdu, user: UserId, to: NicId, channel: &Channel) -> RxStatus {
        let mpdus = &ppdu.mpdus[user];
        RxStatus {
            from: ppdu.from,
            tx: ppdu.users[user].tx,
            rssi: channel.mean_dbm(ppdu.from, to),
            start: ppdu.start,
            end: ppdu.end,
            primary_mhz: self.primary_mhz(to),
            mpdus: mpdus.len() as u32,
            last: mpdus.last().map(|mpdu| mpdu.handle),
            nav: ppdu.nav(),
            share: ppdu.share_of(user),
        }
    }
}
