//! Channel access by DCF: who may start a PPDU, and when (IEEE 802.11-2020, 10.3.4).
//!
//! ```text
//!   busy      |<- IFS ->|slot|slot|slot|                 busy |<- IFS ->|slot|
//! ============+---------+----+----+----+======================+---------+----+===
//!             idle_since slots_from    | another starts:               access_at
//!                                      | whole slots passed are taken off
//! ```
//! A contender counts whole idle slots from `slots_from` on, the end of its DIFS or
//! EIFS. Nothing happens per slot: its access time is known as long as the medium stays
//! idle, and when it becomes busy the slots that passed are taken off at once.
//!
//! A slot is the time to sense a PPDU, decide, and turn to sending (10.3.7). So who starts
//! less than a slot after another could not know of it, and collides. Mostly everybody
//! counts the same slots and colliding PPDUs start together; not after a collision, which
//! ends at other times for those in it than for those who heard it, nor at a first frame.

use airtcp_units::{Duration, Instant};

/// Where backoff values come from.
pub(crate) trait Backoff {
    /// Draws a number of slots for this contender.
    fn draw(&mut self, member: usize) -> u32;
}

/// What a contender must wait for after the medium was busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deference {
    /// Time for which its NAV still shows the medium busy (10.3.2.4).
    pub(crate) nav: Duration,
    /// DIFS, or EIFS after a PPDU that it could not read (10.3.2.3).
    pub(crate) ifs: Duration,
}

#[derive(Clone, Debug)]
struct Contender {
    /// Since when it takes the medium for idle; `None`: it was never busy.
    idle_since: Option<Instant>,
    /// Start of its first backoff slot; the far future while the medium is busy.
    slots_from: Instant,
    /// Slots left at `slots_from`; `None`: no backoff is pending.
    backoff: Option<u32>,
    /// Duration of the PPDU that waits for access.
    waiting: Option<Duration>,
    /// When it will start, if the medium stays idle.
    access_at: Instant,
}

/// The contenders of one medium. Everybody hears everybody.
#[derive(Debug)]
pub(crate) struct Contention {
    slot: Duration,
    contenders: Vec<Contender>,
    busy_since: Option<Instant>,
    next: Instant,
    next_airtime: Duration,
}

/// Whole slots up to an instant. Most contenders ask from the same instant on, so the last
/// answer is kept: a division per contender would be most of the cost of an exchange.
struct Elapsed {
    until: Instant,
    slot: Duration,
    from: Instant,
    slots: u64,
}

impl Elapsed {
    fn new(until: Instant, slot: Duration) -> Self {
        Self { until, slot, from: until, slots: 0 }
    }

    #[inline]
    fn slots_since(&mut self, from: Instant) -> u64 {
        if from != self.from {
            (self.from, self.slots) = (from, self.until.since(from).div_floor(self.slot));
        }
        self.slots
    }
}

impl Contender {
    fn schedule(&mut self, slot: Duration) {
        self.access_at = match self.waiting {
            Some(_) => self.slots_from + slot * u64::from(self.backoff.unwrap_or(0)),
            None => Instant::FAR_FUTURE,
        };
    }

    /// Takes off the slots that passed before the medium became busy, once.
    #[inline]
    fn freeze(&mut self, elapsed: &mut Elapsed) {
        if elapsed.until < self.slots_from {
            self.slots_from = Instant::FAR_FUTURE;
            return;
        }
        if let Some(slots) = self.backoff {
            let passed = elapsed.slots_since(self.slots_from);
            self.backoff = if passed < u64::from(slots) {
                Some(slots - passed as u32)
            } else {
                // It ended with nothing to send. With a frame it would have started.
                assert!(self.waiting.is_none(), "a contender missed its access");
                None
            };
        }
        self.slots_from = Instant::FAR_FUTURE;
    }
}

impl Contention {
    /// `members` contenders on a medium that was never busy.
    pub(crate) fn new(slot: Duration, members: usize) -> Self {
        let contender = Contender {
            idle_since: None,
            slots_from: Instant::ZERO,
            backoff: None,
            waiting: None,
            access_at: Instant::FAR_FUTURE,
        };
        Self {
            slot,
            contenders: vec![contender; members],
            busy_since: None,
            next: Instant::FAR_FUTURE,
            next_airtime: Duration::ZERO,
        }
    }

    /// When the next PPDU starts, if nothing new happens.
    #[inline]
    pub(crate) const fn next(&self) -> Instant {
        self.next
    }

    /// When the shortest PPDU that starts next will end.
    #[inline]
    pub(crate) fn next_end(&self) -> Instant {
        if self.next == Instant::FAR_FUTURE { self.next } else { self.next + self.next_airtime }
    }

