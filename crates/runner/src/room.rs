//! Space on the host's disk while a run is computed: what programs write is limited, and the disk is not filled.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use airtcp_plan::report::PROGRAMS_FOLDER;
use nix::sys::statvfs::statvfs;

use crate::failure::{Kind, RunFailure};

/// The most that the programs of a run may write. A run folder is read, copied and packed whole, so that this is also
/// what a worker of a cluster needs of memory for it.
pub const PROGRAMS_MOST_MIB: u64 = 1024;
/// The most files they may write: counting more takes longer than the run.
pub const FILES_MOST: usize = 10_000;
/// A run that leaves less room than this on the disk ends while there still is some: for its report, and for other runs.
const FREE_LEAST_MIB: u64 = 16;
/// How often the space is measured.
const LOOK: Duration = Duration::from_secs(1);

/// Measures a working folder and the free space of its disk, once a second.
#[derive(Debug)]
pub struct Room {
    work: PathBuf,
    next: Instant,
}

impl Room {
    /// For a run's working folder.
    pub fn of(work: &Path) -> Self {
        Self { work: work.to_owned(), next: Instant::now() + LOOK }
    }

    /// Why the run must end, if it must; measures only when it is time to.
    pub fn look(&mut self) -> Option<RunFailure> {
        if Instant::now() < self.next {
            return None;
        }
        self.next = Instant::now() + LOOK;
        check_programs(&self.work).err().or_else(|| self.full_disk())
    }

    fn full_disk(&self) -> Option<RunFailure> {
        let stat = statvfs(&self.work).ok()?;
        let free_mib = stat.blocks_available().saturating_mul(stat.fragment_size()) >> 20;
        (free_mib < FREE_LEAST_MIB).then(|| {
            let what = format!("no space left: {free_mib} MiB are free while the run is computed");
            let remedy = "free some space, or name a store on another disk with --store";
            let store = self.work.parent().unwrap_or(&self.work);
            RunFailure::new(Kind::Disk, what, store.display().to_string(), remedy)
        })
    }
}

/// Refuses a run whose programs wrote more than they may.
///
/// # Errors
/// A [`RunFailure`] of kind program.
pub fn check_programs(work: &Path) -> Result<(), RunFailure> {
    let mut written = Written::default();
    // A folder that changes meanwhile is measured again in a second.
    let _ = written.add(&work.join(PROGRAMS_FOLDER));
    let what = if written.bytes >> 20 >= PROGRAMS_MOST_MIB {
        format!("the programs wrote more than {PROGRAMS_MOST_MIB} MiB")
    } else if written.files > FILES_MOST {
        format!("the programs wrote more than {FILES_MOST} files")
    } else {
        return Ok(());
    };
    let remedy = "let them write less, or to /dev/null; write temporary files to /tmp";
    Err(RunFailure::new(Kind::Program, what, "programs", remedy))
}

/// By the length of files, not by the blocks they use: a copy of a file includes its holes.
#[derive(Default)]
struct Written {
    bytes: u64,
    files: usize,
}

impl Written {
    fn add(&mut self, folder: &Path) -> std::io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            self.files += 1;
            if self.files > FILES_MOST {
                break;
            }
            let Ok(about) = entry.metadata() else { continue };
            if about.is_dir() {
                let _ = self.add(&entry.path());
            } else {
                self.bytes = self.bytes.saturating_add(about.len());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work() -> tempfile::TempDir {
        let work = tempfile::tempdir().unwrap();
        fs::create_dir_all(work.path().join(PROGRAMS_FOLDER).join("deeper")).unwrap();
        work
    }

    #[test]
    fn holes_count_wherever_they_are() {
        let work = work();
        let file = fs::File::create(work.path().join(PROGRAMS_FOLDER).join("deeper/file")).unwrap();
        file.set_len((PROGRAMS_MOST_MIB << 20) - 1).unwrap();
        assert!(check_programs(work.path()).is_ok());
        file.set_len(PROGRAMS_MOST_MIB << 20).unwrap();
        let failure = check_programs(work.path()).unwrap_err();
        assert_eq!(
            (failure.kind, failure.what.as_str()),
            (Kind::Program, "the programs wrote more than 1024 MiB")
        );
    }

    #[test]
    fn a_link_counts_as_itself() {
        let work = work();
        std::os::unix::fs::symlink("/", work.path().join(PROGRAMS_FOLDER).join("host")).unwrap();
        assert!(check_programs(work.path()).is_ok());
    }

    #[test]
    fn too_many_files_are_too_many() {
        let work = work();
        for number in 0..FILES_MOST {
            fs::File::create(work.path().join(PROGRAMS_FOLDER).join(number.to_string())).unwrap();
        }
        assert!(check_programs(work.path()).unwrap_err().what.contains("files"));
    }

    #[test]
    fn is_not_looked_at_all_the_time() {
        let mut room = Room::of(Path::new("/nonexistent"));
        assert!(room.look().is_none());
        room.next = Instant::now();
        assert!(room.look().is_none() && room.next > Instant::now());
    }
}
