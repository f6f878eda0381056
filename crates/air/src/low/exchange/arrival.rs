//! The ends of PPDUs: reception by their users, and responses.
//!
//! Here all rooms meet. [`Low::ppdu_ends`] says in which order, and why.

use airtcp_plan::BandwidthOperation;
use airtcp_units::Instant;

use super::Exchanges;
use super::emit::duplicated;
use super::protection::signals_bandwidth;
use super::radio::{Answer, Step, Wait};
use crate::border::Receiver;
use crate::channel::Channel;
use crate::low::Low;
use crate::low::context::Context;
use crate::low::event::Event;
use crate::low::on_air::{Ppdu, PpduUser, Reception, UserId};
use crate::phy::Format;
use crate::random::Purpose;
use crate::{NicId, PpduKind};

impl Low {
    /// The PPDU of a NIC ends.
    ///
    /// The steps have this order because each reads what the one before has settled, and because upper halves, which may call back, come
    /// last.
    #[inline(never)]
    pub(crate) fn ppdu_ends(&mut self, now: Instant, nic: NicId, high: &mut impl Context) {
        // First: PPDUs that overlap this one must see it end now, whatever becomes of it.
        let mut ppdu = self.on_air.end(now, nic);
        self.notes.ppdu_ends(&ppdu);
        self.on_air.judge(&mut ppdu, high.channel());
        // Before the response, which may reach a sender that has moved to another exchange by then.
        self.note_arrivals(&ppdu);
        if self.exchanges.any_triggers && matches!(ppdu.kind, PpduKind::Data | PpduKind::QosNull) {
            self.hear_buffer_status(now, &ppdu);
        }
        ppdu.users.ids().each(
            #[inline(always)]
            |user| ppdu.users[user].responds = self.answer(now, &ppdu, user, high),
        );
        if self.exchanges.any_random_access && ppdu.kind == PpduKind::Trigger {
            self.take_random_access(now, &ppdu, high);
        }
        // The sender waits for the response that has just been prepared, or for its timeout.
        let awaited = ppdu.awaited();
        self.await_response(now, &ppdu, awaited);
        // Before the upper halves get the MPDUs: what these send at once contends on a medium that this PPDU has left, with the NAV and
        // the EIFS that it causes.
        let timeouts = |nic| self.exchanges.response_timeout(nic);
        self.on_air.end_for_contention(now, &ppdu, timeouts, high.channel());
        ppdu.users.ids().each(
            #[inline(always)]
            |user| ppdu.users[user].decoded &= self.deliver(now, &ppdu, user, high),
        );
        if self.exchanges.monitors > 0 {
            self.deliver_to_monitors(now, &ppdu, high);
        }
        // The sender's MPDUs are still where captures look for them.
        self.notes.record(&ppdu);
        self.capture(&ppdu, high);
        let (kind, for_group) = (ppdu.kind, ppdu.first().receiver == Receiver::Group);
        let (unanswered, primary) = (awaited.is_none(), ppdu.place.primary);
        let (several, triggered) = (ppdu.is_multi_user(), ppdu.trigger.is_some());
        self.on_air.keep(ppdu);
        // Those that waited for the end of this PPDU, as for a response that it was.
        if triggered {
            self.triggered_ends(now, nic, high);
        }
        self.end_waits(now, nic, high);
        // A frame that nobody answers has done its part by ending.
        match kind {
            PpduKind::Cts if for_group => {
                let sifs = self.on_air.cell(nic).times.sifs;
                self.follow(now + sifs, Event::Continue(nic), nic);
            }
            _ if triggered => {}
            PpduKind::MultiStaBlockAck => self.conclude_uplink(now, nic, true, high),
            PpduKind::Trigger => {}
            _ if for_group => self.succeed(now, nic, high),
            PpduKind::Data if unanswered && several => self.ask_all(now, nic),
            PpduKind::Data | PpduKind::Management if unanswered => self.succeed(now, nic, high),
            _ => {}
        }
        self.on_air.settle(now, primary);
    }

