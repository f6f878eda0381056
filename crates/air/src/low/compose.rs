//! What an exchange carries: MPDUs are pulled when the medium has been won, not before.

use airtcp_units::{Duration, Instant};

use super::psdu::{AggregateLimits, PsduLength};
use super::radio::{Exchange, Step};
use super::txq::Held;
use super::{Low, Surroundings};
use crate::NicId;
use crate::border::{AccessCategory, MpduKind, Protection, RateChain, RateStage, Receiver, TxqId};
use crate::phy::{RTS_BYTES, TxVector};

/// Queues that are asked in turn before a category counts as empty: a queue may turn out to hold nothing, when `CoDel`
/// drops all of it.
const QUEUES_ASKED: u32 = 64;

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
        let head = self.head(now, nic, ac, high)?;
        let mut exchange = self.plain_exchange(nic, ac, span, &head);
        let first = span.0 == now;
        self.radios[nic.0 as usize].psdu.push(head.held);
        if self.total(nic, &exchange) > exchange.txop_end.saturating_since(span.0) && !first {
            self.put_back(now, nic, &head, ac, high);
            return None;
        }
        if let (Receiver::One(to), MpduKind::Aggregable, false) =
            (head.held.mpdu.receiver, head.held.mpdu.kind, head.probe)
        {
            if let Some(limits) = self.aggregation.between(nic, to) {
                self.aggregate(now, (nic, to), &mut exchange, limits, high);
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

    /// The queue whose turn it is, with at least one MPDU in the lower half's hands.
    fn next_with_frames(
        &mut self,
        now: Instant,
        nic: NicId,
        ac: AccessCategory,
        high: &mut impl Surroundings,
    ) -> Option<TxqId> {
        for _ in 0..QUEUES_ASKED {
            let txq = high.next_txq(now, nic, ac)?;
            if !self.txqs[txq.0 as usize].held.is_empty() {
                return Some(txq);
            }
            if let Some(mpdu) = high.dequeue(now, txq) {
                self.hold(nic, ac, txq, Held { mpdu, tries: 0 });
                return Some(txq);
            }
            high.return_txq(now, txq, false);
        }
        None
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
        span: (Instant, Instant),
        head: &Head,
    ) -> Exchange {
        let cell = &self.cells[self.radios[nic.0 as usize].cell];
        let mpdu = &head.held.mpdu;
        let tx = head.stage.tx;
        let psdu_bytes = PsduLength::one(tx.format, mpdu.bytes).bytes();
        let response = match mpdu.receiver {
            Receiver::Group => None,
            Receiver::One(_) if mpdu.kind == MpduKind::BlockAckReq => Some(cell.response(tx, Some(64))),
            Receiver::One(_) => Some(cell.response(tx, None)),
        };
        Exchange {
            ac,
            txq: head.txq,
            receiver: mpdu.receiver,
            stage: head.stage,
            probe: head.probe,
            step: Step::Ready,
            attempt: head.held.tries + 1,
            psdu_bytes,
            data: cell.times.ppdu_duration(tx, psdu_bytes),
            response,
            began: span.0,
            txop_end: span.1,
        }
    }

    /// Adds MPDUs while they fit: into the standard's and the plan's limits, the block acknowledgement window, the TXOP.
    fn aggregate(
        &mut self,
        now: Instant,
        link: (NicId, NicId),
        exchange: &mut Exchange,
        limits: AggregateLimits,
        high: &mut impl Surroundings,
    ) {
        let (nic, _) = link;
        let txq = exchange.txq.expect("aggregable frames come from queues");
        let tx = exchange.stage.tx;
        let (most, window) = self.most_octets(nic, exchange, limits);
        let first = self.radios[nic.0 as usize].psdu[0].mpdu;
        let mut length = PsduLength::one(tx.format, first.bytes);
        loop {
            let state = &mut self.txqs[txq.0 as usize];
            let was_held = state.held.pop_front();
            let next = match was_held {
                Some(held) => held,
                None => match high.dequeue(now, txq) {
                    Some(mpdu) => Held { mpdu, tries: 0 },
                    None => break,
                },
            };
            let ahead = next.mpdu.sequence.wrapping_sub(first.sequence) & 0xfff;
            let longer = length.with(next.mpdu.bytes);
            let radio = &mut self.radios[nic.0 as usize];
            if ahead >= window || longer.bytes() > most {
                state.held.push_front(next);
                radio.edcafs[exchange.ac as usize].held += u32::from(was_held.is_none());
                break;
            }
            radio.edcafs[exchange.ac as usize].held -= u32::from(was_held.is_some());
            radio.psdu.push(next);
            length = longer;
        }
        if self.radios[nic.0 as usize].psdu.len() > 1 {
            let cell = &self.cells[self.radios[nic.0 as usize].cell];
            exchange.psdu_bytes = length.bytes();
            exchange.data = cell.times.ppdu_duration(tx, length.bytes());
            exchange.response = Some(cell.response(tx, Some(limits.window)));
        }
    }

    /// The most octets of the PSDU, and the window.
    fn most_octets(&mut self, nic: NicId, exchange: &Exchange, limits: AggregateLimits) -> (u32, u16) {
        let radio = &mut self.radios[nic.0 as usize];
        let cell = &self.cells[radio.cell];
        let tx = exchange.stage.tx;
        let block_ack = cell.response(tx, Some(limits.window)).duration;
        let around = self.protection_duration(nic, exchange)
            + self.cells[self.radios[nic.0 as usize].cell].times.sifs
            + block_ack;
        let cell = &self.cells[self.radios[nic.0 as usize].cell];
        let left = exchange.txop_end.saturating_since(exchange.began).saturating_sub(around);
        let longest = tx.max_ppdu_duration().unwrap_or(limits.duration).min(limits.duration);
        let duration = longest.min(left.saturating_sub(cell.times.extension_of(tx)));
        let most = self.radios[nic.0 as usize].limit.bytes(tx, duration);
        (most.min(limits.bytes), limits.window)
    }

    /// What goes before the data, with the SIFS after each frame.
    pub(super) fn protection_duration(&self, nic: NicId, exchange: &Exchange) -> Duration {
        let cell = &self.cells[self.radios[nic.0 as usize].cell];
        let protection = exchange.stage.protection;
        if exchange.receiver == Receiver::Group && protection == Protection::RtsCts {
            return Duration::ZERO;
        }
        let control: TxVector = cell.control(exchange.stage.tx, protection);
        match protection {
            Protection::None => Duration::ZERO,
            Protection::CtsToSelf => cell.clear_to_send(control).duration + cell.times.sifs,
            Protection::RtsCts => {
                let cts = cell.clear_to_send(control).duration;
                cell.times.ppdu_duration(control, RTS_BYTES) + cts + cell.times.sifs * 2
            }
        }
    }

    /// Protection, data, response and the SIFS between them.
    pub(super) fn total(&self, nic: NicId, exchange: &Exchange) -> Duration {
        let cell = &self.cells[self.radios[nic.0 as usize].cell];
        let response = exchange.response.map_or(Duration::ZERO, |r| cell.times.sifs + r.duration);
        self.protection_duration(nic, exchange) + exchange.data + response
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
