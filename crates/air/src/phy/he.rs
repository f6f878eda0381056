//! HE for a single user (IEEE 802.11ax-2021, clause 27).

use airtcp_plan::HeLtf;
use airtcp_units::Duration;

use super::bit_rate::SymbolBits;
use super::legacy_ofdm::{SERVICE_BITS, TAIL_BITS};
use super::packet_extension::{Filling, QUARTERS};
use super::{Coding, Guard, Modulation, NominalPadding, TxVector, ldpc, mcs, vht};

/// Before the training fields: legacy preamble 16 us and L-SIG 4 us, RL-SIG 4 us, HE-SIG-A 8 us, HE-STF 4 us
/// (Table 27-12).
const BEFORE_TRAINING_NANOS: u64 = 16_000 + 4_000 + 4_000 + 8_000 + 4_000;

/// One HE-LTF or EHT-LTF with its guard interval (Table 27-12).
#[inline]
pub(super) const fn training_nanos(tx: TxVector) -> u64 {
    ltf_nanos(tx.ltf, tx.guard)
}

/// An HE-LTF or EHT-LTF of this size with this guard interval.
#[inline]
pub(super) const fn ltf_nanos(ltf: HeLtf, guard: Guard) -> u64 {
    let symbol = match ltf {
        HeLtf::X1 => 3_200,
        HeLtf::X2 => 6_400,
        HeLtf::X4 => 12_800,
    };
    symbol + guard.nanos()
}

/// Bits of a PSDU with SERVICE field and, with BCC, tail.
#[inline]
const fn payload_bits(coding: Coding, psdu_bytes: u32) -> u32 {
    SERVICE_BITS + 8 * psdu_bytes + tail_bits(coding)
}

/// The tail that a code needs.
#[inline]
pub(super) const fn tail_bits(coding: Coding) -> u32 {
    match coding {
        Coding::Bcc => TAIL_BITS,
        Coding::Ldpc => 0,
    }
}

/// Bits of a quarter of a symbol.
#[inline]
const fn quarter(tx: TxVector, modulation: Modulation) -> SymbolBits {
    SymbolBits::new(modulation, tx.allocation.quarter_subcarriers(), tx.streams)
}

/// Symbols that hold a PSDU, and how much of the last, before LDPC asks for more (27.3.12.5.1: `N_SYM,init` and `a_init`).
#[inline]
pub(super) const fn initial_filling(tx: TxVector, coding: Coding, psdu_bytes: u32) -> Filling {
    let bits = SymbolBits::he(tx);
    let payload = payload_bits(coding, psdu_bytes);
    let symbols = payload.div_ceil(bits.data);
    let quarter = quarter(tx, bits.modulation);
    let asked = (payload - (symbols - 1) * bits.data).div_ceil(quarter.data);
    // The fourth segment is what remains of the symbol, a little more than a quarter.
    Filling { symbols, quarters: if asked >= QUARTERS { QUARTERS } else { asked } }
}

/// Data bits and coded bits that a filling has room for (`N_pld` and `N_avbits` of 27.3.12.5.2).
#[inline]
pub(super) const fn room(tx: TxVector, filling: Filling) -> [u32; 2] {
    let bits = SymbolBits::he(tx);
    let quarter = quarter(tx, bits.modulation);
    let Filling { symbols, quarters } = filling;
    let (data, coded) = if quarters >= QUARTERS {
        (bits.data, bits.coded)
    } else {
        (quarters * quarter.data, quarters * quarter.coded)
    };
    [(symbols - 1) * bits.data + data, (symbols - 1) * bits.coded + coded]
}

/// Whether LDPC needs another quarter of a symbol than these.
#[inline]
pub(super) const fn needs_another_quarter(tx: TxVector, filling: Filling) -> bool {
    let [data, coded] = room(tx, filling);
    ldpc::needs_more_room(data, coded, mcs::mimo(tx.index).code_rate)
}

/// Symbols that hold the PSDU of a PPDU for one user, and how much of the last (27.3.12.5): the last symbol is filled in quarters, and
/// the quarter that LDPC may add makes a new symbol only if the last is full.
#[inline]
pub(super) const fn filling(tx: TxVector, coding: Coding, psdu_bytes: u32) -> Filling {
    let initial = initial_filling(tx, coding, psdu_bytes);
    // Where no packet extension depends on it, only a new symbol counts.
    let counts = initial.quarters == QUARTERS || !matches!(tx.padding(), NominalPadding::Us0);
    if matches!(coding, Coding::Ldpc) && counts && needs_another_quarter(tx, initial) {
        initial.with_another_quarter()
    } else {
        initial
    }
}

