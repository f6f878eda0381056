//! What an exchange carries: MPDUs are pulled when the medium has been won, not before.

use airtcp_units::{Duration, Instant};

use super::emit::duplicated;
use super::radio::{Exchange, ExchangeUser, Step};
use crate::border::{AccessCategory, Mpdu, MpduKind, Protection, Receiver, TxqId};
use crate::low::buffer::{Head, Held};
use crate::low::contention::AccessFunction;
use crate::low::on_air::{UserId, Users, narrowed};
use crate::low::psdu::{AggregateLimits, PsduLength};
use crate::low::{Low, LowerMacContext};
use crate::phy::Width;
use crate::{NicId, TimeSpan};

/// What is left of a TXOP.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TxopRoom {
    pub(crate) span: TimeSpan,
    /// The widest PPDU that may be sent.
    pub(crate) widest: Width,
}

impl Low {
    /// The next exchange of a function in a TXOP of which this span is left. The first exchange of a TXOP (it begins now) may be
    /// longer than the TXOP, if it carries one MPDU (IEEE 802.11-2020, 10.23.2.9).
    pub(crate) fn compose(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        room: TxopRoom,
        high: &mut impl LowerMacContext,
    ) -> Option<Exchange> {
        let txop = room.span;
        let heads = self.share_txop(now, nic, function, high)?;
        let mut exchange = self.plain_exchange(nic, function, room, &heads);
        exchange.begins_txop = txop.start == now;
        if !exchange.begins_txop {
            // The medium is the sender's already.
            (exchange.asked_protection, exchange.protection) = (Protection::None, Protection::None);
        }
        self.protect(nic, &mut exchange);
        for (user, head) in heads.enumerate() {
            self.radios[nic].psdus[user].push(head.held);
        }
        let left = exchange.txop_end.saturating_since(txop.start);
        if self.total(nic, &exchange) > left && !exchange.begins_txop {
            self.put_back(now, nic, function, &heads, high);
            return None;
        }
        for (user, head) in heads.enumerate() {
            if (head.held.mpdu.kind, head.probe) == (MpduKind::Aggregable, false) {
                self.aggregate(now, nic, &mut exchange, user, high);
            }
        }
        if self.forms(nic) {
            self.split_formed(nic, function);
            return Some(exchange);
        }
        for txq in heads.iter().filter_map(|head| head.txq) {
            self.end_turns(nic, function, txq);
            let more = self.wants_turn(nic, function, txq);
            high.return_txq(now, txq, more);
        }
        Some(exchange)
    }

    pub(crate) fn hold(&mut self, nic: NicId, ac: AccessCategory, txq: TxqId, held: Held) {
        self.radios[nic].edcafs[ac].holds(&held);
        self.txqs[txq].owner = Some((nic, ac));
        self.txqs[txq].held.push_back(held);
    }

    /// The exchange of the heads alone.
    #[inline(always)]
    fn plain_exchange(
        &self,
        nic: NicId,
        function: AccessFunction,
        room: TxopRoom,
        heads: &Users<Head>,
    ) -> Exchange {
        let TxopRoom { span: txop, widest } = room;
        let users = heads.map(|head| self.plain_user(nic, head, widest));
        let protection = heads.first().stage.protection;
        Exchange {
            function,
            begins_txop: true,
            step: Step::Ready,
            asked_protection: protection,
            protection,
            data: self.data_duration(nic, &users),
            collided: false,
            began: txop.start,
            txop_end: txop.end,
            widest,
            users,
        }
    }

    /// Duration of the data PPDU: that of its longest PSDU.
    #[inline(always)]
    fn data_duration(&self, nic: NicId, users: &Users<ExchangeUser>) -> Duration {
        let times = &self.cells[self.radios[nic].cell].times;
        let durations = users.iter().map(|user| times.ppdu_duration(user.tx, user.psdu_bytes));
        durations.max().expect("an exchange has a user")
    }

