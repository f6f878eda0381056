//! What arrived of flows that leave their part: only the receiver's guest knows it.

use std::collections::BTreeMap;
use std::ops::Range;

use airtcp_plan::record::{Column, Kind, RecordError, Table, time_ns};

use super::owners::RowOwners;
use super::rows::Rows;

/// The table in which a column is known at the receiver.
const TABLE: &str = "flows";
/// The column.
const COLUMN: &str = "bytes_received";

/// Where rows of this table have the column; `None` for another table.
pub(super) fn cell(table: &Table) -> Option<Range<usize>> {
    let is_count = |column: &&Column| column.name == COLUMN && column.kind == Kind::U64;
    let column = table.columns.iter().find(is_count).filter(|_| table.name == TABLE)?;
    table.cell(&column.name)
}

/// The receivers' rows of flows that leave a part.
pub(super) struct Arrivals<'a> {
    rows: Rows<'a>,
    owners: RowOwners<'a>,
    cell: Range<usize>,
    /// An instant, and what had arrived of each flow then.
    now_ns: i64,
    received: BTreeMap<u32, [u8; 8]>,
}

impl<'a> Arrivals<'a> {
    /// Received bytes as these rows report them; `cell` is the place of the column in a row.
    pub(super) fn of(rows: Rows<'a>, owners: RowOwners<'a>, cell: Range<usize>) -> Self {
        Self { rows, owners, cell, now_ns: i64::MIN, received: BTreeMap::new() }
    }

    /// What had arrived of a flow at an instant, as a cell; 0 if the receiver has no row of it. Instants are asked for in their
    /// order.
    ///
    /// # Errors
    /// The file is damaged.
    pub(super) fn at(&mut self, at_ns: i64, flow: u32) -> Result<[u8; 8], RecordError> {
        while let Some(row) = self.rows.next().filter(|row| time_ns(row) <= at_ns) {
            if time_ns(row) != self.now_ns {
                self.now_ns = time_ns(row);
                self.received.clear();
            }
            let bytes = row[self.cell.clone()].try_into().expect("a count has eight bytes");
            self.received.insert(self.owners.number(row), bytes);
            self.rows.advance()?;
        }
        let known = self.received.get(&flow).filter(|_| self.now_ns == at_ns);
        Ok(known.copied().unwrap_or_default())
    }
}
