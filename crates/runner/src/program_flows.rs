//! Flows and MPTCP connections of programs in their series: those that are reported, with numbers after those of the plan.
//!
//! The guest samples every connection and knows at the end only which ones delivered enough.

use std::collections::BTreeMap;
use std::ops::Range;

use airtcp_plan::Plan;
use airtcp_plan::record::{Kind, Table};
use airtcp_plan::report::SocketsReport;

/// Where in a row the number of the flow or connection stands: after the time.
const NUMBER: Range<usize> = 8..12;

/// The numbers of programs' flows and connections in a run folder.
#[derive(Debug)]
pub struct ProgramFlows {
    flows: Numbers,
    mptcp: Numbers,
}

/// Numbers in a series.
#[derive(Debug, Default)]
struct Numbers {
    /// Those below are the plan's, which keep them.
    planned: u32,
    /// By the numbers in the records.
    of_programs: BTreeMap<u32, u32>,
}

impl Numbers {
    /// The number in the run folder of one in the records; `None` if it is not reported.
    fn of(&self, recorded: u32) -> Option<u32> {
        if recorded < self.planned { Some(recorded) } else { self.of_programs.get(&recorded).copied() }
    }
}

impl ProgramFlows {
    /// Numbers the flows of the report after those of the plan, in their order, and its MPTCP connections from 0.
    pub fn number(plan: &Plan, report: &mut SocketsReport) -> Self {
        let planned = plan.flows.len() as u32;
        let mut flows = Numbers { planned, ..Numbers::default() };
        let mut mptcp = Numbers::default();
        for (connection, number) in report.mptcp.iter_mut().zip(0..) {
            mptcp.of_programs.insert(connection.number, number);
            connection.number = number;
        }
        for (flow, number) in report.flows.iter_mut().zip(planned..) {
            flows.of_programs.insert(planned + flow.number, number);
            flow.number = number;
            flow.mptcp = flow.mptcp.and_then(|connection| mptcp.of(connection));
        }
        Self { flows, mptcp }
    }

    /// The rows of flows of the plan and of those that are reported, with their numbers.
    pub fn renumber(&self, table: &Table, mut rows: Vec<u8>) -> Vec<u8> {
        let numbers = match table.name.as_str() {
            "flows" => &self.flows,
            "mptcp" => &self.mptcp,
            _ => return rows,
        };
        let kinds = table.columns.iter().map(|column| column.kind).take(2);
        if !kinds.eq([Kind::I64, Kind::U32]) {
            return rows;
        }
        table.retain(&mut rows, |row| {
            let recorded = u32::from_le_bytes(row[NUMBER].try_into().expect("a number has four bytes"));
            let new = numbers.of(recorded);
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
        let flows = ProgramFlows {
            flows: Numbers { planned: 2, of_programs: BTreeMap::from([(5, 2), (2, 3)]) },
            mptcp: Numbers { planned: 0, of_programs: BTreeMap::from([(1, 0)]) },
        };
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
        assert_eq!(renumbered("mptcp"), [0]);
        assert_eq!(renumbered("acks"), [0, 1, 2, 3, 5]);
    }
}
