//! Frames with a low-density parity-check code: OFDM of HE and EHT, and directional multi-gigabit.

use std::ops::Range;

use rand::RngCore;
use rand_chacha::ChaCha8Rng;

use crate::code_rate::CodeRate;
use crate::constellation::Constellation;
use crate::format::Format;
use crate::ldpc::code::Code;
use crate::ldpc::codewords::{Codeword, Codewords};
use crate::ldpc::decoder::{CERTAIN, CheckRule, Decoder, ITERATIONS};
use crate::link::Link;
use crate::mode::{CONTROL_SPREADING, Mode};
use crate::modem::Modem;

/// PSDUs of OFDM up to this length are one codeword of 648 bits.
const ONE_CODEWORD_BYTES: usize = 32;

/// A transmitter, a channel and a receiver for frames of one mode and length.
#[derive(Clone, Debug)]
pub struct LdpcLink {
    words: Codewords,
    code: Code,
    modem: Modem,
    decoder: Decoder,
    payload: Vec<u8>,
    word: Vec<u8>,
    sent: Vec<u8>,
    received: Vec<f32>,
    soft: Vec<f32>,
}

/// The codewords of the table for this mode and length.
///
/// # Panics
/// If `mode` has the convolutional code.
pub fn codewords(mode: Mode, psdu_bytes: usize) -> Codewords {
    match mode {
        Mode::Bcc(..) => panic!("{mode} has no codewords"),
        Mode::Ldpc(_, code_rate) if psdu_bytes <= ONE_CODEWORD_BYTES => {
            Codewords::one_of_648_bits(code_rate, psdu_bytes)
        }
        Mode::Ldpc(constellation, code_rate) => Codewords::he_20_mhz(constellation, code_rate, psdu_bytes),
        Mode::Dmg(0) => Codewords::dmg_control(psdu_bytes),
        Mode::Dmg(1) => Codewords::dmg_mcs_1(psdu_bytes),
        Mode::Dmg(_) => Codewords::dmg(mode.code_rate(), psdu_bytes),
    }
}

impl LdpcLink {
    /// The link of the table.
    ///
    /// # Panics
    /// If `mode` has the convolutional code.
    pub fn new(mode: Mode, psdu_bytes: usize) -> Self {
        Self::variant(mode, codewords(mode, psdu_bytes), CheckRule::MinSum, ITERATIONS)
    }

    /// A link with other codewords or another decoder, for comparisons.
    pub fn variant(mode: Mode, words: Codewords, rule: CheckRule, iterations: usize) -> Self {
        let modem = match mode {
            Mode::Dmg(0) => Modem::differential(CONTROL_SPREADING),
            _ => Modem::coherent(mode.constellation()),
        };
        Self {
            words,
            code: Code::new(words.matrix),
            modem,
            decoder: Decoder::new(rule, iterations),
            payload: Vec::new(),
            word: Vec::new(),
            sent: Vec::new(),
            received: Vec::new(),
            soft: Vec::new(),
        }
    }

    /// A link of this format over subcarriers with these power gains, which the receiver knows.
    pub fn selective(
        (constellation, code_rate): (Constellation, CodeRate),
        psdu_bytes: usize,
        format: Format,
        gains: &[f64],
    ) -> Self {
        let words = format.codewords(constellation, code_rate, psdu_bytes);
        let mode = Mode::Ldpc(constellation, code_rate);
        Self::variant(mode, words, CheckRule::MinSum, ITERATIONS).over(constellation, format, gains)
    }

    /// The same link over subcarriers with these power gains.
    #[must_use]
    pub fn over(self, constellation: Constellation, format: Format, gains: &[f64]) -> Self {
        let mapped: Vec<f64> = format.tone_mapper().into_iter().map(|tone| gains[tone]).collect();
        Self { modem: Modem::selective(constellation, &mapped), ..self }
    }

    /// SERVICE, PSDU and padding, which scrambling makes as good as random.
    fn draw_payload(&mut self, rng: &mut ChaCha8Rng) {
        self.payload.clear();
        while self.payload.len() < self.words.payload_bits {
            let bits = rng.next_u64();
            let wanted = (self.words.payload_bits - self.payload.len()).min(64);
            self.payload.extend((0..wanted).map(|bit| (bits >> bit & 1) as u8));
        }
    }

