//! The imports of the code: `use` declarations, paths, and paths in the arguments of macros, read along the tree of modules.
//!
//! An import leads from the module that names an item to the module that defines it, through all re-exports. So a declaration of a
//! module and a re-export are no imports, and a module's file may be used by its children as far as what they take is defined there,
//! or below them. Code under `#[cfg(test)]` does not count: a test may compare any two rooms.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{
    Attribute, ImplItemFn, Item, ItemMod, ItemUse, Macro, UseRename, UseTree, VisRestricted, Visibility,
};

/// The use of one room, or file, by another.
#[derive(Debug, PartialEq, Eq)]
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

/// A path of names, from the root of a crate or as it is written.
type Names = Vec<String>;

/// A module of a crate.
#[derive(Debug, Default)]
struct Module {
    /// From the root of the workspace.
    file: PathBuf,
    children: BTreeMap<String, Module>,
    /// What it defines.
    items: BTreeSet<String>,
    /// Names that it has from elsewhere, each with its path.
    uses: BTreeMap<String, Names>,
    /// Modules all of whose names it has.
    globs: Vec<Names>,
}

/// What a path leads to: the module that defines it, and whether it is that module itself.
#[derive(Debug, PartialEq, Eq)]
struct Target {
    module: Names,
    is_module: bool,
}

/// A crate: its modules, and the imports between them.
#[derive(Debug)]
pub(crate) struct Crate {
    root: Module,
    /// The module that names an item, the module that defines it, and the place.
    imports: Vec<(Names, Names, String)>,
}

impl Crate {
    /// Reads a crate of the workspace.
    pub(crate) fn read(workspace: &Path, name: &str) -> Self {
        let source = workspace.join("crates").join(name).join("src");
        let roots = ["lib.rs", "main.rs"].map(|name| source.join(name));
        let root = roots.into_iter().find(|file| file.is_file()).expect("a crate has a root");
        let mut found =
            Self { root: module(workspace, &root, &source, &parse(&root).items), imports: Vec::new() };
        let mut reader = Reader {
            root: &found.root,
            folder: source,
            file: root.clone(),
            module: Vec::new(),
            workspace,
            imports: Vec::new(),
        };
        reader.visit_file(&parse(&root));
        found.imports = reader.imports;
        found
    }

    /// The modules inside of a module of the crate.
    pub(crate) fn modules(&self, inside: &[&str]) -> BTreeSet<String> {
        let names: Names = inside.iter().map(|&name| name.to_owned()).collect();
        self.root.below(&names).children.keys().cloned().collect()
    }

    /// The uses of one module by another, of those inside of a module of the crate. The file of that module itself may use all.
    pub(crate) fn of_modules(&self, inside: &[&str]) -> Vec<Import> {
        let child = |module: &Names| {
            let is_inside = module.len() > inside.len() && module.iter().zip(inside).all(|(a, b)| a == b);
            is_inside.then(|| module[inside.len()].clone())
        };
        let between = self.imports.iter().filter_map(|(from, to, place)| {
            let (from, to) = (child(from)?, child(to)?);
            (from != to).then(|| Import { from, to, place: place.clone() })
        });
        let mut imports: Vec<_> = between.collect();
        // One `use` may name several items of a room.
        imports.dedup();
        imports
    }

    /// The uses of one file by another.
    pub(crate) fn of_files(&self) -> Vec<Import> {
        let file = |module: &Names| self.root.below(module).file.display().to_string();
        let imports = self.imports.iter().map(|(from, to, place)| (file(from), file(to), place));
        let between = imports.filter(|(from, to, _)| from != to);
        between.map(|(from, to, place)| Import { from, to, place: place.clone() }).collect()
    }
}

