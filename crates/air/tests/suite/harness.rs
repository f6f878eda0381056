//! Hosts for the model: they give frames to NICs, carry out actions, and can keep any
//! number of NICs saturated.

use std::fmt::Write;

use airtcp_air::linux_mac::NoMac80211;
use airtcp_air::{Action, Frame, FrameHandle, NicId, Outbox, PpduRecord, World, WorldOptions, WorldReport};
use airtcp_plan::{AirNic, AirPlan, Cell, MacAddress, Mode, RateControlPlan, Standard};
use airtcp_units::{BitRate, Duration, Instant};

/// The access point's NIC in every plan made here.
pub(crate) const AP: NicId = NicId(0);
/// An address behind the access point.
pub(crate) const BEYOND: MacAddress = MacAddress([2, 0, 0, 0, 0xff, 0xff]);

/// One access point (NIC 0) and this many stations (NIC 1 and on), everybody in reach.
pub(crate) fn plan(standard: Standard, rate_mbps: u64, stations: u32) -> AirPlan {
    let json = include_str!("../one-station.json");
    let mut plan: AirPlan = serde_json::from_str(json).expect("the example is a plan");
    plan.cells[0].standard = standard;
    if standard == Standard::Erp {
        tune(&mut plan.cells[0], 2412);
    }
    plan.nics.truncate(2);
    let station = plan.nics.pop().expect("the example has a station");
    plan.nics.extend((1..=stations).map(|i| AirNic {
        node: format!("sta{i}"),
        mac: mac(i),
        ..station.clone()
    }));
    for nic in &mut plan.nics {
        nic.rate_control = fixed(rate_mbps);
    }
    plan
}

/// Moves a cell to another channel of 20 MHz.
pub(crate) fn tune(cell: &mut Cell, mhz: u32) {
    (cell.channel.primary_mhz, cell.channel.centre_mhz) = (mhz, mhz);
}

/// Allows so many attempts for any frame.
pub(crate) fn allow_attempts(cell: &mut Cell, attempts: u32) {
    (cell.short_retry_limit, cell.long_retry_limit, cell.subframe_retry_limit) =
        (attempts, attempts, attempts);
}

/// Always this rate of HR/DSSS or OFDM.
pub(crate) fn fixed(mbps: u64) -> RateControlPlan {
    RateControlPlan::Fixed { mode: Mode::Legacy { rate_bps: BitRate::from_mbps(mbps) } }
}

/// Address of a station made by [`plan`].
pub(crate) fn mac(station: u32) -> MacAddress {
    let [.., c, d] = station.to_be_bytes();
    MacAddress([2, 0, 0, 0, c, d + 1])
}

/// An instant, in microseconds.
pub(crate) const fn us(us: u64) -> Instant {
    Instant::from_nanos(us * 1000)
}

/// Options without any record.
pub(crate) const SILENT: WorldOptions = WorldOptions {
    epoch: Instant::ZERO,
    end: Instant::FAR_FUTURE,
    sample_interval: Duration::ZERO,
    ppdu_trace: false,
};

/// A world and the hosts around it.
pub(crate) struct Harness {
    pub(crate) plan: AirPlan,
    pub(crate) world: World,
    pub(crate) now: Instant,
    /// Every action and its instant, if kept.
    pub(crate) log: Vec<(Instant, Action)>,
    pub(crate) ppdus: Vec<PpduRecord>,
    /// Frames sent and frames delivered to hosts.
    pub(crate) sent: u64,
    pub(crate) delivered: u64,
    pub(crate) out: Outbox,
    keep: bool,
    next_handle: u64,
    /// Source and destination of the frames in the air, by handle, as long as kept.
    pub(crate) frames: Vec<Frame>,
    saturated: Vec<Option<(MacAddress, u32)>>,
}

impl Harness {
    /// Hosts that write down everything.
    pub(crate) fn new(plan: AirPlan, seed: u64) -> Self {
        let options = WorldOptions { ppdu_trace: true, ..SILENT };
        Self::with_options(plan, seed, options, true)
    }

    pub(crate) fn with_options(plan: AirPlan, seed: u64, options: WorldOptions, keep: bool) -> Self {
        let world = World::new(&plan, seed, options).expect("the plan can be modelled");
        let saturated = vec![None; plan.nics.len()];
        Self {
            plan,
            world,
            now: Instant::ZERO,
            log: Vec::new(),
            ppdus: Vec::new(),
            sent: 0,
            delivered: 0,
            out: Outbox::default(),
            keep,
            next_handle: 0,
            frames: Vec::new(),
            saturated,
        }
    }

    /// Runs the air up to and including this instant.
    pub(crate) fn advance_to(&mut self, to: Instant) {
        while self.world.next_wakeup() <= to {
            self.now = self.world.next_wakeup();
            self.world.run(self.now, &mut NoMac80211, &mut self.out);
            self.drain();
        }
        self.now = to;
    }

    /// Runs until nothing happens by itself any more.
    pub(crate) fn settle(&mut self) {
        while self.world.next_wakeup() != Instant::FAR_FUTURE {
            self.advance_to(self.world.next_wakeup());
        }
    }

