//! The imports of the code: `use` declarations, paths, and paths in the arguments of macros, read along the tree of modules.
//!
//! Code under `#[cfg(test)]` does not count: a test may compare any two rooms.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItemFn, Item, ItemMod, ItemUse, Macro, UseRename, UseTree, VisRestricted};

/// The use of one room by another.
#[derive(PartialEq, Eq)]
pub(crate) struct Import {
    pub(crate) from: String,
    pub(crate) to: String,
    /// Where it is: `FILE:LINE`.
    pub(crate) place: String,
}

/// The dependencies of each crate on others of the workspace, tests aside. Names are without `airtcp-`.
pub(crate) fn of_manifests(workspace: &Path) -> Vec<Import> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(workspace)
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let short = |name: &serde_json::Value| name.as_str()?.strip_prefix("airtcp-").map(str::to_owned);
    let mut imports = Vec::new();
    for package in metadata["packages"].as_array().expect("a workspace has packages") {
        let from = short(&package["name"]).expect("the name of each crate begins with airtcp-");
        let dependencies = package["dependencies"].as_array().expect("a package has dependencies");
        let of_code = dependencies.iter().filter(|dependency| dependency["kind"].is_null());
        imports.extend(of_code.filter_map(|dependency| short(&dependency["name"])).map(|to| Import {
            from: from.clone(),
            to,
            place: format!("crates/{from}/Cargo.toml"),
        }));
    }
    imports
}

/// The uses of one top-level module of a crate by another. The root of the crate (`lib.rs` or `main.rs`) may use all.
pub(crate) fn of_crate(workspace: &Path, name: &str) -> Vec<Import> {
    let root = root_of(workspace, name);
    let file = parse(&root);
    let mut reader = Reader {
        workspace,
        exported: exported(&file),
        folder: root.with_file_name(""),
        file: root,
        module: Vec::new(),
        imports: Vec::new(),
    };
    reader.visit_file(&file);
    // One `use` may name several items of a room.
    reader.imports.dedup();
    reader.imports
}

/// The top-level modules of a crate.
pub(crate) fn modules(workspace: &Path, name: &str) -> BTreeSet<String> {
    let items = parse(&root_of(workspace, name)).items;
    let modules = items.iter().filter_map(|item| match item {
        Item::Mod(module) if !is_test(&module.attrs) => Some(module.ident.to_string()),
        _ => None,
    });
    modules.collect()
}

fn root_of(workspace: &Path, name: &str) -> PathBuf {
    let source = workspace.join("crates").join(name).join("src");
    let roots = ["lib.rs", "main.rs"].map(|name| source.join(name));
    roots.into_iter().find(|file| file.is_file()).expect("a crate has a root")
}

fn parse(path: &Path) -> syn::File {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names that the root of a crate has, and the top-level module that each comes from.
fn exported(root: &syn::File) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for item in &root.items {
        match item {
            Item::Mod(module) => drop(names.insert(module.ident.to_string(), module.ident.to_string())),
            Item::Use(import) => each_path(&import.tree, &mut Vec::new(), &mut |path| {
                let path: Vec<_> =
                    path.iter().map(ToString::to_string).filter(|part| part != "crate").collect();
                if let [module, .., name] = path.as_slice() {
                    names.insert(name.clone(), module.clone());
                }
            }),
            _ => {}
        }
    }
    names
}

/// Calls `found` with every path that a `use` names. A renamed item counts by its own name; a glob ends with its module.
fn each_path(tree: &UseTree, path: &mut Vec<Ident>, found: &mut impl FnMut(&[Ident])) {
    match tree {
        UseTree::Path(part) => {
            path.push(part.ident.clone());
            each_path(&part.tree, path, found);
            path.pop();
        }
        UseTree::Name(syn::UseName { ident }) | UseTree::Rename(UseRename { ident, .. }) => {
            path.push(ident.clone());
            found(path);
            path.pop();
        }
        UseTree::Glob(_) => found(path),
        UseTree::Group(group) => group.items.iter().for_each(|tree| each_path(tree, path, found)),
    }
}

/// Visits a module and those below it.
struct Reader<'a> {
    workspace: &'a Path,
    exported: BTreeMap<String, String>,
    file: PathBuf,
    /// The folder with the files of this module's children.
    folder: PathBuf,
    /// The path of this module from the root of the crate.
    module: Vec<String>,
    imports: Vec<Import>,
}

impl Reader<'_> {
    /// Adds an import if the path leads into another top-level module.
    fn add(&mut self, path: &[Ident]) {
        let (Some(from), Some(first)) = (self.module.first(), path.first()) else { return };
        let mut absolute = match first.to_string().as_str() {
            "crate" => Vec::new(),
            "self" | "super" => self.module.clone(),
            _ => return,
        };
        for part in path.iter().map(ToString::to_string) {
            match part.as_str() {
                "crate" | "self" => {}
                "super" => drop(absolute.pop()),
                _ => absolute.push(part),
            }
        }
        let Some(to) = absolute.first().and_then(|name| self.exported.get(name)) else { return };
        if from != to {
            let file = self.file.strip_prefix(self.workspace).expect("a file of the workspace");
            let place = format!("{}:{}", file.display(), first.span().start().line);
            self.imports.push(Import { from: from.clone(), to: to.clone(), place });
        }
    }

    /// Adds the paths in the arguments of a macro, which `syn` leaves as tokens.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut colons) = (Vec::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Ident(part) => {
                    if colons != 2 {
                        self.add(&std::mem::take(&mut path));
                    }
                    path.push(part);
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => self.add_tokens(group.stream()),
                _ => {
                    self.add(&std::mem::take(&mut path));
                    colons = 0;
                }
            }
        }
        self.add(&path);
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    let of_test = |condition: syn::Path| condition.is_ident("test");
    let mut conditions = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    conditions.any(|attribute| attribute.parse_args().is_ok_and(of_test))
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

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        let name = module.ident.to_string();
        let folder = self.folder.join(&name);
        let beside = self.folder.join(format!("{name}.rs"));
        let before = (self.file.clone(), std::mem::replace(&mut self.folder, folder));
        self.module.push(name);
        if module.content.is_some() {
            visit::visit_item_mod(self, module);
        } else {
            self.file = if beside.is_file() { beside } else { self.folder.join("mod.rs") };
            let file = parse(&self.file);
            self.visit_file(&file);
        }
        self.module.pop();
        (self.file, self.folder) = before;
    }

    fn visit_item_use(&mut self, import: &'ast ItemUse) {
        each_path(&import.tree, &mut Vec::new(), &mut |path| self.add(path));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<_> = path.segments.iter().map(|segment| segment.ident.clone()).collect();
        self.add(&parts);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.add_tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    /// `pub(crate)` and the like import nothing.
    fn visit_vis_restricted(&mut self, _: &'ast VisRestricted) {}
}
