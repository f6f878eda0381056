//! Where NICs are in the spectrum, and how the power of what one sends falls into the subchannels of another.
//!
//! The power of a PPDU is flat over its own width, and leaks as far as the mask of its sender allows ([`SpectralMask`]). Shares are
//! computed when a channel comes into use, never per frame.

use std::ops::Range;

use airtcp_plan::{AirPlan, RadioChannel};

use crate::NicId;
use crate::phy::{Band, SpectralMask, Width, format_of};

/// Subchannels of the widest channel: 320 MHz.
const MOST_SUBCHANNELS: usize = 16;
/// Megahertz of a subchannel.
const SUBCHANNEL_MHZ: u32 = 20;

/// A channel with the mask of those who send on it, by its place among those in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ChannelId(u16);

/// How a PPDU falls into the subchannels of a receiver's channel. (The channel of 60 GHz is one subchannel.)
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    /// Share of the PPDU's power in each subchannel, from the lowest on.
    of: [f64; MOST_SUBCHANNELS],
    /// One bit for each subchannel that is one of those that the PPDU consists of: there it can be detected as a PPDU.
    occupied: u16,
    /// Number of the primary subchannel.
    primary: u8,
    /// How many subchannels there are.
    count: u8,
    /// Place of the PPDU's lowest subchannel among them; it may lie below the first.
    first: i8,
    /// The share of the primary subchannel in dB.
    primary_db: f64,
    /// Share of the primary subchannel as a ratio, if the PPDU has its preamble there, else zero.
    detectable: f64,
}

impl Shares {
    /// A receiver that is off, or far away in the spectrum.
    const NONE: Self = Self {
        of: [0.0; MOST_SUBCHANNELS],
        occupied: 0,
        primary: 0,
        count: 0,
        first: 0,
        primary_db: f64::NEG_INFINITY,
        detectable: 0.0,
    };

    fn new(sent: RadioChannel, mask: SpectralMask, width_mhz: u32, received: RadioChannel) -> Self {
        let unit = if mask == SpectralMask::Dmg { received.width_mhz } else { SUBCHANNEL_MHZ };
        let width_mhz = width_mhz.min(sent.width_mhz);
        let centre = f64::from(part_of(sent, width_mhz));
        let lowest = received.centre_mhz - received.width_mhz / 2;
        let mut this = Self {
            primary: ((received.primary_mhz - lowest) / unit) as u8,
            count: (received.width_mhz / unit) as u8,
            ..Self::NONE
        };
        let sent_from = part_of(sent, width_mhz) - width_mhz / 2;
        // Of channels that are further away nothing arrives.
        let apart = (i64::from(sent_from) - i64::from(lowest)).div_euclid(i64::from(unit));
        this.first = apart.clamp(i8::MIN.into(), i8::MAX.into()) as i8;
        for k in 0..u32::from(this.count) {
            let from_mhz = lowest + k * unit;
            let from = f64::from(from_mhz) - centre;
            this.of[k as usize] = mask.share(width_mhz, from, from + f64::from(unit));
            let inside = from_mhz >= sent_from && from_mhz + unit <= sent_from + width_mhz;
            if inside && (from_mhz - sent_from).is_multiple_of(unit) {
                this.occupied |= 1 << k;
            }
        }
        this.primary_db = 10.0 * libm::log10(this.primary());
        this.detectable = if this.has_preamble() { this.primary() } else { 0.0 };
        this
    }

    /// The share of a subchannel.
    #[inline]
    pub(crate) fn of(&self, subchannel: u32) -> f64 {
        self.of[subchannel as usize]
    }

    /// The share of the receiver's primary subchannel.
    #[inline]
    pub(crate) fn primary(&self) -> f64 {
        self.of[usize::from(self.primary)]
    }

    /// Share of the receiver's primary subchannel, in dB.
    #[inline]
    pub(crate) const fn primary_db(&self) -> f64 {
        self.primary_db
    }

    /// The share of the receiver's primary subchannel if it can detect the preamble there, else zero.
    #[inline]
    pub(crate) const fn detectable(&self) -> f64 {
        self.detectable
    }

