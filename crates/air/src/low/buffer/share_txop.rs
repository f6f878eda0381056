//! The users that share a TXOP: those of the next PPDU of an access category, each with the MPDU that its PSDU begins with.

use airtcp_units::Instant;

use super::txq::{Head, Held, TxqState};
use crate::NicId;
use crate::border::{AccessCategory, MpduKind, Protection, RateChain, RateStage, TxqId};
use crate::low::contention::AccessFunction;
use crate::low::on_air::Users;
use crate::low::{Low, LowerMacContext};
use crate::phy::Width;

impl Low {
    /// The users of the next exchange of a function; `None` if there is nothing to send. This is the user whose queue has won the
    /// medium, alone: a scheduler of multi-user PPDUs adds others here.
    pub(crate) fn share_txop(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        high: &mut impl LowerMacContext,
    ) -> Option<Users<Head>> {
        self.head(now, nic, function, high).map(Users::one)
    }

    /// What comes first: a frame that goes before all queues, what failed before, then the queues' turn.
    fn head(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        high: &mut impl LowerMacContext,
    ) -> Option<Head> {
        let edcaf = &mut self.radios[nic].edcafs[function];
        if let Some(held) = edcaf.direct.pop_front() {
            let (stage, width) = self.direct_stage(now, nic, &held, high);
            return Some(Head { txq: None, held, stage, width, probe: false });
        }
        if self.forms(nic) {
            // MPDUs may have come back since there was room.
            self.form_ahead(now, nic, function.category()?, high);
            return self.formed_head(now, nic, function, high);
        }
        let txqs = &self.txqs;
        let edcaf = &mut self.radios[nic].edcafs[function];
        let repeated = edcaf.repeated.take().or_else(|| {
            let ready = std::iter::from_fn(|| edcaf.ready.pop_front());
            ready.map(|turn| turn.txq).find(|&txq| !txqs[txq].held.is_empty())
        });
        let (txq, held) = match repeated {
            Some(txq) => (txq, self.take_held(nic, function, txq).expect("a queue with frames was chosen")),
            None => self.next_of_queues(now, nic, function.category()?, high)?,
        };
        let queue = &mut self.txqs[txq];
        if queue.chain().is_none() {
            queue.begin_chain(high.rates(now, nic, &held.mpdu));
        }
        let used = queue.used();
        let chain: &RateChain = queue.chain().expect("a chain has an attempt");
        let stage = *chain.stage(used).expect("a chain has an attempt");
        Some(Head { txq: Some(txq), held, stage, width: stage.tx.width, probe: chain.probe })
    }

    fn direct_stage(
        &mut self,
        now: Instant,
        nic: NicId,
        held: &Held,
        high: &mut impl LowerMacContext,
    ) -> (RateStage, Width) {
        let chain = high.rates(now, nic, &held.mpdu);
        let stages = chain.stages();
        if held.mpdu.kind == MpduKind::BlockAckReq {
            let cell = &self.cells[self.radios[nic].cell];
            let tx = cell.control(stages[0].tx, Protection::None);
            let stage = RateStage { tx, tries: 1, protection: Protection::None };
            return (stage, stages[0].tx.width);
        }
        let stage = *chain.stage(held.tries).unwrap_or(&stages[stages.len() - 1]);
        (stage, stage.tx.width)
    }

    /// Takes the first MPDU of a queue that the lower half buffers.
    fn take_held(&mut self, nic: NicId, function: AccessFunction, txq: TxqId) -> Option<Held> {
        let held = self.txqs[txq].held.pop_front()?;
        self.radios[nic].edcafs[function].releases(&held);
        Some(held)
    }

    /// A queue with MPDUs buffered for retry that the upper MAC does not offer, for example because the airtime limit is reached
    /// by MPDUs of other queues.
    #[inline(never)]
    fn kept_back(&mut self, nic: NicId, ac: AccessCategory) -> Option<(TxqId, Held)> {
        if self.radios[nic].edcafs[ac].held == 0 {
            return None;
        }
        let holds = |(_, queue): &(_, &TxqState)| queue.owner == Some((nic, ac)) && !queue.held.is_empty();
        let (txq, _) = self.txqs.iter_enumerated().find(holds)?;
        self.take_held(nic, ac.into(), txq).map(|held| (txq, held))
    }

    /// The queue whose turn it is, and its first MPDU. A queue may turn out to have none, when `CoDel` drops all of it; then it is the
    /// next one's turn.
    fn next_of_queues(
        &mut self,
        now: Instant,
        nic: NicId,
        ac: AccessCategory,
        high: &mut impl LowerMacContext,
    ) -> Option<(TxqId, Held)> {
        loop {
            let Some(txq) = high.next_txq(now, nic, ac) else { return self.kept_back(nic, ac) };
            self.know(txq);
            if let Some(held) = self.take_held(nic, ac.into(), txq) {
                return Some((txq, held));
            }
            if let Some(mpdu) = high.dequeue(now, txq) {
                self.txqs[txq].owner = Some((nic, ac));
                return Some((txq, Held::new(mpdu)));
            }
            high.return_txq(now, txq, false);
        }
    }
}
