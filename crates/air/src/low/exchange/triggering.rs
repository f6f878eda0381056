//! Uplinks that an access point triggers: what several of its stations have, at once and each in a resource unit (IEEE 802.11ax-2021,
//! 26.5.2).
//!
//! ```text
//! | Basic trigger frame |SIFS| data of all, each in its RU |SIFS| multi-STA BlockAck |
//! | BSRP trigger frame |SIFS| QoS Null frames of all, each in its RU |
//! ```
//! The access point contends for the trigger frame as for data of its own. If any station answers, the exchange went well for its
//! contention window. What a station does is in [`super::solicited`].

use airtcp_plan::HeLtf;
use airtcp_units::{Dbm, Decibel, Duration, Instant};

use super::emit::duplicated;
use super::multi_user::Winner;
use super::radio::{Exchange, ExchangeUser, Step};
use super::txop_room::TxopRoom;
use super::uplink::{Triggering, UplinkTrigger};
use crate::border::{Protection, Receiver, TIDS};
use crate::channel::Channel;
use crate::low::Low;
use crate::low::cell::Response;
use crate::low::contention::AccessFunction;
use crate::low::context::Context;
use crate::low::event::Event;
use crate::low::multi_user::{Asked, Candidate, TriggerKind};
use crate::low::on_air::{DataSpan, Emission, OnAir, Ppdu, PpduUser, Users};
use crate::low::psdu::{AggregateLimits, PsduLength};
use crate::phy::multi_user::{MuUser, TbParameters};
use crate::phy::{
    Allocation, ETHERNET_HEADER_BYTES, Format, Guard, MULTI_STA_ACK_ENTRY_BYTES, MULTI_STA_BLOCK_ACK_BYTES,
    QOS_NULL_BYTES, TxVector, Width, basic_trigger_bytes, bsrp_trigger_bytes, multi_sta_bitmap_entry_bytes,
};
use crate::{NicId, PpduKind};

/// A station's frames are seldom longer, of which its reports say nothing: an MSDU of Ethernet's MTU, with its header.
const FULL_FRAME_OCTETS: u32 = 1_500 + ETHERNET_HEADER_BYTES;

/// The modes in which stations send together have the guard interval and LTF that every station has (IEEE 802.11ax-2021, 27.1.1).
pub(super) fn in_ru(tx: TxVector, ru: Allocation) -> TxVector {
    TxVector { guard: Guard::Ns1600, ltf: HeLtf::X2, ..tx.within(ru) }
}

/// Octets of a PSDU of so many `QoS` Null frames.
pub(super) fn qos_null_psdu_bytes(format: Format, frames: u32) -> u32 {
    (1..frames).fold(PsduLength::one(format, QOS_NULL_BYTES), |psdu, _| psdu.with(QOS_NULL_BYTES)).bytes()
}

impl Low {
    /// The exchange of a trigger frame, if one is due and somebody may answer it.
    #[inline(never)]
    pub(super) fn compose_trigger(
        &mut self,
        now: Instant,
        winner: Winner,
        room: TxopRoom,
        high: &mut impl Context,
    ) -> Option<Exchange> {
        let Winner { nic, function } = winner;
        let mut triggering = self.exchanges.radios[nic].triggering.take()?;
        triggering.turns.access(now);
        let waits = function.category().is_none() || self.buffers.direct(nic, function).next().is_some();
        let kind = triggering.turns.next().filter(|_| !waits);
        let exchange = kind.and_then(|kind| {
            self.ask_stations(now, nic, room, &mut triggering, high);
            if triggering.users.is_empty() {
                triggering.turns.drop_due();
                return None;
            }
            let exchange = self.trigger_exchange(winner, room, kind, &mut triggering);
            match &exchange {
                Some(_) => triggering.turns.ask(kind, &triggering.asked),
                // A TXOP that has just begun will not be longer the next time.
                None if room.span.start == now => triggering.turns.drop_due(),
                None => {}
            }
            exchange
        });
        self.exchanges.radios[nic].triggering = Some(triggering);
        exchange
    }

