//! The arrows of ARCHITECTURE.md for Rust, held against the imports of every file.

mod imports;
mod rooms;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use imports::{Crate, Import, circle};
use rooms::{CRATES, MODULES, Room};

/// The file that declares what may use what.
const DECLARED: &str = "crates/testing/tests/architecture/rooms.rs";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// Imports that are not declared, and declared arrows that no import needs.
fn differences(declared: &[Room], imports: &[Import]) -> Vec<String> {
    let arrows: BTreeSet<_> =
        declared.iter().flat_map(|room| room.uses.iter().map(|used| (room.name, *used))).collect();
    let found: BTreeSet<_> = imports.iter().map(|import| (&*import.from, &*import.to)).collect();
    let undeclared = imports.iter().filter(|import| !arrows.contains(&(&*import.from, &*import.to)));
    let undeclared =
        undeclared.map(|Import { from, to, place }| format!("{place}: `{from}` uses `{to}` undeclared"));
    let unused = arrows.difference(&found);
    let unused = unused.map(|(from, to)| format!("`{from}` no longer uses `{to}`: remove the arrow"));
    undeclared.chain(unused).collect()
}

/// Fails with a line for each difference.
fn assert_declared(list: &str, declared: &[Room], imports: &[Import]) {
    let found = differences(declared, imports);
    assert!(
        found.is_empty(),
        "the imports differ from the list of {list} in {DECLARED}. Move the code, or change the list if the design \
         changes:\n  {}\n",
        found.join("\n  ")
    );
}

#[test]
fn rooms_use_only_rooms_that_stand_before_them() {
    let lists = MODULES.iter().copied().chain([("crates", CRATES)]);
    for (list, rooms) in lists {
        let mut lower = BTreeSet::new();
        for room in rooms {
            let higher: Vec<_> = room.uses.iter().filter(|used| !lower.contains(*used)).collect();
            assert!(higher.is_empty(), "{list}: {} uses {higher:?}, which do not stand before it", room.name);
            lower.insert(room.name);
        }
    }
}

#[test]
fn crates_depend_on_the_crates_that_are_declared() {
    assert_declared("crates", CRATES, &imports::of_manifests(&root()));
}

/// The crate of a list of modules, and the modules that lead to theirs.
fn place(list: &str) -> (Crate, Vec<&str>) {
    let mut names = list.split("::");
    (Crate::read(&root(), names.next().expect("a list has a name")), names.collect())
}

#[test]
fn modules_use_the_modules_that_are_declared() {
    for (list, rooms) in MODULES {
        let (of, inside) = place(list);
        assert_declared(list, rooms, &of.of_modules(&inside));
    }
}

#[test]
fn every_module_is_declared() {
    for (list, rooms) in MODULES {
        let (of, inside) = place(list);
        let declared = rooms.iter().map(|room| room.name.to_owned());
        assert_eq!(of.modules(&inside), declared.collect(), "left: the modules of {list}; right: {DECLARED}");
    }
}

/// A file may use what files define that do not use it, by whatever way. Move a definition below both, or what uses it above.
#[test]
fn files_use_each_other_in_no_circle() {
    for Room { name, .. } in CRATES {
        let imports = Crate::read(&root(), name).of_files();
        let steps = circle(&imports).unwrap_or_default();
        let lines: Vec<_> = steps.iter().map(|step| format!("{} uses {}", step.place, step.to)).collect();
        assert!(lines.is_empty(), "files of {name} use each other in a circle:\n  {}\n", lines.join("\n  "));
    }
}

#[test]
fn the_document_shows_the_crates_that_are_declared() {
    let document = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    let rows = document.lines().filter(|line| line.starts_with("| `crates/")).map(|row| {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let name = cells[1].trim_matches('`').trim_start_matches("crates/").to_owned();
        let uses = cells[3].split(", ").filter(|used| !used.is_empty()).map(str::to_owned);
        (name, uses.collect::<BTreeSet<_>>())
    });
    let shown: BTreeMap<_, _> = rows.collect();
    let declared = CRATES.iter().map(|room| {
        (room.name.to_owned(), room.uses.iter().map(|used| (*used).to_owned()).collect::<BTreeSet<_>>())
    });
    assert_eq!(shown, declared.collect(), "left: the table of crates in ARCHITECTURE.md; right: {DECLARED}");
}

#[test]
fn an_undeclared_import_and_an_unused_arrow_are_found() {
    let declared = [Room { name: "low", uses: &[] }, Room { name: "high", uses: &["low"] }];
    let import =
        |from: &str, to: &str| Import { from: from.into(), to: to.into(), place: "src/low.rs:7".into() };
    assert!(differences(&declared, &[import("high", "low")]).is_empty());
    assert_eq!(
        differences(&declared, &[import("low", "high")]),
        ["src/low.rs:7: `low` uses `high` undeclared", "`high` no longer uses `low`: remove the arrow"]
    );
}

#[test]
fn a_circle_is_found_behind_what_leads_to_it() {
    let import = |from: &str, to: &str| Import { from: from.into(), to: to.into(), place: String::new() };
    let mut imports = vec![import("a", "b"), import("b", "c"), import("c", "d"), import("c", "e")];
    assert!(circle(&imports).is_none());
    imports.push(import("d", "b"));
    let steps: Vec<_> = circle(&imports).expect("b, c, d").iter().map(|step| &*step.from).collect();
    assert_eq!(steps, ["b", "c", "d"]);
}
