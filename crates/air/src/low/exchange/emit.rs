//! PPDUs begin.

use airtcp_units::{Duration, Instant};

use super::radio::{Answer, Exchange, Step};
use crate::border::{MpduKind, Protection, Receiver};
use crate::channel::Channel;
use crate::low::Low;
use crate::low::event::Event;
use crate::low::on_air::{Medium, MediumPlace, Overlap, Ppdu, PpduUser, Reception, Transmissions, Users};
use crate::phy::{Format, RTS_BYTES, TxVector, Width};
use crate::{NicId, PpduKind};
use airtcp_plan::Delivery;

/// A PPDU to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Emission {
    pub(crate) kind: PpduKind,
    /// Start of the PPDU. Carrier sense may notice it earlier.
    pub(crate) start: Instant,
    /// Bandwidth of the PPDU; for a control frame that is repeated in each 20 MHz, that of all copies.
    pub(crate) width: Width,
    pub(crate) duration: Duration,
    pub(crate) nav_until: Instant,
    pub(crate) users: Users<PpduUser>,
}

/// The width of a control frame in this mode that goes with a PPDU of another width: a non-HT frame is repeated in each 20 MHz of it
/// (non-HT duplicate; IEEE 802.11-2020, 10.6.6), others have their own.
pub(crate) fn duplicated(tx: TxVector, width: Width) -> Width {
    if tx.format == Format::Ofdm { width } else { tx.width }
}

impl Low {
    /// The first PPDU of an exchange: protection, or the data itself.
    #[inline(always)]
    pub(crate) fn start_exchange(&mut self, now: Instant, nic: NicId, channel: &mut Channel) {
        let exchange = self.exchange(nic);
        let (emission, next) = match exchange.protection {
            Protection::RtsCts if !exchange.is_for_group() => (self.rts(now, nic, exchange), Step::Clearing),
            Protection::CtsToSelf => (self.cts_to_self(now, nic, exchange), Step::Ready),
            _ => return self.send_data(now, nic, channel),
        };
        self.radios[nic].counters.rts += u64::from(emission.kind == PpduKind::Rts);
        self.step(nic, next);
        self.air[nic].empty();
        self.emit(now, nic, emission, channel);
    }

    fn exchange(&self, nic: NicId) -> &Exchange {
        self.radios[nic].exchange.as_ref().expect("an exchange is under way")
    }

    fn rts(&self, now: Instant, nic: NicId, exchange: &Exchange) -> Emission {
        let cell = &self.cells[self.radios[nic].cell];
        let tx = cell.control(exchange.tx(), Protection::RtsCts);
        let user = exchange.users.first();
        Emission {
            kind: PpduKind::Rts,
            start: now,
            width: duplicated(tx, exchange.width()),
            duration: cell.times.ppdu_duration(tx, RTS_BYTES),
            nav_until: now + self.total(nic, exchange),
            users: Users::one(PpduUser::new(user.receiver, tx, RTS_BYTES, user.attempt)),
        }
    }

    fn cts_to_self(&self, now: Instant, nic: NicId, exchange: &Exchange) -> Emission {
        let cell = &self.cells[self.radios[nic].cell];
        let cts = cell.clear_to_send(cell.control(exchange.tx(), Protection::CtsToSelf));
        let attempt = exchange.users.first().attempt;
        Emission {
            kind: PpduKind::Cts,
            start: now,
            width: duplicated(cts.tx, exchange.width()),
            duration: cts.duration,
            nav_until: now + self.total(nic, exchange),
            users: Users::one(PpduUser::new(Receiver::Group, cts.tx, cts.bytes, attempt)),
        }
    }

    /// The data PPDU of an exchange.
    pub(crate) fn send_data(&mut self, now: Instant, nic: NicId, channel: &mut Channel) {
        self.step(nic, Step::Sending);
        let radio = &self.radios[nic];
        let exchange = radio.exchange.as_ref().expect("an exchange goes on");
        let ppdu = &mut self.air[nic];
        ppdu.empty();
        for user in exchange.users.ids() {
            ppdu.mpdus[user].extend(radio.psdus[user].iter().map(|held| held.mpdu));
            ppdu.received[user].resize(radio.psdus[user].len(), Reception::Open);
        }
        let kind = match ppdu.mpdus.first()[0].kind {
            MpduKind::Data | MpduKind::Aggregable | MpduKind::NoAck => PpduKind::Data,
            MpduKind::Management | MpduKind::NoAckManagement => PpduKind::Management,
            MpduKind::BlockAckReq => PpduKind::BlockAckReq,
            MpduKind::Beacon => PpduKind::Beacon,
        };
        let sifs = self.cells[radio.cell].times.sifs;
        let response = exchange.response_duration().map_or(Duration::ZERO, |response| sifs + response);
        let data = Emission {
            kind,
            start: now,
            width: exchange.width(),
            duration: exchange.data,
            nav_until: now + exchange.data + response,
            users: exchange.users.map(|user| PpduUser {
                spacing_octets: user.spacing_octets,
                ..PpduUser::new(user.receiver, user.tx, user.psdu_bytes, user.attempt)
            }),
        };
        self.emit(now, nic, data, channel);
        self.schedule_mpdu_ends(nic);
    }

    /// The receiver of an aggregate may want each MPDU at its own end.
    fn schedule_mpdu_ends(&mut self, nic: NicId) {
        let ppdu = &self.air[nic];
        for (user, PpduUser { receiver, .. }) in ppdu.users.enumerate() {
            let Receiver::One(to) = *receiver else { continue };
            if ppdu.is_aggregate(user) && self.radios[to].delivery == Delivery::MpduEnd {
                self.events.schedule(ppdu.span(user, 0).end, Event::MpduEnd(nic, user));
            }
        }
    }