    /// The bits on the air, codeword after codeword: its payload, its parity, and what is repeated of them. The
    /// shortened data bits are zero and not sent.
    fn encode(&mut self) {
        self.sent.clear();
        for Codeword { payload, parity_bits, repeated } in self.words.iter() {
            let payload = &self.payload[payload];
            let mut data = payload.to_vec();
            data.resize(self.code.data_bits(), 0);
            self.word.clear();
            self.code.encode(&data, &mut self.word);
            let start = self.sent.len();
            self.sent.extend_from_slice(payload);
            self.sent.extend_from_slice(&self.word[data.len()..][..parity_bits]);
            let once = self.sent.len() - start;
            for place in 0..repeated {
                self.sent.push(self.sent[start + place % once]);
            }
        }
    }

    /// Decodes codeword after codeword and counts the wrong bits of the PSDU in the first that has any: the frame is
    /// then lost, whatever comes after.
    fn decode(&mut self) -> usize {
        let psdu = self.words.service_bits..self.words.service_bits + self.words.psdu_bits;
        let mut received = &self.received[..];
        for word in self.words.iter() {
            let once = word.payload.len() + word.parity_bits;
            let (own, rest) = received.split_at(once + word.repeated);
            collect(&word, own, &self.code, &mut self.soft);
            let decoded = self.decoder.decode(&self.code, &self.soft);
            let wrong = wrong_bits(&self.payload, &word.payload, &psdu, decoded);
            if wrong > 0 {
                return wrong;
            }
            received = rest;
        }
        0
    }
}

impl Link for LdpcLink {
    fn psdu_bit_errors(&mut self, snr_db: f64, rng: &mut ChaCha8Rng) -> usize {
        self.draw_payload(rng);
        self.encode();
        self.modem.convey(&self.sent, snr_db, rng, &mut self.received);
        self.decode()
    }
}

/// The soft values of a whole codeword from those received: repetitions are added, shortened bits are known to be zero,
/// punctured ones unknown.
fn collect(word: &Codeword, received: &[f32], code: &Code, soft: &mut Vec<f32>) {
    let payload_bits = word.payload.len();
    soft.clear();
    soft.extend_from_slice(&received[..payload_bits]);
    soft.resize(code.data_bits(), CERTAIN);
    soft.extend_from_slice(&received[payload_bits..][..word.parity_bits]);
    soft.resize(code.codeword_bits(), 0.0);
    let once = payload_bits + word.parity_bits;
    for (place, value) in received[once..].iter().enumerate() {
        let place = place % once;
        let parity = place.checked_sub(payload_bits);
        soft[parity.map_or(place, |parity| code.data_bits() + parity)] += value;
    }
}

/// Wrong bits among those payload bits of a codeword that belong to the PSDU.
fn wrong_bits(sent: &[u8], payload: &Range<usize>, psdu: &Range<usize>, decoded: &[f32]) -> usize {
    let own = payload.start.max(psdu.start)..payload.end.min(psdu.end);
    own.filter(|place| u8::from(decoded[place - payload.start].is_sign_negative()) != sent[*place]).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::awgn::{SnrStep, stream};

    /// Repetition adds energy, puncturing takes some: at one SNR near the waterfall.
    #[test]
    fn repetition_helps_and_puncturing_hurts() {
        let mode = Mode::Ldpc(Constellation::Bpsk, CodeRate::ThreeQuarters);
        let whole = Codewords::one_of_648_bits(CodeRate::ThreeQuarters, 32);
        let repeated = Codewords { repeated: 400, ..whole };
        let punctured = Codewords { punctured: 60, ..whole };
        let [whole, repeated, punctured] = [whole, repeated, punctured].map(|words| {
            let mut link = LdpcLink::variant(mode, words, CheckRule::MinSum, ITERATIONS);
            let mut rng = stream(1, mode, 32, SnrStep(6));
            (0..400).filter(|_| link.psdu_bit_errors(1.5, &mut rng) > 0).count()
        });
        assert!(repeated * 4 < whole && whole * 3 < punctured * 2, "{repeated} {whole} {punctured}");
    }

    /// SERVICE and padding do not count.
    #[test]
    fn only_bits_of_the_psdu_count() {
        let sent = [0; 12];
        let decoded = [-1.0; 4];
        assert_eq!(wrong_bits(&sent, &(4..8), &(0..12), &decoded), 4);
        assert_eq!(wrong_bits(&sent, &(4..8), &(6..12), &decoded), 2);
        assert_eq!(wrong_bits(&sent, &(4..8), &(0..5), &decoded), 1);
        assert_eq!(wrong_bits(&sent, &(4..8), &(9..12), &decoded), 0);
    }
}
