//! How an exchange ends for its sender: repetition, the next exchange of the TXOP, or backoff.

use airtcp_units::{Duration, Instant};

use super::ppdu::Reception;
use super::radio::Exchange;
use super::txq::Held;
use super::{Event, Low, Surroundings};
use crate::NicId;
use crate::border::{MpduFate, MpduKind, PpduStatus, Protection, Receiver};

impl Low {
    /// A response ends at the NIC that waits for it.
    pub(super) fn response_ends(
        &mut self,
        now: Instant,
        nic: NicId,
        read: bool,
        high: &mut impl Surroundings,
    ) {
        if self.radios[nic.0 as usize].exchange.is_none() {
            return;
        }
        if read { self.succeed(now, nic, high) } else { self.fail(now, nic, true, high) }
    }

    /// No response came. The wait counts as busy: the next slots come an AIFS after it (IEEE 802.11-2020, 10.3.2.11).
    pub(super) fn response_timeout(&mut self, now: Instant, nic: NicId, high: &mut impl Surroundings) {
        let radio = &self.radios[nic.0 as usize];
        if radio.timeout_at != now || radio.exchange.is_none() {
            return;
        }
        let member = NicId(radio.member);
        self.media[radio.medium].contention.set_apart(now, member, now);
        let cleared = radio.exchange.is_some_and(|e| e.step != super::radio::Step::Clearing);
        self.fail(now, nic, cleared, high);
    }

    fn report(
        &mut self,
        now: Instant,
        nic: NicId,
        exchange: &Exchange,
        outcome: (bool, bool),
        high: &mut impl Surroundings,
    ) {
        let (cleared, answered) = outcome;
        let radio = &self.radios[nic.0 as usize];
        let received = &self.air[nic.0 as usize].received;
        let acked = received.iter().filter(|&&r| answered && r == Reception::Good).count();
        let status = PpduStatus {
            tx: exchange.stage.tx,
            protection: exchange.stage.protection,
            cleared,
            mpdus: radio.psdu.len() as u32,
            acked: acked as u32,
            answered,
            probe: exchange.probe,
            attempt: exchange.attempt,
            tid: radio.psdu[0].mpdu.tid,
            bytes: radio.psdu.iter().map(|held| held.mpdu.bytes).sum(),
            airtime: if cleared {
                self.total(nic, exchange)
            } else {
                self.protection_duration(nic, exchange)
            },
        };
        if radio.psdu[0].mpdu.kind != MpduKind::Beacon {
            high.ppdu_done(now, nic, exchange.receiver, &status);
        }
    }

    /// An exchange went well: what its receiver read is done, the rest of an aggregate is repeated.
    pub(super) fn succeed(&mut self, now: Instant, nic: NicId, high: &mut impl Surroundings) {
        let exchange = self.radios[nic.0 as usize].exchange.take().expect("an exchange ends");
        let answered = exchange.response.is_some();
        self.count(nic, &exchange, true);
        self.report(now, nic, &exchange, (true, answered), high);
        let mut psdu = std::mem::take(&mut self.radios[nic.0 as usize].psdu);
        let limit = self.cells[self.radios[nic.0 as usize].cell].retry_limit(exchange.psdu_bytes);
        let group = exchange.receiver == Receiver::Group;
        let mut place = 0;
        psdu.retain_mut(|held| {
            let good = group || self.air[nic.0 as usize].received[place] == Reception::Good;
            place += 1;
            held.tries += 1;
            let fate = match (good, group) {
                (true, true) => MpduFate::Sent,
                (true, false) => MpduFate::Acked,
                (false, _) if held.tries >= limit => MpduFate::GivenUp,
                _ => return true,
            };
            if held.mpdu.kind != MpduKind::Beacon {
                high.mpdu_done(now, nic, &held.mpdu, fate, &mut self.wishes);
            }
            false
        });
        self.keep(nic, &exchange, &mut psdu);
        self.radios[nic.0 as usize].psdu = psdu;
        self.radios[nic.0 as usize].edcafs[exchange.ac as usize].reset_window();
        if let Some(txq) = exchange.txq {
            let state = &mut self.txqs[txq.0 as usize];
            state.end_chain();
            if !state.held.is_empty() {
                high.return_txq(now, txq, true);
            }
        }
        self.go_on(now, nic, &exchange, high);
    }

    /// The next exchange of the TXOP follows by SIFS, or the TXOP is over.
    fn go_on(&mut self, now: Instant, nic: NicId, exchange: &Exchange, high: &mut impl Surroundings) {
        if exchange.txop_end != Instant::FAR_FUTURE {
            let start = now + self.cells[self.radios[nic.0 as usize].cell].times.sifs;
            if let Some(mut next) = self.compose(now, nic, exchange.ac, (start, exchange.txop_end), high) {
                // The medium is the sender's already.
                next.stage.protection = Protection::None;
                self.radios[nic.0 as usize].exchange = Some(next);
                self.events.plan(start, Event::Continue(nic));
                return;
            }
        }
        self.finish(now, nic, exchange.ac, high);
    }

