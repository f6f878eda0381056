//! What an exchange carries: MPDUs are pulled when the medium has been won, not before.

use airtcp_units::Instant;

use super::psdu::{AggregateLimits, PsduLength};
use super::radio::{Exchange, Step};
use super::txq::Held;
use super::{Low, Surroundings};
use crate::NicId;
use crate::border::{AccessCategory, Mpdu, MpduKind, Protection, RateChain, RateStage, Receiver, TxqId};

/// The head of an exchange, and how it is sent.
struct Head {
    txq: Option<TxqId>,
    held: Held,
    stage: RateStage,
    probe: bool,
}

impl Low {
    /// The next exchange of a category, that begins at `span.0` in a TXOP that ends at `span.1`. The first exchange of a
    /// TXOP (it begins now) may be longer than the TXOP, if it carries one MPDU (IEEE 802.11-2020, 10.23.2.9).
    pub(super) fn compose(
        &mut self,
        now: Instant,
        nic: NicId,
        ac: AccessCategory,
        span: (Instant, Instant),
        high: &mut impl Surroundings,
    ) -> Option<Exchange> {
        let mut head = self.head(now, nic, ac, high)?;
        if span.0 != now {
            // The medium is the sender's already.
            head.stage.protection = Protection::None;
        }
        let mut exchange = self.plain_exchange(nic, ac, (span.0 == now, span.0, span.1), &head);
        self.protect(nic, &mut exchange);
        self.radios[nic].psdu.push(head.held);
        if self.total(nic, &exchange) > exchange.txop_end.saturating_since(span.0) && !exchange.first {
            self.put_back(now, nic, &head, ac, high);
            return None;
        }
        if (head.held.mpdu.kind, head.probe) == (MpduKind::Aggregable, false) {
            if let Some(limits) = self.limits_of(nic, &head.held.mpdu, head.txq) {
                let most = self.most_octets(nic, &exchange, head.stage.protection, limits);
                self.aggregate(now, (nic, most), &mut exchange, limits, high);
                self.protect(nic, &mut exchange);
            }
        }
        if let Some(txq) = head.txq {
            self.end_turns(nic, ac, txq);
            let more = self.wants_turn(nic, ac, txq);
            high.return_txq(now, txq, more);
        }
        Some(exchange)
    }

    /// What comes first: a frame that goes before all queues, what failed before, then the queues' turn.
    fn head(
        &mut self,
        now: Instant,
        nic: NicId,
        ac: AccessCategory,
        high: &mut impl Surroundings,
    ) -> Option<Head> {
        let edcaf = &mut self.radios[nic].edcafs[ac as usize];
        if let Some(held) = edcaf.direct.pop_front() {
            let stage = self.direct_stage(now, nic, &held, high);
            return Some(Head { txq: None, held, stage, probe: false });
        }
        let txqs = &self.txqs;
        let repeated = edcaf.repeated.take().or_else(|| {
            let ready = std::iter::from_fn(|| edcaf.ready.pop_front());
            ready.map(|turn| turn.txq).find(|&txq| !txqs[txq].held.is_empty())
        });
        let txq = match repeated {
            Some(txq) => txq,
            None => self.next_with_frames(now, nic, ac, high)?,
        };
        let edcaf = &mut self.radios[nic].edcafs[ac as usize];
        let queue = &mut self.txqs[txq];
        let held = queue.held.pop_front().expect("a queue with frames was chosen");
        edcaf.held -= 1;
        if queue.chain().is_none() {
            queue.begin_chain(high.rates(now, nic, &held.mpdu));
        }
        let used = queue.used();
        let chain: &RateChain = queue.chain().expect("a chain has an attempt");
        let stage = *chain.stage(used).expect("a chain has an attempt");
        Some(Head { txq: Some(txq), held, stage, probe: chain.probe })
    }

    fn direct_stage(
        &mut self,
        now: Instant,
        nic: NicId,
        held: &Held,
        high: &mut impl Surroundings,
    ) -> RateStage {
        let radio = &self.radios[nic];
        let cell = &self.cells[radio.cell];
        match held.mpdu.kind {
            MpduKind::Beacon if radio.tuning.is_none() => {
                RateStage { tx: cell.group_tx, tries: 1, protection: Protection::None }
            }
            MpduKind::BlockAckReq => {
                let data = high.rates(now, nic, &held.mpdu).stages()[0].tx;
                let tx = cell.control(data, Protection::None);
                RateStage { tx, tries: 1, protection: Protection::None }
            }
            _ => {
                let chain = high.rates(now, nic, &held.mpdu);
                let stages = chain.stages();
                *chain.stage(held.tries).unwrap_or(&stages[stages.len() - 1])
            }
        }
    }

    /// The queue whose turn it is, with at least one MPDU in the lower half's hands. A queue may turn out to hold nothing, when
    /// `CoDel` drops all of it; then it is the next one's turn.
    fn next_with_frames(
        &mut self,
        now: Instant,
        nic: NicId,
        ac: AccessCategory,
        high: &mut impl Surroundings,
    ) -> Option<TxqId> {
        loop {
            let txq = high.next_txq(now, nic, ac)?;
            self.know(txq);
            if !self.txqs[txq].held.is_empty() {
                return Some(txq);
            }
            if let Some(mpdu) = high.dequeue(now, txq) {
                self.hold(nic, ac, txq, Held::new(mpdu));
                return Some(txq);
            }
            high.return_txq(now, txq, false);
        }
    }

    pub(super) fn hold(&mut self, nic: NicId, ac: AccessCategory, txq: TxqId, held: Held) {
        self.radios[nic].edcafs[ac as usize].held += 1;
        self.txqs[txq].owner = Some((nic, ac));
        self.txqs[txq].held.push_back(held);
    }

