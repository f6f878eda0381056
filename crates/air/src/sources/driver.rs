//! The loop that runs the air with its sources.

use airtcp_plan::AirScene;
use airtcp_units::{Duration, Instant};

use super::agenda::{Agenda, SourceId};
use super::frame_slab::{FrameSlab, OwnedFrame};
use super::host_nic::HostNic;
use super::source::Source;
use crate::SetupError;
use crate::high::{Action, DropReason, Frame};
use crate::linux_mac::NoMac80211;
use crate::world::{Outbox, World, WorldOptions};
use crate::{FrameHandle, NicId};

/// A world, and its hosts.
#[derive(Debug)]
pub(super) struct Driver<'a> {
    pub(super) scene: &'a AirScene,
    pub(super) world: World,
    pub(super) out: Outbox,
    pub(super) sources: Vec<Source>,
    pub(super) nics: Vec<HostNic>,
    pub(super) frames: FrameSlab,
    agenda: Agenda,
}

impl<'a> Driver<'a> {
    /// A scene at its start. `ppdu_trace`: its PPDUs and TXOPs are recorded.
    ///
    /// # Errors
    /// [`SetupError`] with the key at fault if the scene has something that does not exist or is not modelled.
    pub(super) fn new(scene: &'a AirScene, ppdu_trace: bool) -> Result<Self, SetupError> {
        let options = WorldOptions {
            epoch: Instant::ZERO,
            end: Instant::from_nanos(scene.duration_ns),
            sample_interval: Duration::ZERO,
            ppdu_trace,
        };
        if let Some(c) = scene.air.cells.iter().position(|cell| cell.linux.is_some()) {
            let reason = "mac80211 runs in a kernel, and a scene has none";
            return Err(SetupError::new(format!("air.cells[{c}].linux"), reason, "use mac = \"airtcp\""));
        }
        let world = World::new(&scene.air, scene.seed, options)?;
        let sources: Vec<_> = (0..scene.sources.len()).map(|i| Source::new(scene, i)).collect();
        let mut agenda = Agenda::with_capacity(sources.len());
        for ((number, source), plan) in (0..).zip(&sources).zip(&scene.sources) {
            let begin = source.begin(plan);
            if begin < source.end {
                agenda.schedule(begin, SourceId(number));
            }
        }
        let nics = scene.air.nics.iter().map(|_| HostNic::default()).collect();
        let (out, frames) = (Outbox::default(), FrameSlab::default());
        Ok(Self { scene, world, out, sources, nics, frames, agenda })
    }

    /// Everything up to this instant, what happens in it included.
    pub(super) fn advance(&mut self, until: Instant) {
        loop {
            let (air, sources) = (self.world.next_wakeup(), self.agenda.next_at());
            let now = air.min(sources);
            if now > until {
                break;
            }
            if air == now {
                self.world.run(now, &mut NoMac80211, &mut self.out);
                if !self.out.actions.is_empty() {
                    self.carry_out(now);
                }
            }
            while let Some(source) = self.agenda.take(now) {
                if let Some(next) = self.source_mut(source).frame_comes() {
                    self.agenda.schedule(next, source);
                }
                self.offer(now, source);
                self.carry_out(now);
            }
        }
    }

    #[inline]
    fn source_mut(&mut self, id: SourceId) -> &mut Source {
        &mut self.sources[id.index()]
    }

    /// Carries out the world's actions, those included that follow from others.
    fn carry_out(&mut self, now: Instant) {
        let mut place = 0;
        while let Some(&action) = self.out.actions.get(place) {
            place += 1;
            match action {
                Action::Deliver { nic, frame } => self.deliver(now, nic, frame),
                Action::Relay { nic, frame } => self.relay(now, nic, frame),
                Action::Hold { frame } => self.frames.hold(frame),
                Action::Release { frame } => {
                    self.frames.release(frame);
                }
                Action::Sent { nic, frame } => self.end(now, nic, frame, None),
                Action::Dropped { nic, frame, reason } => self.end(now, nic, frame, Some(reason)),
                Action::MarkCe { .. } => {}
                Action::Stop { nic } => self.nics[nic.index()].stopped = true,
                Action::Wake { nic } => {
                    self.nics[nic.index()].stopped = false;
                    self.take_turns(now, nic);
                }
            }
        }
        self.out.actions.clear();
    }

    #[inline]
    pub(super) fn deliver(&mut self, now: Instant, nic: NicId, frame: FrameHandle) {
        let frame = *self.frames.get(frame);
        let source = self.source_mut(frame.source);
        assert_eq!(nic, source.to, "a frame reaches the host it is for");
        if let Some(later) = source.deliver(frame.number, now.since(frame.came)) {
            self.check_overtaken(&frame, later);
        }
    }

