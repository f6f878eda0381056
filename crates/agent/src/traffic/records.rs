//! Record files: rows are gathered in memory and written in large pieces.

use std::fs::File;
use std::path::{Path, PathBuf};

use airtcp_plan::record::{RowWriter, Table};

use crate::failure::{Outcome, failure};
use crate::sys::page_cache::write_and_forget;

/// Bytes gathered before they are written.
const PIECE_BYTES: usize = 1 << 20;

/// A record file that is being written.
#[derive(Debug)]
pub(crate) struct RecordFile {
    path: PathBuf,
    file: File,
    /// Packs the rows.
    rows: RowWriter,
    gathered: Vec<u8>,
    /// Bytes that were written before.
    written: u64,
}

impl RecordFile {
    /// Creates `NAME.rec` in the folder.
    ///
    /// # Errors
    /// The folder can't be written.
    pub(crate) fn create(folder: &Path, table: &Table) -> Outcome<Self> {
        let path = folder.join(format!("{}.rec", table.name));
        let mut gathered = Vec::new();
        let created = table.write_header(&mut gathered).and_then(|()| File::create(&path));
        let file = created.map_err(|e| unwritable(&path, &e))?;
        Ok(Self { path, file, rows: RowWriter::new(table), gathered, written: 0 })
    }

    /// Adds the row that `fill` packs.
    ///
    /// # Errors
    /// The disk is full.
    pub(crate) fn add(&mut self, fill: impl FnOnce(&mut RowWriter)) -> Outcome<()> {
        fill(&mut self.rows);
        let ended = self.rows.end(&mut self.gathered);
        ended.map_err(|e| unwritable(&self.path, &e))?;
        if self.gathered.len() >= PIECE_BYTES { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Outcome<()> {
        let written = write_and_forget(&self.file, &self.gathered, self.written);
        written.map_err(|e| unwritable(&self.path, &e))?;
        self.written += self.gathered.len() as u64;
        self.gathered.clear();
        Ok(())
    }

    /// Writes the rest and makes sure that it has arrived at the host.
    ///
    /// # Errors
    /// The disk is full.
    pub(crate) fn finish(mut self) -> Outcome<()> {
        self.write()
    }
}

/// The failure of a file of this path that the disk has no room for.
pub(super) fn unwritable(path: &Path, error: &std::io::Error) -> airtcp_plan::report::Failure {
    let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    failure(
        format!("{name} can't be written: {error}"),
        "records",
        "make room on the disk of the run's folder",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_plan::record::{EarlyEndRule, Kind};

    #[test]
    fn rows_arrive_whole_whatever_the_pieces() {
        let columns = [("time_ns", Kind::I64), ("tcp_info", Kind::Bytes(256))];
        let table = Table::new("flows", &[], EarlyEndRule::Keep, &columns);
        let folder = std::env::temp_dir().join(format!("airtcp-agent-records-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut file = RecordFile::create(&folder, &table).unwrap();
        for time in 0..10_000 {
            file.add(|row| {
                row.i64(time).bytes(&[1; 100]);
            })
            .unwrap();
        }
        file.finish().unwrap();
        let (read, rows) = Table::read(&mut File::open(folder.join("flows.rec")).unwrap()).unwrap();
        assert_eq!((read, rows.len()), (table, 10_000 * 264));
        assert_eq!(rows[264 * 9_999..][..8], 9_999i64.to_le_bytes());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_there_is_a_failure() {
        let table = Table::new("flows", &[], EarlyEndRule::Keep, &[("time_ns", Kind::I64)]);
        let error = RecordFile::create(Path::new("/nonexistent"), &table).unwrap_err();
        assert!(error.what.starts_with("flows.rec can't be written"), "{}", error.what);
    }
}