    /// Chooses whom a trigger frame asks, and in which RU and mode.
    fn ask_stations(
        &mut self,
        now: Instant,
        nic: NicId,
        room: TxopRoom,
        triggering: &mut Triggering,
        high: &mut impl Context,
    ) {
        let Some(kind) = triggering.turns.next() else { return };
        let width = self.on_air.full_width(nic).min(room.widest);
        self.choose_stations(now, nic, width, triggering, high);
        let band = self.on_air.cell(nic).band;
        let Some(mut sharing) = self.exchanges.radios[nic].sharing.take() else { return };
        let Triggering { turns, target, asked, candidates, users, .. } = triggering;
        users.clear();
        let random = turns.random_access(kind, asked.len()).map_or(0, |plan| plan.rus as usize);
        let (named, random) = sharing.divide_uplink(kind, width, candidates, random);
        for (one, &ru) in asked.iter().zip(named) {
            let more = ratio_in_ru(nic, *one, ru, *target, high.channel());
            let chosen = high.uplink_mode(now, nic, one.station, more);
            let Some(tx) = chosen.and_then(|tx| in_ru(tx, ru).lowered_to_legal(band)) else { break };
            let psdu_bytes = match kind {
                TriggerKind::Bsrp => qos_null_psdu_bytes(tx.format, TIDS as u32),
                // The headers of one MPDU; the report has only what is in it.
                TriggerKind::Basic => {
                    let octets = one.octets.min(u64::from(tx.max_psdu_bytes())) as u32;
                    (octets + PsduLength::one(tx.format, QOS_NULL_BYTES).bytes()).min(tx.max_psdu_bytes())
                }
            };
            users.push(MuUser { tx, coding: tx.coding(), psdu_bytes });
        }
        asked.truncate(users.len());
        triggering.offer(kind, random, band);
        self.exchanges.radios[nic].sharing = Some(sharing);
    }

    /// Stations that a trigger frame may ask: of one format, which have the whole width. Those that have said nothing are asked apart from
    /// those that have: they would take resource units from these for the length of their data.
    fn choose_stations(
        &self,
        now: Instant,
        nic: NicId,
        width: Width,
        triggering: &mut Triggering,
        high: &mut impl Context,
    ) {
        let Triggering { turns, asked, candidates, .. } = triggering;
        let Some(kind) = turns.next() else { return };
        let mut alike = None;
        asked.clear();
        candidates.clear();
        for one in turns.candidates(now, kind) {
            if asked.len() == turns.most() {
                break;
            }
            let mode = high.uplink_mode(now, nic, one.station, Decibel::new(0.0));
            let Some(tx) = mode.filter(|tx| matches!(tx.format, Format::He | Format::Eht)) else { continue };
            // A short PPDU for those of whom nothing is known, or a long one.
            let is_known = one.is_known || kind == TriggerKind::Bsrp;
            let is_alike = *alike.get_or_insert((tx.format, is_known)) == (tx.format, is_known);
            let agrees = self.buffers.limits_between(one.station, nic).is_some();
            if is_alike && agrees && self.on_air.full_width(one.station) >= width {
                asked.push(one);
                let first_octets = one.octets.min(u64::from(FULL_FRAME_OCTETS)) as u32;
                candidates.push(Candidate { tx: in_ru(tx, width.into()), octets: one.octets, first_octets });
            }
        }
    }

