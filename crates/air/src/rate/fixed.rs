//! Always the same mode.

use airtcp_plan::{McsFormat, Mode};

use super::{RateError, RateSet};
use crate::phy::{Format, TxVector};

/// The mode of the set that a plan names.
///
/// # Errors
/// [`RateError::NotOfLink`] if the set has no such mode.
pub(super) fn mode(asked: Mode, rates: &RateSet) -> Result<TxVector, RateError> {
    rates
        .modes()
        .find(|&tx| is(tx, asked))
        .ok_or_else(|| RateError::NotOfLink { mode: name(asked), legal: rates.to_string() })
}

fn is(tx: TxVector, asked: Mode) -> bool {
    match asked {
        Mode::Legacy { rate_bps } => {
            matches!(tx.format, Format::HrDsss | Format::Ofdm) && tx.bit_rate() == rate_bps
        }
        Mode::Mcs { format: McsFormat::Dmg, mcs, .. } => {
            tx.format == Format::Dmg && u32::from(tx.index) == mcs
        }
        Mode::Mcs { format, mcs, streams, width_mhz, guard_ns } => {
            tx.format == phy_format(format)
                && (u32::from(tx.index), u32::from(tx.streams)) == (mcs, streams)
                && tx.width().mhz() == width_mhz
                && tx.guard.nanos() == u64::from(guard_ns)
        }
    }
}

const fn phy_format(format: McsFormat) -> Format {
    match format {
        McsFormat::Ht => Format::Ht,
        McsFormat::Vht => Format::Vht,
        McsFormat::He => Format::He,
        McsFormat::Eht => Format::Eht,
        McsFormat::Dmg => Format::Dmg,
    }
}

fn name(asked: Mode) -> String {
    match asked {
        Mode::Legacy { rate_bps } => format!("{} Mbit/s", rate_bps.as_mbps()),
        Mode::Mcs { format: McsFormat::Dmg, mcs, .. } => format!("DMG MCS {mcs}"),
        Mode::Mcs { format, mcs, streams, width_mhz, guard_ns } => {
            let format = phy_format(format);
            format!(
                "{format} MCS {mcs} with {streams} streams, {width_mhz} MHz, guard interval {guard_ns} ns"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::Standard;
    use airtcp_units::BitRate;

    use super::*;
    use crate::phy::{Guard, Width};
    use crate::rate::rate_set::example;

    #[test]
    fn a_mode_of_the_link_is_found() {
        let vht = example(Standard::Vht, Width::Mhz80, 2);
        let asked = Mode::Mcs { format: McsFormat::Vht, mcs: 9, streams: 2, width_mhz: 40, guard_ns: 400 };
        let expected = TxVector::mimo(Format::Vht, 9, 2, Width::Mhz40, Guard::Ns400);
        assert_eq!(mode(asked, &vht), Ok(expected));
        let erp = example(Standard::Erp, Width::Mhz20, 1);
        let legacy = |kbps: u64| Mode::Legacy { rate_bps: BitRate::from_bps(kbps * 1_000) };
        assert_eq!(mode(legacy(5_500), &erp), Ok(TxVector::hr_dsss(2, false)));
        assert_eq!(mode(legacy(54_000), &erp), Ok(TxVector::ofdm(7)));
        let dmg = Mode::Mcs { format: McsFormat::Dmg, mcs: 12, streams: 1, width_mhz: 2160, guard_ns: 0 };
        let found = mode(dmg, &example(Standard::Dmg, Width::Mhz2160, 1)).map(|tx| tx.index);
        assert_eq!(found, Ok(12));
    }

    #[test]
    fn another_mode_is_refused_with_those_there_are() {
        let said = |asked, rates: &RateSet| mode(asked, rates).expect_err("not of the link").to_string();
        assert_eq!(
            said(
                Mode::Legacy { rate_bps: BitRate::from_mbps(54) },
                &example(Standard::HrDsss, Width::Mhz20, 1)
            ),
            "54 Mbit/s is not a mode of this link; it has 1, 2, 5.5, 11 Mbit/s"
        );
        let mcs9 = Mode::Mcs { format: McsFormat::Vht, mcs: 9, streams: 1, width_mhz: 20, guard_ns: 400 };
        assert_eq!(
            said(mcs9, &example(Standard::Vht, Width::Mhz20, 1)),
            "VHT MCS 9 with 1 streams, 20 MHz, guard interval 400 ns is not a mode of this link; it has VHT MCS \
             0 to 8, 1 streams, 20 MHz, guard interval 400 to 800 ns"
        );
    }
}
