//! Record files to Parquet: the same table, column by column, in groups of rows that are made one after another.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::sync::Arc;

use airtcp_plan::record::{Kind, RecordError, RecordReader, Table};
use bytes::Bytes;
use parquet::basic::{Compression, Repetition, Type as PhysicalType};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, FixedLenByteArray};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};
use thiserror::Error;

use crate::guest_file;

/// Bytes of the rows of a group: what is in memory of a series, however long the run. A page of Parquet has 1 MiB, so that
/// larger groups are hardly packed better.
const GROUP_BYTES: usize = 2 << 20;

/// Why a series could not be made.
#[derive(Debug, Error)]
pub enum SeriesError {
    /// The record file is damaged.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The Parquet file could not be written.
    #[error(transparent)]
    Parquet(#[from] ParquetError),
    /// A file could not be opened.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What becomes of the rows of a table on their way; it is asked about one piece after another.
pub trait Keep {
    /// Whether [`Self::look`] must have seen all rows before any are kept.
    fn must_look(&self, _table: &Table) -> bool {
        false
    }

    /// Looks at rows.
    ///
    /// # Errors
    /// A table without what it needs.
    fn look(&mut self, _table: &Table, _rows: &[u8]) -> Result<(), RecordError> {
        Ok(())
    }

    /// The rows that stay.
    ///
    /// # Errors
    /// A table without what it needs.
    fn keep(&self, table: &Table, rows: Vec<u8>) -> Result<Vec<u8>, RecordError>;
}

/// Turns the record file `from` into the Parquet file `to`, of the rows that are kept. The result depends on the records
/// alone: no time and no machine enters it.
///
/// # Errors
/// [`SeriesError`].
pub fn convert(from: &Path, to: &Path, keep: &mut impl Keep) -> Result<(), SeriesError> {
    let open =
        || -> Result<_, SeriesError> { Ok(RecordReader::open(BufReader::new(guest_file::open(from)?))?) };
    let mut reader = open()?;
    let table = reader.table().clone();
    if keep.must_look(&table) {
        let (mut first, mut rows) = (open()?, Vec::new());
        while first.read(&mut rows, GROUP_BYTES)? {
            keep.look(&table, &rows)?;
            rows.clear();
        }
    }
    let schema = Arc::new(schema_of(&table)?);
    let mut file = SerializedFileWriter::new(File::create(to)?, schema, Arc::new(properties(&table)))?;
    let group_bytes = (GROUP_BYTES / table.row_width()).max(1) * table.row_width();
    let (mut group, mut piece) = (Vec::new(), Vec::new());
    while reader.read(&mut piece, group_bytes - group.len())? {
        group.extend(keep.keep(&table, std::mem::take(&mut piece))?);
        if group.len() == group_bytes {
            write_group(&mut file, &table, std::mem::take(&mut group))?;
        }
    }
    // A series without rows has one group, an empty one.
    if !group.is_empty() || file.flushed_row_groups().is_empty() {
        write_group(&mut file, &table, group)?;
    }
    file.close()?;
    Ok(())
}

fn properties(table: &Table) -> WriterProperties {
    let mut properties =
        WriterProperties::builder().set_compression(Compression::SNAPPY).set_created_by("airtcp".to_owned());
    // Kernel structures hardly repeat, and nothing reads their minimum: a dictionary and statistics would be most of the work.
    for column in table.columns.iter().filter(|column| matches!(column.kind, Kind::Bytes(_))) {
        let path = ColumnPath::from(column.name.as_str());
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_statistics_enabled(path, EnabledStatistics::None);
    }
    properties.build()
}

fn write_group(
    file: &mut SerializedFileWriter<File>,
    table: &Table,
    rows: Vec<u8>,
) -> Result<(), SeriesError> {
    let rows = Bytes::from(rows);
    let mut group = file.next_row_group()?;
    let mut offset = 0;
    for column in &table.columns {
        let mut writer = group.next_column()?.expect("one writer for each column of the schema");
        let cells = Cells { rows: &rows, width: table.row_width(), offset, size: column.kind.width() };
        write_column(writer.untyped(), column.kind, &cells)?;
        writer.close()?;
        offset += column.kind.width();
    }
    group.close()?;
    Ok(())
}

fn schema_of(table: &Table) -> Result<Type, ParquetError> {
    let fields: Result<Vec<_>, ParquetError> = table
        .columns
        .iter()
        .map(|column| {
            let (physical, converted, length) = match column.kind {
                Kind::U32 => (PhysicalType::INT32, parquet::basic::ConvertedType::UINT_32, -1),
                Kind::I64 => (PhysicalType::INT64, parquet::basic::ConvertedType::INT_64, -1),
                Kind::U64 => (PhysicalType::INT64, parquet::basic::ConvertedType::UINT_64, -1),
                Kind::F64 => (PhysicalType::DOUBLE, parquet::basic::ConvertedType::NONE, -1),
                Kind::Bytes(n) => {
                    (PhysicalType::FIXED_LEN_BYTE_ARRAY, parquet::basic::ConvertedType::NONE, i32::from(n))
                }
            };
            let field = Type::primitive_type_builder(&column.name, physical)
                .with_repetition(Repetition::REQUIRED)
                .with_converted_type(converted)
                .with_length(length)
                .build()?;
            Ok(Arc::new(field))
        })
        .collect();
    Type::group_type_builder("airtcp").with_fields(fields?).build()
}

/// The bytes of one column's values.
struct Cells<'a> {
    rows: &'a Bytes,
    width: usize,
    offset: usize,
    size: usize,
}

impl Cells<'_> {
    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.rows.chunks_exact(self.width).map(|row| &row[self.offset..self.offset + self.size])
    }

    fn numbers<const N: usize, T>(&self, from: impl Fn([u8; N]) -> T) -> Vec<T> {
        self.iter().map(|cell| from(cell.try_into().expect("a cell has its column's width"))).collect()
    }
}

