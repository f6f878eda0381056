//! Aggregates that are formed when their MPDUs enter the card, not when the medium is won (Linux, `ath_tx_form_aggr` of ath9k).
//!
//! ```text
//!   queues above ---\
//!                    form ---> formed ---> exchange ---> done
//!   queue.held -----/           ^            |  |
//!       ^                       '-- again ---'  |  no response, and an attempt of its chain is left: as it is
//!       '---------------- lost -----------------'  to be formed anew, behind what is formed already
//! ```

use std::collections::VecDeque;

use airtcp_units::{Duration, Instant};

use super::edcaf::Edcaf;
use super::txq::{Head, Held};
use crate::NicId;
use crate::border::{AccessCategory, Mpdu, MpduKind, RateChain, TxqId};
use crate::low::contention::AccessFunction;
use crate::low::psdu::{AggregateLimits, PsduLength};
use crate::low::{Low, LowerMacContext};
use crate::phy::TxVector;

/// An aggregate, or an MPDU alone, that waits for the medium. Its MPDUs are in [`Edcaf::formed_mpdus`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Formed {
    pub(crate) txq: TxqId,
    pub(crate) mpdus: usize,
    /// Chosen when it was formed; `None`: used up by an MPDU alone, which gets another.
    chain: Option<RateChain>,
    /// Attempts that have failed.
    used: u32,
}

/// Sequence numbers are compared modulo 4096 (IEEE 802.11-2020, 10.25.6.2).
const fn ahead(from: u16, to: u16) -> u16 {
    to.wrapping_sub(from) & 0xfff
}

const fn is_before(one: u16, other: u16) -> bool {
    one != other && ahead(one, other) < 2048
}

impl Edcaf {
    /// Puts a whole aggregate before all others, with the number of its MPDUs that have been put there.
    fn put_first(&mut self, formed: Formed) {
        if formed.mpdus > 0 {
            self.formed.push_front(formed);
        }
    }

    /// A lost MPDU waits in its queue to be formed anew, in the order of sequence numbers.
    pub(crate) fn keep_to_form(&mut self, queue: &mut VecDeque<Held>, mut held: Held) {
        held.airtime = Duration::ZERO;
        self.holds(&held);
        let behind = |other: &Held| is_before(held.mpdu.sequence, other.mpdu.sequence);
        let place = queue.iter().position(behind).unwrap_or(queue.len());
        queue.insert(place, held);
    }

    /// Takes all formed MPDUs of a queue back.
    pub(crate) fn take_formed_of(&mut self, txq: TxqId) -> Vec<Held> {
        let mut taken = Vec::new();
        let mut others = VecDeque::new();
        for formed in std::mem::take(&mut self.formed) {
            let mpdus = self.formed_mpdus.drain(..formed.mpdus);
            if formed.txq == txq {
                taken.extend(mpdus);
            } else {
                others.extend(mpdus);
                self.formed.push_back(formed);
            }
        }
        self.formed_mpdus = others;
        for held in &taken {
            self.releases(held);
        }
        taken
    }
}

impl Low {
    /// Whether the aggregates of a NIC are formed when they enter its card.
    #[inline]
    pub(crate) fn forms(&self, nic: NicId) -> bool {
        self.radios[nic].capabilities.prefetch.forms
    }

    /// Forms aggregates while the card of a NIC has room for them.
    pub(crate) fn form_ahead(
        &mut self,
        now: Instant,
        nic: NicId,
        ac: AccessCategory,
        high: &mut impl LowerMacContext,
    ) {
        while self.takes_another(nic, ac) {
            let Some(txq) = high.next_txq(now, nic, ac) else { return };
            self.know(txq);
            let waits = self.form(now, nic, ac, txq, high);
            let more = !waits && !self.txqs[txq].held.is_empty();
            high.return_txq(now, txq, more);
            // Its window moves when an exchange ends, which is also the next opportunity for others.
            if waits {
                return;
            }
        }
    }

    /// The PPDU on the air is one of the card's.
    fn takes_another(&self, nic: NicId, ac: AccessCategory) -> bool {
        let radio = &self.radios[nic];
        let sends = radio.exchange.as_ref().is_some_and(|exchange| exchange.function == ac.into());
        let formed = radio.edcafs[ac].formed.len() + usize::from(sends);
        formed <= radio.capabilities.prefetch.ppdus && self.takes_mpdu(nic, ac)
    }

