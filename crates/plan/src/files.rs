//! Files of the scenario's folder that programs find in theirs.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::PlanError;
use crate::check::{Check, wrong};

/// Most bytes of all files of a plan: a plan is read and written as a whole, by the thousand in campaigns.
pub const FILES_BYTES_MAX: usize = 4 << 20;
/// Longest path of a file.
const PATH_BYTES_MAX: usize = 255;

/// A file, which all programs can read at its path in the scenario's folder of the guest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioFile {
    /// Path from the scenario's folder, with `/` between its parts.
    pub path: String,
    /// Whether it may be executed.
    pub executable: bool,
    /// What is in it.
    pub content: FileContent,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum FileContent {
    /// Text in UTF-8.
    Text {
        /// All of it.
        text: String,
    },
    /// Any bytes.
    Base64 {
        /// All of them (RFC 4648, section 4).
        base64: String,
    },
}

impl FileContent {
    /// The bytes of the file; none if they are no base64, which a checked plan does not have.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Text { text } => Some(text.clone().into_bytes()),
            Self::Base64 { base64 } => STANDARD.decode(base64).ok(),
        }
    }
}

/// Paths lead nowhere else, no file is another's folder, and all together are not too large.
pub(crate) fn check_files(files: &[ScenarioFile]) -> Result<(), PlanError> {
    let (mut paths, mut folders, mut bytes) = (BTreeSet::new(), BTreeSet::new(), 0);
    for (n, file) in files.iter().enumerate() {
        let key = format!("files[{n}]");
        check_path(&key, &file.path)?;
        let Some(content) = file.content.bytes() else {
            return wrong(format!("{key}.content"), "is not base64");
        };
        bytes += content.len();
        let above = file.path.match_indices('/').map(|(end, _)| &file.path[..end]);
        folders.extend(above);
        if !paths.insert(file.path.as_str()) {
            return wrong(format!("{key}.path"), "appears twice");
        }
    }
    if let Some(both) = paths.intersection(&folders).next() {
        return wrong("files", format!("{both} is a file and a folder"));
    }
    if bytes > FILES_BYTES_MAX {
        return wrong("files", format!("are {bytes} bytes together, more than {FILES_BYTES_MAX}"));
    }
    Ok(())
}

fn check_path(key: &str, path: &str) -> Check {
    let plain = |part: &str| !matches!(part, "" | "." | "..");
    if path.len() > PATH_BYTES_MAX || path.contains('\0') || !path.split('/').all(plain) {
        return wrong(format!("{key}.path"), "must be a path inside the scenario's folder");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> ScenarioFile {
        let content = FileContent::Text { text: text.to_owned() };
        ScenarioFile { path: path.to_owned(), executable: false, content }
    }

    #[test]
    fn paths_stay_inside_the_folder() {
        assert!(check_files(&[file("client.py", ""), file("www/index.html", "")]).is_ok());
        for path in ["", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "./a", "a\0b", &"x".repeat(256)] {
            assert!(check_files(&[file(path, "")]).is_err(), "{path}");
        }
        assert!(check_files(&[file("a", ""), file("a", "")]).is_err());
        assert!(check_files(&[file("a/b", ""), file("a", "")]).is_err());
    }

    #[test]
    fn contents_are_bytes_and_not_too_many() {
        let coded = FileContent::Base64 { base64: "AP8=".to_owned() };
        assert_eq!(coded.bytes(), Some(vec![0, 255]));
        let broken = FileContent::Base64 { base64: "A".to_owned() };
        assert!(check_files(&[ScenarioFile { content: broken, ..file("a", "") }]).is_err());
        let half = "x".repeat(FILES_BYTES_MAX / 2 + 1);
        assert!(check_files(&[file("a", &half)]).is_ok());
        assert!(check_files(&[file("a", &half), file("b", &half)]).is_err());
    }
}
