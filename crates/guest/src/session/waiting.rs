//! A user who waits for a condition.
//!
//! ```text
//!   begin() --- flow(), queue(), lost() --- end()          what is at the end of an instant (kernel/patches, 0085)
//!   saw_ppdus(), roamed(), given_up(), radio_drops()       what happens during one
//! ```
//! A value fulfils its part of a condition at the end of an instant, for as long as it is such. Whatever happens fulfils its
//! part at its own instant, and at no other.

use airtcp_air::{DropReason, NicId, PpduRecord};
use airtcp_plan::condition::{Condition, Happening, Loss};
use airtcp_units::Instant;

use super::ended_ppdu::ended;
use super::happenings::Happenings;
use super::waited_for::WaitedFor;
use crate::watch::{DevicePlace, FlowSample, QdiscSample, SampledFlow};

/// What the kernel has to watch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one for each thing that costs time only if it is asked for"
)]
pub struct Watched {
    /// Flows, at the end of each instant.
    pub flows: bool,
    /// Queues, at the end of each instant.
    pub queues: bool,
    /// Losses.
    pub losses: bool,
    /// Whether it begins: what is now is sampled, too.
    pub begins: bool,
}

/// What a user waits for, and what of it is so.
pub struct Waiting {
    condition: WaitedFor,
    watched: Watched,
    now: Happenings,
    at: Instant,
    found: Vec<Happening>,
}

impl Waiting {
    /// Waits from now on.
    pub(super) fn new(condition: &Condition, now: Instant) -> Self {
        let flows =
            condition.has(|one| matches!(one, Condition::Flow { .. } | Condition::Retransmission { .. }));
        let queues = condition.has(|one| matches!(one, Condition::Queue { .. }));
        let losses = condition.has(|one| matches!(one, Condition::Loss { .. }));
        Self {
            condition: WaitedFor::of(condition),
            watched: Watched { flows, queues, losses, begins: flows || queues || losses },
            now: Happenings::new(),
            at: now,
            found: Vec::new(),
        }
    }

    /// What the kernel has to watch from now on.
    pub(super) fn watches(&mut self) -> Watched {
        let watched = self.watched;
        self.watched.begins = false;
        watched
    }

    /// What was waited for, and when it happened.
    pub(super) fn found(&self) -> (&[Happening], Instant) {
        (&self.found, self.at)
    }

    /// Whether losses are waited for.
    pub fn waits_for_losses(&self) -> bool {
        self.watched.losses
    }

    /// What follows is at this instant.
    fn pass(&mut self, now: Instant) {
        if now != self.at {
            self.at = now;
            self.now.clear_events();
        }
    }

    /// Samples of this instant follow.
    pub fn begin(&mut self, now: Instant) {
        self.pass(now);
        self.now.begin();
    }

    /// A flow.
    pub fn flow(&mut self, flow: SampledFlow, sample: &FlowSample) {
        self.now.flow(flow, sample);
    }

    /// The queueing discipline of a device.
    pub fn queue(&mut self, place: DevicePlace, sample: &QdiscSample<'_>) {
        self.now.queue(place, sample);
    }

    /// A packet that a device has lost.
    pub fn lost(&mut self, loss: Loss) {
        self.now.lost(loss);
    }

    /// All has been sampled. Returns whether what is waited for is so. `place_of`: the device of a NIC.
    pub(super) fn end(&mut self, place_of: impl Fn(NicId) -> Option<DevicePlace>) -> bool {
        self.now.end(place_of);
        self.look()
    }

    fn look(&mut self) -> bool {
        if self.found.is_empty()
            && let Some(found) = self.condition.found(&self.now)
        {
            self.found = found;
        }
        !self.found.is_empty()
    }

    /// Something has happened. With values it is looked at when the instant is over.
    fn happened(&mut self, now: Instant, what: impl IntoIterator<Item = Happening>) -> bool {
        self.pass(now);
        self.now.events.extend(what);
        !self.watched.flows && !self.watched.queues && self.look()
    }

    pub(super) fn saw_ppdus(&mut self, ppdus: &[PpduRecord], now: Instant) -> bool {
        self.happened(now, ppdus.iter().map(|ppdu| Happening::Frame(ended(ppdu))))
    }

    pub(super) fn roamed(&mut self, what: Happening, now: Instant) -> bool {
        self.happened(now, [what])
    }

    pub(super) fn given_up(&mut self, loss: Loss, now: Instant) -> bool {
        self.happened(now, [Happening::Loss(loss)])
    }

    pub(super) fn radio_drops(&mut self, nic: NicId, reason: DropReason, now: Instant) {
        self.pass(now);
        self.now.radio_drops(nic, reason);
    }
}
