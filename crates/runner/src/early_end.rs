//! The records of a run that ended before its planned time, because its flows had.
//!
//! The kernel's sampler and the air know the planned end only: until the guest is off they go on, and the samples of the
//! run's end have the planned time. Here records end with the run. What the agent itself records ends with it anyway.

use std::collections::BTreeSet;

use airtcp_plan::Plan;
use airtcp_plan::record::{Kind, RecordError, Table};
use airtcp_plan::report::AgentReport;

/// Series that the agent closes at the run's end.
const OF_THE_AGENT: [&str; 3] = ["datagrams", "pings", "transfers"];
/// Series whose last samples the agent asks for, and the columns after the time that say of what a row is.
const WITH_A_LAST_SAMPLE: [(&str, usize); 6] = [
    ("flows", 1),
    ("qdiscs", 3),
    ("stations", 3),
    ("station_queues", 4),
    ("radio_queues", 1),
    ("station_rates", 4),
];
/// Every row begins with its time, `i64` from the epoch.
const TIME_BYTES: usize = 8;

/// When a run ended, and when it would have. Times are from the epoch.
#[derive(Clone, Copy, Debug)]
pub struct EarlyEnd {
    end_ns: i64,
    planned_ns: i64,
}

impl EarlyEnd {
    /// Of a run that did not last as long as planned.
    pub fn of(plan: &Plan, agent: &AgentReport) -> Option<Self> {
        let early = agent.end_ns < plan.duration_ns;
        early.then(|| Self { end_ns: agent.end_ns.cast_signed(), planned_ns: plan.duration_ns.cast_signed() })
    }

    /// The rows up to the end; those of the end get its time, and take the place of others of that instant.
    ///
    /// # Errors
    /// [`RecordError::Header`] if the table has no times, or does not say of what its rows are.
    pub fn cut(self, table: &Table, mut rows: Vec<u8>) -> Result<Vec<u8>, RecordError> {
        if OF_THE_AGENT.contains(&table.name.as_str()) {
            return Ok(rows);
        }
        let width = table.row_width();
        let key = key_bytes(table)?;
        let is_last = |row: &[u8]| key > 0 && time_ns(row) == self.planned_ns;
        let of_what = |row: &[u8]| row[TIME_BYTES..TIME_BYTES + key].to_vec();
        let ended: BTreeSet<_> = rows.chunks_exact(width).filter(|row| is_last(row)).map(of_what).collect();
        table.retain(&mut rows, |row| {
            if is_last(row) {
                row[..TIME_BYTES].copy_from_slice(&self.end_ns.to_le_bytes());
                return true;
            }
            let replaced = key > 0 && time_ns(row) == self.end_ns && ended.contains(&of_what(row));
            time_ns(row) <= self.end_ns && !replaced
        });
        Ok(rows)
    }
}

/// The bytes after the time that say of what a row is; none where there are no last samples.
fn key_bytes(table: &Table) -> Result<usize, RecordError> {
    if table.columns.first().is_none_or(|column| column.kind != Kind::I64) {
        return Err(RecordError::Header("the first column is no time".to_owned()));
    }
    let last = WITH_A_LAST_SAMPLE.iter().find(|(name, _)| *name == table.name);
    let columns = last.map_or(0, |&(_, columns)| columns);
    let Some(key) = table.columns.get(1..=columns) else {
        return Err(RecordError::Header(format!("{} columns are too few", table.columns.len())));
    };
    Ok(key.iter().map(|column| column.kind.width()).sum())
}

fn time_ns(row: &[u8]) -> i64 {
    i64::from_le_bytes(row[..TIME_BYTES].try_into().expect("a time has eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_plan::record::RowWriter;

    fn table(name: &str) -> Table {
        Table::new(name, &[("time_ns", Kind::I64), ("flow", Kind::U32), ("a", Kind::U32), ("b", Kind::U32)])
    }

    /// Rows of time, flow and a value, cut at 25 of 100.
    fn cut(name: &str, rows: &[(i64, u32, u32)]) -> Vec<(i64, u32, u32)> {
        let table = table(name);
        let (mut writer, mut bytes) = (RowWriter::new(&table), Vec::new());
        for &(time_ns, flow, value) in rows {
            writer.i64(time_ns).u32(flow).u32(0).u32(value).end(&mut bytes).unwrap();
        }
        let word = |row: &[u8], at: usize| u32::from_le_bytes(row[at..at + 4].try_into().unwrap());
        let cut = EarlyEnd { end_ns: 25, planned_ns: 100 }.cut(&table, bytes).unwrap();
        cut.chunks(table.row_width()).map(|row| (time_ns(row), word(row, 8), word(row, 16))).collect()
    }

    #[test]
    fn samples_of_the_end_get_its_time_and_later_ones_go() {
        let rows = [(-5, 0, 1), (10, 0, 2), (20, 1, 3), (100, 0, 4), (100, 1, 5), (30, 0, 6)];
        assert_eq!(cut("flows", &rows), [(-5, 0, 1), (10, 0, 2), (20, 1, 3), (25, 0, 4), (25, 1, 5)]);
    }

    #[test]
    fn one_row_of_a_flow_is_left_of_an_instant() {
        // Flow 1 ended at that instant, and has no other sample of the end.
        assert_eq!(cut("flows", &[(25, 0, 1), (25, 1, 2), (100, 0, 3)]), [(25, 1, 2), (25, 0, 3)]);
        // A queueing discipline is one of three numbers.
        assert_eq!(cut("qdiscs", &[(25, 0, 1), (100, 0, 3)]), [(25, 0, 1), (25, 0, 3)]);
    }

    #[test]
    fn a_table_that_can_t_be_cut_is_refused() {
        let early = EarlyEnd { end_ns: 25, planned_ns: 100 };
        for columns in [&[("flow", Kind::U32)][..], &[("time_ns", Kind::I64), ("node", Kind::U32)]] {
            let table = Table::new("qdiscs", columns);
            assert!(matches!(early.cut(&table, vec![0; table.row_width()]), Err(RecordError::Header(_))));
        }
    }

    #[test]
    fn other_series_are_cut_and_those_of_the_agent_kept() {
        let rows = [(10, 0, 1), (25, 0, 2), (26, 0, 3), (100, 0, 4)];
        assert_eq!(cut("air", &rows), rows[..2]);
        assert_eq!(cut("acks", &rows), rows[..2]);
        assert_eq!(cut("pings", &rows), rows);
    }
}