    fn takes_mpdu(&self, nic: NicId, ac: AccessCategory) -> bool {
        let radio = &self.radios[nic];
        let (edcaf, most) = (&radio.edcafs[ac], &radio.capabilities.prefetch);
        edcaf.formed_mpdus.len() < most.mpdus && most.airtime.is_none_or(|most| edcaf.held_airtime < most)
    }

    /// Forms what comes next of a queue, if there is anything; true if that must wait for the window of its agreement.
    fn form(
        &mut self,
        now: Instant,
        nic: NicId,
        ac: AccessCategory,
        txq: TxqId,
        high: &mut impl LowerMacContext,
    ) -> bool {
        let Some(first) = self.candidate(now, nic, ac, txq, high) else { return false };
        let limits = self.limits_of(nic, &first, Some(txq)).filter(|_| first.kind == MpduKind::Aggregable);
        let oldest = self.oldest(nic, ac, txq, first.sequence);
        let within = |mpdu: &Mpdu, window: u16| ahead(oldest, mpdu.sequence) < window;
        if limits.is_some_and(|limits| !within(&first, limits.window)) {
            return true;
        }
        let chain = high.rates(now, nic, &first);
        let tx = chain.stages()[0].tx;
        self.enter(nic, ac, txq, tx);
        let mut mpdus = 1;
        if let Some(limits) = limits.filter(|_| !chain.probe) {
            let octets = self.least_octets(nic, &chain, limits);
            // A second aggregate fits into the other half of the window (ath9k: `h_baw`).
            let most = usize::from(limits.window / 2).max(1);
            let mut length = PsduLength::one(tx.format, first.bytes).spaced(limits.spacing_octets(tx));
            while mpdus < most && self.takes_mpdu(nic, ac) {
                let Some(next) = self.candidate(now, nic, ac, txq, high) else { break };
                length = length.with(next.bytes);
                let joins = next.kind == MpduKind::Aggregable && within(&next, limits.window);
                if !joins || length.bytes() > octets {
                    break;
                }
                self.enter(nic, ac, txq, tx);
                mpdus += 1;
            }
        }
        self.radios[nic].edcafs[ac].formed.push_back(Formed { txq, mpdus, chain: Some(chain), used: 0 });
        false
    }

    /// The octets that an aggregate may have in every mode of its chain (Linux, `ath_lookup_rate`).
    fn least_octets(&mut self, nic: NicId, chain: &RateChain, limits: AggregateLimits) -> u32 {
        let limit = &mut self.radios[nic].limit;
        let modes = chain.stages().iter().map(|stage| {
            let longest = stage.tx.max_ppdu_duration().unwrap_or(limits.duration).min(limits.duration);
            limit.bytes(stage.tx, longest)
        });
        modes.fold(limits.bytes, u32::min)
    }

    /// What comes next of a queue: what was lost, in its order, then what waits above.
    fn candidate(
        &mut self,
        now: Instant,
        nic: NicId,
        ac: AccessCategory,
        txq: TxqId,
        high: &mut impl LowerMacContext,
    ) -> Option<Mpdu> {
        if self.txqs[txq].held.is_empty() {
            let mpdu = high.dequeue(now, txq)?;
            self.hold(nic, ac, txq, Held::new(mpdu));
        }
        self.txqs[txq].held.front().map(|held| held.mpdu)
    }

    /// The next MPDU of a queue becomes part of the aggregate that is being formed, for this mode.
    fn enter(&mut self, nic: NicId, ac: AccessCategory, txq: TxqId, tx: TxVector) {
        let mut held = self.txqs[txq].held.pop_front().expect("it was looked at");
        let radio = &mut self.radios[nic];
        let edcaf = &mut radio.edcafs[ac];
        if radio.capabilities.prefetch.airtime.is_some() {
            edcaf.releases(&held);
            held.airtime = airtime_of(&held.mpdu, tx);
            edcaf.holds(&held);
        }
        edcaf.formed_mpdus.push_back(held);
    }

    /// The oldest sequence number under the agreement of a queue that has not ended, if it is before this one.
    fn oldest(&self, nic: NicId, ac: AccessCategory, txq: TxqId, sequence: u16) -> u16 {
        let radio = &self.radios[nic];
        let edcaf = &radio.edcafs[ac];
        let mut at = 0;
        let formed = edcaf.formed.iter().filter_map(|formed| {
            let first = &edcaf.formed_mpdus[at];
            at += formed.mpdus;
            (formed.txq == txq).then_some(first)
        });
        let exchange = radio.exchange.iter();
        let sent = exchange.flat_map(|exchange| exchange.users.enumerate());
        let sent = sent.filter(|(_, of)| of.txq == Some(txq)).flat_map(|(user, _)| &radio.psdus[user]);
        let pending = formed.chain(sent).filter(|held| held.mpdu.kind == MpduKind::Aggregable);
        pending.fold(sequence, |oldest, held| {
            if is_before(held.mpdu.sequence, oldest) { held.mpdu.sequence } else { oldest }
        })
    }

