//! Which modes the standard has, and why not the others.
//!
//! The rules and their sentences are only here: `airtcp-runner schema --wifi` prints them for the scenario compiler. In a
//! sentence `{}` stands for the refused value.

use std::fmt;

use thiserror::Error;

use super::{Allocation, Band, Extent, Format, Guard, PhyOption, TxVector, Width};

/// A mode that the standard does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMode {
    /// The format is not used in the band.
    Band {
        /// The format.
        format: Format,
        /// The band.
        band: Band,
    },
    /// The format has no such width.
    Width {
        /// The format.
        format: Format,
        /// The width.
        width: Width,
    },
    /// The format has the width, but not in this band.
    WidthInBand {
        /// The width.
        width: Width,
        /// The band.
        band: Band,
    },
    /// The format has no such rate or MCS.
    Index {
        /// The format.
        format: Format,
        /// Rate index or MCS of one stream.
        index: u8,
    },
    /// The format has no such number of spatial streams.
    Streams {
        /// The format.
        format: Format,
        /// Spatial streams.
        streams: u8,
    },
    /// The format has no such guard interval.
    Guard {
        /// The format.
        format: Format,
        /// The guard interval.
        guard: Guard,
    },
    /// The mode does not have an option.
    Option {
        /// The option.
        option: PhyOption,
        /// The mode.
        tx: TxVector,
    },
    /// A combination left out of the tables of VHT.
    VhtCombination {
        /// MCS.
        mcs: u8,
        /// Spatial streams.
        streams: u8,
        /// Width.
        width: Width,
    },
    /// A short preamble outside HR/DSSS.
    ShortPreamble {
        /// The format.
        format: Format,
    },
    /// 1 Mbit/s with the short preamble.
    ShortPreambleAt1Mbps,
    /// The format has no such resource unit, or no such puncturing.
    Allocation {
        /// The format.
        format: Format,
        /// What the PPDU or its user was to fill.
        allocation: Allocation,
    },
    /// 1024-QAM or 4096-QAM on a resource unit below 242 tones.
    IndexOnSmallRu {
        /// MCS.
        index: u8,
        /// The resource unit.
        allocation: Allocation,
    },
    /// A choice of code outside HT and VHT.
    CodeChoice {
        /// The format.
        format: Format,
    },
}

impl fmt::Display for IllegalMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Band { format, band } => fill(f, bands_sentence(format), band),
            Self::Width { format, width } => fill(f, widths_sentence(format), width.mhz()),
            Self::WidthInBand { width, band } => fill(f, widths_in_band_sentence(band), width.mhz()),
            Self::Index { format, index } => fill(f, indices_sentence(format), index),
            Self::Streams { format, streams } => fill(f, streams_sentence(format), streams),
            Self::Guard { format, guard } => fill(f, guards_sentence(format), guard.nanos()),
            Self::VhtCombination { mcs, streams, width } => write!(
                f,
                "VHT has no MCS {mcs} at {} MHz with {streams} spatial stream{}: the coded bits would not be shared evenly \
                 among the encoders (IEEE 802.11-2020, 21.5)",
                width.mhz(),
                if streams == 1 { "" } else { "s" }
            ),
            Self::Option { option, tx } => fill(f, option.sentence(tx.format), option.asked(tx)),
            Self::ShortPreamble { .. } => f.write_str(SHORT_PREAMBLE_SENTENCE),
            Self::ShortPreambleAt1Mbps => f.write_str(
                "HR/DSSS at 1 Mbit/s has no short preamble: its header is sent at 2 Mbit/s (IEEE 802.11-2020, 16.2.2.3)",
            ),
            Self::Allocation { format, allocation } => match format {
                Format::He => write!(
                    f,
                    "HE has no {allocation} for a PPDU without OFDMA: it punctures by empty resource units (IEEE \
                     802.11ax-2021, 27.3.5); use EHT, or the whole width"
                ),
                Format::Eht => write!(
                    f,
                    "EHT has no {allocation}: the resource unit of 26 tones in the centre of 80 MHz is HE's alone (IEEE \
                     802.11be, 36.3.2.1); use another"
                ),
                _ => write!(
                    f,
                    "only HE and EHT divide a channel, so {format} has no {allocation} (IEEE 802.11ax-2021, 27.3.2.2); use \
                     the whole width"
                ),
            },
            Self::IndexOnSmallRu { index, allocation } => write!(
                f,
                "MCS {index} needs a resource unit of 242 tones or more, not {allocation}: below, 1024-QAM and 4096-QAM are \
                 options of receivers (IEEE 802.11ax-2021, 9.4.2.248.3), which are not modelled; use MCS 0 to 9"
            ),
            Self::CodeChoice { format } => write!(
                f,
                "only HT and VHT leave a choice of LDPC, not {format} (IEEE 802.11-2020, 19.3.11.7, 21.3.10.5)"
            ),
        }
    }
}

