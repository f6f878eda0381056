//! DSSS and HR/DSSS (IEEE 802.11-2020, clauses 15 and 16).

use airtcp_units::{BitRate, Duration};

/// Kilobits per second of the rates (15.2.3, 16.2.3).
const KBPS: [u64; 4] = [1_000, 2_000, 5_500, 11_000];
/// Long preamble of 144 bits and header of 48 bits, at 1 Mbit/s (16.2.2.2).
pub(super) const LONG_PREAMBLE_AND_HEADER: Duration = Duration::from_micros(144 + 48);
/// Short preamble of 72 bits at 1 Mbit/s and header of 48 bits at 2 Mbit/s (16.2.2.3).
pub(super) const SHORT_PREAMBLE_AND_HEADER: Duration = Duration::from_micros(72 + 24);

/// The rate with this index.
#[inline]
pub(super) const fn bit_rate(index: u8) -> BitRate {
    BitRate::from_bps(KBPS[index as usize] * 1_000)
}

/// Preamble and header.
#[inline]
pub(super) const fn preamble_and_header(short: bool) -> Duration {
    if short { SHORT_PREAMBLE_AND_HEADER } else { LONG_PREAMBLE_AND_HEADER }
}

/// TXTIME (16.3.4): preamble, header, and the PSDU in whole microseconds, rounded up.
#[inline]
pub(super) const fn ppdu_duration(index: u8, short_preamble: bool, psdu_bytes: u32) -> Duration {
    let psdu_us = (psdu_bytes as u64 * 8 * 1_000).div_ceil(KBPS[index as usize]);
    Duration::from_nanos(preamble_and_header(short_preamble).as_nanos() + psdu_us * 1_000)
}