    /// Something will follow what has ended by SIFS.
    pub(crate) fn follow(&mut self, at: Instant, event: Event, nic: NicId) {
        self.on_air.will_follow(nic);
        self.events.schedule(at, event);
    }

    /// The sender's MPDUs remember whether they arrived: a NIC may send a response before its own comes.
    #[inline(always)]
    fn note_arrivals(&mut self, ppdu: &Ppdu) {
        let exchange = self.exchanges.radios[ppdu.from].exchange.as_mut();
        let Some(exchange) = exchange.filter(|of| ppdu.carries_mpdus() && of.step.carries_data()) else {
            return;
        };
        exchange.collided = ppdu.collided();
        ppdu.users.ids().each(
            #[inline(always)]
            |user| self.buffers.note_arrivals(ppdu.from, user, &ppdu.received[user]),
        );
    }

    /// An MPDU inside an aggregate ends, and its receiver wants it at once.
    pub(crate) fn mpdu_ends(&mut self, now: Instant, nic: NicId, user: UserId, high: &mut impl Context) {
        let mut ppdu = self.on_air.take(nic);
        let Receiver::One(to) = ppdu.users[user].receiver else {
            unreachable!("an aggregate has one receiver")
        };
        let index = self.on_air.judge_next(&mut ppdu, user, to, high.channel());
        if index + 2 < ppdu.mpdus[user].len() {
            self.events.schedule(ppdu.span(user, index + 1).end, Event::MpduEnd(nic, user));
        }
        if ppdu.received[user][index] == Reception::Good {
            let status = self.on_air.status(&ppdu, user, to, high.channel());
            high.rx(now, to, &ppdu.mpdus[user][index..=index], &status, &mut self.requests);
            ppdu.users[user].delivered = index + 1;
        }
        self.on_air.keep(ppdu);
    }

