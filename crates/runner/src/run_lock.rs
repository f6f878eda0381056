//! The right to compute a run: an exclusive lock for each name of a run in a store.
//!
//! The lock is a `flock` on the file `.lock-RUN`. The system releases it when its holder ends, however that happens
//! and whatever process gets its number afterwards; so a working folder without a locked file is a leftover. The holder of
//! the lock may make, replace and remove the run's folder and its working folders; no other process may. Reading needs no lock.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use crate::events::{Event, reader_gone};
use crate::failure::{Kind, RunFailure};
use crate::watch::{Interrupted, interruption};

/// How often a waiting process tries to take the lock.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
/// How often a waiting process reports that it waits; writing that also detects that the reader of the events has ended.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// The exclusive right to a run of a store, until it is dropped or its holder ends.
#[derive(Debug)]
pub struct RunLock {
    path: PathBuf,
    file: Flock<File>,
    /// Whether the file was there before: its last holder was killed and may have left a working folder.
    pub inherited: bool,
}

impl RunLock {
    /// Takes the lock if it is free; `None` if another process has it.
    ///
    /// # Errors
    /// An error of the file system, also of one without locks.
    pub fn try_take(store: &Path, run: &str) -> io::Result<Option<Self>> {
        let path = store.join(format!(".lock-{run}"));
        loop {
            let (file, inherited) = open(&path)?;
            let file = match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
                Ok(locked) => locked,
                Err((_, Errno::EWOULDBLOCK)) => return Ok(None),
                Err((_, errno)) => return Err(errno.into()),
            };
            // Its last holder may have removed it after we opened it: then another may hold a new one.
            if is_at(&file, &path)? {
                return Ok(Some(Self { path, file, inherited }));
            }
        }
    }

    /// Takes the lock; waits as long as another process has it. Two runs of one name are equal: a waiting process finds the
    /// other's result in the store when the wait is over, and computing it twice would only take longer.
    ///
    /// # Errors
    /// A [`RunFailure`]: interrupted, or the store has no locks.
    pub fn take(store: &Path, run: &str, interrupted: &Interrupted) -> Result<Self, RunFailure> {
        let mut reported: Option<Instant> = None;
        loop {
            if let Some(lock) = Self::try_take(store, run).map_err(|error| refusal(&error, store))? {
                if reported.is_some() {
                    Event::Waiting { run, over: true }.print();
                }
                return Ok(lock);
            }
            if reported.is_none_or(|at| at.elapsed() >= REPORT_INTERVAL) {
                Event::Waiting { run, over: false }.print();
                reported = Some(Instant::now());
            }
            if reader_gone() || interruption(interrupted) {
                return Err(RunFailure::interrupted(run));
            }
            sleep(RETRY_INTERVAL);
        }
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // The lock is still held, so that this can't remove another process's new file. Best effort: a file that stays is harmless.
        if is_at(&self.file, &self.path).unwrap_or(false) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Opens or creates the file; returns whether it existed.
fn open(path: &Path) -> io::Result<(File, bool)> {
    match File::options().write(true).create_new(true).open(path) {
        Ok(file) => Ok((file, false)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // If it was removed in between, it is created here.
            Ok((File::options().write(true).create(true).truncate(false).open(path)?, true))
        }
        Err(error) => Err(error),
    }
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let held = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (held.dev(), held.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn refusal(error: &io::Error, store: &Path) -> RunFailure {
    let no_locks = [Errno::ENOLCK, Errno::EOPNOTSUPP, Errno::ENOSYS].map(|errno| errno as i32);
    if error.raw_os_error().is_some_and(|code| no_locks.contains(&code)) {
        let what = format!("the file system of the store has no locks (flock): {error}");
        let remedy = "name a store on another file system with --store, or mount this one with locks";
        return RunFailure::new(Kind::Disk, what, store.display().to_string(), remedy);
    }
    RunFailure::disk(error, store)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    const RUN: &str = "0123456789abcdef";

    #[test]
    fn a_lock_is_held_by_one_and_gone_when_dropped() {
        let store = tempfile::tempdir().unwrap();
        let lock = RunLock::try_take(store.path(), RUN).unwrap().unwrap();
        assert!(!lock.inherited);
        assert!(RunLock::try_take(store.path(), RUN).unwrap().is_none());
        assert!(RunLock::try_take(store.path(), "fedcba9876543210").unwrap().is_some());
        drop(lock);
        assert_eq!(fs::read_dir(store.path()).unwrap().count(), 0);
        assert!(RunLock::try_take(store.path(), RUN).unwrap().is_some());
    }

    #[test]
    fn a_file_that_nobody_holds_is_taken_over() {
        let store = tempfile::tempdir().unwrap();
        fs::write(store.path().join(format!(".lock-{RUN}")), "").unwrap();
        assert!(RunLock::try_take(store.path(), RUN).unwrap().unwrap().inherited);
    }

    #[test]
    fn a_file_that_was_removed_under_its_holder_is_not_another_ones() {
        let store = tempfile::tempdir().unwrap();
        let path = store.path().join(format!(".lock-{RUN}"));
        let old = RunLock::try_take(store.path(), RUN).unwrap().unwrap();
        fs::remove_file(&path).unwrap();
        let new = RunLock::try_take(store.path(), RUN).unwrap().unwrap();
        drop(old);
        assert!(path.is_file(), "the old holder removed the new one's file");
        assert!(RunLock::try_take(store.path(), RUN).unwrap().is_none());
        drop(new);
    }

    #[test]
    fn many_take_turns() {
        let store = tempfile::tempdir().unwrap();
        let inside = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let lock = loop {
                            if let Some(lock) = RunLock::try_take(store.path(), RUN).unwrap() {
                                break lock;
                            }
                            std::thread::yield_now();
                        };
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two at once");
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(store.path()).unwrap().count(), 0);
    }

    #[test]
    fn who_waits_can_be_interrupted() {
        let store = tempfile::tempdir().unwrap();
        let _held = RunLock::try_take(store.path(), RUN).unwrap().unwrap();
        let interrupted = Interrupted::default();
        interrupted.store(true, Ordering::Relaxed);
        let failure = crate::events::quietly(|| RunLock::take(store.path(), RUN, &interrupted)).unwrap_err();
        assert_eq!(failure.kind, Kind::Interrupted);
    }

    #[test]
    fn a_file_system_without_locks_is_reported_with_the_remedy() {
        let failure = refusal(&Errno::EOPNOTSUPP.into(), Path::new("/lustre/runs"));
        assert!(failure.what.contains("no locks") && failure.remedy.contains("--store"));
        assert_eq!(failure.kind, Kind::Disk);
    }
}
