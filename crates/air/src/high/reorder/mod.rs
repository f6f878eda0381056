//! The receiver's side of block acknowledgement: reordering, and the detection of duplicates.
//!
//! IEEE 802.11-2020, 10.25.6.6 (receive reordering buffer) and 10.3.2.14 (duplicates without it); the behaviour of
//! Linux is that of `ieee80211_sta_manage_reorder_buf` (`net/mac80211/rx.c`). See `docs/models/block-ack-reordering.md`.

use airtcp_units::{Duration, Instant};

/// How long a frame waits for those before it (Linux: `HT_RX_REORDER_BUF_TIMEOUT`).
pub(crate) const RELEASE_TIMEOUT: Duration = Duration::from_millis(100);

/// Sequence numbers count modulo this (IEEE 802.11-2020, 9.2.4.4.2).
const MODULUS: u16 = 4096;

/// How far after `start` a number is, from 0 to 4095.
#[inline]
const fn distance(start: u16, sequence: u16) -> u16 {
    sequence.wrapping_sub(start) & (MODULUS - 1)
}

/// The number that follows.
#[inline]
const fn next(sequence: u16) -> u16 {
    (sequence + 1) % MODULUS
}

/// Whether a number lies before `start`: in the half of the circle that ends there.
#[inline]
const fn is_before(sequence: u16, start: u16) -> bool {
    distance(start, sequence) >= MODULUS / 2
}

/// What became of an MPDU that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrived {
    /// The MPDU is delivered, or waits for those before it.
    Taken,
    /// The MPDU had arrived before, or came after the window had passed it: it is discarded.
    Discarded,
}

#[derive(Clone, Copy, Debug)]
struct Stored<T> {
    item: T,
    since: Instant,
}

/// The reorder buffer of one (transmitter, TID).
///
/// The window is `start .. start + size`, modulo 4096; everything before `start` is delivered or given up.
#[derive(Debug)]
pub(crate) struct Reorder<T> {
    /// `WinStartB`: the next number to deliver.
    start: u16,
    /// The MPDU with this number lies at the number modulo the size.
    slots: Vec<Option<Stored<T>>>,
    occupied: u16,
    /// Since when the first of those that wait has waited.
    first_since: Instant,
}

impl<T> Reorder<T> {
    /// An empty buffer for a new agreement. Panics if `size` is not a power of two up to 1024.
    pub(crate) fn new(start: u16, size: u16) -> Self {
        assert!(size.is_power_of_two() && size <= 1024, "a block acknowledgement window of {size}");
        assert!(start < MODULUS, "sequence number {start}");
        let slots = (0..size).map(|_| None).collect();
        Self { start, slots, occupied: 0, first_since: Instant::FAR_FUTURE }
    }

    #[inline]
    const fn size(&self) -> u16 {
        self.slots.len() as u16
    }

    #[inline]
    const fn slot(&self, sequence: u16) -> usize {
        sequence as usize % self.slots.len()
    }

    /// MPDUs that wait for others before them.
    #[inline]
    pub(crate) const fn occupied(&self) -> u16 {
        self.occupied
    }

    /// The next number to deliver.
    #[cfg(test)]
    #[inline]
    pub(crate) const fn start(&self) -> u16 {
        self.start
    }

    /// Whether the MPDU with this number has arrived, or will not be taken any more.
    pub(crate) fn has(&self, sequence: u16) -> bool {
        let is_inside = distance(self.start, sequence) < self.size();
        is_before(sequence, self.start) || is_inside && self.slots[self.slot(sequence)].is_some()
    }

    /// An MPDU arrived. What can be delivered now is pushed to `out`, in order.
    #[inline]
    pub(crate) fn receive(&mut self, now: Instant, sequence: u16, item: T, out: &mut Vec<T>) -> Arrived {
        debug_assert!(sequence < MODULUS, "sequence number {sequence}");
        if is_before(sequence, self.start) {
            return Arrived::Discarded;
        }
        if self.passes(sequence) {
            out.push(item);
            return Arrived::Taken;
        }
        self.store(now, sequence, item, out)
    }

