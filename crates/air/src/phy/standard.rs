//! What a standard adds to its format: its bands, and the limits of its aggregation.

use airtcp_plan::Standard;
use airtcp_units::Duration;

use super::{AmsduLengths, Band, Format, TxVector, bands_sentence};

/// Every standard that is modelled.
pub const STANDARDS: [Standard; 8] = [
    Standard::HrDsss,
    Standard::Erp,
    Standard::Ofdm,
    Standard::Ht,
    Standard::Vht,
    Standard::He,
    Standard::Eht,
    Standard::Dmg,
];

/// Why OFDM frames are not protected elsewhere.
pub const PROTECTION_SENTENCE: &str =
    "only OFDM frames at 2.4 GHz are protected from stations of 11b (IEEE 802.11-2020, 10.27.2)";

/// Limits of aggregation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AggregationLimits {
    /// Most octets of an A-MPDU (IEEE 802.11-2020, 9.4.2.55.3, 9.4.2.127, 9.4.2.157.2; of HE and EHT: of a PSDU, but at 2.4 GHz what
    /// capabilities announce).
    pub ampdu_bytes: u32,
    /// Longest PPDU that carries one, aPPDUMaxTime.
    pub ppdu: Duration,
    /// Most MPDUs in a block acknowledgement window: what Linux negotiates (9.3.1.8 of the standards; up to 11ac 64).
    pub block_ack_window: u32,
    /// Most octets of an A-MSDU (9.3.2.1, Table 9-25); at 2.4 GHz HT capabilities announce it (IEEE 802.11ax-2021, Table 9-25).
    pub amsdu_bytes: u32,
    /// Where the standard has them.
    pub clause: &'static str,
}

/// The format that a standard's cells are named after.
pub const fn format_of(standard: Standard) -> Format {
    match standard {
        Standard::HrDsss => Format::HrDsss,
        Standard::Ofdm | Standard::Erp => Format::Ofdm,
        Standard::Ht => Format::Ht,
        Standard::Vht => Format::Vht,
        Standard::He => Format::He,
        Standard::Eht => Format::Eht,
        Standard::Dmg => Format::Dmg,
    }
}

/// Whether cells of the standard are in the band. Clauses 17 and 18 have one PHY each in a band of its own, both in the format
/// of OFDM.
pub const fn is_in_band(standard: Standard, band: Band) -> bool {
    match standard {
        Standard::Ofdm => matches!(band, Band::Ghz5),
        Standard::Erp => matches!(band, Band::Ghz2_4),
        _ => format_of(standard).is_used_at(band),
    }
}

/// The bands of a standard; `{}` stands for the refused band.
pub const fn standard_bands_sentence(standard: Standard) -> &'static str {
    match standard {
        Standard::Ofdm => "11a is used at 5 GHz, not at {} (IEEE 802.11-2020, 17.1)",
        Standard::Erp => "11g is used at 2.4 GHz, not at {} (IEEE 802.11-2020, 18.1)",
        _ => bands_sentence(format_of(standard)),
    }
}

/// Whether this mode can be a basic rate of cells of the standard in the band. In 11ad the rates of control frames follow from
/// the MCS alone (IEEE 802.11-2020, 10.6.7): there are no basic rates.
pub fn can_be_basic(standard: Standard, band: Band, tx: TxVector) -> bool {
    match tx.format {
        _ if standard == Standard::Dmg => false,
        Format::HrDsss => band == Band::Ghz2_4,
        Format::Ofdm => standard != Standard::HrDsss,
        _ => false,
    }
}

/// Longest A-MPDU that capabilities can announce, where that is less than a PSDU has. At 2.4 GHz the exponents of HT and HE count
/// together, 2^(13 + 3 + 3) - 1 octets (IEEE 802.11ax-2021, 9.4.2.248); the EHT Capabilities element of IEEE 802.11be adds one bit.
const fn announced_ampdu_bytes(standard: Standard, band: Band) -> u32 {
    match (standard, band) {
        (Standard::He, Band::Ghz2_4) => (1 << 19) - 1,
        (Standard::Eht, Band::Ghz2_4) => (1 << 20) - 1,
        _ => u32::MAX,
    }
}

/// Limits of aggregation of a standard in a band; `None` before 11n.
pub fn aggregation_limits(standard: Standard, band: Band) -> Option<AggregationLimits> {
    let amsdu = AmsduLengths::of(standard, band, false)?;
    let (block_ack_window, clause) = match standard {
        Standard::HrDsss | Standard::Ofdm | Standard::Erp => return None,
        Standard::Ht => (64, "IEEE 802.11-2020, 9.4.2.55"),
        Standard::Vht => (64, "IEEE 802.11-2020, 9.4.2.157"),
        Standard::He if matches!(band, Band::Ghz2_4) => (256, "IEEE 802.11ax-2021, 9.4.2.248"),
        Standard::He => (256, "IEEE 802.11ax-2021, Table 27-54"),
        Standard::Eht if matches!(band, Band::Ghz2_4) => (1024, "IEEE 802.11be, EHT Capabilities element"),
        Standard::Eht => (1024, "IEEE 802.11be, Table 36-70"),
        Standard::Dmg => (64, "IEEE 802.11-2020, 9.4.2.127 and Table 20-32"),
    };
    let tx = TxVector { format: format_of(standard), ..TxVector::ofdm(0) };
    Some(AggregationLimits {
        ampdu_bytes: tx.max_psdu_bytes().min(announced_ampdu_bytes(standard, band)),
        ppdu: tx.max_ppdu_duration()?,
        block_ack_window,
        amsdu_bytes: amsdu.amsdu_bytes.min(amsdu.mpdu_bytes),
        clause,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_2_4_ghz_aggregates_of_he_and_eht_are_shorter() {
        let most = |standard, band| aggregation_limits(standard, band).expect("it aggregates").ampdu_bytes;
        assert_eq!(most(Standard::He, Band::Ghz2_4), 524_287);
        assert_eq!(most(Standard::Eht, Band::Ghz2_4), 1_048_575);
        assert_eq!(most(Standard::He, Band::Ghz5), 6_500_631);
        assert_eq!(most(Standard::Ht, Band::Ghz2_4), 65_535);
    }
}
