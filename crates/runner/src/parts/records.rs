//! The records of both parts, merged by time.
//!
//! The merged rows depend on each part's own rows and their order alone: not on where rows of the other part stand between them.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use airtcp_plan::record::{RecordError, Table, time_ns};
use airtcp_plan::report::RECORDS_FOLDER;
use airtcp_plan::{PARTS, Plan};

use super::arrivals::{self, Arrivals};
use super::owners::{Owners, RowOwners};
use super::rows::{self, Rows};
use crate::failure::{Kind, RunFailure};
use crate::guest_file;

/// Merges the record files in the folders of both parts into those of the run.
///
/// # Errors
/// A [`RunFailure`] if a record is damaged or can't be written.
pub(super) fn merge(plan: &Plan, work: &Path, folders: [&Path; PARTS]) -> Result<(), RunFailure> {
    let owners = Owners::of(plan);
    let folders = folders.map(|folder| folder.join(RECORDS_FOLDER));
    let mut names = BTreeSet::new();
    for folder in &folders {
        let files = guest_file::record_files(folder).map_err(|error| RunFailure::disk(&error, folder))?;
        names.extend(files.into_iter().filter_map(|path| Some(path.file_name()?.to_owned())));
    }
    for name in names {
        let files =
            MergedFiles { owners: &owners, from: folders.each_ref().map(|folder| folder.join(&name)) };
        let to = work.join(RECORDS_FOLDER).join(&name);
        files.merge_into(&to).map_err(|error| match error {
            MergeError::Damaged(error) => {
                let place = name.to_string_lossy().into_owned();
                RunFailure::new(Kind::Internal, error.to_string(), place, "report this with the plan")
            }
            MergeError::Unwritten(error) => RunFailure::disk(&error, &to),
        })?;
    }
    Ok(())
}

/// Why records could not be merged.
#[derive(Debug)]
enum MergeError {
    /// A guest's file is damaged.
    Damaged(RecordError),
    /// The run's file can't be written.
    Unwritten(io::Error),
}

impl From<RecordError> for MergeError {
    fn from(error: RecordError) -> Self {
        Self::Damaged(error)
    }
}

/// The files of one series: that of each part.
struct MergedFiles<'a> {
    owners: &'a Owners,
    from: [PathBuf; PARTS],
}

impl<'a> MergedFiles<'a> {
    fn merge_into(&self, to: &Path) -> Result<(), MergeError> {
        let Some(table) = self.table()? else { return Ok(()) };
        let mut parts = Vec::new();
        for part in 0..PARTS {
            parts.extend(self.rows_of(part)?);
        }
        let mut out = BufWriter::new(guest_file::create_new(to).map_err(MergeError::Unwritten)?);
        table.write_header(&mut out).map_err(MergeError::Unwritten)?;
        let earliest = |parts: &mut Vec<PartRows<'a>>| {
            let left = parts.iter().enumerate().filter_map(|(place, part)| Some((place, part.next_ns()?)));
            // Of equal times the first is taken: that of part 0.
            left.min_by_key(|(_, time_ns)| *time_ns).map(|(place, _)| place)
        };
        while let Some(place) = earliest(&mut parts) {
            parts[place].write_next(&mut out)?;
        }
        out.flush().map_err(MergeError::Unwritten)
    }

    /// What the rows of both files are; `None` if there are no files.
    fn table(&self) -> Result<Option<Table>, RecordError> {
        let mut found: Option<Table> = None;
        for path in &self.from {
            let Some(reader) = rows::open(path)? else { continue };
            if found.as_ref().is_some_and(|table| table != reader.table()) {
                return Err(RecordError::Header("the parts have different tables".to_owned()));
            }
            found = Some(reader.table().clone());
        }
        Ok(found)
    }

    /// The rows of a part. A guest in which nothing of a series happened may have no file of it.
    fn rows_of(&self, part: usize) -> Result<Option<PartRows<'a>>, RecordError> {
        let Some(reader) = rows::open(&self.from[part])? else { return Ok(None) };
        let owners = self.owners.of_rows(reader.table())?;
        let counted = arrivals::cell(reader.table());
        let of_part = owners.clone();
        let rows = Rows::of(reader, move |row| Ok(of_part.part(row)? == part))?;
        let arrivals = match counted.clone() {
            Some(cell) => self.arrivals_from(part, cell)?,
            None => None,
        };
        Ok(Some(PartRows { part, rows, all: self.owners, owners, counted, arrivals }))
    }

    /// What the other part's guest has of the flows that leave this part.
    fn arrivals_from(&self, part: usize, cell: Range<usize>) -> Result<Option<Arrivals<'a>>, RecordError> {
        let Some(reader) = rows::open(&self.from[PARTS - 1 - part])? else { return Ok(None) };
        let (all, owners) = (self.owners, self.owners.of_rows(reader.table())?);
        let flows = owners.clone();
        let rows = Rows::of(reader, move |row| Ok(all.leaves(flows.number(row), part)))?;
        Ok(Some(Arrivals::of(rows, owners, cell)))
    }
}

