//! Removes lines from the guest's console that say nothing about the run.

use std::fs;
use std::path::Path;

use airtcp_plan::report::CONSOLE_FILE;

use crate::failure::CONSOLE_BYTES;
use crate::{guest_file, running_program};

/// What lines contain that say nothing.
const MEANINGLESS: [&[&str]; 5] = [
    // The kernel tests how the host's pseudo-terminals behave, in case its console is one (Linux, `arch/um/os-Linux/sigio.c`). It is a
    // file, and `containment` keeps the guest from the host's terminals (EACCES).
    &["check_one_sigio failed, errno = 13"],
    // Linux 6.1 reads at boot which segment descriptors the host gave it, to remove them (`arch/x86/um/ldt.c`). There are none, and
    // `system_calls` does not allow the call.
    &["ldt_get_host_info: couldn't read host ldt"],
    // The kernel would like to hear when its console, a file, can be written again (`arch/um/os-Linux/irq.c`). Files always can (EPERM).
    &["epollctl add err fd ", "Operation not permitted"],
    // Of every User-Mode Linux (`init/main.c`).
    &["This architecture does not have kernel memory protection."],
    // The answer to a question of the runner's own.
    &[running_program::MARK],
];

fn says_nothing(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    MEANINGLESS.iter().any(|parts| parts.iter().all(|part| line.contains(part)))
}

/// Removes lines from the console's file that mean nothing for a run; its writer has ended.
pub fn calm(work: &Path) {
    let path = work.join(CONSOLE_FILE);
    let Ok(text) = guest_file::read(&path, CONSOLE_BYTES) else { return };
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let kept: Vec<u8> = lines.filter(|line| !says_nothing(line)).flatten().copied().collect();
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
        let noise = "[    0.01] epollctl add err fd 9, Operation not permitted\n\
                     [    0.02] This architecture does not have kernel memory protection.\n\
                     airtcp: running: process 27 of host 1: true\n";
        assert_eq!(calmed([noise, "b\n"].concat().as_bytes()), b"b\n");
        for text in
            ["", "a\n", "check_one_sigio failed, errno = 2\n", "epollctl add err fd 9, No such file\n"]
        {
            assert_eq!(calmed(text.as_bytes()), text.as_bytes());
        }
    }

    #[test]
    fn a_link_in_its_place_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let user = folder.path().join("user");
        fs::write(&user, MEANINGLESS[0][0]).unwrap();
        std::os::unix::fs::symlink(&user, folder.path().join(CONSOLE_FILE)).unwrap();
        calm(folder.path());
        assert_eq!(fs::read(user).unwrap(), MEANINGLESS[0][0].as_bytes());
    }
}
