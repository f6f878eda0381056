//! First in, first out: one queue per access category.

use std::collections::VecDeque;

use super::ledger::Ledger;
use super::{DropCause, Expelled, TxqKey, Waiting};
use crate::border::AccessCategory;

/// The limit of frames, including those dequeued and neither sent nor discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// In all categories together.
    Common(u32),
    /// In each category.
    PerCategory(u32),
}

#[derive(Debug)]
struct Category<T> {
    frames: VecDeque<Waiting<T>>,
    outstanding: u32,
    /// Queues of which the lower half buffers frames, oldest first.
    kept: Vec<TxqKey>,
}

impl<T> Category<T> {
    const fn new() -> Self {
        Self { frames: VecDeque::new(), outstanding: 0, kept: Vec::new() }
    }

    fn occupied(&self) -> usize {
        self.frames.len() + self.outstanding as usize
    }
}

/// One queue per access category, in the strict order of arrival, independent of the receivers.
#[derive(Debug)]
pub(crate) struct Fifo<T> {
    categories: [Category<T>; 4],
    room: Room,
    ledger: Ledger,
    /// The frame dequeued last.
    last: Option<Waiting<T>>,
}

impl<T: Copy> Fifo<T> {
    /// Empty queues of a NIC with this many stations.
    pub(crate) fn new(room: Room, stations: u32) -> Self {
        let ledger = Ledger::new(stations);
        Self { categories: [const { Category::new() }; 4], room, ledger, last: None }
    }

    /// Adds a frame, or drops it if there is no room.
    #[inline]
    pub(crate) fn enqueue(&mut self, frame: Waiting<T>, expelled: &mut Vec<Expelled<T>>) {
        let ac = frame.key().category();
        if self.is_category_full(ac) {
            self.ledger.refused();
            expelled.push(Expelled::Dropped(frame.item, DropCause::QueueFull));
            return;
        }
        self.take_in(frame);
    }

    /// Adds a frame, whether there is room or not.
    #[inline]
    pub(crate) fn take_in(&mut self, frame: Waiting<T>) {
        self.ledger.enqueued(&frame);
        self.categories[frame.key().category() as usize].frames.push_back(frame);
    }

    fn is_category_full(&self, ac: AccessCategory) -> bool {
        match self.room {
            Room::Common(limit) => self.ledger.total().frames + self.ledger.outstanding() >= limit,
            Room::PerCategory(limit) => self.categories[ac as usize].occupied() >= limit as usize,
        }
    }

    /// Whether any category has no room.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        AccessCategory::ALL.iter().any(|&ac| self.is_category_full(ac))
    }

    /// Whether a frame waits in this category.
    #[inline]
    pub(crate) fn has(&self, ac: AccessCategory) -> bool {
        !self.categories[ac as usize].frames.is_empty()
    }

    /// The queue of the oldest frame: what the lower half still buffers is older than what waits here.
    #[inline]
    pub(crate) fn next_txq(&mut self, ac: AccessCategory) -> Option<TxqKey> {
        let category = &mut self.categories[ac as usize];
        if category.kept.is_empty() {
            category.frames.front().map(Waiting::key)
        } else {
            Some(category.kept.remove(0))
        }
    }

    /// Takes the oldest frame of the category if it is of this queue.
    #[inline]
    pub(crate) fn dequeue(&mut self, key: TxqKey) -> Option<&Waiting<T>> {
        let category = &mut self.categories[key.category() as usize];
        let frame = *category.frames.front().filter(|frame| frame.key() == key)?;
        category.frames.pop_front();
        category.outstanding += 1;
        self.ledger.dequeued(&frame);
        Some(self.last.insert(frame))
    }

    /// What [`Self::dequeue`] would take.
    #[inline]
    pub(crate) fn peek(&self, key: TxqKey) -> Option<&Waiting<T>> {
        self.categories[key.category() as usize].frames.front().filter(|frame| frame.key() == key)
    }

    /// Notes whether the lower half buffers frames of this queue: they are the oldest.
    #[inline]
    pub(crate) fn return_txq(&mut self, key: TxqKey, more: bool) {
        let kept = &mut self.categories[key.category() as usize].kept;
        kept.retain(|&other| other != key);
        if more {
            kept.insert(0, key);
        }
    }

    /// A dequeued frame was sent or discarded. Panics if there is none in this category.
    #[inline]
    pub(crate) fn finished(&mut self, key: TxqKey) {
        let outstanding = &mut self.categories[key.category() as usize].outstanding;
        *outstanding = outstanding.checked_sub(1).expect("more frames of a category ended than were taken");
        self.ledger.finished();
    }

    /// The counters and the backlog.
    #[inline]
    pub(crate) const fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

#[cfg(test)]
mod tests;
