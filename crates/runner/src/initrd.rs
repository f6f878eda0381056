//! The guest's first file system: the agent as `/init`, and nothing else.
//!
//! The format is cpio "newc" (Linux, Documentation/driver-api/early-userspace/
//! buffer-format.rst). Names, times and numbers are constant, so that the image
//! depends on the agent alone.

use std::io::{self, Write};

/// Folders that the agent mounts its file systems on.
const FOLDERS: [&str; 4] = ["dev", "host", "proc", "sys"];
const MODE_FOLDER: u32 = 0o040_755;
const MODE_PROGRAM: u32 = 0o100_755;
const MODE_NONE: u32 = 0;

/// Writes the image.
///
/// # Errors
/// An error of the writer.
pub fn write(out: &mut impl Write, agent: &[u8]) -> io::Result<()> {
    let mut inode = 0;
    let mut entry = |out: &mut dyn Write, name: &str, mode: u32, data: &[u8]| {
        inode += 1;
        write_entry(out, &Entry { inode, name, mode, data })
    };
    for folder in FOLDERS {
        entry(out, folder, MODE_FOLDER, &[])?;
    }
    entry(out, "init", MODE_PROGRAM, agent)?;
    entry(out, "TRAILER!!!", MODE_NONE, &[])
}

/// A file or folder of the image.
struct Entry<'a> {
    inode: u32,
    name: &'a str,
    mode: u32,
    data: &'a [u8],
}

fn write_entry(out: &mut dyn Write, entry: &Entry<'_>) -> io::Result<()> {
    let &Entry { inode, name, mode, data } = entry;
    let name_size = name.len() + 1;
    // inode, mode, uid, gid, links, mtime, size, device major, minor, rdev major, minor, name size, check
    let fields = [inode, mode, 0, 0, 1, 0, data.len() as u32, 0, 0, 0, 0, name_size as u32, 0];
    out.write_all(b"070701")?;
    for field in fields {
        write!(out, "{field:08x}")?;
    }
    out.write_all(name.as_bytes())?;
    // Header (110 bytes) and name together are filled up to a multiple of four; so is the data.
    out.write_all(&[0])?;
    fill(out, 110 + name_size)?;
    out.write_all(data)?;
    fill(out, data.len())
}

/// Zeros after `written` bytes, up to a multiple of four.
fn fill(out: &mut dyn Write, written: usize) -> io::Result<()> {
    out.write_all(&[0; 3][..written.next_multiple_of(4) - written])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_begins_at_a_multiple_of_four() {
        let mut image = Vec::new();
        write(&mut image, b"12345").unwrap();
        assert_eq!(image.len() % 4, 0);
        let headers: Vec<_> =
            image.windows(6).enumerate().filter(|(_, w)| w == b"070701").map(|(at, _)| at).collect();
        assert_eq!(headers.len(), FOLDERS.len() + 2);
        assert!(headers.iter().all(|at| at % 4 == 0));
    }

    #[test]
    fn the_system_s_own_cpio_format_is_met() {
        let mut image = Vec::new();
        write(&mut image, b"x").unwrap();
        let expected = format!("070701{:08x}{:08x}", 1, 0o040_755);
        assert!(image.starts_with(expected.as_bytes()));
        assert_eq!(&image[110..114], b"dev\0");
    }
}
