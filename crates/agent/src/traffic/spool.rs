//! A list that grows as long as the run lasts: its beginning is on the disk, and only its end in memory.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::records::unwritable;
use crate::failure::Outcome;
use crate::sys::page_cache;

/// Entries in memory, at most. Until there are so many no file is made: most lists have fewer.
const RECENT_MOST: usize = 8192;
/// Entries that are written, or read, at a time.
const PIECE: usize = 2048;

/// An entry of fixed length.
pub(super) trait Entry: Copy + std::fmt::Debug {
    /// An entry's bytes, little-endian.
    type Bytes: AsRef<[u8]> + AsMut<[u8]> + Copy;
    /// Bytes that are all zero.
    const ZEROS: Self::Bytes;

    /// Encodes the entry.
    fn to_bytes(self) -> Self::Bytes;

    /// Decodes an entry.
    fn from_bytes(bytes: &Self::Bytes) -> Self;

    /// Length of its bytes.
    fn width() -> usize {
        Self::ZEROS.as_ref().len()
    }
}

/// Entries by their numbers, from 0.
#[derive(Debug)]
pub(super) struct Spool<E> {
    path: PathBuf,
    /// The entries before `written`.
    file: Option<File>,
    written: usize,
    recent: VecDeque<E>,
}

impl<E: Entry> Spool<E> {
    /// An empty list, which may make the file `NAME.spool` in the folder of records.
    pub(super) fn new(records: &Path, name: &str) -> Self {
        Self { path: records.join(format!("{name}.spool")), file: None, written: 0, recent: VecDeque::new() }
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.written + self.recent.len()
    }

    /// Adds an entry at the end.
    ///
    /// # Errors
    /// The disk is full.
    pub(super) fn push(&mut self, entry: E) -> Outcome<()> {
        if self.recent.len() == RECENT_MOST {
            self.write_oldest()?;
        }
        self.recent.push_back(entry);
        Ok(())
    }

    /// Changes an entry, if there is one of this number; `change` returns whether it did.
    ///
    /// # Errors
    /// The disk is full.
    pub(super) fn change(&mut self, number: usize, change: impl FnOnce(&mut E) -> bool) -> Outcome<bool> {
        if let Some(place) = number.checked_sub(self.written) {
            return Ok(self.recent.get_mut(place).is_some_and(change));
        }
        let mut bytes = E::ZEROS;
        let (file, at) = (self.file.as_ref().expect("entries were written"), offset::<E>(number));
        file.read_exact_at(bytes.as_mut(), at).map_err(|error| unwritable(&self.path, &error))?;
        let mut entry = E::from_bytes(&bytes);
        let changed = change(&mut entry);
        if changed {
            self.write(file, at, entry.to_bytes().as_ref())?;
        }
        Ok(changed)
    }

    /// All entries, in their order.
    pub(super) fn read(&self) -> Entries<'_, E> {
        Entries { spool: self, next: 0, piece: VecDeque::new() }
    }

    fn write_oldest(&mut self) -> Outcome<()> {
        if self.file.is_none() {
            let created = OpenOptions::new().read(true).write(true).create_new(true).open(&self.path);
            self.file = Some(created.map_err(|error| unwritable(&self.path, &error))?);
        }
        let file = self.file.as_ref().expect("it was made");
        let mut bytes = Vec::with_capacity(PIECE * E::width());
        for entry in self.recent.drain(..PIECE) {
            bytes.extend_from_slice(entry.to_bytes().as_ref());
        }
        self.write(file, offset::<E>(self.written), &bytes)?;
        self.written += PIECE;
        Ok(())
    }

    fn write(&self, file: &File, at: u64, bytes: &[u8]) -> Outcome<()> {
        page_cache::write_and_forget(file, bytes, at).map_err(|error| unwritable(&self.path, &error))
    }
}

fn offset<E: Entry>(number: usize) -> u64 {
    (number * E::width()) as u64
}

/// The entries of a spool, read in pieces.
#[derive(Debug)]
pub(super) struct Entries<'a, E> {
    spool: &'a Spool<E>,
    next: usize,
    piece: VecDeque<E>,
}

impl<E: Entry> Entries<'_, E> {
    /// The next entry with its number.
    ///
    /// # Errors
    /// The file can't be read.
    pub(super) fn next(&mut self) -> Outcome<Option<(usize, E)>> {
        let number = self.next;
        if number < self.spool.written && self.piece.is_empty() {
            self.read_piece()?;
        }
        self.next += 1;
        let entry = match number.checked_sub(self.spool.written) {
            Some(place) => self.spool.recent.get(place).copied(),
            None => self.piece.pop_front(),
        };
        Ok(entry.map(|entry| (number, entry)))
    }

    fn read_piece(&mut self) -> Outcome<()> {
        let (file, at) = (self.spool.file.as_ref().expect("entries were written"), offset::<E>(self.next));
        let mut bytes = vec![0; PIECE * E::width()];
        let read = file.read_exact_at(&mut bytes, at);
        read.map_err(|error| unwritable(&self.spool.path, &error))?;
        // Pages that stay are no error.
        let _ = page_cache::forget(file, at, bytes.len());
        self.piece = bytes
            .chunks_exact(E::width())
            .map(|chunk| {
                let mut entry = E::ZEROS;
                entry.as_mut().copy_from_slice(chunk);
                E::from_bytes(&entry)
            })
            .collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Entry for u64 {
        type Bytes = [u8; 8];
        const ZEROS: [u8; 8] = [0; 8];

        fn to_bytes(self) -> [u8; 8] {
            self.to_le_bytes()
        }

        fn from_bytes(bytes: &[u8; 8]) -> Self {
            Self::from_le_bytes(*bytes)
        }
    }

    fn all(spool: &Spool<u64>) -> Vec<(usize, u64)> {
        let mut entries = spool.read();
        std::iter::from_fn(|| entries.next().unwrap()).collect()
    }

    #[test]
    fn a_long_list_is_whole_and_little_of_it_is_in_memory() {
        let folder = std::env::temp_dir().join(format!("airtcp-agent-spool-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut spool = Spool::new(&folder, "long");
        let count = 10 * RECENT_MOST + 7;
        for number in 0..count {
            spool.push(3 * number as u64).unwrap();
            assert!(spool.recent.len() <= RECENT_MOST);
        }
        let capacity = spool.recent.capacity();
        assert!(capacity <= 2 * RECENT_MOST, "{capacity}");
        let mut change =
            |number: usize| spool.change(number, |entry| std::mem::replace(entry, 1) != 1).unwrap();
        // On the disk, in memory, nowhere; and again.
        assert_eq!([2, count - 1, count, 2].map(&mut change), [true, true, false, false]);
        let mut expected: Vec<_> = (0..count).map(|number| (number, 3 * number as u64)).collect();
        (expected[2].1, expected[count - 1].1) = (1, 1);
        assert_eq!(all(&spool), expected);
        assert_eq!(spool.len(), count);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_short_list_makes_no_file() {
        let mut spool = Spool::new(Path::new("/nonexistent"), "short");
        (0..RECENT_MOST as u64).for_each(|entry| spool.push(entry).unwrap());
        assert_eq!(all(&spool).len(), RECENT_MOST);
        let failure = spool.push(0).unwrap_err();
        assert!(failure.what.starts_with("short.spool can't be written"), "{}", failure.what);
    }
}
