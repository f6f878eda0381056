//! What a run folder has of its guests' folders beside records and reports: the console, and how far the guest was.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use airtcp_plan::report::{CONSOLE_FILE, PART_FILE, PLAN_FILE, PROGRAMS_FOLDER, RECORDS_FOLDER};

use crate::failure::RunFailure;
use crate::guest_file;

/// What each guest has for itself.
const OWN: [&str; 4] = [PLAN_FILE, PART_FILE, RECORDS_FOLDER, PROGRAMS_FOLDER];

/// Moves what is in the first guest's folder to the run's, adds the consoles of the others, and removes the folders.
///
/// # Errors
/// A [`RunFailure`] of kind disk.
pub(super) fn take<'a>(work: &Path, guests: impl Iterator<Item = &'a Path>) -> Result<(), RunFailure> {
    for (number, folder) in guests.enumerate() {
        let taken = if number == 0 { move_all(folder, work) } else { add_console(folder, work, number) };
        let removed = taken.and_then(|()| fs::remove_dir_all(folder));
        removed.map_err(|error| RunFailure::disk(&error, folder))?;
    }
    Ok(())
}

fn move_all(folder: &Path, work: &Path) -> io::Result<()> {
    for entry in guest_file::read_folder(folder)? {
        let entry = entry?;
        if !OWN.iter().any(|own| entry.file_name() == *own) {
            fs::rename(entry.path(), work.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Adds a guest's console to that of the run, if the guest has said anything.
fn add_console(folder: &Path, work: &Path, number: usize) -> io::Result<()> {
    let mut said = guest_file::open(&folder.join(CONSOLE_FILE))?;
    if said.metadata()?.len() == 0 {
        return Ok(());
    }
    // What is there may be a link or a pipe.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let mut console = OpenOptions::new().append(true).custom_flags(flags).open(work.join(CONSOLE_FILE))?;
    writeln!(console, "--- guest {number} ---")?;
    io::copy(&mut said, &mut console).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// The names in the run's folder, and its console, after guests have said this.
    fn taken(consoles: &[&str]) -> (Vec<String>, String) {
        let work = tempfile::tempdir().unwrap();
        fs::write(work.path().join(PLAN_FILE), "the run's").unwrap();
        let folders: Vec<PathBuf> = (0..)
            .zip(consoles)
            .map(|(number, console)| {
                let folder = work.path().join(format!("guest-{number}"));
                fs::create_dir_all(folder.join(RECORDS_FOLDER)).unwrap();
                fs::create_dir(folder.join(PROGRAMS_FOLDER)).unwrap();
                for (name, text) in
                    [(PLAN_FILE, "own"), (PART_FILE, "0"), ("progress", "7"), (CONSOLE_FILE, console)]
                {
                    fs::write(folder.join(name), text).unwrap();
                }
                folder
            })
            .collect();
        take(work.path(), folders.iter().map(PathBuf::as_path)).unwrap();
        assert_eq!(fs::read_to_string(work.path().join(PLAN_FILE)).unwrap(), "the run's");
        let entries = fs::read_dir(work.path()).unwrap().flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        (names, fs::read_to_string(work.path().join(CONSOLE_FILE)).unwrap())
    }

    #[test]
    fn the_run_has_one_console_and_no_folders_of_guests() {
        let names = [CONSOLE_FILE, PLAN_FILE, "progress"];
        for (consoles, console) in [
            (&["a\n"][..], "a\n"),
            (&["a\n", ""][..], "a\n"),
            (&["a\n", "b\n"][..], "a\n--- guest 1 ---\nb\n"),
            (&["", "b\n"][..], "--- guest 1 ---\nb\n"),
        ] {
            assert_eq!(taken(consoles), (names.map(str::to_owned).to_vec(), console.to_owned()));
        }
    }
}
