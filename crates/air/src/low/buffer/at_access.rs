//! PPDUs are composed when the medium has been won. A card may take turns of queues, and MPDUs, ahead of that, as chips do: what will
//! be sent leaves the queues above then, and what each PPDU carries is still decided when it is sent, by the rate at that time.

use std::collections::VecDeque;

use typed_index_collections::TiVec;

use super::intake::{Intake, airtime_of};
use super::txq::{Head, Held, HeldCount, TxqState};
use crate::NicId;
use crate::border::{AccessCategory, HighMac, Mpdu, MpduKind, RateChain, TxqId};
use crate::low::on_air::Users;
use crate::low::psdu::PsduLength;

/// A prefetched turn of a queue, and how many MPDUs left mac80211 for it that still wait.
#[derive(Clone, Copy, Debug)]
struct Turn {
    txq: TxqId,
    mpdus: usize,
}

/// The queues whose turns come before those above.
#[derive(Debug, Default)]
pub(super) struct AtAccess {
    /// The queue whose exchange failed: it is repeated before another queue has its turn.
    repeated: Option<TxqId>,
    /// Queues that had their turns, and no place in the PPDU: they go first in the next.
    left_out: VecDeque<TxqId>,
    /// Those of the PPDU that is being composed.
    passed_over: Vec<TxqId>,
    /// Prefetched turns.
    ready: VecDeque<Turn>,
}

impl AtAccess {
    /// Prefetches what a category may buffer: a turn of a queue for each PPDU, and as many of its MPDUs as fit into one now.
    pub(super) fn fill(&mut self, intake: &mut Intake<'_>, high: &mut impl HighMac) {
        // Without room, only a queue whose MPDUs wait for repetition gets a turn, and it may have none above now: the search
        // ends where it began, or after as many queues as there are.
        let (mut first_without, mut left) = (None, intake.txqs.len());
        loop {
            let has_room = intake.has_room(intake.held.mpdus as usize);
            // Where all frames that it has room for wait for repetition, a turn is for these.
            if self.ready.len() >= intake.most.ppdus || !has_room && !self.ready.is_empty() {
                return;
            }
            let Some(txq) = intake.next_txq(high) else { return };
            let repeats = !intake.txqs[txq].held.is_empty();
            let mpdus = if has_room { take_one_ppdu(intake, txq, high) } else { 0 };
            // The prefetched turn is also for what waits for repetition.
            high.return_txq(intake.now, txq, false);
            if repeats || mpdus > 0 {
                self.ready.push_back(Turn { txq, mpdus });
            } else if !has_room {
                if first_without == Some(txq) || left == 0 {
                    return;
                }
                first_without.get_or_insert(txq);
                left -= 1;
            }
        }
    }

    /// What comes first: what failed before, then the queues' turn.
    #[inline(always)]
    pub(super) fn head(&mut self, intake: &mut Intake<'_>, high: &mut impl HighMac) -> Option<Head> {
        let txqs = &*intake.txqs;
        let repeated = self.repeated.take().or_else(|| {
            if self.left_out.is_empty() && self.ready.is_empty() {
                return None;
            }
            let left_out = std::iter::from_fn(|| self.left_out.pop_front());
            let ready = std::iter::from_fn(|| self.ready.pop_front());
            left_out.chain(ready.map(|turn| turn.txq)).find(|&txq| !txqs[txq].held.is_empty())
        });
        let (txq, held) = match repeated {
            Some(txq) => (txq, intake.take_held(txq).expect("a queue with frames was chosen")),
            None => next_of_queues(intake, high)?,
        };
        Some(head_of(intake, txq, held, high))
    }

