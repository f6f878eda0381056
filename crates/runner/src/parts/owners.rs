//! Which part a row of a series belongs to.

use std::ops::Range;

use airtcp_plan::record::{Kind, RecordError, Table};
use airtcp_plan::{Flow, PARTS, Plan};

/// The part of every flow, node and so on, by its number.
#[derive(Debug)]
pub(super) struct Owners {
    /// Parts by number of the flow, node, NIC, ping or stream, for each key column.
    by_column: [(&'static str, Vec<usize>); 5],
    /// The part of each flow's receiver.
    receivers: Vec<usize>,
}

impl Owners {
    /// Owners of the rows of a split plan.
    pub(super) fn of(plan: &Plan) -> Self {
        let part = |node: &str| plan.part_of(node).expect("a plan was checked, and is split");
        let flows = |end: fn(&Flow) -> &String| plan.flows.iter().map(|flow| part(end(flow))).collect();
        let by_column = [
            ("flow", flows(|flow| &flow.from)),
            ("node", plan.nodes.iter().map(|node| part(&node.name)).collect()),
            ("nic", plan.air.nics.iter().map(|nic| part(&nic.node)).collect()),
            ("ping", plan.pings.iter().map(|ping| part(&ping.from)).collect()),
            ("stream", plan.datagrams.iter().map(|stream| part(&stream.from)).collect()),
        ];
        Self { by_column, receivers: flows(|flow| &flow.to) }
    }

    /// The numbers in this table, and the part of each.
    ///
    /// # Errors
    /// [`RecordError::Header`] if nothing in the key of the table says it.
    pub(super) fn of_rows(&self, table: &Table) -> Result<RowOwners<'_>, RecordError> {
        let is_key = |name: &str| table.key.iter().any(|key| key == name);
        let known = self.by_column.iter().find(|(name, _)| is_key(name));
        let of = known.and_then(|(name, parts)| Some((number_cell(table, name)?, parts)));
        let (cell, parts) = of.ok_or_else(|| {
            RecordError::Header(format!("no part of the network has the rows of '{}'", table.name))
        })?;
        Ok(RowOwners { cell, parts })
    }

    /// Whether this flow goes from this part to the other one.
    pub(super) fn leaves(&self, flow: u32, from: usize) -> bool {
        let (_, senders) = &self.by_column[0];
        let ends = senders.get(flow as usize).zip(self.receivers.get(flow as usize));
        ends == Some((&from, &(PARTS - 1 - from)))
    }
}

/// The parts of a table's rows.
#[derive(Clone, Debug)]
pub(super) struct RowOwners<'a> {
    cell: Range<usize>,
    parts: &'a [usize],
}

impl RowOwners<'_> {
    /// The part of a row.
    ///
    /// # Errors
    /// [`RecordError::Header`] if the plan has nothing with the row's number.
    pub(super) fn part(&self, row: &[u8]) -> Result<usize, RecordError> {
        let number = self.number(row);
        let part = self.parts.get(number as usize).copied();
        part.ok_or_else(|| RecordError::Header(format!("the plan has no number {number}")))
    }

    /// The number that says it.
    pub(super) fn number(&self, row: &[u8]) -> u32 {
        u32::from_le_bytes(row[self.cell.clone()].try_into().expect("a number has four bytes"))
    }
}

fn number_cell(table: &Table, name: &str) -> Option<Range<usize>> {
    let column = table.columns.iter().find(|column| column.name == name)?;
    table.cell(name).filter(|_| column.kind == Kind::U32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::testing::split_plan;
    use airtcp_plan::record::{EarlyEndRule, RowWriter};

    fn row_of(table: &Table, number: u32) -> Vec<u8> {
        let mut row = Vec::new();
        RowWriter::new(table).i64(7).u32(number).end(&mut row).unwrap();
        row
    }

    #[test]
    fn the_key_of_a_row_says_whose_it_is() {
        let owners = Owners::of(&split_plan());
        let parts = |key: &str| {
            let table =
                Table::new("t", &[key], EarlyEndRule::Cut, &[("time_ns", Kind::I64), (key, Kind::U32)]);
            let rows = owners.of_rows(&table).unwrap();
            (0..9).map_while(|number| rows.part(&row_of(&table, number)).ok()).collect::<Vec<_>>()
        };
        assert_eq!(parts("node"), [0, 0, 1, 1]);
        assert_eq!(parts("nic"), [0, 0, 1, 1]);
        assert_eq!(parts("flow"), [0, 0, 1]);
        assert_eq!(parts("ping"), [0, 1]);
        assert_eq!(parts("stream"), [1]);
    }

    #[test]
    fn a_table_without_an_owner_is_refused() {
        let owners = Owners::of(&split_plan());
        let columns = [("time_ns", Kind::I64), ("peer", Kind::U32), ("flow", Kind::U32)];
        let table = Table::new("t", &["peer"], EarlyEndRule::Cut, &columns);
        assert!(owners.of_rows(&table).unwrap_err().to_string().contains("the rows of 't'"));
        let columns = [("time_ns", Kind::I64), ("flow", Kind::U64)];
        let table = Table::new("t", &["flow"], EarlyEndRule::Cut, &columns);
        assert!(owners.of_rows(&table).is_err(), "numbers have 32 bits");
    }

    #[test]
    fn only_flows_between_the_parts_leave_one() {
        let owners = Owners::of(&split_plan());
        let leaving = |part| (0..9).filter(|&flow| owners.leaves(flow, part)).collect::<Vec<_>>();
        assert_eq!((leaving(0), leaving(1)), (vec![1], vec![2]));
    }
}
