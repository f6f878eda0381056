//! What a station does when a trigger frame of its access point asks it for data or its buffer status (IEEE 802.11ax-2021, 26.5.2).
//!
//! It answers SIFS after the frame, in the RU and mode that this names, if its NAV and the energy in that part of the channel let it (UL
//! MU carrier sensing, 26.5.2.5). It sends what fits of one queue, or `QoS` Null frames. Its own contention goes on as if nothing had
//! happened: its access functions have not won the medium, so the outcome does not change their windows (IEEE 802.11-2020, 10.23.2.2).

use airtcp_units::{Dbm, Instant};

use super::radio::{Answer, Exchange, ExchangeUser, Step, Triggered, Wait};
use super::triggering::qos_null_psdu_bytes;
use super::uplink::{Grant, Triggering};
use crate::border::{AccessCategory, Mpdu, MpduKind, PpduStatus, Protection, Receiver, TIDS};
use crate::channel::Channel;
use crate::low::Low;
use crate::low::buffer::{Attempt, PsduOf, PsduRoom, SentAs};
use crate::low::cell::Response;
use crate::low::contention::AccessFunction;
use crate::low::context::Context;
use crate::low::event::Event;
use crate::low::multi_user::TriggerKind;
use crate::low::noted::DataSent;
use crate::low::on_air::{Ppdu, PpduUser, Reception, Trigger, UserId, Users};
use crate::low::psdu::PsduLength;
use crate::phy::ToneShare;
use crate::{NicId, PpduKind};

/// A trigger frame, as a station is asked by it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asks {
    /// The access point.
    pub(super) from: NicId,
    /// The user whose RU the station uses.
    pub(super) user: UserId,
    /// The category from which it should send if it can.
    pub(super) preferred: AccessCategory,
    /// Whether it is not named, and uses an RU for everybody.
    pub(super) by_random_access: bool,
}

/// An uplink that is due.
#[derive(Clone, Copy, Debug)]
struct Granted<'a> {
    answer: &'a Answer,
    triggered: &'a Triggered,
    grant: Grant,
}

impl Low {
    /// A station has decoded a trigger frame that asks it for an uplink.
    #[inline(never)]
    pub(super) fn take_grant(&mut self, now: Instant, ppdu: &Ppdu, user: UserId, to: NicId) {
        let from = ppdu.from;
        let Some(triggering) = self.exchanges.radios[from].triggering.take() else { return };
        if let Some((_, asked)) = ppdu.users.ids().zip(&triggering.asked).find(|(id, _)| *id == user) {
            let asks = Asks { from, user, preferred: asked.preferred, by_random_access: false };
            self.prepare_granted(now, asks, to, &triggering);
        }
        self.exchanges.radios[from].triggering = Some(triggering);
    }

    /// A station prepares what it answers to a trigger frame, SIFS after it. It does not answer if it is in an exchange of its own, or
    /// somebody else than the access point has reserved the medium.
    pub(super) fn prepare_granted(&mut self, now: Instant, asks: Asks, to: NicId, triggering: &Triggering) {
        let Asks { from, user, preferred, by_random_access } = asks;
        let Some(trigger) = triggering.trigger else { return };
        if self.exchanges.is_in_exchange(to) || self.on_air.nav_until(to, from) > now {
            return;
        }
        let exchange = self.exchange(from);
        let Some(response) = exchange.users[user].response else { return };
        let start = now + self.on_air.cell(to).times.sifs;
        let triggered = Triggered {
            trigger: Trigger { by: from, start, tones: exchange.tone_count() },
            span: Some(trigger.span),
            grant: Some(Grant {
                kind: trigger.kind,
                preferred,
                octets: response.bytes,
                target: triggering.target,
                by_random_access,
            }),
        };
        let answer = Answer {
            to: from,
            cts: false,
            attempt: 1,
            response,
            width: response.tx.width(),
            start,
            nav_until: start + response.duration + trigger.acknowledgement,
        };
        let radio = &mut self.exchanges.radios[to];
        (radio.answer, radio.triggered) = (Some(answer), Some(triggered));
        self.follow(start, Event::Respond(to), to);
    }

