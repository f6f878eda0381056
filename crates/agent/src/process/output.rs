//! The last lines of a program's output, for error messages.

use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Octets that are read from the end of a program's output.
const SHOWN_BYTES: u64 = 16 << 10;
/// Lines of them that are shown.
const SHOWN_LINES: usize = 5;

/// The end of a program's output. It may be very long, and the program may have put another kind of file in its place.
pub(crate) fn last_bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(SHOWN_BYTES)))?;
    let mut errors = Vec::new();
    file.take(SHOWN_BYTES).read_to_end(&mut errors)?;
    Ok(errors)
}

/// The last lines, in one line.
pub(crate) fn last_lines(errors: &[u8]) -> String {
    let text = String::from_utf8_lossy(errors);
    let lines: Vec<&str> = text.lines().collect();
    match lines.len() {
        0 => "it wrote nothing".to_owned(),
        count => lines[count.saturating_sub(SHOWN_LINES)..].join(" / "),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::*;

    #[test]
    fn of_errors_without_end_the_last_bytes_are_read() {
        let folder = std::env::temp_dir().join(format!("airtcp-agent-errors-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (errors, link) = (folder.join("a.err"), folder.join("b.err"));
        let mut file = File::create(&errors).unwrap();
        file.set_len(1 << 40).unwrap();
        file.seek(SeekFrom::End(0)).unwrap();
        file.write_all(b"\nthe last").unwrap();
        let read = last_bytes(&errors).unwrap();
        assert!(read.len() as u64 <= SHOWN_BYTES && read.ends_with(b"\nthe last"));
        std::os::unix::fs::symlink(&errors, &link).unwrap();
        assert!(last_bytes(&link).is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_last_lines_are_shown() {
        assert_eq!(last_lines(b"1\n2\n3\n4\n5\n6\n"), "2 / 3 / 4 / 5 / 6");
        assert_eq!(last_lines(b"only"), "only");
    }
}
