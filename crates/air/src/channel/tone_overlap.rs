//! How much of what fills one resource unit falls into another, of the same channel or of one that overlaps it.
//!
//! Within the width of its PPDU, an RU has power in its own tones only: what real transmitters leave in unused ones (IEEE 802.11ax-2021,
//! 27.3.19.4) is not modelled.

use std::ops::Range;

use airtcp_plan::RadioChannel;

use super::spectrum::part_of;
use crate::phy::{Allocation, Format, SUBCARRIER_SPACING_HZ, Tones};

/// What is sent on a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filled {
    pub(super) channel: RadioChannel,
    pub(super) allocation: Allocation,
}

impl Filled {
    /// Tones of HE; those of EHT are at most five off.
    fn tones(self) -> (Tones, f64) {
        let width_mhz = self.allocation.width().mhz().min(self.channel.width_mhz);
        (self.allocation.tones(Format::He), f64::from(part_of(self.channel, width_mhz)) * 1e3)
    }

    /// The ranges of its tones, in kilohertz; of a whole width, all of that.
    fn ranges_khz(self) -> impl Iterator<Item = Range<f64>> {
        let (tones, centre) = self.tones();
        let spacing = SUBCARRIER_SPACING_HZ / 1e3;
        let whole = self.allocation.is_whole().then(|| {
            let half = f64::from(self.allocation.width().mhz()) * 500.0;
            centre - half..centre + half
        });
        let count = if whole.is_some() { 0 } else { tones.ranges().len() };
        let of_tones = (0..count).map(move |place| {
            let range = tones.ranges()[place];
            let [low, high] = [f64::from(range.first) - 0.5, f64::from(range.last) + 0.5];
            centre + low * spacing..centre + high * spacing
        });
        whole.into_iter().chain(of_tones)
    }
}

/// The density of an RU's power in that part of `own` which lies in a subchannel: as the share of its power that the subchannel would
/// have, if it were all as dense.
pub(super) fn share(sent: Filled, own: Filled, subchannel_khz: Range<f64>) -> f64 {
    let common = |a: &Range<f64>, b: &Range<f64>| (a.end.min(b.end) - a.start.max(b.start)).max(0.0);
    let clipped = own.ranges_khz().map(|r| r.start.max(subchannel_khz.start)..r.end.min(subchannel_khz.end));
    let (mut piece, mut met) = (0.0, 0.0);
    for own in clipped.filter(|r| r.start < r.end) {
        piece += own.end - own.start;
        met += sent.ranges_khz().map(|range| common(&range, &own)).sum::<f64>();
    }
    if piece > 0.0 {
        let all: f64 = sent.ranges_khz().map(|range| range.end - range.start).sum();
        met / all * (subchannel_khz.end - subchannel_khz.start) / piece
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{RuSize, Width};

    const CHANNEL: RadioChannel = RadioChannel { primary_mhz: 5180, centre_mhz: 5210, width_mhz: 80 };

    fn filled(channel: RadioChannel, size: RuSize, index: u8) -> Filled {
        let width = Width::from_mhz(channel.width_mhz).expect("a width");
        Filled { channel, allocation: Allocation::ru(width, size, index).expect("an RU") }
    }

    fn in_80(size: RuSize, index: u8) -> Filled {
        filled(CHANNEL, size, index)
    }

    fn subchannel(number: u32) -> Range<f64> {
        let low = f64::from(5170 + 20 * number) * 1e3;
        low..low + 20e3
    }

    /// All of a 26-tone RU falls into itself, 20 MHz over 26 tones of 78.125 kHz; nothing into others.
    #[test]
    fn resource_units_of_one_channel() {
        let own = in_80(RuSize::Tones26, 2);
        let dense = 20.0 / (26.0 * 0.078_125);
        assert!((share(own, own, subchannel(0)) - dense).abs() < 1e-9);
        assert!(share(in_80(RuSize::Tones26, 3), own, subchannel(0)) <= 0.0);
        // Of 52 tones half are in it, and it is full of them: half as dense.
        let around = in_80(RuSize::Tones52, 1);
        assert!((share(around, own, subchannel(0)) - dense / 2.0).abs() < 1e-9);
        // It fills half of the larger one.
        assert!((share(own, around, subchannel(0)) - dense / 2.0).abs() < 1e-9);
    }

    /// A PPDU of the whole width has a share by 20 MHz, as in the whole of the subchannel.
    #[test]
    fn a_whole_width_is_met_by_subchannel() {
        let whole = filled(CHANNEL, RuSize::Tones996, 1);
        let sent = in_80(RuSize::Tones26, 2);
        assert!((share(sent, whole, subchannel(0)) - 1.0).abs() < 1e-9);
        assert!(share(sent, whole, subchannel(1)) <= 0.0);
        assert!((share(whole, sent, subchannel(0)) - 0.25).abs() < 1e-9);
    }

    /// An RU of a cell of 20 MHz beside one of 80 MHz that holds it: the whole 20 MHz lie in the third quarter.
    #[test]
    fn channels_of_different_widths() {
        let narrow = RadioChannel { primary_mhz: 5220, centre_mhz: 5220, width_mhz: 20 };
        let sent = filled(narrow, RuSize::Tones106, 1);
        // Tones -122 to -17 around 5220 MHz are tones 6 to 111 around 5210 MHz, of which RU 5 of 106 tones has 18 to 111.
        let met = share(sent, in_80(RuSize::Tones106, 5), subchannel(2));
        let dense = 20.0 / (106.0 * 0.078_125);
        assert!((met / dense - 94.0 / 106.0).abs() < 1e-9, "{}", met / dense);
        assert!(share(sent, in_80(RuSize::Tones106, 3), subchannel(1)) <= 0.0);
    }
}
