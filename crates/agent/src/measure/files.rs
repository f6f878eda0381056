//! The files of a run, on their way to whoever ordered it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use airtcp_plan::FileContent;
use airtcp_plan::measurement::{Answer, PIECE_BYTES};

use super::answers::say;

/// Sends every file below the folder in the order of their names, in pieces; an empty file is one empty piece.
///
/// # Errors
/// A file can't be read, or nobody reads the answers.
pub(super) fn send_all(folder: &Path) -> io::Result<()> {
    send_below(folder, "")
}

fn send_below(folder: &Path, prefix: &str) -> io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            send_below(&entry.path(), &format!("{name}/"))?;
        } else if kind.is_file() {
            send(&entry.path(), &name)?;
        }
    }
    Ok(())
}

fn send(file: &Path, path: &str) -> io::Result<()> {
    let mut input = File::open(file)?;
    let mut piece = Vec::with_capacity(PIECE_BYTES);
    loop {
        piece.clear();
        let read = input.by_ref().take(PIECE_BYTES as u64).read_to_end(&mut piece)?;
        say(&Answer::File { path: path.to_owned(), data: FileContent::binary(&piece) })?;
        if read < PIECE_BYTES {
            return Ok(());
        }
    }
}