/// Writes a sentence with the refused value in the place of `{}`.
fn fill(f: &mut fmt::Formatter<'_>, sentence: &str, asked: impl fmt::Display) -> fmt::Result {
    let (before, after) = sentence.split_once("{}").unwrap_or((sentence, ""));
    write!(f, "{before}{asked}{after}")
}

impl Format {
    /// Fastest index or highest MCS of one stream.
    pub const fn max_index(self) -> u8 {
        match self {
            Self::HrDsss => 3,
            Self::Ofdm | Self::Ht => 7,
            Self::Vht => 9,
            Self::He => 11,
            Self::Eht => 13,
            Self::Dmg => 12,
        }
    }

    /// Most spatial streams.
    pub const fn max_streams(self) -> u8 {
        match self {
            Self::HrDsss | Self::Ofdm | Self::Dmg => 1,
            Self::Ht => 4,
            Self::Vht | Self::He | Self::Eht => 8,
        }
    }

    /// Widest channel.
    pub const fn max_width(self) -> Width {
        match self {
            Self::HrDsss | Self::Ofdm => Width::Mhz20,
            Self::Ht => Width::Mhz40,
            Self::Vht | Self::He => Width::Mhz160,
            Self::Eht => Width::Mhz320,
            Self::Dmg => Width::Mhz2160,
        }
    }

    const fn has_width(self, width: Width) -> bool {
        match (self, width) {
            (Self::Dmg, Width::Mhz2160) => true,
            (Self::Dmg, _) | (_, Width::Mhz2160) => false,
            _ => width.mhz() <= self.max_width().mhz(),
        }
    }

    /// Whether the format has this part of a width that it has.
    pub const fn has(self, allocation: Allocation) -> bool {
        match (self, allocation.extent()) {
            (_, Extent::Whole) | (Self::Eht, Extent::Punctured(_)) | (Self::He, Extent::Ru(_)) => true,
            (Self::Eht, Extent::Ru(ru)) => !ru.is_centre_of_80_mhz(allocation.width()),
            _ => false,
        }
    }

    /// Lowest index that carries data: DMG MCS 0, its control mode, does not (20.4).
    pub const fn min_data_index(self) -> u8 {
        matches!(self, Self::Dmg) as u8
    }

    /// Whether the format has this guard interval.
    pub const fn has_guard(self, guard: Guard) -> bool {
        matches!(
            (self, guard),
            (_, Guard::Ns800)
                | (Self::Ht | Self::Vht, Guard::Ns400)
                | (Self::He | Self::Eht, Guard::Ns1600 | Guard::Ns3200)
        )
    }

    /// Whether the format is used in the band.
    pub const fn is_used_at(self, band: Band) -> bool {
        match self {
            Self::HrDsss => matches!(band, Band::Ghz2_4),
            Self::Vht => matches!(band, Band::Ghz5),
            Self::Ht => matches!(band, Band::Ghz2_4 | Band::Ghz5),
            Self::Ofdm | Self::He | Self::Eht => !matches!(band, Band::Ghz60),
            Self::Dmg => matches!(band, Band::Ghz60),
        }
    }
}

impl Band {
    /// Widest channel of the band.
    pub const fn max_width(self) -> Width {
        match self {
            Self::Ghz2_4 => Width::Mhz40,
            Self::Ghz5 => Width::Mhz160,
            Self::Ghz6 => Width::Mhz320,
            Self::Ghz60 => Width::Mhz2160,
        }
    }
}

/// Whether the standard has this width for the format in the band.
///
/// # Errors
/// The first rule that is broken.
pub const fn check_width(format: Format, width: Width, band: Band) -> Result<(), IllegalMode> {
    if !format.is_used_at(band) {
        return Err(IllegalMode::Band { format, band });
    }
    if !format.has_width(width) {
        return Err(IllegalMode::Width { format, width });
    }
    if width.mhz() > band.max_width().mhz() {
        return Err(IllegalMode::WidthInBand { width, band });
    }
    Ok(())
}

impl TxVector {
    /// This mode, or that with the next lower MCS that the standard has in this band; `None`: it has none.
    pub fn lowered_to_legal(self, band: Band) -> Option<Self> {
        (0..=self.index).rev().map(|index| Self { index, ..self }).find(|tx| tx.check(band).is_ok())
    }

