//! Bursts, answers, pages and segments as records.

use std::path::Path;
use std::sync::Arc;

use airtcp_plan::record::{EarlyEndRule, Kind, Table};
use airtcp_workload::Transfer;

use super::flow::FlowState;
use super::records::RecordFile;
use crate::failure::Outcome;

/// The table of `records/transfers.rec`: `time_ns` is when the transfer was asked for, from the epoch.
pub(super) fn table() -> Table {
    let columns = [
        ("time_ns", Kind::I64),
        ("flow", Kind::U32),
        ("number", Kind::U32),
        ("first_byte_ns", Kind::I64),
        ("end_ns", Kind::I64),
        ("bytes", Kind::U64),
        ("rate_bps", Kind::U64),
        ("buffer_ns", Kind::I64),
    ];
    Table::new("transfers", &["flow", "number"], EarlyEndRule::Keep, &columns)
}

/// Writes the transfers of all flows that have them, in the order of their ends; those without one come last.
///
/// # Errors
/// The disk is full.
pub(crate) fn write(flows: &[Arc<FlowState>], records: &Path) -> Outcome<()> {
    let with_transfers = || flows.iter().filter(|flow| flow.plan.workload.has_transfers());
    if with_transfers().next().is_none() {
        return Ok(());
    }
    let mut rows: Vec<(u32, u32, Transfer)> = Vec::new();
    for flow in with_transfers() {
        let transfers = flow.transfers().into_iter().enumerate();
        rows.extend(transfers.map(|(number, transfer)| (flow.number, number as u32, transfer)));
    }
    rows.sort_by_key(|(flow, number, transfer)| (transfer.end_ns.cast_unsigned(), *flow, *number));
    let mut file = RecordFile::create(records, &table())?;
    for (flow, number, transfer) in rows {
        file.add(|row| {
            row.i64(transfer.asked_ns).u32(flow).u32(number);
            row.i64(transfer.first_byte_ns).i64(transfer.end_ns).u64(transfer.bytes);
            row.u64(transfer.rate_bps).i64(transfer.buffer_ns);
        })?;
    }
    file.finish()
}
