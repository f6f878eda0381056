//! Where in the spectrum the response of a link is computed.

use std::ops::Range;

use airtcp_plan::RadioChannel;

use super::complex::Complex;
use super::lines::Line;
use crate::phy::Width;

/// Distance of the bins, in MHz: four subcarriers of HT and sixteen of HE. At this distance responses have a correlation of 0.99 in
/// model B and 0.93 in D; means over a band need no more (`docs/models/fading.md`).
pub(super) const BIN_MHZ: f64 = 1.25;
/// Bins in 20 MHz.
const BINS_IN_20_MHZ: usize = 16;

/// The bins of a channel.
#[derive(Debug)]
pub(super) struct Grid {
    channel: RadioChannel,
    pub(super) bins: usize,
    /// For a single antenna at each end, and for more: by line, then bin, what its delay does.
    steering: [Vec<Complex>; 2],
}

impl Grid {
    pub(super) fn new(channel: RadioChannel, lines: [&[Line]; 2]) -> Self {
        let bins = channel.width_mhz as usize / 20 * BINS_IN_20_MHZ;
        let low_mhz = f64::from(channel.centre_mhz) - f64::from(channel.width_mhz) / 2.0;
        let steering = lines.map(|lines| {
            let of = |line: &Line| {
                let delay_us = line.delay_ns / 1e3;
                (0..bins).map(move |bin| {
                    let mhz = low_mhz + BIN_MHZ * (bin as f64 + 0.5);
                    Complex::unit(-std::f64::consts::TAU * mhz * delay_us)
                })
            };
            lines.iter().flat_map(of).collect()
        });
        Self { channel, bins, steering }
    }

    pub(super) fn is_of(&self, channel: RadioChannel) -> bool {
        self.channel == channel
    }

    /// What the delays of the lines do at each bin.
    pub(super) fn steering(&self, several_antennas: bool) -> &[Complex] {
        &self.steering[usize::from(several_antennas)]
    }

    /// The bins of a PPDU of this width: the part of the channel with the primary channel in it.
    pub(super) fn range(&self, width: Width) -> Range<usize> {
        let width_mhz = width.mhz();
        if width_mhz >= self.channel.width_mhz {
            return 0..self.bins;
        }
        // Edges in half MHz, so that they are integers.
        let low = 2 * self.channel.centre_mhz - self.channel.width_mhz;
        let part = (2 * self.channel.primary_mhz - low) / (2 * width_mhz);
        let bins = width_mhz as usize / 20 * BINS_IN_20_MHZ;
        let start = part as usize * bins;
        start..start + bins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_ppdus_are_around_the_primary_channel() {
        let channel = RadioChannel { primary_mhz: 5_220, centre_mhz: 5_210, width_mhz: 80 };
        let grid = Grid::new(channel, [&[], &[]]);
        assert_eq!(grid.bins, 64);
        assert_eq!(grid.range(Width::Mhz20), 32..48);
        assert_eq!(grid.range(Width::Mhz40), 32..64);
        assert_eq!(grid.range(Width::Mhz80), 0..64);
    }
}
