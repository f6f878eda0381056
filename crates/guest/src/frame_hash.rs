//! One number over everything that crossed the border, and when.

use airtcp_plan::PARTS;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Bytes of a frame that are hashed: all headers and the first payload bytes.
const HEAD_MAX: usize = 128;

/// The hash of one frame: its first bytes and its length.
pub(crate) fn of_frame(head: &[u8], bytes: u32) -> u64 {
    xxh3_64_with_seed(&head[..head.len().min(HEAD_MAX)], u64::from(bytes))
}

/// A running hash over events (XXH3, each event seeded with the hash so far).
#[derive(Debug, Default)]
pub(crate) struct FrameHash(u64);

/// What happened to a frame.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub(crate) enum Crossing {
    /// The kernel gave it to the air.
    Transmit = 1,
    /// The air gave it to the kernel.
    Deliver = 2,
    /// The air marked congestion in it.
    Mark = 3,
}

impl FrameHash {
    /// Adds one event.
    pub(crate) fn add(&mut self, what: Crossing, nic: u32, now_ns: u64, frame: u64) {
        let words = [self.0, what as u64, u64::from(nic), now_ns, frame];
        let mut bytes = [0; 40];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        self.0 = xxh3_64(&bytes);
    }

    /// The hash so far.
    pub(crate) fn value(&self) -> u64 {
        self.0
    }

    /// The hash as it is written; with that of the MPDUs of mac80211, if there are any.
    pub(crate) fn text(&self, of_radios: Option<u64>) -> String {
        let whole = of_radios.map_or(self.0, |other| xxh3_64_with_seed(&other.to_le_bytes(), self.0));
        format!("{whole:016x}")
    }
}

/// A hash for each part of a split network: that of the events at its NICs.
#[derive(Debug)]
pub(crate) struct PartHashes {
    /// The part of each NIC.
    of_nic: Vec<u32>,
    hashes: [FrameHash; PARTS],
}

impl PartHashes {
    /// Hashes of no events, for NICs of these parts.
    pub(crate) fn new(of_nic: Vec<u32>) -> Self {
        Self { of_nic, hashes: Default::default() }
    }

    /// Adds one event.
    pub(crate) fn add(&mut self, what: Crossing, nic: u32, now_ns: u64, frame: u64) {
        self.hashes[self.of_nic[nic as usize] as usize].add(what, nic, now_ns, frame);
    }

    /// The hashes as they are written.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.hashes.iter().map(|hash| hash.text(None)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash_of(events: &[(Crossing, u32, u64, u64)]) -> String {
        let mut hash = FrameHash::default();
        for &(what, nic, now_ns, frame) in events {
            hash.add(what, nic, now_ns, frame);
        }
        hash.text(None)
    }

    #[test]
    fn every_part_of_an_event_and_their_order_count() {
        let base = hash_of(&[(Crossing::Transmit, 0, 5, 9), (Crossing::Deliver, 1, 6, 9)]);
        for other in [
            hash_of(&[(Crossing::Deliver, 0, 5, 9), (Crossing::Deliver, 1, 6, 9)]),
            hash_of(&[(Crossing::Mark, 0, 5, 9), (Crossing::Deliver, 1, 6, 9)]),
            hash_of(&[(Crossing::Transmit, 2, 5, 9), (Crossing::Deliver, 1, 6, 9)]),
            hash_of(&[(Crossing::Transmit, 0, 4, 9), (Crossing::Deliver, 1, 6, 9)]),
            hash_of(&[(Crossing::Transmit, 0, 5, 8), (Crossing::Deliver, 1, 6, 9)]),
            hash_of(&[(Crossing::Deliver, 1, 6, 9), (Crossing::Transmit, 0, 5, 9)]),
        ] {
            assert_ne!(base, other);
        }
        assert_eq!(base, hash_of(&[(Crossing::Transmit, 0, 5, 9), (Crossing::Deliver, 1, 6, 9)]));
    }

    #[test]
    fn mpdus_of_radios_count_where_there_are_any() {
        let mut hash = FrameHash::default();
        hash.add(Crossing::Transmit, 0, 5, 9);
        assert_eq!(hash.text(None), format!("{:016x}", hash.value()));
        assert_ne!(hash.text(Some(0)), hash.text(None));
        assert_ne!(hash.text(Some(1)), hash.text(Some(2)));
    }

    #[test]
    fn a_frames_length_counts_beyond_its_first_bytes() {
        let head = [7; 200];
        assert_ne!(of_frame(&head, 200), of_frame(&head, 201));
        assert_eq!(of_frame(&head, 200), of_frame(&head[..128], 200));
    }
}
