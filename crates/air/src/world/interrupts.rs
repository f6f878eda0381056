//! What a card has received, and what it has sent, waits for the card's interrupt and its host's poll.
//!
//! ```text
//!   frame      frame   frame                      interrupt         poll
//!     |----------+-------+---- timers, count --------|-- host delay --|
//!     first              last                         frames that come here join the poll
//! ```
//! A received frame of airtcp's own MAC is held meanwhile ([`Action::Hold`]): it may have ended for its sender. mac80211's driver has
//! made its copies already and keeps them until [`Mac80211::rx_interrupt`]. Of what was sent, the upper half learns at the poll only
//! that its frames have ended: rate control and the window of block acknowledgement do not wait.

use airtcp_plan::{AirNic, AirPlan, HostDelay, InterruptModeration, MacAddress, TxInterrupt};
use airtcp_random::draw;
use airtcp_units::{Duration, Instant};

use super::card_events::{CardEvent, Completion};
use super::load::Load;
use super::upper_macs::UpperMacs;
use crate::border::Requests;
use crate::high::Action;
use crate::linux_mac::Mac80211;
use crate::random::{Purpose, Stream};
use crate::{FrameHandle, NicId};

/// The interrupts of cards whose frames do not reach the host at once.
#[derive(Debug)]
pub(super) struct Interrupts {
    lines: Vec<Line>,
    /// By NIC.
    cards: Vec<CardLines>,
    /// The earliest instant at which a line has something to do.
    next: Instant,
}

/// The interrupts of a card, by their places in the list; `None`: at once. Both may be one.
#[derive(Clone, Copy, Debug)]
struct CardLines {
    rx: Option<usize>,
    tx: Option<usize>,
}

/// One interrupt: what waits for it, and until when.
#[derive(Debug)]
struct Line {
    nic: NicId,
    moderation: InterruptModeration,
    load: Option<Load>,
    delay: Option<HostDelay>,
    random: Stream,
    received: Vec<Received>,
    completed: Vec<Completion>,
    /// Frames that mac80211's driver keeps.
    kept: u32,
    first: Instant,
    stage: Stage,
    due: Instant,
}

/// What happens when a line is due.
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
    /// Whether the frame goes back into the cell.
    relayed: bool,
}

impl Interrupts {
    /// The interrupts of a plan's NICs; nothing waits.
    pub(super) fn new(plan: &AirPlan, seed: u64) -> Self {
        let mut lines = Vec::new();
        let cards = (0..).map(NicId).zip(&plan.nics).map(|(id, nic)| card_lines(&mut lines, id, nic, seed));
        Self { cards: cards.collect(), lines, next: Instant::FAR_FUTURE }
    }

    /// The earliest instant at which [`Self::run`] has something to do.
    #[inline]
    pub(super) const fn next(&self) -> Instant {
        self.next
    }

    /// Whether frames of a NIC wait for their completion.
    pub(super) fn completes(&self, nic: NicId) -> bool {
        self.cards[nic.index()].tx.is_some_and(|line| !self.lines[line].completed.is_empty())
    }

    /// Keeps back those frames of these actions that are for hosts of moderated NICs.
    pub(super) fn keep_back(&mut self, now: Instant, actions: &mut [Action]) {
        for action in actions {
            let (nic, frame, relayed) = match *action {
                Action::Deliver { nic, frame } => (nic, frame, false),
                Action::Relay { nic, frame } => (nic, frame, true),
                _ => continue,
            };
            let Some(line) = self.cards[nic.index()].rx else { continue };
            self.lines[line].received.push(Received { frame, relayed });
            *action = Action::Hold { frame };
            self.arrive(now, line);
        }
    }

    /// Something happened at a card.
    pub(super) fn take(&mut self, now: Instant, event: CardEvent) {
        match event {
            CardEvent::Heard { nic, mpdus } => {
                let line = self.cards[nic.index()].rx.expect("the NIC receives late");
                self.lines[line].kept += mpdus;
                self.arrive(now, line);
            }
            CardEvent::Completed { nic, completion } => {
                let line = self.cards[nic.index()].tx.expect("the NIC completes late");
                self.lines[line].completed.push(completion);
                self.arrive(now, line);
            }
            CardEvent::Carried { nic, mpdus, octets, sent } => {
                let own = self.lines.iter_mut().filter(|line| line.nic == nic);
                own.filter_map(|line| line.load.as_mut()).for_each(|load| load.add(now, mpdus, octets, sent));
            }
        }
    }

    /// Something waits at a line that did not before.
    fn arrive(&mut self, now: Instant, line: usize) {
        let line = &mut self.lines[line];
        let before = line.due;
        line.arrive(now);
        if line.due < self.next {
            self.next = line.due;
        } else if before == self.next {
            self.next = self.earliest();
        }
    }