    /// An exchange failed: RTS without CTS (`cleared` is false), or data without response.
    pub(super) fn fail(&mut self, now: Instant, nic: NicId, cleared: bool, high: &mut impl Surroundings) {
        let exchange = self.radios[nic.0 as usize].exchange.take().expect("an exchange ends");
        self.radios[nic.0 as usize].timeout_at = Instant::FAR_FUTURE;
        self.count(nic, &exchange, false);
        self.report(now, nic, &exchange, (cleared, false), high);
        let mut psdu = std::mem::take(&mut self.radios[nic.0 as usize].psdu);
        let given_up = if cleared {
            self.give_up_worn(now, nic, &exchange, &mut psdu, high)
        } else {
            self.give_up_unheard(now, nic, &exchange, &mut psdu, high)
        };
        let some_left = !psdu.is_empty();
        self.keep(nic, &exchange, &mut psdu);
        self.radios[nic.0 as usize].psdu = psdu;
        let edcaf = &mut self.radios[nic.0 as usize].edcafs[exchange.ac as usize];
        if given_up {
            edcaf.reset_window();
        } else {
            edcaf.widen_window();
        }
        if let Some(txq) = exchange.txq {
            let state = &mut self.txqs[txq.0 as usize];
            if given_up {
                state.end_chain();
            } else if cleared {
                state.attempt_failed();
            }
            edcaf.repeated = (some_left && !given_up).then_some(txq);
            if given_up && !state.held.is_empty() {
                high.return_txq(now, txq, true);
            }
        }
        self.finish(now, nic, exchange.ac, high);
    }

    /// MPDUs that have been sent as often as allowed are given up; true if the first of them is among them.
    fn give_up_worn(
        &mut self,
        now: Instant,
        nic: NicId,
        exchange: &Exchange,
        psdu: &mut Vec<Held>,
        high: &mut impl Surroundings,
    ) -> bool {
        let limit = self.cells[self.radios[nic.0 as usize].cell].retry_limit(exchange.psdu_bytes);
        let first = psdu[0].mpdu.handle;
        psdu.retain_mut(|held| {
            held.tries += 1;
            if held.tries < limit {
                return true;
            }
            high.mpdu_done(now, nic, &held.mpdu, MpduFate::GivenUp, &mut self.wishes);
            false
        });
        psdu.first().is_none_or(|held| held.mpdu.handle != first)
    }

    /// After too many RTS without CTS the first MPDU is given up (10.3.4.4, short retry limit).
    fn give_up_unheard(
        &mut self,
        now: Instant,
        nic: NicId,
        exchange: &Exchange,
        psdu: &mut Vec<Held>,
        high: &mut impl Surroundings,
    ) -> bool {
        self.radios[nic.0 as usize].books.rts_failed += 1;
        let limit = self.cells[self.radios[nic.0 as usize].cell].short_retry_limit;
        let Some(txq) = exchange.txq else { return false };
        let state = &mut self.txqs[txq.0 as usize];
        state.rts_failures += 1;
        if state.rts_failures < limit {
            return false;
        }
        let held = psdu.remove(0);
        high.mpdu_done(now, nic, &held.mpdu, MpduFate::GivenUp, &mut self.wishes);
        true
    }

    /// What is left of a PSDU waits in its order before everything else of its queue.
    fn keep(&mut self, nic: NicId, exchange: &Exchange, psdu: &mut Vec<Held>) {
        let edcaf = &mut self.radios[nic.0 as usize].edcafs[exchange.ac as usize];
        match exchange.txq {
            None => psdu.drain(..).rev().for_each(|held| edcaf.direct.push_front(held)),
            Some(txq) => {
                edcaf.held += psdu.len() as u32;
                let held = &mut self.txqs[txq.0 as usize].held;
                psdu.drain(..).rev().for_each(|mpdu| held.push_front(mpdu));
            }
        }
    }

    fn count(&mut self, nic: NicId, exchange: &Exchange, good: bool) {
        let ppdu = &self.air[nic.0 as usize];
        let lost = ppdu.received.iter().filter(|&&r| r != Reception::Good).count() as u64;
        let collided = !ppdu.overlaps.is_empty();
        let books = &mut self.radios[nic.0 as usize].books;
        books.transmissions += 1;
        books.retries += u64::from(exchange.attempt > 1);
        if !good {
            books.collisions += u64::from(collided);
            books.corrupted += u64::from(!collided);
        }
        if exchange.receiver != Receiver::Group {
            books.mpdus_lost += lost;
        }
    }

    /// Time on the air of a NIC so far.
    pub(crate) fn airtime(&self, nic: NicId) -> Duration {
        self.radios[nic.0 as usize].books.airtime
    }
}