    /// What comes first after the queues that share a PPDU already; `None` if there is nothing.
    pub(super) fn head_beside(
        &mut self,
        intake: &mut Intake<'_>,
        heads: &Users<Head>,
        high: &mut impl HighMac,
    ) -> Option<Head> {
        let among = |txq: TxqId| heads.iter().find(|head| head.txq == Some(txq));
        let txqs = &*intake.txqs;
        if let Some(txq) = self.next_waiting(|txq| among(txq).is_none() && !txqs[txq].held.is_empty()) {
            let held = intake.take_held(txq)?;
            return Some(head_of(intake, txq, held, high));
        }
        if intake.most.ppdus > 0 {
            // A card that has taken MPDUs ahead sends no others.
            return None;
        }
        let mut last = None;
        loop {
            let txq = intake.next_txq(high)?;
            let head = among(txq);
            if head.is_some() || self.passed_over.contains(&txq) {
                // Its turn ends with the exchange. First in, first out, it comes again, since its frames are before those of others.
                let is_before_others = last.replace(txq) == Some(txq);
                if is_before_others && !head.is_some_and(|head| take_ahead(intake, head, txq, high)) {
                    return None;
                }
            } else if let Some(held) = first_of(intake, txq, high) {
                return Some(head_of(intake, txq, held, high));
            }
        }
    }

    /// Takes out of those that come before the queues above the first that fits.
    fn next_waiting(&mut self, fits: impl Fn(TxqId) -> bool) -> Option<TxqId> {
        if let Some(place) = self.left_out.iter().position(|&txq| fits(txq)) {
            return self.left_out.remove(place);
        }
        let place = self.ready.iter().position(|turn| fits(turn.txq))?;
        self.ready.remove(place).map(|turn| turn.txq)
    }

    /// A queue can't share the PPDU that is being composed.
    pub(super) fn pass_over(&mut self, txq: TxqId) {
        self.passed_over.push(txq);
    }

    /// How many queues could not share the PPDU that is being composed.
    pub(super) const fn passed_over(&self) -> usize {
        self.passed_over.len()
    }

    /// The users of a PPDU are found: those that can't share it go first in the next.
    pub(super) fn end_gathering(&mut self) {
        self.left_out.extend(self.passed_over.drain(..));
    }

    /// A queue has no place in the PPDU after all.
    pub(super) fn leave_out(&mut self, txq: TxqId) {
        self.left_out.push_back(txq);
    }

    /// A PPDU may carry MPDUs of several turns of a queue, if there were few at the time of each: turns whose MPDUs have all left
    /// are over. `waiting`: the MPDUs of the queue that still wait.
    #[inline]
    pub(super) fn end_turns(&mut self, txq: TxqId, waiting: usize) {
        if !self.ready.is_empty() {
            self.end_turns_of(txq, waiting);
        }
    }

    #[inline(never)]
    fn end_turns_of(&mut self, txq: TxqId, waiting: usize) {
        let of_turns: usize = self.ready.iter().filter(|turn| turn.txq == txq).map(|turn| turn.mpdus).sum();
        let mut left = of_turns.saturating_sub(waiting);
        self.ready.retain_mut(|turn| {
            if turn.txq != txq {
                return true;
            }
            let of_this = turn.mpdus.min(left);
            left -= of_this;
            turn.mpdus -= of_this;
            waiting > 0 && (turn.mpdus > 0 || of_this == 0)
        });
    }

    /// Whether a queue has a prefetched turn.
    pub(super) fn is_ready(&self, txq: TxqId) -> bool {
        self.ready.iter().any(|turn| turn.txq == txq)
    }

    /// A queue whose MPDUs are kept goes on by itself, before the upper half is asked for the next one.
    pub(super) fn repeat(&mut self, txq: TxqId) {
        self.repeated = Some(txq);
    }

    /// A queue has no MPDUs here any more.
    pub(super) fn forget(&mut self, txq: TxqId) {
        self.repeated = self.repeated.filter(|&repeated| repeated != txq);
        self.ready.retain(|turn| turn.txq != txq);
        self.left_out.retain(|&left_out| left_out != txq);
    }
}

/// The queue whose turn it is, and its first MPDU. A queue may turn out to have none, when `CoDel` drops all of it; then it is the
/// next one's turn.
#[inline(always)]
fn next_of_queues(intake: &mut Intake<'_>, high: &mut impl HighMac) -> Option<(TxqId, Held)> {
    loop {
        let Some(txq) = intake.next_txq(high) else {
            return kept_back(intake.held, intake.txqs, (intake.nic, intake.ac));
        };
        if let Some(held) = first_of(intake, txq, high) {
            return Some((txq, held));
        }
    }
}

