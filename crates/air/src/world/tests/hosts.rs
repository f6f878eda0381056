//! Hosts around a world: they give frames to NICs, carry out actions, and write down everything.

use std::fmt::Write;

use airtcp_plan::{AirPlan, MacAddress};
use airtcp_units::{Duration, Instant};

use super::super::{Outbox, World};
use crate::high::{Action, Frame};
use crate::linux_mac::NoMac80211;
use crate::low::{ErrorRates, Ppdu, Reception, UserId};
use crate::trace::{AirCapture, PpduRecord};
use crate::world::{WorldOptions, WorldReport};
use crate::{FrameHandle, NicId, PpduKind};

/// The access point's NIC in most plans.
pub(super) const AP: NicId = NicId(0);
pub(super) const STA1: NicId = NicId(1);
pub(super) const STA2: NicId = NicId(2);
pub(super) const STA3: NicId = NicId(3);
/// An address behind the access point.
pub(super) const BEYOND: MacAddress = MacAddress([2, 0, 0, 0, 0xff, 0xff]);

/// An instant, in microseconds.
pub(super) const fn us(us: u64) -> Instant {
    Instant::from_nanos(us * 1000)
}

/// Options with a record of every PPDU.
pub(super) const OPTIONS: WorldOptions = WorldOptions {
    epoch: Instant::ZERO,
    end: Instant::FAR_FUTURE,
    sample_interval: Duration::ZERO,
    ppdu_trace: true,
};

/// A world and the hosts around it.
pub(super) struct Hosts {
    pub(super) plan: AirPlan,
    pub(super) world: World,
    pub(super) now: Instant,
    pub(super) out: Outbox,
    /// Every action and its instant.
    pub(super) log: Vec<(Instant, Action)>,
    pub(super) ppdus: Vec<PpduRecord>,
    /// What was captured of the air, if asked for, and of each PPDU whether all its frames were still on their way then.
    pub(super) captured: AirCapture,
    pub(super) living_then: Vec<bool>,
    /// How many users each frame has, by handle.
    references: Vec<u32>,
    /// Frames that have not ended for their sender.
    pub(super) unended: usize,
    /// Frames that receivers hold.
    pub(super) held: usize,
    /// Every frame and the NIC it was given to, by handle.
    pub(super) given: Vec<(NicId, Frame)>,
    /// Destination and octets of the frames of which a NIC never runs out.
    saturated: Vec<Option<(MacAddress, u32)>>,
}

impl Hosts {
    pub(super) fn new(plan: AirPlan, seed: u64) -> Self {
        Self::with_options(plan, seed, OPTIONS)
    }

    /// The same with these options.
    pub(super) fn with_options(plan: AirPlan, seed: u64, options: WorldOptions) -> Self {
        let world = World::new(&plan, seed, options).expect("the plan can be modelled");
        Self::around(plan, world)
    }

    /// The same with these error rates.
    pub(super) fn with_errors(plan: AirPlan, seed: u64, errors: Box<dyn ErrorRates>) -> Self {
        let world =
            World::with_errors(&plan, seed, &OPTIONS, Some(errors)).expect("the plan can be modelled");
        Self::around(plan, world)
    }

    fn around(plan: AirPlan, mut world: World) -> Self {
        world.low.notes.keep_journal();
        let saturated = vec![None; plan.nics.len()];
        let (log, ppdus, given) = (Vec::new(), Vec::new(), Vec::new());
        let (now, out) = (Instant::ZERO, Outbox::default());
        let (captured, living_then, references) = (AirCapture::default(), Vec::new(), Vec::new());
        Self {
            plan,
            world,
            now,
            out,
            log,
            ppdus,
            captured,
            living_then,
            references,
            unended: 0,
            held: 0,
            given,
            saturated,
        }
    }

    /// Runs the air up to and including this instant.
    pub(super) fn advance_to(&mut self, to: Instant) {
        while self.world.next_wakeup() <= to {
            self.now = self.world.next_wakeup();
            self.run();
        }
        self.now = to;
    }

    /// Runs until nothing happens by itself any more.
    pub(super) fn settle(&mut self) {
        while self.world.next_wakeup() != Instant::FAR_FUTURE {
            self.advance_to(self.world.next_wakeup());
        }
    }

