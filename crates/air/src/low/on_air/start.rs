//! PPDUs begin.

use airtcp_units::{Duration, Instant};

use super::OnAir;
use super::ppdu::{DataSpan, Ppdu};
use crate::channel::Channel;
use crate::phy::Width;
use crate::{NicId, PpduKind};

/// A PPDU to be sent; what is in it is in [`Ppdu`] already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Emission {
    pub(crate) kind: PpduKind,
    /// Start of the PPDU. Carrier sense may notice it earlier.
    pub(crate) start: Instant,
    /// Bandwidth of the PPDU; for a control frame that is repeated in each 20 MHz, that of all copies.
    pub(crate) width: Width,
    pub(crate) duration: Duration,
    pub(crate) nav_until: Instant,
}

impl OnAir {
    /// The PPDU that a NIC sends next, without MPDUs: it gets its users, data its MPDUs, and an answer its trigger frame, before it starts.
    #[inline(always)]
    pub(crate) fn next_ppdu(&mut self, nic: NicId) -> &mut Ppdu {
        let ppdu = &mut self.ppdus[nic];
        ppdu.empty();
        (ppdu.trigger, ppdu.data_span, ppdu.power_share) = (None, None, 1.0);
        ppdu
    }

    /// A PPDU begins; carrier sense notices it now. Returns its end.
    ///
    /// What it meets on the air is looked at before it is there itself, and contention hears of it, with those that miss its
    /// preamble, before the carriers that these have lost: a NIC that turns to it never senses silence between.
    pub(crate) fn start(
        &mut self,
        now: Instant,
        nic: NicId,
        emission: Emission,
        channel: &mut Channel,
    ) -> Instant {
        let Emission { kind, start, width, duration, nav_until } = emission;
        let station = &mut self.stations[nic];
        station.eifs_extra = Duration::ZERO;
        let place = station.place;
        let mut ppdu = self.ppdus.take(nic);
        ppdu.place = place;
        assert!(!ppdu.on_air, "{nic:?} sends two PPDUs at once");
        let tx = ppdu.first().tx;
        (ppdu.kind, ppdu.width) = (kind, width);
        (ppdu.start, ppdu.end, ppdu.nav_until) = (start, start + duration, nav_until);
        let (preamble, of_packet) = match ppdu.data_span {
            Some(DataSpan { preamble, extension }) => (preamble, extension),
            None => (tx.preamble_duration(), tx.packet_extension(ppdu.first().psdu_bytes)),
        };
        let extension = self.cells[station.cell].times.extension_of(tx) + of_packet;
        ppdu.payload_end = start + (duration - extension);
        ppdu.payload_start = (start + preamble).min(ppdu.payload_end);
        ppdu.on_air = true;
        ppdu.in_bss = self.media[place.medium].contention.bss(place.member).is_some();
        ppdu.overlaps.clear();
        ppdu.emissions.clear();
        ppdu.missed.clear();
        let overlaps = !self.media[place.medium].on_air.is_empty();
        if overlaps {
            self.meet_preambles(&mut ppdu, place.medium, channel);
        }
        let medium = &mut self.media[place.medium];
        if overlaps || !medium.emissions.is_empty() {
            self.ppdus.meet(&mut ppdu, &medium.on_air, &medium.emissions);
        }
        let end = ppdu.end;
        let others = &medium.on_air;
        let joins = ppdu.trigger.is_some()
            && !ppdu.shares_ru()
            && others.iter().any(|&other| self.ppdus[other].is_triggered_with(&ppdu));
        self.ppdus.put(ppdu);
        medium.on_air.push(nic);
        medium.contention.ppdu_starts(now, place.member, width, &self.sensed.unsensed);
        if overlaps {
            self.lose_carriers(now, place.medium);
        }
        let data = matches!(kind, PpduKind::Data | PpduKind::Beacon | PpduKind::Management);
        self.primaries[place.primary].begin(now, data, joins);
        if start > now {
            // The SIFS before a response counts as silence in surveys.
            self.media[place.medium].contention.leave_out(now, place.member, width, start.since(now));
        }
        end
    }

    /// Whether a NIC hears the PPDU that another has begun now.
    pub(crate) fn hears_start(&self, listener: NicId, sender: NicId) -> bool {
        let ppdu = &self.ppdus[sender];
        self.hears(listener, ppdu) && !ppdu.missed.contains(listener)
    }
}
