//! Handles the ends of PPDUs: reception by their users, and responses.

use airtcp_plan::BandwidthOperation;
use airtcp_units::{Duration, Instant};

use super::emit::duplicated;
use super::radio::{Answer, Step, Wait};
use crate::border::{Receiver, RxStatus};
use crate::channel::Channel;
use crate::low::event::Event;
use crate::low::on_air::{MediumId, MediumPlace, Part, Ppdu, PpduUser, Reception, UserId, signals_bandwidth};
use crate::low::{Low, LowerMacContext};
use crate::phy::Format;
use crate::random::Purpose;
use crate::trace::PpduRecord;
use crate::{NicId, PpduKind};

impl Low {
    /// The PPDU of a NIC ends.
    ///
    /// The steps have this order because each reads what the one before has settled, and because upper halves, which may call back, come
    /// last.
    pub(crate) fn ppdu_ends(&mut self, now: Instant, nic: NicId, high: &mut impl LowerMacContext) {
        let mut ppdu = self.air.take(nic);
        ppdu.on_air = false;
        let radio = &mut self.radios[nic];
        radio.counters.all_airtime += ppdu.end.saturating_since(ppdu.start);
        radio.counters.airtime += ppdu.end.saturating_since(ppdu.start.max(self.epoch));
        let MediumPlace { medium, primary, .. } = ppdu.place;
        // First: PPDUs that overlap this one must see it end now, whatever becomes of it.
        self.clear_from_air(now, &ppdu);
        self.remember(now, &ppdu);
        for user in ppdu.users.ids() {
            ppdu.users[user].decoded = self.judge(&mut ppdu, user, high);
        }
        // Before the response, which may reach a sender that has moved to another exchange by then.
        self.note_arrivals(&ppdu);
        for user in ppdu.users.ids() {
            ppdu.users[user].responds = self.answer(now, &ppdu, user, high);
        }
        // The sender waits for the response that has just been prepared, or for its timeout.
        self.await_response(now, &ppdu);
        // Before the upper halves get the MPDUs: what these send at once contends on a medium that this PPDU has left, with the NAV and
        // the EIFS that it causes.
        self.end_for_contention(now, &ppdu, high);
        for user in ppdu.users.ids() {
            ppdu.users[user].decoded &= self.deliver(now, &ppdu, user, high);
        }
        if self.monitors > 0 {
            self.deliver_to_monitors(now, &ppdu, high);
        }
        self.record(&ppdu);
        if self.capturing.is_some() {
            self.capture(&ppdu, high);
        }
        let (kind, for_group) = (ppdu.kind, ppdu.first().receiver == Receiver::Group);
        let unanswered = ppdu.awaited().is_none();
        self.air.put(ppdu);
        // Those that waited for the end of this PPDU, as for a response that it was.
        self.end_waits(now, nic, medium, high);
        // A frame that nobody answers has done its part by ending.
        match kind {
            PpduKind::Cts if for_group => {
                let sifs = self.cells[self.radios[nic].cell].times.sifs;
                self.follow(now + sifs, Event::Continue(nic), nic);
            }
            _ if for_group => self.succeed(now, nic, high),
            PpduKind::Data | PpduKind::Management if unanswered => self.succeed(now, nic, high),
            _ => {}
        }
        self.primaries[primary].settle(now);
    }

    /// Something will follow what has ended by SIFS.
    pub(crate) fn follow(&mut self, at: Instant, event: Event, nic: NicId) {
        let primary = self.radios[nic].primary;
        self.primaries[primary].following += 1;
        self.events.schedule(at, event);
    }

    /// The sender's MPDUs remember whether they arrived: a NIC may send a response before its own comes.
    fn note_arrivals(&mut self, ppdu: &Ppdu) {
        let radio = &mut self.radios[ppdu.from];
        let Some(exchange) = radio.exchange.as_mut().filter(|_| ppdu.carries_mpdus()) else { return };
        exchange.collided = !ppdu.overlaps.is_empty();
        if let Some(links) = &mut radio.counters.links {
            links.ended(ppdu.end.saturating_since(ppdu.start.max(self.epoch)));
        }
        for user in ppdu.users.ids() {
            for (held, reception) in radio.psdus[user].iter_mut().zip(&ppdu.received[user]) {
                held.arrived = *reception == Reception::Good;
            }
        }
    }

