//! How an exchange ends for its sender: repetition, the next exchange of the TXOP, or backoff.

use airtcp_units::Instant;

use super::compose::TxopRoom;
use super::radio::{Exchange, ExchangeUser, Step};
use crate::border::{MpduFate, PpduStatus, Receiver};
use crate::low::buffer::Held;
use crate::low::cell::Failure;
use crate::low::event::Event;
use crate::low::on_air::UserId;
use crate::low::{Low, LowerMacContext};
use crate::trace::LinkUse;
use crate::{NicId, TimeSpan};

impl Low {
    /// No response has been heard. The wait counts as busy: the next slots come an AIFS after it (IEEE 802.11-2020, 10.3.2.11).
    pub(crate) fn response_timeout(&mut self, now: Instant, nic: NicId, high: &mut impl LowerMacContext) {
        let overtaken = |wait: super::radio::Wait| wait.timeout_at != now || wait.hears.is_some();
        if self.radios[nic].wait.is_none_or(overtaken) {
            return;
        }
        self.wait_ends(now, nic, false, high);
    }

    /// Reports the attempt for a user to its upper half.
    #[inline(always)]
    fn report(
        &mut self,
        now: Instant,
        nic: NicId,
        exchange: &Exchange,
        user: UserId,
        high: &mut impl LowerMacContext,
    ) {
        let ExchangeUser { chosen: tx, receiver, probe, attempt, answered, .. } = exchange.users[user];
        let cleared = exchange.step != Step::Clearing;
        let radio = &self.radios[nic];
        let psdu = &radio.psdus[user];
        let acked = psdu.iter().filter(|held| answered && held.arrived).count();
        let status = PpduStatus {
            tx,
            protection: exchange.protection,
            cleared,
            mpdus: psdu.len() as u32,
            acked: acked as u32,
            answered,
            probe,
            attempt,
            tid: psdu[0].mpdu.tid,
            bytes: psdu.iter().map(|held| held.mpdu.bytes).sum(),
            airtime: if cleared {
                self.total(nic, exchange)
            } else {
                self.protection_duration(nic, exchange)
            },
        };
        high.ppdu_done(now, nic, receiver, psdu.iter().map(|held| &held.mpdu), &status);
    }

    /// An exchange went well: what its receivers decoded is done, the rest of an aggregate is repeated.
    pub(crate) fn succeed(&mut self, now: Instant, nic: NicId, high: &mut impl LowerMacContext) {
        let mut exchange = self.radios[nic].exchange.take().expect("an exchange ends");
        for user in exchange.users.ids() {
            exchange.users[user].answered = exchange.users[user].response.is_some();
            self.count(nic, &exchange, user);
            self.report(now, nic, &exchange, user, high);
            self.end_mpdus(now, nic, &exchange, user, high);
            if let Some(txq) = exchange.users[user].txq {
                self.txqs[txq].end_chain();
                if self.wants_turn(nic, exchange.function, txq) {
                    high.return_txq(now, txq, true);
                }
            }
        }
        self.radios[nic].edcafs[exchange.function].reset_window();
        self.go_on(now, nic, &exchange, high);
    }

    /// MPDUs for a user whose exchange went well end, or are kept for repetition.
    fn end_mpdus(
        &mut self,
        now: Instant,
        nic: NicId,
        exchange: &Exchange,
        user: UserId,
        high: &mut impl LowerMacContext,
    ) {
        let ExchangeUser { answered, psdu_bytes, purged, .. } = exchange.users[user];
        let mut psdu = std::mem::take(&mut self.radios[nic].psdus[user]);
        let cell = &self.cells[self.radios[nic].cell];
        let (failure, limits) = (cell.failure(psdu_bytes), cell.retry_limits);
        if answered && psdu.iter().all(|held| held.arrived) {
            let mpdus = psdu.iter().map(|held| &held.mpdu);
            high.mpdus_done(now, nic, mpdus, MpduFate::Acked, &mut self.requests);
            psdu.clear();
        }
        psdu.retain_mut(|held| {
            let fate = match (held.arrived, answered) {
                (_, false) => MpduFate::Sent,
                (true, true) => MpduFate::Acked,
                (false, true) if held.fails(failure, limits) => MpduFate::GivenUp,
                _ if purged => MpduFate::Purged,
                _ => return true,
            };
            high.mpdu_done(now, nic, &held.mpdu, fate, &mut self.requests);
            false
        });
        self.keep(nic, exchange, user, &mut psdu);
        self.radios[nic].psdus[user] = psdu;
    }

    /// The next exchange of the TXOP follows by SIFS, or the TXOP is over.
    #[inline(always)]
    fn go_on(&mut self, now: Instant, nic: NicId, exchange: &Exchange, high: &mut impl LowerMacContext) {
        if exchange.txop_end != Instant::FAR_FUTURE && !self.wants_away(nic) {
            let start = now + self.cells[self.radios[nic].cell].times.sifs;
            let span = TimeSpan { start, end: exchange.txop_end };
            if let Some(next) =
                self.compose(now, nic, exchange.function, TxopRoom { span, widest: exchange.widest }, high)
            {
                let radio = &mut self.radios[nic];
                radio.exchange = Some(next);
                self.follow(start, Event::Continue(nic), nic);
                self.prefetch(now, nic, exchange.function, high);
                return;
            }
        }
        self.finish(now, nic, exchange.function, high);
    }

