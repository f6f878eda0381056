//! PPDUs end: who they were for reads them, and answers.

use airtcp_units::Instant;

use super::decoding::Part;
use super::ppdu::{Ppdu, Reception};
use super::radio::{Answer, Step};
use super::{Event, Low, Surroundings};
use crate::NicId;
use crate::border::{MpduKind, Receiver, RxStatus};
use crate::random::Purpose;
use crate::trace::{PpduKind, PpduOutcome, PpduRecord, signed_nanos};

impl Low {
    /// The PPDU of a NIC ends.
    pub(super) fn ppdu_ends(&mut self, now: Instant, nic: NicId, high: &mut impl Surroundings) {
        let mut ppdu = std::mem::replace(&mut self.air[nic.0 as usize], Ppdu::idle(nic));
        ppdu.on_air = false;
        let medium = self.radios[nic.0 as usize].medium;
        self.clear_from_air(now, nic, medium);
        let read = self.judge(&mut ppdu, high);
        let answered = self.answer(now, &ppdu, read);
        self.tell_contention(now, &ppdu, read, high);
        self.record(&ppdu, read);
        let (kind, receiver) = (ppdu.kind, ppdu.receiver);
        self.air[nic.0 as usize] = ppdu;
        if read {
            self.hand_over(now, nic, high);
        }
        match (kind, receiver) {
            (PpduKind::Ack | PpduKind::BlockAck, Receiver::One(to)) => {
                self.response_ends(now, to, read, high);
            }
            (PpduKind::Cts, Receiver::One(to)) => self.cts_ends(now, to, read, high),
            (PpduKind::Cts, Receiver::Group) => {
                let sifs = self.cells[self.radios[nic.0 as usize].cell].times.sifs;
                self.events.plan(now + sifs, Event::Continue(nic));
            }
            (_, Receiver::Group) => self.succeed(now, nic, high),
            (_, Receiver::One(_)) => self.await_response(now, nic, answered),
        }
        let medium = &mut self.media[medium];
        if medium.on_air.is_empty() {
            medium.turn(now, false);
        }
    }

    fn clear_from_air(&mut self, now: Instant, nic: NicId, medium: usize) {
        let on_air = &mut self.media[medium].on_air;
        on_air.retain(|&other| other != nic);
        for &other in on_air.iter() {
            let lasting = |o: &&mut super::ppdu::Overlap| o.from == nic && o.end == Instant::FAR_FUTURE;
            if let Some(overlap) = self.air[other.0 as usize].overlaps.iter_mut().find(lasting) {
                overlap.end = now;
            }
        }
    }

    /// Decides what its receivers read of a PPDU; true if anything. A group's members are judged one by one.
    fn judge(&mut self, ppdu: &mut Ppdu, high: &mut impl Surroundings) -> bool {
        let Receiver::One(to) = ppdu.receiver else { return true };
        let purpose = match ppdu.kind {
            PpduKind::Data | PpduKind::Rts | PpduKind::BlockAckReq | PpduKind::Beacon => Purpose::Data,
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
            if ppdu.kind == PpduKind::BlockAckReq {
                ppdu.received[0] = result;
            }
            return read;
        }
        for index in 0..ppdu.mpdus.len() {
            if ppdu.received[index] == Reception::Open {
                ppdu.received[index] = self.judge_mpdu(ppdu, index, whole, high);
            }
        }
        ppdu.received.contains(&Reception::Good)
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
        let mut ppdu = std::mem::replace(&mut self.air[nic.0 as usize], Ppdu::idle(nic));
        let Receiver::One(to) = ppdu.receiver else { unreachable!("aggregates have one receiver") };
        let index = ppdu.received.iter().position(|&r| r == Reception::Open).expect("an MPDU is open");
        let whole = Part {
            listener: to,
            span: (ppdu.payload_start(), ppdu.end),
            bytes: ppdu.psdu_bytes,
            purpose: Purpose::Data,
        };
        let locked = self.locked(&mut ppdu, whole, high);
        ppdu.received[index] =
            if locked { self.judge_mpdu(&ppdu, index, whole, high) } else { Reception::Lost };
        if index + 2 < ppdu.mpdus.len() {
            self.events.plan(ppdu.span(index + 1).1, Event::MpduEnd(nic));
        }
        if ppdu.received[index] == Reception::Good {
            let status = Self::status(&ppdu, to, high);
            high.rx(now, to, &ppdu.mpdus[index..=index], &status, &mut self.wishes);
            ppdu.handed_over = index + 1;
        }
        self.air[nic.0 as usize] = ppdu;
    }

    fn status(ppdu: &Ppdu, to: NicId, high: &mut impl Surroundings) -> RxStatus {
        let rssi = high.channel().mean_dbm(ppdu.from, to);
        RxStatus { from: ppdu.from, tx: ppdu.tx, rssi, start: ppdu.start, end: ppdu.end }
    }

    /// What was read goes to the receivers' upper halves.
    fn hand_over(&mut self, now: Instant, nic: NicId, high: &mut impl Surroundings) {
        let ppdu = std::mem::replace(&mut self.air[nic.0 as usize], Ppdu::idle(nic));
        match (ppdu.kind, ppdu.receiver) {
            (PpduKind::Data | PpduKind::BlockAckReq, Receiver::One(to)) => {
                let mut arrived = std::mem::take(&mut self.radios[to.0 as usize].arrived);
                arrived.clear();
                let judged = ppdu.mpdus.iter().zip(&ppdu.received).skip(ppdu.handed_over);
                arrived.extend(judged.filter(|(_, r)| **r == Reception::Good).map(|(m, _)| *m));
                if !arrived.is_empty() {
                    let status = Self::status(&ppdu, to, high);
                    high.rx(now, to, &arrived, &status, &mut self.wishes);
                }
                self.radios[to.0 as usize].arrived = arrived;
            }
            (PpduKind::Data, Receiver::Group) => self.hand_over_to_group(now, &ppdu, high),
            _ => {}
        }
        self.air[nic.0 as usize] = ppdu;
    }

