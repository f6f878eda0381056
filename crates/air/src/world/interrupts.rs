//! What has been received waits for its card's interrupt and its host's poll.
//!
//! ```text
//!   frame      frame   frame                      interrupt         poll
//!     |----------+-------+---- timers, count --------|-- host delay --|
//!     first              last                         frames that arrive here join the poll
//! ```
//! A frame of airtcp's own MAC is held meanwhile ([`Action::Hold`]): it may have ended for its sender. mac80211's driver has made its
//! copies already and keeps them until [`Mac80211::rx_interrupt`].

use airtcp_plan::{AirPlan, CardPlan, HostDelay, RxInterrupt};
use airtcp_random::draw;
use airtcp_units::{Duration, Instant};

use crate::high::Action;
use crate::linux_mac::Mac80211;
use crate::random::{Purpose, Stream};
use crate::{FrameHandle, NicId};

/// The cards whose frames do not reach the host at once.
#[derive(Debug)]
pub(super) struct Interrupts {
    /// By NIC; `None`: at once.
    cards: Vec<Option<Card>>,
    /// The earliest instant at which a card has something to do.
    next: Instant,
}

/// What waits in a card, and until when.
#[derive(Debug)]
struct Card {
    moderation: RxInterrupt,
    delay: Option<HostDelay>,
    random: Stream,
    waiting: Vec<Received>,
    /// Frames that wait, those that mac80211's driver keeps included.
    frames: u32,
    first: Instant,
    stage: Stage,
    due: Instant,
}

/// What happens when a card is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The interrupt.
    Interrupt,
    /// The poll.
    Poll,
}

/// A frame for a host of airtcp's own MAC.
#[derive(Clone, Copy, Debug)]
struct Received {
    frame: FrameHandle,
    /// It goes back into the cell.
    relayed: bool,
}

impl Interrupts {
    /// The cards of a plan's NICs, empty.
    pub(super) fn new(plan: &AirPlan, seed: u64) -> Self {
        let cards = plan.nics.iter().map(|nic| {
            let CardPlan { rx_interrupt, host_delay, .. } = nic.card;
            let at_once = RxInterrupt { after_first_ns: None, after_last_ns: None, frames: Some(1) };
            nic.card.interrupts_late().then(|| Card {
                moderation: rx_interrupt.unwrap_or(at_once),
                delay: host_delay,
                random: Stream::new(seed, Purpose::HostDelay, nic.mac, nic.mac),
                waiting: Vec::new(),
                frames: 0,
                first: Instant::ZERO,
                stage: Stage::Interrupt,
                due: Instant::FAR_FUTURE,
            })
        });
        Self { cards: cards.collect(), next: Instant::FAR_FUTURE }
    }

    /// The earliest instant at which [`Self::run`] has something to do.
    #[inline]
    pub(super) const fn next(&self) -> Instant {
        self.next
    }

    /// Whether the frames of a NIC wait for interrupts.
    #[inline]
    pub(super) fn moderates(&self, nic: NicId) -> bool {
        self.cards[nic.index()].is_some()
    }

    /// Keeps back those frames of these actions that are for hosts of moderated NICs.
    pub(super) fn keep_back(&mut self, now: Instant, actions: &mut [Action]) {
        for action in actions {
            let (nic, frame, relayed) = match *action {
                Action::Deliver { nic, frame } => (nic, frame, false),
                Action::Relay { nic, frame } => (nic, frame, true),
                _ => continue,
            };
            let Some(card) = &mut self.cards[nic.index()] else { continue };
            card.waiting.push(Received { frame, relayed });
            *action = Action::Hold { frame };
            self.arrive(now, nic, 1);
        }
    }

    /// This many frames have arrived at a NIC.
    pub(super) fn arrive(&mut self, now: Instant, nic: NicId, frames: u32) {
        let card = self.cards[nic.index()].as_mut().expect("the NIC moderates");
        let before = card.due;
        card.arrive(now, frames);
        if card.due < self.next {
            self.next = card.due;
        } else if before == self.next {
            self.next = self.earliest();
        }
    }

    /// Raises the interrupts and makes the polls that are due.
    pub(super) fn run(&mut self, now: Instant, mac: &mut impl Mac80211, out: &mut Vec<Action>) {
        if self.next > now {
            return;
        }
        for (nic, card) in (0..).map(NicId).zip(&mut self.cards) {
            let Some(card) = card.as_mut().filter(|card| card.due <= now) else { continue };
            if card.stage == Stage::Poll || card.interrupts(now) {
                card.poll(now, nic, mac, out);
            }
        }
        self.next = self.earliest();
    }

    /// Makes the polls of all frames that wait, at the end of a run.
    pub(super) fn flush(&mut self, now: Instant, mac: &mut impl Mac80211, out: &mut Vec<Action>) {
        for (nic, card) in (0..).map(NicId).zip(&mut self.cards) {
            if let Some(card) = card.as_mut().filter(|card| card.frames > 0) {
                card.poll(now, nic, mac, out);
            }
        }
        self.next = Instant::FAR_FUTURE;
    }

    fn earliest(&self) -> Instant {
        self.cards.iter().flatten().map(|card| card.due).min().unwrap_or(Instant::FAR_FUTURE)
    }
}

impl Card {
    fn arrive(&mut self, now: Instant, frames: u32) {
        if self.frames == 0 {
            self.first = now;
        }
        self.frames += frames;
        if self.stage == Stage::Poll {
            return;
        }
        let RxInterrupt { after_first_ns, after_last_ns, frames } = self.moderation;
        let after = |from: Instant, ns: Option<u64>| {
            ns.map_or(Instant::FAR_FUTURE, |ns| from + Duration::from_nanos(ns))
        };
        self.due = after(self.first, after_first_ns).min(after(now, after_last_ns));
        if frames.is_some_and(|most| self.frames >= most) {
            self.due = now;
        }
    }

    /// The interrupt comes: true if its poll is at once.
    fn interrupts(&mut self, now: Instant) -> bool {
        let Some(HostDelay { fixed_ns, jitter_ns }) = self.delay else { return true };
        let jitter_ns = jitter_ns.map_or(0, |variate| draw(&variate, &mut self.random));
        self.stage = Stage::Poll;
        self.due = now + Duration::from_nanos(fixed_ns.saturating_add(jitter_ns));
        self.due == now
    }

    fn poll(&mut self, now: Instant, nic: NicId, mac: &mut impl Mac80211, out: &mut Vec<Action>) {
        if self.frames as usize > self.waiting.len() {
            mac.rx_interrupt(now, nic);
        }
        for Received { frame, relayed } in self.waiting.drain(..) {
            let action = if relayed { Action::Relay { nic, frame } } else { Action::Deliver { nic, frame } };
            out.extend([action, Action::Release { frame }]);
        }
        (self.frames, self.stage, self.due) = (0, Stage::Interrupt, Instant::FAR_FUTURE);
    }
}
