//! A hash over the few numbers that name a flow.

/// Golden ratio of 64 bits, the multiplier of Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Takes words in and gives 32 bits out. It is stable, not secret: nobody attacks a model with colliding ports.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlowHash {
    state: u64,
    words: u32,
}

impl FlowHash {
    /// Adds a word.
    #[inline]
    pub(super) fn add(&mut self, word: u32) {
        self.words += 1;
        self.state = (self.state ^ u64::from(word)).wrapping_add(1).wrapping_mul(MULTIPLIER).rotate_left(29);
    }

    /// Adds bytes, four at a time; missing ones are zero.
    pub(super) fn add_bytes(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(4) {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u32::from_be_bytes(word));
        }
    }

    /// Whether nothing was added.
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// The hash: the well mixed upper half of a last multiplication.
    #[inline]
    pub(super) const fn finish(&self) -> u32 {
        let mixed = (self.state ^ self.state >> 32).wrapping_mul(MULTIPLIER);
        (mixed >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[u32]) -> u32 {
        let mut hash = FlowHash::default();
        for &word in words {
            hash.add(word);
        }
        hash.finish()
    }

    /// Queues are chosen by the hash modulo their number: flows that differ in a port only must spread. 1000 flows over
    /// 1024 queues leave 1024 (1 - 1/1024)^1000 = 385 empty on average, with a standard deviation of about 10.
    #[test]
    fn ports_spread_over_the_queues() {
        for step in [1, 2, 256, 65_536] {
            let mut used = [false; 1024];
            for i in 0..1000 {
                used[of(&[0x0a00_0001, 0x0a00_0002, 6, 0x1234_0050 + i * step]) as usize % 1024] = true;
            }
            let empty = used.iter().filter(|&&used| !used).count();
            assert!((345..=425).contains(&empty), "{empty} empty queues in steps of {step}");
        }
    }

    #[test]
    fn the_hash_is_the_same_everywhere() {
        assert_eq!(of(&[1, 2, 3]), of(&[1, 2, 3]));
        assert_ne!(of(&[1, 2, 3]), of(&[3, 2, 1]));
        assert_ne!(of(&[0]), of(&[0, 0]));
    }
}