    /// Whether the standard has this mode in this band. HE MCS 10 and 11 and EHT MCS 10 to 13 (1024-QAM and
    /// 4096-QAM) require an RU of 242 tones or more.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub const fn check(self, band: Band) -> Result<(), IllegalMode> {
        let Self { format, index, streams, allocation, guard, .. } = self;
        let width = allocation.width();
        if let Err(illegal) = check_width(format, width, band) {
            return Err(illegal);
        }
        if index > format.max_index() {
            return Err(IllegalMode::Index { format, index });
        }
        if streams == 0 || streams > format.max_streams() {
            return Err(IllegalMode::Streams { format, streams });
        }
        if !format.has_guard(guard) {
            return Err(IllegalMode::Guard { format, guard });
        }
        if !format.has(allocation) {
            return Err(IllegalMode::Allocation { format, allocation });
        }
        if index > allocation.max_index() {
            return Err(IllegalMode::IndexOnSmallRu { index, allocation });
        }
        if let Some(option) = self.illegal_option() {
            return Err(IllegalMode::Option { option, tx: self });
        }
        if self.has_chosen_ldpc() && !matches!(format, Format::Ht | Format::Vht) {
            return Err(IllegalMode::CodeChoice { format });
        }
        match (self.has_short_preamble(), format) {
            (true, Format::HrDsss) if index == 0 => Err(IllegalMode::ShortPreambleAt1Mbps),
            (true, format) if !matches!(format, Format::HrDsss) => Err(IllegalMode::ShortPreamble { format }),
            (_, Format::Vht) if !vht_has(index, streams, width) => {
                Err(IllegalMode::VhtCombination { mcs: index, streams, width })
            }
            _ => Ok(()),
        }
    }

    const fn illegal_option(self) -> Option<PhyOption> {
        let mut i = 0;
        while i < PhyOption::ALL.len() {
            if !PhyOption::ALL[i].is_legal(self) {
                return Some(PhyOption::ALL[i]);
            }
            i += 1;
        }
        None
    }
}

/// The combinations that the tables of 21.5 leave out, ten in all.
const fn vht_has(mcs: u8, streams: u8, width: Width) -> bool {
    !matches!(
        (width, mcs, streams),
        (Width::Mhz20, 9, 1 | 2 | 4 | 5 | 7 | 8)
            | (Width::Mhz80, 6, 3 | 7)
            | (Width::Mhz80, 9, 6)
            | (Width::Mhz160, 9, 3)
    )
}

/// The formats with a short preamble.
pub const SHORT_PREAMBLE_SENTENCE: &str =
    "only HR/DSSS, which is used at 2.4 GHz, has a short preamble (IEEE 802.11-2020, 16.2.2.3)";

/// The bands of a format.
pub const fn bands_sentence(format: Format) -> &'static str {
    match format {
        Format::HrDsss => "HR/DSSS (11b) is used at 2.4 GHz, not at {} (IEEE 802.11-2020, 16.1)",
        Format::Ofdm => {
            "OFDM (11a, 11g) is used at 2.4, 5 and 6 GHz, not at {} (IEEE 802.11-2020, 17.1 and 18.1; IEEE \
             802.11ax-2021, 27.1.1)"
        }
        Format::Ht => "HT (11n) is used at 2.4 and 5 GHz, not at {} (IEEE 802.11-2020, 19.1.1)",
        Format::Vht => "VHT (11ac) is used at 5 GHz, not at {} (IEEE 802.11-2020, 21.1.1)",
        Format::He => "HE (11ax) is used at 2.4, 5 and 6 GHz, not at {} (IEEE 802.11ax-2021, 27.1.1)",
        Format::Eht => "EHT (11be) is used at 2.4, 5 and 6 GHz, not at {} (IEEE 802.11be, 36.1.1)",
        Format::Dmg => "DMG (11ad) is used at 60 GHz, not at {} (IEEE 802.11-2020, 20.1.1)",
    }
}

/// The widths of a format.
pub const fn widths_sentence(format: Format) -> &'static str {
    match format {
        Format::HrDsss => "HR/DSSS has channels of 20 MHz, not of {} MHz (IEEE 802.11-2020, 16.3.6.3)",
        Format::Ofdm => "OFDM has channels of 20 MHz, not of {} MHz (IEEE 802.11-2020, 17.1)",
        Format::Ht => "HT has channels of 20 and 40 MHz, not of {} MHz (IEEE 802.11-2020, 19.1.1)",
        Format::Vht => "VHT has channels of 20, 40, 80 and 160 MHz, not of {} MHz (IEEE 802.11-2020, 21.1.1)",
        Format::He => "HE has channels of 20, 40, 80 and 160 MHz, not of {} MHz (IEEE 802.11ax-2021, 27.1.1)",
        Format::Eht => {
            "EHT has channels of 20, 40, 80, 160 and 320 MHz, not of {} MHz (IEEE 802.11be, 36.1.1)"
        }
        Format::Dmg => "DMG has channels of 2160 MHz, not of {} MHz (IEEE 802.11-2020, 20.3.1)",
    }
}