/// A circle among the uses of files, one import for each step; `None` if there is none.
pub(crate) fn circle(imports: &[Import]) -> Option<Vec<&Import>> {
    let mut left: Vec<&Import> = imports.iter().collect();
    // What uses nothing of the rest, or is used by nothing of it, is in no circle.
    loop {
        let (from, to): (BTreeSet<_>, BTreeSet<_>) = left.iter().map(|i| (&i.from, &i.to)).unzip();
        let before = left.len();
        left.retain(|import| to.contains(&import.from) && from.contains(&import.to));
        if left.len() == before {
            break;
        }
    }
    let mut steps: Vec<&Import> = vec![left.first()?];
    loop {
        let at = &steps.last().expect("there is a first step").to;
        if let Some(start) = steps.iter().position(|step| step.from == *at) {
            return Some(steps.split_off(start));
        }
        steps.push(left.iter().find(|import| import.from == *at)?);
    }
}

fn parse(path: &Path) -> syn::File {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The file of a child module in a folder.
fn file_of(folder: &Path, name: &str) -> PathBuf {
    let beside = folder.join(format!("{name}.rs"));
    if beside.is_file() { beside } else { folder.join(name).join("mod.rs") }
}

/// A module with these items and all modules below it, whose files are in a folder.
fn module(workspace: &Path, file: &Path, folder: &Path, items: &[Item]) -> Module {
    let relative = file.strip_prefix(workspace).expect("a file of the workspace").to_owned();
    let mut found = Module { file: relative, ..Module::default() };
    for item in items.iter().filter(|item| !is_test(attributes(item))) {
        match item {
            Item::Mod(child) => {
                let name = child.ident.to_string();
                let below = folder.join(&name);
                let child = if let Some((_, items)) = &child.content {
                    module(workspace, file, &below, items)
                } else {
                    let file = file_of(folder, &name);
                    module(workspace, &file, &below, &parse(&file).items)
                };
                found.children.insert(name, child);
            }
            Item::Use(import) => each_path(&import.tree, &mut Vec::new(), &mut |path, name| {
                let path = path.iter().map(ToString::to_string).collect();
                match name {
                    Some(name) => drop(found.uses.insert(name.to_string(), path)),
                    None => found.globs.push(path),
                }
            }),
            _ => found.items.extend(name_of(item)),
        }
    }
    found
}

/// The name that an item has.
fn name_of(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

impl Module {
    /// The module with this path from here.
    fn below(&self, path: &[String]) -> &Self {
        path.iter().fold(self, |module, name| &module.children[name])
    }

    fn has(&self, name: &str) -> bool {
        self.children.contains_key(name) || self.items.contains(name) || self.uses.contains_key(name)
    }

    /// What a path in a module of this crate leads to; `None`: to another crate, or to something of the module that needs no path.
    fn target(&self, module: &[String], path: &[String]) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(self.walk(Vec::new(), rest)),
            "self" => Some(self.walk(module.to_vec(), rest)),
            "super" => {
                let mut above = module.to_vec();
                let mut rest = path;
                while let Some((_, more)) = rest.split_first().filter(|(name, _)| *name == "super") {
                    above.pop();
                    rest = more;
                }
                Some(self.walk(above, rest))
            }
            _ => {
                let here = self.below(module);
                if here.children.contains_key(first) {
                    return Some(self.walk(module.to_vec(), path));
                }
                let used = here.uses.get(first).filter(|used| used[0] != *first)?;
                self.target(module, &[used, rest].concat())
            }
        }
    }

    /// What a path leads to that goes on from a module.
    fn walk(&self, mut module: Names, path: &[String]) -> Target {
        for (place, name) in path.iter().enumerate() {
            let here = self.below(&module);
            if name == "self" {
                continue;
            }
            // An item may have the name of its module.
            let is_item = place + 1 == path.len() && here.uses.contains_key(name);
            if here.children.contains_key(name) && !is_item {
                module.push(name.clone());
                continue;
            }
            let rest = &path[place + 1..];
            let used = here.uses.get(name).filter(|used| used[0] != *name);
            let target = used.and_then(|used| self.target(&module, &[used, rest].concat()));
            let from_all = || {
                let modules = here.globs.iter().filter_map(|glob| self.target(&module, glob));
                let mut with_name = modules.filter(|all| self.below(&all.module).has(name));
                with_name.next().map(|all| self.walk(all.module, &path[place..]))
            };
            let target = target.or_else(|| if here.has(name) { None } else { from_all() });
            return target.unwrap_or(Target { module, is_module: false });
        }
        Target { module, is_module: true }
    }
}

