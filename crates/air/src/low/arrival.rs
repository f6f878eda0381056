//! PPDUs end: who they were for reads them, and answers.

use airtcp_units::Instant;

use super::decoding::Part;
use super::overhearing::AtReceiver;
use super::ppdu::{Ppdu, Reception};
use super::radio::{Answer, Step, Wait};
use super::{Event, Low, Surroundings};
use crate::NicId;
use crate::border::{Receiver, RxStatus};
use crate::random::Purpose;
use crate::trace::{PpduKind, PpduRecord};

impl Low {
    /// The PPDU of a NIC ends.
    pub(super) fn ppdu_ends(&mut self, now: Instant, nic: NicId, high: &mut impl Surroundings) {
        let mut ppdu = self.air.take(nic);
        ppdu.on_air = false;
        let radio = &mut self.radios[nic];
        radio.books.airtime += ppdu.end.saturating_since(ppdu.start.max(self.epoch));
        let medium = radio.medium;
        self.clear_from_air(now, nic, medium);
        let read = self.judge(&mut ppdu, high);
        self.note_arrivals(&ppdu);
        let responds = self.answer(now, &ppdu, read, high);
        self.await_response(now, &ppdu, responds);
        self.tell_contention(now, &ppdu, AtReceiver { read, responds }, high);
        let (kind, receiver, unanswered) = (ppdu.kind, ppdu.receiver, !ppdu.asks());
        self.air.put(ppdu);
        let read_by_all = !read || self.hand_over(now, nic, high);
        if self.monitors > 0 {
            self.hand_over_to_monitors(now, nic, high);
        }
        self.record(nic, read && read_by_all);
        if self.capturing.is_some() {
            self.capture(nic, read && read_by_all, high);
        }
        self.end_waits(now, nic, read, high);
        match (kind, receiver) {
            (PpduKind::Cts, Receiver::Group) => {
                let sifs = self.cells[self.radios[nic].cell].times.sifs;
                self.follow(now + sifs, Event::Continue(nic), medium);
            }
            (_, Receiver::Group) => self.succeed(now, nic, high),
            (PpduKind::Data | PpduKind::Management, _) if unanswered => self.succeed(now, nic, high),
            _ => {}
        }
        self.media[medium].settle(now);
    }

    /// Something will follow what has ended by SIFS.
    pub(super) fn follow(&mut self, at: Instant, event: Event, medium: usize) {
        self.media[medium].following += 1;
        self.events.plan(at, event);
    }

    /// The sender's MPDUs remember whether they arrived: a NIC may send a response before its own comes.
    fn note_arrivals(&mut self, ppdu: &Ppdu) {
        let radio = &mut self.radios[ppdu.from];
        let Some(exchange) = radio.exchange.as_mut().filter(|_| !ppdu.mpdus.is_empty()) else { return };
        exchange.collided = !ppdu.overlaps.is_empty();
        if let Some(links) = &mut radio.books.links {
            links.ended(ppdu.end.saturating_since(ppdu.start.max(self.epoch)));
        }
        for (held, reception) in radio.psdu.iter_mut().zip(&ppdu.received) {
            held.arrived = *reception == Reception::Good;
        }
    }

    fn clear_from_air(&mut self, now: Instant, nic: NicId, medium: usize) {
        self.media[medium].end(nic);
        for &other in &self.media[medium].on_air {
            let lasting = |o: &&mut super::ppdu::Overlap| o.from == nic && o.end == Instant::FAR_FUTURE;
            if let Some(overlap) = self.air[other].overlaps.iter_mut().find(lasting) {
                overlap.end = now;
            }
        }
    }

