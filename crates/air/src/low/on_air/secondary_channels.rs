//! Busy secondary channels: in which width a NIC may send (IEEE 802.11-2020, 10.23.2.5 and 10.3.2.9).
//!
//! A TXOP is won in the primary 20 MHz. It may use the secondary 20, 40, 80 and 160 MHz as far as these were idle for PIFS before. With
//! dynamic bandwidth operation a NIC sends in the part that was idle, with static operation it waits. Where all NICs of a medium are on
//! one channel, whatever is in a secondary channel is in the primary one as well, or follows a busy one by less than PIFS: there
//! is nothing to look at.

use airtcp_units::{Duration, Instant};

use super::medium::{MEMORY, Medium};
use super::ppdu::{Emitted, Overlap, Ppdu};
use crate::NicId;
use crate::channel::{Channel, subchannels_in};
use crate::low::Low;
use crate::low::exchange::Exchange;
use crate::low::psdu::PsduLength;
use crate::phy::{Band, Format, TxVector, Width};

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

/// This mode in a width that is not wider; with a lower MCS if the standard does not have it there.
pub(crate) fn narrowed(tx: TxVector, widest: Width, band: Band) -> TxVector {
    if tx.width <= widest {
        return tx;
    }
    let narrow = TxVector { width: widest, ..tx };
    let legal =
        (0..=tx.index).rev().map(|index| TxVector { index, ..narrow }).find(|tx| tx.check(band).is_ok());
    legal.unwrap_or(narrow)
}