    /// Raises the interrupts and makes the polls that are due.
    pub(super) fn run(
        &mut self,
        now: Instant,
        macs: &mut UpperMacs<'_, impl Mac80211>,
        requests: &mut Requests,
    ) {
        if self.next > now {
            return;
        }
        for line in self.lines.iter_mut().filter(|line| line.due <= now) {
            if line.stage == Stage::Poll || line.interrupts(now) {
                line.poll(now, macs, requests);
            }
        }
        self.next = self.earliest();
    }

    /// Completes now what waits for it at a NIC.
    pub(super) fn complete(
        &mut self,
        now: Instant,
        nic: NicId,
        macs: &mut UpperMacs<'_, impl Mac80211>,
        requests: &mut Requests,
    ) {
        let Some(line) = self.cards[nic.index()].tx else { return };
        let line = &mut self.lines[line];
        line.complete(now, macs, requests);
        if line.is_empty() {
            line.rest();
        }
        self.next = self.earliest();
    }

    /// Makes the polls of all frames that wait, at the end of a run.
    pub(super) fn flush(
        &mut self,
        now: Instant,
        macs: &mut UpperMacs<'_, impl Mac80211>,
        requests: &mut Requests,
    ) {
        for line in self.lines.iter_mut().filter(|line| !line.is_empty()) {
            line.poll(now, macs, requests);
        }
        self.next = Instant::FAR_FUTURE;
    }

    fn earliest(&self) -> Instant {
        self.lines.iter().map(|line| line.due).min().unwrap_or(Instant::FAR_FUTURE)
    }
}

/// Adds the interrupts of a NIC to the list. Each draws the delays of its polls from its own stream.
fn card_lines(lines: &mut Vec<Line>, id: NicId, nic: &AirNic, seed: u64) -> CardLines {
    /// The second address tells the stream of completions from that of reception.
    const COMPLETIONS: MacAddress = MacAddress([1, 0, 0, 0, 0, 0]);
    let card = &nic.card;
    let mut add = |moderation: Option<InterruptModeration>, entity| {
        let moderation = moderation.unwrap_or(InterruptModeration::AT_ONCE);
        let random = Stream::new(seed, Purpose::HostDelay, nic.mac, entity);
        lines.push(Line::new(id, moderation, card.host_delay, random));
        lines.len() - 1
    };
    let rx = card.receives_late().then(|| add(card.rx_interrupt, nic.mac));
    let tx = match card.tx_interrupt {
        Some(TxInterrupt::WithReception) => rx,
        Some(TxInterrupt::Own(moderation)) => Some(add(Some(moderation), COMPLETIONS)),
        None => card.completes_late().then(|| add(None, COMPLETIONS)),
    };
    CardLines { rx, tx }
}

impl Line {
    fn new(nic: NicId, moderation: InterruptModeration, delay: Option<HostDelay>, random: Stream) -> Self {
        Self {
            nic,
            moderation,
            load: moderation.load.map(Load::new),
            delay,
            random,
            received: Vec::new(),
            completed: Vec::new(),
            kept: 0,
            first: Instant::FAR_FUTURE,
            stage: Stage::Interrupt,
            due: Instant::FAR_FUTURE,
        }
    }

    fn frames(&self) -> usize {
        self.received.len() + self.completed.len() + self.kept as usize
    }

    fn is_empty(&self) -> bool {
        self.frames() == 0
    }

    /// Nothing waits any more.
    fn rest(&mut self) {
        (self.first, self.stage, self.due) = (Instant::FAR_FUTURE, Stage::Interrupt, Instant::FAR_FUTURE);
    }

    fn arrive(&mut self, now: Instant) {
        self.first = self.first.min(now);
        if self.stage == Stage::Poll {
            return;
        }
        let acts = self.load.as_mut().is_none_or(|load| load.is_high(now));
        let InterruptModeration { after_first_ns, after_last_ns, frames, .. } =
            if acts { self.moderation } else { InterruptModeration::AT_ONCE };
        let after = |from: Instant, ns: Option<u64>| {
            ns.map_or(Instant::FAR_FUTURE, |ns| from + Duration::from_nanos(ns))
        };
        self.due = after(self.first, after_first_ns).min(after(now, after_last_ns));
        if frames.is_some_and(|most| self.frames() >= most as usize) {
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

    /// Completions come before received frames (Linux, `rtw89_pci_napi_poll`).
    fn poll(&mut self, now: Instant, macs: &mut UpperMacs<'_, impl Mac80211>, requests: &mut Requests) {
        self.complete(now, macs, requests);
        if std::mem::take(&mut self.kept) > 0 {
            macs.mac.rx_interrupt(now, self.nic);
        }
        let nic = self.nic;
        for Received { frame, relayed } in self.received.drain(..) {
            let action = if relayed { Action::Relay { nic, frame } } else { Action::Deliver { nic, frame } };
            macs.own.out.extend([action, Action::Release { frame }]);
        }
        self.rest();
    }

    fn complete(&mut self, now: Instant, macs: &mut UpperMacs<'_, impl Mac80211>, requests: &mut Requests) {
        for Completion { mpdu, fate } in self.completed.drain(..) {
            macs.complete(now, self.nic, &mpdu, fate, requests);
        }
    }
}