    /// The answer to a trigger frame, or to MU-RTS, is due.
    #[inline(never)]
    pub(super) fn answer_trigger(
        &mut self,
        now: Instant,
        nic: NicId,
        answer: &Answer,
        triggered: &Triggered,
        high: &mut impl Context,
    ) {
        let Some(grant) = triggered.grant else {
            triggered.describe(self.fill_answer(nic, answer));
            return self.emit(now, nic, answer.emission(answer.kind()), high.channel());
        };
        self.answer_grant(now, nic, Granted { answer, triggered, grant }, high);
    }

    /// The uplink of a station is due: data if it has some that fits, else `QoS` Null frames. Nothing, if there is energy in the 20 MHz
    /// channels of its RU.
    fn answer_grant(&mut self, now: Instant, nic: NicId, granted: Granted<'_>, high: &mut impl Context) {
        let Granted { answer, triggered: &Triggered { trigger, .. }, grant } = granted;
        let ru = answer.response.tx.allocation;
        if self.exchanges.is_in_exchange(nic)
            || self.on_air.senses_energy_in(nic, ru, trigger, high.channel())
        {
            return;
        }
        let function = match grant.kind {
            TriggerKind::Basic => self.take_solicited(now, nic, granted, high),
            TriggerKind::Bsrp => None,
        };
        match function {
            Some(function) => {
                self.send_solicited(now, nic, granted, high.channel());
                self.prefetch(now, nic, function, high);
            }
            None => self.send_qos_null(now, nic, granted, high),
        }
    }

    /// Takes MPDUs of a queue that fit into what the trigger frame grants: of the preferred category, else of the highest that has some.
    /// The exchange of the station is with them. `None`: there are none.
    fn take_solicited(
        &mut self,
        now: Instant,
        nic: NicId,
        granted: Granted<'_>,
        high: &mut impl Context,
    ) -> Option<AccessFunction> {
        let Granted { grant, .. } = granted;
        let others = AccessCategory::ALL.into_iter().rev().filter(|&ac| ac != grant.preferred);
        let mut categories = std::iter::once(grant.preferred).chain(others).map(AccessFunction::Category);
        categories.find(|&function| self.take_from(now, nic, function, granted, high))
    }

    fn take_from(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        granted: Granted<'_>,
        high: &mut impl Context,
    ) -> bool {
        let Granted { answer, grant, .. } = granted;
        if !self.has_frames(now, nic, function, high) {
            return false;
        }
        let head = self.buffers.share_txop(now, nic, function, self.on_air.cell(nic), high);
        let Some(head) = head else { return false };
        let Response { tx, bytes: most, duration, .. } = answer.response;
        let mpdu = head.held.mpdu;
        let alone = PsduLength::one(tx.format, mpdu.bytes).bytes();
        if !may_answer(&mpdu, answer.to) || alone > most {
            self.buffers.put_back(now, nic, function, &head, high);
            return false;
        }
        let of_queue = head.txq.filter(|_| mpdu.kind == MpduKind::Aggregable);
        let limits = of_queue.and_then(|txq| self.buffers.limits_of(nic, &mpdu, Some(txq)));
        let spacing_octets = limits.map_or(0, |limits| limits.spacing_octets(tx));
        let length = limits.zip(of_queue).and_then(|(limits, txq)| {
            let of = PsduOf { nic, function, user: UserId::FIRST, txq };
            let room = PsduRoom {
                tx,
                most: most.min(limits.bytes),
                trigger_bytes: 0,
                spacing_octets,
                window: limits.window,
            };
            self.buffers.extend(now, of, room, high)
        });
        self.buffers.end_turns(now, nic, function, &head, high);
        self.report_in_data(nic, head.txq, high);
        self.exchanges.radios[nic].exchange = Some(Exchange {
            function,
            begins_txop: true,
            step: Step::Answering { by_random_access: grant.by_random_access },
            protection: Protection::None,
            data: duration,
            collided: false,
            began: now,
            txop_end: Instant::FAR_FUTURE,
            widest: tx.width(),
            users: Users::one(ExchangeUser {
                txq: head.txq,
                receiver: mpdu.receiver,
                tx,
                width: tx.width(),
                chosen: head.stage.tx,
                window: limits.map(|limits| limits.window),
                spacing_octets,
                probe: false,
                attempt: head.held.tries + 1,
                psdu_bytes: length.map_or(alone, PsduLength::bytes),
                response: Some(answer.response),
                answered: false,
                purged: false,
            }),
            multi_user: None,
        });
        true
    }

