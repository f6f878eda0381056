//! Where in the spectrum the response of a link is computed.

use std::ops::Range;

use airtcp_plan::RadioChannel;

use super::complex::Complex;
use crate::phy::{SUBCARRIER_SPACING_HZ, TxVector, Width};

/// Bins in a block.
pub(super) const BINS: usize = 16;
/// The widest that a block is, in MHz. Bins are 1.25 MHz apart then: four subcarriers of HT and sixteen of HE.
const BLOCK_MHZ: f64 = 20.0;

/// Complex values in the bins of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bins {
    pub(super) re: [f32; BINS],
    pub(super) im: [f32; BINS],
}

impl Bins {
    pub(super) const ZERO: Self = Self { re: [0.0; BINS], im: [0.0; BINS] };

    /// Adds these values times a gain.
    #[inline]
    pub(super) fn add(&mut self, [re, im]: [f32; 2], values: &Self) {
        for bin in 0..BINS {
            self.re[bin] += re * values.re[bin] - im * values.im[bin];
            self.im[bin] += re * values.im[bin] + im * values.re[bin];
        }
    }

    /// Adds the products of one's conjugates and another.
    #[inline]
    pub(super) fn add_conjugate_product(&mut self, one: &Self, other: &Self) {
        for bin in 0..BINS {
            self.re[bin] += one.re[bin] * other.re[bin] + one.im[bin] * other.im[bin];
            self.im[bin] += one.re[bin] * other.im[bin] - one.im[bin] * other.re[bin];
        }
    }

    /// Adds the squares of absolute values.
    #[inline]
    pub(super) fn add_powers(&self, to: &mut [f32; BINS]) {
        for (bin, power) in to.iter_mut().enumerate() {
            *power += self.re[bin] * self.re[bin] + self.im[bin] * self.im[bin];
        }
    }
}

/// The bins of a channel.
#[derive(Debug)]
pub(super) struct Grid {
    channel: RadioChannel,
    /// Blocks in the channel, and in 20 MHz.
    pub(super) blocks: usize,
    blocks_in_20_mhz: usize,
    delays: usize,
    /// By block, then delay: what it does in each bin.
    steering: Vec<Bins>,
}

impl Grid {
    pub(super) fn new(channel: RadioChannel, delays_ns: &[f64]) -> Self {
        let blocks_in_20_mhz = blocks_in_20_mhz(delays_ns);
        let blocks = channel.width_mhz as usize / 20 * blocks_in_20_mhz;
        let bin_mhz = BLOCK_MHZ / (BINS * blocks_in_20_mhz) as f64;
        let low_mhz = f64::from(channel.centre_mhz) - f64::from(channel.width_mhz) / 2.0;
        let of = |block: usize, delay_ns: f64| {
            let mut turns = Bins::ZERO;
            for bin in 0..BINS {
                let mhz = low_mhz + bin_mhz * ((block * BINS + bin) as f64 + 0.5);
                let turn = Complex::unit(-std::f64::consts::TAU * mhz * delay_ns / 1e3);
                (turns.re[bin], turns.im[bin]) = (turn.re as f32, turn.im as f32);
            }
            turns
        };
        let all = (0..blocks).flat_map(|block| delays_ns.iter().map(move |&delay_ns| (block, delay_ns)));
        let steering = all.map(|(block, delay_ns)| of(block, delay_ns)).collect();
        Self { channel, blocks, blocks_in_20_mhz, delays: delays_ns.len(), steering }
    }

    pub(super) fn is_of(&self, channel: RadioChannel) -> bool {
        self.channel == channel
    }

    /// What each delay does in the bins of a block.
    pub(super) fn steering(&self, block: usize) -> &[Bins] {
        &self.steering[block * self.delays..][..self.delays]
    }

    /// Where the tones of an RU are, or of what puncturing leaves: bins whose centre is among its tones. An RU of 26 tones has 2 MHz, so
    /// at least one bin.
    pub(super) fn tones(&self, tx: TxVector) -> impl Iterator<Item = TonesInBlock> {
        let (blocks, tones) = (self.range(tx.width()), tx.allocation.tones(tx.format));
        let bin_mhz = BLOCK_MHZ / (BINS * self.blocks_in_20_mhz) as f64;
        let half_mhz = f64::from(tx.width().mhz()) / 2.0;
        let (first, in_20_mhz) = (blocks.start, self.blocks_in_20_mhz);
        let used = tx.allocation.subchannels();
        let is_inside = move |block: usize, bin: usize| {
            let mhz = bin_mhz * (((block - first) * BINS + bin) as f64 + 0.5) - half_mhz;
            let tone = mhz * 1e6 / SUBCARRIER_SPACING_HZ;
            let mut ranges = tones.ranges().iter();
            ranges.any(|r| f64::from(r.first) - 0.5 <= tone && tone < f64::from(r.last) + 0.5)
        };
        blocks.filter_map(move |block| {
            let bins = (0..BINS).fold(0, |bins, bin| bins | u16::from(is_inside(block, bin)) << bin);
            let below = used & ((1_u32 << ((block - first) / in_20_mhz)) - 1) as u16;
            let subchannel = below.count_ones() as usize;
            (bins != 0).then_some(TonesInBlock { block, subchannel, bins })
        })
    }

