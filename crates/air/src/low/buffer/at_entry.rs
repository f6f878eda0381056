//! Aggregates that are formed when their MPDUs enter the card, not when the medium is won (Linux, `ath_tx_form_aggr` of ath9k).
//!
//! ```text
//!   queues above ---\
//!                    form ---> formed ---> exchange ---> done
//!   held of queue --/            ^            |  |
//!       ^                       '-- again ---'  |  no response, and an attempt of its chain is left: as it is
//!       '---------------- lost -----------------'  to be formed anew, behind what is formed already
//! ```

use std::collections::VecDeque;

use airtcp_units::Duration;

use super::intake::{Intake, airtime_of};
use super::txq::{Head, Held, HeldCount, TxqState};
use crate::border::{HighMac, Mpdu, MpduKind, RateChain, TxqId};
use crate::low::contention::AccessFunction;
use crate::low::on_air::{PerUser, Users};
use crate::low::psdu::PsduLength;
use crate::phy::TxVector;

/// An aggregate, or an MPDU alone, that waits for the medium. Its MPDUs are in [`AtEntry::mpdus`].
#[derive(Clone, Copy, Debug)]
struct Formed {
    txq: TxqId,
    mpdus: usize,
    /// Chosen when it was formed; `None`: used up by an MPDU alone, which gets another.
    chain: Option<RateChain>,
    /// Attempts that have failed.
    used: u32,
}

/// The aggregates of a category that are formed.
#[derive(Debug, Default)]
pub(super) struct AtEntry {
    formed: VecDeque<Formed>,
    /// The MPDUs of all of them.
    mpdus: VecDeque<Held>,
    /// What has not been taken of the aggregate whose exchange is being composed.
    sending: Option<Formed>,
}

/// The exchange that a NIC is in: the PPDU on the air is one of the card's.
#[derive(Clone, Debug)]
pub(crate) struct UnderWay {
    pub(crate) function: AccessFunction,
    /// The queue of each user.
    pub(crate) txqs: Users<Option<TxqId>>,
}

/// The MPDUs of an exchange under way, by the queue of each user.
pub(super) struct Sent<'a> {
    pub(super) under_way: &'a UnderWay,
    pub(super) psdus: &'a PerUser<Held>,
}

impl Sent<'_> {
    /// The MPDUs of a queue.
    fn of(&self, txq: TxqId) -> impl Iterator<Item = &Held> {
        let users = self.under_way.txqs.enumerate().filter(move |(_, of)| **of == Some(txq));
        users.flat_map(|(user, _)| &self.psdus[user])
    }
}

/// Sequence numbers are compared modulo 4096 (IEEE 802.11-2020, 10.25.6.2).
const fn ahead(from: u16, to: u16) -> u16 {
    to.wrapping_sub(from) & 0xfff
}

const fn is_before(one: u16, other: u16) -> bool {
    one != other && ahead(one, other) < 2048
}

impl AtEntry {
    /// Forms aggregates while the card of a NIC has room for them.
    pub(super) fn fill(&mut self, intake: &mut Intake<'_>, sent: Option<&Sent<'_>>, high: &mut impl HighMac) {
        let sends = sent.is_some_and(|sent| sent.under_way.function == intake.ac.into());
        while self.formed.len() + usize::from(sends) <= intake.most.ppdus && intake.has_room(self.mpdus.len())
        {
            let Some(txq) = intake.next_txq(high) else { return };
            let waits = self.form(intake, txq, sent, high);
            let more = !waits && !intake.txqs[txq].held.is_empty();
            high.return_txq(intake.now, txq, more);
            // Its window moves when an exchange ends, which is also the next opportunity for others.
            if waits {
                return;
            }
        }
    }

