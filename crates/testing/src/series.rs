//! Compares the tables of record files with the declarations of series in Python (`python/airtcp/data/series`).

use std::collections::BTreeMap;
use std::path::Path;

use airtcp_plan::record::{EarlyEndRule, Kind, Table};
use serde::Deserialize;

/// Printed by `python -m airtcp.data.reference --json`; a test in Python keeps it up to date.
const DECLARATIONS: &str = "tests/series.json";

/// A series as Python declares it.
#[derive(Debug, Deserialize, PartialEq, Eq)]
struct Declaration {
    recorder: String,
    key: Vec<String>,
    early_end: EarlyEndRule,
    /// Types by names: where a value stands in a row is the recorder's business.
    columns: BTreeMap<String, String>,
}

/// Panics if these are not the tables, all of them, that Python declares for this recorder.
pub fn assert_declared(recorder: &str, tables: &[Table]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(DECLARATIONS);
    let text = std::fs::read_to_string(file).expect("the declarations are in the tree");
    let mut declared: BTreeMap<String, Declaration> =
        serde_json::from_str(&text).expect("Python wrote the declarations");
    declared.retain(|_, declaration| declaration.recorder == recorder);
    let found = tables.iter().map(|table| (table.name.clone(), declaration(recorder, table)));
    assert_eq!(found.collect::<BTreeMap<_, _>>(), declared);
}

fn declaration(recorder: &str, table: &Table) -> Declaration {
    let columns = table.columns.iter().map(|column| (column.name.clone(), type_name(column.kind).to_owned()));
    Declaration {
        recorder: recorder.to_owned(),
        key: table.key.clone(),
        early_end: table.early_end,
        columns: columns.collect(),
    }
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::U32 => "u32",
        Kind::I64 => "i64",
        Kind::U64 => "u64",
        Kind::F64 => "f64",
        Kind::Bytes(_) => "bytes",
    }
}
