//! The EDCAFs of a hearing group that count the same slots.

use airtcp_units::{Duration, Instant};

use super::edcaf::{Aifs, Contender, EdcafId};
use super::heap::CountHeap;

/// EDCAFs with the same AIFS in one hearing group. The lane counts idle slots; an EDCAF remembers the count at which
/// its backoff ends. So a freeze is one addition, however many wait.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub(super) aifs: Aifs,
    slot: Duration,
    /// Slots counted before `start`.
    count: u64,
    /// When the next slot begins or began: the end of AIFS of the present or last idle period.
    start: Instant,
    /// The last count at which anybody's backoff ends or ended.
    last_end: u64,
    waiting: CountHeap,
    /// The next access, if the medium stays idle.
    next: Instant,
}

impl Lane {
    /// A lane on a medium that was never busy: AIFS has always passed.
    pub(super) fn new(aifs: Aifs, slot: Duration) -> Self {
        let waiting = CountHeap::default();
        Self { aifs, slot, count: 0, start: Instant::ZERO, last_end: 0, waiting, next: Instant::FAR_FUTURE }
    }

    #[inline]
    pub(super) fn start(&self) -> Instant {
        self.start
    }

    /// A backoff of so many slots begins at `start`. Returns the count at which it ends.
    #[inline]
    pub(super) fn begin(&mut self, slots: u32) -> u64 {
        let ends_at = self.count + u64::from(slots);
        self.last_end = self.last_end.max(ends_at);
        ends_at
    }

    /// Slots from `start` to the end of a backoff; `None` if it is over. A backoff with nothing to send is over when its
    /// count is reached; with a frame its access is still to come.
    #[inline]
    pub(super) fn slots_to(&self, ends_at: u64, waiting: bool) -> Option<u32> {
        let slots = ends_at.checked_sub(self.count)?;
        (slots > 0 || waiting).then_some(slots as u32)
    }

    /// When this count is reached, if the medium stays idle.
    #[inline]
    pub(super) fn time_of(&self, ends_at: u64) -> Instant {
        self.start + self.slot * (ends_at - self.count)
    }

    /// The next access, if the medium stays idle.
    #[inline]
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    #[inline]
    fn seek_next(&mut self) {
        self.next = self.waiting.first().map_or(Instant::FAR_FUTURE, |ends_at| self.time_of(ends_at));
    }

    /// The idle period ended at `busy_since`; the next one lets AIFS begin at `ready`.
    #[inline]
    pub(super) fn turn_idle(&mut self, busy_since: Instant, ready: Instant) {
        if self.last_end > self.count {
            self.count += self.aifs.counted(self.start, busy_since, self.slot).unwrap_or(0);
        }
        self.start_after(ready);
    }

    /// AIFS begins or began at `ready`.
    #[inline]
    pub(super) fn start_after(&mut self, ready: Instant) {
        self.start = ready + self.aifs.duration;
        self.seek_next();
    }

    #[inline(always)]
    pub(super) fn push(&mut self, ends_at: u64, id: EdcafId, edcafs: &mut [Contender]) {
        self.waiting.push(ends_at, id, edcafs);
        self.seek_next();
    }

    /// Takes the EDCAF whose access comes next.
    #[inline]
    pub(super) fn pop(&mut self, edcafs: &mut [Contender]) -> EdcafId {
        let first = self.waiting.remove(0, edcafs);
        self.seek_next();
        first
    }

    #[inline]
    pub(super) fn remove(&mut self, id: EdcafId, edcafs: &mut [Contender]) {
        let removed = self.waiting.remove(edcafs[id.index()].place as usize, edcafs);
        debug_assert_eq!(removed, id);
        self.seek_next();
    }
}
