//! The guest's first file system: the agent as `/init`, and the kernel's modules.
//!
//! The format is cpio "newc" (Linux, Documentation/driver-api/early-userspace/
//! buffer-format.rst). Names, times and numbers are constant, so that the image
//! depends on the agent and the modules alone.

use std::io::{self, Read, Write};

/// Folders that the agent mounts its file systems on.
const FOLDERS: [&str; 5] = ["dev", "host", "modules", "proc", "sys"];
const MODE_FOLDER: u32 = 0o040_755;
const MODE_PROGRAM: u32 = 0o100_755;
const MODE_FILE: u32 = 0o100_644;
const MODE_NONE: u32 = 0;

/// A module of the kernel: its file's name, and what is in it.
#[derive(Clone, Debug)]
pub struct Module {
    /// Name of the file.
    pub name: String,
    /// Its contents.
    pub contents: Vec<u8>,
}

/// Writes the image; `agent` has `agent_bytes`. Where both are files, the system copies the agent.
///
/// # Errors
/// An error of reader or writer.
pub fn write<W: Write, R: Read>(
    out: &mut W,
    agent: &mut R,
    agent_bytes: u32,
    modules: &[Module],
) -> io::Result<()> {
    let mut inode = 0;
    let mut header = |out: &mut W, name: &str, mode: u32, bytes: u32| {
        inode += 1;
        write_header(out, &Entry { inode, name, mode, bytes })
    };
    for folder in FOLDERS {
        header(out, folder, MODE_FOLDER, 0)?;
    }
    header(out, "init", MODE_PROGRAM, agent_bytes)?;
    if io::copy(agent, out)? != u64::from(agent_bytes) {
        return Err(io::Error::other("the agent's file changed its size"));
    }
    fill(out, agent_bytes as usize)?;
    for Module { name, contents } in modules {
        header(out, &format!("modules/{name}"), MODE_FILE, contents.len() as u32)?;
        out.write_all(contents)?;
        fill(out, contents.len())?;
    }
    header(out, "TRAILER!!!", MODE_NONE, 0)
}

/// A file or folder of the image.
struct Entry<'a> {
    inode: u32,
    name: &'a str,
    mode: u32,
    bytes: u32,
}

fn write_header(out: &mut impl Write, entry: &Entry<'_>) -> io::Result<()> {
    let &Entry { inode, name, mode, bytes } = entry;
    let name_size = name.len() + 1;
    // inode, mode, uid, gid, links, mtime, size, device major, minor, rdev major, minor, name size, check
    let fields = [inode, mode, 0, 0, 1, 0, bytes, 0, 0, 0, 0, name_size as u32, 0];
    let mut header = b"070701".to_vec();
    for field in fields {
        write!(header, "{field:08x}")?;
    }
    header.extend_from_slice(name.as_bytes());
    // Header (110 bytes) and name together are filled up to a multiple of four; so is the data.
    header.push(0);
    out.write_all(&header)?;
    fill(out, header.len())
}

/// Zeros after `written` bytes, up to a multiple of four.
fn fill(out: &mut impl Write, written: usize) -> io::Result<()> {
    out.write_all(&[0; 3][..written.next_multiple_of(4) - written])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_begins_at_a_multiple_of_four() {
        let mut image = Vec::new();
        let module = Module { name: "tcp_mine.ko".to_owned(), contents: vec![7; 9] };
        write(&mut image, &mut b"12345".as_slice(), 5, &[module]).unwrap();
        assert_eq!(image.len() % 4, 0);
        let headers: Vec<_> =
            image.windows(6).enumerate().filter(|(_, w)| w == b"070701").map(|(at, _)| at).collect();
        assert_eq!(headers.len(), FOLDERS.len() + 3);
        assert!(headers.iter().all(|at| at % 4 == 0));
    }

    #[test]
    fn the_system_s_own_cpio_format_is_met() {
        let mut image = Vec::new();
        write(&mut image, &mut b"x".as_slice(), 1, &[]).unwrap();
        let expected = format!("070701{:08x}{:08x}", 1, 0o040_755);
        assert!(image.starts_with(expected.as_bytes()));
        assert_eq!(&image[110..114], b"dev\0");
    }
}
