//! Sources that are no NICs: when they emit, on which frequencies, and how strong they are at the NICs.
//!
//! Their power is flat over their bandwidth, and nothing is outside. Burst `k` of a source is a pure function of the seed, the source
//! and `k` (with random pauses: of all bursts before as well). Bursts that fall into no channel of the plan are passed over.

use std::ops::Range;

use airtcp_plan::{AirPlan, EmissionPattern, EmissionPower, Interferer, MacAddress};
use airtcp_units::{Dbm, Hertz, Instant};

use super::mobility::Position;
use super::path_loss::{Path, PathLoss};
use super::spectrum;
use crate::NicId;
use crate::random::{Purpose, Stream};

/// A source, by its place in `air.channel.interferers` of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceId(pub(crate) u16);

/// A source on one of its centre frequencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EmissionId(pub(crate) u32);

/// A source emits without a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Burst {
    pub(crate) emission: EmissionId,
    pub(crate) start: Instant,
    pub(crate) end: Instant,
}

/// Where an emission is in the spectrum.
#[derive(Clone, Debug)]
struct Band {
    source: SourceId,
    khz: Range<u32>,
    /// Whether a channel of the plan overlaps it.
    is_met: bool,
}

/// A source, and how far its bursts have been found.
#[derive(Debug)]
struct Source {
    plan: Interferer,
    /// The number of its emission on its first centre frequency.
    first: u32,
    is_met: bool,
    /// The number of the next burst, and the end of the one before in nanoseconds from the epoch.
    next: u64,
    end_ns: u64,
}

/// All sources.
#[derive(Debug)]
pub(super) struct Interference {
    sources: Vec<Source>,
    bands: Vec<Band>,
    /// By source, then NIC.
    mean_mw: Vec<f64>,
    nics: usize,
    seed: u64,
}

fn common_khz(a: &Range<u32>, b: &Range<u32>) -> u32 {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
}

impl Interference {
    /// The sources of a plan, without their powers.
    pub(super) fn new(plan: &AirPlan, seed: u64) -> Self {
        let channels: Vec<_> = plan.cells.iter().map(|cell| spectrum::channel_khz(cell.channel)).collect();
        let (mut sources, mut bands) = (Vec::new(), Vec::new());
        for (i, source) in plan.channel.interferers.iter().enumerate() {
            let first = bands.len();
            bands.extend(source.centres_khz.iter().map(|centre| {
                let low = centre - source.bandwidth_khz / 2;
                let khz = low..low + source.bandwidth_khz;
                let is_met = channels.iter().any(|channel| common_khz(channel, &khz) > 0);
                Band { source: SourceId(i as u16), khz, is_met }
            }));
            let is_met = bands[first..].iter().any(|band: &Band| band.is_met);
            sources.push(Source { plan: source.clone(), first: first as u32, is_met, next: 0, end_ns: 0 });
        }
        let nics = plan.nics.len();
        let mean_mw = vec![0.0; sources.len() * nics];
        Self { sources, bands, mean_mw, nics, seed }
    }

    pub(super) const fn emissions(&self) -> u32 {
        self.bands.len() as u32
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = SourceId> + use<> {
        (0..self.sources.len() as u16).map(SourceId)
    }

    /// Computes the powers at a NIC, which is at this place, anew; whether one changed.
    pub(super) fn renew(&mut self, nic: usize, place: Position, path_loss: &PathLoss) -> bool {
        let mut changed = false;
        for (i, source) in self.sources.iter().enumerate() {
            let power_mw = source.mean(nic, place, path_loss).to_milliwatt().get();
            let known = &mut self.mean_mw[i * self.nics + nic];
            changed |= known.to_bits() != power_mw.to_bits();
            *known = power_mw;
        }
        changed
    }

    /// Mean power of an emission at a NIC in a part of the spectrum.
    #[inline]
    pub(super) fn power_mw(&self, emission: EmissionId, nic: NicId, part_khz: &Range<u32>) -> f64 {
        let Band { source, khz, .. } = &self.bands[emission.0 as usize];
        let share = f64::from(common_khz(khz, part_khz)) / f64::from(khz.end - khz.start);
        self.mean_mw[usize::from(source.0) * self.nics + nic.index()] * share
    }

    /// Whether an emission falls into a part of the spectrum.
    pub(super) fn overlaps(&self, emission: EmissionId, part_khz: &Range<u32>) -> bool {
        common_khz(&self.bands[emission.0 as usize].khz, part_khz) > 0
    }

    /// The next burst of a source that falls into a channel of the plan; `None` if none ever does.
    pub(super) fn next_burst(&mut self, source: SourceId, epoch: Instant) -> Option<Burst> {
        let place = usize::from(source.0);
        if !self.sources[place].is_met {
            return None;
        }
        loop {
            let source = &mut self.sources[place];
            let burst = source.burst(self.seed, place as u16, epoch);
            if self.bands[burst.emission.0 as usize].is_met {
                return Some(burst);
            }
        }
    }
}

impl Source {
    fn mean(&self, nic: usize, place: Position, path_loss: &PathLoss) -> Dbm {
        match &self.plan.power {
            EmissionPower::Received { levels, default_dbm } => {
                let own = levels.iter().find(|level| level.nic as usize == nic);
                own.map_or(*default_dbm, |level| level.rssi_dbm)
            }
            EmissionPower::Sent { tx_power_dbm, position_m } => path_loss.mean_power(&Path {
                // Only given powers ask for the number of the sender, and the plan has none then.
                ends: [nic, nic],
                places: [Position::new(*position_m), place],
                frequency: Hertz::new(f64::from(self.plan.centres_khz[0]) * 1e3),
                sent: *tx_power_dbm,
            }),
        }
    }

    fn burst(&mut self, seed: u64, place: u16, epoch: Instant) -> Burst {
        let number = self.next;
        self.next += 1;
        let [high, low] = place.to_be_bytes();
        let end = MacAddress([0, 0, 0, 0, high, low]);
        let mut stream = Stream::part(seed, Purpose::Interference, [end, end], number);
        let centres = self.plan.centres_khz.len() as f64;
        let centre = if centres > 1.0 { (stream.unit() * centres) as u32 } else { 0 };
        let (start_ns, on_ns) = match self.plan.pattern {
            EmissionPattern::Periodic { period_ns, on_ns, phase_ns, jitter_ns } => {
                let late_ns = if jitter_ns > 0 { (stream.unit() * jitter_ns as f64) as u64 } else { 0 };
                (phase_ns + number * period_ns + late_ns, on_ns)
            }
            EmissionPattern::Random { mean_on_ns, mean_off_ns } => {
                let mut drawn = |mean_ns: u64| (stream.exponential() * mean_ns as f64) as u64 + 1;
                let off_ns = drawn(mean_off_ns);
                (self.end_ns + off_ns, drawn(mean_on_ns))
            }
        };
        self.end_ns = start_ns + on_ns;
        let at = |time_ns: u64| Instant::from_nanos(epoch.as_nanos() + time_ns);
        Burst { emission: EmissionId(self.first + centre), start: at(start_ns), end: at(self.end_ns) }
    }
}

#[cfg(test)]
mod tests;
