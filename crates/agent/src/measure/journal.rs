//! The journal of a measurement: how to undo what is changed, written before it is changed.
//!
//! It is in the folder of the measurement, and locked as long as its guard lives. Whoever undoes, the guard, the worker after
//! the loss of its guard, or a later guard after the loss of both, takes entries off its end as they are undone.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::process::getuid;
use serde::{Deserialize, Serialize};

use super::children::end_marked;
use super::command::execute;

/// Name of the journal in the folder of a measurement.
const JOURNAL: &str = "journal.jsonl";
/// How the folders of measurements begin.
const FOLDER: &str = "airtcp-measure-";
/// Beginning of the names of folders whose journals are not locked so far.
const UNFINISHED: &str = "airtcp-new-measure-";
/// The file that says where the changes of a journal were made.
const PLACE: &str = "place";

/// A folder is that old before it is taken for one whose maker was killed: making one takes some milliseconds.
const UNFINISHED_MOST: Duration = Duration::from_secs(60);

/// Held by whoever of a process makes a change or undoes changes.
static CHANGING: Mutex<()> = Mutex::new(());

/// Keeps this process from undoing changes while one is made: undoing cuts the journal, and so would lose a new entry.
pub(super) fn changing() -> MutexGuard<'static, ()> {
    CHANGING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where changes are made: the boot, which none of them outlives, and the network namespace.
fn place() -> io::Result<(String, String)> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
    let network = std::fs::metadata("/proc/self/ns/net")?.ino();
    Ok((boot.trim().to_owned(), network.to_string()))
}

/// A change of the machine, as the command that undoes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Undo {
    /// Program and arguments.
    pub(super) command: Vec<String>,
    /// Standard input of the command.
    pub(super) input: String,
}

/// Makes a folder for a measurement that only its user can read, with a journal, which stays locked while the file is open.
pub(super) fn create(parent: &Path) -> io::Result<(PathBuf, File)> {
    let process = std::process::id();
    for number in 0_u32.. {
        let unfinished = parent.join(format!("{UNFINISHED}{process}-{number}"));
        let folder = parent.join(format!("{FOLDER}{process}-{number}"));
        match rustix::fs::mkdir(&unfinished, Mode::from_raw_mode(0o700)) {
            Ok(()) if folder.exists() => std::fs::remove_dir(&unfinished)?,
            Ok(()) => {
                let (boot, network) = place()?;
                std::fs::write(unfinished.join(PLACE), format!("{boot} {network}"))?;
                let journal = File::create_new(unfinished.join(JOURNAL))?;
                flock(&journal, FlockOperation::NonBlockingLockExclusive)?;
                std::fs::rename(&unfinished, &folder)?;
                return Ok((folder, journal));
            }
            Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    unreachable!("a number is free")
}

/// Notes how to undo a change that is about to be made.
pub(super) fn note(folder: &Path, undo: &Undo) -> io::Result<()> {
    let mut line = serde_json::to_vec(undo)?;
    line.push(b'\n');
    OpenOptions::new().append(true).open(folder.join(JOURNAL))?.write_all(&line)
}

/// Undoes everything, the last change first, and removes the folder; returns what failed.
pub(super) fn undo_all(folder: &Path) -> Vec<String> {
    let mut failures = undo_newest(folder, usize::MAX);
    failures.extend(removed(folder));
    failures
}

/// Undoes a change that was noted and then failed: it may have been made in part, or not at all.
pub(super) fn undo_failed(folder: &Path) {
    undo_newest(folder, 1);
}

fn undo_newest(folder: &Path, most: usize) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(JOURNAL)).unwrap_or_default();
    let mut lines: Vec<&str> = text.lines().collect();
    let mut failures = Vec::new();
    for _ in 0..most.min(lines.len()) {
        // A line that is cut was written when the change had not been made yet.
        if let Ok(undo) = serde_json::from_str::<Undo>(lines.pop().unwrap_or_default()) {
            let ended = execute(&undo.command, &undo.input);
            if ended.status != Some(0) {
                failures.push(format!("{}: {}", undo.command.join(" "), ended.error.trim()));
            }
        }
        let _ = keep_lines(folder, &lines);
    }
    failures
}