/// The rows of a part.
struct PartRows<'a> {
    part: usize,
    rows: Rows<'a>,
    all: &'a Owners,
    owners: RowOwners<'a>,
    /// Where a row has the count of its flow's receiver, if it has one.
    counted: Option<Range<usize>>,
    arrivals: Option<Arrivals<'a>>,
}

impl PartRows<'_> {
    /// The time of the next row; `None` at the end.
    fn next_ns(&self) -> Option<i64> {
        self.rows.next().map(time_ns)
    }

    /// Writes the next row, and goes on. There must be one.
    fn write_next(&mut self, out: &mut impl Write) -> Result<(), MergeError> {
        let row = self.rows.next().expect("the next row was looked at");
        let flow = self.owners.number(row);
        let written = match &self.counted {
            Some(cell) if self.all.leaves(flow, self.part) => {
                let arrivals = self.arrivals.as_mut();
                let received = arrivals.map_or(Ok([0; 8]), |arrivals| arrivals.at(time_ns(row), flow))?;
                let mut row = row.to_vec();
                row[cell.clone()].copy_from_slice(&received);
                out.write_all(&row)
            }
            _ => out.write_all(row),
        };
        written.map_err(MergeError::Unwritten)?;
        Ok(self.rows.advance()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::testing::split_plan;
    use airtcp_plan::record::{EarlyEndRule, Kind as Column, RowWriter};

    /// Rows of time, flow, bytes that were received, and a value of the sender.
    type Row = (i64, u32, u64, u32);

    fn table(name: &str) -> Table {
        let columns = [
            ("time_ns", Column::I64),
            ("flow", Column::U32),
            ("bytes_received", Column::U64),
            ("cwnd", Column::U32),
        ];
        Table::new(name, &["flow"], EarlyEndRule::Cut, &columns)
    }

    fn file(name: &str, rows: &[Row]) -> Vec<u8> {
        let (table, mut file) = (table(name), Vec::new());
        table.write_header(&mut file).unwrap();
        let mut writer = RowWriter::new(&table);
        for &(time_ns, flow, received, cwnd) in rows {
            writer.i64(time_ns).u32(flow).u64(received).u32(cwnd).end(&mut file).unwrap();
        }
        file
    }

    /// What these files of the parts become; without the second, one guest has made both.
    fn merged_files(name: &str, first: &[u8], second: Option<&[u8]>) -> Result<Vec<u8>, RunFailure> {
        let work = tempfile::tempdir().unwrap();
        let at = |folder: &str| work.path().join(folder).join(RECORDS_FOLDER);
        for (folder, content) in [("guest-0", Some(first)), ("guest-1", second), ("", None)] {
            std::fs::create_dir_all(at(folder)).unwrap();
            if let Some(content) = content.filter(|content| !content.is_empty()) {
                std::fs::write(at(folder).join(format!("{name}.rec")), content).unwrap();
            }
        }
        let folders = ["guest-0", if second.is_some() { "guest-1" } else { "guest-0" }];
        let folders = folders.map(|folder| work.path().join(folder));
        merge(&split_plan(), work.path(), folders.each_ref().map(PathBuf::as_path))?;
        Ok(std::fs::read(at("").join(format!("{name}.rec"))).unwrap())
    }

    fn merged(name: &str, first: &[Row], second: Option<&[Row]>) -> Vec<Row> {
        let second = second.map(|rows| file(name, rows));
        let made = merged_files(name, &file(name, first), second.as_deref()).unwrap();
        let (read, rows) = Table::read(&mut made.as_slice()).unwrap();
        assert_eq!(read, table(name));
        let word = |row: &[u8], at: usize| u32::from_le_bytes(row[at..at + 4].try_into().unwrap());
        let row = |row: &[u8]| {
            let received = u64::from_le_bytes(row[12..20].try_into().unwrap());
            (time_ns(row), word(row, 8), received, word(row, 20))
        };
        rows.chunks(read.row_width()).map(row).collect()
    }

    #[test]
    fn rows_of_both_parts_stand_in_the_order_of_time_and_part_0_is_first() {
        // Flow 2 is of part 1, the others of part 0.
        let first = [(1, 0, 1, 1), (1, 2, 9, 9), (3, 0, 1, 2), (3, 1, 1, 3), (9, 0, 1, 4)];
        let second = [(1, 2, 1, 5), (2, 2, 1, 6), (2, 0, 9, 9), (3, 2, 1, 7)];
        let expected = [
            (1, 0, 1, 1),
            (1, 2, 1, 5),
            (2, 2, 1, 6),
            (3, 0, 1, 2),
            (3, 1, 1, 3),
            (3, 2, 1, 7),
            (9, 0, 1, 4),
        ];
        assert_eq!(merged("acks", &first, Some(&second)), expected);
        // One guest has the rows of both, in another order where times are equal.
        let alone = [
            (1, 2, 1, 5),
            (1, 0, 1, 1),
            (2, 2, 1, 6),
            (3, 0, 1, 2),
            (3, 2, 1, 7),
            (3, 1, 1, 3),
            (9, 0, 1, 4),
        ];
        assert_eq!(merged("acks", &alone, None), expected);
    }

    #[test]
    fn rows_that_are_not_in_the_order_of_time_keep_their_own() {
        let (first, second) = ([(5, 0, 1, 1), (2, 0, 1, 2)], [(4, 2, 1, 3), (6, 2, 1, 4)]);
        let expected = [(4, 2, 1, 3), (5, 0, 1, 1), (2, 0, 1, 2), (6, 2, 1, 4)];
        assert_eq!(merged("acks", &first, Some(&second)), expected);
    }

    #[test]
    fn a_part_may_have_no_rows_or_no_file() {
        let rows = [(1, 2, 1, 1), (2, 2, 1, 2)];
        assert_eq!(merged("acks", &[], Some(&rows)), rows);
        assert_eq!(merged("acks", &rows, Some(&[])), []);
        assert_eq!(merged("acks", &[], Some(&[])), []);
        let only = merged_files("acks", &[], Some(&file("acks", &rows))).unwrap();
        assert_eq!(only, file("acks", &rows));
    }

    #[test]
    fn the_receiver_counts_what_arrived_of_a_flow_between_the_parts() {
        // Flow 1 goes from part 0 to part 1, flow 2 back, flow 0 stays.
        let first = [
            (1, 0, 7, 1),
            (1, 1, 0, 2),
            (1, 2, 30, 0),
            (2, 1, 0, 3),
            (3, 0, 8, 4),
            (3, 1, 0, 5),
            (5, 1, 0, 6),
        ];
        let second = [(1, 1, 10, 0), (1, 2, 0, 7), (3, 1, 20, 0), (3, 2, 0, 8), (4, 1, 25, 0)];
        let expected = [
            (1, 0, 7, 1),
            (1, 1, 10, 2),
            (1, 2, 30, 7),
            // The receiver has no row of this instant.
            (2, 1, 0, 3),
            (3, 0, 8, 4),
            (3, 1, 20, 5),
            (3, 2, 0, 8),
            (5, 1, 0, 6),
        ];
        assert_eq!(merged("flows", &first, Some(&second)), expected);
        // In another series the column has another meaning.
        assert_eq!(merged("acks", &first, Some(&second))[1], (1, 1, 0, 2));
        assert_eq!(merged("flows", &first[..2], Some(&[]))[1], (1, 1, 0, 2));
        let alone = [(1, 0, 7, 1), (1, 1, 10, 2), (1, 2, 30, 7)];
        assert_eq!(merged("flows", &alone, None), alone);
    }

    #[test]
    fn a_long_series_is_merged_in_pieces() {
        let rows =
            |flow: u32, first: i64| (0..40_000).map(|i| (2 * i + first, flow, 1, 1)).collect::<Vec<Row>>();
        let all = merged("acks", &rows(0, 0), Some(&rows(2, 1)));
        assert_eq!(all.len(), 80_000);
        assert!(all.iter().zip(0..).all(|(row, time_ns)| row.0 == time_ns));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_name_of_the_file() {
        let whole = file("acks", &[(1, 0, 1, 1)]);
        let refusal = |first: &[u8], second: &[u8]| {
            let failure = merged_files("acks", first, Some(second)).unwrap_err();
            assert_eq!(failure.place, "acks.rec");
            failure.what
        };
        assert!(refusal(&whole[..whole.len() - 1], &whole).contains("cut short"));
        assert!(refusal(b"rubbish", &whole).contains("not a record file"));
        assert!(refusal(&whole, &file("flows", &[])).contains("different tables"));
        assert!(refusal(&whole, &file("acks", &[(1, 77, 1, 1)])).contains("the plan has no number 77"));
    }
}
