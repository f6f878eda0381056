//! The users that share a TXOP: those of the next PPDU of an access function, each with the MPDU that its PSDU begins with.

use airtcp_units::Instant;

use super::Buffers;
use super::at_entry::{Sent, UnderWay};
use super::intake::Intake;
use super::nic_buffers::{Buffer, NicBuffers, Waiting};
use super::psdus::PsduOf;
use super::txq::{Head, Held};
use crate::NicId;
use crate::border::{AccessCategory, HighMac, MpduKind, Protection, RateStage, TxqId};
use crate::low::cell::Cell;
use crate::low::contention::AccessFunction;
use crate::low::on_air::{UserId, Users};
use crate::phy::Width;

/// A NIC that looks for users of a PPDU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gathering {
    pub(crate) nic: NicId,
    pub(crate) ac: AccessCategory,
    /// The most users of the PPDU.
    pub(crate) most: usize,
}

impl Buffers {
    /// Whether a NIC takes MPDUs before it has won the medium.
    #[inline(always)]
    pub(crate) fn prefetches(&self, nic: NicId) -> bool {
        self.nics[nic].prefetch.ppdus > 0
    }

    /// Takes what a category may buffer ahead of access.
    pub(crate) fn prefetch(
        &mut self,
        now: Instant,
        nic: NicId,
        ac: AccessCategory,
        under_way: Option<&UnderWay>,
        high: &mut impl HighMac,
    ) {
        let Self { nics, txqs, aggregation } = self;
        let NicBuffers { functions, psdus, limit, prefetch: most } = &mut nics[nic];
        let Waiting { held, buffer, .. } = &mut functions[ac as usize];
        let mut intake = Intake { now, nic, ac, held, txqs, aggregation, limit, most };
        match buffer {
            Buffer::AtAccess(turns) => turns.fill(&mut intake, high),
            Buffer::AtEntry(aggregates) => {
                let sent = under_way.map(|under_way| Sent { under_way, psdus });
                aggregates.fill(&mut intake, sent.as_ref(), high);
            }
        }
    }

    /// The head of the first user of the next exchange of a function, whose queue has won the medium; `None` if there is nothing to send.
    /// Its MPDU is in its PSDU.
    #[inline(always)]
    pub(crate) fn share_txop(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        cell: &Cell,
        high: &mut impl HighMac,
    ) -> Option<Head> {
        let Self { nics, txqs, aggregation } = self;
        let NicBuffers { functions, psdus, limit, prefetch: most } = &mut nics[nic];
        let Waiting { direct, held, buffer } = &mut functions[function.index()];
        let head = if let Some(held) = direct.pop_front() {
            let (stage, width) = direct_stage(now, nic, &held, cell, high);
            Head { txq: None, held, stage, width, probe: false }
        } else {
            let ac = function.category()?;
            let mut intake = Intake { now, nic, ac, held, txqs, aggregation, limit, most };
            match buffer {
                Buffer::AtAccess(turns) => turns.head(&mut intake, high),
                Buffer::AtEntry(aggregates) => aggregates.head(&mut intake, high),
            }?
        };
        psdus[UserId::FIRST].push(head.held);
        Some(head)
    }

    /// Adds users whose queues have their turns next, if they can share a PPDU with the first. Their first MPDUs are in their PSDUs.
    pub(crate) fn gather(
        &mut self,
        now: Instant,
        gathering: Gathering,
        heads: &mut Users<Head>,
        high: &mut impl HighMac,
    ) {
        let Gathering { nic, ac, most } = gathering;
        let Self { nics, txqs, aggregation } = self;
        let NicBuffers { functions, psdus, limit, prefetch } = &mut nics[nic];
        let Waiting { held, buffer, .. } = &mut functions[ac as usize];
        let Buffer::AtAccess(turns) = buffer else { return };
        let format = heads.first().stage.tx.format;
        let width = heads.first().stage.tx.width();
        psdus.reserve(most);
        let mut intake = Intake { now, nic, ac, held, txqs, aggregation, limit, most: prefetch };
        // One that passes over more queues than it wants would hold up frames of many stations.
        while heads.count() < most && turns.passed_over() < most {
            let Some(head) = turns.head_beside(&mut intake, heads, high) else { break };
            let Some(txq) = head.txq else { break };
            // A station has one PSDU in a PPDU, of one TID.
            let is_another = heads.iter().all(|other| other.held.mpdu.receiver != head.held.mpdu.receiver);
            let is_alike = (head.stage.tx.format, head.stage.tx.width()) == (format, width);
            if is_alike
                && is_another
                && head.is_shareable()
                && intake.limits_of(&head.held.mpdu, txq).is_some()
            {
                heads.push(head);
                let user = heads.ids().last().unwrap_or(UserId::FIRST);
                psdus[user].push(head.held);
                continue;
            }
            intake.hold_first(txq, head.held);
            turns.pass_over(txq);
        }
        turns.end_gathering();
    }

    /// The exchange with this head is composed: its queue may have further turns.
    #[inline(always)]
    pub(crate) fn end_turns(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        head: &Head,
        high: &mut impl HighMac,
    ) {
        match &mut self.nics[nic].functions[function.index()].buffer {
            Buffer::AtEntry(aggregates) => aggregates.split(),
            Buffer::AtAccess(turns) => {
                let Some(txq) = head.txq else { return };
                let waiting = self.txqs[txq].held.len();
                turns.end_turns(txq, waiting);
                high.return_txq(now, txq, waiting > 0 && !turns.is_ready(txq));
            }
        }
    }

    /// The TXOP has no room for the head of its only user: it waits for the next.
    #[inline(never)]
    pub(crate) fn put_back(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        head: &Head,
        high: &mut impl HighMac,
    ) {
        let NicBuffers { functions, psdus, .. } = &mut self.nics[nic];
        psdus.clear();
        let Waiting { direct, held: count, buffer } = &mut functions[function.index()];
        match (head.txq, buffer) {
            (None, _) => direct.push_front(head.held),
            (Some(_), Buffer::AtEntry(aggregates)) => aggregates.put_back(count, head.held),
            (Some(txq), Buffer::AtAccess(_)) => {
                count.add(&head.held);
                self.txqs[txq].held.push_front(head.held);
                high.return_txq(now, txq, true);
            }
        }
    }

    /// The users after the first so many have no part of the PPDU: all that was to be sent to them goes first in the next.
    pub(crate) fn leave_out(
        &mut self,
        nic: NicId,
        function: AccessFunction,
        left: impl Iterator<Item = (UserId, TxqId)>,
    ) {
        for (user, txq) in left {
            self.shorten(PsduOf { nic, function, user, txq }, 0);
            if let Buffer::AtAccess(turns) = &mut self.nics[nic].functions[function.index()].buffer {
                turns.leave_out(txq);
            }
        }
    }
}

/// How a frame that goes before all queues is sent, and the width of the mode that rate control chose.
fn direct_stage(
    now: Instant,
    nic: NicId,
    held: &Held,
    cell: &Cell,
    high: &mut impl HighMac,
) -> (RateStage, Width) {
    let chain = high.rates(now, nic, &held.mpdu);
    let stages = chain.stages();
    if held.mpdu.kind == MpduKind::BlockAckReq {
        let tx = cell.control(stages[0].tx, Protection::None);
        let stage = RateStage { tx, tries: 1, protection: Protection::None };
        return (stage, stages[0].tx.width());
    }
    let stage = *chain.stage(held.tries).unwrap_or(&stages[stages.len() - 1]);
    (stage, stage.tx.width())
}
