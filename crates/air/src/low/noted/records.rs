//! Records of PPDUs and TXOPs that have ended.

use airtcp_units::Instant;

use super::Notes;
use crate::NicId;
use crate::border::AccessCategory;
use crate::low::on_air::Ppdu;
use crate::trace::{PpduRecord, TxopRecord};

impl Notes {
    /// Records a PPDU that has ended.
    #[inline]
    pub(crate) fn record(&mut self, ppdu: &Ppdu) {
        #[cfg(test)]
        if let Some(journal) = &mut self.journal {
            journal.push(ppdu.clone());
        }
        if self.records.is_some() {
            self.record_users(ppdu);
        }
    }

    #[inline(never)]
    fn record_users(&mut self, ppdu: &Ppdu) {
        let (start_ns, end_ns) = (self.since_epoch_ns(ppdu.start), self.since_epoch_ns(ppdu.end));
        let Some(records) = &mut self.records else { return };
        records.ppdus.extend(ppdu.users.enumerate().map(|(id, user)| PpduRecord {
            start_ns,
            end_ns,
            nic: ppdu.from,
            to: user.receiver.nic(),
            kind: ppdu.kind,
            tx: user.tx,
            bytes: user.psdu_bytes,
            attempt: user.attempt,
            outcome: ppdu.outcome(id),
            mpdus: ppdu.mpdus[id].len() as u32,
        }));
    }

    /// Records a TXOP that has ended.
    #[inline(always)]
    pub(crate) fn end_txop(&mut self, now: Instant, nic: NicId, ac: impl FnOnce() -> AccessCategory) {
        if self.records.is_some() {
            self.record_txop(now, nic, ac());
        }
    }

    #[inline(never)]
    fn record_txop(&mut self, now: Instant, nic: NicId, ac: AccessCategory) {
        let (end_ns, epoch_ns) = (self.since_epoch_ns(now), self.epoch.as_nanos().cast_signed());
        let Some(records) = &mut self.records else { return };
        if let Some((start, sent)) = records.held_txops.end(nic, self.counters[nic].sent_in_txop()) {
            let start_ns = start.as_nanos().cast_signed() - epoch_ns;
            records.txops.push(TxopRecord { start_ns, end_ns, nic, ac, sent });
        }
    }
}
