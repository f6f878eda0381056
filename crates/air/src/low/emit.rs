//! PPDUs begin.

use airtcp_units::{Duration, Instant};

use super::ppdu::{Overlap, Reception};
use super::radio::{Answer, Exchange, Step};
use super::{Event, Low};
use crate::NicId;
use crate::border::{MpduKind, Protection, Receiver};
use crate::phy::{RTS_BYTES, TxVector};
use crate::trace::PpduKind;
use airtcp_plan::Delivery;

/// A PPDU to be sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Emission {
    pub(super) kind: PpduKind,
    pub(super) receiver: Receiver,
    pub(super) tx: TxVector,
    pub(super) psdu_bytes: u32,
    pub(super) nav_until: Instant,
    pub(super) attempt: u32,
}

impl Low {
    /// The first PPDU of an exchange: protection, or the data itself.
    pub(super) fn start_exchange(&mut self, now: Instant, nic: NicId) {
        let exchange = self.radios[nic].exchange.expect("an exchange begins");
        match exchange.stage.protection {
            Protection::RtsCts if exchange.receiver != Receiver::Group => {
                self.send_rts(now, nic, &exchange);
            }
            Protection::CtsToSelf => self.send_cts_to_self(now, nic, &exchange),
            _ => self.send_data(now, nic),
        }
    }

    fn send_rts(&mut self, now: Instant, nic: NicId, exchange: &Exchange) {
        let cell = &self.cells[self.radios[nic].cell];
        let tx = cell.control(exchange.stage.tx, Protection::RtsCts);
        let duration = cell.times.ppdu_duration(tx, RTS_BYTES);
        let rts = Emission {
            kind: PpduKind::Rts,
            receiver: exchange.receiver,
            tx,
            psdu_bytes: RTS_BYTES,
            nav_until: now + self.total(nic, exchange),
            attempt: exchange.attempt,
        };
        self.step(nic, Step::Clearing);
        self.air[nic].empty();
        self.radios[nic].books.rts += 1;
        self.emit((now, now), nic, rts, duration);
    }

    fn send_cts_to_self(&mut self, now: Instant, nic: NicId, exchange: &Exchange) {
        let cell = &self.cells[self.radios[nic].cell];
        let cts = cell.clear_to_send(cell.control(exchange.stage.tx, Protection::CtsToSelf));
        let to_self = Emission {
            kind: PpduKind::Cts,
            receiver: Receiver::Group,
            tx: cts.tx,
            psdu_bytes: cts.bytes,
            nav_until: now + self.total(nic, exchange),
            attempt: exchange.attempt,
        };
        self.step(nic, Step::Ready);
        self.air[nic].empty();
        self.emit((now, now), nic, to_self, cts.duration);
    }

    /// The data PPDU of an exchange.
    pub(super) fn send_data(&mut self, now: Instant, nic: NicId) {
        self.step(nic, Step::Sending);
        let radio = &mut self.radios[nic];
        let exchange = radio.exchange.expect("an exchange goes on");
        let ppdu = &mut self.air[nic];
        ppdu.mpdus.clear();
        ppdu.mpdus.extend(radio.psdu.iter().map(|held| held.mpdu));
        ppdu.received.clear();
        ppdu.received.resize(radio.psdu.len(), Reception::Open);
        let kind = match ppdu.mpdus[0].kind {
            MpduKind::Data | MpduKind::Aggregable | MpduKind::NoAck => PpduKind::Data,
            MpduKind::Management | MpduKind::NoAckManagement => PpduKind::Management,
            MpduKind::BlockAckReq => PpduKind::BlockAckReq,
            MpduKind::Beacon => PpduKind::Beacon,
        };
        let sifs = self.cells[radio.cell].times.sifs;
        let response = exchange.response.map_or(Duration::ZERO, |r| sifs + r.duration);
        let data = Emission {
            kind,
            receiver: exchange.receiver,
            tx: exchange.stage.tx,
            psdu_bytes: exchange.psdu_bytes,
            nav_until: now + exchange.data + response,
            attempt: exchange.attempt,
        };
        self.emit((now, now), nic, data, exchange.data);
        self.plan_mpdu_ends(nic);
    }

