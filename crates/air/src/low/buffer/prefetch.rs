//! A radio that buffers PPDUs or frames ahead of access, as chips do: what will be sent leaves the queues above before the medium is won.

use airtcp_units::Instant;

use super::edcaf::Turn;
use super::formed::airtime_of;
use super::txq::Held;
use crate::NicId;
use crate::border::{AccessCategory, Mpdu, MpduKind, TxqId};
use crate::low::contention::AccessFunction;
use crate::low::exchange::Prefetch;
use crate::low::psdu::PsduLength;
use crate::low::{Low, LowerMacContext};

/// From where and for whom a card takes MPDUs.
#[derive(Clone, Copy)]
struct Intake {
    nic: NicId,
    ac: AccessCategory,
    txq: TxqId,
}

impl Low {
    /// Prefetches what a category may buffer: a turn of a queue for each PPDU, and as many of its MPDUs as fit into one now. What the
    /// PPDU will carry is decided when it is sent, by the rate at that time.
    #[inline]
    pub(crate) fn prefetch(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        high: &mut impl LowerMacContext,
    ) {
        if self.radios[nic].capabilities.prefetch.ppdus > 0 {
            self.fill_ahead(now, nic, function, high);
        }
    }

    #[inline(never)]
    fn fill_ahead(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        high: &mut impl LowerMacContext,
    ) {
        let Prefetch { ppdus, forms, .. } = self.radios[nic].capabilities.prefetch;
        if self.is_off(nic) {
            return;
        }
        let Some(ac) = function.category() else { return };
        if forms {
            return self.form_ahead(now, nic, ac, high);
        }
        // Without room, only a queue whose MPDUs wait for repetition gets a turn, and it may have none above now: the search
        // ends where it began, or after as many queues as there are.
        let (mut first_without, mut left) = (None, self.txqs.len());
        loop {
            let edcaf = &self.radios[nic].edcafs[ac];
            let has_room = self.has_room(nic, ac);
            // Where all frames that it has room for wait for repetition, a turn is for these.
            if edcaf.ready.len() >= ppdus || !has_room && !edcaf.ready.is_empty() {
                return;
            }
            let Some(txq) = high.next_txq(now, nic, ac) else { return };
            self.know(txq);
            let repeats = !self.txqs[txq].held.is_empty();
            let mpdus = if has_room { self.take_one_ppdu(now, Intake { nic, ac, txq }, high) } else { 0 };
            // The prefetched turn is also for what waits for repetition.
            high.return_txq(now, txq, false);
            if repeats || mpdus > 0 {
                self.radios[nic].edcafs[ac].ready.push_back(Turn { txq, mpdus });
            } else if !has_room {
                if first_without == Some(txq) || left == 0 {
                    return;
                }
                first_without.get_or_insert(txq);
                left -= 1;
            }
        }
    }

    /// A PPDU may carry MPDUs of several turns of a queue, if there were few at the time of each: turns whose MPDUs have all left
    /// are over.
    #[inline]
    pub(crate) fn end_turns(&mut self, nic: NicId, function: AccessFunction, txq: TxqId) {
        if !self.radios[nic].edcafs[function].ready.is_empty() {
            self.end_turns_of(nic, function, txq);
        }
    }

    #[inline(never)]
    fn end_turns_of(&mut self, nic: NicId, function: AccessFunction, txq: TxqId) {
        let waiting = self.txqs[txq].held.len();
        let ready = &mut self.radios[nic].edcafs[function].ready;
        let of_turns: usize = ready.iter().filter(|turn| turn.txq == txq).map(|turn| turn.mpdus).sum();
        let mut left = of_turns.saturating_sub(waiting);
        ready.retain_mut(|turn| {
            if turn.txq != txq {
                return true;
            }
            let of_this = turn.mpdus.min(left);
            left -= of_this;
            turn.mpdus -= of_this;
            waiting > 0 && (turn.mpdus > 0 || of_this == 0)
        });
    }

    fn has_room(&self, nic: NicId, ac: AccessCategory) -> bool {
        let radio = &self.radios[nic];
        let (edcaf, most) = (&radio.edcafs[ac], &radio.capabilities.prefetch);
        (edcaf.held as usize) < most.mpdus && most.airtime.is_none_or(|most| edcaf.held_airtime < most)
    }

    /// Takes as many MPDUs out of a queue as fit into one PPDU; how many.
    fn take_one_ppdu(
        &mut self,
        now: Instant,
        Intake { nic, ac, txq }: Intake,
        high: &mut impl LowerMacContext,
    ) -> usize {
        let Some(first) = high.dequeue(now, txq) else { return 0 };
        let limits = self.limits_of(nic, &first, Some(txq));
        let counts_airtime = self.radios[nic].capabilities.prefetch.airtime.is_some();
        if limits.is_none() && !counts_airtime {
            self.hold(nic, ac, txq, Held::new(first));
            return 1;
        }
        let queue = &mut self.txqs[txq];
        if queue.chain().is_none() {
            queue.begin_chain(high.rates(now, nic, &first));
        }
        let chain = *queue.chain().expect("a chain has an attempt");
        let tx = chain.stages()[0].tx;
        let held = |mpdu: Mpdu| {
            let mut held = Held::new(mpdu);
            if counts_airtime {
                held.airtime = airtime_of(&mpdu, tx);
            }
            held
        };
        self.hold(nic, ac, txq, held(first));
        let Some(limits) = limits else { return 1 };
        if first.kind != MpduKind::Aggregable || chain.probe {
            return 1;
        }
        let longest = tx.max_ppdu_duration().unwrap_or(limits.duration).min(limits.duration);
        let most = self.radios[nic].limit.bytes(tx, longest).min(limits.bytes);
        let mut length = PsduLength::one(tx.format, first.bytes).spaced(limits.spacing_octets(tx));
        let mut mpdus = 1;
        while mpdus < usize::from(limits.window) && self.has_room(nic, ac) {
            // The next is taken only if one like the last fits.
            if length.with(first.bytes).bytes() > most {
                break;
            }
            let Some(mpdu) = high.dequeue(now, txq) else { break };
            length = length.with(mpdu.bytes);
            self.hold(nic, ac, txq, held(mpdu));
            mpdus += 1;
            if mpdu.kind != MpduKind::Aggregable {
                break;
            }
        }
        mpdus
    }
}
