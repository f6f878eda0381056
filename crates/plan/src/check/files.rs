//! What must hold of the files of the scenario.

use std::collections::BTreeSet;

use super::refusal::{Check, wrong};
use crate::{FILES_BYTES_MAX, ScenarioFile};

/// Longest path of a file (Linux, `NAME_MAX`).
const PATH_BYTES_MAX: usize = 255;

/// Paths stay inside the folder, no file is another's folder, and the files together are not too large.
pub(super) fn check_files(files: &[ScenarioFile]) -> Check {
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
    use crate::FileContent;

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
