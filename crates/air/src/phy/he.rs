//! HE for a single user (IEEE 802.11ax-2021, clause 27).

use airtcp_units::Duration;

use super::bit_rate::SymbolBits;
use super::legacy_ofdm::{SERVICE_BITS, TAIL_BITS};
use super::{Coding, Guard, TxVector, Width, ldpc, vht};

/// Before the training fields: legacy preamble 16 us and L-SIG 4 us, RL-SIG 4 us, HE-SIG-A 8 us, HE-STF 4 us
/// (Table 27-12).
const BEFORE_TRAINING_NANOS: u64 = 16_000 + 4_000 + 4_000 + 8_000 + 4_000;

/// One HE-LTF or EHT-LTF with its guard interval. Of the pairs that the standard has, a sender here uses the
/// 2x HE-LTF of 6.4 us with 0.8 and 1.6 us, and the 4x HE-LTF of 12.8 us with 3.2 us (Table 27-1, `GI_TYPE` and
/// `HE_LTF_TYPE`; Table 27-12).
#[inline]
pub(super) const fn training_nanos(guard: Guard) -> u64 {
    match guard {
        Guard::Ns3200 => 12_800 + 3_200,
        shorter => 6_400 + shorter.nanos(),
    }
}

/// Data subcarriers of a quarter of a symbol, `N_SD,short` (Table 27-33; for 4x996 tones IEEE 802.11be, Table 36-47).
const fn quarter_subcarriers(width: Width) -> u32 {
    match width {
        Width::Mhz20 => 60,
        Width::Mhz40 => 120,
        Width::Mhz80 => 240,
        Width::Mhz160 => 492,
        _ => 984,
    }
}

/// Symbols that hold a PSDU (27.3.12.5): with LDPC the last symbol is filled in quarters, and the quarter that
/// LDPC may add makes a new symbol only if the last is full.
#[inline]
pub(super) const fn symbols(tx: TxVector, coding: Coding, psdu_bytes: u32) -> u32 {
    let bits = SymbolBits::he(tx);
    let payload = SERVICE_BITS + 8 * psdu_bytes;
    match coding {
        Coding::Bcc => (payload + TAIL_BITS).div_ceil(bits.data),
        Coding::Ldpc => {
            let symbols = payload.div_ceil(bits.data);
            let last = payload - (symbols - 1) * bits.data;
            let quarter = SymbolBits::new(bits.modulation, quarter_subcarriers(tx.width), tx.streams);
            // The fourth segment is what remains of the symbol, a little more than a quarter.
            let full = last > 3 * quarter.data
                && ldpc::needs_more_room(
                    symbols * bits.data,
                    symbols * bits.coded,
                    bits.modulation.code_rate,
                );
            symbols + full as u32
        }
    }
}

/// Everything before the data field.
#[inline]
pub(super) const fn preamble_nanos(tx: TxVector) -> u64 {
    BEFORE_TRAINING_NANOS + training_nanos(tx.guard) * vht::training_fields(tx.streams)
}

/// TXTIME of an HE SU PPDU (27.4.3) with a packet extension of 0 us.
#[inline]
pub(super) const fn ppdu_duration(tx: TxVector, coding: Coding, psdu_bytes: u32) -> Duration {
    let data = symbols(tx, coding, psdu_bytes) as u64 * tx.symbol_nanos();
    Duration::from_nanos(preamble_nanos(tx) + data)
}