fn write_column(writer: &mut ColumnWriter<'_>, kind: Kind, cells: &Cells<'_>) -> Result<(), ParquetError> {
    match (kind, writer) {
        (Kind::U32, ColumnWriter::Int32ColumnWriter(w)) => {
            w.write_batch(&cells.numbers(i32::from_le_bytes), None, None)?
        }
        (Kind::I64 | Kind::U64, ColumnWriter::Int64ColumnWriter(w)) => {
            w.write_batch(&cells.numbers(i64::from_le_bytes), None, None)?
        }
        (Kind::F64, ColumnWriter::DoubleColumnWriter(w)) => {
            w.write_batch(&cells.numbers(f64::from_le_bytes), None, None)?
        }
        (Kind::Bytes(_), ColumnWriter::FixedLenByteArrayColumnWriter(w)) => {
            let whole = |cell| FixedLenByteArray::from(ByteArray::from(cells.rows.slice_ref(cell)));
            let values: Vec<_> = cells.iter().map(whole).collect();
            w.write_batch(&values, None, None)?
        }
        _ => unreachable!("the schema was made from the same table"),
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_plan::record::{EarlyEndRule, RowWriter};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    struct All;

    impl Keep for All {
        fn keep(&self, _: &Table, rows: Vec<u8>) -> Result<Vec<u8>, RecordError> {
            assert!(rows.len() <= GROUP_BYTES, "a piece is a group at most");
            Ok(rows)
        }
    }

    /// Every second row, once all have been seen.
    #[derive(Default)]
    struct Half {
        seen: usize,
    }

    impl Keep for Half {
        fn must_look(&self, _: &Table) -> bool {
            true
        }

        fn look(&mut self, table: &Table, rows: &[u8]) -> Result<(), RecordError> {
            self.seen += rows.len() / table.row_width();
            Ok(())
        }

        fn keep(&self, table: &Table, mut rows: Vec<u8>) -> Result<Vec<u8>, RecordError> {
            assert_eq!(self.seen, 3 * GROUP_BYTES / table.row_width());
            table.retain(&mut rows, |row| row[0].is_multiple_of(2));
            Ok(rows)
        }
    }

    #[test]
    fn a_long_series_is_made_in_groups_that_are_full() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("t.rec"), folder.path().join("t.parquet"));
        let table = Table::new("t", &[], EarlyEndRule::Keep, &[("a", Kind::I64), ("b", Kind::Bytes(504))]);
        let mut file = Vec::new();
        table.write_header(&mut file).unwrap();
        let in_group = GROUP_BYTES / 512;
        let count = i64::try_from(3 * in_group).unwrap();
        let mut rows = RowWriter::new(&table);
        for a in 0..count {
            rows.i64(a).bytes(b"x").end(&mut file).unwrap();
        }
        std::fs::write(&from, file).unwrap();
        let groups = |keep: &mut dyn FnMut() -> Result<(), SeriesError>| {
            keep().unwrap();
            let reader = SerializedFileReader::new(File::open(&to).unwrap()).unwrap();
            let groups = reader.metadata().row_groups();
            let sizes: Vec<_> = groups.iter().map(|group| group.num_rows() as usize).collect();
            let values = reader.get_row_iter(None).unwrap().map(|row| row.unwrap().get_long(0).unwrap());
            (sizes, values.collect::<Vec<_>>())
        };
        let all = groups(&mut || convert(&from, &to, &mut All));
        assert_eq!(all, (vec![in_group; 3], (0..count).collect()));
        let half = groups(&mut || convert(&from, &to, &mut Half::default()));
        assert_eq!(half, (vec![in_group, in_group / 2], (0..count).step_by(2).collect()));
    }

    #[test]
    fn every_type_comes_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("t.rec"), folder.path().join("t.parquet"));
        let columns =
            [("a", Kind::U32), ("b", Kind::I64), ("c", Kind::U64), ("d", Kind::F64), ("e", Kind::Bytes(2))];
        let table = Table::new("t", &[], EarlyEndRule::Keep, &columns);
        let mut file = Vec::new();
        table.write_header(&mut file).unwrap();
        let mut rows = RowWriter::new(&table);
        rows.u32(u32::MAX).i64(-5).u64(u64::MAX).f64(0.25).bytes(b"xy").end(&mut file).unwrap();
        std::fs::write(&from, file).unwrap();
        convert(&from, &to, &mut All).unwrap();
        let reader = SerializedFileReader::new(File::open(&to).unwrap()).unwrap();
        let row = reader.get_row_iter(None).unwrap().next().unwrap().unwrap();
        assert_eq!((row.get_uint(0).unwrap(), row.get_long(1).unwrap()), (u32::MAX, -5));
        assert_eq!((row.get_ulong(2).unwrap(), row.get_double(3).unwrap()), (u64::MAX, 0.25));
        assert_eq!(row.get_bytes(4).unwrap().data(), b"xy");
    }

    #[test]
    fn equal_records_give_equal_files() {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("t.rec");
        let mut file = Vec::new();
        let table = Table::new("t", &[], EarlyEndRule::Keep, &[("a", Kind::U32)]);
        table.write_header(&mut file).unwrap();
        std::fs::write(&from, file).unwrap();
        let made = ["x", "y"].map(|name| {
            let to = folder.path().join(name);
            convert(&from, &to, &mut All).unwrap();
            std::fs::read(to).unwrap()
        });
        assert_eq!(made[0], made[1]);
    }
}
