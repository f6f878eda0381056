//! Where the guest finds programs of the host.

use std::path::{Path, PathBuf};

/// Where distributions and local builds put system programs.
const FOLDERS: [&str; 6] = ["/usr/sbin", "/sbin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/local/bin"];

/// The places where a program may be; the first that has one counts. The agent runs the program that it finds there, and the runner
/// records that program in the manifest.
pub fn host_program_places(name: &str) -> impl Iterator<Item = PathBuf> {
    FOLDERS.iter().map(move |folder| Path::new(folder).join(name))
}
