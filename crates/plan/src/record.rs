//! Record files: the tables that are written inside the guest.
//!
//! A file is [`MAGIC`], the length of the header (u32), the header (JSON of [`Table`]), then rows without gaps. All
//! numbers are little-endian and nothing is compressed: the runner turns the file into Parquet afterwards.
//!
//! The header has everything that the runner needs to know of a series. In Rust each series is declared once, where its
//! rows are made: in `crates/air/src/trace`, `crates/guest/src/watch` or `crates/agent/src/traffic`.

use std::io::{self, Read, Write};
use std::ops::Range;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// First bytes of every record file; the last is the format's version.
pub const MAGIC: [u8; 8] = *b"AIRTCPR\x02";

/// Bytes of rows that are read at a time.
const PIECE_BYTES: usize = 1 << 20;
/// Longer than the header of any table.
const HEADER_BYTES_MOST: u32 = 64 << 10;

/// The declaration of a series.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Name of the series, which becomes the name of the Parquet file.
    pub name: String,
    /// The columns that identify what a row describes: rows with the same values in them are one time series.
    pub key: Vec<String>,
    /// What happens to its rows if the run ends before its planned time.
    pub early_end: EarlyEndRule,
    /// Columns in the order of their bytes.
    pub columns: Vec<Column>,
}

/// What happens to the rows of a table if the run ends before its planned time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EarlyEndRule {
    /// All rows stay: the recorder stops when the run ends.
    Keep,
    /// Rows after the end are removed: the recorder knows the planned end only.
    Cut,
    /// Rows after the end are removed, as by [`Self::Cut`], but rows with the time of the planned end stay and get the time of
    /// the end: they are the last samples, which the agent requests when the run ends.
    CutWithLastSample,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Name, ending in its unit.
    pub name: String,
    /// Type of its values.
    pub kind: Kind,
}

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// 32-bit unsigned.
    U32,
    /// 64-bit signed.
    I64,
    /// 64-bit unsigned.
    U64,
    /// 64-bit floating point.
    F64,
    /// Raw bytes of this fixed length.
    Bytes(u16),
}

impl Kind {
    /// Bytes one value takes.
    pub const fn width(self) -> usize {
        match self {
            Self::U32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
            Self::Bytes(n) => n as usize,
        }
    }
}

/// Why a record file can't be read.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The file could not be read at all.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// The file is not a record file, or it has another version.
    #[error("not a record file of this version")]
    Magic,
    /// The header of the file is damaged.
    #[error("damaged header: {0}")]
    Header(String),
    /// The file ends within a row.
    #[error("cut short: {rest} bytes after row {rows}, a row has {width}")]
    Truncated {
        /// Whole rows before the end.
        rows: usize,
        /// Bytes after them.
        rest: usize,
        /// Bytes of a row.
        width: usize,
    },
}

impl Table {
    /// A table of this name with these columns. Panics if the key names a column that is not there.
    pub fn new(name: &str, key: &[&str], early_end: EarlyEndRule, columns: &[(&str, Kind)]) -> Self {
        let columns = columns.iter().map(|&(name, kind)| Column { name: name.to_owned(), kind }).collect();
        let key = key.iter().map(|&name| name.to_owned()).collect();
        let table = Self { name: name.to_owned(), key, early_end, columns };
        assert!(table.key_cells().is_some(), "{name} has a key that is not among its columns");
        table
    }

    /// Where in a row the values of the key stand; `None` if the key names a column that is not there.
    pub fn key_cells(&self) -> Option<Vec<Range<usize>>> {
        self.key.iter().map(|name| self.cell(name)).collect()
    }

    /// Where in a row the value of this column stands.
    pub fn cell(&self, name: &str) -> Option<Range<usize>> {
        let place = self.columns.iter().position(|column| column.name == name)?;
        let start = self.columns[..place].iter().map(|column| column.kind.width()).sum();
        Some(start..start + self.columns[place].kind.width())
    }

    /// Where the numbers of this column stand; `None` if it is not there, or has no numbers.
    pub fn numbers(&self, name: &str) -> Option<Numbers> {
        let column = self.columns.iter().find(|column| column.name == name)?;
        let is_number = !matches!(column.kind, Kind::Bytes(_));
        is_number.then_some(Numbers { cell: self.cell(name)?, kind: column.kind })
    }

    /// Checks that rows begin with their time, so that [`time_ns`] can be asked about them.
    ///
    /// # Errors
    /// [`RecordError::Header`] if the table has no times.
    pub fn check_times(&self) -> Result<(), RecordError> {
        match self.columns.first() {
            Some(column) if column.kind == Kind::I64 => Ok(()),
            _ => Err(RecordError::Header("the first column is not a time".to_owned())),
        }
    }