    /// Decides what its receivers read of a PPDU; true if anything. A group's members are judged one by one.
    fn judge(&mut self, ppdu: &mut Ppdu, high: &mut impl Surroundings) -> bool {
        let to = match ppdu.receiver {
            Receiver::Group => return true,
            Receiver::One(to) => Some(to).filter(|&to| self.is_tuned(ppdu, to)),
            Receiver::Absent => None,
        };
        let Some(to) = to else {
            ppdu.received.iter_mut().for_each(|r| *r = Reception::Lost);
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
        let whole =
            Part { listener: to, span: (ppdu.payload_start(), ppdu.end), bytes: ppdu.psdu_bytes, purpose };
        if !self.locked(ppdu, whole, high) {
            ppdu.received.iter_mut().for_each(|r| *r = Reception::Lost);
            return false;
        }
        if ppdu.kind != PpduKind::Data {
            let read = self.decoder.reads(high.channel(), ppdu, whole);
            let result = if read { Reception::Good } else { Reception::Lost };
            if let Some(only) = ppdu.received.first_mut() {
                *only = result;
            }
            return read;
        }
        if ppdu.overlaps.is_empty() {
            self.judge_undisturbed(ppdu, whole, high);
        }
        for index in 0..ppdu.mpdus.len() {
            if ppdu.received[index] == Reception::Open {
                ppdu.received[index] = self.judge_mpdu(ppdu, index, whole, high);
            }
        }
        ppdu.received.contains(&Reception::Good)
    }

    /// The same for all MPDUs of a PPDU that was alone on the air: those of one length have one probability.
    fn judge_undisturbed(&mut self, ppdu: &mut Ppdu, whole: Part, high: &mut impl Surroundings) {
        let loss = high.channel().extra_loss(ppdu.start, ppdu.from, whole.listener);
        let alone = !ppdu.is_aggregate();
        let mut last = (0, 1.0);
        for index in 0..ppdu.mpdus.len() {
            if ppdu.received[index] != Reception::Open {
                continue;
            }
            let bytes = if alone { ppdu.psdu_bytes } else { ppdu.mpdus[index].bytes };
            let part = Part { bytes, ..whole };
            if last.0 != bytes {
                last = (bytes, self.decoder.probability(high.channel(), (ppdu, ppdu.tx), part));
            }
            let good = self.decoder.happens(last.1, ppdu.from, part)
                && self.decoder.happens(1.0 - loss, ppdu.from, part);
            ppdu.received[index] = if good { Reception::Good } else { Reception::Lost };
        }
    }

    fn locked(&mut self, ppdu: &mut Ppdu, part: Part, high: &mut impl Surroundings) -> bool {
        match ppdu.locked {
            Some(locked) => locked,
            None => *ppdu.locked.insert(self.decoder.locks(high.channel(), ppdu, part)),
        }
    }

    fn judge_mpdu(
        &mut self,
        ppdu: &Ppdu,
        index: usize,
        whole: Part,
        high: &mut impl Surroundings,
    ) -> Reception {
        let alone = !ppdu.is_aggregate();
        let span = if alone || ppdu.overlaps.is_empty() { whole.span } else { ppdu.span(index) };
        let bytes = if alone { ppdu.psdu_bytes } else { ppdu.mpdus[index].bytes };
        let part = Part { span, bytes, ..whole };
        let loss = high.channel().extra_loss(ppdu.start, ppdu.from, whole.listener);
        let good = self.decoder.reads(high.channel(), ppdu, part)
            && self.decoder.happens(1.0 - loss, ppdu.from, part);
        if good { Reception::Good } else { Reception::Lost }
    }

    /// An MPDU inside an aggregate ends, and its receiver wants it at once.
    pub(super) fn mpdu_ends(&mut self, now: Instant, nic: NicId, high: &mut impl Surroundings) {
        let mut ppdu = self.air.take(nic);
        let Receiver::One(to) = ppdu.receiver else { unreachable!("aggregates have one receiver") };
        let index = ppdu.received.iter().position(|&r| r == Reception::Open).expect("an MPDU is open");
        let whole = Part {
            listener: to,
            span: (ppdu.payload_start(), ppdu.end),
            bytes: ppdu.psdu_bytes,
            purpose: Purpose::Data,
        };
        let locked = self.is_tuned(&ppdu, to) && self.locked(&mut ppdu, whole, high);
        ppdu.received[index] =
            if locked { self.judge_mpdu(&ppdu, index, whole, high) } else { Reception::Lost };
        if index + 2 < ppdu.mpdus.len() {
            self.events.plan(ppdu.span(index + 1).1, Event::MpduEnd(nic));
        }
        if ppdu.received[index] == Reception::Good {
            let status = self.status(&ppdu, to, high);
            high.rx(now, to, &ppdu.mpdus[index..=index], &status, &mut self.wishes);
            ppdu.handed_over = index + 1;
        }
        self.air.put(ppdu);
    }

    pub(super) fn status(&self, ppdu: &Ppdu, to: NicId, high: &mut impl Surroundings) -> RxStatus {
        let rssi = high.channel().mean_dbm(ppdu.from, to);
        let primary_mhz = self.primary_mhz(to);
        let nav = ppdu.nav_until.saturating_since(ppdu.end);
        let (mpdus, last) = (ppdu.mpdus.len() as u32, ppdu.mpdus.last().map(|mpdu| mpdu.handle));
        let Ppdu { from, tx, start, end, .. } = *ppdu;
        RxStatus { from, tx, rssi, start, end, primary_mhz, mpdus, last, nav }
    }

    /// Centre of the primary channel of a NIC.
    pub(super) fn primary_mhz(&self, nic: NicId) -> u32 {
        let radio = &self.radios[nic];
        let here = self.media[radio.medium].frequency_mhz;
        radio.tuning.as_ref().map_or(here, |tuning| tuning.primary_mhz())
    }

    /// What was read goes to the receivers' upper halves. False if somebody in a group has not read it.
    fn hand_over(&mut self, now: Instant, nic: NicId, high: &mut impl Surroundings) -> bool {
        let ppdu = self.air.take(nic);
        let mut by_all = true;
        match (ppdu.kind, ppdu.receiver) {
            (PpduKind::Data | PpduKind::BlockAckReq | PpduKind::Management, Receiver::One(to)) => {
                let mut arrived = std::mem::take(&mut self.radios[to].arrived);
                arrived.clear();
                let judged = ppdu.mpdus.iter().zip(&ppdu.received).skip(ppdu.handed_over);
                arrived.extend(judged.filter(|(_, r)| **r == Reception::Good).map(|(m, _)| *m));
                if !arrived.is_empty() {
                    let status = self.status(&ppdu, to, high);
                    high.rx(now, to, &arrived, &status, &mut self.wishes);
                }
                self.radios[to].arrived = arrived;
            }
            (_, Receiver::Group) if self.is_radio(nic) && !ppdu.mpdus.is_empty() => {
                by_all = self.hand_over_to_radios(now, &ppdu, high);
            }
            (PpduKind::Data, Receiver::Group) => by_all = self.hand_over_to_group(now, &ppdu, high),
            // Nobody needs what is in it; it counts as read if it was alone.
            (_, Receiver::Group) => by_all = ppdu.overlaps.is_empty(),
            _ => {}
        }
        self.air.put(ppdu);
        by_all
    }

    fn hand_over_to_group(&mut self, now: Instant, ppdu: &Ppdu, high: &mut impl Surroundings) -> bool {
        let mut by_all = true;
        let cell = self.radios[ppdu.from].cell;
        for i in 0..self.cells[cell].members.len() {
            let to = self.cells[cell].members[i];
            if to == ppdu.from {
                continue;
            }
            let span = (ppdu.payload_start(), ppdu.end);
            let part = Part { listener: to, span, bytes: ppdu.psdu_bytes, purpose: Purpose::Data };
            let reads = self.decoder.locks(high.channel(), ppdu, part)
                && self.decoder.reads(high.channel(), ppdu, part);
            if reads {
                let status = self.status(ppdu, to, high);
                high.rx(now, to, &ppdu.mpdus, &status, &mut self.wishes);
            }
            by_all &= reads;
        }
        by_all
    }

    /// Whoever is asked for a response prepares it. True if it begins already: where the same NICs hear both sides nobody
    /// can tell the SIFS between from the rest, and the medium stays busy.
    fn answer(&mut self, now: Instant, ppdu: &Ppdu, read: bool, high: &mut impl Surroundings) -> bool {
        let Receiver::One(to) = ppdu.receiver else { return false };
        if !read || !ppdu.asks() || !self.decoder.stays(high.channel(), ppdu, to, ppdu.end) {
            return false;
        }
        if !self.is_tuned(ppdu, to) {
            return false;
        }
        let Some(answer) = self.prepare(now, ppdu, to) else { return false };
        self.note_answer(ppdu, to, high);
        let radio = &self.radios[to];
        let medium = &self.media[radio.medium];
        let hearing = medium.contention.hearing();
        let member = |nic: NicId| self.radios[nic].member;
        let alike = hearing.heard_by(member(ppdu.from)) == hearing.heard_by(member(to));
        let start = now + self.cells[radio.cell].times.sifs;
        if alike && medium.on_air.is_empty() {
            self.emit_answer((now, start), to, answer);
            return true;
        }
        assert!(radio.answer.is_none(), "{to:?} is asked for two responses at once");
        let medium = radio.medium;
        self.radios[to].answer = Some(answer);
        self.follow(start, Event::Respond(to), medium);
        false
    }

    fn prepare(&self, now: Instant, ppdu: &Ppdu, to: NicId) -> Option<Answer> {
        let radio = &self.radios[to];
        let cell = &self.cells[radio.cell];
        let exchange = self.radios[ppdu.from].exchange.as_ref()?;
        if ppdu.kind != PpduKind::Rts {
            let response = exchange.response.expect("data for one NIC is answered");
            let attempt = ppdu.attempt;
            return Some(Answer { to: ppdu.from, cts: false, attempt, response, nav_until: Instant::ZERO });
        }
        let asker = self.radios[ppdu.from].member;
        let nav_until = self.media[radio.medium].contention.nav_until(radio.member, Some(asker));
        if nav_until > now || self.air[to].on_air {
            return None;
        }
        let response = cell.clear_to_send(ppdu.tx);
        let answered =
            exchange.response.map_or(airtcp_units::Duration::ZERO, |r| r.duration + cell.times.sifs);
        let nav_until = now + cell.times.sifs * 2 + response.duration + exchange.data + answered;
        Some(Answer { to: ppdu.from, cts: true, attempt: ppdu.attempt, response, nav_until })
    }

    /// The sender of something that asks for a response waits for it.
    fn await_response(&mut self, now: Instant, ppdu: &Ppdu, responds: bool) {
        if !ppdu.asks() {
            return;
        }
        let responder = match ppdu.receiver {
            Receiver::One(to) => Some(to),
            Receiver::Group | Receiver::Absent => None,
        };
        let radio = &mut self.radios[ppdu.from];
        let exchange = radio.exchange.as_ref().expect("what asks belongs to an exchange");
        if responds {
            radio.wait = responder.map(Wait::answered_by);
            return;
        }
        let cell = &self.cells[radio.cell];
        let tx = match exchange.step {
            Step::Clearing => cell.clear_to_send(ppdu.tx).tx,
            _ => exchange.response.expect("data for one NIC is answered").tx,
        };
        let timeout_at = now + cell.times.response_timeout(tx);
        // The PHY reports what begins only after aRxPHYStartDelay.
        let heard_by = now + cell.times.sifs + cell.times.slot;
        radio.wait = Some(Wait { responder, heard_by, timeout_at, hears: None });
        self.media[radio.medium].awaiting.push(ppdu.from);
        self.events.plan(timeout_at, Event::ResponseTimeout(ppdu.from));
    }

    /// The PPDU of `nic` has ended: for whom waits for a response and has read it, or has heard it instead of one.
    fn end_waits(&mut self, now: Instant, nic: NicId, read: bool, high: &mut impl Surroundings) {
        let ppdu = &self.air[nic];
        if let Receiver::One(to) = ppdu.receiver {
            let wait = self.radios[to].wait.filter(|wait| wait.responder == Some(nic));
            if wait.is_some_and(|wait| ppdu.answers(to) && (read || wait.hears == Some(nic))) {
                self.wait_ends(now, to, read, high);
            }
        }
        let medium = self.radios[nic].medium;
        let heard =
            |low: &Self, other: NicId| low.radios[other].wait.is_some_and(|wait| wait.hears == Some(nic));
        while let Some(&other) = self.media[medium].awaiting.iter().find(|&&other| heard(self, other)) {
            self.wait_ends(now, other, false, high);
        }
    }

    /// A wait is over, with a response or without.
    pub(super) fn wait_ends(
        &mut self,
        now: Instant,
        nic: NicId,
        answered: bool,
        high: &mut impl Surroundings,
    ) {
        let radio = &mut self.radios[nic];
        radio.wait = None;
        self.media[radio.medium].awaiting.retain(|&other| other != nic);
        let exchange = radio.exchange.as_mut().expect("who waits is in an exchange");
        match (answered, exchange.step) {
            (false, _) => self.fail(now, nic, high),
            (true, Step::Clearing) => {
                exchange.step = Step::Ready;
                let (sifs, medium) = (self.cells[radio.cell].times.sifs, radio.medium);
                self.follow(now + sifs, Event::Continue(nic), medium);
            }
            (true, _) => self.succeed(now, nic, high),
        }
    }

    fn record(&mut self, nic: NicId, read: bool) {
        #[cfg(test)]
        if let Some(journal) = &mut self.journal {
            journal.push(self.air[nic].clone());
        }
        let Some(records) = &mut self.records else { return };
        let ppdu = &self.air[nic];
        let from_epoch = |at: Instant| at.as_nanos().cast_signed() - self.epoch.as_nanos().cast_signed();
        records.push(PpduRecord {
            start_ns: from_epoch(ppdu.start),
            end_ns: from_epoch(ppdu.end),
            nic,
            to: match ppdu.receiver {
                Receiver::One(to) => Some(to),
                Receiver::Group | Receiver::Absent => None,
            },
            kind: ppdu.kind,
            rate: ppdu.tx.bit_rate(),
            bytes: ppdu.psdu_bytes,
            attempt: ppdu.attempt,
            outcome: ppdu.outcome(read),
        });
    }
}
