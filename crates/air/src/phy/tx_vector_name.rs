//! How modes and their parts are written.

use std::fmt;

use airtcp_units::BitRate;

use super::{Band, Format, Guard, TxVector};

/// Megabits per second as the standard's tables print them: with so many decimals, without trailing zeros.
fn write_rate(f: &mut fmt::Formatter<'_>, rate: BitRate, decimals: u32) -> fmt::Result {
    let unit = 10_u64.pow(6 - decimals);
    let scale = 10_u64.pow(decimals);
    let rounded = (rate.as_bps() + unit / 2) / unit;
    write!(f, "{}", rounded / scale)?;
    let fraction = format!("{:0width$}", rounded % scale, width = decimals as usize);
    match fraction.trim_end_matches('0') {
        "" => f.write_str(" Mbit/s"),
        digits => write!(f, ".{digits} Mbit/s"),
    }
}

/// The name of a mode, such as `HR/DSSS 11 Mbit/s short preamble`, `OFDM 54 Mbit/s`, `HT-MCS 15 40 MHz SGI`, `HE-MCS 11 x2 80 MHz`,
/// `DMG-MCS 12`. An HT MCS counts the streams in (19.5).
impl fmt::Display for TxVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, index, streams, allocation, .. } = *self;
        match format {
            Format::HrDsss => {
                write!(f, "{format} ")?;
                write_rate(f, self.bit_rate(), 1)?;
                f.write_str(if self.has_short_preamble() { " short preamble" } else { " long preamble" })
            }
            Format::Ofdm => {
                write!(f, "{format} ")?;
                write_rate(f, self.bit_rate(), 1)
            }
            Format::Dmg => write!(f, "{format}-MCS {index}"),
            Format::Ht => {
                write!(f, "{format}-MCS {} {allocation}{}", index + 8 * (streams - 1), self.guard_name())
            }
            Format::Vht | Format::He | Format::Eht => {
                write!(f, "{format}-MCS {index}")?;
                if streams > 1 {
                    write!(f, " x{streams}")?;
                }
                write!(f, " {allocation}{}", self.guard_name())
            }
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HrDsss => "HR/DSSS",
            Self::Ofdm => "OFDM",
            Self::Ht => "HT",
            Self::Vht => "VHT",
            Self::He => "HE",
            Self::Eht => "EHT",
            Self::Dmg => "DMG",
        })
    }
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ghz2_4 => "2.4 GHz",
            Self::Ghz5 => "5 GHz",
            Self::Ghz6 => "6 GHz",
            Self::Ghz60 => "60 GHz",
        })
    }
}

impl TxVector {
    /// The guard interval; left out if it is the one that every format has.
    const fn guard_name(self) -> &'static str {
        match self.guard {
            Guard::Ns400 => " SGI",
            Guard::Ns800 => "",
            Guard::Ns1600 => " GI 1600 ns",
            Guard::Ns3200 => " GI 3200 ns",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::Width;

    #[test]
    fn names_of_modes() {
        let mimo = TxVector::mimo;
        let names = [
            (TxVector::hr_dsss(2, false), "HR/DSSS 5.5 Mbit/s long preamble"),
            (TxVector::hr_dsss(3, true), "HR/DSSS 11 Mbit/s short preamble"),
            (TxVector::ofdm(7), "OFDM 54 Mbit/s"),
            (mimo(Format::Ht, 7, 1, Width::Mhz20, Guard::Ns800), "HT-MCS 7 20 MHz"),
            (mimo(Format::Ht, 7, 2, Width::Mhz20, Guard::Ns400), "HT-MCS 15 20 MHz SGI"),
            (mimo(Format::Vht, 9, 2, Width::Mhz80, Guard::Ns400), "VHT-MCS 9 x2 80 MHz SGI"),
            (mimo(Format::He, 11, 2, Width::Mhz80, Guard::Ns800), "HE-MCS 11 x2 80 MHz"),
            (mimo(Format::Eht, 13, 1, Width::Mhz320, Guard::Ns3200), "EHT-MCS 13 320 MHz GI 3200 ns"),
            (mimo(Format::Dmg, 5, 1, Width::Mhz2160, Guard::Ns800), "DMG-MCS 5"),
        ];
        for (tx, name) in names {
            assert_eq!(tx.to_string(), name);
        }
    }
}
