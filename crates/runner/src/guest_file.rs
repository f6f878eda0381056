//! Files that a guest has left: read only if they are regular files, without following links, and only up to a size limit.
//!
//! A guest's programs can't change them ([`crate::containment`] and the agent see to that), but the runner does not rely on that:
//! a link would have the runner read or write another file, a pipe would stop it, a huge file would fill its memory.

use std::fs::{File, OpenOptions, ReadDir};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Opens a regular file.
///
/// # Errors
/// An error of the file system; a link, a pipe or a folder is an error.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("is not a regular file")) }
}

/// The whole of a file.
///
/// # Errors
/// As [`open`], and if it has more than `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut content)?;
    if content.len() as u64 > most {
        return Err(io::Error::other(format!("has more than {most} bytes")));
    }
    Ok(content)
}

/// The first bytes of a file, and the last, up to `most` of each; all of a file that is not longer than both.
///
/// # Errors
/// As [`open`].
pub fn ends(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let length = file.metadata()?.len();
    let mut content = Vec::new();
    if length <= 2 * most {
        file.take(2 * most).read_to_end(&mut content)?;
        return Ok(content);
    }
    (&mut file).take(most).read_to_end(&mut content)?;
    content.extend_from_slice(b"\n...\n");
    file.seek(SeekFrom::Start(length - most))?;
    file.take(most).read_to_end(&mut content)?;
    Ok(content)
}

/// The entries of a folder; a link to a folder is an error.
///
/// # Errors
/// An error of the file system.
pub fn read_folder(folder: &Path) -> io::Result<ReadDir> {
    if folder.is_symlink() {
        return Err(io::Error::other("is not a folder"));
    }
    std::fs::read_dir(folder)
}

/// The record files of a folder, by their names.
///
/// # Errors
/// An error of the file system.
pub fn record_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files: Vec<_> = read_folder(folder)?.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "rec"));
    files.sort();
    Ok(files)
}

/// Creates a file that must not be there yet.
///
/// # Errors
/// An error of the file system.
pub fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Writes a file that must not be there yet.
///
/// # Errors
/// An error of the file system.
pub fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    create_new(path)?.write_all(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::stat::Mode;

    #[test]
    fn only_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "12345").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        nix::unistd::mkfifo(&at("pipe"), Mode::S_IRWXU).unwrap();
        assert_eq!(read(&at("file"), 5).unwrap(), b"12345");
        assert!(read(&at("file"), 4).unwrap_err().to_string().contains("more than 4"));
        // Reading a pipe without a writer would block.
        for name in ["link", "pipe", ".", "missing"] {
            assert!(read(&at(name), 5).is_err(), "{name}");
            assert!(ends(&at(name), 5).is_err(), "{name}");
        }
    }

    #[test]
    fn of_a_long_file_both_ends_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"first").unwrap();
        // A hole of a terabyte takes no space.
        file.seek(SeekFrom::Start(1 << 40)).unwrap();
        file.write_all(b"last").unwrap();
        assert_eq!(ends(&path, 4).unwrap(), b"firs\n...\nlast");
        std::fs::write(&path, "12345678").unwrap();
        assert_eq!(ends(&path, 4).unwrap(), b"12345678");
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (outside, link) = (folder.path().join("outside"), folder.path().join("link"));
        std::fs::write(&outside, "mine").unwrap();
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        assert!(write_new(&link, b"theirs").is_err());
        assert_eq!(std::fs::read(&outside).unwrap(), b"mine");
        std::os::unix::fs::symlink(folder.path().join("nowhere"), folder.path().join("dangling")).unwrap();
        assert!(write_new(&folder.path().join("dangling"), b"theirs").is_err());
        assert!(!folder.path().join("nowhere").exists());
    }
}
