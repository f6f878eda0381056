//! Programs of the host that the agent runs itself.

use std::path::{Path, PathBuf};

use airtcp_plan::HOST_PROGRAM_FOLDERS;

/// Where a program is; `None` if it is not installed.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    HOST_PROGRAM_FOLDERS.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists())
}
