//! The working folder of a run: made aside in the store, renamed when complete,
//! removed otherwise.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use airtcp_plan::Plan;
use airtcp_plan::report::{BOTH_PARTS, PART_FILE, PLAN_FILE, PROGRAMS_FOLDER, RECORDS_FOLDER};
use nix::sys::statvfs::statvfs;

use crate::failure::{Kind, RunFailure};
use crate::run_lock::RunLock;

/// Least free space in the store: a run's records and folder, with room to spare.
const STORE_FREE_MIB: u64 = 64;
/// A killed runner's guest is killed with it and may still write while that is done: how often a removal is tried.
const REMOVAL_TRIES: u32 = 40;
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

/// Creates the store if it does not exist.
///
/// # Errors
/// A [`RunFailure`] of kind disk: not writable, or no room for a run.
pub fn prepare_store(store: &Path) -> Result<(), RunFailure> {
    fs::create_dir_all(store).map_err(|error| RunFailure::disk(&error, store))?;
    check_free_space(store)
}

/// The working folder of a guest that computes a part of a network, in that of the run.
pub fn guest_folder(work: &Path, part: usize) -> PathBuf {
    work.join(format!("guest-{part}"))
}

/// A working folder; dropped, it is gone. Its maker holds the run's lock.
#[derive(Debug)]
pub struct Workspace {
    path: PathBuf,
    kept: bool,
}

impl Workspace {
    /// Makes the folder in `store`, without what a killed runner of the same run left there, and writes the plan into it.
    ///
    /// # Errors
    /// A [`RunFailure`] of kind disk.
    pub fn create(store: &Path, run: &str, plan: &Plan, lock: &RunLock) -> Result<Self, RunFailure> {
        if lock.inherited {
            remove_leftovers(store, run).map_err(refused(store))?;
        }
        let path = store.join(format!(".working-{run}-{}", std::process::id()));
        fs::create_dir(&path).map_err(refused(&path))?;
        let workspace = Self { path, kept: false };
        furnish(&workspace.path, plan)?;
        Ok(workspace)
    }

    /// Makes the working folders of so many guests that compute a split network together, each in this one.
    ///
    /// # Errors
    /// A [`RunFailure`] of kind disk.
    pub fn for_guests(&self, guests: usize, plan: &Plan) -> Result<Vec<PathBuf>, RunFailure> {
        let folder = |part: usize| {
            let path = guest_folder(&self.path, part);
            fs::create_dir(&path).map_err(refused(&path))?;
            furnish(&path, plan)?;
            let computed = if guests > 1 { part.to_string() } else { BOTH_PARTS.to_owned() };
            let part_file = path.join(PART_FILE);
            fs::write(&part_file, computed).map_err(refused(&part_file))?;
            Ok(path)
        };
        (0..guests).map(folder).collect()
    }

    /// Path of the working folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Renames it to its final name. A folder that had that name before (damaged, or to be computed again) is removed.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn keep_as(mut self, folder: &Path) -> io::Result<()> {
        // A name that marks it as a leftover if we are killed in between.
        let old = self.path.with_extension("old");
        match fs::rename(folder, &old) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        fs::rename(&self.path, folder)?;
        self.kept = true;
        // The run is complete whether or not its predecessor can be removed.
        let _ = remove_tree(&old);
        File::open(folder.parent().unwrap_or(folder))?.sync_all()
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if !self.kept {
            // Best effort: `drop` can't report an error.
            let _ = remove_tree(&self.path);
        }
    }
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> RunFailure {
    let path = path.to_owned();
    move |error| RunFailure::disk(&error, &path)
}

/// Puts into a folder what a guest finds in its working folder.
fn furnish(path: &Path, plan: &Plan) -> Result<(), RunFailure> {
    for folder in [RECORDS_FOLDER, PROGRAMS_FOLDER] {
        let folder = path.join(folder);
        fs::create_dir(&folder).map_err(refused(&folder))?;
    }
    let plan_file = path.join(PLAN_FILE);
    fs::write(&plan_file, plan.to_canonical_json()).map_err(refused(&plan_file))
}

