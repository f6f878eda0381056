//! Files that grow during a run.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::Serialize;

/// Enough to make system calls rare, little enough to be cheap in memory.
const BUFFER_BYTES: usize = 256 * 1024;

/// Creates a file that is written through a buffer. Nothing may have its name yet, not even a link to elsewhere.
///
/// # Errors
/// An error of the file system.
pub(crate) fn create_buffered(path: &Path) -> io::Result<BufWriter<File>> {
    Ok(BufWriter::with_capacity(BUFFER_BYTES, File::create_new(path)?))
}

/// Writes a report to the run's working folder: it has its name when it is whole.
///
/// # Errors
/// An error of the file system.
pub(crate) fn write_report(folder: &Path, name: &str, report: &impl Serialize) -> io::Result<()> {
    let aside = folder.join(format!("{name}.part"));
    let mut file = File::create_new(&aside)?;
    file.write_all(&serde_json::to_vec_pretty(report)?)?;
    drop(file);
    std::fs::rename(aside, folder.join(name))
}
