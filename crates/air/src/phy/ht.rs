//! HT in the mixed format (IEEE 802.11-2020, clause 19).

use airtcp_units::Duration;

use super::bit_rate::SymbolBits;
use super::legacy_ofdm::{SERVICE_BITS, TAIL_BITS};
use super::{Coding, Guard, TxVector, ldpc};

/// Before the training fields: legacy preamble 16 us and L-SIG 4 us, HT-SIG 8 us, HT-STF 4 us (Table 19-6).
const BEFORE_TRAINING_NANOS: u64 = 16_000 + 4_000 + 8_000 + 4_000;
/// One HT-LTF or VHT-LTF (Tables 19-6 and 21-5).
pub(super) const TRAINING_NANOS: u64 = 4_000;
/// A symbol with the long guard interval, to which the data part is rounded up (19.4.3, 21.4.3).
const LONG_SYMBOL_NANOS: u64 = 4_000;
/// Above 300 Mbit/s with the long guard interval two encoders share the work (19.5: `N_ES`).
const ONE_ENCODER_BITS: u32 = 1_200;

/// Long training fields of this many streams (Table 19-13).
const fn training_fields(streams: u8) -> u64 {
    [1, 2, 4, 4][streams as usize - 1]
}

/// Encoders of the convolutional code, `N_ES` (19.5).
const fn encoders(bits: SymbolBits) -> u32 {
    if bits.data > ONE_ENCODER_BITS { 2 } else { 1 }
}

/// Symbols that hold a PSDU: service, data and the tail of each encoder (19.3.11), or LDPC codewords (19.3.11.7.5).
#[inline]
const fn symbols(bits: SymbolBits, coding: Coding, psdu_bytes: u32) -> u32 {
    let payload = SERVICE_BITS + 8 * psdu_bytes;
    match coding {
        Coding::Bcc => (payload + TAIL_BITS * encoders(bits)).div_ceil(bits.data),
        Coding::Ldpc => {
            let symbols = payload.div_ceil(bits.data);
            let code_rate = bits.modulation.code_rate;
            symbols + ldpc::needs_more_room(payload, symbols * bits.coded, code_rate) as u32
        }
    }
}

/// Length of data symbols; short ones are rounded up to whole long ones (19.4.3, 21.4.3).
#[inline]
pub(super) const fn data_nanos(symbols: u32, guard: Guard) -> u64 {
    match guard {
        Guard::Ns400 => (symbols as u64 * 3_600).next_multiple_of(LONG_SYMBOL_NANOS),
        _ => symbols as u64 * LONG_SYMBOL_NANOS,
    }
}

/// Everything before the data field.
#[inline]
pub(super) const fn preamble_nanos(streams: u8) -> u64 {
    BEFORE_TRAINING_NANOS + TRAINING_NANOS * training_fields(streams)
}

/// TXTIME of an HT-mixed PPDU (19.4.3).
#[inline]
pub(super) const fn ppdu_duration(tx: TxVector, coding: Coding, psdu_bytes: u32) -> Duration {
    let symbols = symbols(SymbolBits::vht(tx), coding, psdu_bytes);
    Duration::from_nanos(preamble_nanos(tx.streams) + data_nanos(symbols, tx.guard))
}
