//! What the receiver of bursts reads when their sender is on another machine, which alone knows where bursts begin and end: the
//! time of each read, from which the ends of bursts are found afterwards.

use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;

use airtcp_plan::Workload;
use rustix::io::Result;

use super::flow::FlowState;
use super::records::RecordFile;
use super::shared_bursts::BurstRead;
use crate::clock::Timeline;
use crate::failure::Outcome;
use crate::sys::tcp::discard_ready;

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
