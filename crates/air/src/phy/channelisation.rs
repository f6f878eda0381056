//! Where channels lie in the spectrum (IEEE 802.11-2020, Annex E and 16.3.6.3, 17.3.8.4, 19.3.15, 20.3.1, 21.3.14;
//! IEEE 802.11ax-2021, 27.3.23; IEEE 802.11be, 36.3.24).

use thiserror::Error;

use super::{Band, Format, IllegalMode, Width, check_width};

/// A channel that the standard does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalChannel {
    /// The format is not used so.
    #[error(transparent)]
    Mode(#[from] IllegalMode),
    /// No channel has this centre.
    #[error("{mhz} MHz is not the centre of a channel of {} MHz at {band}; the centres are {}", width.mhz(), centres(*band, *width))]
    Centre {
        /// The frequency.
        mhz: u32,
        /// Width of the channel.
        width: Width,
        /// The band.
        band: Band,
    },
    /// The primary channel is not a part of the channel.
    #[error(
        "the primary channel of {primary_mhz} MHz is not one of the 20 MHz channels in the {} MHz around \
         {centre_mhz} MHz",
        width.mhz()
    )]
    Primary {
        /// Centre of the primary channel.
        primary_mhz: u32,
        /// Centre of the channel.
        centre_mhz: u32,
        /// Width of the channel.
        width: Width,
    },
    /// Channel 14 with something else than HR/DSSS.
    #[error(
        "2484 MHz (channel 14) is for HR/DSSS only, not for {0} (IEEE 802.11-2020, 16.3.6.3 and Annex E)"
    )]
    Channel14(Format),
}

/// Channels of 5 GHz by their number: centre = 5000 MHz + 5 MHz x number (17.3.8.4.2; Table E-4).
const NUMBERS_5_GHZ_40: [u32; 14] = [38, 46, 54, 62, 102, 110, 118, 126, 134, 142, 151, 159, 167, 175];
const NUMBERS_5_GHZ_80: [u32; 7] = [42, 58, 106, 122, 138, 155, 171];
const NUMBERS_5_GHZ_160: [u32; 3] = [50, 114, 163];

/// Whether the standard has this channel, for cells whose newest format is `format`.
///
/// # Errors
/// The first rule that is broken.
pub fn check_channel(
    format: Format,
    band: Band,
    primary_mhz: u32,
    centre_mhz: u32,
    width: Width,
) -> Result<(), IllegalChannel> {
    check_width(format, width, band)?;
    let unit = if band == Band::Ghz60 { Width::Mhz2160 } else { Width::Mhz20 };
    for (mhz, width) in [(primary_mhz, unit), (centre_mhz, width)] {
        if !is_centre(band, width, mhz) {
            return Err(IllegalChannel::Centre { mhz, width, band });
        }
    }
    if centre_mhz == 2_484 && format != Format::HrDsss {
        return Err(IllegalChannel::Channel14(format));
    }
    let lowest_mhz = centre_mhz - (width.mhz() - unit.mhz()) / 2;
    let inside = primary_mhz >= lowest_mhz && primary_mhz < lowest_mhz + width.mhz();
    // 20 MHz channels of 2.4 GHz overlap: only those side by side are parts of a wider one.
    if !inside || !(primary_mhz - lowest_mhz).is_multiple_of(unit.mhz()) {
        return Err(IllegalChannel::Primary { primary_mhz, centre_mhz, width });
    }
    Ok(())
}

/// Least distance in MHz of the centres of two channels of these widths that have no spectrum in common.
pub const fn clear_distance_mhz(a: Width, b: Width) -> u32 {
    u32::midpoint(a.mhz(), b.mhz())
}

/// Every channel of this width in the band, by its number, with its centre in MHz.
pub fn channels(band: Band, width: Width) -> impl Iterator<Item = (u32, u32)> {
    let numbered = (1..=233).map(move |number| (number, centre_of_number(band, number)));
    numbered.filter(move |&(_, mhz)| width.mhz() <= band.max_width().mhz() && is_centre(band, width, mhz))
}

/// Centre = start of the band + step x number (17.3.8.4.2, 20.3.1; IEEE 802.11ax-2021, 27.3.23.2); channel 14 at 2.4 GHz (16.3.6.3)
/// and channel 2 at 6 GHz (IEEE 802.11ax-2021, Annex E) lie elsewhere.
const fn centre_of_number(band: Band, number: u32) -> u32 {
    match (band, number) {
        (Band::Ghz2_4, 14) => 2_484,
        (Band::Ghz6, 2) => 5_935,
        (Band::Ghz2_4, _) => 2_407 + 5 * number,
        (Band::Ghz5, _) => 5_000 + 5 * number,
        (Band::Ghz6, _) => 5_950 + 5 * number,
        (Band::Ghz60, _) => 56_160 + 2_160 * number,
    }
}