fn keep_lines(folder: &Path, lines: &[&str]) -> io::Result<()> {
    let bytes: usize = lines.iter().map(|line| line.len() + 1).sum();
    OpenOptions::new().write(true).open(folder.join(JOURNAL))?.set_len(bytes as u64)
}

/// Undoes what measurements of this user left in this network namespace whose guard and worker were killed.
pub(super) fn undo_abandoned(parent: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(parent) else { return Vec::new() };
    let mut failures = Vec::new();
    for entry in entries.flatten() {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        let Ok(about) = entry.metadata() else { continue };
        if !about.is_dir() || about.uid() != getuid().as_raw() {
            continue;
        }
        if name.starts_with(FOLDER)
            && let Some(_lock) = abandoned(&path)
        {
            failures.extend(take_over(&path));
        }
        let age = about.modified().ok().and_then(|made| made.elapsed().ok()).unwrap_or_default();
        if name.starts_with(UNFINISHED) && age > UNFINISHED_MOST {
            // Nothing is changed before the folder has its name.
            failures.extend(removed(&path));
        }
    }
    failures
}

/// Removes a folder of a measurement; what failed.
fn removed(folder: &Path) -> Option<String> {
    std::fs::remove_dir_all(folder)
        .err()
        .map(|error| format!("{} can't be removed: {error}", folder.display()))
}

/// Whether a network namespace is nowhere in use: no process is in it, and no file stands for it. Only root can tell.
fn is_gone(network: &str) -> bool {
    let name = format!("net:[{network}]");
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_else(|_| name.clone());
    if !getuid().is_root() || mounts.contains(&name) {
        return false;
    }
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    processes.flatten().filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok()).all(
        |process| {
            match std::fs::read_link(process.path().join("ns/net")) {
                Ok(own) => own.as_os_str() != name.as_str(),
                // It has ended in the meantime; another one that hides may be in it.
                Err(error) => error.kind() == io::ErrorKind::NotFound,
            }
        },
    )
}

fn take_over(folder: &Path) -> Vec<String> {
    let made = std::fs::read_to_string(folder.join(PLACE)).unwrap_or_default();
    let (Some((made_boot, made_network)), Ok((boot, network))) = (made.split_once(' '), place()) else {
        return vec![format!("{} does not say where its changes were made", folder.display())];
    };
    if made_boot != boot || (made_network != network && is_gone(made_network)) {
        // The machine was started again without them, or they went with their network.
        return removed(folder).into_iter().collect();
    }
    if made_network != network {
        // The same commands would change another network.
        return Vec::new();
    }
    end_marked(folder);
    undo_all(folder)
}

