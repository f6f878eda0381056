//! A set of NICs.

use crate::NicId;

/// NICs, one bit for each. Its memory is kept when it is emptied.
#[derive(Clone, Debug, Default)]
pub(super) struct NicSet(Vec<u64>);

impl NicSet {
    /// Whether this NIC is in the set.
    #[inline]
    pub(super) fn contains(&self, nic: NicId) -> bool {
        let word = self.0.get(nic.index() / 64).copied().unwrap_or(0);
        word >> (nic.index() % 64) & 1 == 1
    }

    /// Adds a NIC.
    pub(super) fn insert(&mut self, nic: NicId) {
        let word = nic.index() / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (nic.index() % 64);
    }

    /// Removes all.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_what_was_inserted_until_it_is_cleared() {
        let mut set = NicSet::default();
        for nic in [0, 63, 64, 200] {
            assert!(!set.contains(NicId(nic)));
            set.insert(NicId(nic));
        }
        let all = (0..300).filter(|&nic| set.contains(NicId(nic))).collect::<Vec<_>>();
        assert_eq!(all, [0, 63, 64, 200]);
        set.clear();
        assert!(!set.contains(NicId(63)));
    }
}
