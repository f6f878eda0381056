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
        self.radios[nic.0 as usize].psdu.push(head.held);
        if self.total(nic, &exchange) > exchange.txop_end.saturating_since(span.0) && !exchange.first {
            self.put_back(now, nic, &head, ac, high);
            return None;
        }
        if let (Receiver::One(to), MpduKind::Aggregable, false) =
            (head.held.mpdu.receiver, head.held.mpdu.kind, head.probe)
        {
            if let Some(limits) = self.aggregation.between(nic, to) {
                let most = self.most_octets(nic, &exchange, head.stage.protection, limits);
                self.aggregate(now, (nic, most), &mut exchange, limits, high);
                self.protect(nic, &mut exchange);
            }
        }
        if let Some(txq) = head.txq {
            let more = !self.txqs[txq.0 as usize].held.is_empty();
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
        let edcaf = &mut self.radios[nic.0 as usize].edcafs[ac as usize];
        if let Some(held) = edcaf.direct.pop_front() {
            let stage = self.direct_stage(now, nic, &held, high);
            return Some(Head { txq: None, held, stage, probe: false });
        }
        let repeated = edcaf.repeated.take();
        let txq = match repeated {
            Some(txq) => txq,
            None => self.next_with_frames(now, nic, ac, high)?,
        };
        let edcaf = &mut self.radios[nic.0 as usize].edcafs[ac as usize];
        let queue = &mut self.txqs[txq.0 as usize];
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
        let cell = &self.cells[self.radios[nic.0 as usize].cell];
        match held.mpdu.kind {
            MpduKind::Beacon => RateStage { tx: cell.group_tx, tries: 1, protection: Protection::None },
            MpduKind::BlockAckReq => {
                let data = high.rates(now, nic, &held.mpdu).stages()[0].tx;
                let tx = cell.control(data, Protection::None);
                RateStage { tx, tries: 1, protection: Protection::None }
            }
            _ => high.rates(now, nic, &held.mpdu).stages()[0],
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
            if !self.txqs[txq.0 as usize].held.is_empty() {
                return Some(txq);
            }
            if let Some(mpdu) = high.dequeue(now, txq) {
                self.hold(nic, ac, txq, Held::new(mpdu));
                return Some(txq);
            }
            high.return_txq(now, txq, false);
        }
    }

    fn hold(&mut self, nic: NicId, ac: AccessCategory, txq: TxqId, held: Held) {
        self.radios[nic.0 as usize].edcafs[ac as usize].held += 1;
        self.txqs[txq.0 as usize].held.push_back(held);
    }

    /// The exchange of the head alone.
    fn plain_exchange(
        &self,
        nic: NicId,
        ac: AccessCategory,
        (first, began, txop_end): (bool, Instant, Instant),
        head: &Head,
    ) -> Exchange {
        let cell = &self.cells[self.radios[nic.0 as usize].cell];
        let mpdu = &head.held.mpdu;
        let tx = cell.fitting(head.stage.tx, mpdu.bytes);
        let psdu_bytes = PsduLength::one(tx.format, mpdu.bytes).bytes();
        let response = match mpdu.receiver {
            Receiver::Group => None,
            Receiver::One(to) if mpdu.kind == MpduKind::BlockAckReq => {
                let limits = self.aggregation.between(nic, to).expect("it is about an agreement");
                Some(cell.response(tx, Some(limits.window)))
            }
            Receiver::One(_) => Some(cell.response(tx, None)),
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
        let first = self.radios[nic.0 as usize].psdu[0].mpdu;
        let mut length = PsduLength::one(tx.format, first.bytes);
        let joins = |length: PsduLength, next: &Mpdu| {
            let ahead = next.sequence.wrapping_sub(first.sequence) & 0xfff;
            Some(length.with(next.bytes)).filter(|longer| ahead < limits.window && longer.bytes() <= most)
        };
        let state = &mut self.txqs[txq.0 as usize];
        let radio = &mut self.radios[nic.0 as usize];
        let kept = &mut radio.edcafs[exchange.ac as usize].held;
        while let Some(held) = state.held.front() {
            let Some(longer) = joins(length, &held.mpdu) else { break };
            length = longer;
            radio.psdu.extend(state.held.pop_front());
            *kept -= 1;
        }
        while state.held.is_empty() {
            let Some(mpdu) = high.dequeue(now, txq) else { break };
            if let Some(longer) = joins(length, &mpdu) {
                length = longer;
                radio.psdu.push(Held::new(mpdu));
            } else {
                state.held.push_front(Held::new(mpdu));
                *kept += 1;
            }
        }
        if self.radios[nic.0 as usize].psdu.len() > 1 {
            let cell = &self.cells[self.radios[nic.0 as usize].cell];
            exchange.psdu_bytes = length.bytes();
            exchange.data = cell.times.ppdu_duration(tx, length.bytes());
            exchange.response = Some(cell.response(tx, Some(limits.window)));
        }
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
        let radio = &mut self.radios[nic.0 as usize];
        radio.psdu.clear();
        let edcaf = &mut radio.edcafs[ac as usize];
        match head.txq {
            None => edcaf.direct.push_front(head.held),
            Some(txq) => {
                edcaf.held += 1;
                self.txqs[txq.0 as usize].held.push_front(head.held);
                high.return_txq(now, txq, true);
            }
        }
    }
}