/// The lock of a journal whose guard is gone.
fn abandoned(folder: &Path) -> Option<File> {
    let nofollow = OFlags::NOFOLLOW.bits().cast_signed();
    let journal = OpenOptions::new().read(true).custom_flags(nofollow).open(folder.join(JOURNAL)).ok()?;
    flock(&journal, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(journal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undo(line: String) -> Undo {
        Undo { command: vec!["/bin/sh".to_owned(), "-c".to_owned(), line], input: "in".to_owned() }
    }

    fn parent(name: &str) -> PathBuf {
        let parent = std::env::temp_dir().join(format!("airtcp-agent-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&parent).unwrap();
        parent
    }

    #[test]
    fn the_last_change_is_undone_first_and_failures_are_said() {
        let parent = parent("journal");
        let (folder, _lock) = create(&parent).unwrap();
        let log = parent.join("log");
        for word in ["first", "second"] {
            note(&folder, &undo(format!("echo {word} >> {}; cat >> {0}", log.display()))).unwrap();
        }
        note(&folder, &undo("echo no >&2; exit 1".to_owned())).unwrap();
        let mut cut = OpenOptions::new().append(true).open(folder.join(JOURNAL)).unwrap();
        cut.write_all(b"{\"command\":[\"rm").unwrap();
        let failures = undo_all(&folder);
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "second\ninfirst\nin");
        assert_eq!(failures.len(), 1);
        assert!(failures[0].ends_with(": no"), "{failures:?}");
        assert!(!folder.exists());
        std::fs::remove_dir_all(parent).unwrap();
    }

    #[test]
    fn a_change_that_failed_is_undone_at_once() {
        let parent = parent("failed");
        let (folder, _lock) = create(&parent).unwrap();
        let log = parent.join("log");
        let line = |word: &str| undo(format!("echo {word} >> {}", log.display()));
        for word in ["first", "second", "failed"] {
            note(&folder, &line(word)).unwrap();
        }
        undo_failed(&folder);
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "failed\n");
        note(&folder, &line("third")).unwrap();
        assert!(undo_all(&folder).is_empty());
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "failed\nthird\nsecond\nfirst\n");
        assert!(!folder.exists());
        std::fs::remove_dir_all(parent).unwrap();
    }

    #[test]
    fn changes_of_another_network_or_boot_are_not_undone_here() {
        let parent = parent("places");
        let (boot, network) = place().unwrap();
        assert!(!is_gone(&network), "this process is in it");
        // Without a look into every process, as in a container, nobody can tell that it is gone.
        let gone = (format!("{boot} {network}1"), !is_gone(&format!("{network}1")));
        for (made, left) in [gone, (format!("{boot}1 {network}"), false)] {
            let (folder, lock) = create(&parent).unwrap();
            note(&folder, &undo(format!("touch {}", parent.join("undone").display()))).unwrap();
            std::fs::write(folder.join(PLACE), made).unwrap();
            drop(lock);
            assert!(undo_abandoned(&parent).is_empty());
            assert_eq!(folder.exists(), left);
            assert!(!parent.join("undone").exists());
        }
        std::fs::remove_dir_all(parent).unwrap();
    }

    #[test]
    fn folders_that_were_never_finished_go() {
        let parent = parent("unfinished");
        let [old, new] = ["old", "new"].map(|name| parent.join(format!("{UNFINISHED}{name}")));
        for folder in [&old, &new] {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join(PLACE), "").unwrap();
        }
        let long_ago = std::time::SystemTime::now() - 2 * UNFINISHED_MOST;
        File::open(&old).unwrap().set_modified(long_ago).unwrap();
        assert!(undo_abandoned(&parent).is_empty());
        assert!(!old.exists() && new.exists());
        std::fs::remove_dir_all(parent).unwrap();
    }

    #[test]
    fn nothing_is_undone_while_a_change_is_made() {
        let parent = parent("meanwhile");
        let (folder, _lock) = create(&parent).unwrap();
        note(&folder, &undo("true".to_owned())).unwrap();
        let change = changing();
        let watching = std::thread::spawn({
            let folder = folder.clone();
            move || {
                let _alone = changing();
                undo_all(&folder)
            }
        });
        std::thread::sleep(Duration::from_millis(50));
        note(&folder, &undo(format!("touch {}", parent.join("second").display()))).unwrap();
        drop(change);
        assert!(watching.join().unwrap().is_empty());
        assert!(parent.join("second").exists(), "the change that was made meanwhile is undone too");
        std::fs::remove_dir_all(parent).unwrap();
    }

    #[test]
    fn only_what_nobody_guards_is_taken_over() {
        let parent = parent("abandoned");
        let log = parent.join("log");
        let (guarded, lock) = create(&parent).unwrap();
        note(&guarded, &undo(format!("echo undone >> {}", log.display()))).unwrap();
        assert!(undo_abandoned(&parent).is_empty());
        assert!(guarded.exists());
        drop(lock);
        assert!(undo_abandoned(&parent).is_empty());
        assert!(!guarded.exists());
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "undone\n");
        std::fs::remove_dir_all(parent).unwrap();
    }
}
