//! The report of a scene.

use airtcp_plan::scene_report::{MediumReport, ModeReport, SceneNicReport, SceneReport};
use airtcp_units::Instant;

use super::driver::Driver;
use super::source::SourceCounters;
use crate::NicId;
use crate::high::{Counters, DropReason};
use crate::low::RadioCounters;

/// All counts at an instant.
#[derive(Debug)]
pub(super) struct Snapshot {
    sources: Vec<SourceCounters>,
    nics: Vec<NicCounters>,
    media: Vec<MediumReport>,
}

/// The counters of a NIC's two halves.
#[derive(Clone, Debug)]
struct NicCounters {
    high: Counters,
    low: RadioCounters,
}

impl Driver<'_> {
    /// Runs the scene to its end.
    pub(super) fn run(mut self) -> SceneReport {
        let [warmup, end] = [self.scene.warmup_ns, self.scene.duration_ns].map(Instant::from_nanos);
        self.advance(warmup);
        let before = Snapshot::take(&mut self, warmup);
        self.sources.iter_mut().for_each(|source| source.delays.clear());
        self.advance(end);
        of(&mut self, &before, end)
    }
}

impl Snapshot {
    pub(super) fn take(driver: &mut Driver<'_>, now: Instant) -> Self {
        let world = &mut driver.world;
        let nics = (0..driver.nics.len() as u32).map(NicId);
        Self {
            sources: driver.sources.iter().map(|source| source.counters.clone()).collect(),
            media: world.media(now),
            nics: nics
                .map(|nic| world.counters(nic))
                .map(|(high, low)| NicCounters { high: high.clone(), low: low.clone() })
                .collect(),
        }
    }
}

/// What happened after `before`, which was taken at the end of the warm-up. Panics if the counters do not balance, which is our bug.
pub(super) fn of(driver: &mut Driver<'_>, before: &Snapshot, end: Instant) -> SceneReport {
    let events = driver.finish(end);
    let after = Snapshot::take(driver, end);
    let scene = driver.scene;
    let seconds = (scene.duration_ns - scene.warmup_ns) as f64 / 1e9;
    let sources = driver.sources.iter().zip(&scene.sources).zip(&before.sources);
    let sources = sources.map(|((source, plan), before)| source.report(&plan.name, before, seconds));
    let nics = (0..).map(NicId).zip(after.nics.iter().zip(&before.nics));
    let nics = nics.map(|(nic, (after, before))| nic_report(driver, nic, after, before));
    let media = after.media.iter().zip(&before.media).map(|(after, before)| since(after, before));
    let report = SceneReport {
        model_version: crate::MODEL_VERSION,
        name: scene.name.clone(),
        seed: scene.seed,
        warmup_ns: scene.warmup_ns,
        end_ns: scene.duration_ns,
        events,
        sources: sources.collect(),
        nics: nics.collect(),
        media: media.collect(),
    };
    check(driver, &report);
    report
}

fn check(driver: &Driver<'_>, report: &SceneReport) {
    for source in &report.sources {
        let dropped: u64 = source.dropped.values().sum();
        assert_eq!(
            source.in_flight_begin + source.offered.frames,
            source.sent.frames + dropped + source.in_flight_end,
            "counters of source '{}'",
            source.name
        );
    }
    let queued: u64 = report.nics.iter().map(|nic| nic.in_flight).sum();
    assert!(driver.frames.len() as u64 >= queued, "a frame ended before its NIC was done with it");
    for medium in &report.media {
        assert_eq!(
            medium.total_ns(),
            report.end_ns - report.warmup_ns,
            "time of the medium at {} MHz",
            medium.frequency_mhz
        );
    }
}

fn since(after: &MediumReport, before: &MediumReport) -> MediumReport {
    MediumReport {
        frequency_mhz: after.frequency_mhz,
        data_ns: after.data_ns - before.data_ns,
        response_ns: after.response_ns - before.response_ns,
        collision_ns: after.collision_ns - before.collision_ns,
        contention_ns: after.contention_ns - before.contention_ns,
        idle_ns: after.idle_ns - before.idle_ns,
    }
}

fn nic_report(driver: &Driver<'_>, nic: NicId, after: &NicCounters, before: &NicCounters) -> SceneNicReport {
    let NicCounters { high, low } = after;
    let NicCounters { high: high_before, low: low_before } = before;
    let dropped = |reason: DropReason| high.dropped[reason as usize] - high_before.dropped[reason as usize];
    SceneNicReport {
        node: driver.scene.air.nics[nic.index()].node.clone(),
        accepted: high.accepted - high_before.accepted,
        sent: high.sent - high_before.sent,
        dropped: DropReason::ALL.map(|reason| (reason.name().to_owned(), dropped(reason))).into(),
        in_flight: driver.world.in_flight(nic),
        delivered: high.delivered - high_before.delivered,
        transmissions: low.transmissions - low_before.transmissions,
        retries: low.retries - low_before.retries,
        collisions: low.collisions - low_before.collisions,
        corrupted: low.corrupted - low_before.corrupted,
        mpdus: low.mpdus - low_before.mpdus,
        mpdus_lost: low.mpdus_lost - low_before.mpdus_lost,
        rts: low.rts - low_before.rts,
        rts_failed: low.rts_failed - low_before.rts_failed,
        airtime_ns: low.airtime.as_nanos() - low_before.airtime.as_nanos(),
        modes: modes(low, low_before),
    }
}

fn modes(after: &RadioCounters, before: &RadioCounters) -> Vec<ModeReport> {
    let mut modes: Vec<_> = after.modes.iter().collect();
    modes.sort_unstable_by_key(|(tx, _)| (tx.bit_rate(), *tx));
    let reports = modes.into_iter().map(|(tx, counts)| {
        let before = before.modes.get(tx);
        ModeReport {
            mode: tx.to_string(),
            rate_bps: tx.bit_rate().as_bps(),
            ppdus: counts.ppdus - before.ppdus,
            mpdus: counts.mpdus - before.mpdus,
            mpdus_lost: counts.mpdus_lost - before.mpdus_lost,
        }
    });
    reports.filter(|mode| mode.ppdus > 0).collect()
}
