//! The air between the calls of the kernel and the files of the run.

use std::io;

use airtcp_air::channel::Position;
use airtcp_air::{Action, NicId, Outbox, World};
use airtcp_plan::report::AirReport;
use airtcp_plan::{DscpMap, SessionAct};
use airtcp_units::{Dbm, Duration, Instant};

use crate::border::Border;
use crate::capture::air_capture::{AirCaptures, SentHeads};
use crate::frames::{KernelHandle, Travelling};
use crate::heartbeat::Heartbeat;
use crate::host::Host;
use crate::progress::Progress;
use crate::radios::Radios;
use crate::recorder::Recorder;
use crate::session::{AirChange, Entered, RunSoFar, Session};

/// Turns the kernel's calls into calls of the model, and the model's outbox into
/// calls of the kernel, and keeps the records.
pub struct Engine<H, R> {
    border: Border<H>,
    radios: R,
    world: World,
    outbox: Outbox,
    recorder: Recorder,
    progress: Progress,
    heartbeat: Heartbeat,
    session: Option<Session>,
    wakes: u64,
    late_max: Duration,
}

/// The files that an engine writes.
pub struct RunFiles {
    /// Records, captures and the report.
    pub recorder: Recorder,
    /// Progress for the runner.
    pub progress: Progress,
}

/// What a session may see of the run.
struct SoFar<'a, H, F> {
    world: &'a World,
    border: &'a Border<H>,
    crossed: Option<u64>,
    recorder: &'a mut Recorder,
    flush: F,
}

impl<H: Host, F: FnMut() -> io::Result<()>> RunSoFar for SoFar<'_, H, F> {
    fn frame_hash(&self) -> String {
        self.border.hash_text(self.crossed)
    }

    fn mean_power(&self, from: NicId, to: NicId) -> Dbm {
        self.world.mean_power(from, to)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.recorder.flush()?;
        (self.flush)()
    }
}

impl<H: Host, R: Radios> Engine<H, R> {
    /// An engine at virtual time zero.
    pub fn new(host: H, radios: R, world: World, files: RunFiles, heartbeat: Heartbeat) -> Self {
        let RunFiles { recorder, progress } = files;
        Self {
            border: Border::new(host),
            radios,
            world,
            outbox: Outbox::default(),
            recorder,
            progress,
            heartbeat,
            session: None,
            wakes: 0,
            late_max: Duration::ZERO,
        }
    }

    /// From now on the air is captured. Before the first frame only.
    pub fn capture_air(&mut self, captures: AirCaptures, epoch: Instant) {
        self.border.keep_heads(captures.snap_bytes());
        self.radios.keep_heads(captures.snap_bytes());
        self.world.capture(captures.span(epoch));
        self.recorder.capture_air(captures);
    }

    /// From now on inputs of this session enter.
    pub fn open_session(&mut self, session: Session) {
        self.session = Some(session);
    }

    /// The session, if there is one.
    pub fn session(&mut self) -> Option<&mut Session> {
        self.session.as_mut()
    }

    /// When [`Self::look_at_session`] is to be called next.
    pub fn next_look(&self) -> Instant {
        self.session.as_ref().map_or(Instant::FAR_FUTURE, Session::next)
    }

    /// Enters what is due of the session, before anything else of this instant. `flush` writes the records of others to their
    /// files.
    ///
    /// # Errors
    /// The transcript could not be written, or the user has gone.
    pub fn look_at_session(
        &mut self,
        now: Instant,
        flush: impl FnMut() -> io::Result<()>,
    ) -> io::Result<Entered> {
        self.progress.show(now, self.wakes);
        let Self { session, world, border, radios, recorder, .. } = self;
        let Some(session) = session else { return Ok(Entered::default()) };
        session.look(now, &mut SoFar { world, border, crossed: radios.crossed(), recorder, flush })
    }

    /// Carries out what a session changes of the air.
    fn change_air(&mut self, now: Instant) -> io::Result<()> {
        while let Some(session) = &mut self.session
            && let Some(AirChange { job, act }) = session.take_change()
        {
            let refused = session.refusal(&act);
            let (world, out) = (&mut self.world, &mut self.outbox);
            match act {
                _ if refused.is_some() => {}
                SessionAct::Move { nic, position_m } => {
                    world.move_nic(now, NicId(nic), Position::new(position_m), out);
                }
                SessionAct::Rssi { from, to, rssi_dbm } => {
                    world.fix_power(now, [NicId(from), NicId(to)], rssi_dbm, out);
                }
                SessionAct::Loss { from, to, probability } => {
                    world.fix_loss(now, [NicId(from), NicId(to)], probability, out);
                }
                _ => unreachable!("the agent carries it out"),
            }
            session.changed_air(job, refused, now)?;
        }
        Ok(())
    }

    /// From now on user priorities of frames follow this map of DSCP.
    pub const fn set_dscp_map(&mut self, map: DscpMap) {
        self.border.set_dscp_map(map);
    }

    /// The network is split; by the part of each NIC. Before the first frame only.
    pub fn split(&mut self, part_of_nic: Vec<u32>) {
        self.border.hash_parts(part_of_nic);
    }

