//! How the bits of a PPDU are laid out in codewords (IEEE 802.11-2020, 19.3.11.7.5 and 20.6.3.2.3).

use std::ops::Range;

use super::annex_f;
use super::base_matrix::BaseMatrix;
use super::dmg;
use crate::code_rate::CodeRate;
use crate::constellation::Constellation;

/// Bits of the SERVICE field, which comes before the PSDU (17.3.5.2).
const SERVICE_BITS: usize = 16;

/// Data subcarriers of a resource unit of HE, and of a quarter of its symbol (IEEE 802.11ax-2021, Table 27-13 and Table
/// 27-33: `N_SD` and `N_SD,short`).
#[derive(Clone, Copy, Debug)]
pub struct HeSubcarriers {
    whole: usize,
    quarter: usize,
}

impl HeSubcarriers {
    /// A resource unit of 242, the whole of 20 MHz.
    pub const OF_242: Self = Self { whole: 234, quarter: 60 };
    /// A resource unit of 996, the whole of 80 MHz.
    pub const OF_996: Self = Self { whole: 980, quarter: 240 };
}

/// Data bits of a codeword of MCS 1 of DMG that are sent twice (IEEE 802.11-2020, 20.6.3.2.3.3).
const DMG_MCS_1_DATA_BITS: usize = 168;

/// Most data bits of a codeword of the control mode (20.4.3.3.3).
const DMG_CONTROL_DATA_BITS: usize = 168;

/// Codewords of one PPDU.
#[derive(Clone, Copy, Debug)]
pub struct Codewords {
    /// Their code.
    pub matrix: BaseMatrix,
    /// How many there are.
    pub count: usize,
    /// Bits before the PSDU.
    pub service_bits: usize,
    /// Bits of the PSDU.
    pub psdu_bits: usize,
    /// Data bits in all codewords (`N_pld`), at least SERVICE and PSDU; the rest is padding.
    pub payload_bits: usize,
    /// Data bits known to be zero, which are not sent, in all codewords (`N_shrt`).
    pub shortened: usize,
    /// Parity bits that are not sent, in all codewords (`N_punc`).
    pub punctured: usize,
    /// Bits that are sent again, in all codewords (`N_rep`).
    pub repeated: usize,
}

/// One codeword of a PPDU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Codeword {
    /// The payload bits that it carries.
    pub payload: Range<usize>,
    /// Parity bits that are sent.
    pub parity_bits: usize,
    /// Bits that are sent again, from the first data bit on.
    pub repeated: usize,
}

impl Codewords {
    /// An HE SU PPDU of 20 MHz with one spatial stream, the PPDU of the table.
    ///
    /// # Panics
    /// If Annex F has no code of this rate.
    pub fn he_20_mhz(constellation: Constellation, code_rate: CodeRate, psdu_bytes: usize) -> Self {
        Self::he(HeSubcarriers::OF_242, constellation, code_rate, psdu_bytes)
    }

    /// An HE SU PPDU with one spatial stream (IEEE 802.11ax-2021, 27.3.12.5.2), whose numbers of EHT are the same (IEEE
    /// 802.11be-2024, 36.3.13.3.4).
    ///
    /// # Panics
    /// If Annex F has no code of this rate.
    pub fn he(
        subcarriers: HeSubcarriers,
        constellation: Constellation,
        code_rate: CodeRate,
        psdu_bytes: usize,
    ) -> Self {
        let none = Quarters {
            bits_per_subcarrier: constellation.bits_per_subcarrier(),
            code_rate,
            subcarriers,
            whole: 0,
            last: 4,
        };
        let quarters = none.with_room_for(SERVICE_BITS + 8 * psdu_bytes);
        let (payload_bits, available) = (quarters.data_bits(), quarters.coded_bits());
        let (count, length) = count_and_length(payload_bits, available, code_rate);
        let matrix = annex_f::base_matrix(length, code_rate).expect("a code of Annex F");
        let words = Self {
            matrix,
            count,
            service_bits: SERVICE_BITS,
            psdu_bits: 8 * psdu_bytes,
            payload_bits,
            shortened: (count * matrix.data_bits()).saturating_sub(payload_bits),
            punctured: 0,
            repeated: 0,
        };
        let first = words.filling(available);
        if first.needs_more_room() { words.filling(quarters.one_more().coded_bits()) } else { first }
    }

