//! A command line of the user, to be started in a node.

use std::path::Path;
use std::process::Command;

use crate::guest_paths::SCENARIO;
use crate::process::ENVIRONMENT;

/// A shell that runs the line. It may write to `folder`, where it begins unless it is confined.
pub(super) fn shell(node: &str, line: &str, folder: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).current_dir(folder).env_clear().envs(ENVIRONMENT);
    command.env("NODE", node).env("RUN_DIR", folder).env("SCENARIO_DIR", SCENARIO);
    command
}