    /// A later frame of its source was delivered before this one. The MAC keeps the order of a priority (IEEE 802.11-2020, 10.25.6), and
    /// so do queues, with one exception as in Linux: FQ-CoDel puts a frame whose flow another queue uses into its queue's default
    /// flow, and the next frame perhaps not. Panics if that did not happen in a NIC on the way.
    #[cold]
    fn check_overtaken(&self, frame: &OwnedFrame, later: u64) {
        let from = self.sources[frame.source.index()].from;
        let mut nics = (0..self.nics.len() as u32).map(NicId);
        let explained =
            nics.any(|nic| (nic == from || frame.forwarded) && self.world.flow_collisions(nic) > 0);
        assert!(explained, "frame {} of NIC {} is delivered after {later}", frame.number, from.0);
    }

    /// A NIC forwards a frame: it sends a copy with the same addresses.
    fn relay(&mut self, now: Instant, nic: NicId, frame: FrameHandle) {
        let copy = self.frames.copy(frame);
        let id = self.frames.get(copy).source;
        let frame = self.sources[id.index()].frame(id, copy);
        self.transmit(now, nic, frame);
    }

    /// A frame has left a NIC: by success, or for a reason.
    #[inline(always)]
    fn end(&mut self, now: Instant, nic: NicId, handle: FrameHandle, dropped: Option<DropReason>) {
        let frame = self.count_end(handle, dropped);
        let refused = dropped == Some(DropReason::QueueFull);
        if !frame.forwarded {
            self.source_mut(frame.source).allow_one_more();
        }
        let host = &mut self.nics[nic.index()];
        let reopened = host.refused && !refused;
        host.refused = refused;
        if reopened {
            self.take_turns(now, nic);
        }
        if !frame.forwarded {
            self.offer(now, frame.source);
        }
    }

    /// Counts a frame that has left a NIC, which uses it no more.
    #[inline(always)]
    fn count_end(&mut self, handle: FrameHandle, dropped: Option<DropReason>) -> OwnedFrame {
        let frame = self.frames.release(handle);
        let counters = &mut self.source_mut(frame.source).counters;
        match dropped {
            Some(reason) if frame.forwarded => counters.dropped_forwarding[reason as usize] += 1,
            Some(reason) => counters.dropped[reason as usize] += 1,
            None if !frame.forwarded => counters.sent += 1,
            None => {}
        }
        frame
    }

    /// Ends the world; the number of its events. Frames that waited for their completion have left their NICs. Nothing enters a NIC
    /// any more, and what waited for its receiver's interrupt reaches no host: it would have come later.
    pub(super) fn finish(&mut self, end: Instant) -> u64 {
        let events = self.world.finish(end, &mut NoMac80211, &mut self.out).events;
        for action in std::mem::take(&mut self.out.actions) {
            match action {
                Action::Hold { frame } => self.frames.hold(frame),
                Action::Release { frame } => {
                    self.frames.release(frame);
                }
                Action::Sent { frame, .. } => {
                    self.count_end(frame, None);
                }
                Action::Dropped { frame, reason, .. } => {
                    self.count_end(frame, Some(reason));
                }
                Action::Deliver { .. }
                | Action::Relay { .. }
                | Action::MarkCe { .. }
                | Action::Stop { .. }
                | Action::Wake { .. } => {}
            }
        }
        events
    }

    /// A source passes its frames to its NIC, as far as the NIC accepts them; with the rest it waits for its turn.
    #[inline]
    fn offer(&mut self, now: Instant, id: SourceId) {
        loop {
            let source = &mut self.sources[id.index()];
            let Some(came) = source.next_frame(now) else { return };
            let nic = source.from;
            let host = &mut self.nics[nic.index()];
            if !source.goes_to(host) {
                if !source.waits {
                    source.waits = true;
                    host.waiting.push_back(id);
                }
                return;
            }
            let number = source.offer();
            let frame = source.frame(id, self.frames.own(id, number, came));
            self.transmit(now, nic, frame);
        }
    }

    /// Sources that waited pass their frames, one after the other, until the NIC accepts no more. A source that then still has
    /// something is last in the next round.
    fn take_turns(&mut self, now: Instant, nic: NicId) {
        for _ in 0..self.nics[nic.index()].waiting.len() {
            if self.nics[nic.index()].stopped {
                return;
            }
            let id = self.nics[nic.index()].waiting.pop_front().expect("somebody waits");
            self.source_mut(id).waits = false;
            self.offer(now, id);
        }
    }

    /// Passes a frame to a NIC, which reports at once whether it accepts more.
    #[inline]
    fn transmit(&mut self, now: Instant, nic: NicId, frame: Frame) {
        let known = self.out.actions.len();
        self.world.transmit(now, nic, frame, &mut self.out);
        for action in &self.out.actions[known..] {
            match action {
                Action::Stop { nic } => self.nics[nic.index()].stopped = true,
                Action::Dropped { nic, reason: DropReason::QueueFull, .. } => {
                    self.nics[nic.index()].refused = true;
                }
                _ => {}
            }
        }
    }
}