    /// The exchange with the stations that are asked; `None`: its TXOP has no room for it.
    fn trigger_exchange(
        &mut self,
        winner: Winner,
        room: TxopRoom,
        kind: TriggerKind,
        triggering: &mut Triggering,
    ) -> Option<Exchange> {
        let Winner { nic, function } = winner;
        let trigger = self.plan_trigger(nic, room, kind, triggering)?;
        triggering.trigger = Some(trigger);
        let memory = std::mem::take(&mut self.exchanges.radios[nic].users);
        // Random access RUs come after those who are named.
        let named = triggering.asked.iter().map(|one| Some(one.station)).chain(std::iter::repeat(None));
        let all = named.zip(&triggering.users).map(|(station, of_phy)| {
            let MuUser { tx, .. } = *of_phy;
            let limits = station.and_then(|station| self.buffers.limits_between(station, nic));
            let window = limits.map(|limits| limits.window);
            let bytes = trigger.data.octets(of_phy);
            ExchangeUser {
                txq: None,
                receiver: station.map_or(Receiver::Group, Receiver::One),
                tx,
                width: tx.width(),
                chosen: tx,
                window,
                spacing_octets: 0,
                probe: false,
                attempt: 1,
                psdu_bytes: trigger.bytes,
                response: Some(Response { block_ack: false, tx, bytes, duration: trigger.response }),
                answered: false,
                purged: false,
            }
        });
        let users = Users::collect(all, memory)?;
        Some(Exchange {
            function,
            begins_txop: true,
            step: Step::Triggering,
            protection: Protection::None,
            data: trigger.duration,
            collided: false,
            began: room.span.start,
            txop_end: room.span.end,
            widest: room.widest,
            users,
            multi_user: None,
        })
    }

    /// The trigger frame: its answers are as long as the one that probably has most, or as everything allows.
    fn plan_trigger(
        &self,
        nic: NicId,
        room: TxopRoom,
        kind: TriggerKind,
        triggering: &Triggering,
    ) -> Option<UplinkTrigger> {
        let cell = self.on_air.cell(nic);
        let users = &triggering.users;
        let tx = users[0].tx;
        let request = cell.control(tx, Protection::None);
        let stations = users.len() as u32;
        let bytes = match kind {
            TriggerKind::Basic => basic_trigger_bytes(stations, tx.format),
            TriggerKind::Bsrp => bsrp_trigger_bytes(stations, tx.format),
        };
        let duration = cell.times.ppdu_duration(request, bytes);
        let acknowledgement = match kind {
            TriggerKind::Bsrp => Duration::ZERO,
            TriggerKind::Basic => cell.times.sifs + self.longest_acknowledgement(nic, triggering),
        };
        let extension = cell.times.extension_of(tx);
        let around = duration + cell.times.sifs + acknowledgement + extension;
        let left = room.left().saturating_sub(around);
        let of_pairs = self.limits_of_answers(nic, triggering).map(|limits| limits.duration);
        let by_phy = tx.max_ppdu_duration().unwrap_or(left);
        let longest = of_pairs.fold(by_phy, Duration::min).min(left);
        let asked = TbParameters::holding(users);
        let parameters =
            if asked.duration() <= longest { asked } else { TbParameters::within(users, longest)? };
        let span =
            DataSpan { preamble: parameters.preamble_duration(), extension: parameters.packet_extension() };
        Some(UplinkTrigger {
            kind,
            request,
            bytes,
            duration,
            response: parameters.duration() + extension,
            span,
            data: parameters.common_data(),
            acknowledgement,
            random_access: triggering.turns.random_access(kind, triggering.asked.len()),
        })
    }

    /// Limits of those who may answer: of those who are named, and where there are random access RUs of everybody.
    fn limits_of_answers(
        &self,
        nic: NicId,
        triggering: &Triggering,
    ) -> impl Iterator<Item = AggregateLimits> {
        let has_random = triggering.users.len() > triggering.asked.len();
        let others = triggering.turns.listeners().filter(move |_| has_random);
        let named = triggering.asked.iter().map(|one| one.station);
        named.chain(others).filter_map(move |station| self.buffers.limits_between(station, nic))
    }

