//! A source: what it has to send, and what became of it.

use airtcp_plan::scene_report::{FrameCount, SourceReport};
use airtcp_plan::{AirScene, MacAddress, Pace, Source as SourcePlan};
use airtcp_units::{Duration, Instant};

use super::agenda::SourceId;
use super::delay_histogram::DelayHistogram;
use super::host_nic::HostNic;
use crate::high::{DropReason, Frame};
use crate::phy::Band;
use crate::random::{Purpose, Stream};
use crate::{FrameHandle, NicId};

/// Largest aggregates that a saturated source keeps in its NIC: one on the air, one that is pulled as soon as that one ends, and one
/// so that neither is cut short.
const AGGREGATES: u32 = 3;
/// Least frames that it keeps there.
const FRAMES_MIN: u32 = 32;

/// One source of a scene.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) from: NicId,
    pub(super) to: NicId,
    pub(super) own_mac: MacAddress,
    pub(super) peer_mac: MacAddress,
    pub(super) bytes: u32,
    pub(super) priority: u8,
    pub(super) end: Instant,
    pub(super) supply: Supply,
    /// Frames passed to the NIC so far, which is also the number of the next one.
    pub(super) given: u64,
    /// The highest number of a frame delivered so far.
    last_delivered: Option<u64>,
    /// Whether the source is in the list of its NIC.
    pub(super) waits: bool,
    pub(super) counters: SourceCounters,
    pub(super) delays: DelayHistogram,
}

/// Frames that a source may pass to its NIC.
#[derive(Clone, Copy, Debug)]
pub(super) enum Supply {
    /// A saturated source: it may pass `allowance` more frames than are there now.
    Saturated { allowance: u32 },
    /// Frame k comes at `first + k * interval`; so many have come.
    Cbr { first: Instant, interval: Duration, come: u64 },
}

/// Counts of a source so far.
#[derive(Clone, Debug, Default)]
pub(super) struct SourceCounters {
    pub(super) offered: u64,
    pub(super) sent: u64,
    pub(super) delivered: u64,
    pub(super) dropped: [u64; DropReason::ALL.len()],
    pub(super) dropped_forwarding: [u64; DropReason::ALL.len()],
}

impl SourceCounters {
    fn in_flight(&self) -> u64 {
        self.offered - self.sent - self.dropped.iter().sum::<u64>()
    }
}

impl Source {
    /// A source of a scene that has not begun. A saturated one keeps three largest aggregates in its NIC, and at least 32 frames; if the
    /// NIC's queue has less room for each of its saturated sources, that much.
    pub(super) fn new(scene: &AirScene, number: usize) -> Self {
        let plan = &scene.sources[number];
        let [from, to] = [plan.from, plan.to].map(|nic| &scene.air.nics[nic as usize]);
        let supply = match plan.pace {
            Pace::Saturated => Supply::Saturated { allowance: allowance(scene, plan) },
            Pace::Cbr { interval_ns } => Supply::Cbr {
                first: Instant::from_nanos(plan.start_ns) + phase(scene, number, interval_ns),
                interval: Duration::from_nanos(interval_ns),
                come: 0,
            },
        };
        Self {
            from: NicId(plan.from),
            to: NicId(plan.to),
            own_mac: from.mac,
            peer_mac: to.mac,
            bytes: plan.frame_bytes,
            priority: plan.priority,
            end: Instant::from_nanos(plan.end_ns.min(scene.duration_ns)),
            supply,
            given: 0,
            last_delivered: None,
            waits: false,
            counters: SourceCounters::default(),
            delays: DelayHistogram::new(),
        }
    }

    /// Time at which the source has to be called first.
    pub(super) fn begin(&self, plan: &SourcePlan) -> Instant {
        match self.supply {
            Supply::Saturated { .. } => Instant::from_nanos(plan.start_ns),
            Supply::Cbr { first, .. } => first,
        }
    }

    /// The arrival of the next frame that it could pass to the NIC now; `None` if there is none.
    #[inline]
    pub(super) fn next_frame(&self, now: Instant) -> Option<Instant> {
        match self.supply {
            Supply::Saturated { allowance } => (allowance > 0 && now < self.end).then_some(now),
            Supply::Cbr { first, interval, come } => {
                (self.given < come).then(|| first + interval * self.given)
            }
        }
    }

    /// Whether frames of the source may go to the NIC now. What comes at a constant rate comes whether there is room or not; a
    /// NIC that can stop its host does.
    #[inline]
    pub(super) const fn goes_to(&self, host: &HostNic) -> bool {
        match self.supply {
            Supply::Saturated { .. } => host.is_open(),
            Supply::Cbr { .. } => !host.stopped,
        }
    }

    /// Records the arrival of a frame; returns when the next one arrives.
    pub(super) fn frame_comes(&mut self) -> Option<Instant> {
        let Supply::Cbr { first, interval, come } = &mut self.supply else { return None };
        *come += 1;
        let next = *first + *interval * *come;
        (next < self.end).then_some(next)
    }

    /// Counts a frame passed to the NIC; returns the frame's number.
    #[inline]
    pub(super) fn offer(&mut self) -> u64 {
        self.counters.offered += 1;
        if let Supply::Saturated { allowance } = &mut self.supply {
            *allowance -= 1;
        }
        self.given += 1;
        self.given - 1
    }