    /// The data of a station that answers a trigger frame begins.
    fn send_solicited(&mut self, now: Instant, nic: NicId, granted: Granted<'_>, channel: &mut Channel) {
        let Granted { answer, triggered, grant } = granted;
        let exchange = self.exchanges.radios[nic].exchange.as_ref().expect("its data has been taken");
        let sent = self.buffers.psdu(nic, UserId::FIRST);
        let kind = sent[0].mpdu.kind.of_ppdu();
        let ppdu = self.on_air.next_ppdu(nic);
        ppdu.mpdus[UserId::FIRST].extend(sent.iter().map(|held| held.mpdu));
        ppdu.received[UserId::FIRST].resize(sent.len(), Reception::Open);
        ppdu.buffer_status = self.exchanges.radios[nic].buffer_status.unwrap_or_default();
        let ExchangeUser { receiver, tx, psdu_bytes, attempt, spacing_octets, .. } = *exchange.users.first();
        let user = PpduUser {
            spacing_octets,
            padded_bytes: grant.octets,
            answers_later: true,
            ..PpduUser::new(receiver, tx, psdu_bytes, attempt)
        };
        ppdu.users.replace(user);
        ppdu.power_share = power_share(nic, answer.to, grant.target, channel);
        triggered.describe(ppdu);
        self.emit(now, nic, answer.emission(kind), channel);
    }

    /// `QoS` Null frames begin, one for each TID, as many as fit: they say what waits in the station's queues. Nobody acknowledges them.
    fn send_qos_null(&mut self, now: Instant, nic: NicId, granted: Granted<'_>, high: &mut impl Context) {
        let Granted { answer, triggered, grant } = granted;
        let tx = answer.response.tx;
        let fits = |frames: &u32| qos_null_psdu_bytes(tx.format, *frames) <= grant.octets;
        let Some(frames) = (1..=TIDS as u32).rev().find(fits) else { return };
        let status = self.report_queues(nic, frames as usize, high);
        let psdu_bytes = qos_null_psdu_bytes(tx.format, frames);
        let channel = high.channel();
        let user = PpduUser {
            padded_bytes: grant.octets,
            ..PpduUser::new(Receiver::One(answer.to), tx, psdu_bytes, answer.attempt)
        };
        let ppdu = self.on_air.next_ppdu(nic);
        ppdu.buffer_status = status;
        ppdu.users.replace(user);
        ppdu.power_share = power_share(nic, answer.to, grant.target, channel);
        triggered.describe(ppdu);
        self.emit(now, nic, answer.emission(PpduKind::QosNull), channel);
        if grant.by_random_access {
            self.random_access_ends(nic, true);
        }
    }

    /// The data of a station has ended, which several stations have sent together: the station waits for the `BlockAck` to all.
    pub(super) fn await_multi_sta_ack(&mut self, now: Instant, ppdu: &Ppdu) {
        let Some(to) = ppdu.first().receiver.nic().filter(|_| ppdu.carries_mpdus()) else { return };
        let cell = self.on_air.cell(ppdu.from);
        let times = &cell.times;
        let timeout_at = now + times.response_timeout(cell.response(ppdu.first().tx, None).tx);
        let heard_by = now + times.sifs + times.slot;
        self.exchanges.radios[ppdu.from].wait =
            Some(Wait { responder: Some(to), heard_by, timeout_at, hears: None });
        self.exchanges.awaiting.push(ppdu.from);
        self.events.schedule(timeout_at, Event::ResponseTimeout(ppdu.from));
    }