    /// An exchange failed: RTS without CTS, or data without response.
    #[inline(never)]
    pub(crate) fn fail(&mut self, now: Instant, nic: NicId, high: &mut impl LowerMacContext) {
        let exchange = self.radios[nic].exchange.take().expect("an exchange ends");
        if exchange.step == Step::Clearing {
            self.radios[nic].counters.rts_failed += 1;
        }
        let mut given_up = false;
        for user in exchange.users.ids() {
            if exchange.step != Step::Clearing {
                self.count(nic, &exchange, user);
            }
            self.report(now, nic, &exchange, user, high);
            given_up |= self.fail_user(now, nic, &exchange, user, high);
        }
        let edcaf = &mut self.radios[nic].edcafs[exchange.function];
        if given_up {
            edcaf.reset_window();
        } else {
            edcaf.widen_window();
        }
        self.finish(now, nic, exchange.function, high);
    }

    /// The attempt for a user has failed; true if its first MPDU is given up.
    #[inline(never)]
    fn fail_user(
        &mut self,
        now: Instant,
        nic: NicId,
        exchange: &Exchange,
        user: UserId,
        high: &mut impl LowerMacContext,
    ) -> bool {
        let ExchangeUser { txq, psdu_bytes, purged, .. } = exchange.users[user];
        let cleared = exchange.step != Step::Clearing;
        let mut psdu = std::mem::take(&mut self.radios[nic].psdus[user]);
        let cell = &self.cells[self.radios[nic].cell];
        let failure = if cleared { cell.failure(psdu_bytes) } else { Failure::NotCleared };
        let mut given_up = self.give_up_worn(now, nic, failure, &mut psdu, high);
        if purged {
            given_up = true;
            for held in psdu.drain(..) {
                high.mpdu_done(now, nic, &held.mpdu, MpduFate::Purged, &mut self.requests);
            }
        }
        let some_left = !psdu.is_empty();
        let forms = self.forms(nic);
        if let Some(txq) = txq {
            let state = &mut self.txqs[txq];
            if given_up {
                state.end_chain();
            } else if cleared {
                state.attempt_failed();
            }
            if forms {
                self.repeat_formed(nic, exchange.function, txq, &mut psdu);
            }
        }
        self.keep(nic, exchange, user, &mut psdu);
        self.radios[nic].psdus[user] = psdu;
        if let Some(txq) = txq {
            // A queue whose MPDUs are kept goes on by itself: it is repeated before the upper half is asked for the next one. A card that
            // forms its aggregates has put them back already, and its queue competes with the others again.
            if some_left && !given_up && !forms {
                // The queue of the first user is repeated first; those of others have their turn later.
                self.radios[nic].edcafs[exchange.function].repeated.get_or_insert(txq);
            }
            if (given_up || forms) && self.wants_turn(nic, exchange.function, txq) {
                high.return_txq(now, txq, true);
            }
        }
        given_up
    }

    /// MPDUs whose attempts have failed as often as allowed are given up; true if the first of them is among them. An RTS
    /// counts for every MPDU that it announced.
    fn give_up_worn(
        &mut self,
        now: Instant,
        nic: NicId,
        failure: Failure,
        psdu: &mut Vec<Held>,
        high: &mut impl LowerMacContext,
    ) -> bool {
        let limits = self.cells[self.radios[nic].cell].retry_limits;
        let first = psdu[0].mpdu.handle;
        psdu.retain_mut(|held| {
            if !held.fails(failure, limits) {
                return true;
            }
            high.mpdu_done(now, nic, &held.mpdu, MpduFate::GivenUp, &mut self.requests);
            false
        });
        psdu.first().is_none_or(|held| held.mpdu.handle != first)
    }

    /// What is left of a PSDU waits in its order before everything else of its queue.
    #[inline]
    fn keep(&mut self, nic: NicId, exchange: &Exchange, user: UserId, psdu: &mut Vec<Held>) {
        if !psdu.is_empty() {
            self.keep_all(nic, exchange, user, psdu);
        }
    }

    #[inline(never)]
    fn keep_all(&mut self, nic: NicId, exchange: &Exchange, user: UserId, psdu: &mut Vec<Held>) {
        let forms = self.forms(nic);
        let edcaf = &mut self.radios[nic].edcafs[exchange.function];
        match exchange.users[user].txq {
            None => psdu.drain(..).rev().for_each(|held| edcaf.direct.push_front(held)),
            Some(txq) => {
                let queue = &mut self.txqs[txq].held;
                psdu.drain(..).rev().for_each(|held| edcaf.keep(queue, held, forms));
            }
        }
    }

    /// Counts the data for a user, which has been sent.
    #[inline(always)]
    fn count(&mut self, nic: NicId, exchange: &Exchange, user: UserId) {
        let ExchangeUser { receiver, tx, attempt, answered, response, .. } = exchange.users[user];
        let radio = &mut self.radios[nic];
        let psdu = &radio.psdus[user];
        let counters = &mut radio.counters;
        if !psdu[0].mpdu.kind.carries_data() {
            return;
        }
        let good = answered || response.is_none();
        let lost = match receiver {
            Receiver::One(_) | Receiver::Absent => psdu.iter().filter(|held| !held.arrived).count() as u64,
            Receiver::Group => 0,
        };
        counters.modes.add(tx, psdu.len() as u64, lost);
        counters.mpdus += psdu.len() as u64;
        counters.mpdus_lost += lost;
        counters.transmissions += 1;
        counters.retries += u64::from(attempt > 1);
        if !good {
            counters.collisions += u64::from(exchange.collided);
            counters.corrupted += u64::from(!exchange.collided);
        }
        if let (Some(links), Receiver::One(peer)) = (&mut counters.links, receiver) {
            let lost = (!good).then_some(exchange.collided);
            links.add(peer, LinkUse { tx, retry: attempt > 1, lost });
        }
    }
}