    /// A frame comes to a contender that had none (10.3.4.2).
    ///
    /// It may start without backoff if no backoff is pending and the medium is idle and
    /// stays so until DIFS or EIFS have passed since it was busy. The instant in which a
    /// PPDU ends still counts as busy: who answers what he just received draws a backoff.
    pub(crate) fn arrive(&mut self, member: usize, now: Instant, airtime: Duration, dice: &mut impl Backoff) {
        let sensed = self.busy_since.filter(|&since| now >= since + self.slot);
        let c = &mut self.contenders[member];
        assert!(c.waiting.is_none(), "a second frame arrives at the head of a queue");
        if let Some(since) = sensed {
            c.freeze(&mut Elapsed::new(since, self.slot));
            c.waiting = Some(airtime);
            c.backoff.get_or_insert_with(|| dice.draw(member));
            return;
        }
        c.waiting = Some(airtime);
        let ended = c.backoff.is_none_or(|b| c.slots_from + self.slot * u64::from(b) < now);
        if ended {
            let busy = c.idle_since.is_some_and(|idle| now <= idle);
            c.backoff = busy.then(|| dice.draw(member));
            c.slots_from = c.slots_from.max(now);
        }
        self.schedule(member);
    }

    /// A contender begins a backoff after it sent: the post-backoff, which there is even
    /// with nothing more to send, and the one before a retry (10.3.4.3). Slots count from
    /// `ready` on, a DIFS from now, if the medium stays idle.
    pub(crate) fn begin_backoff(
        &mut self,
        member: usize,
        ready: Instant,
        waiting: Option<Duration>,
        dice: &mut impl Backoff,
    ) {
        let c = &mut self.contenders[member];
        c.backoff = Some(dice.draw(member));
        c.waiting = waiting;
        // The far future stays, if it sent in the busy period that is not over yet.
        c.slots_from = c.slots_from.max(ready);
        if self.busy_since.is_none() {
            self.schedule(member);
        }
    }

    /// The next access happens: the medium is busy from now on. Whoever starts now is
    /// added to `starting`; who will start within the slot is the next access.
    pub(crate) fn seize(&mut self, starting: &mut Vec<usize>) {
        let now = self.next;
        assert!(now < Instant::FAR_FUTURE, "nobody is about to send");
        let sensed_at = *self.busy_since.get_or_insert(now) + self.slot;
        self.next = Instant::FAR_FUTURE;
        for (member, c) in self.contenders.iter_mut().enumerate() {
            if c.access_at == now {
                (c.backoff, c.waiting) = (None, None);
                (c.slots_from, c.access_at) = (Instant::FAR_FUTURE, Instant::FAR_FUTURE);
                starting.push(member);
            } else if c.access_at < sensed_at {
                let airtime = c.waiting.expect("who will start has a frame");
                advance_next(&mut self.next, &mut self.next_airtime, c.access_at, airtime);
            }
        }
    }

    /// The medium is idle again; each contender says what it must wait for.
    pub(crate) fn release(
        &mut self,
        now: Instant,
        dice: &mut impl Backoff,
        mut deference: impl FnMut(usize) -> Deference,
    ) {
        let since = self.busy_since.take().expect("the medium was busy");
        let slot = self.slot;
        let mut elapsed = Elapsed::new(since, slot);
        self.next = Instant::FAR_FUTURE;
        for (member, c) in self.contenders.iter_mut().enumerate() {
            c.freeze(&mut elapsed);
            if c.waiting.is_some() && c.backoff.is_none() {
                // It waited for its IFS without backoff, and the medium did not stay idle.
                c.backoff = Some(dice.draw(member));
            }
            let Deference { nav, ifs } = deference(member);
            let idle = now + nav;
            c.idle_since = Some(idle);
            c.slots_from = idle + ifs;
            c.schedule(slot);
            if let Some(airtime) = c.waiting {
                advance_next(&mut self.next, &mut self.next_airtime, c.access_at, airtime);
            }
        }
    }

    fn schedule(&mut self, member: usize) {
        let sensed_at = self.busy_since.map_or(Instant::FAR_FUTURE, |since| since + self.slot);
        let c = &mut self.contenders[member];
        c.schedule(self.slot);
        if let Some(airtime) = c.waiting.filter(|_| c.access_at < sensed_at) {
            advance_next(&mut self.next, &mut self.next_airtime, c.access_at, airtime);
        }
    }
}

#[inline]
fn advance_next(next: &mut Instant, next_airtime: &mut Duration, access_at: Instant, airtime: Duration) {
    if access_at < *next {
        (*next, *next_airtime) = (access_at, airtime);
    } else if access_at == *next {
        *next_airtime = (*next_airtime).min(airtime);
    }
}

#[cfg(test)]
mod tests;