    /// What a user has decoded goes to its upper half. False if it decoded nothing, or if a member of a group did not.
    #[inline(always)]
    fn deliver(&mut self, now: Instant, ppdu: &Ppdu, user: UserId, high: &mut impl Context) -> bool {
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
            (_, Receiver::Group) => !ppdu.collided(),
            _ => true,
        }
    }

    /// Delivers the data of a user that is one NIC to its upper half.
    #[inline(always)]
    fn deliver_to(&mut self, now: Instant, ppdu: &Ppdu, user: UserId, to: NicId, high: &mut impl Context) {
        let left = ppdu.users[user].delivered..ppdu.mpdus[user].len();
        let (mpdus, received) = (&ppdu.mpdus[user][left.clone()], &ppdu.received[user][left]);
        let status = self.on_air.status(ppdu, user, to, high.channel());
        if received.iter().all(|reception| *reception == Reception::Good) {
            if !mpdus.is_empty() {
                high.rx(now, to, mpdus, &status, &mut self.requests);
            }
            return;
        }
        let mut arrived = std::mem::take(&mut self.exchanges.radios[to].arrived);
        arrived.clear();
        let judged = mpdus.iter().zip(received);
        arrived.extend(judged.filter(|(_, r)| **r == Reception::Good).map(|(m, _)| *m));
        if !arrived.is_empty() {
            high.rx(now, to, &arrived, &status, &mut self.requests);
        }
        self.exchanges.radios[to].arrived = arrived;
    }

    #[inline(never)]
    fn deliver_to_cell(&mut self, now: Instant, ppdu: &Ppdu, user: UserId, high: &mut impl Context) -> bool {
        let mut by_all = true;
        for i in 0..self.on_air.cell(ppdu.from).members.len() {
            let to = self.on_air.cell(ppdu.from).members[i];
            if to != ppdu.from {
                by_all &= self.deliver_whole(now, ppdu, user, ppdu.psdu_part(user, to, Purpose::Data), high);
            }
        }
        by_all
    }

    /// A user that is asked for a response prepares it. True if it begins already: where the same NICs hear both sides nobody
    /// can tell the SIFS between from the rest, and the medium stays busy.
    #[inline(always)]
    fn answer(&mut self, now: Instant, ppdu: &Ppdu, user: UserId, high: &mut impl Context) -> bool {
        let PpduUser { receiver, decoded, .. } = ppdu.users[user];
        let Receiver::One(to) = receiver else { return false };
        // Powers that change while two PPDUs overlap can let both be decoded; the response to the first is due.
        let can = decoded && ppdu.has_asked(user) && self.on_air.stays(ppdu, to, high.channel());
        if !can || self.exchanges.radios[to].answer.is_some() {
            return false;
        }
        if ppdu.kind == PpduKind::Trigger && self.exchange(ppdu.from).step == Step::Triggering {
            self.take_grant(now, ppdu, user, to);
            return false;
        }
        let Some(answer) = self.prepare(now, ppdu, user, high.channel()) else { return false };
        let sent_to = self.exchange(ppdu.from).user_of_ppdu(user);
        self.notes.answer(ppdu, user, to, self.buffers.psdu(ppdu.from, sent_to), high);
        let exchange = self.exchange(ppdu.from);
        if exchange.is_answered_together() {
            self.exchanges.radios[to].triggered = Some(exchange.trigger_of(&answer));
        } else if self.on_air.hides_sifs(ppdu, to, answer.width) {
            self.emit_answer(now, to, &answer, high.channel());
            return true;
        }
        self.follow(answer.start, Event::Respond(to), to);
        self.exchanges.radios[to].answer = Some(answer);
        false
    }

    #[inline(always)]
    fn prepare(&self, now: Instant, ppdu: &Ppdu, user: UserId, channel: &Channel) -> Option<Answer> {
        let to = ppdu.users[user].receiver.nic()?;
        let cell = self.on_air.cell(to);
        let exchange = self.exchanges.radios[ppdu.from].exchange.as_ref()?;
        let start = now + cell.times.sifs;
        let attempt = ppdu.users[user].attempt;
        if ppdu.kind != PpduKind::Rts {
            let user = exchange.user_of_ppdu(user);
            let response = exchange.users[user].response.expect("data for one NIC is answered");
            let nav_until = Instant::ZERO;
            let width = duplicated(response.tx, ppdu.width);
            return Some(Answer { to: ppdu.from, cts: false, attempt, response, width, start, nav_until });
        }
        if self.on_air.nav_until(to, ppdu.from) > now || self.on_air.ppdu(to).on_air {
            return None;
        }
        let together = exchange.is_answered_together();
        let of_one = || cell.clear_to_send(ppdu.users[user].tx);
        let response = if together { cell.clear_to_send_together() } else { of_one() };
        let mut width = duplicated(response.tx, ppdu.width);
        if signals_bandwidth(exchange.tx().format)
            && let Some(idle) = self.on_air.idle_width(ppdu.start, to, channel)
        {
            // The CTSs that answer MU-RTS are alike, also in their width.
            if idle < width && (together || cell.bandwidth_operation == BandwidthOperation::Static) {
                return None;
            }
            width = width.min(idle);
        }
        let answered = exchange.after_data(cell);
        let nav_until = now + cell.times.sifs * 2 + response.duration + exchange.data + answered;
        Some(Answer { to: ppdu.from, cts: true, attempt, response, width, start, nav_until })
    }

    /// The sender of something that asks for a response waits for it.
    #[inline(always)]
    fn await_response(&mut self, now: Instant, ppdu: &Ppdu, awaited: Option<UserId>) {
        if ppdu.trigger.is_some() {
            return self.await_multi_sta_ack(now, ppdu);
        }
        let Some(user) = awaited else { return };
        let PpduUser { receiver, tx, responds, .. } = ppdu.users[user];
        let radio = &mut self.exchanges.radios[ppdu.from];
        let exchange = radio.exchange.as_ref().expect("what asks belongs to an exchange");
        let responder = receiver.nic().filter(|_| !exchange.is_answered_together());
        if responds {
            radio.wait = responder.map(Wait::answered_by);
            return;
        }
        let cell = self.on_air.cell(ppdu.from);
        let tx = if exchange.step == Step::Clearing {
            if responder.is_none() { cell.clear_to_send_together().tx } else { cell.clear_to_send(tx).tx }
        } else {
            let user = exchange.user_of_ppdu(user);
            exchange.users[user].response.expect("data for one NIC is answered").tx
        };
        let timeout_at = now + cell.times.response_timeout(tx);
        // The PHY reports what begins only after aRxPHYStartDelay.
        let heard_by = now + cell.times.sifs + cell.times.slot;
        radio.wait = Some(Wait { responder, heard_by, timeout_at, hears: None });
        self.exchanges.awaiting.push(ppdu.from);
        self.events.schedule(timeout_at, Event::ResponseTimeout(ppdu.from));
    }

    /// The PPDU of `nic` has ended, and with it the waits of NICs that it answers, or that have heard it instead of a response.
    #[inline(always)]
    fn end_waits(&mut self, now: Instant, nic: NicId, high: &mut impl Context) {
        self.on_air.ppdu(nic).users.ids().each(
            #[inline(always)]
            |user| self.end_wait_of(now, nic, user, high),
        );
        if self.exchanges.awaiting.is_empty() {
            return;
        }
        let heard = |low: &Self, other: NicId| {
            low.exchanges.radios[other].wait.is_some_and(|wait| wait.hears == Some(nic))
        };
        while let Some(&other) = self.exchanges.awaiting.iter().find(|&&other| heard(self, other)) {
            self.wait_ends(now, other, false, high);
        }
    }

    /// The wait of a user of the PPDU that has ended, if it is the response.
    #[inline(always)]
    fn end_wait_of(&mut self, now: Instant, nic: NicId, user: UserId, high: &mut impl Context) {
        let ppdu = self.on_air.ppdu(nic);
        let PpduUser { receiver, decoded, .. } = ppdu.users[user];
        let Receiver::One(to) = receiver else { return };
        let Some(wait) = &self.exchanges.radios[to].wait else { return };
        let is_awaited = wait.responder == Some(nic) && (decoded || wait.hears == Some(nic));
        if is_awaited && ppdu.answers(to) {
            self.wait_ends(now, to, decoded, high);
        }
    }

    /// A wait is over, with a response or without.
    pub(crate) fn wait_ends(&mut self, now: Instant, nic: NicId, answered: bool, high: &mut impl Context) {
        let Exchanges { radios, awaiting, .. } = &mut self.exchanges;
        let radio = &mut radios[nic];
        let wait = radio.wait.take();
        let responder = wait.and_then(|wait| wait.responder);
        awaiting.retain(|&other| other != nic);
        let exchange = radio.exchange.as_mut().expect("a NIC that waits is in an exchange");
        match (answered, exchange.step) {
            (_, Step::Sending | Step::Asked) if exchange.multi_user.is_some() => {
                self.user_ends(now, nic, wait, answered, high);
            }
            (_, Step::Triggering) => {
                let is_heard = wait.is_some_and(|wait| wait.hears.is_some());
                self.uplink_ends(now, nic, is_heard, high);
            }
            (_, Step::Answering { .. }) => self.solicited_ends(now, nic, answered, high),
            (false, _) => self.fail(now, nic, high),
            (true, Step::Clearing) => {
                exchange.step = Step::Ready;
                let (format, wide) = (exchange.tx().format, exchange.width());
                let cts = responder.map(|responder| self.on_air.ppdu(responder));
                let width = cts.filter(|cts| cts.first().tx.format == Format::Ofdm).map(|cts| cts.width);
                if let Some(width) = width.filter(|&width| width < wide && signals_bandwidth(format)) {
                    self.leave_to_first(now, nic, high);
                    self.narrow(nic, width);
                }
                let sifs = self.on_air.cell(nic).times.sifs;
                self.follow(now + sifs, Event::Continue(nic), nic);
            }
            (true, _) => self.succeed(now, nic, high),
        }
    }
}
