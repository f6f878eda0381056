//! VHT for a single user (IEEE 802.11-2020, clause 21).

use airtcp_units::Duration;

use super::bit_rate::SymbolBits;
use super::ht::{self, TRAINING_NANOS};
use super::legacy_ofdm::{SERVICE_BITS, TAIL_BITS};
use super::{Coding, Guard, TxVector, Width, ldpc};

/// Before the training fields: legacy preamble 16 us and L-SIG 4 us, VHT-SIG-A 8 us, VHT-STF 4 us (Table 21-5).
const BEFORE_TRAINING_NANOS: u64 = 16_000 + 4_000 + 8_000 + 4_000;
/// VHT-SIG-B, which every VHT PPDU has (Table 21-5).
const SIG_B_NANOS: u64 = 4_000;

/// Long training fields of this many streams (Table 21-13); HE and EHT have the same numbers.
#[inline]
pub(super) const fn training_fields(streams: u8) -> u64 {
    [1, 2, 4, 4, 6, 6, 8, 8][streams as usize - 1]
}

const MCS_COUNT: usize = 10;
const MAX_STREAMS: usize = 8;
const WIDTHS: [Width; 4] = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160];

/// Encoders of the convolutional code by width, streams and MCS, `N_ES` (21.5).
static ENCODERS: [[[u8; MCS_COUNT]; MAX_STREAMS]; WIDTHS.len()] = encoder_table();

const fn encoder_table() -> [[[u8; MCS_COUNT]; MAX_STREAMS]; WIDTHS.len()] {
    let mut table = [[[0; MCS_COUNT]; MAX_STREAMS]; WIDTHS.len()];
    let mut cell = 0;
    while cell < WIDTHS.len() * MAX_STREAMS * MCS_COUNT {
        let (width, streams, mcs) =
            (cell / (MAX_STREAMS * MCS_COUNT), cell / MCS_COUNT % MAX_STREAMS, cell % MCS_COUNT);
        let tx =
            TxVector::mimo(super::Format::Vht, mcs as u8, streams as u8 + 1, WIDTHS[width], Guard::Ns400);
        table[width][streams][mcs] = encoders(SymbolBits::vht(tx));
        cell += 1;
    }
    table
}

/// An encoder carries at most 600 Mbit/s with the short guard interval; all carry the same number of whole
/// puncturing blocks (21.3.10.5.2), so that in some cells there are more than the rate needs.
const fn encoders(bits: SymbolBits) -> u8 {
    let (_, block) = bits.modulation.code_rate.ratio();
    // 600 Mbit/s times 3.6 us.
    let least = bits.data.div_ceil(2_160);
    let mut count = least;
    while count < 2 * least {
        if bits.coded.is_multiple_of(count * block) {
            return count as u8;
        }
        count += 1;
    }
    // A combination that the standard does not have.
    least as u8
}

/// Symbols that hold a PSDU: service, data and the tail of each encoder (21.3.10.2), or LDPC codewords (21.3.10.5.4).
#[inline]
const fn symbols(tx: TxVector, coding: Coding, psdu_bytes: u32) -> u32 {
    let bits = SymbolBits::vht(tx);
    let payload = SERVICE_BITS + 8 * psdu_bytes;
    match coding {
        Coding::Bcc => {
            let encoders = ENCODERS[tx.width() as usize][tx.streams as usize - 1][tx.index as usize];
            (payload + TAIL_BITS * encoders as u32).div_ceil(bits.data)
        }
        Coding::Ldpc => {
            let symbols = payload.div_ceil(bits.data);
            // Padding belongs to the payload here: the initial symbols are full.
            let full = symbols * bits.data;
            symbols + ldpc::needs_more_room(full, symbols * bits.coded, bits.modulation.code_rate) as u32
        }
    }
}

/// Everything before the data field.
#[inline]
pub(super) const fn preamble_nanos(streams: u8) -> u64 {
    BEFORE_TRAINING_NANOS + TRAINING_NANOS * training_fields(streams) + SIG_B_NANOS
}

/// TXTIME of a VHT SU PPDU (21.4.3).
#[inline]
pub(super) const fn ppdu_duration(tx: TxVector, coding: Coding, psdu_bytes: u32) -> Duration {
    let data = ht::data_nanos(symbols(tx, coding, psdu_bytes), tx.guard);
    Duration::from_nanos(preamble_nanos(tx.streams) + data)
}