    /// Reads a frame that the kernel sends next.
    pub fn read(&mut self, kernel: KernelHandle, head: &[u8], bytes: u32, skb_priority: u32) -> Travelling {
        self.border.read(kernel, head, bytes, skb_priority)
    }

    /// The kernel sends a frame.
    ///
    /// # Errors
    /// A record could not be written.
    pub fn transmit(&mut self, nic: NicId, frame: Travelling, now: Instant) -> io::Result<()> {
        self.progress.frame_sent();
        let frame = self.border.send(nic, frame, now);
        self.catch_up(now)?;
        self.world.transmit(now, nic, frame, &mut self.outbox);
        self.empty_outbox(now)
    }

    /// mac80211's driver calls the world.
    ///
    /// # Errors
    /// A record could not be written.
    pub fn radio_call(
        &mut self,
        now: Instant,
        call: impl FnOnce(&mut World, &mut R, &mut Outbox),
    ) -> io::Result<()> {
        self.catch_up(now)?;
        call(&mut self.world, &mut self.radios, &mut self.outbox);
        self.empty_outbox(now)
    }

    /// Whether the world holds nothing for a radio of mac80211.
    pub fn flushed(&self, nic: NicId) -> bool {
        self.world.flush(nic)
    }

    /// When the kernel must call [`Self::run`] next.
    pub fn next(&self) -> Instant {
        if self.session.as_ref().is_some_and(Session::changes_air) {
            return Instant::ZERO;
        }
        self.world.next_wakeup().min(self.heartbeat.next())
    }

    /// Handles everything up to virtual time `now`.
    ///
    /// # Errors
    /// A record could not be written.
    pub fn run(&mut self, now: Instant) -> io::Result<()> {
        self.wakes += 1;
        self.progress.show(now, self.wakes);
        self.heartbeat.beat(now);
        self.catch_up(now)?;
        self.change_air(now)?;
        self.world.run(now, &mut self.radios, &mut self.outbox);
        self.empty_outbox(now)
    }

    /// Records that the kernel, with or without the air, has reached `now`.
    #[inline]
    pub fn seen_at(&mut self, now: Instant) {
        self.progress.show(now, self.wakes);
    }

    /// Ends the run: writes the last records and the report.
    ///
    /// # Errors
    /// A record or the report could not be written.
    pub fn end(&mut self, now: Instant) -> io::Result<()> {
        self.catch_up(now)?;
        let report = self.world.finish(now, &mut self.radios, &mut self.outbox);
        let sent = SentHeads { frames: self.border.frames(), mpdus: &self.radios };
        self.recorder.write_captured(&mut self.outbox.captured, sent)?;
        self.recorder.write_records(&mut self.outbox)?;
        self.progress.show(now, self.wakes);
        let frame_hash = self.border.hash_text(self.radios.crossed());
        let part_hashes = self.border.part_hashes();
        if let Some(session) = &mut self.session {
            session.close(&frame_hash, now)?;
        }
        self.recorder.close(&AirReport {
            model_version: airtcp_air::MODEL_VERSION,
            end_ns: now.as_nanos(),
            events: if part_hashes.is_some() { 0 } else { report.events },
            late_max_ns: self.late_max.as_nanos(),
            frame_hash,
            part_hashes: part_hashes.unwrap_or_default(),
            nics: report.nics,
            media: report.media,
        })
    }

    /// Handles the model's events before `now` at their own times. The guest's kernel is never late
    /// (`kernel/patches/0019`); the report has the delay of one that is, and the runner refuses the run.
    fn catch_up(&mut self, now: Instant) -> io::Result<()> {
        let mut due = self.world.next_wakeup();
        while due < now {
            self.late_max = self.late_max.max(now.since(due));
            self.world.run(due, &mut self.radios, &mut self.outbox);
            self.empty_outbox(due)?;
            due = self.world.next_wakeup();
        }
        Ok(())
    }

    /// Carries out the model's actions in their order. A relayed frame enters the
    /// model at once and may add actions at the end of the list.
    fn empty_outbox(&mut self, now: Instant) -> io::Result<()> {
        // Its frames may end with the actions.
        let sent = SentHeads { frames: self.border.frames(), mpdus: &self.radios };
        self.recorder.write_captured(&mut self.outbox.captured, sent)?;
        let mut at = 0;
        while at < self.outbox.actions.len() {
            let action = self.outbox.actions[at];
            at += 1;
            if let (Action::Dropped { nic, reason, .. }, Some(session)) = (action, &mut self.session) {
                session.radio_drops(nic, reason, now);
            }
            if let Some((nic, frame)) = self.border.carry_out(action, now) {
                self.world.transmit(now, nic, frame, &mut self.outbox);
            }
        }
        self.outbox.actions.clear();
        if !self.outbox.has_records() {
            return Ok(());
        }
        if let Some(session) = &mut self.session {
            session.saw_ppdus(&self.outbox.records.ppdus, now)?;
        }
        self.recorder.write_records(&mut self.outbox)
    }
}
