//! The users of a PPDU: the receivers that it carries a PSDU for (IEEE 802.11ax-2021, 27.3.1).
//!
//! Nearly every PPDU has one user, so the first one is kept in place, and what is done for the others is out of line. The others of a
//! multi-user PPDU are in a list that its owner keeps: no frame allocates memory for its users.

use std::ops::{Index, IndexMut, Range};

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

/// The users of a PPDU behind the first, or the memory for them.
///
/// It is one pointer, since each PPDU and each exchange has one, of which nearly all are empty.
#[derive(Clone, Debug)]
#[expect(clippy::box_collection, reason = "a vector would be three words that are copied with each frame")]
pub(crate) struct Others<T>(Option<Box<Vec<T>>>);

impl<T> Default for Others<T> {
    #[inline]
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Others<T> {
    /// Whether there is memory for users, or a user.
    #[inline]
    pub(crate) const fn has_memory(&self) -> bool {
        self.0.is_some()
    }

    #[inline]
    fn as_slice(&self) -> &[T] {
        self.0.as_ref().map_or(&[], |users| users.as_slice())
    }

    #[inline]
    fn as_mut_slice(&mut self) -> &mut [T] {
        self.0.as_mut().map_or(&mut [], |users| users.as_mut_slice())
    }

    #[inline]
    fn clear(&mut self) {
        if let Some(users) = &mut self.0 {
            users.clear();
        }
    }

    #[cold]
    fn extend(&mut self, users: impl Iterator<Item = T>) {
        self.0.get_or_insert_default().extend(users);
    }
}

/// The numbers of the users of a PPDU.
#[derive(Clone, Debug)]
pub(crate) struct UserIds(Range<u8>);

impl UserIds {
    /// Does something for each user. What is done for the first is compiled on its own: nearly every PPDU has no other.
    #[inline(always)]
    pub(crate) fn each(self, mut what: impl FnMut(UserId)) {
        what(UserId::FIRST);
        if self.0.end > 1 {
            self.behind_first(what);
        }
    }

    #[cold]
    #[inline(never)]
    fn behind_first(self, what: impl FnMut(UserId)) {
        self.skip(1).for_each(what);
    }
}

impl Iterator for UserIds {
    type Item = UserId;

    #[inline]
    fn next(&mut self) -> Option<UserId> {
        self.0.next().map(UserId)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

/// An entry for each user of a PPDU; there is at least one user.
#[derive(Clone, Debug)]
pub(crate) struct Users<T> {
    first: T,
    others: Others<T>,
}

impl<T> Users<T> {
    /// One user.
    #[inline]
    pub(crate) const fn one(user: T) -> Self {
        Self { first: user, others: Others(None) }
    }

    /// One user so far, and the memory for others.
    #[inline]
    pub(crate) fn with_memory(user: T, mut memory: Others<T>) -> Self {
        memory.clear();
        Self { first: user, others: memory }
    }

    /// These users, in the memory of older ones; `None`: there are none.
    pub(crate) fn collect(mut users: impl Iterator<Item = T>, memory: Others<T>) -> Option<Self> {
        let mut all = Self::with_memory(users.next()?, memory);
        all.others.extend(users);
        Some(all)
    }

    /// The memory of the list, for the users of another PPDU.
    #[inline]
    pub(crate) fn into_memory(self) -> Others<T> {
        self.others
    }

    /// Has one user from now on.
    #[inline(always)]
    pub(crate) fn replace(&mut self, user: T) {
        self.first = user;
        self.others.clear();
    }

    /// Has an entry for each user of another list from now on.
    #[inline(always)]
    pub(crate) fn fill<U>(&mut self, users: &Users<U>, mut entry: impl FnMut(&U) -> T) {
        self.replace(entry(&users.first));
        if users.are_several() {
            self.others.extend(users.others.as_slice().iter().map(entry));
        }
    }

    /// The memory of the list, whose users are needed no more.
    pub(crate) fn take_memory(&mut self) -> Others<T> {
        std::mem::take(&mut self.others)
    }

    /// Adds a user.
    pub(crate) fn push(&mut self, user: T) {
        self.others.extend(std::iter::once(user));
    }

    /// Keeps the first so many users, of which there is at least one.
    pub(crate) fn truncate(&mut self, count: usize) {
        if let Some(others) = &mut self.others.0 {
            others.truncate(count.saturating_sub(1));
        }
    }

    /// The entry of each user, made from that of another list, in the memory of an older one.
    #[inline(always)]
    pub(crate) fn map<U>(&self, memory: Others<U>, mut entry: impl FnMut(&T) -> U) -> Users<U> {
        let mut users = Users::with_memory(entry(&self.first), memory);
        if self.are_several() {
            users.others.extend(self.others.as_slice().iter().map(entry));
        }
        users
    }

    /// How many users there are.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        1 + self.others.as_slice().len()
    }

    /// Whether there is more than one.
    #[inline]
    pub(crate) fn are_several(&self) -> bool {
        self.others.0.as_ref().is_some_and(|others| !others.is_empty())
    }

    /// The first user.
    #[inline]
    pub(crate) const fn first(&self) -> &T {
        &self.first
    }

    /// Every user.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.first).chain(self.others.as_slice())
    }

    /// Entries of all users, to be changed.
    #[inline]
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        std::iter::once(&mut self.first).chain(self.others.as_mut_slice())
    }

    /// Every user's number.
    #[inline]
    pub(crate) fn ids(&self) -> UserIds {
        UserIds(0..self.count() as u8)
    }

    /// Every user with its number.
    #[inline]
    pub(crate) fn enumerate(&self) -> impl Iterator<Item = (UserId, &T)> {
        self.ids().zip(self.iter())
    }

    /// The first user of which this is true.
    #[inline(always)]
    pub(crate) fn find(&self, is_it: impl Fn(UserId) -> bool) -> Option<UserId> {
        if is_it(UserId::FIRST) {
            return Some(UserId::FIRST);
        }
        if self.are_several() { self.find_behind_first(is_it) } else { None }
    }

    #[cold]
    #[inline(never)]
    fn find_behind_first(&self, is_it: impl Fn(UserId) -> bool) -> Option<UserId> {
        self.ids().skip(1).find(|&user| is_it(user))
    }

    /// Whether this is true of any user.
    #[inline(always)]
    pub(crate) fn any(&self, is_so: impl Fn(&T) -> bool) -> bool {
        is_so(&self.first) || self.are_several() && self.others.as_slice().iter().any(is_so)
    }

    /// The largest value of a user.
    #[inline(always)]
    pub(crate) fn largest<V: Ord>(&self, value: impl Fn(&T) -> V) -> V {
        let of_first = value(&self.first);
        if self.are_several() { self.largest_behind_first(of_first, value) } else { of_first }
    }

    #[cold]
    #[inline(never)]
    fn largest_behind_first<V: Ord>(&self, of_first: V, value: impl Fn(&T) -> V) -> V {
        self.others.as_slice().iter().map(value).fold(of_first, V::max)
    }
}

impl<T> Index<UserId> for Users<T> {
    type Output = T;

    #[inline]
    fn index(&self, user: UserId) -> &T {
        user.behind_first().map_or(&self.first, |place| &self.others.as_slice()[place])
    }
}

impl<T> IndexMut<UserId> for Users<T> {
    #[inline]
    fn index_mut(&mut self, user: UserId) -> &mut T {
        match user.behind_first() {
            None => &mut self.first,
            Some(place) => &mut self.others.as_mut_slice()[place],
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
        let doubled = users.map(Others::default(), |user| 2 * user);
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
