//! The users of a PPDU: the receivers that it carries a PSDU for.
//!
//! Every PPDU has one user so far. What is per user takes a [`UserId`], so that a multi-user PPDU (OFDMA, MU-MIMO; IEEE 802.11ax,
//! 27.3.1) needs a larger [`MAX_USERS`] and a [`share_txop`](super::share_txop) that chooses several users.

use std::ops::{Index, IndexMut};

use arrayvec::ArrayVec;

/// Users that a PPDU can have. The lists are inline: no frame allocates memory for its users, and a larger number makes every
/// [`super::ppdu::Ppdu`] and [`super::radio::Exchange`] larger.
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
#[derive(Clone, Debug)]
pub(crate) struct Users<T>(ArrayVec<T, MAX_USERS>);

impl<T> Users<T> {
    /// One user.
    #[inline]
    pub(crate) fn one(user: T) -> Self {
        let mut users = ArrayVec::new();
        users.push(user);
        Self(users)
    }

    /// The entry of each user, made from that of another list.
    #[inline]
    pub(crate) fn map<U>(&self, entry: impl FnMut(&T) -> U) -> Users<U> {
        Users(self.0.iter().map(entry).collect())
    }

    /// The first user.
    #[inline]
    pub(crate) fn first(&self) -> &T {
        &self.0[0]
    }

    /// Every user.
    #[inline]
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.0.iter_mut()
    }

    /// Every user's number.
    #[inline]
    pub(crate) fn ids(&self) -> impl Iterator<Item = UserId> + use<T> {
        // The compiler unrolls the loop when it knows the bound.
        (0..self.0.len().min(MAX_USERS) as u8).map(UserId)
    }

    /// Every user with its number.
    #[inline]
    pub(crate) fn enumerate(&self) -> impl Iterator<Item = (UserId, &T)> {
        self.ids().zip(&self.0)
    }
}

impl<T> Index<UserId> for Users<T> {
    type Output = T;

    #[inline]
    fn index(&self, user: UserId) -> &T {
        &self.0[user.index()]
    }
}

impl<T> IndexMut<UserId> for Users<T> {
    #[inline]
    fn index_mut(&mut self, user: UserId) -> &mut T {
        &mut self.0[user.index()]
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