    /// The blocks of a PPDU of this width: the part of the channel with the primary channel in it.
    pub(super) fn range(&self, width: Width) -> Range<usize> {
        let width_mhz = width.mhz();
        if width_mhz >= self.channel.width_mhz {
            return 0..self.blocks;
        }
        // Edges in half MHz, so that they are integers.
        let low = 2 * self.channel.centre_mhz - self.channel.width_mhz;
        let part = (2 * self.channel.primary_mhz - low) / (2 * width_mhz);
        let blocks = width_mhz as usize / 20 * self.blocks_in_20_mhz;
        let start = part as usize * blocks;
        start..start + blocks
    }
}

/// The bins of a block that lie in the tones of an RU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TonesInBlock {
    pub(super) block: usize,
    /// Which of the RU's subchannels the block is in, from the lowest on.
    pub(super) subchannel: usize,
    /// One bit for each bin.
    pub(super) bins: u16,
}

/// Blocks of bins in 20 MHz. Bins are no further apart than half of the inverse of the longest delay: the sum of the powers in
/// them then is that in the band. One block up to 400 ns, 8 for 3200 ns, the longest delay of a plan.
fn blocks_in_20_mhz(delays_ns: &[f64]) -> usize {
    let longest_us = delays_ns.iter().copied().fold(0.0, f64::max) / 1e3;
    (libm::ceil(2.0 * longest_us * BLOCK_MHZ / BINS as f64) as usize).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Allocation, Format, Guard, RuSize};

    #[test]
    fn narrow_ppdus_are_around_the_primary_channel() {
        let channel = RadioChannel { primary_mhz: 5_220, centre_mhz: 5_210, width_mhz: 80 };
        let grid = Grid::new(channel, &[]);
        assert_eq!(grid.blocks, 4);
        assert_eq!(grid.range(Width::Mhz20), 2..3);
        assert_eq!(grid.range(Width::Mhz40), 2..4);
        assert_eq!(grid.range(Width::Mhz80), 0..4);
    }

    /// Bins are 16 tones apart, the first of 80 MHz at tone -504. RU 2 of 52 tones is -445 to -394 (bins 4 to 6), the centre RU of 26
    /// tones -16 to 16 (bins 31 and 32), RU 4 of 242 tones 259 to 500 (bins 48 to 62).
    #[test]
    fn resource_units_have_the_bins_of_their_tones() {
        let channel = RadioChannel { primary_mhz: 5_220, centre_mhz: 5_210, width_mhz: 80 };
        let grid = Grid::new(channel, &[]);
        let of = |size, index| {
            let ru = Allocation::ru(Width::Mhz80, size, index).expect("an RU");
            let tx = TxVector::mimo(Format::He, 0, 1, Width::Mhz80, Guard::Ns800).within(ru);
            grid.tones(tx).map(|t| (t.block, t.subchannel, t.bins)).collect::<Vec<_>>()
        };
        assert_eq!(of(RuSize::Tones52, 2), [(0, 0, 0b111_0000)]);
        assert_eq!(of(RuSize::Tones26, 19), [(1, 0, 0x8000), (2, 1, 0x0001)]);
        assert_eq!(of(RuSize::Tones242, 4), [(3, 0, 0x7fff)]);
        for index in 1..=37 {
            let bins: u32 = of(RuSize::Tones26, index).iter().map(|(_, _, bins)| bins.count_ones()).sum();
            assert!((1..=2).contains(&bins), "RU {index}");
        }
        // In a PPDU of 40 MHz, which has the primary channel, RUs are counted from its edge.
        let ru = Allocation::ru(Width::Mhz40, RuSize::Tones242, 2).expect("an RU");
        let tx = TxVector::mimo(Format::He, 0, 1, Width::Mhz40, Guard::Ns800).within(ru);
        assert_eq!(grid.tones(tx).map(|t| (t.block, t.subchannel)).collect::<Vec<_>>(), [(3, 0)]);
    }

    /// Models D, E and F have delays up to 390, 730 and 1050 ns.
    #[test]
    fn long_delays_need_more_bins() {
        let channel = RadioChannel { primary_mhz: 5_180, centre_mhz: 5_190, width_mhz: 40 };
        let blocks =
            [390.0, 400.0, 730.0, 1050.0, 3200.0].map(|delay| Grid::new(channel, &[0.0, delay]).blocks);
        assert_eq!(blocks, [2, 2, 4, 6, 16]);
        assert_eq!(Grid::new(channel, &[1050.0]).range(Width::Mhz20), 0..3);
    }
}
