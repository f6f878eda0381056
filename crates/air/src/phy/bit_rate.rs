//! Bits per symbol and nominal bit rates.

use airtcp_units::{BitRate, Duration};

use super::{Format, Modulation, TxVector, Width, dmg, hr_dsss, mcs};

/// Useful part of a symbol of OFDM, HT and VHT (IEEE 802.11-2020, Table 17-5: `T_FFT`).
const FFT_NANOS: u64 = 3_200;
/// Useful part of a symbol of HE and EHT, whose subcarriers are four times as dense as those of OFDM (IEEE 802.11ax-2021, Table
/// 27-12: `T_DFT,HE`).
pub(super) const HE_FFT_NANOS: u64 = 12_800;
/// Data subcarriers of OFDM, `N_SD` (IEEE 802.11-2020, Table 17-5).
const OFDM_DATA_SUBCARRIERS: u32 = 48;

impl Width {
    /// Data subcarriers of HT and VHT, `N_SD` (IEEE 802.11-2020, Tables 19-6 and 21-5).
    const fn vht_data_subcarriers(self) -> u32 {
        match self {
            Self::Mhz20 => 52,
            Self::Mhz40 => 108,
            Self::Mhz80 => 234,
            _ => 468,
        }
    }
}

/// The bits of an OFDM symbol over all streams.
#[derive(Clone, Copy)]
pub(super) struct SymbolBits {
    /// Coded bits, `N_CBPS`.
    pub(super) coded: u32,
    /// Data bits, `N_DBPS`.
    pub(super) data: u32,
    /// Constellation and code rate.
    pub(super) modulation: Modulation,
}

impl SymbolBits {
    /// The bits of a symbol with this many subcarriers.
    #[inline]
    pub(super) const fn new(modulation: Modulation, subcarriers: u32, streams: u8) -> Self {
        let coded = subcarriers * modulation.constellation.bits() * streams as u32;
        // HE and EHT round down where the product is no integer (IEEE 802.11ax-2021, 27.5).
        Self { coded, data: modulation.code_rate.data_bits(coded), modulation }
    }

    /// Bits of an HT or VHT symbol.
    #[inline]
    pub(super) const fn vht(tx: TxVector) -> Self {
        Self::new(mcs::mimo(tx.index), tx.width().vht_data_subcarriers(), tx.streams)
    }

    /// Bits of an HE or EHT symbol.
    #[inline]
    pub(super) const fn he(tx: TxVector) -> Self {
        Self::new(mcs::mimo(tx.index), tx.allocation.data_subcarriers(), tx.streams)
    }

    /// Bits of an OFDM symbol.
    #[inline]
    const fn ofdm(modulation: Modulation) -> Self {
        Self::new(modulation, OFDM_DATA_SUBCARRIERS, 1)
    }
}

impl TxVector {
    /// Bits of one OFDM symbol; None for the single carriers of HR/DSSS and DMG.
    #[inline]
    pub(super) const fn symbol_bits(self) -> Option<SymbolBits> {
        match (self.format, self.modulation()) {
            (Format::Ofdm, Some(modulation)) => Some(SymbolBits::ofdm(modulation)),
            (Format::Ht | Format::Vht, _) => Some(SymbolBits::vht(self)),
            (Format::He | Format::Eht, _) => Some(SymbolBits::he(self)),
            _ => None,
        }
    }

    /// Data bits per OFDM symbol over all streams, `N_DBPS`; None for the single carriers of HR/DSSS and DMG.
    #[inline]
    pub const fn data_bits_per_symbol(self) -> Option<u32> {
        match self.symbol_bits() {
            Some(bits) => Some(bits.data),
            None => None,
        }
    }

    /// Data subcarriers, `N_SD`; None for the single carriers of HR/DSSS and DMG.
    pub const fn data_subcarriers(self) -> Option<u32> {
        match self.format {
            Format::Ofdm => Some(OFDM_DATA_SUBCARRIERS),
            Format::Ht | Format::Vht => Some(self.width().vht_data_subcarriers()),
            Format::He | Format::Eht => Some(self.allocation.data_subcarriers()),
            Format::HrDsss | Format::Dmg => None,
        }
    }

    /// Length of an OFDM symbol with its guard interval in nanoseconds.
    #[inline]
    pub const fn symbol_nanos(self) -> u64 {
        match self.format {
            Format::He | Format::Eht => HE_FFT_NANOS + self.guard.nanos(),
            _ => FFT_NANOS + self.guard.nanos(),
        }
    }

    /// Octets that take at least this long in the data part of a PPDU (IEEE 802.11-2020, 10.12.3).
    #[inline]
    pub const fn octets_lasting(self, time: Duration) -> u32 {
        const BIT_NANOS_PER_OCTET: u64 = 8 * 1_000_000_000;
        if time.as_nanos() == 0 {
            return 0;
        }
        (time.as_nanos() * self.bit_rate().as_bps()).div_ceil(BIT_NANOS_PER_OCTET) as u32
    }

    /// The nominal rate during the data part of a PPDU, rounded down to a bit per second: coded bits times code
    /// rate over the length of a symbol (IEEE 802.11-2020, 17.3.2.3, 19.5, 21.5; IEEE 802.11ax-2021, 27.5).
    #[inline]
    pub const fn bit_rate(self) -> BitRate {
        let Some(bits) = self.symbol_bits() else {
            return match self.format {
                Format::HrDsss => hr_dsss::bit_rate(self.index),
                _ => dmg::bit_rate(self.index),
            };
        };
        let (numerator, denominator) = bits.modulation.code_rate.ratio();
        let per_second = bits.coded as u64 * numerator as u64 * 1_000_000_000;
        BitRate::from_bps(per_second / (denominator as u64 * self.symbol_nanos()))
    }
}
