//! A binary heap whose entries know their places, so that any of them can be removed.

use super::edcaf::{Edcaf, EdcafId};

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

    pub(super) fn push(&mut self, ends_at: u64, id: EdcafId, edcafs: &mut [Edcaf]) {
        let entry = Entry { ends_at, id };
        self.entries.push(entry);
        self.rise(self.entries.len() - 1, entry, edcafs);
    }

    /// Removes the entry at this place.
    pub(super) fn remove(&mut self, place: usize, edcafs: &mut [Edcaf]) -> EdcafId {
        let removed = self.entries[place];
        let last = self.entries.pop().expect("there is an entry at this place");
        if place < self.entries.len() {
            if last.ends_at < removed.ends_at {
                self.rise(place, last, edcafs);
            } else {
                self.sink(place, last, edcafs);
            }
        }
        removed.id
    }

    fn set(&mut self, place: usize, entry: Entry, edcafs: &mut [Edcaf]) {
        self.entries[place] = entry;
        edcafs[entry.id.index()].place = place as u32;
    }

    fn rise(&mut self, mut place: usize, entry: Entry, edcafs: &mut [Edcaf]) {
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

    fn sink(&mut self, mut place: usize, entry: Entry, edcafs: &mut [Edcaf]) {
        loop {
            let mut child = 2 * place + 1;
            if child >= self.entries.len() {
                break;
            }
            let right = child + 1;
            if right < self.entries.len() && self.entries[right].ends_at < self.entries[child].ends_at {
                child = right;
            }
            if self.entries[child].ends_at >= entry.ends_at {
                break;
            }
            self.set(place, self.entries[child], edcafs);
            place = child;
        }
        self.set(place, entry, edcafs);
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
        fn it_gives_the_smallest_and_forgets_the_removed(steps in prop::collection::vec((0..9_u64, any::<bool>(), 0..20_usize), 1..80)) {
            let edcaf = Edcaf { standing: Standing::Free, waiting: true, lane: 0, place: 0 };
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