    /// The receiver of an aggregate may want each MPDU at its own end.
    fn plan_mpdu_ends(&mut self, nic: NicId) {
        let ppdu = &self.air[nic];
        let Receiver::One(to) = ppdu.receiver else { return };
        if ppdu.is_aggregate() && self.radios[to].delivery == Delivery::MpduEnd {
            self.events.plan(ppdu.span(0).1, Event::MpduEnd(nic));
        }
    }

    fn step(&mut self, nic: NicId, step: Step) {
        self.radios[nic].exchange.as_mut().expect("an exchange is under way").step = step;
    }

    /// The answer of a NIC begins, SIFS after what it received.
    pub(super) fn respond(&mut self, now: Instant, nic: NicId) {
        let Some(answer) = self.radios[nic].answer.take() else { return };
        if self.air[nic].on_air {
            return;
        }
        self.emit_answer((now, now), nic, answer);
    }

    /// Sends an answer. The medium may be taken a SIFS before it begins (`when.0`), if that makes no difference to anybody.
    pub(super) fn emit_answer(&mut self, when: (Instant, Instant), nic: NicId, answer: Answer) {
        let kind = match (answer.cts, answer.response.block_ack) {
            (true, _) => PpduKind::Cts,
            (false, true) => PpduKind::BlockAck,
            (false, false) => PpduKind::Ack,
        };
        let emission = Emission {
            kind,
            receiver: Receiver::One(answer.to),
            tx: answer.response.tx,
            psdu_bytes: answer.response.bytes,
            nav_until: answer.nav_until,
            attempt: answer.attempt,
        };
        self.air[nic].empty();
        self.emit(when, nic, emission, answer.response.duration);
    }

    /// A PPDU begins at `when.1`; carrier sense notices it at `when.0`.
    pub(super) fn emit(
        &mut self,
        when: (Instant, Instant),
        nic: NicId,
        emission: Emission,
        duration: Duration,
    ) {
        let (now, start) = when;
        let medium = &mut self.media[self.radios[nic].medium];
        let mut ppdu = self.air.take(nic);
        assert!(!ppdu.on_air, "{nic:?} sends two PPDUs at once");
        (ppdu.kind, ppdu.receiver, ppdu.tx) = (emission.kind, emission.receiver, emission.tx);
        (ppdu.psdu_bytes, ppdu.attempt) = (emission.psdu_bytes, emission.attempt);
        (ppdu.start, ppdu.end, ppdu.nav_until) = (start, start + duration, emission.nav_until);
        let cell = self.radios[nic].cell;
        let extension = self.cells[cell].times.extension_of(ppdu.tx);
        ppdu.payload_end = start + (duration - extension);
        (ppdu.on_air, ppdu.locked, ppdu.handed_over) = (true, None, 0);
        ppdu.overlaps.clear();
        let member = self.radios[nic].member;
        for &other in &medium.on_air {
            if !medium.meet(member, self.radios[other].member) {
                continue;
            }
            let there = &mut self.air[other];
            there.overlaps.push(Overlap { from: nic, start, end: Instant::FAR_FUTURE });
            ppdu.overlaps.push(Overlap { from: other, start: there.start, end: Instant::FAR_FUTURE });
        }
        self.events.plan(ppdu.end, Event::PpduEnd(nic));
        let data = matches!(ppdu.kind, PpduKind::Data | PpduKind::Beacon | PpduKind::Management);
        self.air.put(ppdu);
        medium.begin(now, nic, data);
        medium.contention.ppdu_starts(now, self.radios[nic].member);
        self.tell_awaiting(now, nic);
    }

    /// Who waits for a response may hear this PPDU begin.
    fn tell_awaiting(&mut self, now: Instant, nic: NicId) {
        let radio = &self.radios[nic];
        let (medium, member) = (&self.media[radio.medium], radio.member);
        for &waiting in &medium.awaiting {
            let other = &mut self.radios[waiting];
            let heard = medium.contention.hears(other.member, member);
            let wait = other.wait.as_mut().expect("it is listed because it waits");
            let is_response = wait.responder == Some(nic) && self.air[nic].answers(waiting);
            if heard && now <= wait.heard_by && (wait.hears.is_none() || is_response) {
                wait.hears = Some(nic);
            }
        }
    }
}