/// Length of the data field and of the packet extension after it.
#[inline]
pub(super) const fn data_nanos(tx: TxVector, coding: Coding, psdu_bytes: u32) -> [u64; 2] {
    let filling = filling(tx, coding, psdu_bytes);
    [filling.symbols as u64 * tx.symbol_nanos(), tx.padding().extension_nanos(filling)]
}

/// Everything before the data field.
#[inline]
pub(super) const fn preamble_nanos(tx: TxVector) -> u64 {
    BEFORE_TRAINING_NANOS + training_nanos(tx) * vht::training_fields(tx.streams)
}

/// TXTIME of an HE SU PPDU (27.4.3).
#[inline]
pub(super) const fn ppdu_duration(tx: TxVector, coding: Coding, psdu_bytes: u32) -> Duration {
    let [data, extension] = data_nanos(tx, coding, psdu_bytes);
    Duration::from_nanos(preamble_nanos(tx) + data + extension)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Format, Guard, Width};

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

    /// 20 MHz, one stream, MCS 7 (64-QAM, 5/6): 1170 data bits and 1404 coded bits in a symbol, 300 and 360 in a quarter. A PSDU of n
    /// octets has 8 n + 16 bits with LDPC, 6 more with BCC.
    #[test]
    fn quarters_of_the_last_symbol() {
        let tx =
            TxVector::mimo(Format::He, 7, 1, Width::Mhz20, Guard::Ns800).to_receiver(NominalPadding::Us16);
        let of = |coding, bytes| {
            let Filling { symbols, quarters } = filling(tx, coding, bytes);
            (symbols, quarters)
        };
        // 14 octets, 134 bits: one quarter. 34 octets: 294; 35: 302. 72 and 73: 598 and 606. 110: 902, the fourth. 143: 1166, 144: 1174.
        let bytes = [14, 34, 35, 72, 73, 110, 143, 144];
        let bcc = bytes.map(|bytes| of(Coding::Bcc, bytes));
        assert_eq!(bcc, [(1, 1), (1, 1), (1, 2), (1, 2), (1, 3), (1, 4), (1, 4), (2, 1)]);
        // LDPC, 128 bits padded to the 300 of a quarter, in 360: a codeword of 648 has 540 data and 108 parity bits. 240 are shortened, and
        // 648 - 360 - 240 = 48 punctured: more than a tenth of the parity, and 240 < 1.2 * 48 * 5. So there is one more quarter.
        assert_eq!(of(Coding::Ldpc, 14), (1, 2));
        // 1160 bits padded to 1170, in 1404: one codeword of 1944, 1620 data and 324 parity bits. 450 are shortened, and
        // 1944 - 1404 - 450 = 90 punctured: more than a tenth, and 450 < 1.2 * 90 * 5. The quarter more is in a new symbol.
        assert_eq!(of(Coding::Ldpc, 143), (2, 1));
    }

    /// An Ack of TCP in an A-MPDU alone: 94 octets, MCS 11 on 80 MHz with two streams. 768 bits are padded to the 4000 of a quarter with
    /// 4800 coded bits: three codewords of 1944 (4860 data, 972 parity) with 860 shortened, and 172 punctured: more than a tenth, and
    /// 860 < 1.2 * 172 * 5, so LDPC takes a second quarter. Two of four are empty.
    #[test]
    fn a_short_ppdu_has_the_least_extension() {
        let us_tenths = |padding, bytes| {
            let tx = TxVector::mimo(Format::He, 11, 2, Width::Mhz80, Guard::Ns800).to_receiver(padding);
            ppdu_duration(tx, Coding::Ldpc, bytes).as_nanos() / 100
        };
        // 36 + 2 * 7.2 + 13.6.
        assert_eq!(us_tenths(NominalPadding::Us0, 94), 640);
        assert_eq!(us_tenths(NominalPadding::Us8, 94), 640);
        assert_eq!(us_tenths(NominalPadding::Us16, 94), 720);
        assert_eq!(us_tenths(NominalPadding::Us20, 94), 760);
        // 2000 octets, 16,016 bits of 16,333: the fourth quarter.
        assert_eq!(us_tenths(NominalPadding::Us16, 2000) - us_tenths(NominalPadding::Us0, 2000), 160);
        assert_eq!(us_tenths(NominalPadding::Us8, 2000) - us_tenths(NominalPadding::Us0, 2000), 80);
    }
}
