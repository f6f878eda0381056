//! First-in-first-out lists of things that lie in an array: nothing is allocated to put one in.

const NONE: u32 = u32::MAX;

/// For each thing of an array, the one behind it in its list. A thing is in one list at a time.
#[derive(Debug, Default)]
pub(super) struct Links(Vec<u32>);

impl Links {
    /// Links for as many things.
    pub(super) fn new(things: usize) -> Self {
        Self(vec![NONE; things])
    }

    /// The array has grown by one.
    pub(super) fn grow(&mut self) {
        self.0.push(NONE);
    }

    /// The thing behind this one in its list.
    #[inline]
    pub(super) fn behind(&self, index: u32) -> Option<u32> {
        Some(self.0[index as usize]).filter(|&next| next != NONE)
    }
}

/// One list. It must always be used with the same links.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    first: u32,
    last: u32,
    len: u32,
}

impl Chain {
    /// Without anything.
    pub(super) const EMPTY: Self = Self { first: NONE, last: NONE, len: 0 };

    /// How many are in it.
    #[inline]
    pub(super) const fn len(&self) -> u32 {
        self.len
    }

    /// Whether nothing is in it.
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first.
    #[inline]
    pub(super) fn first(&self) -> Option<u32> {
        Some(self.first).filter(|&first| first != NONE)
    }

    /// Puts one at the end.
    #[inline]
    pub(super) fn push_back(&mut self, links: &mut Links, index: u32) {
        links.0[index as usize] = NONE;
        if self.last == NONE {
            self.first = index;
        } else {
            links.0[self.last as usize] = index;
        }
        self.last = index;
        self.len += 1;
    }

    /// Puts one at the beginning.
    #[inline]
    pub(super) fn push_front(&mut self, links: &mut Links, index: u32) {
        links.0[index as usize] = self.first;
        self.first = index;
        if self.last == NONE {
            self.last = index;
        }
        self.len += 1;
    }

    /// Takes the first out.
    #[inline]
    pub(super) fn pop_front(&mut self, links: &Links) -> Option<u32> {
        let first = self.first()?;
        self.first = links.0[first as usize];
        if self.first == NONE {
            self.last = NONE;
        }
        self.len -= 1;
        Some(first)
    }

    /// Moves the first to the beginning of another list.
    #[inline]
    pub(super) fn move_first(&mut self, to: &mut Self, links: &mut Links) -> Option<u32> {
        let first = self.first()?;
        let link = &mut links.0[first as usize];
        self.first = std::mem::replace(link, to.first);
        if self.first == NONE {
            self.last = NONE;
        }
        self.len -= 1;
        to.first = first;
        if to.last == NONE {
            to.last = first;
        }
        to.len += 1;
        Some(first)
    }

    /// From the first to the last.
    pub(super) fn iter<'a>(&self, links: &'a Links) -> impl Iterator<Item = u32> + 'a {
        std::iter::successors(self.first(), |&index| links.behind(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_take_and_the_first_leaves() {
        let mut links = Links::new(3);
        links.grow();
        let mut chain = Chain::EMPTY;
        chain.push_front(&mut links, 2);
        chain.push_back(&mut links, 0);
        chain.push_front(&mut links, 3);
        assert_eq!(chain.iter(&links).collect::<Vec<_>>(), [3, 2, 0]);
        assert_eq!((chain.first(), chain.pop_front(&links), chain.len()), (Some(3), Some(3), 2));
        chain.push_back(&mut links, 3);
        assert_eq!([(); 4].map(|()| chain.pop_front(&links)), [Some(2), Some(0), Some(3), None]);
        assert!(chain.is_empty() && chain.iter(&links).next().is_none());
        chain.push_back(&mut links, 1);
        assert_eq!(chain.iter(&links).collect::<Vec<_>>(), [1]);
        chain.push_back(&mut links, 2);
        let mut other = Chain::EMPTY;
        assert_eq!([(); 3].map(|()| chain.move_first(&mut other, &mut links)), [Some(1), Some(2), None]);
        assert_eq!((other.iter(&links).collect::<Vec<_>>(), other.len(), chain.len()), (vec![2, 1], 2, 0));
        assert_eq!((other.pop_front(&links), other.pop_front(&links), other.last), (Some(2), Some(1), NONE));
    }
}