    /// One codeword of 648 bits without shortening, puncturing or repetition: SERVICE, PSDU and padding fill its data
    /// bits.
    ///
    /// # Panics
    /// If they do not fit, or if Annex F has no code of this rate.
    pub fn one_of_648_bits(code_rate: CodeRate, psdu_bytes: usize) -> Self {
        let matrix = annex_f::base_matrix(648, code_rate).expect("a code of Annex F");
        let words = Self::whole(matrix, SERVICE_BITS, 8 * psdu_bytes, matrix.data_bits());
        assert_eq!(words.count, 1, "{psdu_bytes} octets in one codeword");
        words
    }

    /// A single-carrier PPDU of DMG, MCS 2 to 12: whole codewords, padding in the last (20.6.3.2.3.3).
    ///
    /// # Panics
    /// If DMG has no code of this rate.
    pub fn dmg(code_rate: CodeRate, psdu_bytes: usize) -> Self {
        let matrix = dmg::base_matrix(code_rate).expect("a code of DMG");
        Self::whole(matrix, 0, 8 * psdu_bytes, matrix.data_bits())
    }

    /// A single-carrier PPDU of DMG at MCS 1: half of the data bits are zero and the other half is sent in their place
    /// again.
    ///
    /// # Panics
    /// Never.
    pub fn dmg_mcs_1(psdu_bytes: usize) -> Self {
        let matrix = dmg::base_matrix(CodeRate::Half).expect("a code of DMG");
        let words = Self::whole(matrix, 0, 8 * psdu_bytes, DMG_MCS_1_DATA_BITS);
        Self { repeated: words.payload_bits, ..words }
    }

    /// The data of a DMG PPDU in the control mode: codewords of rate 3/4 of which at most 168 data bits are used
    /// (20.4.3.3.3). Header and first octets, in a shorter codeword of their own, are left out.
    ///
    /// # Panics
    /// Never.
    pub fn dmg_control(psdu_bytes: usize) -> Self {
        let matrix = dmg::base_matrix(CodeRate::ThreeQuarters).expect("a code of DMG");
        let count = (8 * psdu_bytes).div_ceil(DMG_CONTROL_DATA_BITS);
        Self::whole(matrix, 0, 8 * psdu_bytes, (8 * psdu_bytes).div_ceil(count))
    }

    /// Codewords that each carry `data_bits`; the other data bits are shortened.
    fn whole(matrix: BaseMatrix, service_bits: usize, psdu_bits: usize, data_bits: usize) -> Self {
        let count = (service_bits + psdu_bits).div_ceil(data_bits);
        Self {
            matrix,
            count,
            service_bits,
            psdu_bits,
            payload_bits: count * data_bits,
            shortened: count * (matrix.data_bits() - data_bits),
            punctured: 0,
            repeated: 0,
        }
    }

    fn parity_bits(&self) -> usize {
        self.count * (self.matrix.codeword_bits() - self.matrix.data_bits())
    }

    /// The same codewords, punctured or repeated so that `available` bits are sent (19.3.11.7.5, steps d to f).
    fn filling(self, available: usize) -> Self {
        let unpunctured = self.payload_bits + self.parity_bits();
        Self {
            punctured: unpunctured.saturating_sub(available),
            repeated: available.saturating_sub(unpunctured),
            ..self
        }
    }

    /// Whether too much of the parity would be punctured (19.3.11.7.5, step d).
    fn needs_more_room(&self) -> bool {
        let (data, coded) = (self.matrix.data_bits(), self.matrix.codeword_bits());
        let little_shortened = 5 * self.shortened * (coded - data) < 6 * self.punctured * data;
        (10 * self.punctured > self.parity_bits() && little_shortened)
            || 10 * self.punctured > 3 * self.parity_bits()
    }