    /// Whether the receiver's primary subchannel is one of those of the PPDU, so that it can detect the preamble.
    #[inline]
    pub(crate) const fn has_preamble(&self) -> bool {
        self.occupied >> self.primary & 1 == 1
    }

    /// A bit for each of the receiver's subchannels that is one of the PPDU's.
    #[inline]
    pub(crate) const fn occupied(&self) -> u16 {
        self.occupied
    }

    /// Of the PPDU's subchannels in a set, lowest first, those that the receiver has, as a set of the receiver's.
    pub(crate) fn occupied_by(&self, of_ppdu: u16) -> u16 {
        let wide = u64::from(of_ppdu) << 16;
        let shifted = match 16 + i32::from(self.first) {
            by @ 0..64 => wide << by >> 32,
            _ => 0,
        };
        shifted as u16 & self.occupied
    }

    /// Whether a receiver has all subchannels of a PPDU of this width.
    #[inline]
    pub(crate) const fn has_all_of(&self, width: Width) -> bool {
        self.occupied.count_ones() * SUBCHANNEL_MHZ == width.mhz() || matches!(width, Width::Mhz2160)
    }

    /// The bit of the receiver's primary subchannel.
    #[inline]
    pub(crate) const fn primary_bit(&self) -> u16 {
        1 << self.primary
    }
}

/// A channel in kilohertz.
pub(super) const fn channel_khz(channel: RadioChannel) -> Range<u32> {
    let low = 1000 * (channel.centre_mhz - channel.width_mhz / 2);
    low..low + 1000 * channel.width_mhz
}

/// The subchannels of a set of bits, lowest first.
pub(crate) fn subchannels_in(mut set: u16) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros())?;
        set &= set - 1;
        Some(first)
    })
}

/// Centre of the part of a channel with this width that contains its primary.
pub(crate) const fn part_of(channel: RadioChannel, width_mhz: u32) -> u32 {
    channel.part(width_mhz).centre_mhz
}

/// Whether something of what is sent on one channel reaches the other, either way.
pub(crate) fn are_coupled(a: (RadioChannel, SpectralMask), b: (RadioChannel, SpectralMask)) -> bool {
    let reaches = |(from, mask): (RadioChannel, SpectralMask), to: RadioChannel| {
        let apart = f64::from(from.centre_mhz.abs_diff(to.centre_mhz));
        apart < mask.reach_mhz(from.width_mhz) + f64::from(to.width_mhz) / 2.0
    };
    reaches(a, b.0) || reaches(b, a.0)
}

/// The mask of a cell's transmitters.
pub(crate) fn mask_of(plan: &AirPlan, cell: usize) -> SpectralMask {
    let cell = &plan.cells[cell];
    let band = Band::of_mhz(cell.channel.primary_mhz).unwrap_or(Band::Ghz5);
    SpectralMask::of(format_of(cell.standard), band)
}

/// The channels in use.
#[derive(Debug)]
pub(super) struct Spectrum {
    channels: Vec<(RadioChannel, SpectralMask)>,
    /// By NIC.
    tuned: Vec<Option<ChannelId>>,
    masks: Vec<SpectralMask>,
    /// By sender's channel, then receiver's, then width of the PPDU.
    shares: Vec<Vec<[Shares; Width::ALL.len()]>>,
    /// Shares by width of the PPDU, if all NICs are on one channel.
    of_all: Option<Box<[Shares; Width::ALL.len()]>>,
}

impl Spectrum {
    /// Every NIC on its part of the channel of its cell; radios of mac80211 are off at first.
    pub(super) fn new(plan: &AirPlan) -> Self {
        let masks = plan.nics.iter().map(|nic| mask_of(plan, nic.cell as usize)).collect();
        let tuned = vec![None; plan.nics.len()];
        let mut this = Self { channels: Vec::new(), tuned, masks, shares: Vec::new(), of_all: None };
        for (i, nic) in plan.nics.iter().enumerate() {
            let cell = &plan.cells[nic.cell as usize];
            this.tune(NicId(i as u32), cell.linux.is_none().then_some(nic.channel_in(cell)));
        }
        this
    }

