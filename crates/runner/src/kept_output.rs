//! What programs of a failed run wrote, which is kept beside the store's runs: often it says why the run failed.

use std::fs;
use std::path::{Path, PathBuf};

use airtcp_plan::PARTS;
use airtcp_plan::report::PROGRAMS_FOLDER;

use crate::failure::{Kind, RunFailure};
use crate::guest_file::read_folder;
use crate::room::check_programs;
use crate::workspace::guest_folder;

/// Folder of the output of a failed run in a store: it stays until the run is computed again, or `airtcp store gc`.
pub fn folder(store: &Path, run: &str) -> PathBuf {
    store.join(format!("failed-{run}"))
}

/// Keeps it, and names its folder in the failure. Nothing is kept of a run that its user has ended or that found no room, and
/// nothing if programs wrote nothing, or more than they may.
pub fn keep(mut failure: RunFailure, work: &Path, store: &Path, run: &str) -> RunFailure {
    let of_programs = match failure.kind {
        Kind::Guest | Kind::Hang | Kind::Air | Kind::Program | Kind::Internal => true,
        Kind::Plan | Kind::Kernel | Kind::Disk | Kind::Interrupted => false,
    };
    let folder = folder(store, run);
    forget(store, run);
    if of_programs && check_programs(work).is_ok() && moved(work, &folder) {
        failure.remedy = format!("{}; what its programs wrote is in {}", failure.remedy, folder.display());
    }
    failure
}

/// Removes what was kept of a run.
pub fn forget(store: &Path, run: &str) {
    // It is of no use any more, whether or not a program made it hard to remove.
    let _ = fs::remove_dir_all(folder(store, run));
}

/// Moves the folders of programs of all guests; whether there were any with output.
fn moved(work: &Path, folder: &Path) -> bool {
    let guests = (0..PARTS).map(|part| (guest_folder(work, part), format!("guest-{part}")));
    let all = std::iter::once((work.to_owned(), PROGRAMS_FOLDER.to_owned())).chain(guests);
    let with_output = all.filter(|(guest, _)| has_output(&guest.join(PROGRAMS_FOLDER)));
    let moved = with_output.filter(|(guest, name)| {
        fs::create_dir_all(folder).is_ok()
            && fs::rename(guest.join(PROGRAMS_FOLDER), folder.join(name)).is_ok()
    });
    moved.count() > 0
}

/// Whether something is in the folder but empty files.
fn has_output(folder: &Path) -> bool {
    let entries = read_folder(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.metadata().is_ok_and(|about| !about.is_file() || about.len() > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "0123456789abcdef";

    fn failure(kind: Kind) -> RunFailure {
        RunFailure::new(kind, "w", "p", "r")
    }

    fn working(store: &Path) -> PathBuf {
        let work = store.join(".working");
        fs::create_dir_all(work.join(PROGRAMS_FOLDER)).unwrap();
        fs::write(work.join(PROGRAMS_FOLDER).join("a.out"), "").unwrap();
        work
    }

    #[test]
    fn output_of_a_failed_run_is_kept_and_named_until_the_next() {
        let store = tempfile::tempdir().unwrap();
        let work = working(store.path());
        assert_eq!(keep(failure(Kind::Hang), &work, store.path(), RUN).remedy, "r");
        fs::write(work.join(PROGRAMS_FOLDER).join("a.err"), "why").unwrap();
        let kept = folder(store.path(), RUN);
        let named = keep(failure(Kind::Hang), &work, store.path(), RUN);
        assert_eq!(named.remedy, format!("r; what its programs wrote is in {}", kept.display()));
        assert_eq!(fs::read(kept.join(PROGRAMS_FOLDER).join("a.err")).unwrap(), b"why");
        // The next failure is another one, and a program that leads elsewhere leads nowhere.
        std::os::unix::fs::symlink(kept.join(PROGRAMS_FOLDER), work.join(PROGRAMS_FOLDER)).unwrap();
        assert_eq!(keep(failure(Kind::Program), &work, store.path(), RUN).remedy, "r");
        assert!(!kept.exists());
    }

    #[test]
    fn nothing_is_kept_of_what_its_user_ended_or_what_found_no_room() {
        for kind in [Kind::Interrupted, Kind::Disk, Kind::Plan, Kind::Kernel] {
            let store = tempfile::tempdir().unwrap();
            let work = working(store.path());
            fs::write(work.join(PROGRAMS_FOLDER).join("a.err"), "why").unwrap();
            assert_eq!(keep(failure(kind), &work, store.path(), RUN).remedy, "r");
            assert!(!folder(store.path(), RUN).exists());
        }
    }

    #[test]
    fn each_guest_of_a_network_has_its_own() {
        let store = tempfile::tempdir().unwrap();
        let work = store.path().join(".working");
        for part in 0..PARTS {
            fs::create_dir_all(guest_folder(&work, part).join(PROGRAMS_FOLDER)).unwrap();
            fs::write(guest_folder(&work, part).join(PROGRAMS_FOLDER).join("a"), "x").unwrap();
        }
        keep(failure(Kind::Guest), &work, store.path(), RUN);
        assert!(folder(store.path(), RUN).join("guest-1/a").exists());
    }
}