    /// What a station has sent in answer to a trigger frame is acknowledged, or not. Its MPDUs count the attempt; its rate control, which
    /// has not chosen the mode, and its contention window do not.
    pub(super) fn solicited_ends(
        &mut self,
        now: Instant,
        nic: NicId,
        answered: bool,
        high: &mut impl Context,
    ) {
        let mut exchange = self.exchanges.radios[nic].exchange.take().expect("an exchange ends");
        let user = UserId::FIRST;
        exchange.users[user].answered = answered;
        let ExchangeUser { receiver, tx, attempt, txq, psdu_bytes, purged, .. } = exchange.users[user];
        let sent = DataSent {
            receiver,
            tx,
            retry: attempt > 1,
            lost: (!answered).then_some(exchange.collided),
            share: self.on_air.ppdu(nic).share_of(user),
        };
        self.notes.count(nic, sent, self.buffers.psdu(nic, user));
        let carries_data = self.buffers.psdu(nic, user).iter().any(|held| held.mpdu.kind.carries_data());
        self.report_solicited(now, nic, &exchange, sent.share, high);
        let cell = self.on_air.cell(nic);
        let attempt = Attempt {
            nic,
            function: exchange.function,
            user,
            txq,
            failure: cell.failure(psdu_bytes),
            answered,
            purged,
            sent_as: SentAs::Solicited,
        };
        if answered {
            self.buffers.succeed(now, attempt, &cell.retry_limits, high, &mut self.requests);
        } else {
            self.buffers.fail(now, attempt, &cell.retry_limits, high, &mut self.requests);
        }
        let by_random_access = exchange.step == Step::Answering { by_random_access: true };
        if by_random_access {
            self.random_access_ends(nic, answered);
        }
        // Only QoS data starts it, in an RU that is addressed to the station.
        if answered && carries_data && !by_random_access {
            self.start_mu_edca(now, nic, exchange.function);
        }
        self.contend_if_pending(now, nic, exchange.function, high);
        if self.exchanges.radios[nic].capabilities.airtime_limit_above {
            self.ask_other_categories(now, nic, exchange.function, high);
        }
    }

    /// Tells the upper half of a station what became of its answer to a trigger frame.
    fn report_solicited(
        &self,
        now: Instant,
        nic: NicId,
        exchange: &Exchange,
        share: ToneShare,
        high: &mut impl Context,
    ) {
        let psdu = self.buffers.psdu(nic, UserId::FIRST);
        let ExchangeUser { receiver, tx, attempt, answered, .. } = *exchange.users.first();
        let acked = psdu.iter().filter(|held| answered && held.arrived).count();
        let status = PpduStatus {
            tx,
            protection: Protection::None,
            cleared: true,
            mpdus: psdu.len() as u32,
            acked: acked as u32,
            answered,
            probe: false,
            attempt,
            tid: psdu[0].mpdu.tid,
            bytes: psdu.iter().map(|held| held.mpdu.bytes).sum(),
            airtime: share.of(exchange.data),
            solicited: true,
        };
        high.ppdu_done(now, nic, receiver, psdu.iter().map(|held| &held.mpdu), &status);
    }
}

impl Triggered {
    /// Says of the PPDU of an answer which trigger frame it answers, and where its data is.
    fn describe(&self, ppdu: &mut Ppdu) {
        (ppdu.trigger, ppdu.data_span) = (Some(self.trigger), self.span);
    }
}

/// Whether a station may send an MPDU in answer to a trigger frame of this access point: what goes to this, and asks for a response.
fn may_answer(mpdu: &Mpdu, access_point: NicId) -> bool {
    use MpduKind::{Aggregable, BlockAckReq, Data, Management};
    mpdu.receiver == Receiver::One(access_point)
        && matches!(mpdu.kind, Data | Aggregable | BlockAckReq | Management)
}

/// The part of its power with which a station answers: as much as gives the access point what it wants, by what the station has received
/// of it.
fn power_share(nic: NicId, access_point: NicId, target: Option<Dbm>, channel: &Channel) -> f64 {
    target.map_or(1.0, |target| {
        let surplus_db = channel.mean_dbm(nic, access_point).get() - target.get();
        libm::pow(10.0, -surplus_db.max(0.0) / 10.0)
    })
}
