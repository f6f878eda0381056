//! Directional multi-gigabit: control mode and single carrier (IEEE 802.11-2020, clause 20).

use airtcp_units::{BitRate, Duration};

use super::{Modulation, TxVector, mcs};

/// Chips per microsecond (Table 20-4: 1.76 GHz).
const CHIPS_PER_MICRO: u64 = 1_760;
/// A Golay sequence of the preamble in chips (20.11).
const GOLAY: u64 = 128;
/// Channel estimation field (20.3.6.2.3: nine sequences).
const CHANNEL_ESTIMATION: u64 = 9 * GOLAY;
/// Short training field of the single carrier (20.3.6.2.2: 17 sequences).
const STF: u64 = 17 * GOLAY;
/// Short training field of the control mode (20.3.6.2.2: 50 sequences).
const CONTROL_STF: u64 = 50 * GOLAY;
/// A block with its guard interval, and the guard interval (20.6.3.2.5).
const BLOCK: u64 = 512;
const GUARD: u64 = 64;
/// Symbols of data in a block (20.6.3.2.5).
const BLOCK_SYMBOLS: u32 = 448;
/// The header fills two blocks (20.6.3.1.4).
const HEADER: u64 = 2 * BLOCK;
/// Bits of an LDPC codeword (20.3.8.1).
const CODEWORD: u32 = 672;
/// Chips of a bit of the control mode (Table 20-4: `N_SPREADING`).
const CONTROL_SPREADING: u64 = 32;

/// The control mode has rate 1/2 and 32 chips to a bit; the single carrier loses a guard interval of 64
/// chips to each block of 512 (20.4.1, 20.6.3: DMG MCS 0 to 12).
#[inline]
pub(super) const fn bit_rate(index: u8) -> BitRate {
    let chips_per_second = CHIPS_PER_MICRO * 1_000_000;
    if index == 0 {
        return BitRate::from_bps(chips_per_second / (2 * CONTROL_SPREADING));
    }
    let Modulation { constellation, code_rate } = mcs::dmg_single_carrier(index);
    let (numerator, denominator) = code_rate.ratio();
    let bits = BLOCK_SYMBOLS as u64 * constellation.bits() as u64 * numerator as u64;
    BitRate::from_bps(chips_per_second * bits / (BLOCK * (denominator * repetition(index)) as u64))
}

/// How often a bit is sent (20.6.3: `rho`).
const fn repetition(index: u8) -> u32 {
    if index == 1 { 2 } else { 1 }
}

/// TXTIME of the single carrier (20.6.4) or, for MCS 0, of the control mode (20.4.4), rounded up to a nanosecond.
#[inline]
pub(super) const fn ppdu_duration(tx: TxVector, psdu_bytes: u32) -> Duration {
    let chips = if tx.index == 0 { control_chips(psdu_bytes) } else { data_chips(tx.index, psdu_bytes) };
    chip_time(preamble_chips(tx.index) + chips)
}

/// Training fields and header; the header of the control mode shares a codeword with data and is not counted.
#[inline]
pub(super) const fn preamble(index: u8) -> Duration {
    chip_time(preamble_chips(index))
}

const fn chip_time(chips: u64) -> Duration {
    Duration::from_nanos((chips * 1_000).div_ceil(CHIPS_PER_MICRO))
}

const fn preamble_chips(index: u8) -> u64 {
    if index == 0 { CONTROL_STF + CHANNEL_ESTIMATION } else { STF + CHANNEL_ESTIMATION + HEADER }
}

/// Chips of header and data of a control PPDU: the header and the first 6 octets fill one codeword, then up to 168
/// bits go into each of the others, and 168 parity bits into every one (20.4.3.3.3).
const fn control_chips(psdu_bytes: u32) -> u64 {
    let bits = 8 * psdu_bytes.saturating_sub(6);
    let codewords = 1 + bits.div_ceil(168);
    CONTROL_SPREADING * (11 * 8 + bits + codewords * 168) as u64
}

/// Chips of the data of a single carrier PPDU (20.6.3.2.3.3, 20.6.3.2.5).
const fn data_chips(index: u8, psdu_bytes: u32) -> u64 {
    let Modulation { constellation, code_rate } = mcs::dmg_single_carrier(index);
    let data_bits = code_rate.data_bits(CODEWORD / repetition(index));
    let codewords = (8 * psdu_bytes).div_ceil(data_bits);
    let blocks = (codewords * CODEWORD).div_ceil(BLOCK_SYMBOLS * constellation.bits());
    blocks as u64 * BLOCK + GUARD
}
