//! The folder of a guest's memory: its own, so that the guest may write in no other temporary folder.
//!
//! The kernel makes a file without a name in it, so that it is empty all the time.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use nix::sys::statvfs::{FsFlags, statvfs};

/// A temporary folder in memory is used if it has this much space.
const MEMORY_FOLDER_FREE_MIB: u64 = 512;
/// How names begin.
const PREFIX: &str = ".airtcp-memory-";
/// Names of one process that may be taken already, by processes of its number in other containers.
const NAMES: u32 = 1000;

/// An empty folder, locked as long as it is used; dropping it removes it.
#[derive(Debug)]
pub struct MemoryFolder {
    path: PathBuf,
    _used: Flock<File>,
}

impl MemoryFolder {
    /// Makes the folder, and removes those that killed runs have left.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn create() -> io::Result<Self> {
        Self::create_in(&parent())
    }

    fn create_in(parent: &Path) -> io::Result<Self> {
        sweep(parent);
        for number in 0..NAMES {
            let path = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                other => other?,
            }
            // Another process may take the folder for a left one before it is locked.
            if let Some(used) = lock(&path).filter(|_| path.is_dir()) {
                return Ok(Self { path, _used: used });
            }
        }
        Err(io::Error::other(format!("{} is full of {PREFIX}*", parent.display())))
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for MemoryFolder {
    fn drop(&mut self) {
        // Best effort: the next run removes it.
        let _ = std::fs::remove_dir(&self.path);
    }
}

/// Locks a folder of ours that no other process uses.
fn lock(path: &Path) -> Option<Flock<File>> {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
    let folder = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    Flock::lock(folder, FlockArg::LockExclusiveNonblock).ok()
}

fn sweep(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        if let Some(_unused) = lock(&entry.path()) {
            // A folder of another user stays.
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

/// A file system in memory if there is one with room from which code may run, else the system's temporary folder.
fn parent() -> PathBuf {
    let shm = PathBuf::from("/dev/shm");
    let fits = statvfs(&shm).is_ok_and(|stat| {
        let free_mib = stat.blocks_available().saturating_mul(stat.fragment_size()) >> 20;
        free_mib >= MEMORY_FOLDER_FREE_MIB && !stat.flags().contains(FsFlags::ST_NOEXEC)
    });
    if fits { shm } else { std::env::temp_dir() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(parent: &Path) -> usize {
        std::fs::read_dir(parent).unwrap().count()
    }

    #[test]
    fn what_is_used_stays_and_what_is_left_goes() {
        let parent = tempfile::tempdir().unwrap();
        std::fs::create_dir(parent.path().join(format!("{PREFIX}1-0"))).unwrap();
        std::fs::create_dir(parent.path().join("of-another-program")).unwrap();
        let first = MemoryFolder::create_in(parent.path()).unwrap();
        let second = MemoryFolder::create_in(parent.path()).unwrap();
        assert!(first.path().is_dir() && second.path().is_dir());
        assert_eq!(names(parent.path()), 3);
        drop((first, second));
        assert_eq!(names(parent.path()), 1);
    }
}
