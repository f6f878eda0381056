//! Exchanges of several users: who shares the PPDU, how much each is sent, and what each answers.

use airtcp_plan::{HeLtf, MultiUserAcknowledgement};
use airtcp_units::{Duration, Instant};

use super::radio::{Exchange, ExchangeUser};
use super::shared_by_users::{MultiUser, TriggeredResponse};
use super::sharing::Sharing;
use super::txop_room::TxopRoom;
use crate::NicId;
use crate::border::Protection;
use crate::low::Low;
use crate::low::buffer::{Gathering, Head, PsduOf, PsduRoom};
use crate::low::cell::{Cell, Response};
use crate::low::contention::AccessFunction;
use crate::low::context::Context;
use crate::low::on_air::{DataSpan, UserId, Users};
use crate::low::psdu::PsduLength;
use crate::phy::multi_user::{MuUser, TbParameters};
use crate::phy::{Format, Guard, TxVector, Width, mu_bar_trigger_bytes};

/// What has gained the medium.
#[derive(Clone, Copy, Debug)]
pub(super) struct Winner {
    pub(super) nic: NicId,
    pub(super) function: AccessFunction,
}

/// The fastest MCS in which a user answers a trigger frame: 64-QAM 2/3, which needs some 4 dB less than MCS 7. ns-3 3.44 has the same limit.
const FASTEST_ANSWER: u8 = 5;

/// The mode in which a user answers a trigger frame in its RU. The access point names it in the frame (UL HE-MCS; IEEE 802.11ax-2021,
/// 9.3.1.22), whatever the basic rates are: the MCS that rate control has chosen for the data, but not a fast one, since a lost answer
/// costs all of the data. It has one stream, and a guard interval and LTF that all stations have.
fn answer_mode(data: TxVector) -> TxVector {
    let index = data.index.min(FASTEST_ANSWER);
    TxVector { index, streams: 1, guard: Guard::Ns1600, ltf: HeLtf::X2, ..data }
}

impl Low {
    /// The exchange of several users, of whom the queue of the first has won the medium; `None`: this has the next exchange alone.
    #[inline(never)]
    pub(super) fn compose_shared(
        &mut self,
        now: Instant,
        winner: Winner,
        room: TxopRoom,
        first: &Head,
        high: &mut impl Context,
    ) -> Option<Exchange> {
        let Winner { nic, function } = winner;
        let mut heads = self.add_users(now, winner, room.widest, first, high)?;
        let exchange = self.shared_exchange(winner, room, &heads).and_then(|mut exchange| {
            if !self.has_room_for_all(nic, &exchange, room.left()) {
                self.leave_out(winner, &mut heads, 1);
                self.exchanges.radios[nic].keep_memory(exchange);
                return None;
            }
            self.aggregate_all(now, nic, &mut exchange, high);
            self.note_downlink(nic, function);
            for head in heads.iter() {
                self.buffers.end_turns(now, nic, function, head, high);
            }
            Some(exchange)
        });
        if let Some(sharing) = &mut self.exchanges.radios[nic].sharing {
            sharing.heads = heads.into_memory();
        }
        exchange
    }

    /// Adds users to the one whose queue has won the medium, as far as the scheduler of the NIC wants; `None`: it can't share a PPDU.
    fn add_users(
        &mut self,
        now: Instant,
        winner: Winner,
        widest: Width,
        first: &Head,
        high: &mut impl Context,
    ) -> Option<Users<Head>> {
        let Winner { nic, function } = winner;
        let ac = function.category().filter(|_| self.is_shareable(nic, first))?;
        let mut sharing = self.exchanges.radios[nic].sharing.take()?;
        let mut heads = Users::with_memory(*first, std::mem::take(&mut sharing.heads));
        let most = sharing.scheduler.most_stations();
        self.buffers.gather(now, Gathering { nic, ac, most }, &mut heads, high);
        sharing.users.clear();
        if heads.are_several() {
            let octets_behind = |head: &Head| {
                let behind = |txq| self.buffers.octets_held(txq) + high.depth(txq).unwrap_or_default();
                head.txq.map_or(0, behind)
            };
            sharing.divide(&heads, widest, self.on_air.cell(nic).band, octets_behind);
            self.leave_out(winner, &mut heads, sharing.users.len().max(1));
        }
        self.exchanges.radios[nic].sharing = Some(sharing);
        Some(heads)
    }

