//! What an exchange carries: MPDUs are pulled when the medium has been won, not before.

use airtcp_units::{Duration, Instant};

use super::emit::duplicated;
use super::multi_user::Winner;
use super::radio::{Exchange, ExchangeUser, Step};
use super::txop_room::TxopRoom;
use crate::NicId;
use crate::border::{Mpdu, MpduKind, Protection, Receiver};
use crate::low::Low;
use crate::low::buffer::{Head, PsduOf, PsduRoom};
use crate::low::cell::Cell;
use crate::low::contention::AccessFunction;
use crate::low::context::Context;
use crate::low::on_air::{UserId, Users};
use crate::low::psdu::PsduLength;
use crate::phy::{Band, TxVector, Width};

impl Low {
    /// A NIC is in the next exchange of a function, in a TXOP of which this room is left; false if there is none. The first exchange of a
    /// TXOP may be longer than the TXOP, if it carries one MPDU (IEEE 802.11-2020, 10.23.2.9).
    pub(super) fn compose(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        room: TxopRoom,
        high: &mut impl Context,
    ) -> bool {
        let winner = Winner { nic, function };
        if self.exchanges.radios[nic].triggering.is_some()
            && let Some(exchange) = self.compose_trigger(now, winner, room, high)
        {
            self.exchanges.radios[nic].exchange = Some(exchange);
            return true;
        }
        let head = self.buffers.share_txop(now, nic, function, self.on_air.cell(nic), high);
        let Some(head) = head else { return false };
        if self.exchanges.radios[nic].sharing.is_some()
            && let Some(exchange) = self.compose_shared(now, winner, room, &head, high)
        {
            self.exchanges.radios[nic].exchange = Some(exchange);
            return true;
        }
        let user = self.plain_user(nic, &head, room.widest);
        let mut exchange = self.plain_exchange(winner, room, &head, Users::one(user));
        self.protect(nic, &mut exchange);
        if !room.begins_txop && exchange.total(self.on_air.cell(nic)) > room.left() {
            self.buffers.put_back(now, nic, function, &head, high);
            return false;
        }
        if (head.held.mpdu.kind, head.probe) == (MpduKind::Aggregable, false) {
            self.aggregate(now, nic, &mut exchange, UserId::FIRST, high);
        }
        self.buffers.end_turns(now, nic, function, &head, high);
        if self.exchanges.radios[nic].buffer_status.is_some() {
            self.report_in_data(nic, head.txq, high);
        }
        self.exchanges.radios[nic].exchange = Some(exchange);
        true
    }

    /// The exchange of the first MPDUs of these users, the first of which has this head. What the head asks to go before it does so at the
    /// beginning of a TXOP; later the medium is the sender's already.
    #[inline(always)]
    pub(super) fn plain_exchange(
        &self,
        winner: Winner,
        room: TxopRoom,
        head: &Head,
        users: Users<ExchangeUser>,
    ) -> Exchange {
        let TxopRoom { span: txop, widest, begins_txop } = room;
        let protection = if begins_txop { head.stage.protection } else { Protection::None };
        Exchange {
            function: winner.function,
            begins_txop,
            step: Step::Ready,
            protection,
            data: data_duration(&users, self.on_air.cell(winner.nic)),
            collided: false,
            began: txop.start,
            txop_end: txop.end,
            widest,
            users,
            multi_user: None,
        }
    }

    /// The user of an exchange that this head is for, with the first MPDU alone, in a PPDU of at most this width.
    #[inline(always)]
    pub(super) fn plain_user(&mut self, nic: NicId, head: &Head, widest: Width) -> ExchangeUser {
        let cell = self.on_air.cell(nic);
        let mpdu = &head.held.mpdu;
        let asked = head.stage.tx;
        let chosen = cell.fitting(asked, mpdu.bytes);
        let tx = if asked.width() <= widest {
            chosen
        } else {
            cell.fitting(narrowed(asked, widest, cell.band), mpdu.bytes)
        };
        let psdu_bytes = PsduLength::one(tx.format, mpdu.bytes).bytes();
        let response = match mpdu.kind {
            _ if mpdu.receiver == Receiver::Group => None,
            MpduKind::NoAck | MpduKind::NoAckManagement => None,
            MpduKind::BlockAckReq => Some(self.on_air.response(nic, tx, Some(self.window_of(nic, mpdu)))),
            _ => Some(self.on_air.response(nic, tx, None)),
        };
        ExchangeUser {
            txq: head.txq,
            receiver: mpdu.receiver,
            tx,
            width: match mpdu.kind {
                MpduKind::BlockAckReq => duplicated(tx, head.width.min(widest)),
                _ => tx.width(),
            },
            chosen,
            window: None,
            spacing_octets: 0,
            probe: head.probe,
            attempt: head.held.tries + 1,
            psdu_bytes,
            response,
            answered: false,
            purged: false,
        }
    }