    /// Bytes of one row.
    pub fn row_width(&self) -> usize {
        self.columns.iter().map(|c| c.kind.width()).sum()
    }

    /// Keeps the rows for which `keep` is true, in their order; `keep` may change the row it is asked about.
    pub fn retain(&self, rows: &mut Vec<u8>, mut keep: impl FnMut(&mut [u8]) -> bool) {
        let width = self.row_width();
        let mut kept = 0;
        for at in (0..rows.len()).step_by(width) {
            if keep(&mut rows[at..at + width]) {
                if kept < at {
                    rows.copy_within(at..at + width, kept);
                }
                kept += width;
            }
        }
        rows.truncate(kept);
    }

    /// Writes the beginning of a record file of this table.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn write_header(&self, out: &mut impl Write) -> io::Result<()> {
        let header = serde_json::to_vec(self)?;
        out.write_all(&MAGIC)?;
        out.write_all(&(header.len() as u32).to_le_bytes())?;
        out.write_all(&header)
    }

    /// Reads a whole record file: its table, and its rows as one byte string.
    ///
    /// # Errors
    /// [`RecordError`] if it is not a record file or is damaged.
    pub fn read(input: &mut impl Read) -> Result<(Self, Vec<u8>), RecordError> {
        let mut reader = RecordReader::open(input)?;
        let mut rows = Vec::new();
        while reader.read(&mut rows, PIECE_BYTES)? {}
        Ok((reader.table, rows))
    }
}

/// The time of a row that begins with one ([`Table::check_times`]): from the epoch.
pub fn time_ns(row: &[u8]) -> i64 {
    i64::from_le_bytes(*row.first_chunk().expect("a row has its first column"))
}

/// A record file that is read in pieces, so that its length does not matter.
#[derive(Debug)]
pub struct RecordReader<R> {
    table: Table,
    input: R,
    /// Whole rows so far.
    rows: usize,
}

impl<R: Read> RecordReader<R> {
    /// Reads the beginning of a record file.
    ///
    /// # Errors
    /// [`RecordError`] if it is not a record file or its header is damaged.
    pub fn open(mut input: R) -> Result<Self, RecordError> {
        let mut magic = [0; 8];
        input.read_exact(&mut magic).map_err(|_| RecordError::Magic)?;
        if magic != MAGIC {
            return Err(RecordError::Magic);
        }
        let mut length = [0; 4];
        input.read_exact(&mut length).map_err(|e| RecordError::Header(e.to_string()))?;
        let length = u32::from_le_bytes(length);
        if length > HEADER_BYTES_MOST {
            return Err(RecordError::Header(format!("{length} bytes are more than {HEADER_BYTES_MOST}")));
        }
        let mut header = Vec::new();
        input.by_ref().take(length.into()).read_to_end(&mut header)?;
        let table: Table = serde_json::from_slice(&header).map_err(|e| RecordError::Header(e.to_string()))?;
        if table.row_width() == 0 {
            return Err(RecordError::Header("no columns".to_owned()));
        }
        if table.key_cells().is_none() {
            return Err(RecordError::Header("the key names a column that is not there".to_owned()));
        }
        Ok(Self { table, input, rows: 0 })
    }

    /// The table that the file's rows belong to.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Appends the next rows, as many as `bytes` hold and at least one; false at the end of the file.
    ///
    /// # Errors
    /// [`RecordError::Truncated`] if the file ends within a row.
    pub fn read(&mut self, rows: &mut Vec<u8>, bytes: usize) -> Result<bool, RecordError> {
        let width = self.table.row_width();
        let most = (bytes / width).max(1) * width;
        let read = self.input.by_ref().take(most as u64).read_to_end(rows)?;
        self.rows += read / width;
        match read % width {
            0 => Ok(read > 0),
            rest => Err(RecordError::Truncated { rows: self.rows, rest, width }),
        }
    }
}

/// The numbers of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    cell: Range<usize>,
    kind: Kind,
}

impl Numbers {
    /// That of a row; integers beyond 2^53 are rounded. Panics if the row is another table's.
    pub fn of(&self, row: &[u8]) -> f64 {
        let bytes = &row[self.cell.clone()];
        let four = || bytes.try_into().expect("four bytes");
        let eight = || bytes.try_into().expect("eight bytes");
        match self.kind {
            Kind::U32 => f64::from(u32::from_le_bytes(four())),
            Kind::I64 => i64::from_le_bytes(eight()) as f64,
            Kind::U64 => u64::from_le_bytes(eight()) as f64,
            Kind::F64 => f64::from_le_bytes(eight()),
            Kind::Bytes(_) => unreachable!("these are no numbers"),
        }
    }
}

/// A row of a table.
pub trait Record {
    /// Writes the values of the row; the caller ends it.
    fn write(&self, row: &mut RowWriter);
}