    /// Duration of the `BlockAck` for all stations, if each needs a bitmap, in the slowest mode of their responses.
    fn longest_acknowledgement(&self, nic: NicId, triggering: &Triggering) -> Duration {
        let cell = self.on_air.cell(nic);
        let entries = triggering.asked.iter().map(|one| {
            let limits = self.buffers.limits_between(one.station, nic);
            multi_sta_bitmap_entry_bytes(limits.map_or(0, |limits| limits.window))
        });
        let random = (triggering.users.len() - triggering.asked.len()) as u32;
        let largest = self.limits_of_answers(nic, triggering).map(|limits| limits.window).max();
        let of_random = random * multi_sta_bitmap_entry_bytes(largest.unwrap_or_default());
        let bytes = MULTI_STA_BLOCK_ACK_BYTES + entries.sum::<u32>() + of_random;
        let modes = triggering.users.iter().map(|user| cell.response(user.tx, None).tx);
        let durations = modes.map(|tx| cell.times.ppdu_duration(tx, bytes));
        durations.max().expect("somebody is asked")
    }

    /// The trigger frame begins.
    pub(super) fn send_uplink_trigger(&mut self, now: Instant, nic: NicId, channel: &mut Channel) {
        let exchange = self.exchanges.radios[nic].exchange.as_ref().expect("a trigger frame belongs to one");
        let Some(trigger) = self.uplink_trigger(nic) else { return };
        let UplinkTrigger { request: tx, bytes, duration, response, acknowledgement, .. } = trigger;
        let sifs = self.on_air.cell(nic).times.sifs;
        let emission = Emission {
            kind: PpduKind::Trigger,
            start: now,
            width: duplicated(tx, exchange.width()),
            duration,
            nav_until: now + duration + sifs + response + acknowledgement,
        };
        self.send_to_all(nic, tx, bytes);
        self.emit(now, nic, emission, channel);
    }

    /// The trigger frame for an uplink that a NIC sends, or sent last.
    pub(super) fn uplink_trigger(&self, nic: NicId) -> Option<UplinkTrigger> {
        self.exchanges.radios[nic].triggering.as_ref()?.trigger
    }

    /// All answers to a trigger frame have ended, or none has been heard to begin. What has come is acknowledged.
    pub(super) fn uplink_ends(&mut self, now: Instant, nic: NicId, is_heard: bool, high: &mut impl Context) {
        let exchange =
            self.exchanges.radios[nic].exchange.as_mut().expect("a NIC that waits is in an exchange");
        let brought_data = |user: &ExchangeUser| user.answered && data_of(&self.on_air, user).is_some();
        if !exchange.users.iter().any(brought_data) {
            return self.conclude_uplink(now, nic, is_heard, high);
        }
        exchange.step = Step::Acknowledging;
        let sifs = self.on_air.cell(nic).times.sifs;
        self.follow(now + sifs, Event::Continue(nic), nic);
    }

    /// The `BlockAck` for all stations whose data has come begins.
    pub(super) fn send_multi_sta_ack(&mut self, now: Instant, nic: NicId, channel: &mut Channel) {
        let exchange = self.exchanges.radios[nic].exchange.as_ref().expect("an exchange goes on");
        let memory = self.on_air.next_ppdu(nic).users.take_memory();
        let cell = self.on_air.cell(nic);
        let acknowledged = || {
            let of_user = |user| Some((user, data_of(&self.on_air, user)?));
            exchange.users.iter().filter(|user| user.answered).filter_map(of_user)
        };
        let entry = |(user, ppdu): (&ExchangeUser, &Ppdu)| match ppdu.mpdus.first().len() {
            1 => MULTI_STA_ACK_ENTRY_BYTES,
            _ => multi_sta_bitmap_entry_bytes(user.window.unwrap_or_default()),
        };
        let bytes = MULTI_STA_BLOCK_ACK_BYTES + acknowledged().map(entry).sum::<u32>();
        let modes = acknowledged().map(|(user, _)| cell.response(user.tx, None).tx);
        let tx = modes.min_by_key(|tx| tx.bit_rate()).expect("somebody has sent data");
        let receivers = acknowledged().map(|(user, _)| PpduUser::new(user.receiver, tx, bytes, 1));
        let users = Users::collect(receivers, memory).expect("somebody has sent data");
        let duration = cell.times.ppdu_duration(tx, bytes);
        let emission = Emission {
            kind: PpduKind::MultiStaBlockAck,
            start: now,
            width: duplicated(tx, exchange.width()),
            duration,
            nav_until: now + duration,
        };
        let ppdu = self.on_air.next_ppdu(nic);
        ppdu.reserve(users.count());
        ppdu.users = users;
        self.emit(now, nic, emission, channel);
    }