/// Whether an RTS before data in this format says how wide it is, and its CTS comes in the part that is idle (10.3.2.9: a VHT STA).
pub(crate) const fn signals_bandwidth(data: Format) -> bool {
    matches!(data, Format::Vht | Format::He | Format::Eht)
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

impl Low {
    /// The width of a NIC's channel.
    fn full_width(&self, nic: NicId) -> Width {
        let radio = &self.radios[nic];
        let tuned = radio.tuning.as_ref().and_then(|tuning| tuning.channel);
        let mhz = tuned.unwrap_or(self.cells[radio.cell].channel).width_mhz;
        Width::from_mhz(mhz).unwrap_or(Width::Mhz20)
    }

    /// The widest part of a NIC's channel with its primary that was idle for PIFS before an instant; `None`: all of it. Whether the
    /// primary channel is idle is not asked.
    #[inline]
    pub(crate) fn idle_width(&self, at: Instant, nic: NicId, channel: &Channel) -> Option<Width> {
        if self.media[self.radios[nic].medium].uniform {
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
        let radio = &self.radios[nic];
        let (medium, cell) = (&self.media[radio.medium], &self.cells[radio.cell]);
        let pifs = cell.times.sifs + cell.times.slot;
        let is_past = |end: Instant| end != Instant::FAR_FUTURE && end + pifs <= at;
        let on_air = medium.on_air.iter().map(|&other| {
            let ppdu = &self.air[other];
            Overlap { from: other, width: ppdu.width, start: ppdu.start, end: Instant::FAR_FUTURE }
        });
        let subchannels = width.mhz() / Width::Mhz20.mhz();
        let primary = channel.shares(nic, nic, Width::Mhz20).primary_bit().trailing_zeros();
        let secondary = part(primary, 2 * subchannels) & !part(primary, subchannels);
        let emitted = medium.emissions.iter().filter(|e| e.start + cell.times.slot <= at && !is_past(e.end));
        let inside = || subchannels_in(secondary);
        let power_mw = |e: &Emitted| inside().map(|k| channel.emission_mw(e.emission, nic, k)).sum::<f64>();
        let mut energy_mw: f64 = emitted.map(power_mw).sum();
        for other in on_air.chain(medium.ended.iter().copied()) {
            let shares = channel.shares(other.from, nic, other.width);
            // What fills the primary channel too is the business of carrier sense there.
            if other.from == nic || is_past(other.end) || shares.has_preamble() {
                continue;
            }
            let share: f64 = inside().map(|k| shares.of(k)).sum();
            let power_mw = channel.mean_dbm(other.from, nic).to_milliwatt().get() * share;
            let filled = (shares.occupied() & secondary).count_ones() * Width::Mhz20.mhz();
            let detects = filled > 0 && cell.detects_secondary && other.start + CCA_MID_TIME <= at;
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

    /// A PPDU ends now; it is remembered where NICs may ask for it.
    #[inline]
    pub(crate) fn remember(&mut self, now: Instant, ppdu: &Ppdu) {
        let medium = &mut self.media[ppdu.place.medium];
        if !medium.uniform {
            medium.remember(now, ppdu);
        }
    }

    /// The CTS came in a narrower part than that of the RTS: the data follows in its width. It must end when the RTS said, so MPDUs
    /// that do not fit any more go back to their queue.
    pub(crate) fn narrow(&mut self, nic: NicId, width: Width) {
        let radio = &mut self.radios[nic];
        let cell = &self.cells[radio.cell];
        let exchange: &mut Exchange = radio.exchange.as_mut().expect("an exchange is under way");
        exchange.widest = exchange.widest.min(width);
        let longest = exchange.data;
        exchange.data = Duration::ZERO;
        let function = exchange.function;
        let forms = radio.capabilities.prefetch.forms;
        for user in exchange.users.ids() {
            let state = &mut exchange.users[user];
            let psdu = &mut radio.psdus[user];
            let tx = cell.fitting(narrowed(state.tx, width, cell.band), psdu[0].mpdu.bytes);
            let limits = self.aggregation.between(nic, state.receiver.nic().unwrap_or(nic));
            let spacing_octets = limits.map_or(0, |limits| limits.spacing_octets(tx));
            let mut length = PsduLength::one(tx.format, psdu[0].mpdu.bytes).spaced(spacing_octets);
            let mut fitting = 1;
            for held in &psdu[1..] {
                let longer = length.with(held.mpdu.bytes);
                if cell.times.ppdu_duration(tx, longer.bytes()) > longest {
                    break;
                }
                (length, fitting) = (longer, fitting + 1);
            }
            if let Some(txq) = state.txq {
                let (edcaf, queue) = (&mut radio.edcafs[function], &mut self.txqs[txq].held);
                psdu.drain(fitting..).rev().for_each(|held| edcaf.keep(queue, held, forms));
            }
            let window = state.response.and_then(|_| state.window.filter(|_| fitting > 1));
            state.response = state.response.map(|_| cell.response(tx, window));
            (state.tx, state.width, state.psdu_bytes) = (tx, tx.width, length.bytes());
            state.spacing_octets = spacing_octets;
            exchange.data = exchange.data.max(cell.times.ppdu_duration(tx, length.bytes()));
        }
    }
}

impl Medium {
    fn remember(&mut self, now: Instant, ppdu: &Ppdu) {
        self.ended.retain(|other| other.end + MEMORY > now);
        let &Ppdu { from, width, start, .. } = ppdu;
        self.ended.push(Overlap { from, width, start, end: now });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::Guard;

    #[test]
    fn parts_of_a_channel() {
        assert_eq!([1, 2, 4, 8, 16].map(|n| part(2, n)), [0b100, 0b1100, 0b1111, 0xff, 0xffff]);
        assert_eq!([1, 2, 4, 8].map(|n| part(5, n)), [0x20, 0x30, 0xf0, 0xff]);
    }

    /// MCS 9 of one VHT stream does not exist at 20 MHz.
    #[test]
    fn a_narrower_mode_is_one_of_the_standard() {
        let vht = |mcs, width| TxVector::mimo(Format::Vht, mcs, 1, width, Guard::Ns800);
        assert_eq!(narrowed(vht(9, Width::Mhz80), Width::Mhz40, Band::Ghz5), vht(9, Width::Mhz40));
        assert_eq!(narrowed(vht(9, Width::Mhz80), Width::Mhz20, Band::Ghz5), vht(8, Width::Mhz20));
        assert_eq!(narrowed(vht(3, Width::Mhz40), Width::Mhz80, Band::Ghz5), vht(3, Width::Mhz40));
    }
}