    /// A NIC is on this channel from now on, or off.
    pub(super) fn tune(&mut self, nic: NicId, channel: Option<RadioChannel>) {
        let mask = self.masks[nic.index()];
        self.tuned[nic.index()] = channel.map(|channel| self.id_of((channel, mask)));
        let first = self.tuned[0].filter(|&first| self.tuned.iter().all(|&id| id == Some(first)));
        let shares = |id: ChannelId| self.shares[usize::from(id.0)][usize::from(id.0)];
        self.of_all = first.map(|id| Box::new(shares(id)));
    }

    fn id_of(&mut self, channel: (RadioChannel, SpectralMask)) -> ChannelId {
        let known = self.channels.iter().position(|&known| known == channel);
        let place = known.unwrap_or_else(|| {
            self.channels.push(channel);
            self.extend();
            self.channels.len() - 1
        });
        ChannelId(place as u16)
    }

    /// Computes the shares of the channel that came last.
    fn extend(&mut self) {
        let new = self.channels[self.channels.len() - 1];
        for (row, &sent) in self.shares.iter_mut().zip(&self.channels) {
            row.push(shares(sent, new.0));
        }
        self.shares.push(self.channels.iter().map(|&(received, _)| shares(new, received)).collect());
    }

    /// The channel of a NIC; `None`: it is off.
    #[inline]
    pub(super) fn channel_of(&self, nic: NicId) -> Option<ChannelId> {
        self.tuned[nic.index()]
    }

    /// The channel that a NIC is tuned to; `None`: it is off.
    pub(super) fn radio_channel(&self, nic: NicId) -> Option<RadioChannel> {
        self.tuned[nic.index()].map(|id| self.channels[usize::from(id.0)].0)
    }

    /// The channel that a NIC is tuned to, in kilohertz; `None`: it is off.
    #[inline]
    pub(super) fn channel_khz(&self, nic: NicId) -> Option<Range<u32>> {
        self.tuned[nic.index()].map(|id| channel_khz(self.channels[usize::from(id.0)].0))
    }

    /// A subchannel of it.
    #[inline]
    pub(super) fn subchannel_khz(&self, nic: NicId, subchannel: u32) -> Option<Range<u32>> {
        let whole = self.channel_khz(nic)?;
        let is_dmg = whole.end - whole.start == 1000 * Width::Mhz2160.mhz();
        let unit = if is_dmg { whole.end - whole.start } else { 1000 * SUBCHANNEL_MHZ };
        let low = whole.start + subchannel * unit;
        Some(low..low + unit)
    }

    /// How what one NIC sends with this width falls into the subchannels of another.
    #[inline]
    pub(super) fn shares(&self, from: NicId, to: NicId, width: Width) -> &Shares {
        if let Some(of_all) = &self.of_all {
            return &of_all[width as usize];
        }
        let [from, to] = [from, to].map(|nic| self.tuned[nic.index()]);
        match (from, to) {
            (Some(from), Some(to)) => &self.shares[usize::from(from.0)][usize::from(to.0)][width as usize],
            _ => &Shares::NONE,
        }
    }
}

