//! The air between the calls of the kernel and the files of the run.

use std::io;

use airtcp_air::{Action, Frame, NicId, Outbox, World};
use airtcp_plan::MacAddress;
use airtcp_plan::report::AirReport;
use airtcp_units::{Duration, Instant};

use crate::frame_hash::{self, Crossing, FrameHash};
use crate::frames::{Frames, KernelHandle, Travelling};
use crate::heartbeat::Heartbeat;
use crate::host::Host;
use crate::progress::Progress;
use crate::recorder::Recorder;

/// Bytes of an Ethernet header; every frame has them at its beginning.
const ETHERNET_HEADER_BYTES: usize = 14;

/// Turns the kernel's calls into calls of the model, and the model's outbox into
/// calls of the kernel, and keeps the frames, the hash and the records.
pub struct Engine<H> {
    host: H,
    world: World,
    outbox: Outbox,
    frames: Frames,
    hash: FrameHash,
    recorder: Recorder,
    progress: Progress,
    heartbeat: Heartbeat,
    wakes: u64,
    late_max: Duration,
}

impl<H: Host> Engine<H> {
    /// An engine at virtual time zero.
    pub fn new(
        host: H,
        world: World,
        (recorder, progress): (Recorder, Progress),
        heartbeat: Heartbeat,
    ) -> Self {
        Self {
            host,
            world,
            outbox: Outbox::default(),
            frames: Frames::default(),
            hash: FrameHash::default(),
            recorder,
            progress,
            heartbeat,
            wakes: 0,
            late_max: Duration::ZERO,
        }
    }

    /// The kernel sends a frame of `bytes` bytes that begins with `head`.
    ///
    /// # Errors
    /// A record could not be written.
    pub fn transmit(
        &mut self,
        nic: NicId,
        kernel: KernelHandle,
        head: &[u8],
        bytes: u32,
        now: Instant,
    ) -> io::Result<()> {
        assert!(head.len() >= ETHERNET_HEADER_BYTES, "a frame without an Ethernet header");
        self.progress.frame_sent();
        let hash = frame_hash::of_frame(head, bytes);
        self.hash.add(Crossing::Transmit, nic.0, now.as_nanos(), hash);
        let address = |at: usize| MacAddress(head[at..at + 6].try_into().expect("six bytes"));
        let frame = Travelling { kernel, hash, bytes, destination: address(0), source: address(6) };
        self.catch_up(now)?;
        self.give(nic, frame, now);
        self.empty_outbox(now)
    }

    /// When the kernel must call [`Self::run`] next.
    pub fn next(&self) -> Instant {
        self.world.next_wakeup().min(self.heartbeat.next())
    }

    /// Virtual time has come to `now`.
    ///
    /// # Errors
    /// A record could not be written.
    pub fn run(&mut self, now: Instant) -> io::Result<()> {
        self.wakes += 1;
        self.progress.show(now, self.wakes);
        self.heartbeat.beat(now);
        self.catch_up(now)?;
        self.world.run(now, &mut self.outbox);
        self.empty_outbox(now)
    }

    /// The guest ends: closes the books and writes the report.
    ///
    /// # Errors
    /// A record or the report could not be written.
    pub fn end(&mut self, now: Instant) -> io::Result<()> {
        self.catch_up(now)?;
        let report = self.world.finish(now, &mut self.outbox);
        self.recorder.take(&mut self.outbox.ppdus, &mut self.outbox.samples)?;
        self.progress.show(now, self.wakes);
        self.recorder.close(&AirReport {
            model_version: airtcp_air::MODEL_VERSION,
            end_ns: now.as_nanos(),
            events: report.events,
            late_max_ns: self.late_max.as_nanos(),
            frame_hash: self.hash.text(),
            nics: report.nics,
            media: report.media,
        })
    }

    /// Lets the model do, at their own times, what was due before `now`. The kernel is
    /// late only where it had to put off soft interrupts while a process read the clock.
    fn catch_up(&mut self, now: Instant) -> io::Result<()> {
        let mut due = self.world.next_wakeup();
        while due < now {
            self.late_max = self.late_max.max(now.since(due));
            self.world.run(due, &mut self.outbox);
            self.empty_outbox(due)?;
            due = self.world.next_wakeup();
        }
        Ok(())
    }

    fn give(&mut self, nic: NicId, frame: Travelling, now: Instant) {
        let Travelling { bytes, source, destination, .. } = frame;
        let handle = self.frames.insert(frame);
        self.world.transmit(now, nic, Frame { handle, bytes, source, destination }, &mut self.outbox);
    }

    /// Carries out the model's actions in their order. A relayed frame enters the
    /// model at once and may add actions at the end of the list.
    fn empty_outbox(&mut self, now: Instant) -> io::Result<()> {
        let mut at = 0;
        while at < self.outbox.actions.len() {
            let action = self.outbox.actions[at];
            at += 1;
            self.carry_out(action, now);
        }
        self.outbox.actions.clear();
        if self.outbox.ppdus.is_empty() && self.outbox.samples.is_empty() {
            return Ok(());
        }
        self.recorder.take(&mut self.outbox.ppdus, &mut self.outbox.samples)
    }

    fn carry_out(&mut self, action: Action, now: Instant) {
        match action {
            Action::Deliver { nic, frame } => {
                let frame = self.frames.get(frame);
                self.hash.add(Crossing::Deliver, nic.0, now.as_nanos(), frame.hash);
                self.host.deliver(nic, frame.kernel);
            }
            Action::Relay { nic, frame } => {
                let original = *self.frames.get(frame);
                let kernel = self.host.relay(nic, original.kernel);
                self.give(nic, Travelling { kernel, ..original }, now);
            }
            Action::Sent { nic, frame } => {
                let frame = self.frames.remove(frame);
                self.host.sent(nic, frame.kernel);
            }
            Action::Dropped { nic, frame, .. } => {
                let frame = self.frames.remove(frame);
                self.host.dropped(nic, frame.kernel);
            }
            Action::Stop { nic } => self.host.stop(nic),
            Action::Wake { nic } => self.host.wake(nic),
        }
    }
}