/// Whether a channel of this width has this centre.
fn is_centre(band: Band, width: Width, mhz: u32) -> bool {
    match band {
        Band::Ghz2_4 if width == Width::Mhz20 => mhz == 2_484 || every(mhz, 2_412, 5, 2_472),
        // Primary and secondary are 20 MHz apart (19.3.15.4).
        Band::Ghz2_4 => every(mhz, 2_422, 5, 2_462),
        Band::Ghz5 => is_centre_5_ghz(width, mhz),
        // Centre = 5950 MHz + 5 MHz x number, and channel 2 at 5935 MHz (IEEE 802.11ax-2021, 27.3.23.2, Annex E).
        Band::Ghz6 => match width {
            Width::Mhz20 => mhz == 5_935 || every(mhz, 5_955, 20, 7_115),
            Width::Mhz40 => every(mhz, 5_965, 40, 7_085),
            Width::Mhz80 => every(mhz, 5_985, 80, 7_025),
            Width::Mhz160 => every(mhz, 6_025, 160, 6_985),
            // 320 MHz channels overlap by half (IEEE 802.11be, 36.3.24.2).
            _ => every(mhz, 6_105, 160, 6_905),
        },
        // Channels 1 to 6: centre = 56160 MHz + 2160 MHz x number (20.3.1).
        Band::Ghz60 => every(mhz, 58_320, 2_160, 69_120),
    }
}

fn is_centre_5_ghz(width: Width, mhz: u32) -> bool {
    let number = |numbers: &[u32]| numbers.iter().any(|n| 5_000 + 5 * n == mhz);
    match width {
        // Numbers 32 to 68, 96 to 144 and 149 to 177.
        Width::Mhz20 => {
            every(mhz, 5_160, 20, 5_340) || every(mhz, 5_480, 20, 5_720) || every(mhz, 5_745, 20, 5_885)
        }
        Width::Mhz40 => number(&NUMBERS_5_GHZ_40),
        Width::Mhz80 => number(&NUMBERS_5_GHZ_80),
        _ => number(&NUMBERS_5_GHZ_160),
    }
}

const fn every(mhz: u32, first: u32, step: u32, last: u32) -> bool {
    first <= mhz && mhz <= last && (mhz - first).is_multiple_of(step)
}