    /// Forms what comes next of a queue, if there is anything; true if that must wait for the window of its agreement.
    fn form(
        &mut self,
        intake: &mut Intake<'_>,
        txq: TxqId,
        sent: Option<&Sent<'_>>,
        high: &mut impl HighMac,
    ) -> bool {
        let Some(first) = candidate(intake, txq, high) else { return false };
        let limits = intake.limits_of(&first, txq).filter(|_| first.kind == MpduKind::Aggregable);
        let oldest = self.oldest(txq, first.sequence, sent);
        let within = |mpdu: &Mpdu, window: u16| ahead(oldest, mpdu.sequence) < window;
        if limits.is_some_and(|limits| !within(&first, limits.window)) {
            return true;
        }
        let chain = high.rates(intake.now, intake.nic, &first);
        let tx = chain.stages()[0].tx;
        self.enter(intake, txq, tx);
        let mut mpdus = 1;
        if let Some(limits) = limits.filter(|_| !chain.probe) {
            // It may be sent in every mode of its chain (Linux, `ath_lookup_rate`).
            let modes = chain.stages().iter();
            let octets =
                modes.fold(limits.bytes, |least, stage| least.min(intake.most_octets(stage.tx, limits)));
            // A second aggregate fits into the other half of the window (ath9k: `h_baw`).
            let most = usize::from(limits.window / 2).max(1);
            let mut length = PsduLength::one(tx.format, first.bytes).spaced(limits.spacing_octets(tx));
            while mpdus < most && intake.has_room(self.mpdus.len()) {
                let Some(next) = candidate(intake, txq, high) else { break };
                length = length.with(next.bytes);
                let joins = next.kind == MpduKind::Aggregable && within(&next, limits.window);
                if !joins || length.bytes() > octets {
                    break;
                }
                self.enter(intake, txq, tx);
                mpdus += 1;
            }
        }
        self.formed.push_back(Formed { txq, mpdus, chain: Some(chain), used: 0 });
        false
    }

    /// The next MPDU of a queue becomes part of the aggregate that is being formed, for this mode.
    fn enter(&mut self, intake: &mut Intake<'_>, txq: TxqId, tx: TxVector) {
        let mut held = intake.txqs[txq].held.pop_front().expect("it was looked at");
        if intake.counts_airtime() {
            intake.held.remove(&held);
            held.airtime = airtime_of(&held.mpdu, tx);
            intake.held.add(&held);
        }
        self.mpdus.push_back(held);
    }

    /// The oldest sequence number under the agreement of a queue that has not ended, if it is before this one.
    fn oldest(&self, txq: TxqId, sequence: u16, sent: Option<&Sent<'_>>) -> u16 {
        let mut at = 0;
        let formed = self.formed.iter().filter_map(|formed| {
            let first = &self.mpdus[at];
            at += formed.mpdus;
            (formed.txq == txq).then_some(first)
        });
        let sent = sent.iter().flat_map(|sent| sent.of(txq));
        let pending = formed.chain(sent).filter(|held| held.mpdu.kind == MpduKind::Aggregable);
        pending.fold(sequence, |oldest, held| {
            if is_before(held.mpdu.sequence, oldest) { held.mpdu.sequence } else { oldest }
        })
    }

    /// The first MPDU of the aggregate that is sent next. The others are taken by [`Self::take`].
    pub(super) fn head(&mut self, intake: &mut Intake<'_>, high: &mut impl HighMac) -> Option<Head> {
        // MPDUs may have come back since there was room.
        self.fill(intake, None, high);
        let formed = self.formed.pop_front()?;
        let held = self.mpdus.pop_front().expect("an aggregate has an MPDU");
        intake.held.remove(&held);
        let chain = formed.chain.unwrap_or_else(|| high.rates(intake.now, intake.nic, &held.mpdu));
        let used = if formed.chain.is_some() { formed.used } else { 0 };
        let (txq, mpdus) = (formed.txq, formed.mpdus - 1);
        self.sending = Some(Formed { txq, mpdus, chain: Some(chain), used });
        intake.txqs[txq].resume_chain(chain, used);
        let stage = *chain.stage(used).expect("an attempt of its chain is left");
        Some(Head { txq: Some(txq), held, stage, width: stage.tx.width(), probe: chain.probe })
    }

