//! HE for a single user (IEEE 802.11ax-2021, clause 27).

use airtcp_plan::HeLtf;
use airtcp_units::Duration;

use super::bit_rate::SymbolBits;
use super::legacy_ofdm::{SERVICE_BITS, TAIL_BITS};
use super::{Coding, Guard, TxVector, Width, ldpc, vht};

/// Before the training fields: legacy preamble 16 us and L-SIG 4 us, RL-SIG 4 us, HE-SIG-A 8 us, HE-STF 4 us
/// (Table 27-12).
const BEFORE_TRAINING_NANOS: u64 = 16_000 + 4_000 + 4_000 + 8_000 + 4_000;

/// The shortest HE-LTF or EHT-LTF with this guard interval that every receiver supports (IEEE 802.11ax-2021, 27.1.1;
/// Table 27-18, `GI+LTF Size`, lists all pairs of an HE SU PPDU).
pub(super) const fn mandatory_ltf(guard: Guard) -> HeLtf {
    match guard {
        Guard::Ns3200 => HeLtf::X4,
        _ => HeLtf::X2,
    }
}

/// One HE-LTF or EHT-LTF with its guard interval (Table 27-12).
#[inline]
pub(super) const fn training_nanos(tx: TxVector) -> u64 {
    let symbol = match tx.ltf {
        HeLtf::X1 => 3_200,
        HeLtf::X2 => 6_400,
        HeLtf::X4 => 12_800,
    };
    symbol + tx.guard.nanos()
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
    BEFORE_TRAINING_NANOS + training_nanos(tx) * vht::training_fields(tx.streams)
}

/// TXTIME of an HE SU PPDU (27.4.3) with a packet extension of 0 us.
#[inline]
pub(super) const fn ppdu_duration(tx: TxVector, coding: Coding, psdu_bytes: u32) -> Duration {
    let data = symbols(tx, coding, psdu_bytes) as u64 * tx.symbol_nanos();
    Duration::from_nanos(preamble_nanos(tx) + data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::Format;

    /// One symbol carries 14 octets at MCS 11 on 80 MHz with one stream, or two streams. Before the training fields 36 us;
    /// then an LTF and its guard interval for each stream, and a symbol of 12.8 us with its guard interval.
    #[test]
    fn durations_with_every_ltf() {
        let us_tenths = |ltf, guard, streams| {
            let tx = TxVector { ltf, ..TxVector::mimo(Format::He, 11, streams, Width::Mhz80, guard) };
            ppdu_duration(tx, Coding::Ldpc, 14).as_nanos() / 100
        };
        let found = [
            us_tenths(HeLtf::X1, Guard::Ns800, 1),
            us_tenths(HeLtf::X1, Guard::Ns800, 2),
            us_tenths(HeLtf::X2, Guard::Ns800, 1),
            us_tenths(HeLtf::X2, Guard::Ns1600, 1),
            us_tenths(HeLtf::X4, Guard::Ns800, 1),
            us_tenths(HeLtf::X4, Guard::Ns800, 2),
            us_tenths(HeLtf::X4, Guard::Ns3200, 1),
        ];
        // 36 + 4 + 13.6; 36 + 2 * 4 + 13.6; 36 + 7.2 + 13.6; 36 + 8 + 14.4; 36 + 13.6 + 13.6; 36 + 2 * 13.6 + 13.6; 36 + 16 + 16.
        assert_eq!(found, [536, 576, 568, 584, 632, 768, 680]);
    }
}
