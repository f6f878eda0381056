//! How an exchange ends for its sender: repetition, the next exchange of the TXOP, or backoff.

use airtcp_units::Instant;

use super::radio::{Exchange, ExchangeUser, Step};
use super::txop_room::TxopRoom;
use crate::border::PpduStatus;
use crate::low::Low;
use crate::low::buffer::{Attempt, SentAs};
use crate::low::cell::{Cell, Failure};
use crate::low::context::Context;
use crate::low::event::Event;
use crate::low::noted::DataSent;
use crate::low::on_air::UserId;
use crate::{NicId, TimeSpan};

impl Low {
    /// No response has been heard. The wait counts as busy: the next slots come an AIFS after it (IEEE 802.11-2020, 10.3.2.11).
    pub(crate) fn response_timeout(&mut self, now: Instant, nic: NicId, high: &mut impl Context) {
        if self.exchanges.response_timeout(nic) == Some(now) {
            self.wait_ends(now, nic, false, high);
        }
    }

    /// Reports the attempt for a user to its upper half.
    #[inline(always)]
    fn report(
        &mut self,
        now: Instant,
        nic: NicId,
        exchange: &Exchange,
        user: UserId,
        high: &mut impl Context,
    ) {
        let ExchangeUser { chosen: tx, receiver, probe, attempt, answered, .. } = exchange.users[user];
        let cleared = exchange.step != Step::Clearing;
        let (cell, psdu) = (self.on_air.cell(nic), self.buffers.psdu(nic, user));
        let acked = psdu.iter().filter(|held| answered && held.arrived).count();
        let airtime = if cleared { exchange.total(cell) } else { exchange.protection_duration(cell) };
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
            airtime: exchange.tone_share(user).of(airtime),
            solicited: false,
        };
        high.ppdu_done(now, nic, receiver, psdu.iter().map(|held| &held.mpdu), &status);
    }

    /// An exchange went well: what its receivers decoded is done, the rest of an aggregate is repeated.
    pub(super) fn succeed(&mut self, now: Instant, nic: NicId, high: &mut impl Context) {
        let mut exchange = self.exchanges.radios[nic].exchange.take().expect("an exchange ends");
        exchange.users.ids().each(
            #[inline(always)]
            |user| {
                exchange.users[user].answered = exchange.users[user].response.is_some();
                self.count(nic, &exchange, user);
                self.report(now, nic, &exchange, user, high);
                let cell = self.on_air.cell(nic);
                let attempt = attempt(nic, &exchange, user, cell);
                self.buffers.succeed(now, attempt, &cell.retry_limits, high, &mut self.requests);
            },
        );
        self.exchanges.radios[nic].edcafs[exchange.function].reset_window();
        self.go_on(now, nic, exchange, high);
    }

    /// The next exchange of the TXOP follows by SIFS, or the TXOP is over.
    #[inline(always)]
    pub(super) fn go_on(&mut self, now: Instant, nic: NicId, exchange: Exchange, high: &mut impl Context) {
        let Exchange { function, txop_end, widest, .. } = exchange;
        self.exchanges.radios[nic].keep_memory(exchange);
        if txop_end != Instant::FAR_FUTURE && !self.exchanges.will_leave(nic) {
            let start = now + self.on_air.cell(nic).times.sifs;
            let span = TimeSpan { start, end: txop_end };
            let room = TxopRoom { span, widest, begins_txop: false };
            if self.compose(now, nic, function, room, high) {
                self.follow(start, Event::Continue(nic), nic);
                self.prefetch(now, nic, function, high);
                return;
            }
        }
        self.finish(now, nic, function, high);
    }

    /// An exchange failed: RTS without CTS, or data without response.
    #[inline(never)]
    pub(super) fn fail(&mut self, now: Instant, nic: NicId, high: &mut impl Context) {
        let exchange = self.exchanges.radios[nic].exchange.take().expect("an exchange ends");
        if exchange.step == Step::Clearing {
            self.notes.rts_failed(nic);
        }
        let mut given_up = false;
        exchange.users.ids().each(
            #[inline(always)]
            |user| {
                if exchange.step != Step::Clearing {
                    self.count(nic, &exchange, user);
                }
                self.report(now, nic, &exchange, user, high);
                let cell = self.on_air.cell(nic);
                let attempt = attempt(nic, &exchange, user, cell);
                given_up |= self.buffers.fail(now, attempt, &cell.retry_limits, high, &mut self.requests);
            },
        );
        let edcaf = &mut self.exchanges.radios[nic].edcafs[exchange.function];
        if given_up {
            edcaf.reset_window();
        } else {
            edcaf.widen_window();
        }
        let function = exchange.function;
        self.exchanges.radios[nic].keep_memory(exchange);
        self.finish(now, nic, function, high);
    }

    /// An exchange of several users is over. If any of them has answered it went well for the contention window; each user's MPDUs
    /// are done, or repeated, by its own answer.
    #[inline(never)]
    pub(super) fn conclude(&mut self, now: Instant, nic: NicId, high: &mut impl Context) {
        let exchange = self.exchanges.radios[nic].exchange.take().expect("an exchange ends");
        let (mut any_answered, mut all_given_up) = (false, true);
        for user in exchange.users.ids() {
            self.count(nic, &exchange, user);
            self.report(now, nic, &exchange, user, high);
            let cell = self.on_air.cell(nic);
            let attempt = attempt(nic, &exchange, user, cell);
            if attempt.answered {
                any_answered = true;
                self.buffers.succeed(now, attempt, &cell.retry_limits, high, &mut self.requests);
            } else {
                all_given_up &= self.buffers.fail(now, attempt, &cell.retry_limits, high, &mut self.requests);
            }
        }
        let edcaf = &mut self.exchanges.radios[nic].edcafs[exchange.function];
        if any_answered || all_given_up {
            edcaf.reset_window();
        } else {
            edcaf.widen_window();
        }
        let last = exchange.multi_user.as_ref().filter(|multi_user| multi_user.triggered.is_none());
        if last.map_or(any_answered, |multi_user| exchange.users[multi_user.asked].answered) {
            self.go_on(now, nic, exchange, high);
        } else {
            let function = exchange.function;
            self.exchanges.radios[nic].keep_memory(exchange);
            self.finish(now, nic, function, high);
        }
    }

    /// Counts the data for a user, which has been sent.
    #[inline(always)]
    fn count(&mut self, nic: NicId, exchange: &Exchange, user: UserId) {
        let ExchangeUser { receiver, tx, attempt, answered, response, .. } = exchange.users[user];
        let good = answered || response.is_none();
        let collided = (!good).then_some(exchange.collided);
        let share = exchange.tone_share(user);
        let sent = DataSent { receiver, tx, retry: attempt > 1, lost: collided, share };
        self.notes.count(nic, sent, self.buffers.psdu(nic, user));
    }
}

/// The attempt for a user of an exchange that is over.
#[inline(always)]
fn attempt(nic: NicId, exchange: &Exchange, user: UserId, cell: &Cell) -> Attempt {
    let ExchangeUser { txq, psdu_bytes, answered, purged, .. } = exchange.users[user];
    let cleared = exchange.step != Step::Clearing;
    let failure = if cleared { cell.failure(psdu_bytes) } else { Failure::NotCleared };
    let sent_as = if exchange.multi_user.is_some() { SentAs::Shared } else { SentAs::Alone };
    Attempt { nic, function: exchange.function, user, txq, failure, answered, purged, sent_as }
}
