//! How a mode is written.

use std::fmt;

use airtcp_units::BitRate;

use super::{Format, Guard, TxVector};

/// Megabits per second as the standard's tables print them: with so many decimals, without trailing zeros.
fn write_rate(f: &mut fmt::Formatter<'_>, rate: BitRate, decimals: u32) -> fmt::Result {
    let unit = 10_u64.pow(6 - decimals);
    let scale = 10_u64.pow(decimals);
    let rounded = (rate.as_bps() + unit / 2) / unit;
    write!(f, "{}", rounded / scale)?;
    let fraction = format!("{:0width$}", rounded % scale, width = decimals as usize);
    match fraction.trim_end_matches('0') {
        "" => f.write_str(" Mb/s"),
        digits => write!(f, ".{digits} Mb/s"),
    }
}

/// Such as `HR/DSSS 11 Mb/s short preamble`, `OFDM 54 Mb/s`, `HT MCS15 40 MHz 2x SGI 300 Mb/s`,
/// `HE MCS11 80 MHz 2x GI 0.8 us 1201 Mb/s`, `DMG MCS12 4620 Mb/s`. An HT MCS counts the streams in (19.5).
impl fmt::Display for TxVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, index, streams, width, .. } = *self;
        let (name, mcs) = match format {
            Format::HrDsss => {
                f.write_str("HR/DSSS ")?;
                write_rate(f, self.bit_rate(), 1)?;
                return f.write_str(if self.short_preamble { " short preamble" } else { " long preamble" });
            }
            Format::Ofdm => {
                f.write_str("OFDM ")?;
                return write_rate(f, self.bit_rate(), 1);
            }
            Format::Dmg => {
                write!(f, "DMG MCS{index} ")?;
                return write_rate(f, self.bit_rate(), 2);
            }
            Format::Ht => ("HT", index + 8 * (streams - 1)),
            Format::Vht => ("VHT", index),
            Format::He => ("HE", index),
            Format::Eht => ("EHT", index),
        };
        write!(f, "{name} MCS{mcs} {} MHz {streams}x {} ", width.mhz(), self.guard_name())?;
        write_rate(f, self.bit_rate(), 1)
    }
}

impl TxVector {
    const fn guard_name(self) -> &'static str {
        match (self.format, self.guard) {
            (_, Guard::Ns400) => "SGI",
            (Format::He | Format::Eht, Guard::Ns800) => "GI 0.8 us",
            (_, Guard::Ns800) => "LGI",
            (_, Guard::Ns1600) => "GI 1.6 us",
            (_, Guard::Ns3200) => "GI 3.2 us",
        }
    }
}