/// The first MPDU of a queue; `None`: it has none, and its turn is over.
#[inline(always)]
fn first_of(intake: &mut Intake<'_>, txq: TxqId, high: &mut impl HighMac) -> Option<Held> {
    if let Some(held) = intake.take_held(txq) {
        return Some(held);
    }
    if let Some(mpdu) = high.dequeue(intake.now, txq) {
        intake.txqs[txq].owner = Some((intake.nic, intake.ac));
        return Some(Held::new(mpdu));
    }
    high.return_txq(intake.now, txq, false);
    None
}

/// The first MPDU of a queue, with the stage of its rate chain.
#[inline(always)]
fn head_of(intake: &mut Intake<'_>, txq: TxqId, held: Held, high: &mut impl HighMac) -> Head {
    let queue = &mut intake.txqs[txq];
    if queue.chain().is_none() {
        queue.begin_chain(high.rates(intake.now, intake.nic, &held.mpdu));
    }
    let used = queue.used();
    let chain: &RateChain = queue.chain().expect("a chain has an attempt");
    let stage = *chain.stage(used).expect("a chain has an attempt");
    Head { txq: Some(txq), held, stage, width: stage.tx.width(), probe: chain.probe }
}

/// MPDUs of a queue that has its first MPDU in a PSDU already wait for it, as many as a PPDU may have. False if there is none.
fn take_ahead(intake: &mut Intake<'_>, head: &Head, txq: TxqId, high: &mut impl HighMac) -> bool {
    let limits = intake.limits_of(&head.held.mpdu, txq);
    let most = limits.map_or(0, |limits| usize::from(limits.window));
    let before = intake.txqs[txq].held.len();
    while intake.txqs[txq].held.len() < most {
        let Some(mpdu) = high.dequeue(intake.now, txq) else { break };
        intake.hold(txq, Held::new(mpdu));
    }
    intake.txqs[txq].held.len() > before
}

/// A queue with MPDUs buffered for retry that the upper MAC does not offer, for example because the airtime limit is reached by MPDUs
/// of other queues.
#[inline(never)]
fn kept_back(
    count: &mut HeldCount,
    txqs: &mut TiVec<TxqId, TxqState>,
    owner: (NicId, AccessCategory),
) -> Option<(TxqId, Held)> {
    if count.mpdus == 0 {
        return None;
    }
    let holds = |(_, queue): &(_, &mut TxqState)| queue.owner == Some(owner) && !queue.held.is_empty();
    let (txq, queue) = txqs.iter_mut_enumerated().find(holds)?;
    let held = queue.held.pop_front()?;
    count.remove(&held);
    Some((txq, held))
}

/// Takes as many MPDUs out of a queue as fit into one PPDU; how many.
fn take_one_ppdu(intake: &mut Intake<'_>, txq: TxqId, high: &mut impl HighMac) -> usize {
    let Some(first) = high.dequeue(intake.now, txq) else { return 0 };
    let limits = intake.limits_of(&first, txq);
    let counts_airtime = intake.counts_airtime();
    if limits.is_none() && !counts_airtime {
        intake.hold(txq, Held::new(first));
        return 1;
    }
    let queue = &mut intake.txqs[txq];
    if queue.chain().is_none() {
        queue.begin_chain(high.rates(intake.now, intake.nic, &first));
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
    intake.hold(txq, held(first));
    let Some(limits) = limits else { return 1 };
    if first.kind != MpduKind::Aggregable || chain.probe {
        return 1;
    }
    let most = intake.most_octets(tx, limits);
    let mut length = PsduLength::one(tx.format, first.bytes).spaced(limits.spacing_octets(tx));
    let mut mpdus = 1;
    while mpdus < usize::from(limits.window) && intake.has_room(intake.held.mpdus as usize) {
        // The next is taken only if one like the last fits.
        if length.with(first.bytes).bytes() > most {
            break;
        }
        let Some(mpdu) = high.dequeue(intake.now, txq) else { break };
        length = length.with(mpdu.bytes);
        intake.hold(txq, held(mpdu));
        mpdus += 1;
        if mpdu.kind != MpduKind::Aggregable {
            break;
        }
    }
    mpdus
}
