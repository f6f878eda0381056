//! The records of a run that ended before its planned time, because its flows had.
//!
//! The kernel's sampler and the air run to the planned end: they go on until the guest is off, and the samples of the
//! run's end have the planned time. Here records end with the run, by the rule in each record file's header.

use std::collections::BTreeSet;
use std::ops::Range;

use airtcp_plan::Plan;
use airtcp_plan::record::{EarlyEndRule, RecordError, Table, time_ns};
use airtcp_plan::report::AgentReport;

/// Every row begins with its time, `i64` from the epoch.
const TIME_BYTES: usize = 8;

/// When a run ended, and when it would have. Times are from the epoch.
#[derive(Clone, Debug)]
pub struct EarlyEnd {
    end_ns: i64,
    planned_ns: i64,
    /// Keys of the rows of the planned end that were seen, of one table.
    sampled_last: BTreeSet<Vec<u8>>,
}

impl EarlyEnd {
    /// The early end of a run that did not last as long as planned; `None` for a run that did.
    pub fn of(plan: &Plan, agent: &AgentReport) -> Option<Self> {
        let early = agent.end_ns < plan.duration_ns;
        early.then(|| Self {
            end_ns: agent.end_ns.cast_signed(),
            planned_ns: plan.duration_ns.cast_signed(),
            sampled_last: BTreeSet::new(),
        })
    }

    /// Whether rows must be seen before any are cut.
    pub fn must_see(table: &Table) -> bool {
        table.early_end == EarlyEndRule::CutWithLastSample
    }

    /// Looks at rows of a table of which [`Self::must_see`] says so.
    ///
    /// # Errors
    /// [`RecordError::Header`] if the table has no times.
    pub fn see(&mut self, table: &Table, rows: &[u8]) -> Result<(), RecordError> {
        table.check_times()?;
        let cells = key_cells(table);
        let last = rows.chunks_exact(table.row_width()).filter(|row| time_ns(row) == self.planned_ns);
        self.sampled_last.extend(last.map(|row| key(&cells, row)));
        Ok(())
    }

    /// The rows that the table's rule keeps. With a last sample, the rows of the planned end get the time of the end and
    /// replace other rows of that instant with the same key; all rows have been seen before.
    ///
    /// # Errors
    /// [`RecordError::Header`] if the table has no times.
    pub fn cut(&self, table: &Table, mut rows: Vec<u8>) -> Result<Vec<u8>, RecordError> {
        if table.early_end == EarlyEndRule::Keep {
            return Ok(rows);
        }
        table.check_times()?;
        let (cells, has_last_sample) = (key_cells(table), Self::must_see(table));
        table.retain(&mut rows, |row| {
            if has_last_sample && time_ns(row) == self.planned_ns {
                row[..TIME_BYTES].copy_from_slice(&self.end_ns.to_le_bytes());
                return true;
            }
            let replaced = time_ns(row) == self.end_ns && self.sampled_last.contains(&key(&cells, row));
            time_ns(row) <= self.end_ns && !replaced
        });
        Ok(rows)
    }
}

fn key_cells(table: &Table) -> Vec<Range<usize>> {
    table.key_cells().expect("a table that was read has the columns of its key")
}

fn key(cells: &[Range<usize>], row: &[u8]) -> Vec<u8> {
    cells.iter().map(|cell| row[cell.clone()].to_vec()).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_plan::record::{Kind, RowWriter};

    const COLUMNS: [(&str, Kind); 4] =
        [("time_ns", Kind::I64), ("flow", Kind::U32), ("a", Kind::U32), ("b", Kind::U32)];

    /// Rows of time, flow and a value, cut at 25 of 100 in a table of this rule and key.
    fn cut(early_end: EarlyEndRule, key: &[&str], rows: &[(i64, u32, u32)]) -> Vec<(i64, u32, u32)> {
        let table = Table::new("t", key, early_end, &COLUMNS);
        let (mut writer, mut bytes) = (RowWriter::new(&table), Vec::new());
        for &(time_ns, flow, value) in rows {
            writer.i64(time_ns).u32(flow).u32(0).u32(value).end(&mut bytes).unwrap();
        }
        let word = |row: &[u8], at: usize| u32::from_le_bytes(row[at..at + 4].try_into().unwrap());
        let mut early = EarlyEnd { end_ns: 25, planned_ns: 100, sampled_last: BTreeSet::new() };
        if EarlyEnd::must_see(&table) {
            // A row at a time, as in a series that is long.
            bytes.chunks(table.row_width()).for_each(|row| early.see(&table, row).unwrap());
        }
        let cut = early.cut(&table, bytes).unwrap();
        cut.chunks(table.row_width()).map(|row| (time_ns(row), word(row, 8), word(row, 16))).collect()
    }

    #[test]
    fn last_samples_get_the_time_of_the_end_and_later_rows_go() {
        let rows = [(-5, 0, 1), (10, 0, 2), (20, 1, 3), (100, 0, 4), (100, 1, 5), (30, 0, 6)];
        let expected = [(-5, 0, 1), (10, 0, 2), (20, 1, 3), (25, 0, 4), (25, 1, 5)];
        assert_eq!(cut(EarlyEndRule::CutWithLastSample, &["flow"], &rows), expected);
    }

    #[test]
    fn one_row_of_a_key_is_left_of_an_instant() {
        let rule = EarlyEndRule::CutWithLastSample;
        // Flow 1 ended at that instant, and has no other sample of the end.
        assert_eq!(cut(rule, &["flow"], &[(25, 0, 1), (25, 1, 2), (100, 0, 3)]), [(25, 1, 2), (25, 0, 3)]);
        // Another key: the value makes them different things.
        let rows = [(25, 0, 1), (100, 0, 3)];
        assert_eq!(cut(rule, &["flow", "a", "b"], &rows), [(25, 0, 1), (25, 0, 3)]);
    }

    #[test]
    fn a_table_without_times_is_refused() {
        let table = Table::new("qdiscs", &[], EarlyEndRule::Cut, &[("node", Kind::U32)]);
        let early = EarlyEnd { end_ns: 25, planned_ns: 100, sampled_last: BTreeSet::new() };
        let refused = early.cut(&table, vec![0; table.row_width()]);
        assert!(matches!(refused, Err(RecordError::Header(_))));
    }

    #[test]
    fn other_tables_are_cut_or_kept() {
        let rows = [(10, 0, 1), (25, 0, 2), (26, 0, 3), (100, 0, 4)];
        assert_eq!(cut(EarlyEndRule::Cut, &["flow"], &rows), rows[..2]);
        assert_eq!(cut(EarlyEndRule::Keep, &["flow"], &rows), rows);
    }
}