    fn step(&mut self, nic: NicId, step: Step) {
        self.radios[nic].exchange.as_mut().expect("an exchange is under way").step = step;
    }

    /// The answer of a NIC begins, SIFS after what it received.
    pub(crate) fn respond(&mut self, now: Instant, nic: NicId, channel: &mut Channel) {
        let Some(answer) = self.radios[nic].answer.take() else { return };
        if self.air[nic].on_air {
            return;
        }
        self.emit_answer(now, nic, answer, channel);
    }

    /// Sends an answer at its start. Carrier sense may notice it a SIFS earlier, at `now`, if that makes no difference to anybody.
    #[inline(always)]
    pub(crate) fn emit_answer(&mut self, now: Instant, nic: NicId, answer: Answer, channel: &mut Channel) {
        let (to, response) = (Receiver::One(answer.to), answer.response);
        let kind = match (answer.cts, response.block_ack) {
            (true, _) => PpduKind::Cts,
            (false, true) => PpduKind::BlockAck,
            (false, false) => PpduKind::Ack,
        };
        let emission = Emission {
            kind,
            start: answer.start,
            width: answer.width,
            duration: response.duration,
            nav_until: answer.nav_until,
            users: Users::one(PpduUser::new(to, response.tx, response.bytes, answer.attempt)),
        };
        let silence = answer.start.saturating_since(now);
        let (medium, member) = (self.radios[nic].medium, self.radios[nic].member);
        self.air[nic].empty();
        self.emit(now, nic, emission, channel);
        if self.any_tuned && silence > Duration::ZERO {
            self.media[medium].contention.leave_out(member, answer.width, silence);
        }
    }

    /// A PPDU begins; carrier sense notices it now.
    fn emit(&mut self, now: Instant, nic: NicId, emission: Emission, channel: &mut Channel) {
        let Emission { kind, start, width, duration, nav_until, users } = emission;
        let radio = &mut self.radios[nic];
        radio.eifs_extra = Duration::ZERO;
        let place = MediumPlace { medium: radio.medium, member: radio.member, primary: radio.primary };
        let mut ppdu = self.air.take(nic);
        ppdu.place = place;
        assert!(!ppdu.on_air, "{nic:?} sends two PPDUs at once");
        let tx = users.first().tx;
        (ppdu.kind, ppdu.width, ppdu.users) = (kind, width, users);
        (ppdu.start, ppdu.end, ppdu.nav_until) = (start, start + duration, nav_until);
        let of_packet = tx.packet_extension(ppdu.first().psdu_bytes);
        let extension = self.cells[radio.cell].times.extension_of(tx) + of_packet;
        ppdu.payload_end = start + (duration - extension);
        ppdu.payload_start = (start + tx.preamble_duration()).min(ppdu.payload_end);
        ppdu.on_air = true;
        ppdu.overlaps.clear();
        ppdu.emissions.clear();
        ppdu.missed.clear();
        let overlaps = !self.media[place.medium].on_air.is_empty();
        if overlaps {
            self.meet_preambles(&mut ppdu, place.medium, channel);
        }
        let medium = &mut self.media[place.medium];
        if !(medium.emissions.is_empty() && medium.on_air.is_empty()) {
            overlap(&mut ppdu, medium, &mut self.air);
        }
        self.events.schedule(ppdu.end, Event::PpduEnd(nic));
        let data = matches!(kind, PpduKind::Data | PpduKind::Beacon | PpduKind::Management);
        self.air.put(ppdu);
        medium.on_air.push(nic);
        medium.contention.ppdu_starts(now, place.member, width, &self.scratch.sensed.unsensed);
        if overlaps {
            self.lose_carriers(now, place.medium);
        }
        let medium = &self.media[place.medium];
        self.primaries[place.primary].begin(now, data);
        if !medium.awaiting.is_empty() {
            self.notify_awaiting(now, nic);
        }
    }

    /// NICs that wait for a response may hear this PPDU begin.
    #[inline(never)]
    fn notify_awaiting(&mut self, now: Instant, nic: NicId) {
        let radio = &self.radios[nic];
        let (medium, member) = (&self.media[radio.medium], radio.member);
        let width = self.air[nic].width;
        for &waiting in &medium.awaiting {
            let other = &mut self.radios[waiting];
            let heard = medium.contention.hears(other.member, member, width)
                && !self.air[nic].missed.contains(waiting);
            let wait = other.wait.as_mut().expect("it is listed because it waits");
            let is_response = wait.responder == Some(nic) && self.air[nic].answers(waiting);
            if heard && now <= wait.heard_by && (wait.hears.is_none() || is_response) {
                wait.hears = Some(nic);
            }
        }
    }
}

/// Notes what is on the air when a PPDU begins.
#[inline(never)]
fn overlap(ppdu: &mut Ppdu, medium: &Medium, air: &mut Transmissions) {
    ppdu.emissions.extend(medium.emissions.iter().filter(|emitted| emitted.lasts()));
    let &mut Ppdu { from, width, start, .. } = ppdu;
    for &other in &medium.on_air {
        let there = &mut air[other];
        there.overlaps.push(Overlap { from, width, start, end: Instant::FAR_FUTURE });
        let (width, start) = (there.width, there.start);
        ppdu.overlaps.push(Overlap { from: other, width, start, end: Instant::FAR_FUTURE });
    }
}
