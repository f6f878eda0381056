//! How much of a PPDU's power leaves its own channel: transmit spectral masks (IEEE 802.11-2020, 16.3.7, 17.3.9.3, 19.3.18.1,
//! 21.3.17.1; IEEE 802.11ax-2021, 27.3.19.1; IEEE 802.11be, 36.3.20).
//!
//! ```text
//!   0 dBr ------------.                          -20, -28 and -40 dBr at W/2 + 1 MHz, W and 3W/2
//!                      \                         from the centre of a channel of W MHz; HE and EHT are steeper at the edge
//! -20 dBr               '--._
//! -28 dBr                    '--.__
//! -40 dBr                          '--.|
//! ```
//! A mask is the most that a transmitter may radiate. What real ones radiate differs; the mask is what all of them keep, so it is
//! the model's spectrum outside the channel, up to the last corner and not beyond it. Inside the channel the power is flat.

use super::{Band, Format};

/// A transmit spectral mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpectralMask {
    /// DSSS and HR/DSSS (16.3.7).
    HrDsss,
    /// HT at 2.4 GHz (19.3.18.1): -45 dBr at the last corner.
    HtAt2Ghz4,
    /// OFDM, HT at 5 GHz and VHT (17.3.9.3, 19.3.18.1, 21.3.17.1).
    Ofdm,
    /// HE and EHT (IEEE 802.11ax-2021, 27.3.19.1; IEEE 802.11be, 36.3.20).
    He,
    /// DMG, whose channels do not overlap: what it leaks into the next one is not modelled.
    Dmg,
}

/// A corner: distance from the centre of the channel in MHz, and density there over that in the channel in dB.
#[derive(Clone, Copy, Debug)]
struct Corner {
    at_mhz: f64,
    dbr: f64,
}

impl SpectralMask {
    /// The mask that transmitters keep whose newest format is this one.
    pub const fn of(format: Format, band: Band) -> Self {
        match format {
            Format::HrDsss => Self::HrDsss,
            Format::Ht if matches!(band, Band::Ghz2_4) => Self::HtAt2Ghz4,
            Format::Ofdm | Format::Ht | Format::Vht => Self::Ofdm,
            Format::He | Format::Eht => Self::He,
            Format::Dmg => Self::Dmg,
        }
    }

    /// Distance from the centre of a PPDU of this width beyond which it has no power.
    pub fn reach_mhz(self, width_mhz: u32) -> f64 {
        self.corners(f64::from(width_mhz)).last().map_or(f64::from(width_mhz) / 2.0, |corner| corner.at_mhz)
    }

    /// The part of a PPDU's power that falls between two frequencies, given as distances from its centre. All of what is in its own
    /// width is 1; what leaks comes on top.
    pub fn share(self, width_mhz: u32, from_mhz: f64, to_mhz: f64) -> f64 {
        let width = f64::from(width_mhz);
        let half = width / 2.0;
        let inside = to_mhz.min(half) - from_mhz.max(-half);
        let inside = if inside > 0.0 { inside / width } else { 0.0 };
        let above = self.leakage(width, from_mhz, to_mhz);
        let below = self.leakage(width, -to_mhz, -from_mhz);
        inside + above + below
    }

    /// The part of the power that leaks between two distances above the channel's centre.
    fn leakage(self, width: f64, from_mhz: f64, to_mhz: f64) -> f64 {
        let corners = self.corners(width);
        let pieces = corners.windows(2).map(|ends| {
            let (a, b) = (ends[0], ends[1]);
            let from = from_mhz.max(a.at_mhz).max(width / 2.0);
            let to = to_mhz.min(b.at_mhz);
            if from < to { integral(a, b, from, to) } else { 0.0 }
        });
        pieces.sum::<f64>() / width
    }

