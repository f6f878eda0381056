//! The users of a PPDU: the receivers that it carries a PSDU for.
//!
//! Every PPDU has one user so far. What is per user takes a [`UserId`], which a multi-user PPDU (OFDMA, MU-MIMO; IEEE
//! 802.11ax, 27.3.1) will need, beside responses of several users and PPDUs of one trigger.

use std::num::NonZeroU8;
use std::ops::{Index, IndexMut};

/// Users that a PPDU can have. The lists are arrays: no frame allocates memory for its users, and a larger number makes every
/// [`super::ppdu::Ppdu`] and [`crate::low::exchange::Exchange`] larger.
pub(crate) const MAX_USERS: usize = 1;

/// A user, by its place in its PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct UserId(u8);

impl UserId {
    /// The first user: the one from the queue that won the medium.
    pub(crate) const FIRST: Self = Self(0);

    #[inline]
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An entry for each user of a PPDU; there is at least one user.
///
/// The entries are plain data in an array, and the number of users is never zero: with one user at most, the compiler removes the
/// loops, the checks and the moves that a list would cost in every frame exchange.
#[derive(Clone, Debug)]
pub(crate) struct Users<T> {
    /// Places after the last user hold copies of the first.
    entries: [T; MAX_USERS],
    count: NonZeroU8,
}

impl<T: Copy> Users<T> {
    /// One user.
    #[inline]
    pub(crate) const fn one(user: T) -> Self {
        Self { entries: [user; MAX_USERS], count: NonZeroU8::MIN }
    }

    /// The entry of each user, made from that of another list.
    #[inline]
    pub(crate) fn map<U: Copy>(&self, mut entry: impl FnMut(&T) -> U) -> Users<U> {
        let mut entries = [entry(self.first()); MAX_USERS];
        for (place, other) in (1..MAX_USERS).zip(&self.entries[1..]) {
            if place < self.count() {
                entries[place] = entry(other);
            }
        }
        Users { entries, count: self.count }
    }
}

impl<T> Users<T> {
    #[inline]
    fn count(&self) -> usize {
        // Where there is one place, the compiler has to know that there is one user, to leave out the loops.
        if MAX_USERS == 1 { 1 } else { usize::from(self.count.get()).min(MAX_USERS) }
    }

    /// The first user.
    #[inline]
    pub(crate) const fn first(&self) -> &T {
        &self.entries[0]
    }

    /// Every user.
    #[inline]
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.entries[..self.count()].iter()
    }

    /// Entries of all users, to be changed.
    #[inline]
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        let count = self.count();
        self.entries[..count].iter_mut()
    }

    /// Every user's number.
    #[inline]
    pub(crate) fn ids(&self) -> impl Iterator<Item = UserId> + use<T> {
        (0..self.count() as u8).map(UserId)
    }

    /// Every user with its number.
    #[inline]
    pub(crate) fn enumerate(&self) -> impl Iterator<Item = (UserId, &T)> {
        self.ids().zip(self.iter())
    }
}

impl<T> Index<UserId> for Users<T> {
    type Output = T;

    #[inline]
    fn index(&self, user: UserId) -> &T {
        &self.entries[user.index()]
    }
}

impl<T> IndexMut<UserId> for Users<T> {
    #[inline]
    fn index_mut(&mut self, user: UserId) -> &mut T {
        &mut self.entries[user.index()]
    }
}

/// A list for each user that a PPDU can have. Lists keep their memory from PPDU to PPDU.
#[derive(Clone, Debug)]
pub(crate) struct PerUser<T>([Vec<T>; MAX_USERS]);

impl<T> Default for PerUser<T> {
    fn default() -> Self {
        Self([const { Vec::new() }; MAX_USERS])
    }
}

impl<T> PerUser<T> {
    /// Empties the lists of all users.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.0.iter_mut().for_each(Vec::clear);
    }

    /// The list of the first user.
    #[inline]
    pub(crate) fn first(&self) -> &[T] {
        &self[UserId::FIRST]
    }

    /// What is in the lists of all users.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten()
    }
}

impl<T> Index<UserId> for PerUser<T> {
    type Output = Vec<T>;

    #[inline]
    fn index(&self, user: UserId) -> &Vec<T> {
        &self.0[user.index()]
    }
}

impl<T> IndexMut<UserId> for PerUser<T> {
    #[inline]
    fn index_mut(&mut self, user: UserId) -> &mut Vec<T> {
        &mut self.0[user.index()]
    }
}
