//! The users of a PPDU: the receivers that it carries a PSDU for (IEEE 802.11ax-2021, 27.3.1).
//!
//! Nearly every PPDU has one user, so the first one is kept in place, and the loops over users end at once. The others of a
//! multi-user PPDU are in a list that its owner keeps: no frame allocates memory for its users.

use std::ops::{Index, IndexMut};

/// A user, by its place in its PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct UserId(u8);

impl UserId {
    /// The first user: the one from the queue that won the medium.
    pub(crate) const FIRST: Self = Self(0);

    /// Its place behind the first user; `None`: it is the first.
    #[inline]
    const fn behind_first(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }
}

/// An entry for each user of a PPDU; there is at least one user.
#[derive(Clone, Debug)]
pub(crate) struct Users<T> {
    first: T,
    more: Vec<T>,
}

impl<T> Users<T> {
    /// One user.
    #[inline]
    pub(crate) const fn one(user: T) -> Self {
        Self { first: user, more: Vec::new() }
    }

    /// One user so far, and the memory of a list for others.
    #[inline]
    pub(crate) fn with_memory(user: T, mut memory: Vec<T>) -> Self {
        memory.clear();
        Self { first: user, more: memory }
    }

    /// These users, in the memory of an older list; `None`: there are none.
    pub(crate) fn collect(mut users: impl Iterator<Item = T>, memory: Vec<T>) -> Option<Self> {
        let mut all = Self::with_memory(users.next()?, memory);
        all.more.extend(users);
        Some(all)
    }

    /// The memory of the list, for the users of another PPDU.
    #[inline]
    pub(crate) fn into_memory(self) -> Vec<T> {
        self.more
    }

    /// Has the users of another list from now on. One user without memory for others leaves that of the list.
    #[inline]
    pub(crate) fn replace(&mut self, users: Self) {
        self.first = users.first;
        if users.more.capacity() == 0 {
            self.more.clear();
        } else {
            self.more = users.more;
        }
    }

    /// The memory of the list, whose users are needed no more.
    #[inline]
    pub(crate) fn take_memory(&mut self) -> Vec<T> {
        std::mem::take(&mut self.more)
    }

    /// Adds a user.
    pub(crate) fn push(&mut self, user: T) {
        self.more.push(user);
    }

    /// Keeps the first so many users, of which there is at least one.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.more.truncate(count.saturating_sub(1));
    }

    /// The entry of each user, made from that of another list, in the memory of an older one.
    #[inline]
    pub(crate) fn map<U>(&self, memory: Vec<U>, mut entry: impl FnMut(&T) -> U) -> Users<U> {
        let mut users = Users::with_memory(entry(&self.first), memory);
        if !self.more.is_empty() {
            users.more.extend(self.more.iter().map(entry));
        }
        users
    }

    /// How many users there are.
    #[inline]
    pub(crate) const fn count(&self) -> usize {
        1 + self.more.len()
    }

    /// The first user.
    #[inline]
    pub(crate) const fn first(&self) -> &T {
        &self.first
    }

    /// Every user.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.first).chain(&self.more)
    }

    /// Entries of all users, to be changed.
    #[inline]
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        std::iter::once(&mut self.first).chain(&mut self.more)
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
        user.behind_first().map_or(&self.first, |place| &self.more[place])
    }
}

impl<T> IndexMut<UserId> for Users<T> {
    #[inline]
    fn index_mut(&mut self, user: UserId) -> &mut T {
        match user.behind_first() {
            None => &mut self.first,
            Some(place) => &mut self.more[place],
        }
    }
}

/// A list for each user of a PPDU. Lists keep their memory from PPDU to PPDU.
#[derive(Clone, Debug)]
pub(crate) struct PerUser<T> {
    first: Vec<T>,
    more: Vec<Vec<T>>,
}

impl<T> Default for PerUser<T> {
    fn default() -> Self {
        Self { first: Vec::new(), more: Vec::new() }
    }
}

impl<T> PerUser<T> {
    /// Empties the lists of all users.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.first.clear();
        self.more.iter_mut().for_each(Vec::clear);
    }

    /// The list of the first user.
    #[inline]
    pub(crate) fn first(&self) -> &[T] {
        &self.first
    }

    /// What is in the lists of all users.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().chain(self.more.iter().flatten())
    }

    /// Makes room for the lists of so many users.
    #[inline]
    pub(crate) fn reserve(&mut self, users: usize) {
        if self.more.len() + 1 < users {
            self.more.resize_with(users - 1, Vec::new);
        }
    }
}

impl<T> Index<UserId> for PerUser<T> {
    type Output = Vec<T>;

    #[inline]
    fn index(&self, user: UserId) -> &Vec<T> {
        user.behind_first().map_or(&self.first, |place| &self.more[place])
    }
}

impl<T> IndexMut<UserId> for PerUser<T> {
    #[inline]
    fn index_mut(&mut self, user: UserId) -> &mut Vec<T> {
        match user.behind_first() {
            None => &mut self.first,
            Some(place) => &mut self.more[place],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_have_the_places_in_which_they_came() {
        let mut users = Users::one(10);
        users.push(20);
        users.push(30);
        assert_eq!(users.iter().copied().collect::<Vec<_>>(), [10, 20, 30]);
        let last = users.ids().last().expect("there are three");
        users[last] += 1;
        assert_eq!((users[UserId::FIRST], users[last], users.count()), (10, 31, 3));
        let doubled = users.map(Vec::new(), |user| 2 * user);
        assert_eq!(
            doubled.enumerate().map(|(id, &user)| (id.0, user)).collect::<Vec<_>>(),
            [(0, 20), (1, 40), (2, 62)]
        );
    }

    #[test]
    fn lists_of_users_keep_their_memory() {
        let mut lists = PerUser::default();
        lists.reserve(3);
        lists[UserId(2)].push(7);
        lists[UserId::FIRST].push(5);
        assert_eq!(lists.iter().copied().collect::<Vec<_>>(), [5, 7]);
        lists.clear();
        lists.reserve(2);
        assert_eq!((lists.iter().count(), lists[UserId(2)].capacity() > 0), (0, true));
    }
}