/// Packs one row after another.
///
/// ```
/// use airtcp_plan::record::{EarlyEndRule, Kind, RowWriter, Table};
/// let columns = [("time_ns", Kind::I64), ("ping", Kind::U32)];
/// let table = Table::new("pings", &["ping"], EarlyEndRule::Keep, &columns);
/// let mut file = Vec::new();
/// table.write_header(&mut file)?;
/// let mut rows = RowWriter::new(&table);
/// rows.i64(5).u32(1).end(&mut file)?;
/// let (read, bytes) = Table::read(&mut file.as_slice()).unwrap();
/// assert_eq!(read, table);
/// assert_eq!(bytes.len(), 12);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct RowWriter {
    kinds: Vec<Kind>,
    at: usize,
    row: Vec<u8>,
}

impl RowWriter {
    /// A writer of rows of this table.
    pub fn new(table: &Table) -> Self {
        let kinds = table.columns.iter().map(|c| c.kind).collect();
        Self { kinds, at: 0, row: Vec::with_capacity(table.row_width()) }
    }

    fn put(&mut self, kind: Kind, bytes: &[u8]) -> &mut Self {
        assert_eq!(self.kinds.get(self.at), Some(&kind), "value {} of the row has another type", self.at);
        self.row.extend_from_slice(bytes);
        self.at += 1;
        self
    }

    /// The row's next value. Panics if its column has another type.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.put(Kind::U32, &value.to_le_bytes())
    }

    /// The row's next value. Panics if its column has another type.
    pub fn i64(&mut self, value: i64) -> &mut Self {
        self.put(Kind::I64, &value.to_le_bytes())
    }

    /// The row's next value. Panics if its column has another type.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.put(Kind::U64, &value.to_le_bytes())
    }

    /// The row's next value. Panics if its column has another type.
    pub fn f64(&mut self, value: f64) -> &mut Self {
        self.put(Kind::F64, &value.to_le_bytes())
    }

    /// The row's next value; shorter than its column, it is filled with zeros.
    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        let Some(&Kind::Bytes(width)) = self.kinds.get(self.at) else {
            panic!("value {} of the row is not raw bytes", self.at)
        };
        let kept = value.len().min(width as usize);
        self.row.extend_from_slice(&value[..kept]);
        self.row.resize(self.row.len() + width as usize - kept, 0);
        self.at += 1;
        self
    }

    /// Ends the row and writes it. Panics if values are missing.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn end(&mut self, out: &mut impl Write) -> io::Result<()> {
        assert_eq!(self.at, self.kinds.len(), "the row is not complete");
        out.write_all(&self.row)?;
        self.row.clear();
        self.at = 0;
        Ok(())
    }
}

