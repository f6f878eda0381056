//! One number over everything that crossed the border, and when.

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

    /// The hash as it is written.
    pub(crate) fn text(&self) -> String {
        format!("{:016x}", self.0)
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
        hash.text()
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
    fn a_frames_length_counts_beyond_its_first_bytes() {
        let head = [7; 200];
        assert_ne!(of_frame(&head, 200), of_frame(&head, 201));
        assert_eq!(of_frame(&head, 200), of_frame(&head[..128], 200));
    }
}
