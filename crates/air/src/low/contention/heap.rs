//! A binary heap whose entries know their places, so that any of them can be removed.

use super::edcaf::{Contender, EdcafId};

#[derive(Clone, Copy, Debug)]
struct Entry {
    ends_at: u64,
    id: EdcafId,
}

/// EDCAFs by the lane count at which their backoffs end, the smallest first.
#[derive(Clone, Debug, Default)]
pub(super) struct CountHeap {
    entries: Vec<Entry>,
}

impl CountHeap {
    /// The smallest count.
    #[inline]
    pub(super) fn first(&self) -> Option<u64> {
        self.entries.first().map(|e| e.ends_at)
    }

    #[inline]
    pub(super) fn push(&mut self, ends_at: u64, id: EdcafId, edcafs: &mut [Contender]) {
        let entry = Entry { ends_at, id };
        self.entries.push(entry);
        self.rise(self.entries.len() - 1, entry, edcafs);
    }

    /// Removes the entry at this place.
    #[inline(always)]
    pub(super) fn remove(&mut self, place: usize, edcafs: &mut [Contender]) -> EdcafId {
        let removed = self.entries[place];
        let last = self.entries.pop().expect("there is an entry at this place");
        if place < self.entries.len() {
            let hole = self.sink_hole(place, edcafs);
            self.rise(hole, last, edcafs);
        }
        removed.id
    }

    #[inline]
    fn set(&mut self, place: usize, entry: Entry, edcafs: &mut [Contender]) {
        self.entries[place] = entry;
        edcafs[entry.id.index()].place = place as u32;
    }

    #[inline]
    fn rise(&mut self, mut place: usize, entry: Entry, edcafs: &mut [Contender]) {
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.entries[parent].ends_at <= entry.ends_at {
                break;
            }
            self.set(place, self.entries[parent], edcafs);
            place = parent;
        }
        self.set(place, entry, edcafs);
    }

    /// Moves a hole down to a leaf, the smaller child up at each level. The entry that fills it was a leaf, so it
    /// mostly stays near there: comparing with it on the way down would not pay.
    #[inline]
    fn sink_hole(&mut self, mut hole: usize, edcafs: &mut [Contender]) -> usize {
        loop {
            let left = 2 * hole + 1;
            if left + 1 >= self.entries.len() {
                if left < self.entries.len() {
                    self.set(hole, self.entries[left], edcafs);
                    return left;
                }
                return hole;
            }
            // No branch: which child is smaller can't be predicted.
            let child = left + usize::from(self.entries[left + 1].ends_at < self.entries[left].ends_at);
            self.set(hole, self.entries[child], edcafs);
            hole = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::edcaf::Standing;
    use super::*;

    proptest! {
        /// Against a sorted list; a step adds a count or removes anybody.
        #[test]
        fn it_gives_the_smallest_and_forgets_the_removed(
            steps in prop::collection::vec((0..9_u64, any::<bool>(), 0..20_usize), 1..80),
        ) {
            let edcaf = Contender { standing: Standing::Free, waiting: true, suspended: false, lane: 0, place: 0 };
            let mut edcafs = vec![edcaf; steps.len()];
            let (mut heap, mut list) = (CountHeap::default(), Vec::new());
            for (number, &(ends_at, add, whom)) in steps.iter().enumerate() {
                if add {
                    heap.push(ends_at, EdcafId(number as u32), &mut edcafs);
                    list.push((ends_at, EdcafId(number as u32)));
                } else if !list.is_empty() {
                    let (_, id) = list.remove(whom % list.len());
                    prop_assert_eq!(heap.remove(edcafs[id.index()].place as usize, &mut edcafs), id);
                }
                prop_assert_eq!(heap.first(), list.iter().map(|e| e.0).min());
            }
        }
    }
}