    /// Takes further MPDUs of the aggregate that is being sent, while they join.
    pub(super) fn take(
        &mut self,
        count: &mut HeldCount,
        psdu: &mut Vec<Held>,
        mut joins: impl FnMut(&Mpdu) -> bool,
    ) {
        while let Some(rest) = self.sending.as_mut().filter(|rest| rest.mpdus > 0) {
            if !joins(&self.mpdus[0].mpdu) {
                break;
            }
            rest.mpdus -= 1;
            let held = self.mpdus.pop_front().expect("it was looked at");
            count.remove(&held);
            psdu.push(held);
        }
    }

    /// What does not fit into what is left of a TXOP, or into a narrower channel, is sent next.
    pub(super) fn split(&mut self) {
        if let Some(rest) = self.sending.take() {
            self.put_first(rest);
        }
    }

    /// The first MPDU of an aggregate is not sent after all: the aggregate waits for the next TXOP.
    pub(super) fn put_back(&mut self, count: &mut HeldCount, first: Held) {
        let rest = self.sending.take().expect("its aggregate is being sent");
        count.add(&first);
        self.mpdus.push_front(first);
        self.put_first(Formed { mpdus: rest.mpdus + 1, ..rest });
    }

    /// An aggregate is repeated as it is, if an attempt of its chain is left; its MPDUs leave the list then. An MPDU without block
    /// acknowledgement is repeated in any case: no receiver would restore its order.
    pub(super) fn repeat(
        &mut self,
        txq: TxqId,
        queue: &TxqState,
        count: &mut HeldCount,
        psdu: &mut Vec<Held>,
    ) {
        let chain = queue.chain().copied();
        let Some(first) = psdu.first() else { return };
        if chain.is_none() && first.mpdu.kind == MpduKind::Aggregable {
            return;
        }
        let formed = Formed { txq, mpdus: psdu.len(), chain, used: queue.used() };
        for held in psdu.drain(..).rev() {
            count.add(&held);
            self.mpdus.push_front(held);
        }
        self.put_first(formed);
    }

    /// Puts a whole aggregate before all others, with the number of its MPDUs that have been put there.
    fn put_first(&mut self, formed: Formed) {
        if formed.mpdus > 0 {
            self.formed.push_front(formed);
        }
    }

    /// The MPDUs of all aggregates.
    pub(super) fn mpdus(&self) -> impl Iterator<Item = &Held> {
        self.mpdus.iter()
    }

    /// Takes all formed MPDUs of a queue back.
    pub(super) fn forget(&mut self, txq: TxqId) -> Vec<Held> {
        let mut taken = Vec::new();
        let mut others = VecDeque::new();
        for formed in std::mem::take(&mut self.formed) {
            let mpdus = self.mpdus.drain(..formed.mpdus);
            if formed.txq == txq {
                taken.extend(mpdus);
            } else {
                others.extend(mpdus);
                self.formed.push_back(formed);
            }
        }
        self.mpdus = others;
        taken
    }
}

/// What comes next of a queue: what was lost, in its order, then what waits above.
fn candidate(intake: &mut Intake<'_>, txq: TxqId, high: &mut impl HighMac) -> Option<Mpdu> {
    if intake.txqs[txq].held.is_empty() {
        let mpdu = high.dequeue(intake.now, txq)?;
        intake.hold(txq, Held::new(mpdu));
    }
    intake.txqs[txq].held.front().map(|held| held.mpdu)
}

/// A lost MPDU waits in its queue to be formed anew, in the order of sequence numbers.
pub(super) fn keep_in_order(queue: &mut VecDeque<Held>, mut held: Held, count: &mut HeldCount) {
    held.airtime = Duration::ZERO;
    count.add(&held);
    let behind = |other: &Held| is_before(held.mpdu.sequence, other.mpdu.sequence);
    let place = queue.iter().position(behind).unwrap_or(queue.len());
    queue.insert(place, held);
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
