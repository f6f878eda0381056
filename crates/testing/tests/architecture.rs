//! The arrows of ARCHITECTURE.md for Rust, held against the imports of every file.
//!
//! Each list below names rooms from the lowest to the highest. A room may use rooms that stand before it, and of those the named
//! ones only. So the lists themselves have no cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Meta, UseTree};

/// A room and the rooms that it uses.
type Arrows = &'static [(&'static str, &'static [&'static str])];

/// Crates and the crates that they depend on, tests aside.
const CRATES: Arrows = &[
    ("units", &[]),
    ("random", &[]),
    ("plan", &["units"]),
    ("workload", &["plan", "random"]),
    ("air", &["units", "random", "plan"]),
    ("guest", &["units", "plan", "air"]),
    ("agent", &["random", "plan", "workload"]),
    ("runner", &["plan", "air"]),
    ("testing", &["plan"]),
];

/// Modules of a crate and the modules that they use. A crate that is not listed has too few modules for rooms.
const MODULES: &[(&str, Arrows)] = &[
    (
        "agent",
        &[
            ("failure", &[]),
            ("guest_paths", &[]),
            ("clock", &[]),
            ("sample_plan", &[]),
            ("sys", &["failure", "guest_paths"]),
            ("process", &["failure"]),
            ("boot", &["failure", "guest_paths"]),
            ("ending", &["guest_paths"]),
            ("netlink", &["failure", "sys"]),
            ("wireless", &["failure", "guest_paths", "clock", "sys", "process", "ending", "netlink"]),
            ("network", &["failure", "clock", "sys", "process", "netlink", "wireless"]),
            (
                "traffic",
                &["failure", "guest_paths", "clock", "sys", "process", "ending", "wireless", "network"],
            ),
            ("run", &["failure", "guest_paths", "clock", "boot", "ending", "network", "traffic"]),
        ],
    ),
    (
        "guest",
        &[
            ("frame_hash", &[]),
            ("frame_heads", &[]),
            ("output", &[]),
            ("progress", &[]),
            ("heartbeat", &[]),
            ("abi", &[]),
            ("series", &["output"]),
            ("frames", &["frame_hash", "frame_heads"]),
            ("host", &["frames"]),
            ("border", &["frame_hash", "frames", "host"]),
            ("radio_config", &["abi"]),
            ("capture", &["output", "frames"]),
            ("watch", &["output", "series", "capture"]),
            ("radios", &["capture"]),
            ("recorder", &["output", "series", "frames", "capture"]),
            (
                "engine",
                &["progress", "heartbeat", "frames", "host", "border", "capture", "radios", "recorder"],
            ),
            ("start", &["progress", "heartbeat", "host", "capture", "watch", "radios", "recorder", "engine"]),
            (
                "kernel",
                &[
                    "frame_hash",
                    "frame_heads",
                    "abi",
                    "frames",
                    "host",
                    "radio_config",
                    "capture",
                    "watch",
                    "radios",
                    "engine",
                    "start",
                ],
            ),
        ],
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

#[test]
fn declared_arrows_lead_to_lower_rooms() {
    let lists = MODULES.iter().map(|(name, arrows)| (*name, *arrows));
    for (name, arrows) in lists.chain([("crates", CRATES)]) {
        let mut lower = BTreeSet::new();
        for (room, used) in arrows {
            let higher: Vec<_> = used.iter().filter(|used| !lower.contains(*used)).collect();
            assert!(higher.is_empty(), "{name}: {room} uses {higher:?}, which do not stand before it");
            lower.insert(room);
        }
    }
}

#[test]
fn crates_depend_on_the_crates_that_are_declared() {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let short = |name: &serde_json::Value| name.as_str()?.strip_prefix("airtcp-").map(str::to_owned);
    let mut found = BTreeMap::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        let of_code = dependencies.iter().filter(|dependency| dependency["kind"].is_null());
        let used: BTreeSet<_> = of_code.filter_map(|dependency| short(&dependency["name"])).collect();
        found.insert(short(&package["name"]).expect("every crate's name begins with airtcp-"), used);
    }
    let declared = CRATES.iter().map(|(name, used)| {
        ((*name).to_owned(), used.iter().map(|used| (*used).to_owned()).collect::<BTreeSet<_>>())
    });
    assert_eq!(found, declared.collect(), "left: Cargo.toml of each crate; right: this file");
}

#[test]
fn modules_use_the_modules_that_are_declared() {
    for (name, arrows) in MODULES {
        let found = Crate::read(&root().join("crates").join(name).join("src")).arrows();
        let declared: BTreeMap<_, _> = arrows.iter().copied().collect();
        for ((from, to), file) in &found {
            let used = declared.get(from.as_str());
            let used =
                used.unwrap_or_else(|| panic!("crates/{name}: module {from} is not declared in this file"));
            assert!(
                used.contains(&to.as_str()),
                "{}: {from} uses {to}, which is not declared",
                file.display()
            );
        }
        for (from, used) in *arrows {
            for to in *used {
                let arrow = ((*from).to_owned(), (*to).to_owned());
                assert!(
                    found.contains_key(&arrow),
                    "crates/{name}: {from} no longer uses {to}: remove the arrow"
                );
            }
        }
    }
}

/// The modules of a crate.
struct Crate {
    source: PathBuf,
    /// Modules below the root.
    rooms: BTreeSet<String>,
    /// Names that the root exports, and the module that each comes from.
    exported: BTreeMap<String, String>,
}

impl Crate {
    fn read(source: &Path) -> Self {
        let root = ["lib.rs", "main.rs"].iter().map(|name| source.join(name)).find(|file| file.is_file());
        let file = parse(&root.expect("a crate has a root"));
        let (mut rooms, mut exported) = (BTreeSet::new(), BTreeMap::new());
        for item in &file.items {
            match item {
                Item::Mod(module) => drop(rooms.insert(module.ident.to_string())),
                Item::Use(import) => {
                    for path in paths(&import.tree) {
                        exported.insert(path[path.len() - 1].clone(), path[0].clone());
                    }
                }
                _ => {}
            }
        }
        Self { source: source.to_owned(), rooms, exported }
    }

    /// From room to room, with a file that makes it so.
    fn arrows(&self) -> BTreeMap<(String, String), PathBuf> {
        let mut found = BTreeMap::new();
        for file in rust_files(&self.source) {
            let inside = file.strip_prefix(&self.source).expect("below the source").with_extension("");
            let mut module: Vec<String> =
                inside.iter().map(|part| part.to_str().expect("plain names").to_owned()).collect();
            if module.last().is_some_and(|last| last == "mod") {
                module.pop();
            }
            if ["lib", "main"].contains(&module[0].as_str()) || module.iter().any(|part| part == "tests") {
                continue;
            }
            let room = module[0].clone();
            let mut imports = Imports { module, found: Vec::new() };
            imports.visit_file(&parse(&file));
            let rooms = imports.found.iter().filter_map(|path| self.room_of(path));
            for used in rooms.filter(|used| *used != room) {
                found.entry((room.clone(), used)).or_insert_with(|| file.clone());
            }
        }
        found
    }

    /// The room that a path from the crate's root leads into; `None`: the root itself.
    fn room_of(&self, path: &[String]) -> Option<String> {
        let first = path.first()?;
        if self.rooms.contains(first) {
            return Some(first.clone());
        }
        self.exported.get(first).filter(|room| self.rooms.contains(*room)).cloned()
    }
}

/// Collects paths from the crate's root.
struct Imports {
    /// The module at hand.
    module: Vec<String>,
    found: Vec<Vec<String>>,
}

impl Imports {
    /// Notes a path if it leads through the crate's root.
    fn add(&mut self, path: &[String]) {
        let ups = path.iter().take_while(|part| *part == "super").count();
        if path[0] == "crate" {
            self.found.push(path[1..].to_vec());
        } else if ups > 0 && ups <= self.module.len() {
            let above = &self.module[..self.module.len() - ups];
            self.found.push(above.iter().chain(&path[ups..]).cloned().collect());
        }
    }
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item(&mut self, item: &'ast Item) {
        if !attributes(item).iter().any(is_test) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.module.push(module.ident.to_string());
        visit::visit_item_mod(self, module);
        self.module.pop();
    }

    fn visit_item_use(&mut self, import: &'ast ItemUse) {
        for path in paths(&import.tree) {
            self.add(&path);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(&parts);
        visit::visit_path(self, path);
    }
}

/// The paths of an import; a name that is given with `as` counts by its own.
fn paths(tree: &UseTree) -> Vec<Vec<String>> {
    match tree {
        UseTree::Path(path) => {
            let with_own = |mut rest: Vec<String>| {
                rest.insert(0, path.ident.to_string());
                rest
            };
            paths(&path.tree).into_iter().map(with_own).collect()
        }
        UseTree::Name(name) => vec![vec![name.ident.to_string()]],
        UseTree::Rename(name) => vec![vec![name.ident.to_string()]],
        UseTree::Glob(_) => vec![vec!["*".to_owned()]],
        UseTree::Group(group) => group.items.iter().flat_map(paths).collect(),
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn is_test(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    list.path.is_ident("cfg") && list.tokens.to_string() == "test"
}

fn parse(file: &Path) -> syn::File {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}