    #[inline(always)]
    fn plain_user(&self, nic: NicId, head: &Head, widest: Width) -> ExchangeUser {
        let cell = &self.cells[self.radios[nic].cell];
        let mpdu = &head.held.mpdu;
        let asked = head.stage.tx;
        let chosen = cell.fitting(asked, mpdu.bytes);
        let tx = if asked.width <= widest {
            chosen
        } else {
            cell.fitting(narrowed(asked, widest, cell.band), mpdu.bytes)
        };
        let psdu_bytes = PsduLength::one(tx.format, mpdu.bytes).bytes();
        let response = match mpdu.kind {
            _ if mpdu.receiver == Receiver::Group => None,
            MpduKind::NoAck | MpduKind::NoAckManagement => None,
            MpduKind::BlockAckReq => Some(cell.response(tx, Some(self.window_of(nic, mpdu)))),
            _ => Some(cell.response(tx, None)),
        };
        ExchangeUser {
            txq: head.txq,
            receiver: mpdu.receiver,
            tx,
            width: match mpdu.kind {
                MpduKind::BlockAckReq => duplicated(tx, head.width.min(widest)),
                _ => tx.width,
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
        high: &mut impl LowerMacContext,
    ) {
        let first = self.radios[nic].psdus[user][0].mpdu;
        let ExchangeUser { txq, tx, .. } = exchange.users[user];
        let Some(limits) = self.limits_of(nic, &first, txq) else { return };
        let most = self.most_octets(nic, exchange, user, limits);
        let txq = txq.expect("aggregable frames come from queues");
        let spacing_octets = limits.spacing_octets(tx);
        let mut length = PsduLength::one(tx.format, first.bytes).spaced(spacing_octets);
        let joins = |length: PsduLength, next: &Mpdu| {
            let ahead = next.sequence.wrapping_sub(first.sequence) & 0xfff;
            let joins = next.kind == MpduKind::Aggregable && ahead < limits.window;
            Some(length.with(next.bytes)).filter(|longer| joins && longer.bytes() <= most)
        };
        let state = &mut self.txqs[txq];
        let radio = &mut self.radios[nic];
        let psdu = &mut radio.psdus[user];
        let edcaf = &mut radio.edcafs[exchange.function];
        let prefetch = radio.capabilities.prefetch;
        if prefetch.forms {
            Self::take_formed(edcaf, psdu, |next| {
                joins(length, next).is_some_and(|longer| {
                    length = longer;
                    true
                })
            });
        }
        while let Some(held) = state.held.front().filter(|_| !prefetch.forms) {
            let Some(longer) = joins(length, &held.mpdu) else { break };
            length = longer;
            edcaf.releases(held);
            psdu.extend(state.held.pop_front());
        }
        let pulls = prefetch.ppdus == 0;
        if pulls && state.held.is_empty() {
            high.dequeue_while(now, txq, |mpdu| {
                let (held, longer) = (Held::new(mpdu), joins(length, &mpdu));
                if let Some(longer) = longer {
                    length = longer;
                    psdu.push(held);
                } else {
                    edcaf.holds(&held);
                    state.held.push_front(held);
                }
                longer.is_some()
            });
        }
        if self.radios[nic].psdus[user].len() > 1 {
            let cell = &self.cells[self.radios[nic].cell];
            exchange.users[user].psdu_bytes = length.bytes();
            exchange.users[user].window = Some(limits.window);
            exchange.users[user].spacing_octets = spacing_octets;
            exchange.users[user].response = Some(cell.response(tx, Some(limits.window)));
            exchange.data = self.data_duration(nic, &exchange.users);
        }
        self.protect(nic, exchange);
    }

    /// Whether more MPDUs of a queue are buffered than prefetched turns are for.
    #[inline]
    pub(crate) fn wants_turn(&self, nic: NicId, function: AccessFunction, txq: TxqId) -> bool {
        let is_ready = || self.radios[nic].edcafs[function].ready.iter().any(|turn| turn.txq == txq);
        !self.txqs[txq].held.is_empty() && !is_ready()
    }

    /// The limits of an aggregate that begins with this MPDU of a queue; `None`: there is no agreement. Those of mac80211 have a
    /// window of their own for each queue, and a receiver may be gone.
    pub(crate) fn limits_of(&self, nic: NicId, mpdu: &Mpdu, txq: Option<TxqId>) -> Option<AggregateLimits> {
        let between = |to| self.aggregation.between(nic, to);
        let limits = match mpdu.receiver {
            Receiver::One(to) => between(to),
            Receiver::Group => None,
            Receiver::Absent => between(nic),
        };
        if !self.radios[nic].capabilities.agreement_per_queue {
            return limits;
        }
        let window = self.txqs[txq?].window?;
        limits.map(|limits| AggregateLimits { window, ..limits })
    }

    /// The window that the `BlockAck` speaks of which answers a `BlockAckReq`.
    fn window_of(&self, nic: NicId, mpdu: &Mpdu) -> u16 {
        /// Bits of the bitmap under agreements that every HT station can have (IEEE 802.11-2020, 9.3.1.8.2).
        const SMALLEST_BITMAP: u16 = 64;
        let of_peer = match mpdu.receiver {
            Receiver::One(to) => self.aggregation.between(nic, to),
            _ => None,
        };
        of_peer.map_or(SMALLEST_BITMAP, |limits| limits.window)
    }

    /// The TXOP has no room for the heads: they wait for the next.
    #[inline(never)]
    fn put_back(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        heads: &Users<Head>,
        high: &mut impl LowerMacContext,
    ) {
        self.radios[nic].psdus.clear();
        let forms = self.forms(nic);
        for head in heads.iter() {
            let edcaf = &mut self.radios[nic].edcafs[function];
            match head.txq {
                None => edcaf.direct.push_front(head.held),
                Some(_) if forms => self.put_back_formed(nic, function, head.held),
                Some(txq) => {
                    edcaf.holds(&head.held);
                    self.txqs[txq].held.push_front(head.held);
                    high.return_txq(now, txq, true);
                }
            }
        }
    }
}