/// Removes the working folders of this run: the caller holds its lock, so that no other process uses them.
fn remove_leftovers(store: &Path, run: &str) -> io::Result<()> {
    let prefix = format!(".working-{run}-");
    for entry in fs::read_dir(store)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            remove_tree(&entry.path())?;
        }
    }
    Ok(())
}

fn remove_tree(path: &Path) -> io::Result<()> {
    let mut tries = 1;
    loop {
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && tries < REMOVAL_TRIES => {
                tries += 1;
                sleep(BETWEEN_TRIES);
            }
            done => return done,
        }
    }
}

fn check_free_space(store: &Path) -> Result<(), RunFailure> {
    let Ok(stat) = statvfs(store) else { return Ok(()) };
    let free_mib = stat.blocks_available().saturating_mul(stat.fragment_size()) >> 20;
    if free_mib >= STORE_FREE_MIB {
        return Ok(());
    }
    let what = format!("no space left: {free_mib} MiB are free, a run needs {STORE_FREE_MIB}");
    let remedy = "free some space, or name a store on another disk with --store";
    Err(RunFailure::new(Kind::Disk, what, store.display().to_string(), remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "0123456789abcdef";

    fn plan() -> Plan {
        airtcp_testing::golden_plans::plan("idle")
    }

    fn names(store: &Path) -> Vec<String> {
        let entries = fs::read_dir(store).unwrap().flatten();
        let mut names: Vec<_> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn leftovers_of_the_same_run_go_and_those_of_others_stay() {
        let store = tempfile::tempdir().unwrap();
        // The process that has this number now is alive, and yet the folder is a leftover.
        let (dead, other) = (format!(".working-{RUN}-1"), ".working-fedcba9876543210-1");
        for name in [dead.as_str(), &format!(".working-{RUN}-77.old"), other] {
            fs::create_dir_all(store.path().join(name).join("records")).unwrap();
        }
        fs::write(store.path().join(format!(".lock-{RUN}")), "").unwrap();
        let lock = RunLock::try_take(store.path(), RUN).unwrap().unwrap();
        let workspace = Workspace::create(store.path(), RUN, &plan(), &lock).unwrap();
        drop(workspace);
        drop(lock);
        assert_eq!(names(store.path()), [other]);
    }

    #[test]
    fn a_kept_workspace_takes_the_place_of_what_was_there() {
        let store = tempfile::tempdir().unwrap();
        let folder = store.path().join(RUN);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("rubbish"), "").unwrap();
        let lock = RunLock::try_take(store.path(), RUN).unwrap().unwrap();
        Workspace::create(store.path(), RUN, &plan(), &lock).unwrap().keep_as(&folder).unwrap();
        drop(lock);
        assert_eq!(names(store.path()), [RUN]);
        assert!(folder.join(PLAN_FILE).is_file() && !folder.join("rubbish").exists());
    }

    #[test]
    fn guests_that_compute_together_know_their_parts() {
        let store = tempfile::tempdir().unwrap();
        let lock = RunLock::try_take(store.path(), RUN).unwrap().unwrap();
        let made = |guests: usize| {
            let workspace = Workspace::create(store.path(), RUN, &plan(), &lock).unwrap();
            let folders = workspace.for_guests(guests, &plan()).unwrap();
            assert!(folders.iter().all(|f| f.starts_with(workspace.path()) && f.join(PLAN_FILE).is_file()));
            folders.iter().map(|f| fs::read_to_string(f.join(PART_FILE)).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(made(2), ["0", "1"]);
        assert_eq!(made(1), [BOTH_PARTS]);
    }

    #[test]
    fn a_removal_outlasts_a_writer_that_is_being_killed() {
        let store = tempfile::tempdir().unwrap();
        let path = store.path().join("left");
        fs::create_dir(&path).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let begin = std::time::Instant::now();
                while begin.elapsed() < Duration::from_millis(200) {
                    let _ = fs::write(path.join("record"), "");
                }
            });
            remove_tree(&path).unwrap();
        });
        assert!(!path.exists());
    }
}
