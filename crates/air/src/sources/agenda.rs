//! When sources have to be called next.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use airtcp_units::Instant;

use crate::handle::index_type;

index_type! {
    /// The number of a source in its scene.
    pub(super) struct SourceId(u32);
}

/// Calls of sources, by time and then by number; at most one for each.
#[derive(Debug)]
pub(super) struct Agenda(BinaryHeap<Reverse<(Instant, SourceId)>>);

impl Agenda {
    /// An agenda with room for so many sources.
    pub(super) fn with_capacity(sources: usize) -> Self {
        Self(BinaryHeap::with_capacity(sources))
    }

    /// Schedules the next call of a source that has none.
    pub(super) fn schedule(&mut self, at: Instant, source: SourceId) {
        self.0.push(Reverse((at, source)));
    }

    /// The time of the next call; the far future without any.
    #[inline]
    pub(super) fn next_at(&self) -> Instant {
        self.0.peek().map_or(Instant::FAR_FUTURE, |Reverse((at, _))| *at)
    }

    /// The source to be called now.
    pub(super) fn take(&mut self, now: Instant) -> Option<SourceId> {
        if self.next_at() > now {
            return None;
        }
        self.0.pop().map(|Reverse((_, source))| source)
    }
}
