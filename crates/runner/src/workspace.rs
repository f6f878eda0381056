//! The working folder of a run: made aside in the store, renamed when complete,
//! removed otherwise.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use airtcp_plan::Plan;
use airtcp_plan::report::{PLAN_FILE, PROGRAMS_FOLDER, RECORDS_FOLDER};
use nix::sys::statvfs::statvfs;

use crate::failure::{Kind, RunFailure};
use crate::seal::MANIFEST;

/// Least free space in the store: a run's records and folder, with room to spare.
const STORE_FREE_MIB: u64 = 64;

/// A working folder; dropped, it is gone.
#[derive(Debug)]
pub struct Workspace {
    path: PathBuf,
    kept: bool,
}

impl Workspace {
    /// Makes the folder in `store` and writes the plan into it.
    ///
    /// # Errors
    /// A [`RunFailure`] of kind disk.
    pub fn create(store: &Path, run: &str, plan: &Plan) -> Result<Self, RunFailure> {
        let refused = |path: &Path| {
            let path = path.to_owned();
            move |error: io::Error| RunFailure::disk(&error, &path)
        };
        fs::create_dir_all(store).map_err(refused(store))?;
        check_free_space(store)?;
        let path = store.join(format!(".working-{run}-{}", std::process::id()));
        fs::create_dir(&path).map_err(refused(&path))?;
        let workspace = Self { path, kept: false };
        for folder in [RECORDS_FOLDER, PROGRAMS_FOLDER] {
            let folder = workspace.path.join(folder);
            fs::create_dir(&folder).map_err(refused(&folder))?;
        }
        let plan_file = workspace.path.join(PLAN_FILE);
        fs::write(&plan_file, plan.to_canonical_json()).map_err(refused(&plan_file))?;
        Ok(workspace)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its final name. If another process has finished the same run in
    /// the meantime, its folder stays and this one goes: they are equal.
    ///
    /// # Errors
    /// What the file system says.
    pub fn keep_as(mut self, folder: &Path) -> io::Result<()> {
        match fs::rename(&self.path, folder) {
            Ok(()) => self.kept = true,
            Err(_) if folder.join(MANIFEST).is_file() => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if !self.kept {
            // Best effort: there is nobody left to tell.
            let _ = fs::remove_dir_all(&self.path);
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
