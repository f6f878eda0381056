//! Which modes a standard has.

use airtcp_plan::wifi::Standard;

use crate::phy::{Format, Guard, TxVector, Width};

/// The modes that a standard adds to its forerunners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Legality {
    /// Name of the standard, as a plan writes it.
    pub(super) name: &'static str,
    /// Format of its PPDUs.
    pub(super) format: Format,
    /// First and last index (MCS).
    pub(super) indices: (u8, u8),
    /// Most spatial streams.
    pub(super) streams: u8,
    /// Widths, narrowest first.
    pub(super) widths: &'static [Width],
    /// Guard intervals, shortest first.
    pub(super) guards: &'static [Guard],
}

const WIDTHS: [Width; 5] = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160, Width::Mhz320];
const LEGACY_GUARDS: &[Guard] = &[Guard::Ns800];
const VHT_GUARDS: &[Guard] = &[Guard::Ns400, Guard::Ns800];
const HE_GUARDS: &[Guard] = &[Guard::Ns800, Guard::Ns1600, Guard::Ns3200];

impl Legality {
    /// The modes of a standard: IEEE 802.11-2020, 16.2.3, 17.2.2, 18.1.2, 19.5, 20.6.3, 21.5; IEEE 802.11ax-2021,
    /// 27.5; IEEE 802.11be, 36.5.
    pub(super) const fn of(standard: Standard) -> Self {
        let (widths, _) = WIDTHS.split_at(match standard {
            Standard::Ht => 2,
            Standard::Vht | Standard::He => 4,
            Standard::Eht => 5,
            _ => 1,
        });
        match standard {
            Standard::HrDsss => Self::single("11b", Format::HrDsss, (0, 3), widths),
            Standard::Ofdm => Self::single("11a", Format::Ofdm, (0, 7), widths),
            Standard::Erp => Self::single("11g", Format::Ofdm, (0, 7), widths),
            Standard::Ht => Self::mimo("11n", Format::Ht, 7, 4, (widths, VHT_GUARDS)),
            Standard::Vht => Self::mimo("11ac", Format::Vht, 9, 8, (widths, VHT_GUARDS)),
            Standard::He => Self::mimo("11ax", Format::He, 11, 8, (widths, HE_GUARDS)),
            Standard::Eht => Self::mimo("11be", Format::Eht, 13, 8, (widths, HE_GUARDS)),
            Standard::Dmg => Self::single("11ad", Format::Dmg, (1, 12), &[Width::Mhz2160]),
        }
    }

    const fn single(name: &'static str, format: Format, indices: (u8, u8), widths: &'static [Width]) -> Self {
        Self { name, format, indices, streams: 1, widths, guards: LEGACY_GUARDS }
    }

    const fn mimo(
        name: &'static str,
        format: Format,
        last_mcs: u8,
        streams: u8,
        (widths, guards): (&'static [Width], &'static [Guard]),
    ) -> Self {
        Self { name, format, indices: (0, last_mcs), streams, widths, guards }
    }
}

/// Whether a mode of these parts exists. VHT leaves out those whose symbols do not hold a whole number of bits per
/// encoder (IEEE 802.11-2020, 21.5).
pub(super) const fn exists(tx: TxVector) -> bool {
    if !matches!(tx.format, Format::Vht) {
        return true;
    }
    match (tx.width, tx.index) {
        (Width::Mhz20, 9) => tx.streams == 3 || tx.streams == 6,
        (Width::Mhz80, 6) => tx.streams != 3 && tx.streams != 7,
        (Width::Mhz80, 9) => tx.streams != 6,
        (Width::Mhz160, 9) => tx.streams != 3,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vht(mcs: u8, streams: u8, width: Width) -> TxVector {
        TxVector::mimo(Format::Vht, mcs, streams, width, Guard::Ns800)
    }

    /// A VHT mode needs a whole number of data bits per symbol (21.5): independent of the list above for one encoder.
    #[test]
    fn modes_with_one_encoder_have_whole_symbols() {
        for width in [Width::Mhz20, Width::Mhz40] {
            for (streams, mcs) in (1..=8).flat_map(|s| (0..10).map(move |m| (s, m))) {
                let tx = vht(mcs, streams, width);
                let exact = tx.bit_rate().as_bps() * 4;
                let whole = exact.is_multiple_of(1_000_000);
                if tx.bit_rate().as_bps() <= 540_000_000 {
                    assert_eq!(exists(tx), whole, "{tx}");
                }
            }
        }
    }

    #[test]
    fn the_gaps_of_vht_are_known() {
        let missing: usize = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160]
            .into_iter()
            .flat_map(|width| (1..=8).flat_map(move |s| (0..10).map(move |m| vht(m, s, width))))
            .filter(|&tx| !exists(tx))
            .count();
        // Six at 20 MHz, three at 80 MHz, one at 160 MHz.
        assert_eq!(missing, 10);
    }
}
