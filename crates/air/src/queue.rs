//! The transmit queues of a NIC: first in, first out, with a limit; and those of airtcp's own high MAC ([`Queues`]).

#![allow(dead_code, reason = "the high MAC that uses it is being built")]

use std::collections::VecDeque;

mod airtime;
mod chain;
mod codel;
mod fair_queue;
mod fifo;
mod fq_codel;
mod ledger;
mod packets;
mod queues;
mod waiting;

#[allow(unused_imports, reason = "the high MAC that uses it is being built")]
pub(crate) use {
    ledger::{Backlog, QueueCounts},
    queues::Queues,
    waiting::{DropCause, Expelled, TxqKey, Waiting},
};

/// A queue whose head is the frame that is being sent.
#[derive(Debug)]
pub(crate) struct DropTail<T> {
    frames: VecDeque<T>,
    limit: usize,
    longest: usize,
}

/// Most frames for which memory is set aside in advance.
const RESERVED_FRAMES_MAX: usize = 4096;

impl<T> DropTail<T> {
    /// An empty queue that is full with `limit` frames.
    pub(crate) fn new(limit: usize) -> Self {
        // One more, for a frame that was on its way when the queue became full.
        let reserved = limit.min(RESERVED_FRAMES_MAX) + 1;
        Self { frames: VecDeque::with_capacity(reserved), limit, longest: 0 }
    }

    /// Adds a frame, whatever the limit: the caller asks [`Self::is_full`] first.
    #[inline]
    pub(crate) fn push(&mut self, frame: T) {
        self.frames.push_back(frame);
        self.longest = self.longest.max(self.frames.len());
    }

    /// Takes the head out.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.frames.pop_front()
    }

    /// The head.
    #[inline]
    pub(crate) fn head(&self) -> Option<&T> {
        self.frames.front()
    }

    /// The head, to note what happened to it.
    #[inline]
    pub(crate) fn head_mut(&mut self) -> Option<&mut T> {
        self.frames.front_mut()
    }

    /// Frames in the queue.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether it holds no frame.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Whether the limit is reached or passed.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.frames.len() >= self.limit
    }

    /// Most frames it ever held.
    pub(crate) const fn longest(&self) -> usize {
        self.longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_leave_in_their_order() {
        let mut queue = DropTail::new(2);
        queue.push('a');
        assert!(!queue.is_full());
        queue.push('b');
        assert!(queue.is_full());
        queue.push('c');
        assert_eq!((queue.pop(), queue.head(), queue.len()), (Some('a'), Some(&'b'), 2));
        assert_eq!(queue.longest(), 3);
    }
}
