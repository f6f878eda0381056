//! PPDUs begin.

use airtcp_plan::Delivery;
use airtcp_units::Instant;

use super::Exchanges;
use super::radio::{Answer, Exchange, Step};
use crate::border::{Protection, Receiver};
use crate::channel::Channel;
use crate::low::Low;
use crate::low::context::Context;
use crate::low::event::Event;
use crate::low::on_air::{Emission, OnAir, Ppdu, PpduUser, Reception};
use crate::phy::{Format, RTS_BYTES, TxVector, Width};
use crate::{NicId, PpduKind};

/// The width of a control frame in this mode that goes with a PPDU of another width: a non-HT frame is repeated in each 20 MHz of it
/// (non-HT duplicate; IEEE 802.11-2020, 10.6.6), others have their own.
pub(super) fn duplicated(tx: TxVector, width: Width) -> Width {
    if tx.format == Format::Ofdm { width } else { tx.width() }
}

impl Low {
    /// The first PPDU of an exchange: protection, or the data itself.
    #[inline(always)]
    pub(super) fn start_exchange(&mut self, now: Instant, nic: NicId, channel: &mut Channel) {
        let exchange = self.exchange(nic);
        if exchange.step == Step::Triggering {
            return self.send_uplink_trigger(now, nic, channel);
        }
        let (emission, next) = match exchange.protection {
            Protection::RtsCts if exchange.has_mu_rts() => return self.send_mu_rts(now, nic, channel),
            Protection::RtsCts if !exchange.is_for_group() => (self.rts(now, nic), Step::Clearing),
            Protection::CtsToSelf => (self.cts_to_self(now, nic), Step::Ready),
            _ => return self.send_data(now, nic, channel),
        };
        self.notes.sends(nic, emission.kind);
        self.step(nic, next);
        self.emit(now, nic, emission, channel);
    }

    #[inline(always)]
    pub(super) fn exchange(&self, nic: NicId) -> &Exchange {
        self.exchanges.radios[nic].exchange.as_ref().expect("an exchange is under way")
    }

    fn rts(&mut self, now: Instant, nic: NicId) -> Emission {
        let exchange = self.exchange(nic);
        let cell = self.on_air.cell(nic);
        let tx = cell.control(exchange.tx(), Protection::RtsCts);
        let user = exchange.users.first();
        let user = PpduUser::new(user.receiver, tx, RTS_BYTES, user.attempt);
        let emission = Emission {
            kind: PpduKind::Rts,
            start: now,
            width: duplicated(tx, exchange.width()),
            duration: cell.times.ppdu_duration(tx, RTS_BYTES),
            nav_until: now + exchange.total(cell),
        };
        self.on_air.next_ppdu(nic).users.replace(user);
        emission
    }

    fn cts_to_self(&mut self, now: Instant, nic: NicId) -> Emission {
        let exchange = self.exchange(nic);
        let cell = self.on_air.cell(nic);
        let cts = cell.clear_to_send(cell.control(exchange.tx(), Protection::CtsToSelf));
        let attempt = exchange.users.first().attempt;
        let user = PpduUser::new(Receiver::Group, cts.tx, cts.bytes, attempt);
        let emission = Emission {
            kind: PpduKind::Cts,
            start: now,
            width: duplicated(cts.tx, exchange.width()),
            duration: cts.duration,
            nav_until: now + exchange.total(cell),
        };
        self.on_air.next_ppdu(nic).users.replace(user);
        emission
    }