    pub(super) fn run(&mut self) {
        self.world.run(self.now, &mut NoMac80211, &mut self.out);
        self.drain();
    }

    /// At this instant, in microseconds, a host sends a frame of 1514 bytes.
    pub(super) fn send_at(&mut self, at_us: u64, from: NicId, destination: MacAddress) {
        self.send_as(at_us, from, destination, (1514, 0));
    }

    /// The same of other length and priority.
    pub(super) fn send_as(
        &mut self,
        at_us: u64,
        from: NicId,
        destination: MacAddress,
        (bytes, priority): (u32, u8),
    ) {
        // What starts at this very instant is left to the run after it.
        if us(at_us) > self.now {
            self.advance_to(us(at_us));
        }
        let source = self.mac(from);
        self.give(from, (source, destination), bytes, priority);
        self.drain();
    }

    /// Gives a frame to a NIC now, and leaves the actions in the outbox.
    pub(super) fn give(
        &mut self,
        nic: NicId,
        (source, destination): (MacAddress, MacAddress),
        bytes: u32,
        priority: u8,
    ) {
        let handle = FrameHandle(self.given.len() as u64);
        let frame = Frame { handle, bytes, source, destination, priority, flow: 0, ect: false };
        self.give_frame(nic, frame);
    }

    /// The same with everything said; the handle is replaced.
    pub(super) fn give_frame(&mut self, nic: NicId, frame: Frame) {
        let frame = Frame { handle: FrameHandle(self.given.len() as u64), ..frame };
        self.given.push((nic, frame));
        self.references.push(1);
        self.unended += 1;
        self.world.transmit(self.now, nic, frame, &mut self.out);
    }

    /// From now on this NIC never runs out of frames.
    pub(super) fn saturate(&mut self, from: NicId, destination: MacAddress, bytes: u32) {
        self.saturated[from.index()] = Some((destination, bytes));
        for _ in 0..2 {
            self.give(from, (self.mac(from), destination), bytes, 0);
        }
        self.drain();
    }

    /// Carries out what the model says, in its order.
    pub(super) fn drain(&mut self) {
        self.take_captured();
        let mut at = 0;
        while at < self.out.actions.len() {
            let action = self.out.actions[at];
            at += 1;
            self.log.push((self.now, action));
            match action {
                Action::Relay { nic, frame } => self.give_frame(nic, self.given[frame.index()].1),
                Action::Sent { nic, frame } | Action::Dropped { nic, frame, .. } => {
                    self.unended -= 1;
                    self.references[frame.index()] -= 1;
                    if let Some((destination, bytes)) = self.saturated[nic.index()] {
                        self.give(nic, (self.mac(nic), destination), bytes, 0);
                    }
                }
                Action::Hold { frame } => {
                    self.held += 1;
                    self.references[frame.index()] += 1;
                }
                Action::Release { frame } => {
                    self.held -= 1;
                    self.references[frame.index()] -= 1;
                }
                _ => {}
            }
        }
        self.out.actions.clear();
        self.ppdus.append(&mut self.out.records.ppdus);
    }

    fn take_captured(&mut self) {
        let captured = &mut self.out.captured;
        for ppdu in captured.ppdus() {
            let mut frames = captured.mpdus(ppdu).iter().flat_map(|mpdu| captured.frames(mpdu));
            self.living_then.push(frames.all(|frame| self.references[frame.index()] > 0));
        }
        self.captured.append(captured);
    }

    /// Closes the counters here.
    pub(super) fn finish(&mut self) -> WorldReport {
        let report = self.world.finish(self.now, &mut NoMac80211, &mut self.out);
        self.drain();
        report
    }

    pub(super) fn mac(&self, nic: NicId) -> MacAddress {
        self.plan.nics[nic.index()].mac
    }

    /// Every PPDU that has ended, in the order of their ends, with what the records do not say.
    pub(super) fn journal(&self) -> &[Ppdu] {
        self.world.low.notes.journal()
    }

    fn name(&self, nic: NicId) -> &str {
        &self.plan.nics[nic.index()].node
    }

    /// The PPDUs so far, one [`line`] for each user. An aggregate shows the sequence numbers of its MPDUs, those that were lost with an
    /// exclamation mark.
    pub(super) fn timeline(&self) -> Vec<String> {
        self.users().map(|(ppdu, user, record)| self.line(record, ppdu, user)).collect()
    }