    #[inline]
    fn clear_from_air(&mut self, now: Instant, ppdu: &Ppdu) {
        let MediumPlace { medium, primary, .. } = ppdu.place;
        self.primaries[primary].end();
        let on_air = &mut self.media[medium].on_air;
        if on_air.len() == 1 {
            on_air.clear();
        } else {
            self.leave_others_on_air(now, ppdu.from, medium);
        }
    }

    #[inline(never)]
    fn leave_others_on_air(&mut self, now: Instant, nic: NicId, medium: MediumId) {
        let medium = &mut self.media[medium];
        medium.on_air.retain(|&other| other != nic);
        for &other in &medium.on_air {
            let lasting =
                |o: &&mut crate::low::on_air::Overlap| o.from == nic && o.end == Instant::FAR_FUTURE;
            if let Some(overlap) = self.air[other].overlaps.iter_mut().find(lasting) {
                overlap.end = now;
            }
        }
    }

    /// Decides what a user decodes of a PPDU; true if anything. A group's members are judged one by one when it is delivered.
    fn judge(&mut self, ppdu: &mut Ppdu, user: UserId, high: &mut impl LowerMacContext) -> bool {
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
            | PpduKind::Beacon
            | PpduKind::Management => Purpose::Data,
            PpduKind::Ack | PpduKind::BlockAck | PpduKind::Cts => Purpose::Response,
        };
        let whole = ppdu.psdu_part(user, to, purpose);
        if !self.is_synchronised(ppdu, user, whole, high) {
            ppdu.received[user].iter_mut().for_each(|r| *r = Reception::Lost);
            return false;
        }
        if ppdu.kind != PpduKind::Data {
            let mut decoded = self.decoder.decodes(high.channel(), ppdu, whole);
            if decoded && ppdu.kind == PpduKind::BlockAckReq {
                // It goes where data goes, and its answer reports to mac80211 that the station is there.
                let loss = high.channel().extra_loss(ppdu.start, ppdu.from, to);
                decoded = self.decoder.happens(1.0 - loss, ppdu.from, whole);
            }
            let result = if decoded { Reception::Good } else { Reception::Lost };
            if let Some(only) = ppdu.received[user].first_mut() {
                *only = result;
            }
            return decoded;
        }
        if ppdu.is_undisturbed() {
            self.judge_undisturbed(ppdu, user, whole, high);
        } else {
            self.judge_disturbed(ppdu, user, whole, high);
        }
        ppdu.received[user].contains(&Reception::Good)
    }

    #[inline(never)]
    fn judge_disturbed(
        &mut self,
        ppdu: &mut Ppdu,
        user: UserId,
        whole: Part,
        high: &mut impl LowerMacContext,
    ) {
        for index in 0..ppdu.mpdus[user].len() {
            if ppdu.received[user][index] == Reception::Open {
                ppdu.received[user][index] = self.judge_mpdu(ppdu, user, index, whole, high);
            }
        }
    }

    /// Decides which MPDUs of a PPDU that was alone on the air are received: those of one length have one probability.
    fn judge_undisturbed(
        &mut self,
        ppdu: &mut Ppdu,
        user: UserId,
        whole: Part,
        high: &mut impl LowerMacContext,
    ) {
        let loss = high.channel().extra_loss(ppdu.start, ppdu.from, whole.listener);
        let alone = !ppdu.is_aggregate(user);
        let (mut last_bytes, mut probability) = (0, 1.0);
        let mut received = std::mem::take(&mut ppdu.received[user]);
        let judged = ppdu.mpdus[user].iter().zip(&mut received);
        for (mpdu, reception) in judged.filter(|(_, reception)| **reception == Reception::Open) {
            let bytes = if alone { whole.bytes } else { mpdu.bytes };
            let part = Part { bytes, ..whole };
            if last_bytes != bytes {
                last_bytes = bytes;
                probability = self.decoder.probability(high.channel(), ppdu, part);
            }
            let good = self.decoder.happens(probability, ppdu.from, part)
                && self.decoder.happens(1.0 - loss, ppdu.from, part);
            *reception = if good { Reception::Good } else { Reception::Lost };
        }
        ppdu.received[user] = received;
    }

    /// Whether a user has synchronised to a PPDU, which is decided once.
    fn is_synchronised(
        &mut self,
        ppdu: &mut Ppdu,
        user: UserId,
        whole: Part,
        high: &mut impl LowerMacContext,
    ) -> bool {
        if let Some(known) = ppdu.users[user].synchronised {
            return known;
        }
        let synchronised = self.decoder.synchronises(high.channel(), ppdu, whole);
        ppdu.users[user].synchronised = Some(synchronised);
        synchronised
    }

    fn judge_mpdu(
        &mut self,
        ppdu: &Ppdu,
        user: UserId,
        index: usize,
        whole: Part,
        high: &mut impl LowerMacContext,
    ) -> Reception {
        let part = match (ppdu.is_aggregate(user), ppdu.is_undisturbed()) {
            (false, _) => whole,
            // Nothing changes during the PPDU: the span of the MPDU makes no difference.
            (true, true) => Part { bytes: ppdu.mpdus[user][index].bytes, ..whole },
            (true, false) => ppdu.mpdu_part(user, index, whole),
        };
        let loss = high.channel().extra_loss(ppdu.start, ppdu.from, whole.listener);
        let good = self.decoder.decodes(high.channel(), ppdu, part)
            && self.decoder.happens(1.0 - loss, ppdu.from, part);
        if good { Reception::Good } else { Reception::Lost }
    }

    /// An MPDU inside an aggregate ends, and its receiver wants it at once.
    pub(crate) fn mpdu_ends(
        &mut self,
        now: Instant,
        nic: NicId,
        user: UserId,
        high: &mut impl LowerMacContext,
    ) {
        let mut ppdu = self.air.take(nic);
        let Receiver::One(to) = ppdu.users[user].receiver else {
            unreachable!("an aggregate has one receiver")
        };
        let index = ppdu.received[user].iter().position(|&r| r == Reception::Open).expect("an MPDU is open");
        let whole = ppdu.psdu_part(user, to, Purpose::Data);
        let synchronised = self.is_tuned(&ppdu, to) && self.is_synchronised(&mut ppdu, user, whole, high);
        ppdu.received[user][index] =
            if synchronised { self.judge_mpdu(&ppdu, user, index, whole, high) } else { Reception::Lost };
        if index + 2 < ppdu.mpdus[user].len() {
            self.events.schedule(ppdu.span(user, index + 1).end, Event::MpduEnd(nic, user));
        }
        if ppdu.received[user][index] == Reception::Good {
            let status = self.status(&ppdu, user, to, high);
            high.rx(now, to, &ppdu.mpdus[user][index..=index], &status, &mut self.requests);
            ppdu.users[user].delivered = index + 1;
        }
        self.air.put(ppdu);
    }

    /// How this NIC received the PSDU of a user.
    #[inline(always)]
    pub(crate) fn status(
        &self,
        ppdu: &Ppdu,
        user: UserId,
        to: NicId,
        high: &mut impl LowerMacContext,
    ) -> RxStatus {
        let mpdus = &ppdu.mpdus[user];
        RxStatus {
            from: ppdu.from,
            tx: ppdu.users[user].tx,
            rssi: high.channel().mean_dbm(ppdu.from, to),
            start: ppdu.start,
            end: ppdu.end,
            primary_mhz: self.primary_mhz(to),
            mpdus: mpdus.len() as u32,
            last: mpdus.last().map(|mpdu| mpdu.handle),
            nav: ppdu.nav(),
        }
    }

    /// What a user has decoded goes to its upper half. False if it decoded nothing, or if a member of a group did not.
    fn deliver(&mut self, now: Instant, ppdu: &Ppdu, user: UserId, high: &mut impl LowerMacContext) -> bool {
        if !ppdu.users[user].decoded {
            return false;
        }
        match (ppdu.kind, ppdu.users[user].receiver) {
            (PpduKind::Data | PpduKind::BlockAckReq | PpduKind::Management, Receiver::One(to)) => {
                self.deliver_to(now, ppdu, user, to, high);
                true
            }
            (_, Receiver::Group) if self.is_for_channel(ppdu) => {
                self.deliver_to_radios(now, ppdu, user, high)
            }
            (PpduKind::Data, Receiver::Group) => self.deliver_to_cell(now, ppdu, user, high),
            // Nobody needs what is in it; it counts as decoded if it was alone.
            (_, Receiver::Group) => ppdu.overlaps.is_empty(),
            _ => true,
        }
    }

    /// Delivers the data of a user that is one NIC to its upper half.
    fn deliver_to(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        user: UserId,
        to: NicId,
        high: &mut impl LowerMacContext,
    ) {
        let left = ppdu.users[user].delivered..ppdu.mpdus[user].len();
        let (mpdus, received) = (&ppdu.mpdus[user][left.clone()], &ppdu.received[user][left]);
        let status = self.status(ppdu, user, to, high);
        if received.iter().all(|reception| *reception == Reception::Good) {
            if !mpdus.is_empty() {
                high.rx(now, to, mpdus, &status, &mut self.requests);
            }
            return;
        }
        let mut arrived = std::mem::take(&mut self.radios[to].arrived);
        arrived.clear();
        let judged = mpdus.iter().zip(received);
        arrived.extend(judged.filter(|(_, r)| **r == Reception::Good).map(|(m, _)| *m));
        if !arrived.is_empty() {
            high.rx(now, to, &arrived, &status, &mut self.requests);
        }
        self.radios[to].arrived = arrived;
    }

    #[inline(never)]
    fn deliver_to_cell(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        user: UserId,
        high: &mut impl LowerMacContext,
    ) -> bool {
        let mut by_all = true;
        let cell = self.radios[ppdu.from].cell;
        for i in 0..self.cells[cell].members.len() {
            let to = self.cells[cell].members[i];
            if to == ppdu.from {
                continue;
            }
            let whole = ppdu.psdu_part(user, to, Purpose::Data);
            let decodes = self.decoder.synchronises(high.channel(), ppdu, whole)
                && self.decoder.decodes(high.channel(), ppdu, whole);
            if decodes {
                let status = self.status(ppdu, user, to, high);
                high.rx(now, to, &ppdu.mpdus[user], &status, &mut self.requests);
            }
            by_all &= decodes;
        }
        by_all
    }

    /// A user that is asked for a response prepares it. True if it begins already: where the same NICs hear both sides nobody
    /// can tell the SIFS between from the rest, and the medium stays busy.
    fn answer(&mut self, now: Instant, ppdu: &Ppdu, user: UserId, high: &mut impl LowerMacContext) -> bool {
        let PpduUser { receiver, decoded, .. } = ppdu.users[user];
        let Receiver::One(to) = receiver else { return false };
        if !decoded || !ppdu.asks(user) || !self.decoder.stays(high.channel(), ppdu, to, ppdu.end) {
            return false;
        }
        // Powers that change while two PPDUs overlap can let both be decoded; the response to the first is due.
        if !self.is_tuned(ppdu, to) || self.radios[to].answer.is_some() {
            return false;
        }
        let Some(answer) = self.prepare(now, ppdu, user, high.channel()) else { return false };
        self.note_answer(ppdu, user, to, high);
        let radio = &self.radios[to];
        let medium = &self.media[radio.medium];
        let hearing = medium.contention.hearing();
        let member = |nic: NicId| self.radios[nic].member;
        let alike =
            hearing.heard_by(member(ppdu.from), ppdu.width) == hearing.heard_by(member(to), answer.width);
        if alike && medium.on_air.is_empty() {
            self.emit_answer(now, to, answer, high.channel());
            return true;
        }
        self.follow(answer.start, Event::Respond(to), to);
        self.radios[to].answer = Some(answer);
        false
    }

    #[inline(always)]
    fn prepare(&self, now: Instant, ppdu: &Ppdu, user: UserId, channel: &Channel) -> Option<Answer> {
        let to = ppdu.users[user].receiver.nic()?;
        let radio = &self.radios[to];
        let cell = &self.cells[radio.cell];
        let exchange = self.radios[ppdu.from].exchange.as_ref()?;
        let start = now + cell.times.sifs;
        let attempt = ppdu.users[user].attempt;
        if ppdu.kind != PpduKind::Rts {
            let response = exchange.users[user].response.expect("data for one NIC is answered");
            let nav_until = Instant::ZERO;
            let width = duplicated(response.tx, ppdu.width);
            return Some(Answer { to: ppdu.from, cts: false, attempt, response, width, start, nav_until });
        }
        let asker = self.radios[ppdu.from].member;
        let nav_until = self.media[radio.medium].contention.nav_until(radio.member, Some(asker));
        if nav_until > now || self.air[to].on_air {
            return None;
        }
        let response = cell.clear_to_send(ppdu.users[user].tx);
        let mut width = duplicated(response.tx, ppdu.width);
        if signals_bandwidth(exchange.tx().format)
            && let Some(idle) = self.idle_width(ppdu.start, to, channel)
        {
            if idle < width && cell.bandwidth_operation == BandwidthOperation::Static {
                return None;
            }
            width = width.min(idle);
        }
        let answered =
            exchange.response_duration().map_or(Duration::ZERO, |response| response + cell.times.sifs);
        let nav_until = now + cell.times.sifs * 2 + response.duration + exchange.data + answered;
        Some(Answer { to: ppdu.from, cts: true, attempt, response, width, start, nav_until })
    }

    /// The sender of something that asks for a response waits for it.
    #[inline(always)]
    fn await_response(&mut self, now: Instant, ppdu: &Ppdu) {
        let Some(user) = ppdu.awaited() else { return };
        let PpduUser { receiver, tx, responds, .. } = ppdu.users[user];
        let responder = receiver.nic();
        let radio = &mut self.radios[ppdu.from];
        let exchange = radio.exchange.as_ref().expect("what asks belongs to an exchange");
        if responds {
            radio.wait = responder.map(Wait::answered_by);
            return;
        }
        let cell = &self.cells[radio.cell];
        let tx = match exchange.step {
            Step::Clearing => cell.clear_to_send(tx).tx,
            _ => exchange.users[user].response.expect("data for one NIC is answered").tx,
        };
        let timeout_at = now + cell.times.response_timeout(tx);
        // The PHY reports what begins only after aRxPHYStartDelay.
        let heard_by = now + cell.times.sifs + cell.times.slot;
        radio.wait = Some(Wait { responder, heard_by, timeout_at, hears: None });
        self.media[radio.medium].awaiting.push(ppdu.from);
        self.events.schedule(timeout_at, Event::ResponseTimeout(ppdu.from));
    }

    /// The PPDU of `nic` has ended, and with it the waits of NICs that it answers, or that have heard it instead of a response.
    fn end_waits(&mut self, now: Instant, nic: NicId, medium: MediumId, high: &mut impl LowerMacContext) {
        for user in self.air[nic].users.ids() {
            let ppdu = &self.air[nic];
            let PpduUser { receiver, decoded, .. } = ppdu.users[user];
            let Receiver::One(to) = receiver else { continue };
            let wait = self.radios[to].wait.filter(|wait| wait.responder == Some(nic));
            if wait.is_some_and(|wait| ppdu.answers(to) && (decoded || wait.hears == Some(nic))) {
                self.wait_ends(now, to, decoded, high);
            }
        }
        if self.media[medium].awaiting.is_empty() {
            return;
        }
        let heard =
            |low: &Self, other: NicId| low.radios[other].wait.is_some_and(|wait| wait.hears == Some(nic));
        while let Some(&other) = self.media[medium].awaiting.iter().find(|&&other| heard(self, other)) {
            self.wait_ends(now, other, false, high);
        }
    }

    /// A wait is over, with a response or without.
    pub(crate) fn wait_ends(
        &mut self,
        now: Instant,
        nic: NicId,
        answered: bool,
        high: &mut impl LowerMacContext,
    ) {
        let radio = &mut self.radios[nic];
        let responder = radio.wait.take().and_then(|wait| wait.responder);
        self.media[radio.medium].awaiting.retain(|&other| other != nic);
        let exchange = radio.exchange.as_mut().expect("a NIC that waits is in an exchange");
        match (answered, exchange.step) {
            (false, _) => self.fail(now, nic, high),
            (true, Step::Clearing) => {
                exchange.step = Step::Ready;
                let (format, wide) = (exchange.tx().format, exchange.width());
                let cts = responder.map(|responder| &self.air[responder]);
                let width = cts.filter(|cts| cts.first().tx.format == Format::Ofdm).map(|cts| cts.width);
                if let Some(width) = width.filter(|&width| width < wide && signals_bandwidth(format)) {
                    self.narrow(nic, width);
                }
                let radio = &self.radios[nic];
                let sifs = self.cells[radio.cell].times.sifs;
                self.follow(now + sifs, Event::Continue(nic), nic);
            }
            (true, _) => self.succeed(now, nic, high),
        }
    }

    #[inline]
    fn record(&mut self, ppdu: &Ppdu) {
        #[cfg(test)]
        if let Some(journal) = &mut self.journal {
            journal.push(ppdu.clone());
        }
        if self.records.is_some() {
            self.record_users(ppdu);
        }
    }

    #[inline(never)]
    fn record_users(&mut self, ppdu: &Ppdu) {
        let Some(records) = &mut self.records else { return };
        let from_epoch = |at: Instant| at.as_nanos().cast_signed() - self.epoch.as_nanos().cast_signed();
        records.ppdus.extend(ppdu.users.enumerate().map(|(id, user)| PpduRecord {
            start_ns: from_epoch(ppdu.start),
            end_ns: from_epoch(ppdu.end),
            nic: ppdu.from,
            to: user.receiver.nic(),
            kind: ppdu.kind,
            rate: user.tx.bit_rate(),
            bytes: user.psdu_bytes,
            attempt: user.attempt,
            outcome: ppdu.outcome(id),
        }));
    }
}
