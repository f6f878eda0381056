//! Busy secondary channels: in which width a NIC may send (IEEE 802.11-2020, 10.23.2.5 and 10.3.2.9).
//!
//! A TXOP is won in the primary 20 MHz. It may use the secondary 20, 40, 80 and 160 MHz as far as these were idle for PIFS before. With
//! dynamic bandwidth operation a NIC sends in the part that was idle, with static operation it waits. Where all NICs of a medium are on
//! one channel, whatever is in a secondary channel is in the primary one as well, or follows a busy one by less than PIFS: there
//! is nothing to look at.

use airtcp_units::{Duration, Instant};

use super::OnAir;
use super::overlap::{Emitted, Overlap};
use crate::NicId;
use crate::channel::{Channel, subchannels_in};
use crate::phy::Width;

/// A PPDU outside the primary channel is detected within aCCAMidTime (21.4.4, Table 21-28).
const CCA_MID_TIME: Duration = Duration::from_micros(25);
/// The level in dBm from which on a PPDU that fills this width of a secondary channel makes it busy (21.3.18.5.4; IEEE 802.11ax-2021,
/// 27.3.20.6.4). IEEE 802.11be has -72 dBm in each 20 MHz instead (36.3.21.6.4), which is not modelled.
const fn ppdu_level_dbm(width_mhz: u32) -> f64 {
    match width_mhz {
        0..=40 => -72.0,
        41..=80 => -69.0,
        _ => -66.0,
    }
}

const fn twice(width: Width) -> Width {
    match width {
        Width::Mhz20 => Width::Mhz40,
        Width::Mhz40 => Width::Mhz80,
        Width::Mhz80 => Width::Mhz160,
        _ => Width::Mhz320,
    }
}

/// A bit for each subchannel of the part of a channel with this many subchannels in which the primary one is.
const fn part(primary: u32, subchannels: u32) -> u16 {
    let all = if subchannels >= 16 { u16::MAX } else { (1 << subchannels) - 1 };
    all << (primary / subchannels * subchannels)
}

impl OnAir {
    /// The width of a NIC's channel.
    pub(crate) fn full_width(&self, nic: NicId) -> Width {
        let station = &self.stations[nic];
        let tuned = station.tuning.as_ref().and_then(|tuning| tuning.channel);
        let mhz = tuned.unwrap_or(station.channel).width_mhz;
        Width::from_mhz(mhz).unwrap_or(Width::Mhz20)
    }

    /// The widest part of a NIC's channel with its primary that was idle for PIFS before an instant; `None`: all of it. Whether the
    /// primary channel is idle is not asked.
    #[inline]
    pub(crate) fn idle_width(&self, at: Instant, nic: NicId, channel: &Channel) -> Option<Width> {
        if self.media[self.stations[nic].place.medium].uniform {
            return None;
        }
        self.idle_part(at, nic, channel)
    }

    fn idle_part(&self, at: Instant, nic: NicId, channel: &Channel) -> Option<Width> {
        let full = self.full_width(nic);
        if full == Width::Mhz2160 {
            return None;
        }
        let mut width = Width::Mhz20;
        while width < full {
            if self.is_secondary_busy(at, nic, width, channel) {
                return Some(width);
            }
            width = twice(width);
        }
        None
    }

    /// Whether the secondary channel of this width was busy within PIFS before an instant.
    fn is_secondary_busy(&self, at: Instant, nic: NicId, width: Width, channel: &Channel) -> bool {
        let station = &self.stations[nic];
        let (medium, cell) = (&self.media[station.place.medium], &self.cells[station.cell]);
        let pifs = cell.times.sifs + cell.times.slot;
        let is_past = |end: Instant| end != Instant::FAR_FUTURE && end + pifs <= at;
        let on_air = medium.on_air.iter().map(|&other| Overlap::of(&self.ppdus[other], Instant::FAR_FUTURE));
        let subchannels = width.mhz() / Width::Mhz20.mhz();
        let primary = channel.shares(nic, nic, Width::Mhz20).primary_bit().trailing_zeros();
        let secondary = part(primary, 2 * subchannels) & !part(primary, subchannels);
        let emitted = medium.emissions.iter().filter(|e| e.start + cell.times.slot <= at && !is_past(e.end));
        let inside = || subchannels_in(secondary);
        let power_mw = |e: &Emitted| inside().map(|k| channel.emission_mw(e.emission, nic, k)).sum::<f64>();
        let mut energy_mw: f64 = emitted.map(power_mw).sum();
        for other in on_air.chain(medium.ended.iter().copied()) {
            let shares = channel.shares(other.from, nic, other.width());
            // What fills the primary channel too is the business of carrier sense there.
            if other.from == nic || is_past(other.end) || shares.has_preamble() {
                continue;
            }
            let share: f64 = inside().map(|k| shares.of(k)).sum();
            let power_mw = channel.mean_dbm(other.from, nic).to_milliwatt().get() * share * other.power_share;
            let filled = (shares.occupied() & secondary).count_ones() * Width::Mhz20.mhz();
            let detects = filled > 0 && station.detects_secondary() && other.start + CCA_MID_TIME <= at;
            if detects && 10.0 * libm::log10(power_mw) >= ppdu_level_dbm(filled) {
                return true;
            }
            if other.start + cell.times.slot <= at {
                energy_mw += power_mw;
            }
        }
        // The same density as in the primary channel: -62, -59, -56 and -53 dBm by default.
        let level_mw = self.carrier_sense.energy_mw() * f64::from(subchannels);
        energy_mw >= level_mw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_channel() {
        assert_eq!([1, 2, 4, 8, 16].map(|n| part(2, n)), [0b100, 0b1100, 0b1111, 0xff, 0xffff]);
        assert_eq!([1, 2, 4, 8].map(|n| part(5, n)), [0x20, 0x30, 0xf0, 0xff]);
    }
}