/// The widths in a band, whatever the format.
pub const fn widths_in_band_sentence(band: Band) -> &'static str {
    match band {
        Band::Ghz2_4 => {
            "at 2.4 GHz there are channels of 20 and 40 MHz, not of {} MHz (IEEE 802.11ax-2021, 27.1.1)"
        }
        Band::Ghz5 => {
            "at 5 GHz there are channels of 20 to 160 MHz, not of {} MHz, which exist at 6 GHz only (IEEE 802.11be, \
             36.1.1)"
        }
        Band::Ghz6 => "at 6 GHz there are channels of 20 to 320 MHz, not of {} MHz (IEEE 802.11be, 36.1.1)",
        Band::Ghz60 => "at 60 GHz there are channels of 2160 MHz, not of {} MHz (IEEE 802.11-2020, 20.3.1)",
    }
}

/// The rates or MCS of a format.
pub const fn indices_sentence(format: Format) -> &'static str {
    match format {
        Format::HrDsss => {
            "HR/DSSS has the rates 0 to 3, which are 1, 2, 5.5 and 11 Mbit/s, not {} (IEEE 802.11-2020, 16.1)"
        }
        Format::Ofdm => {
            "OFDM has the rates 0 to 7, which are 6 to 54 Mbit/s, not {} (IEEE 802.11-2020, Table 17-4)"
        }
        Format::Ht => {
            "HT has MCS 0 to 7 on each stream, not MCS {} (IEEE 802.11-2020, 19.5; unequal modulation is not modelled)"
        }
        Format::Vht => "VHT has MCS 0 to 9, not MCS {} (IEEE 802.11-2020, 21.5)",
        Format::He => "HE has MCS 0 to 11, not MCS {} (IEEE 802.11ax-2021, 27.5)",
        Format::Eht => {
            "EHT has MCS 0 to 13, not MCS {} (IEEE 802.11be, 36.5; MCS 14 and 15 are not modelled)"
        }
        Format::Dmg => {
            "DMG has MCS 1 to 12 for data, on a single carrier, and MCS 0 for control frames, not MCS {} (IEEE \
             802.11-2020, 20.4 and 20.6)"
        }
    }
}

/// The spatial streams of a format.
pub const fn streams_sentence(format: Format) -> &'static str {
    match format {
        Format::HrDsss => "HR/DSSS has 1 spatial stream, not {}",
        Format::Ofdm => "OFDM has 1 spatial stream, not {}",
        Format::Dmg => "DMG has 1 spatial stream, not {}",
        Format::Ht => "HT has 1 to 4 spatial streams, not {} (IEEE 802.11-2020, 19.1.1)",
        Format::Vht => "VHT has 1 to 8 spatial streams, not {} (IEEE 802.11-2020, 21.1.1)",
        Format::He => "HE has 1 to 8 spatial streams, not {} (IEEE 802.11ax-2021, 27.1.1)",
        Format::Eht => "EHT has 1 to 8 spatial streams, not {} (IEEE 802.11be, 36.1.1)",
    }
}