    /// A frame that it passes to a NIC, which has this handle.
    #[inline]
    pub(super) const fn frame(&self, own: SourceId, handle: FrameHandle) -> Frame {
        Frame {
            handle,
            bytes: self.bytes,
            source: self.own_mac,
            destination: self.peer_mac,
            priority: self.priority,
            flow: flow_hash(own),
            ect: false,
        }
    }

    /// Reports that one of the source's frames left the NIC, one way or another.
    #[inline]
    pub(super) fn allow_one_more(&mut self) {
        if let Supply::Saturated { allowance } = &mut self.supply {
            *allowance += 1;
        }
    }

    /// A frame reached its host; returns the number of a later one that did before. Panics if it did itself.
    #[inline]
    #[must_use]
    pub(super) fn deliver(&mut self, number: u64, delay: Duration) -> Option<u64> {
        assert_ne!(self.last_delivered, Some(number), "a frame of NIC {} is delivered twice", self.from.0);
        let later = self.last_delivered.filter(|&last| last > number);
        if later.is_none() {
            self.last_delivered = Some(number);
        }
        self.counters.delivered += 1;
        self.delays.add(delay);
        later
    }

    /// The report of the source for the time after `before`. Panics if the counters do not balance, which is our bug.
    pub(super) fn report(&self, name: &str, before: &SourceCounters, seconds: f64) -> SourceReport {
        let counters = &self.counters;
        let count = |now: u64, then: u64| FrameCount {
            frames: now - then,
            bytes: (now - then) * u64::from(self.bytes),
        };
        let by_reason = |now: &[u64; DropReason::ALL.len()], then: &[u64; DropReason::ALL.len()]| {
            let of = |reason: DropReason| now[reason as usize] - then[reason as usize];
            DropReason::ALL.map(|reason| (reason.name().to_owned(), of(reason))).into_iter().collect()
        };
        let delivered = count(counters.delivered, before.delivered);
        let held_back = match self.supply {
            Supply::Saturated { .. } => 0,
            Supply::Cbr { come, .. } => come - self.given,
        };
        SourceReport {
            name: name.to_owned(),
            from: self.from.0,
            to: self.to.0,
            offered: count(counters.offered, before.offered),
            sent: count(counters.sent, before.sent),
            delivered,
            dropped: by_reason(&counters.dropped, &before.dropped),
            dropped_forwarding: by_reason(&counters.dropped_forwarding, &before.dropped_forwarding),
            in_flight_begin: before.in_flight(),
            in_flight_end: counters.in_flight(),
            held_back,
            throughput_bps: delivered.bytes as f64 * 8.0 / seconds,
            delay: self.delays.report(),
        }
    }
}

/// The hash of a source's flow. Multiples of the golden ratio lie so far apart (Knuth, The Art of Computer Programming, 6.4: at least
/// 0.44 / n for n of them) that sources have flows of their own if there are three times as many flows.
#[inline]
pub(super) const fn flow_hash(source: SourceId) -> u32 {
    source.0.wrapping_mul(0x9e37_79b9)
}

/// Frames that a saturated source keeps in its NIC.
fn allowance(scene: &AirScene, plan: &SourcePlan) -> u32 {
    use airtcp_plan::QueuePlan;
    let nic = &scene.air.nics[plan.from as usize];
    let is_rival = |s: &&SourcePlan| s.from == plan.from && s.pace == Pace::Saturated;
    let rivals = scene.sources.iter().filter(is_rival).count() as u32;
    let room = match nic.queue {
        QueuePlan::Fifo { packets } => packets,
        QueuePlan::FqCodel(queue) => queue.packets,
        // It stops its host when it has enough.
        QueuePlan::Direct { .. } => u32::MAX,
    };
    let wanted = (AGGREGATES * aggregate_frames(scene, plan)).max(FRAMES_MIN);
    wanted.min(room / rivals).max(1)
}

/// Most frames of its length in one A-MPDU.
fn aggregate_frames(scene: &AirScene, plan: &SourcePlan) -> u32 {
    use crate::analytic::FrameLengths;
    let nic = &scene.air.nics[plan.from as usize];
    let Some(aggregation) = nic.aggregation else { return 1 };
    let cell = &scene.air.cells[nic.cell as usize];
    // A plan whose channel is in no band is refused when the world is built.
    let band = Band::of_mhz(cell.channel.primary_mhz).unwrap_or(Band::Ghz5);
    let lengths = FrameLengths::new(cell, nic.standard_in(cell), band, Some(&aggregation));
    let frames = lengths.frames_per_mpdu(plan.frame_bytes);
    let mpdu_bytes = lengths.mpdu(plan.frame_bytes, frames);
    frames * (aggregation.ampdu_bytes / mpdu_bytes).clamp(1, aggregation.block_ack_window.clamp(1, 1024))
}

/// The part of its interval after which the first frame of a source comes: uniform, by a stream of its own. Sources between the same
/// NICs have a part of that stream each.
fn phase(scene: &AirScene, number: usize, interval_ns: u64) -> Duration {
    let plan = &scene.sources[number];
    let same = |s: &&SourcePlan| (s.from, s.to) == (plan.from, plan.to);
    let before = scene.sources[..number].iter().filter(same).count() as u64;
    let ends = [plan.from, plan.to].map(|nic| scene.air.nics[nic as usize].mac);
    let mut stream = Stream::part(scene.seed, Purpose::SourcePhase, ends, before);
    Duration::from_nanos((stream.unit() * interval_ns as f64) as u64)
}
