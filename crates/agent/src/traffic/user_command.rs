//! A command line of the user, to be started in a node.

use std::process::Command;

use crate::guest_paths::{PROGRAMS, SCENARIO};
use crate::process::ENVIRONMENT;

/// A shell that runs the line, where its confinement puts it.
pub(super) fn shell(node: &str, line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).env_clear().envs(ENVIRONMENT);
    command.env("NODE", node).env("RUN_DIR", PROGRAMS).env("SCENARIO_DIR", SCENARIO);
    command
}