    /// The data PPDU of an exchange.
    pub(crate) fn send_data(&mut self, now: Instant, nic: NicId, channel: &mut Channel) {
        self.step(nic, Step::Sending);
        let exchange = self.exchanges.radios[nic].exchange.as_ref().expect("an exchange goes on");
        let psdus = self.buffers.psdus(nic);
        let ppdu = self.on_air.next_ppdu(nic);
        ppdu.set_users(
            &exchange.users,
            #[inline(always)]
            |user| PpduUser {
                spacing_octets: user.spacing_octets,
                ..PpduUser::new(user.receiver, user.tx, user.psdu_bytes, user.attempt)
            },
        );
        ppdu.buffer_status = self.exchanges.radios[nic].buffer_status.unwrap_or_default();
        exchange.users.ids().each(
            #[inline(always)]
            |user| {
                ppdu.mpdus[user].extend(psdus[user].iter().map(|held| held.mpdu));
                ppdu.received[user].resize(psdus[user].len(), Reception::Open);
            },
        );
        if let Some(multi_user) = &exchange.multi_user {
            ppdu.data_span = Some(multi_user.describe(&mut ppdu.users));
        }
        let kind = psdus.first()[0].mpdu.kind.of_ppdu();
        let after = exchange.after_data(self.on_air.cell(nic));
        let data = Emission {
            kind,
            start: now,
            width: exchange.width(),
            duration: exchange.data,
            nav_until: now + exchange.data + after,
        };
        self.emit(now, nic, data, channel);
        self.schedule_mpdu_ends(nic);
    }

    /// The receiver of an aggregate may want each MPDU at its own end.
    fn schedule_mpdu_ends(&mut self, nic: NicId) {
        let ppdu = self.on_air.ppdu(nic);
        ppdu.users.ids().each(
            #[inline(always)]
            |user| {
                let Receiver::One(to) = ppdu.users[user].receiver else { return };
                if ppdu.is_aggregate(user) && self.exchanges.radios[to].delivery == Delivery::MpduEnd {
                    self.events.schedule(ppdu.span(user, 0).end, Event::MpduEnd(nic, user));
                }
            },
        );
    }

    pub(super) fn step(&mut self, nic: NicId, step: Step) {
        self.exchanges.radios[nic].exchange.as_mut().expect("an exchange is under way").step = step;
    }

    /// The answer of a NIC begins, SIFS after what it received.
    pub(crate) fn respond(&mut self, now: Instant, nic: NicId, high: &mut impl Context) {
        let radio = &mut self.exchanges.radios[nic];
        let (Some(answer), triggered) = (radio.answer.take(), radio.triggered.take()) else { return };
        if self.on_air.ppdu(nic).on_air {
            return;
        }
        match triggered {
            None => self.emit_answer(now, nic, &answer, high.channel()),
            Some(triggered) => self.answer_trigger(now, nic, &answer, &triggered, high),
        }
    }

    /// Sends an answer at its start. Carrier sense may notice it a SIFS earlier, at `now`, if that makes no difference to anybody.
    #[inline(always)]
    pub(super) fn emit_answer(&mut self, now: Instant, nic: NicId, answer: &Answer, channel: &mut Channel) {
        self.fill_answer(nic, answer);
        self.emit(now, nic, answer.emission(answer.kind()), channel);
    }

    /// The response of an answer is in the PPDU that a NIC sends next.
    #[inline(always)]
    pub(super) fn fill_answer(&mut self, nic: NicId, answer: &Answer) -> &mut Ppdu {
        let Answer { to, response, attempt, .. } = *answer;
        let ppdu = self.on_air.next_ppdu(nic);
        ppdu.users.replace(PpduUser::new(Receiver::One(to), response.tx, response.bytes, attempt));
        ppdu
    }

    /// A PPDU begins. NICs that wait for a response hear of it when it is on the air.
    pub(super) fn emit(&mut self, now: Instant, nic: NicId, emission: Emission, channel: &mut Channel) {
        let end = self.on_air.start(now, nic, emission, channel);
        self.events.schedule(end, Event::PpduEnd(nic));
        if !self.exchanges.awaiting.is_empty() {
            self.exchanges.notify_awaiting(now, nic, &self.on_air);
        }
    }
}

impl Exchanges {
    /// NICs that wait for a response may hear this PPDU begin.
    #[inline(never)]
    fn notify_awaiting(&mut self, now: Instant, nic: NicId, on_air: &OnAir) {
        for &waiting in &self.awaiting {
            let heard = on_air.hears_start(waiting, nic);
            let wait = self.radios[waiting].wait.as_mut().expect("it is listed because it waits");
            let ppdu = on_air.ppdu(nic);
            let is_response = wait.responder == Some(nic) && ppdu.answers(waiting)
                || ppdu.trigger.is_some_and(|trigger| trigger.by == waiting);
            if heard && now <= wait.heard_by && (wait.hears.is_none() || is_response) {
                wait.hears = Some(nic);
            }
        }
    }
}