    fn corners(self, width: f64) -> Vec<Corner> {
        let edge = width / 2.0;
        let corners: &[(f64, f64)] = match self {
            Self::HrDsss => &[(10.0, 0.0), (11.0, -30.0), (22.0, -30.0)],
            Self::HtAt2Ghz4 => &[(edge - 1.0, 0.0), (edge + 1.0, -20.0), (width, -28.0), (3.0 * edge, -45.0)],
            Self::Ofdm => &[(edge - 1.0, 0.0), (edge + 1.0, -20.0), (width, -28.0), (3.0 * edge, -40.0)],
            Self::He => {
                // 9.75 and 10.5 MHz at 20 MHz; half a megahertz on either side of the edge from 40 MHz on.
                let within = if width < 40.0 { 0.25 } else { 0.5 };
                &[(edge - within, 0.0), (edge + 0.5, -20.0), (width, -28.0), (3.0 * edge, -40.0)]
            }
            Self::Dmg => &[],
        };
        corners.iter().map(|&(at_mhz, dbr)| Corner { at_mhz, dbr }).collect()
    }
}

/// Density between two corners, straight in dB, integrated over a part of the way, in MHz of the density in the channel.
fn integral(a: Corner, b: Corner, from: f64, to: f64) -> f64 {
    let slope = (b.dbr - a.dbr) / (b.at_mhz - a.at_mhz);
    let density = |at_mhz: f64| libm::pow(10.0, (a.dbr + slope * (at_mhz - a.at_mhz)) / 10.0);
    let (first, last) = (density(from), density(to));
    if slope == 0.0 { (to - from) * first } else { (to - from) * (last - first) / libm::log(last / first) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share_db(mask: SpectralMask, width: u32, from: f64, to: f64) -> f64 {
        10.0 * libm::log10(mask.share(width, from, to))
    }

    /// By hand, for 20 MHz: 1 MHz from -10 to -20 dBr is 0.09 / ln 10 = 0.0391, 9 MHz on to -28 dBr 0.0411, 10 MHz on to -40 dBr
    /// 0.0054, all in MHz of the 20 in the channel.
    #[test]
    fn a_neighbour_gets_what_the_mask_allows() {
        let mask = SpectralMask::Ofdm;
        // Channel 36 beside 40, and 40 beside 36.
        assert!((mask.share(20, 10.0, 30.0) - 0.08557 / 20.0).abs() < 1e-6);
        assert!((mask.share(20, -30.0, -10.0) - 0.08557 / 20.0).abs() < 1e-6);
        assert!((share_db(mask, 20, 10.0, 30.0) + 23.69).abs() < 0.01);
        // Channels 1 and 3 have half of their width in common.
        assert!((mask.share(20, 0.0, 20.0) - (0.5 + 0.0802 / 20.0)).abs() < 1e-5);
        // Nothing is radiated beyond the last corner.
        assert!(mask.share(20, 30.0, 50.0) <= 0.0);
        // The edge of HE is steeper: 0.0335, 0.0434 and 0.0054.
        assert!((SpectralMask::He.share(20, 10.0, 30.0) - 0.0822 / 20.0).abs() < 1e-5);
        // DSSS on channel 1 at channel 6: 15 to 22 MHz at -30 dBr.
        assert!((SpectralMask::HrDsss.share(20, 15.0, 35.0) - 0.007 / 20.0).abs() < 1e-9);
    }

    /// A subchannel of a wide PPDU has its part to the last bit, on which flat cells rely.
    #[test]
    fn inside_the_power_is_flat() {
        for mask in [SpectralMask::Ofdm, SpectralMask::He] {
            for width in [20, 40, 80, 160, 320_u32] {
                let half = f64::from(width) / 2.0;
                let parts = width / 20;
                for part in 0..parts {
                    let low = f64::from(20 * part) - half;
                    let share = mask.share(width, low, low + 20.0);
                    assert!((share * f64::from(parts) - 1.0).abs() < f64::EPSILON, "{width} {part}: {share}");
                }
            }
        }
    }

    #[test]
    fn masks_reach_half_a_channel_beyond() {
        let reach = [20, 80, 320].map(|width| SpectralMask::He.reach_mhz(width));
        assert!(reach.iter().zip([30.0, 120.0, 480.0]).all(|(a, b)| (a - b).abs() < 1e-9));
    }
}
