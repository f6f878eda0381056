//! How the low-density parity-check code fills symbols (IEEE 802.11-2020, 19.3.11.7.5).

use super::CodeRate;

/// The longest codeword in bits (Table 19-15).
const LONGEST_CODEWORD: u32 = 1944;

/// Codewords of a PSDU.
struct Codewords {
    count: u32,
    bits: u32,
}

/// Whether a transmitter has to add a symbol (HE and EHT: a quarter of one), because otherwise too much of the
/// parity would be punctured (19.3.11.7.5, step d; 21.3.10.5.4; IEEE 802.11ax-2021, 27.3.12.5.2).
///
/// `payload_bits` is `N_pld` and `available_bits` is `N_avbits`, which holds at least the encoded payload.
#[inline]
pub(super) const fn needs_more_room(payload_bits: u32, available_bits: u32, rate: CodeRate) -> bool {
    // At most one codeword's worth of data is shortened, so less than one codeword's parity is punctured:
    // below a tenth of the parity from ten codewords on.
    if payload_bits >= rate.data_bits(10 * LONGEST_CODEWORD) {
        return false;
    }
    let words = codewords(payload_bits, available_bits, rate);
    let bits = words.count * words.bits;
    let data = rate.data_bits(bits);
    let parity = bits - data;
    let shortened = data.saturating_sub(payload_bits);
    let punctured = bits.saturating_sub(available_bits + shortened);
    let (numerator, denominator) = rate.ratio();
    let little_shortened = 5 * shortened * (denominator - numerator) < 6 * punctured * numerator;
    (10 * punctured > parity && little_shortened) || 10 * punctured > 3 * parity
}

/// Number and length of codewords (Table 19-16).
const fn codewords(payload_bits: u32, available_bits: u32, rate: CodeRate) -> Codewords {
    let (numerator, denominator) = rate.ratio();
    // The room that the table requires before it uses the longer codeword.
    let (count, short, long, margin) = match available_bits {
        0..=648 => (1, 648, 1296, 912),
        649..=1296 => (1, 1296, 1944, 1464),
        1297..=1944 => (1, 1944, 1944, 0),
        1945..=2592 => (2, 1296, 1944, 2916),
        _ => {
            let count = payload_bits.div_ceil(rate.data_bits(LONGEST_CODEWORD));
            return Codewords { count, bits: LONGEST_CODEWORD };
        }
    };
    let roomy =
        available_bits * denominator >= payload_bits * denominator + margin * (denominator - numerator);
    Codewords { count, bits: if roomy { long } else { short } }
}
