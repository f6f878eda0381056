//! A command line of the user, ready to be started in a node.

use std::os::fd::BorrowedFd;
use std::path::Path;
use std::process::Command;

use crate::guest_paths::SCENARIO;
use crate::process::ENVIRONMENT;
use crate::sys::child;
use crate::wireless::control;

/// A shell that runs the line. It may write to `folder`, where it begins unless it is confined.
pub(super) fn shell(node: &str, line: &str, folder: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).current_dir(folder).env_clear().envs(ENVIRONMENT);
    command.env("NODE", node).env("RUN_DIR", folder).env("SCENARIO_DIR", SCENARIO);
    command
}

/// Keeps it in its node, with the rights of the guest's programs. The namespace must stay open until the command has been started.
pub(super) fn confine(command: &mut Command, node: &str, namespace: BorrowedFd<'_>, privileged: bool) {
    let extras = child::Extras { owner: child::Owner::User, privileged, ..control::extras(node) };
    child::confine(command, namespace, extras);
}
