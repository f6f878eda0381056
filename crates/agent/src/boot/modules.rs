//! Modules that the kernel's folder brings: congestion controls of one's own.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use rustix::system::finit_module;

use crate::failure::{KERNEL_REMEDY, Outcome, because};

/// Where the initramfs has them.
const MODULES: &str = "/modules";
/// Nobody loads or removes modules any more (Linux, Documentation/admin-guide/sysctl/kernel.rst).
const DISABLED: &str = "/proc/sys/kernel/modules_disabled";

/// Loads every module of the initramfs, in the order of their names.
///
/// # Errors
/// The kernel refuses one.
pub(crate) fn load_modules() -> Outcome<()> {
    let remedy = "build it again with airtcp kernel build; the kernel's lines below say why it refuses it";
    for file in files().map_err(because("its modules can't be listed", "boot", KERNEL_REMEDY))? {
        let name = file.file_stem().unwrap_or_default().display().to_string();
        let loaded = File::open(&file).and_then(|module| Ok(finit_module(module, c"", 0)?));
        loaded.map_err(because("can't be loaded", &format!("module {name}"), remedy))?;
    }
    Ok(())
}

fn files() -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(MODULES)? {
        files.push(entry?.path());
    }
    files.retain(|file| file.extension() == Some(OsStr::new("ko")));
    files.sort_unstable();
    Ok(files)
}

/// Programs of nodes, whatever they may, load no modules.
///
/// # Errors
/// The kernel refuses it.
pub(crate) fn forbid_modules() -> Outcome<()> {
    match fs::write(DISABLED, "1") {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()), // a kernel without modules
        result => result.map_err(because("modules can't be forbidden", "boot", KERNEL_REMEDY)),
    }
}
