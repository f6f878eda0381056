//! Programs of the host that the agent runs itself.

use std::path::PathBuf;

use airtcp_plan::host_program_places;

/// Where a program is; `None` if it is not installed.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    host_program_places(name).find(|path| path.exists())
}
