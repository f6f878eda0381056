//! The parts a run is made with: kernel, guest library, agent.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use airtcp_plan::report::KERNEL_ABI;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::failure::{Kind, RunFailure};
use crate::initrd::Module;

/// `kernel.json` beside a built kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelInfo {
    /// Series, for example `6.12`.
    pub series: String,
    /// Release as `uname -r` prints it.
    pub release: String,
    /// Package and version of the source.
    pub source: String,
    /// Hash of configuration, patches and build script.
    pub recipe: String,
    /// Version of the border with the library.
    pub abi: u32,
    /// Compiler.
    pub compiler: String,
    /// Hash of the kernel itself.
    pub id: String,
}

/// The files of an installation, found and checked.
#[derive(Clone, Debug)]
pub struct Installation {
    /// The kernel's executable.
    pub kernel: PathBuf,
    /// Description of the kernel.
    pub kernel_info: KernelInfo,
    /// The guest library.
    pub library: PathBuf,
    /// The agent.
    pub agent: PathBuf,
}

impl Installation {
    /// Finds the kernel in `kernel_folder`, the library and the agent beside
    /// this program (the agent also where cargo puts it for its own target).
    ///
    /// # Errors
    /// A [`RunFailure`] naming what is missing or does not fit.
    pub fn find(kernel_folder: &Path, program: &Path) -> Result<Self, RunFailure> {
        let kernel_info = read_kernel_info(kernel_folder)?;
        let kernel = kernel_folder.join("linux");
        let missing = |path: &Path, remedy: &str| {
            RunFailure::new(
                Kind::Kernel,
                "a part of the installation is missing",
                path.display().to_string(),
                remedy,
            )
        };
        if !kernel.is_file() {
            return Err(missing(&kernel, "build the kernel: airtcp kernel build"));
        }
        let beside = program.parent().unwrap_or(Path::new("."));
        let library = beside.join("libairtcp_guest.so");
        let agent = beside.join("airtcp-agent");
        for part in [&library, &agent] {
            if !part.is_file() {
                return Err(missing(part, "build airtcp: make build"));
            }
        }
        Ok(Self { kernel, kernel_info, library, agent })
    }

    /// The modules beside the kernel, by name: congestion controls of one's own.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn modules(&self) -> io::Result<Vec<Module>> {
        let mut modules = Vec::new();
        let entries = match fs::read_dir(self.kernel.with_file_name("modules")) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(modules),
            Err(error) => return Err(error),
        };
        for entry in entries {
            let file = entry?.path();
            let name = file.file_name().unwrap_or_default().display().to_string();
            modules.push(Module { name, contents: fs::read(&file)? });
        }
        modules.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(modules)
    }
}

fn read_kernel_info(folder: &Path) -> Result<KernelInfo, RunFailure> {
    let path = folder.join("kernel.json");
    let place = path.display().to_string();
    let text = std::fs::read_to_string(&path).map_err(|error| {
        let remedy = "build one with: airtcp kernel build";
        RunFailure::new(Kind::Kernel, format!("no kernel is built here: {error}"), &place, remedy)
    })?;
    let info: KernelInfo = serde_json::from_str(&text).map_err(|error| {
        let what = format!("not the description of a kernel with the airtcp patches: {error}");
        RunFailure::new(Kind::Kernel, what, &place, "build one with: airtcp kernel build")
    })?;
    if info.abi != KERNEL_ABI {
        let what =
            format!("the kernel has the airtcp patches of ABI {}, this program needs {KERNEL_ABI}", info.abi);
        return Err(RunFailure::new(Kind::Kernel, what, &place, "build it again: airtcp kernel build"));
    }
    Ok(info)
}

/// SHA-256 of a file, in hexadecimal.
///
/// # Errors
/// An error of the file system.
pub fn file_hash(path: &Path) -> std::io::Result<String> {
    let mut digest = Sha256::new();
    std::io::copy(&mut std::fs::File::open(path)?, &mut digest)?;
    Ok(hex(&digest.finalize()))
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(info: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("kernel.json"), info).unwrap();
        folder
    }

    #[test]
    fn a_missing_kernel_is_reported_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let failure = Installation::find(folder.path(), Path::new("/x/airtcp-runner")).unwrap_err();
        assert_eq!(failure.kind, Kind::Kernel);
        assert!(failure.what.starts_with("no kernel is built here"));
        assert_eq!(failure.remedy, "build one with: airtcp kernel build");
    }

    #[test]
    fn a_kernel_without_the_patches_is_refused() {
        let folder = folder_with(r#"{"series": "6.12", "release": "6.12.1"}"#);
        let failure = Installation::find(folder.path(), Path::new("/x/airtcp-runner")).unwrap_err();
        assert!(failure.what.contains("not the description of a kernel with the airtcp patches"));
    }

    #[test]
    fn a_kernel_of_another_abi_is_refused() {
        let info =
            r#"{"series":"6.12","release":"r","source":"s","recipe":"r","abi":99,"compiler":"c","id":"i"}"#;
        let failure =
            Installation::find(folder_with(info).path(), Path::new("/x/airtcp-runner")).unwrap_err();
        assert!(failure.what.contains("ABI 99"));
    }
}
