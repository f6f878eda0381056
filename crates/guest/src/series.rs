//! A record file that is being written.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use airtcp_plan::record::{RowWriter, Table};

use crate::output::create_buffered;

/// Rows of one table, into `NAME.rec`.
#[derive(Debug)]
pub(crate) struct Series {
    rows: RowWriter,
    file: BufWriter<File>,
}

impl Series {
    /// Creates the file in the folder.
    ///
    /// # Errors
    /// An error of the file system.
    pub(crate) fn create(folder: &Path, table: &Table) -> io::Result<Self> {
        let mut file = create_buffered(&folder.join(format!("{}.rec", table.name)))?;
        table.write_header(&mut file)?;
        Ok(Self { rows: RowWriter::new(table), file })
    }

    /// Adds the row that `fill` packs.
    ///
    /// # Errors
    /// An error of the file system, usually a full disk.
    pub(crate) fn add(&mut self, fill: impl FnOnce(&mut RowWriter)) -> io::Result<()> {
        fill(&mut self.rows);
        self.rows.end(&mut self.file)
    }

    /// Writes what is still buffered.
    ///
    /// # Errors
    /// An error of the file system, usually a full disk.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A series that a run may not have: its file is made with the first row.
#[derive(Debug)]
pub(crate) struct SeriesOnDemand {
    folder: PathBuf,
    table: Table,
    made: Option<Series>,
}

impl SeriesOnDemand {
    /// A series in this folder.
    pub(crate) fn new(folder: &Path, table: Table) -> Self {
        Self { folder: folder.to_owned(), table, made: None }
    }

    /// Adds the row that `fill` packs.
    ///
    /// # Errors
    /// An error of the file system, usually a full disk.
    pub(crate) fn add(&mut self, fill: impl FnOnce(&mut RowWriter)) -> io::Result<()> {
        if self.made.is_none() {
            self.made = Some(Series::create(&self.folder, &self.table)?);
        }
        self.made.as_mut().map_or(Ok(()), |series| series.add(fill))
    }

    /// Writes what is still buffered.
    ///
    /// # Errors
    /// An error of the file system, usually a full disk.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.made.as_mut().map_or(Ok(()), Series::flush)
    }
}