    /// The codewords in order. What does not divide evenly goes to the first ones (19.3.11.7.5, steps c, d and f).
    pub fn iter(&self) -> impl Iterator<Item = Codeword> + use<> {
        let Self { matrix, count, shortened, punctured, repeated, .. } = *self;
        let share = move |total: usize, word: usize| total / count + usize::from(word < total % count);
        let mut start = 0;
        (0..count).map(move |word| {
            let payload = start..start + matrix.data_bits() - share(shortened, word);
            start = payload.end;
            let parity_bits = matrix.codeword_bits() - matrix.data_bits() - share(punctured, word);
            Codeword { payload, parity_bits, repeated: share(repeated, word) }
        })
    }

    /// Bits sent in all codewords.
    pub fn sent_bits(&self) -> usize {
        self.payload_bits + self.parity_bits() - self.punctured + self.repeated
    }
}

/// Number and length of codewords (Table 19-16), from `N_pld` and `N_avbits`.
fn count_and_length(payload_bits: usize, available: usize, code_rate: CodeRate) -> (usize, usize) {
    let (data, coded) = code_rate.fraction();
    // Whether so many parity bits of the code beyond the payload are available.
    let roomy = |bits: usize| available * coded >= payload_bits * coded + bits * (coded - data);
    match available {
        0..=648 => (1, if roomy(912) { 1296 } else { 648 }),
        649..=1296 => (1, if roomy(1464) { 1944 } else { 1296 }),
        1297..=1944 => (1, 1944),
        1945..=2592 => (2, if roomy(2916) { 1944 } else { 1296 }),
        _ => ((payload_bits * coded).div_ceil(1944 * data), 1944),
    }
}

/// The symbols of an HE PPDU, the last of which is filled in quarters (IEEE 802.11ax-2021, 27.3.12.5.1).
#[derive(Clone, Copy)]
struct Quarters {
    bits_per_subcarrier: usize,
    code_rate: CodeRate,
    subcarriers: HeSubcarriers,
    /// Symbols before the last.
    whole: usize,
    /// Quarters of the last, 1 to 4 (the pre-FEC padding factor).
    last: usize,
}

impl Quarters {
    /// The least that hold `bits` of SERVICE and PSDU.
    fn with_room_for(self, bits: usize) -> Self {
        let symbol = Self { whole: 0, last: 4, ..self };
        let whole = bits.div_ceil(symbol.data_bits()) - 1;
        let rest = bits - whole * symbol.data_bits();
        let quarter = Self { last: 1, ..symbol }.data_bits();
        Self { whole, last: rest.div_ceil(quarter).min(4), ..symbol }
    }

    fn one_more(self) -> Self {
        if self.last == 4 {
            Self { whole: self.whole + 1, last: 1, ..self }
        } else {
            Self { last: self.last + 1, ..self }
        }
    }

    /// Coded bits. The fourth quarter is what the other three leave.
    fn coded_bits(self) -> usize {
        let HeSubcarriers { whole, quarter } = self.subcarriers;
        let of_last = if self.last == 4 { whole } else { self.last * quarter };
        (self.whole * whole + of_last) * self.bits_per_subcarrier
    }

