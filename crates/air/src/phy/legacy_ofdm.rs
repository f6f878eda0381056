//! OFDM and ERP-OFDM in 20 MHz (IEEE 802.11-2020, clauses 17 and 18).

use airtcp_units::Duration;

/// Data bits per symbol of 6 to 54 Mbit/s, `N_DBPS` (Table 17-4).
const DATA_BITS: [u32; 8] = [24, 36, 48, 72, 96, 144, 192, 216];
/// Preamble and SIGNAL field (Table 17-5: `T_PREAMBLE` and `T_SIGNAL`).
pub(super) const PREAMBLE_AND_SIGNAL_NANOS: u64 = 16_000 + 4_000;
/// One symbol with its guard interval (Table 17-5: `T_SYM`).
const SYMBOL_NANOS: u64 = 4_000;
/// SERVICE field (17.3.5.2), in every later format too.
pub(super) const SERVICE_BITS: u32 = 16;
/// Tail of the convolutional code, for each encoder (17.3.5.3).
pub(super) const TAIL_BITS: u32 = 6;

/// TXTIME (17.4.3) without the signal extension of clause 18.
#[inline]
pub(super) const fn ppdu_duration(index: u8, psdu_bytes: u32) -> Duration {
    let bits = SERVICE_BITS + 8 * psdu_bytes + TAIL_BITS;
    let symbols = bits.div_ceil(DATA_BITS[index as usize]);
    Duration::from_nanos(PREAMBLE_AND_SIGNAL_NANOS + SYMBOL_NANOS * symbols as u64)
}