    /// An uplink is over. If any station has answered it went well; if none has, the contention window grows. It stays where nobody was
    /// named and nothing was heard.
    pub(super) fn conclude_uplink(
        &mut self,
        now: Instant,
        nic: NicId,
        is_heard: bool,
        high: &mut impl Context,
    ) {
        let exchange = self.exchanges.radios[nic].exchange.take().expect("an exchange ends");
        let answered = exchange.users.iter().any(|user| user.answered);
        let edcaf = &mut self.exchanges.radios[nic].edcafs[exchange.function];
        if answered {
            edcaf.reset_window();
            self.go_on(now, nic, exchange, high);
        } else {
            if is_heard || !exchange.names_nobody() {
                edcaf.widen_window();
            }
            self.exchanges.radios[nic].users = exchange.users.into_memory();
            self.finish(now, nic, exchange.function, high);
        }
    }

    /// A PPDU to several stations is composed: an uplink follows it.
    pub(super) fn note_downlink(&mut self, nic: NicId, function: AccessFunction) {
        if let (Some(triggering), Some(ac)) =
            (&mut self.exchanges.radios[nic].triggering, function.category())
        {
            triggering.turns.downlink(ac);
        }
    }

    /// An access point has received what a station says of its queues.
    #[inline(never)]
    pub(super) fn hear_buffer_status(&mut self, now: Instant, ppdu: &Ppdu) {
        let PpduUser { receiver, decoded, .. } = *ppdu.first();
        let Some(to) = receiver.nic().filter(|_| decoded) else { return };
        if let Some(triggering) = &mut self.exchanges.radios[to].triggering {
            triggering.turns.hear(now, ppdu.from, &ppdu.buffer_status);
        }
    }

    /// It is time to look whether an access point asks its stations.
    pub(crate) fn request_uplink(&mut self, now: Instant, nic: NicId) {
        let Some(triggering) = &mut self.exchanges.radios[nic].triggering else { return };
        let next = triggering.turns.request(now);
        let due = triggering.turns.category();
        self.events.schedule(next, Event::UplinkRequest(nic));
        if let Some(ac) = due {
            self.contend(now, nic, AccessFunction::Category(ac));
        }
    }
}

/// The data of a station that has answered; `None`: it has sent `QoS` Null frames.
fn data_of<'a>(on_air: &'a OnAir, user: &ExchangeUser) -> Option<&'a Ppdu> {
    Some(on_air.ppdu(user.receiver.nic()?)).filter(|ppdu| ppdu.carries_mpdus())
}

/// How many decibels the ratio of signal to noise is higher in an RU, where a station has all of its power or as much as gives the
/// target, than with all of it in the whole width.
fn ratio_in_ru(nic: NicId, one: Asked, ru: Allocation, target: Option<Dbm>, channel: &Channel) -> Decibel {
    let [whole, own] =
        [Allocation::whole(ru.width()), ru].map(|of| 10.0 * libm::log10(channel.noise_in_mw(of)));
    let received = channel.mean_dbm(one.station, nic).get();
    let wanted = target.map_or(received, |target| target.get().min(received));
    Decibel::new(wanted - received + whole - own)
}