    /// The exchange of the heads of several users alone; `None`: there is one.
    fn shared_exchange(&mut self, winner: Winner, room: TxopRoom, heads: &Users<Head>) -> Option<Exchange> {
        let nic = winner.nic;
        if !heads.are_several() {
            return None;
        }
        let memory = std::mem::take(&mut self.exchanges.radios[nic].users);
        let users = heads.map(memory, |head| self.plain_user(nic, head, room.widest));
        let mut exchange = self.plain_exchange(winner, room, heads.first(), users);
        self.spread(nic, &mut exchange);
        self.protect(nic, &mut exchange);
        Some(exchange)
    }

    fn is_shareable(&self, nic: NicId, first: &Head) -> bool {
        first.is_shareable() && self.buffers.limits_of(nic, &first.held.mpdu, first.txq).is_some()
    }

    /// Users after the first so many go first in the next PPDU.
    fn leave_out(&mut self, winner: Winner, heads: &mut Users<Head>, count: usize) {
        let Winner { nic, function } = winner;
        let left = heads.enumerate().skip(count).filter_map(|(user, head)| Some((user, head.txq?)));
        self.buffers.leave_out(nic, function, left);
        heads.truncate(count);
    }

    /// The users of an exchange share its PPDU, as the NIC's scheduler has divided it.
    fn spread(&mut self, nic: NicId, exchange: &mut Exchange) {
        let Some(mut sharing) = self.exchanges.radios[nic].sharing.take() else { return };
        let cell = self.on_air.cell(nic);
        let request = cell.control(exchange.tx(), Protection::None);
        for (id, of_phy) in exchange.users.ids().zip(&sharing.users) {
            let user = &mut exchange.users[id];
            (user.tx, user.width, user.psdu_bytes) = (of_phy.tx, of_phy.tx.width(), of_phy.psdu_bytes);
            let first = self.buffers.psdu(nic, id)[0].mpdu;
            let limits = self.buffers.limits_of(nic, &first, user.txq);
            user.window = limits.map(|limits| limits.window);
            user.spacing_octets = limits.map_or(0, |limits| limits.spacing_octets(user.tx));
            user.response = Some(match id {
                UserId::FIRST => cell.response(user.tx, None),
                _ => cell.response(request, user.window),
            });
        }
        self.set_common(nic, exchange, &mut sharing);
        if sharing.acknowledgement != MultiUserAcknowledgement::Sequential {
            self.plan_answers(nic, exchange, &mut sharing);
        }
        self.exchanges.radios[nic].sharing = Some(sharing);
    }

    /// All users answer a trigger frame with a `BlockAck`, each in its RU, in PPDUs of one duration: that of the longest. Their packet
    /// extension is as in the other direction.
    fn plan_answers(&self, nic: NicId, exchange: &mut Exchange, sharing: &mut Sharing) {
        let cell = self.on_air.cell(nic);
        let format = exchange.tx().format;
        let aggregated = sharing.aggregated_trigger_bytes(format);
        let answers = &mut sharing.answers;
        answers.clear();
        answers.extend(exchange.users.iter().map(|user| {
            let tx = answer_mode(user.tx);
            // It is framed as an A-MPDU, as everything in a PPDU of HE and EHT.
            let psdu_bytes = PsduLength::one(tx.format, cell.response(tx, user.window).bytes).bytes();
            MuUser { tx, coding: tx.coding(), psdu_bytes }
        }));
        let parameters = TbParameters::holding(answers.as_slice());
        let duration = parameters.duration() + cell.times.extension_of(exchange.tx());
        for (user, answer) in exchange.users.iter_mut().zip(&*answers) {
            let Response { bytes, .. } = cell.response(answer.tx, user.window);
            user.response = Some(Response { block_ack: true, tx: answer.tx, bytes, duration });
        }
        let stations = answers.len() as u32;
        if let Some(multi_user) = &mut exchange.multi_user {
            multi_user.triggered = Some(TriggeredResponse {
                trigger_bytes: if aggregated > 0 {
                    aggregated
                } else {
                    mu_bar_trigger_bytes(stations, format)
                },
                is_aggregated: aggregated > 0,
                duration,
                span: DataSpan {
                    preamble: parameters.preamble_duration(),
                    extension: parameters.packet_extension(),
                },
            });
        }
    }