fn shares((sent, mask): (RadioChannel, SpectralMask), received: RadioChannel) -> [Shares; Width::ALL.len()] {
    Width::ALL.map(|width| Shares::new(sent, mask, width.mhz(), received))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Format, check_width};

    const fn channel(primary_mhz: u32, centre_mhz: u32, width_mhz: u32) -> RadioChannel {
        RadioChannel { primary_mhz, centre_mhz, width_mhz }
    }

    fn new(sent: RadioChannel, width_mhz: u32, received: RadioChannel) -> Shares {
        Shares::new(sent, SpectralMask::Ofdm, width_mhz, received)
    }

    #[test]
    fn a_wide_ppdu_gives_each_subchannel_its_part() {
        let wide = channel(5200, 5210, 80);
        let all = new(wide, 80, wide);
        assert_eq!((all.occupied(), all.of(0), all.primary(), all.primary_bit()), (0b1111, 0.25, 0.25, 0b10));
        assert!(all.has_preamble());
        // The 40 MHz with the primary, and what leaks into the others.
        let half = new(wide, 40, wide);
        assert_eq!((half.occupied(), half.of(0), half.of(1)), (0b0011, 0.5, 0.5));
        assert!(half.of(2) < 0.004 && half.of(3) < half.of(2));
        // A cell of 20 MHz inside gets a quarter, whether or not that is the primary.
        let inside = new(wide, 80, channel(5240, 5240, 20));
        assert_eq!((inside.occupied(), inside.primary()), (1, 0.25));
        // What it sends is in the last of the four.
        let narrow = new(channel(5240, 5240, 20), 20, wide);
        assert_eq!((narrow.occupied(), narrow.of(3)), (0b1000, 1.0));
        assert!(!narrow.has_preamble() && (10.0 * libm::log10(narrow.of(2)) + 23.69).abs() < 0.01);
        assert!(narrow.of(1) <= 0.0 && narrow.primary() <= 0.0);
    }

    #[test]
    fn parts_of_a_ppdu_are_found_in_the_receivers_channel() {
        let wide = channel(5200, 5210, 80);
        let same = new(wide, 80, wide);
        assert_eq!([0b0001, 0b0110, 0b1000].map(|set| same.occupied_by(set)), [0b0001, 0b0110, 0b1000]);
        // The upper half only, and the lower half of a channel that goes on above.
        let upper = new(wide, 80, channel(5240, 5230, 40));
        assert_eq!([0b0001, 0b0110, 0b1000].map(|set| upper.occupied_by(set)), [0, 0b01, 0b10]);
        let wider = new(channel(5220, 5230, 40), 40, channel(5180, 5250, 160));
        assert_eq!([0b01, 0b10].map(|set| wider.occupied_by(set)), [0b100, 0b1000]);
        // Nothing far away.
        assert_eq!(new(channel(5745, 5745, 20), 20, wide).occupied_by(1), 0);
    }

    /// Channels 1 and 3: half of the power, and no preamble.
    #[test]
    fn channels_that_overlap_in_part() {
        let shares = new(channel(2412, 2412, 20), 20, channel(2422, 2422, 20));
        assert!(!shares.has_preamble());
        assert!((shares.primary_db() + 2.98).abs() < 0.01, "{}", shares.primary_db());
    }

    #[test]
    fn channels_that_have_nothing_to_do_with_each_other() {
        let ofdm = |mhz| (channel(mhz, mhz, 20), SpectralMask::Ofdm);
        assert!(are_coupled(ofdm(5180), ofdm(5180)) && are_coupled(ofdm(5180), ofdm(5200)));
        // The mask ends 30 MHz from the centre, 10 MHz before channel 44 does.
        assert!(!are_coupled(ofdm(5180), ofdm(5220)));
        // Channels 1, 6 and 11; 1 and 9.
        assert!(are_coupled(ofdm(2412), ofdm(2437)) && !are_coupled(ofdm(2412), ofdm(2452)));
        let wide = (channel(5180, 5210, 80), SpectralMask::He);
        assert!(are_coupled(wide, ofdm(5300)) && !are_coupled(wide, ofdm(5340)));
        let dmg = |mhz| (channel(mhz, mhz, 2160), SpectralMask::Dmg);
        assert!(are_coupled(dmg(58_320), dmg(58_320)) && !are_coupled(dmg(58_320), dmg(60_480)));
    }

    #[test]
    fn no_mask_reaches_further_than_a_split_network_assumes() {
        for (format, band) in Format::ALL.into_iter().flat_map(|format| Band::ALL.map(|band| (format, band)))
        {
            let widths = Width::ALL.into_iter().filter(|&width| check_width(format, width, band).is_ok());
            for width in widths.map(Width::mhz) {
                let reach_mhz = SpectralMask::of(format, band).reach_mhz(width);
                assert!(reach_mhz <= f64::from(RadioChannel::reach_mhz(width)), "{format} {width}");
            }
        }
    }
}
