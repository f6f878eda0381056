//! Bursts, answers, pages and segments as records.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use airtcp_workload::Transfer;

use super::flow::FlowState;
use super::merge::{Ordered, merge};
use super::records::RecordFile;
use super::spool::{Entries, Entry};
use crate::failure::Outcome;

airtcp_plan::record! {
    /// The table of `records/transfers.rec`: `time_ns` is when the transfer was asked for, from the epoch.
    pub(super) fn table() = "transfers", key [flow, number], Keep;
    fn write_row(flow: u32, number: u32, transfer: &Transfer) {
        time_ns: i64 = transfer.asked_ns,
        flow: u32 = flow,
        number: u32 = number,
        first_byte_ns: i64 = transfer.first_byte_ns,
        end_ns: i64 = transfer.end_ns,
        bytes: u64 = transfer.bytes,
        rate_bps: u64 = transfer.rate_bps,
        buffer_ns: i64 = transfer.buffer_ns,
    }
}

/// The bytes of a transfer: six numbers.
const BYTES: usize = 48;

impl Entry for Transfer {
    type Bytes = [u8; BYTES];
    const ZEROS: [u8; BYTES] = [0; BYTES];

    fn to_bytes(self) -> [u8; BYTES] {
        let times = [self.asked_ns, self.first_byte_ns, self.end_ns, self.buffer_ns].map(i64::to_le_bytes);
        let all =
            [times[0], times[1], times[2], times[3], self.bytes.to_le_bytes(), self.rate_bps.to_le_bytes()];
        let mut bytes = Self::ZEROS;
        bytes.copy_from_slice(all.as_flattened());
        bytes
    }

    fn from_bytes(bytes: &[u8; BYTES]) -> Self {
        let word = |place: usize| {
            u64::from_le_bytes(bytes[8 * place..][..8].try_into().expect("a number has eight bytes"))
        };
        let [asked_ns, first_byte_ns, end_ns, buffer_ns] =
            [0, 1, 2, 3].map(|place| word(place).cast_signed());
        Self { asked_ns, first_byte_ns, end_ns, bytes: word(4), rate_bps: word(5), buffer_ns }
    }
}

/// The transfers of one flow: those that have ended, then the others.
struct OfFlow<'a> {
    flow: u32,
    ended: Entries<'a, Transfer>,
    unended: VecDeque<Transfer>,
    /// Number of the next transfer that has not ended.
    number: usize,
}

impl Ordered for OfFlow<'_> {
    /// Time at which the transfer ended (those without an end are last), the flow, its number in the flow, and the transfer as
    /// bytes.
    type Row = (u64, u32, u32, [u8; BYTES]);

    fn next(&mut self) -> Outcome<Option<Self::Row>> {
        let row = |flow, number: usize, transfer: Transfer| {
            (transfer.end_ns.cast_unsigned(), flow, number as u32, transfer.to_bytes())
        };
        if let Some((number, transfer)) = self.ended.next()? {
            return Ok(Some(row(self.flow, number, transfer)));
        }
        let number = self.number;
        self.number += 1;
        Ok(self.unended.pop_front().map(|transfer| row(self.flow, number, transfer)))
    }
}

/// Writes the transfers of all flows that have them, in the order of their ends; those without one come last.
///
/// # Errors
/// The disk is full.
pub(crate) fn write(flows: &[Arc<FlowState>], records: &Path) -> Outcome<()> {
    let with_transfers: Vec<_> = flows.iter().filter(|flow| flow.plan.workload.has_transfers()).collect();
    if with_transfers.is_empty() {
        return Ok(());
    }
    // Before the locks, which the threads of a flow take in the other order.
    let unended: Vec<_> = with_transfers.iter().map(|flow| flow.unended()).collect();
    let ended: Vec<_> = with_transfers.iter().map(|flow| flow.ended()).collect();
    let lists = with_transfers.iter().zip(&ended).zip(unended).map(|((flow, ended), unended)| OfFlow {
        flow: flow.number,
        ended: ended.read(),
        unended: unended.into(),
        number: ended.len(),
    });
    let mut file = RecordFile::create(records, &table())?;
    merge(lists.collect(), |(_, flow, number, transfer)| {
        let transfer = Transfer::from_bytes(&transfer);
        file.add(|row| write_row(row, flow, number, &transfer))
    })?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::spool::Spool;

    #[test]
    fn a_transfer_survives_its_bytes() {
        let transfer = Transfer {
            asked_ns: 1,
            first_byte_ns: -1,
            end_ns: i64::MAX,
            bytes: 3,
            rate_bps: u64::MAX,
            buffer_ns: 4,
        };
        assert_eq!(Transfer::from_bytes(&transfer.to_bytes()), transfer);
    }

    #[test]
    fn transfers_without_an_end_are_last() {
        let spool = Spool::new(Path::new("/nonexistent"), "transfers");
        let mut spools = [spool, Spool::new(Path::new("/nonexistent"), "others")];
        let ending = |end_ns: i64| Transfer { end_ns, ..Transfer::asked(0) };
        for (spool, end_ns) in [(0, 5), (0, 9), (1, 5), (1, 7)] {
            spools[spool].push(ending(end_ns)).unwrap();
        }
        let lists = spools.iter().zip(0..).map(|(spool, flow)| OfFlow {
            flow,
            ended: spool.read(),
            unended: [ending(-1)].into(),
            number: spool.len(),
        });
        let mut rows = Vec::new();
        merge(lists.collect(), |(_, flow, number, transfer)| {
            rows.push((Transfer::from_bytes(&transfer).end_ns, flow, number));
            Ok(())
        })
        .unwrap();
        assert_eq!(rows, [(5, 0, 0), (5, 1, 0), (7, 1, 1), (9, 0, 1), (-1, 0, 2), (-1, 1, 2)]);
    }
}