/// Calls `found` with every path that a `use` names, and the name that it gets; a glob has none, and ends with its module.
fn each_path(tree: &UseTree, path: &mut Vec<Ident>, found: &mut impl FnMut(&[Ident], Option<&Ident>)) {
    match tree {
        UseTree::Path(part) => {
            path.push(part.ident.clone());
            each_path(&part.tree, path, found);
            path.pop();
        }
        UseTree::Name(syn::UseName { ident }) => {
            let name = if ident == "self" { path.last().cloned() } else { Some(ident.clone()) };
            path.push(ident.clone());
            found(path, name.as_ref());
            path.pop();
        }
        UseTree::Rename(UseRename { ident, rename, .. }) => {
            path.push(ident.clone());
            found(path, Some(rename));
            path.pop();
        }
        UseTree::Glob(_) => found(path, None),
        UseTree::Group(group) => group.items.iter().for_each(|tree| each_path(tree, path, found)),
    }
}

/// Visits a module and those below it.
struct Reader<'a> {
    workspace: &'a Path,
    root: &'a Module,
    file: PathBuf,
    /// The folder with the files of this module's children.
    folder: PathBuf,
    /// The path of this module from the root of the crate.
    module: Names,
    imports: Vec<(Names, Names, String)>,
}

impl Reader<'_> {
    /// Adds an import if the path leads to an item of another module. `is_glob`: to all of a module.
    fn add(&mut self, path: &[Ident], is_glob: bool) {
        let names: Names = path.iter().map(ToString::to_string).collect();
        let Some(Target { module, is_module }) = self.root.target(&self.module, &names) else { return };
        if module != self.module && (is_glob || !is_module) {
            let file = self.file.strip_prefix(self.workspace).expect("a file of the workspace");
            let place = format!("{}:{}", file.display(), path[0].span().start().line);
            self.imports.push((self.module.clone(), module, place));
        }
    }

    /// Adds the paths in the arguments of a macro, which `syn` leaves as tokens.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut colons) = (Vec::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Ident(part) => {
                    if colons != 2 {
                        self.add_path(&std::mem::take(&mut path));
                    }
                    path.push(part);
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => self.add_tokens(group.stream()),
                _ => {
                    self.add_path(&std::mem::take(&mut path));
                    colons = 0;
                }
            }
        }
        self.add_path(&path);
    }

    /// Adds a path in the code. One name alone is local, or has been imported by a `use`.
    fn add_path(&mut self, path: &[Ident]) {
        if path.len() > 1 {
            self.add(path, false);
        }
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
        let file = file_of(&self.folder, &name);
        let before = (self.file.clone(), std::mem::replace(&mut self.folder, folder));
        self.module.push(name);
        if module.content.is_some() {
            visit::visit_item_mod(self, module);
        } else {
            self.file = file;
            let file = parse(&self.file);
            self.visit_file(&file);
        }
        self.module.pop();
        (self.file, self.folder) = before;
    }

    fn visit_item_use(&mut self, import: &'ast ItemUse) {
        if matches!(import.vis, Visibility::Inherited) {
            each_path(&import.tree, &mut Vec::new(), &mut |path, name| self.add(path, name.is_none()));
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<_> = path.segments.iter().map(|segment| segment.ident.clone()).collect();
        self.add_path(&parts);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.add_tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    /// `pub(crate)` and the like import nothing.
    fn visit_vis_restricted(&mut self, _: &'ast VisRestricted) {}
}
