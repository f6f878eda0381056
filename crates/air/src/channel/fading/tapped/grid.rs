//! Where in the spectrum the response of a link is computed.

use std::ops::Range;

use airtcp_plan::RadioChannel;

use super::complex::Complex;
use crate::phy::Width;

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

/// Blocks of bins in 20 MHz. Bins are no further apart than half of the inverse of the longest delay: the sum of the powers in
/// them then is that in the band. One block up to 400 ns, 8 for 3200 ns, the longest delay of a plan.
fn blocks_in_20_mhz(delays_ns: &[f64]) -> usize {
    let longest_us = delays_ns.iter().copied().fold(0.0, f64::max) / 1e3;
    (libm::ceil(2.0 * longest_us * BLOCK_MHZ / BINS as f64) as usize).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_ppdus_are_around_the_primary_channel() {
        let channel = RadioChannel { primary_mhz: 5_220, centre_mhz: 5_210, width_mhz: 80 };
        let grid = Grid::new(channel, &[]);
        assert_eq!(grid.blocks, 4);
        assert_eq!(grid.range(Width::Mhz20), 2..3);
        assert_eq!(grid.range(Width::Mhz40), 2..4);
        assert_eq!(grid.range(Width::Mhz80), 0..4);
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