const fn centres(band: Band, width: Width) -> &'static str {
    match (band, width) {
        (Band::Ghz2_4, Width::Mhz20) => "2412 to 2472 in steps of 5, and 2484 (IEEE 802.11-2020, 16.3.6.3)",
        (Band::Ghz2_4, _) => "2422 to 2462 in steps of 5 (IEEE 802.11-2020, 19.3.15.4)",
        (Band::Ghz5, Width::Mhz20) => {
            "5160 to 5340, 5480 to 5720 and 5745 to 5885 in steps of 20 (IEEE 802.11-2020, 17.3.8.4)"
        }
        (Band::Ghz5, Width::Mhz40) => {
            "5190, 5230, 5270, 5310, 5510 to 5710 and 5755 to 5875 in steps of 40 (IEEE 802.11-2020, Table E-4)"
        }
        (Band::Ghz5, Width::Mhz80) => {
            "5210, 5290, 5530, 5610, 5690, 5775 and 5855 (IEEE 802.11-2020, Table E-4)"
        }
        (Band::Ghz5, _) => "5250, 5570 and 5815 (IEEE 802.11-2020, Table E-4)",
        (Band::Ghz6, Width::Mhz20) => "5935, and 5955 to 7115 in steps of 20 (IEEE 802.11ax-2021, 27.3.23.2)",
        (Band::Ghz6, Width::Mhz40) => "5965 to 7085 in steps of 40 (IEEE 802.11ax-2021, 27.3.23.2)",
        (Band::Ghz6, Width::Mhz80) => "5985 to 7025 in steps of 80 (IEEE 802.11ax-2021, 27.3.23.2)",
        (Band::Ghz6, Width::Mhz160) => "6025 to 6985 in steps of 160 (IEEE 802.11ax-2021, 27.3.23.2)",
        (Band::Ghz6, _) => "6105 to 6905 in steps of 160 (IEEE 802.11be, 36.3.24.2)",
        (Band::Ghz60, _) => "58320 to 69120 in steps of 2160 (IEEE 802.11-2020, 20.3.1)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn centres_of(format: Format, band: Band, width: Width) -> Vec<u32> {
        let range = match band {
            Band::Ghz2_4 => 2_400..2_500,
            Band::Ghz5 => 5_000..5_930,
            Band::Ghz6 => 5_900..7_200,
            Band::Ghz60 => 57_000..71_000,
        };
        let half = if width == Width::Mhz2160 { 0 } else { (width.mhz() - 20) / 2 };
        range.filter(|&mhz| check_channel(format, band, mhz - half, mhz, width).is_ok()).collect()
    }

    #[test]
    fn channels_of_2_4_ghz() {
        let mut b: Vec<u32> = (1..=13).map(|n| 2_407 + 5 * n).collect();
        assert_eq!(centres_of(Format::Ofdm, Band::Ghz2_4, Width::Mhz20), b);
        b.push(2_484);
        assert_eq!(centres_of(Format::HrDsss, Band::Ghz2_4, Width::Mhz20), b);
        let wide: Vec<u32> = (3..=11).map(|n| 2_407 + 5 * n).collect();
        assert_eq!(centres_of(Format::Ht, Band::Ghz2_4, Width::Mhz40), wide);
    }

    #[test]
    fn blocks_of_5_ghz() {
        let blocks = |width| centres_of(Format::Vht, Band::Ghz5, width);
        assert_eq!(blocks(Width::Mhz20).len(), 10 + 13 + 8);
        assert_eq!(
            blocks(Width::Mhz40),
            [
                5_190, 5_230, 5_270, 5_310, 5_510, 5_550, 5_590, 5_630, 5_670, 5_710, 5_755, 5_795, 5_835,
                5_875
            ]
        );
        assert_eq!(blocks(Width::Mhz80), [5_210, 5_290, 5_530, 5_610, 5_690, 5_775, 5_855]);
        assert_eq!(blocks(Width::Mhz160), [5_250, 5_570, 5_815]);
    }

    /// 59 channels of 20 MHz and channel 2, 29 of 40, 14 of 80, 7 of 160 and 6 of 320 MHz.
    #[test]
    fn blocks_of_6_ghz() {
        let widths = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160, Width::Mhz320];
        let counts = widths.map(|width| centres_of(Format::Eht, Band::Ghz6, width).len());
        assert_eq!(counts, [60, 29, 14, 7, 6]);
        let wide = centres_of(Format::Eht, Band::Ghz6, Width::Mhz320);
        assert_eq!(wide, [31, 63, 95, 127, 159, 191].map(|n| 5_950 + 5 * n));
    }

    #[test]
    fn channels_of_60_ghz() {
        let centres = centres_of(Format::Dmg, Band::Ghz60, Width::Mhz2160);
        assert_eq!(centres, [58_320, 60_480, 62_640, 64_800, 66_960, 69_120]);
    }

    #[test]
    fn the_primary_is_one_of_the_parts() {
        let check = |primary| check_channel(Format::Vht, Band::Ghz5, primary, 5_210, Width::Mhz80);
        assert!([5_180, 5_200, 5_220, 5_240].into_iter().all(|p| check(p).is_ok()));
        assert_eq!(
            check(5_260).expect_err("outside").to_string(),
            "the primary channel of 5260 MHz is not one of the 20 MHz channels in the 80 MHz around 5210 MHz"
        );
        // At 2.4 GHz 20 MHz channels overlap: 2417 is inside 2412 to 2432 but no half of it.
        let check = |primary| check_channel(Format::Ht, Band::Ghz2_4, primary, 2_422, Width::Mhz40);
        assert_eq!([2_412, 2_417, 2_422, 2_432].map(|p| check(p).is_ok()), [true, false, false, true]);
    }

    #[test]
    fn reasons_name_the_channels_that_exist() {
        let reason = |format, band, mhz, width| {
            check_channel(format, band, mhz, mhz, width).expect_err("no such channel").to_string()
        };
        let reasons = [
            reason(Format::Ofdm, Band::Ghz5, 5_190, Width::Mhz20),
            reason(Format::Ofdm, Band::Ghz2_4, 2_484, Width::Mhz20),
            reason(Format::Vht, Band::Ghz5, 5_200, Width::Mhz80),
            reason(Format::He, Band::Ghz5, 5_210, Width::Mhz320),
            reason(Format::Dmg, Band::Ghz60, 60_000, Width::Mhz2160),
        ];
        insta::assert_snapshot!(reasons.join("\n"));
    }
}