    /// Every user of every PPDU that has ended, with its record.
    pub(super) fn users(&self) -> impl Iterator<Item = (&Ppdu, UserId, &PpduRecord)> {
        let users = || self.journal().iter().flat_map(|ppdu| ppdu.users.ids().map(move |user| (ppdu, user)));
        assert_eq!(users().count(), self.ppdus.len(), "each user has its record");
        users().zip(&self.ppdus).map(|((ppdu, user), record)| (ppdu, user, record))
    }

    fn line(&self, record: &PpduRecord, ppdu: &Ppdu, user: UserId) -> String {
        let mut detail = String::new();
        if record.kind == PpduKind::BlockAckReq {
            write!(detail, " {}", ppdu.mpdus.first()[0].sequence).expect("text grows");
        }
        if ppdu.is_aggregate(user) {
            for (mpdu, received) in ppdu.mpdus[user].iter().zip(&ppdu.received[user]) {
                let lost = if *received == Reception::Good { "" } else { "!" };
                write!(detail, " {}{lost}", mpdu.sequence).expect("text grows");
            }
        }
        line(&self.plan, record, &detail)
    }

    /// The actions so far, one line each.
    pub(super) fn actions(&self) -> Vec<String> {
        let line = |&(at, action): &(Instant, Action)| {
            let t = at.as_nanos() as f64 / 1000.0;
            match action {
                Action::Deliver { nic, frame } => format!("{t} deliver {} to {}", frame.0, self.name(nic)),
                Action::Relay { nic, frame } => format!("{t} relay {} by {}", frame.0, self.name(nic)),
                Action::Sent { nic, frame } => format!("{t} sent {} of {}", frame.0, self.name(nic)),
                Action::Dropped { nic, frame, reason } => {
                    format!("{t} dropped {} of {}: {reason}", frame.0, self.name(nic))
                }
                Action::Hold { frame } => format!("{t} hold {}", frame.0),
                Action::Release { frame } => format!("{t} release {}", frame.0),
                Action::MarkCe { nic, frame } => format!("{t} mark {} of {}", frame.0, self.name(nic)),
                Action::Stop { nic } => format!("{t} stop {}", self.name(nic)),
                Action::Wake { nic } => format!("{t} wake {}", self.name(nic)),
            }
        };
        self.log.iter().map(line).collect()
    }

    /// The PPDUs so far are these, whatever the spaces.
    #[track_caller]
    pub(super) fn expect_ppdus(&self, expected: &str) {
        assert_eq!(self.timeline(), lines(expected), "PPDUs");
    }

    /// Runs until nothing happens by itself any more; the PPDUs are then these.
    #[track_caller]
    pub(super) fn expect_history(&mut self, ppdus: &str) {
        self.settle();
        self.expect_ppdus(ppdus);
    }

    /// The actions so far are these.
    #[track_caller]
    pub(super) fn expect_actions(&self, expected: &str) {
        assert_eq!(self.actions(), lines(expected), "actions");
    }
}

/// A PPDU: start and end in microseconds, from and to, kind and what else is known of it, rate in Mbit/s, attempt, outcome.
pub(super) fn line(plan: &AirPlan, ppdu: &PpduRecord, detail: &str) -> String {
    let name = |nic: NicId| plan.nics[nic.index()].node.as_str();
    let [start, end] = [ppdu.start_ns, ppdu.end_ns].map(|ns| ns as f64 / 1000.0);
    let (from, to) = (name(ppdu.nic), ppdu.to.map_or("all", name));
    let kind = match ppdu.kind {
        PpduKind::BlockAck => "ba".to_owned(),
        PpduKind::BlockAckReq => "bar".to_owned(),
        kind => format!("{kind:?}").to_lowercase(),
    };
    let rate = ppdu.tx.bit_rate().as_bps() as f64 / 1e6;
    let outcome = format!("{:?}", ppdu.outcome).to_lowercase();
    format!("{start} {end} {from}>{to} {kind}{detail} {rate} {} {outcome}", ppdu.attempt)
}

/// The lines of a text, whatever the spaces.
pub(super) fn lines(text: &str) -> Vec<String> {
    text.trim().lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}