    /// At this instant a host sends a frame of 1514 bytes.
    pub(crate) fn send_at(&mut self, at: Instant, from: NicId, destination: MacAddress) -> FrameHandle {
        self.advance_to(at);
        let handle = self.give(from, self.mac_of(from), destination, 1514);
        self.drain();
        handle
    }

    /// Gives a frame to a NIC now, and leaves the actions in the outbox.
    pub(crate) fn give(
        &mut self,
        from: NicId,
        source: MacAddress,
        destination: MacAddress,
        bytes: u32,
    ) -> FrameHandle {
        let handle = FrameHandle(self.next_handle);
        self.next_handle += 1;
        let frame = Frame { handle, bytes, source, destination, priority: 0, flow: 0, ect: false };
        if self.keep {
            self.frames.push(frame);
        }
        self.world.transmit(self.now, from, frame, &mut self.out);
        handle
    }

    /// From now on this NIC never runs out of frames.
    pub(crate) fn saturate(&mut self, from: NicId, destination: MacAddress, bytes: u32) {
        self.saturated[from.index()] = Some((destination, bytes));
        for _ in 0..2 {
            self.give(from, self.mac_of(from), destination, bytes);
        }
        self.drain();
    }

    /// Carries out what the model says, in its order.
    pub(crate) fn drain(&mut self) {
        let mut at = 0;
        while at < self.out.actions.len() {
            let action = self.out.actions[at];
            at += 1;
            if self.keep {
                self.log.push((self.now, action));
            }
            self.carry_out(action);
        }
        self.out.actions.clear();
        self.ppdus.append(&mut self.out.records.ppdus);
    }

    fn carry_out(&mut self, action: Action) {
        match action {
            Action::Deliver { .. } => self.delivered += 1,
            Action::Relay { nic, frame } => {
                let Frame { source, destination, bytes, .. } = self.frames[frame.index()];
                self.give(nic, source, destination, bytes);
            }
            Action::Sent { nic, .. } | Action::Dropped { nic, .. } => {
                self.sent += u64::from(matches!(action, Action::Sent { .. }));
                if let Some((destination, bytes)) = self.saturated[nic.index()] {
                    self.give(nic, self.mac_of(nic), destination, bytes);
                }
            }
            Action::Stop { .. } | Action::Wake { .. } => {}
            Action::Hold { .. } | Action::Release { .. } | Action::MarkCe { .. } => {
                unreachable!("this MAC neither holds nor marks")
            }
        }
    }

    /// Closes the books here.
    pub(crate) fn finish(&mut self) -> WorldReport {
        let report = self.world.finish(self.now, &mut NoMac80211, &mut self.out);
        self.drain();
        report
    }

    pub(crate) fn mac_of(&self, nic: NicId) -> MacAddress {
        self.plan.nics[nic.index()].mac
    }

    /// The PPDUs so far, one line each, after a legend line.
    pub(crate) fn timeline(&self) -> String {
        let mut text = String::from("  start_us   end_us  who        what  rate attempt outcome");
        // In the order of their ends; of equal ends in that of NICs.
        let mut ppdus = self.ppdus.clone();
        ppdus.sort_by_key(|p| (p.end_ns, p.nic));
        for p in &ppdus {
            let to = p.to.map_or("all".to_owned(), |to| self.plan.nics[to.index()].node.clone());
            let who = format!("{}>{to}", self.plan.nics[p.nic.index()].node);
            let [start, end] = [p.start_ns, p.end_ns].map(|ns| ns as f64 / 1000.0);
            let (what, outcome) =
                (format!("{:?}", p.kind).to_lowercase(), format!("{:?}", p.outcome).to_lowercase());
            let rate = p.rate.as_bps() / 1_000_000;
            write!(text, "\n{start:10.1} {end:8.1}  {who:10} {what:4} {rate:5} {:7} {outcome}", p.attempt)
                .expect("text grows");
        }
        text
    }

    /// The actions so far, one line each.
    pub(crate) fn actions(&self) -> Vec<String> {
        let name = |nic: NicId| self.plan.nics[nic.index()].node.as_str();
        let line = |&(at, action): &(Instant, Action)| {
            let t = at.as_nanos() as f64 / 1000.0;
            match action {
                Action::Deliver { nic, frame } => format!("{t} deliver {} to {}", frame.0, name(nic)),
                Action::Relay { nic, frame } => format!("{t} relay {} by {}", frame.0, name(nic)),
                Action::Sent { nic, frame } => format!("{t} sent {} of {}", frame.0, name(nic)),
                Action::Dropped { nic, frame, reason } => {
                    format!("{t} dropped {} of {}: {reason}", frame.0, name(nic))
                }
                Action::Stop { nic } => format!("{t} stop {}", name(nic)),
                Action::Wake { nic } => format!("{t} wake {}", name(nic)),
                other => format!("{t} {other:?}"),
            }
        };
        self.log.iter().map(line).collect()
    }
}
