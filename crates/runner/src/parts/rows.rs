//! The rows of one part in a record file, one after another.

use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::Path;

use airtcp_plan::record::{RecordError, RecordReader, Table};

use crate::guest_file;

/// Bytes of rows that are in memory of a file.
const PIECE_BYTES: usize = 256 << 10;

/// A record file that is read.
pub(super) type Reader = RecordReader<BufReader<File>>;
/// Whether a row is chosen.
type Chosen<'a> = Box<dyn Fn(&[u8]) -> Result<bool, RecordError> + 'a>;

/// Rows of a file that are chosen, in their order.
pub(super) struct Rows<'a> {
    reader: Reader,
    chosen: Chosen<'a>,
    piece: Vec<u8>,
    /// Where in the piece the next row begins.
    at: usize,
}

/// Opens a record file; `None` if there is none.
///
/// # Errors
/// It is damaged.
pub(super) fn open(path: &Path) -> Result<Option<Reader>, RecordError> {
    let file = match guest_file::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let reader = RecordReader::open(BufReader::new(file))?;
    reader.table().check_times()?;
    Ok(Some(reader))
}

impl<'a> Rows<'a> {
    /// The first of the rows that are `chosen`.
    ///
    /// # Errors
    /// The file is damaged, or a row can't be chosen.
    pub(super) fn of(
        reader: Reader,
        chosen: impl Fn(&[u8]) -> Result<bool, RecordError> + 'a,
    ) -> Result<Self, RecordError> {
        let mut rows = Self { reader, chosen: Box::new(chosen), piece: Vec::new(), at: 0 };
        rows.find()?;
        Ok(rows)
    }

    /// What the rows are.
    pub(super) fn table(&self) -> &Table {
        self.reader.table()
    }

    /// The next row; `None` at the end.
    pub(super) fn next(&self) -> Option<&[u8]> {
        self.piece.get(self.at..self.at + self.table().row_width())
    }

    /// Goes on to the row after the next one.
    ///
    /// # Errors
    /// The file is damaged, or a row can't be chosen.
    pub(super) fn advance(&mut self) -> Result<(), RecordError> {
        self.at += self.table().row_width();
        self.find()
    }

    /// Goes on to a row that is chosen, if this one is not.
    fn find(&mut self) -> Result<(), RecordError> {
        let width = self.table().row_width();
        loop {
            if self.next().is_none() {
                self.piece.clear();
                self.at = 0;
                if !self.reader.read(&mut self.piece, PIECE_BYTES)? {
                    return Ok(());
                }
            }
            if (self.chosen)(&self.piece[self.at..self.at + width])? {
                return Ok(());
            }
            self.at += width;
        }
    }
}