    fn data_bits(self) -> usize {
        let (data, coded) = self.code_rate.fraction();
        self.coded_bits() * data / coded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constellation::Constellation::{Bpsk, Qam16, Qam64, Qam1024, Qpsk};

    fn numbers(words: &Codewords) -> [usize; 6] {
        let Codewords { count, payload_bits, shortened, punctured, repeated, .. } = *words;
        [count, words.matrix.codeword_bits(), payload_bits, shortened, punctured, repeated]
    }

    /// Worked by hand from the clauses named at the functions.
    #[test]
    fn he_layouts_by_hand() {
        let layout = |c, r, bytes| numbers(&Codewords::he_20_mhz(c, r, bytes));
        // MCS 0: 11,680 bits in 100 symbols of 117; 13 codewords have 12,636 data bits.
        assert_eq!(layout(Bpsk, CodeRate::Half, 1458), [13, 1944, 11_700, 936, 936, 0]);
        // MCS 11: five symbols of 1950 and four quarters.
        assert_eq!(layout(Qam1024, CodeRate::FiveSixths, 1458), [8, 1944, 11_700, 1260, 252, 0]);
        // MCS 2: 33 symbols of 351 and two quarters of 90 hold 11,763 bits in 15,684; of 4374 parity bits 453 would be
        // punctured, more than a tenth, and 1359 shortened, fewer than 3.6 times 453: one quarter more.
        assert_eq!(layout(Qpsk, CodeRate::ThreeQuarters, 1458), [9, 1944, 11_763, 1359, 333, 0]);
        // MCS 7: a quarter of 300 bits in 360; 648 - 240 - 360 = 48 of 108 parity bits would be punctured; two quarters
        // leave room to repeat 312.
        assert_eq!(layout(Qam64, CodeRate::FiveSixths, 32), [1, 648, 300, 240, 0, 312]);
        // MCS 7 in 80 MHz: two symbols of 4900 and two quarters of 1200 would hold 12,200.
        let wide = Codewords::he(HeSubcarriers::OF_996, Qam64, CodeRate::FiveSixths, 1458);
        assert_eq!(numbers(&wide)[2], 12_200);
        // MCS 3: three quarters of 120 bits, 720 coded: one codeword of 1296.
        assert_eq!(layout(Qam16, CodeRate::Half, 32), [1, 1296, 360, 288, 72, 0]);
    }

    #[test]
    fn codewords_join_to_the_whole() {
        for bytes in [1, 14, 32, 100, 333, 1458, 4000] {
            for code_rate in
                [CodeRate::Half, CodeRate::TwoThirds, CodeRate::ThreeQuarters, CodeRate::FiveSixths]
            {
                let layouts = [Codewords::he_20_mhz(Qam64, code_rate, bytes)];
                let short = (bytes < 33).then(|| Codewords::one_of_648_bits(code_rate, bytes));
                for words in layouts.into_iter().chain(short) {
                    let mut next = 0;
                    let mut sent = 0;
                    for word in words.iter() {
                        assert_eq!(word.payload.start, next);
                        next = word.payload.end;
                        sent += word.payload.len() + word.parity_bits + word.repeated;
                    }
                    assert_eq!((next, sent), (words.payload_bits, words.sent_bits()));
                    assert!(words.payload_bits >= words.service_bits + words.psdu_bits);
                }
            }
        }
    }

    /// As published for the HE PHY: whatever is punctured, the rate stays that of the code.
    #[test]
    fn without_another_quarter_the_rate_is_that_of_the_code() {
        let words = Codewords::he_20_mhz(Bpsk, CodeRate::Half, 1458);
        assert_eq!(words.sent_bits(), 2 * words.payload_bits);
        let words = Codewords::one_of_648_bits(CodeRate::FiveSixths, 32);
        assert_eq!((words.sent_bits(), words.payload_bits), (648, 540));
    }

    #[test]
    fn dmg_layouts() {
        // 11,664 bits: 34.7 codewords of 336, 69.4 of 168.
        assert_eq!(numbers(&Codewords::dmg(CodeRate::Half, 1458)), [35, 672, 11_760, 0, 0, 0]);
        assert_eq!(numbers(&Codewords::dmg_mcs_1(1458)), [70, 672, 11_760, 11_760, 0, 11_760]);
        assert_eq!(Codewords::dmg_mcs_1(1458).sent_bits(), 70 * 672);
        // 256 bits of the control mode in two codewords of 128 data and 168 parity bits.
        let control = Codewords::dmg_control(32);
        assert_eq!(numbers(&control), [2, 672, 256, 2 * (504 - 128), 0, 0]);
        assert_eq!(control.sent_bits(), 2 * (128 + 168));
    }
}
