//! Record files of anybody: a table with its rows or a reason, never a panic, and no memory that a length asked for.

use airtcp_plan::record::{EarlyEndRule, Kind, MAGIC, RecordError, RowWriter, Table};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

fn whole() -> Vec<u8> {
    let columns = [("time_ns", Kind::I64), ("flow", Kind::U32), ("raw", Kind::Bytes(3)), ("x", Kind::F64)];
    let table = Table::new("flows", &["flow"], EarlyEndRule::CutWithLastSample, &columns);
    let mut file = Vec::new();
    table.write_header(&mut file).unwrap();
    let mut rows = RowWriter::new(&table);
    for i in 0..4 {
        rows.i64(i).u32(7).bytes(b"abc").f64(0.5).end(&mut file).unwrap();
    }
    file
}

fn file(length: u32, header: &str) -> Vec<u8> {
    [&MAGIC[..], &length.to_le_bytes(), header.as_bytes()].concat()
}

proptest! {
    #![proptest_config(Config { cases: 2000, rng_seed: RngSeed::Fixed(6), failure_persistence: None, ..Config::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let with_magic = [&MAGIC[..], &bytes].concat();
        prop_assert!(Table::read(&mut bytes.as_slice()).is_err());
        if let Ok((table, rows)) = Table::read(&mut with_magic.as_slice()) {
            prop_assert_eq!(rows.len() % table.row_width(), 0);
        }
    }

    #[test]
    fn changed_bytes_are_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut file = whole();
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        file.truncate(if is_cut { cut.index(file.len()) } else { file.len() });
        if let Ok((table, rows)) = Table::read(&mut file.as_slice()) {
            prop_assert_eq!(rows.len() % table.row_width(), 0);
        }
    }
}

#[test]
fn a_length_is_no_reason_to_read_on() {
    let error = Table::read(&mut file(u32::MAX, "{}").as_slice()).unwrap_err();
    assert!(error.to_string().contains("more than"), "{error}");
    // Endless input: no more than the header is read of it.
    let begin = file(65_537, "");
    let mut endless = std::io::Read::chain(begin.as_slice(), std::io::repeat(b'['));
    assert!(matches!(Table::read(&mut endless), Err(RecordError::Header(_))));
}

#[test]
fn a_deep_header_is_refused() {
    let deep = "[".repeat(60_000);
    assert!(Table::read(&mut file(deep.len() as u32, &deep).as_slice()).is_err());
}