    /// The first MPDU of the aggregate that is sent next. The others are taken by [`Self::take_formed`].
    pub(crate) fn formed_head(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        high: &mut impl LowerMacContext,
    ) -> Option<Head> {
        let edcaf = &mut self.radios[nic].edcafs[function];
        let formed = edcaf.formed.pop_front()?;
        let held = edcaf.formed_mpdus.pop_front().expect("an aggregate has an MPDU");
        edcaf.releases(&held);
        let chain = formed.chain.unwrap_or_else(|| high.rates(now, nic, &held.mpdu));
        let used = if formed.chain.is_some() { formed.used } else { 0 };
        let (txq, mpdus) = (formed.txq, formed.mpdus - 1);
        edcaf.sending = Some(Formed { txq, mpdus, chain: Some(chain), used });
        self.txqs[txq].resume_chain(chain, used);
        let stage = *chain.stage(used).expect("an attempt of its chain is left");
        Some(Head { txq: Some(txq), held, stage, width: stage.tx.width, probe: chain.probe })
    }

    /// Takes further MPDUs of the aggregate that is being sent, while they join.
    pub(crate) fn take_formed(edcaf: &mut Edcaf, psdu: &mut Vec<Held>, mut joins: impl FnMut(&Mpdu) -> bool) {
        while let Some(rest) = edcaf.sending.as_mut().filter(|rest| rest.mpdus > 0) {
            if !joins(&edcaf.formed_mpdus[0].mpdu) {
                break;
            }
            rest.mpdus -= 1;
            let held = edcaf.formed_mpdus.pop_front().expect("it was looked at");
            edcaf.releases(&held);
            psdu.push(held);
        }
    }

    /// What does not fit into what is left of a TXOP, or into a narrower channel, is sent next.
    pub(crate) fn split_formed(&mut self, nic: NicId, function: AccessFunction) {
        let edcaf = &mut self.radios[nic].edcafs[function];
        if let Some(rest) = edcaf.sending.take() {
            edcaf.put_first(rest);
        }
    }

    /// The first MPDU of an aggregate is not sent after all: the aggregate waits for the next TXOP.
    pub(crate) fn put_back_formed(&mut self, nic: NicId, function: AccessFunction, first: Held) {
        let edcaf = &mut self.radios[nic].edcafs[function];
        let rest = edcaf.sending.take().expect("its aggregate is being sent");
        edcaf.holds(&first);
        edcaf.formed_mpdus.push_front(first);
        edcaf.put_first(Formed { mpdus: rest.mpdus + 1, ..rest });
    }

    /// An aggregate is repeated as it is, if an attempt of its chain is left; its MPDUs leave the list then. An MPDU without block
    /// acknowledgement is repeated in any case: no receiver would restore its order.
    pub(crate) fn repeat_formed(
        &mut self,
        nic: NicId,
        function: AccessFunction,
        txq: TxqId,
        psdu: &mut Vec<Held>,
    ) {
        let chain = self.txqs[txq].chain().copied();
        let Some(first) = psdu.first() else { return };
        if chain.is_none() && first.mpdu.kind == MpduKind::Aggregable {
            return;
        }
        let formed = Formed { txq, mpdus: psdu.len(), chain, used: self.txqs[txq].used() };
        let edcaf = &mut self.radios[nic].edcafs[function];
        for held in psdu.drain(..).rev() {
            edcaf.holds(&held);
            edcaf.formed_mpdus.push_front(held);
        }
        edcaf.put_first(formed);
    }
}

/// Time that the octets of an MPDU take at the data rate of a mode.
pub(crate) fn airtime_of(mpdu: &Mpdu, tx: TxVector) -> Duration {
    const NS_PER_S: u64 = 1_000_000_000;
    let bits = 8 * u64::from(mpdu.bytes);
    Duration::from_nanos((bits * NS_PER_S).div_ceil(tx.bit_rate().as_bps()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_are_compared_modulo_4096() {
        assert_eq!((ahead(4090, 5), ahead(5, 4090)), (11, 4085));
        assert!(is_before(4090, 5) && !is_before(5, 4090) && !is_before(7, 7));
    }
}
