//! The files of a run, on their way to whoever ordered it.
//!
//! Programs leave in their folder what they like. What can't be sent is left out with a warning: the run is measured already.

use std::fs::{DirEntry, File, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use airtcp_plan::FileContent;
use airtcp_plan::measurement::{Answer, PIECE_BYTES};
use rustix::fs::OFlags;

use super::answers::say;

/// What is sent at most in all, in bytes and files: as much as programs of a guest may write (`crates/runner/src/room.rs`).
const BYTES_MOST: u64 = 1024 << 20;
const FILES_MOST: u32 = 10_000;
/// How many warnings are given; many files may have the same fault.
const WARNINGS_MOST: usize = 10;

/// Sends every file below the folder in the order of their names, in pieces; an empty file is one empty piece. Returns what was
/// left out, and why.
///
/// # Errors
/// Nobody reads the answers.
pub(super) fn send_all(folder: &Path) -> io::Result<Vec<String>> {
    let mut sender = Sender { bytes_left: BYTES_MOST, files_left: FILES_MOST, left_out: Vec::new(), more: 0 };
    sender.send_below(folder, "")?;
    if sender.more > 0 {
        sender.left_out.push(format!("{} more files were left out", sender.more));
    }
    Ok(sender.left_out)
}

struct Sender {
    bytes_left: u64,
    files_left: u32,
    left_out: Vec<String>,
    more: u32,
}

impl Sender {
    fn leave_out(&mut self, name: &str, why: &str) {
        if self.left_out.len() < WARNINGS_MOST {
            self.left_out.push(format!("{name} was left out: {why}"));
        } else {
            self.more += 1;
        }
    }

    fn send_below(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        let mut entries = match entries(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.leave_out(prefix, &error.to_string());
                return Ok(());
            }
        };
        entries.sort_by_key(DirEntry::file_name);
        for entry in entries {
            let Ok(own) = entry.file_name().into_string() else {
                self.leave_out(&format!("{prefix}{}", entry.file_name().display()), "its name is not UTF-8");
                continue;
            };
            let name = format!("{prefix}{own}");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => self.send_below(&entry.path(), &format!("{name}/"))?,
                Ok(kind) if kind.is_file() => self.send(&entry.path(), &name)?,
                Ok(_) => self.leave_out(&name, "it is a link, a pipe, a socket or a device"),
                Err(error) => self.leave_out(&name, &error.to_string()),
            }
        }
        Ok(())
    }

    fn send(&mut self, file: &Path, name: &str) -> io::Result<()> {
        let opened = open(file).and_then(|input| input.metadata().map(|about| (input, about.len())));
        let (mut input, length) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                self.leave_out(name, &error.to_string());
                return Ok(());
            }
        };
        if length > self.bytes_left || self.files_left == 0 {
            self.leave_out(name, "the files are more than 1024 MiB or 10000");
            return Ok(());
        }
        self.files_left -= 1;
        self.bytes_left -= length;
        // A program that still writes would never come to an end.
        self.send_pieces(&mut input.by_ref().take(length), name)
    }

    fn send_pieces(&mut self, input: &mut impl Read, name: &str) -> io::Result<()> {
        let mut piece = Vec::with_capacity(PIECE_BYTES);
        loop {
            piece.clear();
            if let Err(error) = input.by_ref().take(PIECE_BYTES as u64).read_to_end(&mut piece) {
                self.leave_out(name, &format!("its end can't be read: {error}"));
            }
            say(&Answer::File { path: name.to_owned(), data: FileContent::binary(&piece) })?;
            if piece.len() < PIECE_BYTES {
                return Ok(());
            }
        }
    }
}

/// What is in a folder. A program may have closed it to its own user, who is that of this process.
fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    readable(folder, 0o700, || std::fs::read_dir(folder))?.collect()
}

/// Opens something, if necessary with other permissions.
fn readable<T>(path: &Path, mode: u32, open: impl Fn() -> io::Result<T>) -> io::Result<T> {
    match open() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            std::fs::set_permissions(path, Permissions::from_mode(mode)).map_err(|_| error)?;
            open()
        }
        done => done,
    }
}

/// Opens a regular file, which a program may have replaced by something else meanwhile.
fn open(file: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let opened = readable(file, 0o600, || OpenOptions::new().read(true).custom_flags(flags).open(file))?;
    if opened.metadata()?.is_file() { Ok(opened) } else { Err(io::Error::other("it is not a regular file")) }
}