    /// All users' data have the same duration: that of the longest.
    fn set_common(&self, nic: NicId, exchange: &mut Exchange, sharing: &mut Sharing) {
        let (users, ppdu) = (&sharing.users, sharing.ppdu());
        let data = ppdu.common_data();
        let cell = self.on_air.cell(nic);
        exchange.data = ppdu.duration_with(data) + cell.times.extension_of(exchange.tx());
        // MU-RTS is a non-HT frame; where stations of 11b must understand what goes before data, RTS does.
        let protection = cell.control(exchange.tx(), Protection::RtsCts);
        let triggered = exchange.triggered();
        let multi_user = MultiUser {
            triggered,
            asked: UserId::FIRST,
            recovers: false,
            request: cell.control(exchange.tx(), Protection::None),
            mu_rts: sharing.mu_rts && protection.format == Format::Ofdm,
            is_cleared: false,
            preamble: ppdu.preamble_duration(),
            packet_extension: data.packet_extension(users),
            data,
        };
        match exchange.multi_user.take().or_else(|| sharing.multi_user.take()) {
            Some(mut memory) => {
                *memory = multi_user;
                exchange.multi_user = Some(memory);
            }
            None => exchange.multi_user = Some(Box::new(multi_user)),
        }
    }

    /// Adds MPDUs for all users of an exchange: each as many as its limits and the common duration allow.
    fn aggregate_all(&mut self, now: Instant, nic: NicId, exchange: &mut Exchange, high: &mut impl Context) {
        let Some(mut sharing) = self.exchanges.radios[nic].sharing.take() else { return };
        let room = sharing.ppdu().room_within(self.longest_shared(nic, exchange));
        for (user, of_phy) in exchange.users.ids().zip(&mut sharing.users) {
            let octets = room.map_or(0, |data| data.octets(of_phy));
            let Some(txq) = exchange.users[user].txq else { continue };
            let of = PsduOf { nic, function: exchange.function, user, txq };
            self.aggregate_shared(now, of, octets, exchange, high);
            of_phy.psdu_bytes = exchange.users[user].psdu_bytes;
        }
        self.set_common(nic, exchange, &mut sharing);
        self.exchanges.radios[nic].sharing = Some(sharing);
        self.protect(nic, exchange);
    }

    fn aggregate_shared(
        &mut self,
        now: Instant,
        of: PsduOf,
        octets: u32,
        exchange: &mut Exchange,
        high: &mut impl Context,
    ) {
        let PsduOf { nic, user, txq, .. } = of;
        let ExchangeUser { tx, spacing_octets, window, .. } = exchange.users[user];
        let first = self.buffers.psdu(nic, user)[0].mpdu;
        let limits = self.buffers.limits_of(nic, &first, Some(txq));
        let Some((window, limits)) = window.zip(limits) else { return };
        let triggered = exchange.triggered();
        let trigger_bytes = triggered.map_or(0, TriggeredResponse::aggregated_bytes);
        let most = octets.min(limits.bytes);
        let room = PsduRoom { tx, most, trigger_bytes, spacing_octets, window };
        let alone = PsduLength::one(tx.format, first.bytes).spaced(spacing_octets).ended_by(trigger_bytes);
        let extended = self.buffers.extend(now, of, room, high);
        exchange.users[user].psdu_bytes = extended.unwrap_or(alone).bytes();
        if extended.is_some() && user == UserId::FIRST && triggered.is_none() {
            exchange.users[user].response = Some(self.on_air.response(nic, tx, Some(window)));
        }
    }

