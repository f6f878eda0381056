//! Emissions of sources that are no NICs: they begin and end, make the medium busy by their energy, and interfere with PPDUs.
//!
//! Nobody decodes them, so they set no NAV, no EIFS follows, and what they spoil is no collision.

use airtcp_units::Instant;

use super::OnAir;
use super::medium::MEMORY;
use super::overlap::Emitted;
use crate::channel::{Burst, Channel, EmissionId, SourceId};

/// Ends an emission at `now`. False if it was not on the air.
fn ends(emitted: &mut [Emitted], now: Instant, emission: EmissionId) -> bool {
    let Some(lasting) = emitted.iter_mut().find(|e| e.emission == emission && e.lasts()) else {
        return false;
    };
    lasting.end = now;
    true
}

impl OnAir {
    /// Plans the first burst of each source, and returns when each begins to emit.
    pub(crate) fn plan_emissions(&mut self, channel: &mut Channel) -> Vec<(SourceId, Instant)> {
        let mut starts = Vec::new();
        for source in channel.emission_sources() {
            let first = channel.next_burst(source);
            starts.extend(first.map(|burst| (source, burst.start)));
            // A source that reaches no channel has no burst; its place is kept.
            let never =
                Burst { emission: EmissionId(0), start: Instant::FAR_FUTURE, end: Instant::FAR_FUTURE };
            self.bursts.push(first.unwrap_or(never));
        }
        starts
    }

    /// A source begins to emit. Returns when it stops.
    pub(crate) fn emission_starts(&mut self, now: Instant, source: SourceId, channel: &Channel) -> Instant {
        let Burst { emission, end, .. } = self.bursts[usize::from(source.0)];
        let Self { media, ppdus, .. } = self;
        for medium in media.iter_mut() {
            let reached = |(&nic, &present)| present && channel.reaches(emission, nic);
            if !medium.members.iter().zip(&medium.present).any(reached) {
                continue;
            }
            let emitted = Emitted { emission, start: now, end: Instant::FAR_FUTURE };
            medium.emissions.retain(|e| e.lasts() || e.end + MEMORY > now);
            medium.emissions.push(emitted);
            medium.contention.energy_starts(now, emission);
            for &nic in &medium.on_air {
                ppdus[nic].emissions.push(emitted);
            }
        }
        end
    }

    /// A source stops. Returns when it begins again.
    pub(crate) fn emission_ends(&mut self, now: Instant, source: SourceId, channel: &mut Channel) -> Instant {
        let Burst { emission, .. } = self.bursts[usize::from(source.0)];
        let Self { media, ppdus, .. } = self;
        for medium in media.iter_mut() {
            if !ends(&mut medium.emissions, now, emission) {
                continue;
            }
            medium.contention.energy_ends(now, emission);
            for &nic in &medium.on_air {
                ends(&mut ppdus[nic].emissions, now, emission);
            }
        }
        let next = channel.next_burst(source).expect("a source that emits reaches a channel");
        self.bursts[usize::from(source.0)] = next;
        next.start
    }
}