    /// Adds MPDUs for a user under an agreement while they fit: into the limits of the aggregate and the block acknowledgement window.
    fn aggregate(
        &mut self,
        now: Instant,
        nic: NicId,
        exchange: &mut Exchange,
        user: UserId,
        high: &mut impl Context,
    ) {
        let ExchangeUser { txq, tx, .. } = exchange.users[user];
        let first = self.buffers.psdu(nic, user)[0].mpdu;
        let Some(limits) = self.buffers.limits_of(nic, &first, txq) else { return };
        let most = self.most_octets(nic, exchange, user, limits);
        let txq = txq.expect("aggregable frames come from queues");
        let (spacing_octets, window) = (limits.spacing_octets(tx), limits.window);
        let of = PsduOf { nic, function: exchange.function, user, txq };
        let room = PsduRoom { tx, most, trigger_bytes: 0, spacing_octets, window };
        if let Some(length) = self.buffers.extend(now, of, room, high) {
            let user = &mut exchange.users[user];
            user.psdu_bytes = length.bytes();
            user.window = Some(window);
            user.spacing_octets = spacing_octets;
            user.response = Some(self.on_air.response(nic, tx, Some(window)));
            exchange.data = data_duration(&exchange.users, self.on_air.cell(nic));
        }
        self.protect(nic, exchange);
    }

    /// The window that the `BlockAck` speaks of which answers a `BlockAckReq`.
    fn window_of(&self, nic: NicId, mpdu: &Mpdu) -> u16 {
        /// Bits of the bitmap under agreements that every HT station can have (IEEE 802.11-2020, 9.3.1.8.2).
        const SMALLEST_BITMAP: u16 = 64;
        let of_peer = match mpdu.receiver {
            Receiver::One(to) => self.buffers.limits_between(nic, to),
            _ => None,
        };
        of_peer.map_or(SMALLEST_BITMAP, |limits| limits.window)
    }

    /// The CTS came in a narrower part than that of the RTS: the data follows in its width. It must end when the RTS said, so MPDUs
    /// that do not fit any more go back to their queue.
    pub(super) fn narrow(&mut self, nic: NicId, width: Width) {
        let cell = self.on_air.cell(nic);
        let exchange = self.exchanges.radios[nic].exchange.as_mut().expect("an exchange is under way");
        exchange.widest = exchange.widest.min(width);
        let longest = exchange.data;
        exchange.data = Duration::ZERO;
        for user in exchange.users.ids() {
            let state = &mut exchange.users[user];
            let psdu = self.buffers.psdu(nic, user);
            let tx = cell.fitting(narrowed(state.tx, width, cell.band), psdu[0].mpdu.bytes);
            let limits = self.buffers.limits_between(nic, state.receiver.nic().unwrap_or(nic));
            let spacing_octets = limits.map_or(0, |limits| limits.spacing_octets(tx));
            let mut length = PsduLength::one(tx.format, psdu[0].mpdu.bytes).spaced(spacing_octets);
            let mut fitting = 1;
            for held in &psdu[1..] {
                let longer = length.with(held.mpdu.bytes);
                if cell.times.ppdu_duration(tx, longer.bytes()) > longest {
                    break;
                }
                (length, fitting) = (longer, fitting + 1);
            }
            if let Some(txq) = state.txq {
                self.buffers.shorten(PsduOf { nic, function: exchange.function, user, txq }, fitting);
            }
            let window = state.response.and_then(|_| state.window.filter(|_| fitting > 1));
            state.response = state.response.map(|_| cell.response(tx, window));
            (state.tx, state.width, state.psdu_bytes) = (tx, tx.width(), length.bytes());
            state.spacing_octets = spacing_octets;
            exchange.data = exchange.data.max(cell.times.ppdu_duration(tx, length.bytes()));
        }
    }
}

/// Duration of the data PPDU: that of its longest PSDU.
#[inline(always)]
fn data_duration(users: &Users<ExchangeUser>, cell: &Cell) -> Duration {
    users.largest(|user| cell.times.ppdu_duration(user.tx, user.psdu_bytes))
}

/// This mode in a width that is not wider; with a lower MCS if the standard does not have it there.
fn narrowed(tx: TxVector, widest: Width, band: Band) -> TxVector {
    if tx.width() <= widest {
        return tx;
    }
    let narrow = tx.within(widest.into());
    narrow.lowered_to_legal(band).unwrap_or(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Format, Guard};

    /// MCS 9 of one VHT stream does not exist at 20 MHz.
    #[test]
    fn a_narrower_mode_is_one_of_the_standard() {
        let vht = |mcs, width| TxVector::mimo(Format::Vht, mcs, 1, width, Guard::Ns800);
        assert_eq!(narrowed(vht(9, Width::Mhz80), Width::Mhz40, Band::Ghz5), vht(9, Width::Mhz40));
        assert_eq!(narrowed(vht(9, Width::Mhz80), Width::Mhz20, Band::Ghz5), vht(8, Width::Mhz20));
        assert_eq!(narrowed(vht(3, Width::Mhz40), Width::Mhz80, Band::Ghz5), vht(3, Width::Mhz40));
    }
}