/// Declares a table of records: name, key, what happens to its rows at an early end, and for each column its name, its type
/// and the expression that fills it. A column and its value cannot be exchanged with others, because they stand together.
///
/// Makes two functions: one returns the [`Table`], the other packs the values of a row. A column of raw bytes has its width in brackets.
/// Between two semicolons may stand columns that several tables share: `..Type = &value` ([`record_columns!`](crate::record_columns)).
///
/// ```
/// use airtcp_plan::record::RowWriter;
///
/// struct Reply {
///     sent_ns: i64,
///     rtt_ns: i64,
/// }
///
/// airtcp_plan::record! {
///     /// The table of `records/replies.rec`.
///     fn table() = "replies", key [ping], Keep;
///     /// Packs a row.
///     fn write(ping: u32, reply: &Reply) {
///         time_ns: i64 = reply.sent_ns,
///         ping: u32 = ping,
///         rtt_ns: i64 = reply.rtt_ns,
///     }
/// }
///
/// let mut file = Vec::new();
/// let mut row = RowWriter::new(&table());
/// write(&mut row, 0, &Reply { sent_ns: 5, rtt_ns: 7 });
/// row.end(&mut file)?;
/// assert_eq!(file.len(), table().row_width());
/// # Ok::<(), std::io::Error>(())
/// ```
#[macro_export]
macro_rules! record {
    (
        $(#[$table_attribute:meta])*
        $table_visibility:vis fn $table:ident($($width:ident: $width_type:ty)?)
            = $name:literal, key [$($key:ident),*], $rule:ident;
        $(#[$write_attribute:meta])*
        $write_visibility:vis fn $write:ident($($argument:ident: $type:ty),*) {
            $($column:ident: $kind:ident $([$bytes:expr])? = $value:expr),+
            $(;
                ..$shared:ident = $from:expr;
                $($later:ident: $later_kind:ident $([$later_bytes:expr])? = $later_value:expr),*
            )?
            $(,)?
        }
    ) => {
        $(#[$table_attribute])*
        $table_visibility fn $table($($width: $width_type)?) -> $crate::record::Table {
            $crate::record::Table::new(
                $name,
                &[$(stringify!($key)),*],
                $crate::record::EarlyEndRule::$rule,
                &[
                    &[$((stringify!($column), $crate::record_kind!($kind $([$bytes])?))),+][..],
                    $(
                        $shared::COLUMNS,
                        &[$((stringify!($later), $crate::record_kind!($later_kind $([$later_bytes])?))),*],
                    )?
                ]
                .concat(),
            )
        }

        $(#[$write_attribute])*
        $write_visibility fn $write(row: &mut $crate::record::RowWriter, $($argument: $type),*) {
            $(row.$kind($value);)+
            $(
                $shared::write_columns($from, row);
                $(row.$later_kind($later_value);)*
            )?
        }
    };
}

/// Declares columns that several tables share: of a type, and filled from a value of it.
#[macro_export]
macro_rules! record_columns {
    (
        $(#[$attribute:meta])*
        impl $type:ident($value:ident) {
            $($column:ident: $kind:ident = $from:expr),+ $(,)?
        }
    ) => {
        impl $type {
            $(#[$attribute])*
            pub const COLUMNS: &[(&'static str, $crate::record::Kind)] =
                &[$((stringify!($column), $crate::record_kind!($kind))),+];

            /// Packs the values of these columns.
            pub fn write_columns(&self, row: &mut $crate::record::RowWriter) {
                let $value = self;
                $(row.$kind($from);)+
            }
        }
    };
}

/// The [`Kind`] of a column in [`record!`], whose word is that of the method of [`RowWriter`].
#[doc(hidden)]
#[macro_export]
macro_rules! record_kind {
    (u32) => {
        $crate::record::Kind::U32
    };
    (i64) => {
        $crate::record::Kind::I64
    };
    (u64) => {
        $crate::record::Kind::U64
    };
    (f64) => {
        $crate::record::Kind::F64
    };
    (bytes [$width:expr]) => {
        $crate::record::Kind::Bytes($width)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_rows() -> Vec<u8> {
        let columns = [("time_ns", Kind::I64), ("raw", Kind::Bytes(3)), ("x", Kind::F64)];
        let table = Table::new("t", &[], EarlyEndRule::Keep, &columns);
        let mut file = Vec::new();
        table.write_header(&mut file).unwrap();
        let mut rows = RowWriter::new(&table);
        rows.i64(-1).bytes(b"ab").f64(0.5).end(&mut file).unwrap();
        rows.i64(2).bytes(b"abcd").f64(1.5).end(&mut file).unwrap();
        file
    }

    #[test]
    fn short_raw_values_are_filled_and_long_ones_cut() {
        let (_, rows) = Table::read(&mut two_rows().as_slice()).unwrap();
        assert_eq!(&rows[8..11], b"ab\0");
        assert_eq!(&rows[27..30], b"abc");
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "these are exact")]
    fn numbers_of_a_column_are_read() {
        let (table, rows) = Table::read(&mut two_rows().as_slice()).unwrap();
        let row = &rows[..table.row_width()];
        assert_eq!(table.numbers("time_ns").unwrap().of(row), -1.0);
        assert_eq!(table.numbers("x").unwrap().of(row), 0.5);
        assert!(table.numbers("raw").is_none() && table.numbers("y").is_none());
    }

    #[test]
    fn a_cut_file_is_refused() {
        let file = two_rows();
        let cut = &file[..file.len() - 1];
        let error = Table::read(&mut &cut[..]).unwrap_err();
        assert_eq!(error.to_string(), "cut short: 18 bytes after row 1, a row has 19");
    }

    #[test]
    fn another_file_is_refused() {
        assert!(matches!(Table::read(&mut &b"PAR1...."[..]), Err(RecordError::Magic)));
        assert!(matches!(Table::read(&mut &b""[..]), Err(RecordError::Magic)));
    }

    #[test]
    #[should_panic(expected = "value 0 of the row has another type")]
    fn a_value_of_the_wrong_type_is_our_bug() {
        RowWriter::new(&Table::new("t", &[], EarlyEndRule::Keep, &[("x", Kind::U32)])).u64(1);
    }

    #[test]
    fn a_key_is_found_in_rows() {
        let columns =
            [("time_ns", Kind::I64), ("raw", Kind::Bytes(3)), ("nic", Kind::U32), ("peer", Kind::U32)];
        let mut table = Table::new("t", &["nic", "peer"], EarlyEndRule::Cut, &columns);
        assert_eq!(table.key_cells(), Some(vec![11..15, 15..19]));
        table.key.push("ac".to_owned());
        let mut file = Vec::new();
        table.write_header(&mut file).unwrap();
        assert!(matches!(Table::read(&mut file.as_slice()), Err(RecordError::Header(_))));
    }
}
