//! Flows of programs in the series of flows: those that are reported, with numbers after those of the plan.
//!
//! The guest samples every connection and knows at the end only which ones delivered enough.

use std::collections::BTreeMap;

use airtcp_plan::Plan;
use airtcp_plan::record::{Kind, Table};
use airtcp_plan::report::SocketsReport;

/// The table that has them, and where in a row the number of the flow stands: after the time.
const TABLE: &str = "flows";
const NUMBER: std::ops::Range<usize> = 8..12;

/// The numbers of programs' flows in a run folder.
#[derive(Debug)]
pub struct ProgramFlows {
    /// Flows of the plan keep theirs.
    planned: u32,
    /// By their numbers in the records.
    numbers: BTreeMap<u32, u32>,
}

impl ProgramFlows {
    /// Numbers the flows of the report after those of the plan, in their order.
    pub fn number(plan: &Plan, report: &mut SocketsReport) -> Self {
        let planned = plan.flows.len() as u32;
        let mut numbers = BTreeMap::new();
        for (flow, number) in report.flows.iter_mut().zip(planned..) {
            numbers.insert(planned + flow.number, number);
            flow.number = number;
        }
        Self { planned, numbers }
    }

    /// The rows of flows of the plan and of those that are reported, with their numbers.
    pub fn renumber(&self, table: &Table, mut rows: Vec<u8>) -> Vec<u8> {
        let kinds = table.columns.iter().map(|column| column.kind).take(2);
        if table.name != TABLE || !kinds.eq([Kind::I64, Kind::U32]) {
            return rows;
        }
        table.retain(&mut rows, |row| {
            let number = u32::from_le_bytes(row[NUMBER].try_into().expect("a number has four bytes"));
            if number < self.planned {
                return true;
            }
            let new = self.numbers.get(&number);
            if let Some(new) = new {
                row[NUMBER].copy_from_slice(&new.to_le_bytes());
            }
            new.is_some()
        });
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_plan::record::{EarlyEndRule, RowWriter};

    #[test]
    fn rows_of_flows_that_are_not_reported_go() {
        let flows = ProgramFlows { planned: 2, numbers: BTreeMap::from([(5, 2), (2, 3)]) };
        let renumbered = |name: &str| {
            let columns = [("time_ns", Kind::I64), ("flow", Kind::U32)];
            let table = Table::new(name, &["flow"], EarlyEndRule::Cut, &columns);
            let mut rows = Vec::new();
            for flow in [0, 1, 2, 3, 5] {
                RowWriter::new(&table).i64(7).u32(flow).end(&mut rows).unwrap();
            }
            let rows = flows.renumber(&table, rows);
            rows.chunks(12).map(|row| u32::from_le_bytes(row[NUMBER].try_into().unwrap())).collect::<Vec<_>>()
        };
        assert_eq!(renumbered("flows"), [0, 1, 3, 2]);
        assert_eq!(renumbered("acks"), [0, 1, 2, 3, 5]);
    }
}
