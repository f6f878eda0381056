//! EHT for one user on the whole width (IEEE 802.11be, clause 36).

use airtcp_units::Duration;

use super::{Coding, TxVector, he, vht};

/// Before EHT-SIG: legacy preamble 16 us and L-SIG 4 us, RL-SIG 4 us, U-SIG 8 us (Table 36-18). As long as what is before HE-SIG-B, with
/// HE-SIG-A for U-SIG (IEEE 802.11ax-2021, Table 27-12).
pub(super) const BEFORE_SIG_NANOS: u64 = 16_000 + 4_000 + 4_000 + 8_000;
/// A symbol of EHT-SIG (Table 36-18), or of HE-SIG-B (IEEE 802.11ax-2021, Table 27-12).
pub(super) const SIG_SYMBOL_NANOS: u64 = 4_000;
/// EHT-STF (Table 36-18), or HE-STF (IEEE 802.11ax-2021, Table 27-12); not that of answers to a trigger.
pub(super) const STF_NANOS: u64 = 4_000;
/// EHT-SIG for one user without OFDMA: 20 bits common, 22 of the user, 4 CRC, 6 tail (36.3.12.8).
pub(super) const SIG_BITS: u32 = 20 + 22 + 4 + 6;

/// Symbols of EHT-SIG. A sender here uses EHT-SIG MCS 0 (26 data bits per symbol) before data at MCS 0, and
/// EHT-SIG MCS 1 (52) before every other: no weaker than the data, no longer than needed.
#[inline]
pub(super) const fn sig_symbols(mcs: u8) -> u64 {
    let bits_per_symbol = if mcs == 0 { 26 } else { 52 };
    SIG_BITS.div_ceil(bits_per_symbol) as u64
}

/// Everything before the data field.
#[inline]
pub(super) const fn preamble_nanos(tx: TxVector) -> u64 {
    let training = he::training_nanos(tx) * vht::training_fields(tx.streams);
    BEFORE_SIG_NANOS + SIG_SYMBOL_NANOS * sig_symbols(tx.index) + STF_NANOS + training
}

/// TXTIME of an EHT MU PPDU for one user (36.4.3).
#[inline]
pub(super) const fn ppdu_duration(tx: TxVector, coding: Coding, psdu_bytes: u32) -> Duration {
    let [data, extension] = he::data_nanos(tx, coding, psdu_bytes);
    Duration::from_nanos(preamble_nanos(tx) + data + extension)
}
