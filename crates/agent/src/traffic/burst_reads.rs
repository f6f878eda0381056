//! What the receiver of bursts reads when their sender is on another machine, which alone knows where bursts begin and end: the
//! time of each read, from which the ends of bursts are found afterwards.

use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;

use airtcp_plan::Workload;
use rustix::io::Result;

use super::flow::FlowState;
use super::records::RecordFile;
use super::spool::Entry;
use crate::clock::Timeline;
use crate::failure::Outcome;
use crate::sys::tcp::discard_ready;

/// One read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BurstRead {
    /// Time at which the read returned, from the epoch.
    time_ns: u64,
    /// Bytes of this read and of all before it.
    bytes: u64,
}

impl Entry for BurstRead {
    type Bytes = [u8; 16];
    const ZEROS: [u8; 16] = [0; 16];

    fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.time_ns) | u128::from(self.bytes) << 64).to_le_bytes()
    }

    fn from_bytes(bytes: &[u8; 16]) -> Self {
        let both = u128::from_le_bytes(*bytes);
        Self { time_ns: both as u64, bytes: (both >> 64) as u64 }
    }
}

airtcp_plan::record! {
    /// The table of `records/reads.rec`.
    fn table() = "reads", key [flow], Keep;
    fn write_row(flow: u32, read: BurstRead) {
        time_ns: i64 = read.time_ns.cast_signed(),
        flow: u32 = flow,
        bytes: u64 = read.bytes,
    }
}

/// Reads to the end of the data; returns the bytes.
pub(super) fn take(flow: &FlowState, receiver: BorrowedFd<'_>, timeline: Timeline) -> Result<u64> {
    let mut bytes = 0;
    loop {
        match discard_ready(receiver)? {
            0 => return Ok(bytes),
            read => bytes += read,
        }
        flow.note_read(BurstRead { time_ns: timeline.now_from_epoch_ns(), bytes });
    }
}

/// Writes the reads of all flows with bursts.
///
/// # Errors
/// The disk is full.
pub(crate) fn write(flows: &[Arc<FlowState>], records: &Path) -> Outcome<()> {
    let mut file = RecordFile::create(records, &table())?;
    for flow in flows.iter().filter(|flow| matches!(flow.plan.workload, Workload::OnOff { .. })) {
        let reads = flow.reads();
        let mut entries = reads.read();
        while let Some((_, read)) = entries.next()? {
            file.add(|row| write_row(row, flow.number, read))?;
        }
    }
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_survives_the_disk() {
        let read = BurstRead { time_ns: u64::MAX - 3, bytes: 1 << 40 };
        assert_eq!(BurstRead::from_bytes(&read.to_bytes()), read);
    }
}
