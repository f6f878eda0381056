//! Removes lines from the guest's console that say nothing about the run.

use std::fs;
use std::path::Path;

use airtcp_plan::report::CONSOLE_FILE;

use crate::failure::CONSOLE_BYTES;
use crate::guest_file;

/// The kernel tests how the host's pseudo-terminals behave, in case its console is one (Linux, `arch/um/os-Linux/sigio.c`). It
/// is a file, and [`crate::containment`] keeps the guest from the host's terminals (EACCES).
const TERMINALS_TRIED: &str = "check_one_sigio failed, errno = 13";
/// Linux 6.1 reads at boot which segment descriptors the host gave it, to remove them (`arch/x86/um/ldt.c`). There are none, and
/// [`crate::system_calls`] does not allow the call.
const DESCRIPTORS_ASKED: &str = "ldt_get_host_info: couldn't read host ldt";

const MEANINGLESS: [&[u8]; 2] = [TERMINALS_TRIED.as_bytes(), DESCRIPTORS_ASKED.as_bytes()];

/// Removes lines from the console's file that [`crate::containment`] causes and that mean nothing; its writer has ended.
pub fn calm(work: &Path) {
    let path = work.join(CONSOLE_FILE);
    let Ok(text) = guest_file::read(&path, CONSOLE_BYTES) else { return };
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let kept: Vec<u8> =
        lines.filter(|line| !MEANINGLESS.contains(&line.trim_ascii())).flatten().copied().collect();
    if kept.len() < text.len() {
        // Best effort: a console that can't be rewritten stays as it is.
        let _ = fs::remove_file(&path).and_then(|()| guest_file::write_new(&path, &kept));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calmed(text: &[u8]) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(CONSOLE_FILE);
        fs::write(&path, text).unwrap();
        calm(folder.path());
        fs::read(path).unwrap()
    }

    #[test]
    fn these_lines_go_and_all_others_stay() {
        assert_eq!(calmed(b"ldt_get_host_info: couldn't read host ldt\r\n"), b"");
        assert_eq!(calmed(b"a\r\ncheck_one_sigio failed, errno = 13\r\n\xff b"), b"a\r\n\xff b");
        for text in
            ["", "a\n", "check_one_sigio failed, errno = 2\n", "check_one_sigio failed, errno = 13 b\n"]
        {
            assert_eq!(calmed(text.as_bytes()), text.as_bytes());
        }
    }

    #[test]
    fn a_link_in_its_place_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let user = folder.path().join("user");
        fs::write(&user, TERMINALS_TRIED).unwrap();
        std::os::unix::fs::symlink(&user, folder.path().join(CONSOLE_FILE)).unwrap();
        calm(folder.path());
        assert_eq!(fs::read(user).unwrap(), TERMINALS_TRIED.as_bytes());
    }
}