    /// Whether the MPDU with this number, which arrived, is the next, while no other waits: then it is delivered, and the window moves.
    #[inline]
    pub(crate) fn passes(&mut self, sequence: u16) -> bool {
        let passes = sequence == self.start && self.occupied == 0;
        if passes {
            self.start = next(self.start);
        }
        passes
    }

    fn store(&mut self, now: Instant, sequence: u16, item: T, out: &mut Vec<T>) -> Arrived {
        if distance(self.start, sequence) >= self.size() {
            // The new number becomes the window's last.
            self.advance(distance(self.size() - 1, sequence), out);
        }
        let slot = self.slot(sequence);
        if self.slots[slot].is_some() {
            return Arrived::Discarded;
        }
        self.slots[slot] = Some(Stored { item, since: now });
        self.occupied += 1;
        self.release(out);
        self.expire(now, out);
        Arrived::Taken
    }

    /// A `BlockAckReq` said that nothing before `start` will come any more. Earlier ones than the window's are ignored.
    pub(crate) fn move_to(&mut self, now: Instant, start: u16, out: &mut Vec<T>) {
        debug_assert!(start < MODULUS, "sequence number {start}");
        if !is_before(start, self.start) {
            self.advance(start, out);
            self.release(out);
            self.expire(now, out);
        }
    }

    /// When [`Self::expire`] must be called, if nothing arrives before: later than the last call.
    #[inline]
    pub(crate) fn next_timeout(&self) -> Instant {
        if self.occupied == 0 { Instant::FAR_FUTURE } else { self.first_since + RELEASE_TIMEOUT }
    }

    /// Gives up what others have waited for too long. Behind a gap that has just been filled there may be another one,
    /// whose time is over already.
    pub(crate) fn expire(&mut self, now: Instant, out: &mut Vec<T>) {
        while self.next_timeout() <= now {
            self.advance(self.first_stored(), out);
            self.release(out);
        }
    }

    /// Moves the window's start, delivering what was stored before it.
    fn advance(&mut self, start: u16, out: &mut Vec<T>) {
        for _ in 0..distance(self.start, start) {
            if self.occupied == 0 {
                break;
            }
            self.deliver_start(out);
        }
        self.start = start;
    }

    /// Delivers from the window's start up to the first that is missing.
    fn release(&mut self, out: &mut Vec<T>) {
        while self.occupied > 0 && self.slots[self.slot(self.start)].is_some() {
            self.deliver_start(out);
        }
        if self.occupied > 0 {
            let first = self.slots[self.slot(self.first_stored())].as_ref();
            self.first_since = first.expect("it was found").since;
        }
    }

    /// Moves the window by one, delivering what is stored there.
    #[inline]
    fn deliver_start(&mut self, out: &mut Vec<T>) {
        let slot = self.slot(self.start);
        if let Some(stored) = self.slots[slot].take() {
            self.occupied -= 1;
            out.push(stored.item);
        }
        self.start = next(self.start);
    }

    /// The number of the first that is stored. Panics if there is none.
    fn first_stored(&self) -> u16 {
        (0..self.size())
            .map(|ahead| (self.start + ahead) % MODULUS)
            .find(|&sequence| self.slots[self.slot(sequence)].is_some())
            .expect("something is stored")
    }
}

/// Knows a repeated MPDU that is not under block acknowledgement: one for each (transmitter, TID).
///
/// A receiver remembers the last sequence number (IEEE 802.11-2020, 10.3.2.14). A sender repeats an MPDU before it
/// sends the next, so an equal number is a repetition.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DuplicateFilter {
    last: Option<u16>,
}

impl DuplicateFilter {
    /// Whether an MPDU with this number is new; it is remembered.
    #[inline]
    pub(crate) fn is_new(&mut self, sequence: u16) -> bool {
        self.last.replace(sequence) != Some(sequence)
    }
}

#[cfg(test)]
mod tests;