    /// Whether several users can share a PPDU in what is left of the TXOP: they have more to acknowledge than one. A trigger frame beside
    /// the first MPDU makes an A-MPDU, which has a limit.
    fn has_room_for_all(&self, nic: NicId, exchange: &Exchange, left: Duration) -> bool {
        let triggered = exchange.triggered();
        let is_too_long = |user: &ExchangeUser| {
            let limits = user.receiver.nic().and_then(|to| self.buffers.limits_between(nic, to));
            limits.is_some_and(|limits| user.psdu_bytes > limits.bytes)
        };
        let has_triggers = triggered.is_some_and(|triggered| triggered.is_aggregated);
        exchange.total(self.on_air.cell(nic)) <= left
            && !(has_triggers && exchange.users.iter().any(is_too_long))
    }

    /// The longest PPDU of several users: by their limits, and by what is left of the TXOP with its responses. What may have to begin
    /// with RTS leaves room for it.
    fn longest_shared(&self, nic: NicId, exchange: &Exchange) -> Duration {
        let cell = self.on_air.cell(nic);
        let may_need_rts = exchange.begins_txop && self.exchanges.radios[nic].capabilities.rts_threshold;
        let protection = if may_need_rts { Protection::RtsCts } else { exchange.protection };
        let ExchangeUser { window, response, .. } = *exchange.users.first();
        // The Ack of the first user becomes a BlockAck with its second MPDU.
        let block_ack = cell.response(exchange.tx(), window).duration;
        let is_triggered = exchange.triggered().is_some();
        let ack = response.filter(|_| !is_triggered).map_or(block_ack, |response| response.duration);
        let after = exchange.after_data(cell) + block_ack.saturating_sub(ack);
        let around = exchange.duration_of(protection, cell) + after;
        let left = exchange.txop_end.saturating_since(exchange.began).saturating_sub(around);
        let of_pairs = exchange.users.iter().filter_map(|user| {
            let to = user.receiver.nic()?;
            Some(self.buffers.limits_between(nic, to)?.duration)
        });
        let by_limits = of_pairs.min().unwrap_or(Duration::ZERO);
        let by_phy = exchange.tx().max_ppdu_duration().unwrap_or(by_limits);
        by_limits.min(by_phy).min(left.saturating_sub(cell.times.extension_of(exchange.tx())))
    }

    /// The first user has the exchange alone: the others go first in the next PPDU, but for those that their upper half has taken back.
    pub(super) fn leave_to_first(&mut self, now: Instant, nic: NicId, high: &mut impl Context) {
        let Some(exchange) = &mut self.exchanges.radios[nic].exchange else { return };
        let left = exchange.users.enumerate().skip(1).filter_map(|(user, state)| Some((user, state.txq?)));
        self.buffers.leave_out(nic, exchange.function, left);
        let purged = exchange.users.iter().skip(1).filter(|user| user.purged);
        for txq in purged.filter_map(|user| user.txq) {
            self.buffers.purge(now, txq, high, &mut self.requests);
        }
        exchange.users.truncate(1);
        exchange.multi_user = None;
    }
}

impl Exchange {
    /// From the end of a request to a user on: the rest of the acknowledgements, each after a SIFS.
    pub(super) fn after_request(&self, asked: UserId, multi_user: &MultiUser, cell: &Cell) -> Duration {
        let answer = |user: UserId| {
            let duration =
                self.users[user].response.map_or(Duration::ZERO, |Response { duration, .. }| duration);
            cell.times.sifs + duration
        };
        let request = cell.times.sifs + multi_user.request_duration(cell);
        let later = self.users.ids().filter(|&user| user > asked).map(|user| request + answer(user));
        later.fold(answer(asked), |all, one| all + one)
    }
}