    /// The exchange of the head alone.
    fn plain_exchange(
        &self,
        nic: NicId,
        ac: AccessCategory,
        (first, began, txop_end): (bool, Instant, Instant),
        head: &Head,
    ) -> Exchange {
        let cell = &self.cells[self.radios[nic].cell];
        let mpdu = &head.held.mpdu;
        let tx = cell.fitting(head.stage.tx, mpdu.bytes);
        let psdu_bytes = PsduLength::one(tx.format, mpdu.bytes).bytes();
        let response = match mpdu.kind {
            _ if mpdu.receiver == Receiver::Group => None,
            MpduKind::NoAck | MpduKind::NoAckManagement => None,
            MpduKind::BlockAckReq => Some(cell.response(tx, Some(self.window_of(nic, mpdu)))),
            _ => Some(cell.response(tx, None)),
        };
        Exchange {
            ac,
            txq: head.txq,
            receiver: mpdu.receiver,
            stage: RateStage { tx, ..head.stage },
            probe: head.probe,
            first,
            step: Step::Ready,
            attempt: head.held.tries + 1,
            psdu_bytes,
            data: cell.times.ppdu_duration(tx, psdu_bytes),
            response,
            collided: false,
            began,
            txop_end,
            purged: false,
        }
    }

    /// Adds MPDUs while they fit: into `place.1` octets and the block acknowledgement window.
    fn aggregate(
        &mut self,
        now: Instant,
        place: (NicId, u32),
        exchange: &mut Exchange,
        limits: AggregateLimits,
        high: &mut impl Surroundings,
    ) {
        let (nic, most) = place;
        let txq = exchange.txq.expect("aggregable frames come from queues");
        let tx = exchange.stage.tx;
        let first = self.radios[nic].psdu[0].mpdu;
        let mut length = PsduLength::one(tx.format, first.bytes);
        let joins = |length: PsduLength, next: &Mpdu| {
            let ahead = next.sequence.wrapping_sub(first.sequence) & 0xfff;
            let joins = next.kind == MpduKind::Aggregable && ahead < limits.window;
            Some(length.with(next.bytes)).filter(|longer| joins && longer.bytes() <= most)
        };
        let state = &mut self.txqs[txq];
        let radio = &mut self.radios[nic];
        let kept = &mut radio.edcafs[exchange.ac as usize].held;
        while let Some(held) = state.held.front() {
            let Some(longer) = joins(length, &held.mpdu) else { break };
            length = longer;
            radio.psdu.extend(state.held.pop_front());
            *kept -= 1;
        }
        let pulls = radio.tuning.as_ref().is_none_or(|tuning| tuning.prefetch == 0);
        while pulls && state.held.is_empty() {
            let Some(mpdu) = high.dequeue(now, txq) else { break };
            if let Some(longer) = joins(length, &mpdu) {
                length = longer;
                radio.psdu.push(Held::new(mpdu));
            } else {
                state.held.push_front(Held::new(mpdu));
                *kept += 1;
            }
        }
        if self.radios[nic].psdu.len() > 1 {
            let cell = &self.cells[self.radios[nic].cell];
            exchange.psdu_bytes = length.bytes();
            exchange.data = cell.times.ppdu_duration(tx, length.bytes());
            exchange.response = Some(cell.response(tx, Some(limits.window)));
        }
    }

    /// Whether more is held of a queue than what turns that are held ready are for.
    pub(super) fn wants_turn(&self, nic: NicId, ac: AccessCategory, txq: TxqId) -> bool {
        let ready = &self.radios[nic].edcafs[ac as usize].ready;
        !self.txqs[txq].held.is_empty() && !ready.iter().any(|turn| turn.txq == txq)
    }

    /// The limits of an aggregate that begins with this MPDU of a queue; `None`: there is no agreement. Those of mac80211 have a
    /// window of their own for each queue, and a receiver may be gone.
    pub(super) fn limits_of(&self, nic: NicId, mpdu: &Mpdu, txq: Option<TxqId>) -> Option<AggregateLimits> {
        let between = |to| self.aggregation.between(nic, to);
        let limits = match mpdu.receiver {
            Receiver::One(to) => between(to),
            Receiver::Group => None,
            Receiver::Absent => between(nic),
        };
        if self.radios[nic].tuning.is_none() {
            return limits;
        }
        let window = self.txqs[txq?].window?;
        limits.map(|limits| AggregateLimits { window, ..limits })
    }

    /// The window that the `BlockAck` speaks of which answers a `BlockAckReq`.
    fn window_of(&self, nic: NicId, mpdu: &Mpdu) -> u16 {
        /// Of the agreements that every HT station can have (IEEE 802.11-2020, 9.3.1.8.2).
        const SMALLEST_BITMAP: u16 = 64;
        let of_peer = match mpdu.receiver {
            Receiver::One(to) => self.aggregation.between(nic, to),
            _ => None,
        };
        of_peer.map_or(SMALLEST_BITMAP, |limits| limits.window)
    }

    /// The TXOP has no room for the head: it waits for the next.
    fn put_back(
        &mut self,
        now: Instant,
        nic: NicId,
        head: &Head,
        ac: AccessCategory,
        high: &mut impl Surroundings,
    ) {
        let radio = &mut self.radios[nic];
        radio.psdu.clear();
        let edcaf = &mut radio.edcafs[ac as usize];
        match head.txq {
            None => edcaf.direct.push_front(head.held),
            Some(txq) => {
                edcaf.held += 1;
                self.txqs[txq].held.push_front(head.held);
                high.return_txq(now, txq, true);
            }
        }
    }
}