/// The guard intervals of a format.
pub const fn guards_sentence(format: Format) -> &'static str {
    match format {
        Format::HrDsss => "HR/DSSS has no guard interval to choose, so not {} ns; write 800",
        Format::Dmg => "DMG has no guard interval to choose, so not {} ns; write 800",
        Format::Ofdm => {
            "OFDM has a guard interval of 800 ns, in 11a and 11g alike, not of {} ns (IEEE 802.11-2020, Table 17-5); the \
             short guard interval came with HT"
        }
        Format::Ht => "HT has guard intervals of 800 and 400 ns, not of {} ns (IEEE 802.11-2020, Table 19-6)",
        Format::Vht => {
            "VHT has guard intervals of 800 and 400 ns, not of {} ns (IEEE 802.11-2020, Table 21-5)"
        }
        Format::He => {
            "HE has guard intervals of 800, 1600 and 3200 ns, not of {} ns (IEEE 802.11ax-2021, Table 27-12)"
        }
        Format::Eht => {
            "EHT has guard intervals of 800, 1600 and 3200 ns, not of {} ns (IEEE 802.11be, Table 36-18)"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::FormatOption;

    fn mimo(format: Format, mcs: u8, streams: u8, width: Width, guard: Guard) -> TxVector {
        TxVector::mimo(format, mcs, streams, width, guard)
    }

    fn reason(tx: TxVector, band: Band) -> String {
        tx.check(band).expect_err("an illegal mode").to_string()
    }

    #[test]
    fn reasons_name_rule_and_clause() {
        let reasons = [
            reason(mimo(Format::Ht, 7, 1, Width::Mhz80, Guard::Ns800), Band::Ghz5),
            reason(TxVector { guard: Guard::Ns400, ..TxVector::ofdm(7) }, Band::Ghz2_4),
            reason(mimo(Format::Vht, 7, 1, Width::Mhz20, Guard::Ns800), Band::Ghz2_4),
            reason(mimo(Format::Vht, 9, 1, Width::Mhz20, Guard::Ns800), Band::Ghz5),
            reason(mimo(Format::He, 12, 1, Width::Mhz20, Guard::Ns800), Band::Ghz5),
            reason(mimo(Format::He, 11, 1, Width::Mhz80, Guard::Ns800), Band::Ghz2_4),
            reason(mimo(Format::He, 11, 1, Width::Mhz80, Guard::Ns400), Band::Ghz5),
            reason(mimo(Format::Eht, 13, 1, Width::Mhz320, Guard::Ns800), Band::Ghz5),
            reason(mimo(Format::Ht, 7, 5, Width::Mhz20, Guard::Ns800), Band::Ghz5),
            reason(TxVector::hr_dsss(3, false), Band::Ghz5),
            reason(TxVector::hr_dsss(0, true), Band::Ghz2_4),
            reason(TxVector { option: FormatOption::ShortPreamble, ..TxVector::ofdm(0) }, Band::Ghz5),
            reason(TxVector::ofdm(0), Band::Ghz60),
            reason(TxVector { option: FormatOption::Ldpc, ..TxVector::ofdm(0) }, Band::Ghz5),
        ];
        insta::assert_snapshot!(reasons.join("\n"));
    }

    /// Every mode of every format in every band that the type can express, with its verdict, as counted by hand
    /// from the tables: rates x streams x widths x guard intervals.
    #[test]
    fn the_standard_has_so_many_modes() {
        let count = |format: Format, band: Band| {
            let mut legal = 0;
            for index in 0..=15 {
                for streams in 0..=9 {
                    for mhz in [20, 40, 80, 160, 320, 2160] {
                        for nanos in [400, 800, 1600, 3200] {
                            let width = Width::from_mhz(mhz).expect("a width");
                            let guard = Guard::from_nanos(nanos).expect("a guard interval");
                            let tx = mimo(format, index, streams, width, guard);
                            legal += u32::from(tx.check(band).is_ok());
                        }
                    }
                }
            }
            legal
        };
        let bands = [Band::Ghz2_4, Band::Ghz5, Band::Ghz6, Band::Ghz60];
        let counts = |format| bands.map(|band| count(format, band));
        assert_eq!(counts(Format::HrDsss), [4, 0, 0, 0]);
        assert_eq!(counts(Format::Ofdm), [8, 8, 8, 0]);
        let ht = 8 * 4 * 2 * 2;
        assert_eq!(counts(Format::Ht), [ht, ht, 0, 0]);
        assert_eq!(counts(Format::Vht), [0, (10 * 8 * 4 - 10) * 2, 0, 0]);
        let he = 12 * 8 * 3;
        assert_eq!(counts(Format::He), [he * 2, he * 4, he * 4, 0]);
        let eht = 14 * 8 * 3;
        assert_eq!(counts(Format::Eht), [eht * 2, eht * 4, eht * 5, 0]);
        assert_eq!(counts(Format::Dmg), [0, 0, 0, 13]);
    }

    /// A legal combination shares its coded bits evenly in whole puncturing blocks (21.3.10.5.2), and the ones left
    /// out do not with the number of encoders of their rate.
    #[test]
    fn vht_combinations_are_left_out_for_a_reason() {
        for width in [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160] {
            for streams in 1..=8 {
                for mcs in 0..=9 {
                    let tx = mimo(Format::Vht, mcs, streams, width, Guard::Ns400);
                    let bits = tx.symbol_bits().expect("OFDM");
                    let least = bits.data.div_ceil(2_160);
                    let (_, block) = bits.modulation.code_rate.ratio();
                    if !vht_has(mcs, streams, width) {
                        assert_ne!(bits.coded % (least * block), 0, "{tx}");
                    }
                }
            }
        }
    }
}