    fn hand_over_to_group(&mut self, now: Instant, ppdu: &Ppdu, high: &mut impl Surroundings) {
        let cell = self.radios[ppdu.from.0 as usize].cell;
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
                let status = Self::status(ppdu, to, high);
                high.rx(now, to, &ppdu.mpdus, &status, &mut self.wishes);
            }
        }
    }

    /// Whoever is asked for a response prepares it. True if it begins already: where the same NICs hear both sides nobody
    /// can tell the SIFS between from the rest, and the medium stays busy.
    fn answer(&mut self, now: Instant, ppdu: &Ppdu, read: bool) -> Option<bool> {
        let Receiver::One(to) = ppdu.receiver else { return None };
        let asks = matches!(ppdu.kind, PpduKind::Data | PpduKind::Rts | PpduKind::BlockAckReq);
        if !asks || !read {
            return None;
        }
        let answer = self.prepare(now, ppdu, to)?;
        let radio = &self.radios[to.0 as usize];
        let medium = &self.media[radio.medium];
        let hearing = medium.contention.hearing();
        let member = |nic: NicId| NicId(self.radios[nic.0 as usize].member);
        let alike = hearing.heard_by(member(ppdu.from)) == hearing.heard_by(member(to));
        let start = now + self.cells[radio.cell].times.sifs;
        if alike && medium.on_air.is_empty() {
            self.emit_answer((now, start), to, answer);
            let medium = self.radios[to.0 as usize].medium;
            self.media[medium].turn_to_response(now);
            return Some(true);
        }
        self.radios[to.0 as usize].answer = Some(answer);
        self.events.plan(start, Event::Respond(to));
        Some(false)
    }

    fn prepare(&self, now: Instant, ppdu: &Ppdu, to: NicId) -> Option<Answer> {
        let radio = &self.radios[to.0 as usize];
        let cell = &self.cells[radio.cell];
        let exchange = self.radios[ppdu.from.0 as usize].exchange.as_ref()?;
        if ppdu.kind != PpduKind::Rts {
            let response = exchange.response.expect("data for one NIC is answered");
            return Some(Answer { to: ppdu.from, cts: false, response, nav_until: Instant::ZERO });
        }
        let medium = &self.media[radio.medium];
        if medium.contention.nav_until(NicId(radio.member)) > now || self.air[to.0 as usize].on_air {
            return None;
        }
        let response = cell.clear_to_send(ppdu.tx);
        let answered =
            exchange.response.map_or(airtcp_units::Duration::ZERO, |r| r.duration + cell.times.sifs);
        let nav_until = now + cell.times.sifs * 2 + response.duration + exchange.data + answered;
        Some(Answer { to: ppdu.from, cts: true, response, nav_until })
    }

    /// The sender of something that asks for a response waits for it.
    fn await_response(&mut self, now: Instant, nic: NicId, answered: Option<bool>) {
        if answered == Some(true) {
            self.radios[nic.0 as usize].timeout_at = Instant::FAR_FUTURE;
            return;
        }
        let radio = &mut self.radios[nic.0 as usize];
        let Some(exchange) = &radio.exchange else { return };
        let cell = &self.cells[radio.cell];
        let tx = match exchange.step {
            Step::Clearing => cell.clear_to_send(self.air[nic.0 as usize].tx).tx,
            _ => exchange.response.expect("data for one NIC is answered").tx,
        };
        radio.timeout_at = now + cell.times.response_timeout(tx);
        self.events.plan(radio.timeout_at, Event::ResponseTimeout(nic));
    }

    /// A CTS ends at the NIC that asked for it.
    fn cts_ends(&mut self, now: Instant, nic: NicId, read: bool, high: &mut impl Surroundings) {
        let radio = &mut self.radios[nic.0 as usize];
        let Some(exchange) = radio.exchange.as_mut().filter(|e| e.step == Step::Clearing) else { return };
        if read {
            exchange.step = Step::Ready;
            let sifs = self.cells[radio.cell].times.sifs;
            self.events.plan(now + sifs, Event::Continue(nic));
        } else {
            self.fail(now, nic, false, high);
        }
    }

    fn record(&mut self, ppdu: &Ppdu, read: bool) {
        let Some(records) = &mut self.records else { return };
        let outcome = match (read, ppdu.overlaps.is_empty()) {
            (true, _) => PpduOutcome::Received,
            (false, false) => PpduOutcome::Collision,
            (false, true) => PpduOutcome::Corrupted,
        };
        records.push(PpduRecord {
            start_ns: signed_nanos(ppdu.start.since(Instant::ZERO))
                - signed_nanos(self.epoch.since(Instant::ZERO)),
            end_ns: signed_nanos(ppdu.end.since(Instant::ZERO))
                - signed_nanos(self.epoch.since(Instant::ZERO)),
            nic: ppdu.from,
            to: match ppdu.receiver {
                Receiver::One(to) => Some(to),
                Receiver::Group => None,
            },
            kind: ppdu.kind,
            rate: ppdu.tx.bit_rate(),
            bytes: ppdu.psdu_bytes,
            attempt: ppdu.attempt,
            outcome,
        });
    }

    /// Whether this PPDU's first MPDU is of a kind that nobody repeats.
    pub(super) fn is_beacon(ppdu: &Ppdu) -> bool {
        ppdu.mpdus.first().is_some_and(|m| m.kind == MpduKind::Beacon)
    }
}
