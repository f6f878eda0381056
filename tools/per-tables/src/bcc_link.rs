//! Frames with the convolutional code, in the OFDM of clause 17.

use std::iter::repeat_n;

use rand::RngCore;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::awgn::deviation_per_axis;
use crate::code_rate::CodeRate;
use crate::constellation::{Axis, Constellation, SOFT_SCALE};
use crate::convolutional::encode;
use crate::format::Format;
use crate::interleaver;
use crate::link::Link;
use crate::puncture::{depuncture, puncture};
use crate::viterbi::{Traceback, Viterbi};

/// Bits of the SERVICE field (17.3.5.2).
const SERVICE_BITS: usize = 16;

/// Zero bits that end the code in the zero state (17.3.5.3).
const TAIL_BITS: usize = 6;

/// Integer soft values per unit of a logarithm of likelihood ratio, where subcarriers differ in gain.
const SOFT_SCALE_LLR: f32 = 32.0;

/// A transmitter, a channel and a receiver for frames of one rate and length.
#[derive(Clone, Debug)]
pub struct BccLink {
    code_rate: CodeRate,
    psdu_bits: usize,
    axis: Axis,
    /// Place after interleaving of each coded bit of a symbol.
    positions: Vec<usize>,
    /// Power gain of each axis of a symbol; none in white noise.
    gains: Vec<f32>,
    viterbi: Viterbi,
    data: Vec<u8>,
    coded: Vec<u8>,
    sent: Vec<u8>,
    received: Vec<i32>,
    soft: Vec<i32>,
    decoded: Vec<u8>,
}

impl BccLink {
    /// A link for frames of `psdu_bytes`.
    pub fn new(constellation: Constellation, code_rate: CodeRate, psdu_bytes: usize) -> Self {
        let positions = interleaver::clause_17(constellation);
        Self::variant((constellation, code_rate), psdu_bytes, positions, Traceback::WholeFrame)
    }

    /// A link with another interleaver (its length gives the coded bits of a
    /// symbol) and another decoder, for comparisons with other formats and
    /// receivers, which share the code and the constellations.
    pub fn variant(
        (constellation, code_rate): (Constellation, CodeRate),
        psdu_bytes: usize,
        positions: Vec<usize>,
        traceback: Traceback,
    ) -> Self {
        Self {
            code_rate,
            psdu_bits: 8 * psdu_bytes,
            axis: Axis::new(constellation),
            positions,
            gains: Vec::new(),
            viterbi: Viterbi::new(traceback),
            data: Vec::new(),
            coded: Vec::new(),
            sent: Vec::new(),
            received: Vec::new(),
            soft: Vec::new(),
            decoded: Vec::new(),
        }
    }

    /// A link of this format over subcarriers with these power gains, which the receiver knows.
    ///
    /// # Panics
    /// If the gains are not as many as the data subcarriers.
    pub fn selective(
        (constellation, code_rate): (Constellation, CodeRate),
        psdu_bytes: usize,
        format: Format,
        gains: &[f64],
    ) -> Self {
        let positions = format.interleaver(constellation);
        assert_eq!(positions.len(), gains.len() * constellation.bits_per_subcarrier(), "data subcarriers");
        let gains = gains.iter().flat_map(|gain| repeat_n(*gain as f32, constellation.axes())).collect();
        let link = Self::variant((constellation, code_rate), psdu_bytes, positions, Traceback::WholeFrame);
        Self { gains, ..link }
    }

    /// Bits up to and with the tail; the pad bits come after them.
    fn terminated_bits(&self) -> usize {
        SERVICE_BITS + self.psdu_bits + TAIL_BITS
    }

    /// The scrambled DATA field (17.3.5.2 to 17.3.5.5): random SERVICE, PSDU
    /// and pad bits, for scrambled bits are as good as random; tail bits zero.
    fn draw_data(&mut self, rng: &mut impl RngCore) {
        let terminated = self.terminated_bits();
        let (data, coded) = self.code_rate.fraction();
        let symbol_bits = self.positions.len() * data / coded;
        let bits = terminated.next_multiple_of(symbol_bits);
        self.data.clear();
        while self.data.len() < bits {
            let word = rng.next_u64();
            let wanted = (bits - self.data.len()).min(64);
            self.data.extend((0..wanted).map(|bit| (word >> bit & 1) as u8));
        }
        self.data[terminated - TAIL_BITS..terminated].fill(0);
    }

    fn transmit(&mut self) {
        self.coded.clear();
        encode(&self.data, &mut self.coded);
        self.sent.clear();
        puncture(self.code_rate, &self.coded, &mut self.sent);
    }

    /// Interleaves, maps, adds noise, demaps and deinterleaves, symbol by
    /// symbol. The unused quadrature axis of BPSK carries noise that a receiver
    /// ignores; it is not drawn. A gain divides the noise, as the receiver divides by it, and weights the soft value.
    fn receive(&mut self, deviation: f32, rng: &mut impl RngCore) {
        let symbol_bits = self.positions.len();
        let mut interleaved = vec![0; symbol_bits];
        let mut soft = vec![0; symbol_bits];
        self.received.resize(self.sent.len(), 0);
        for (sent, received) in self.sent.chunks(symbol_bits).zip(self.received.chunks_mut(symbol_bits)) {
            for (bit, place) in sent.iter().zip(&self.positions) {
                interleaved[*place] = *bit;
            }
            let bits = self.axis.bits();
            for (place, (bits, soft)) in interleaved.chunks(bits).zip(soft.chunks_mut(bits)).enumerate() {
                let noise: f32 = StandardNormal.sample(rng);
                let (deviation, scale) = match self.gains.get(place) {
                    Some(gain) => (
                        deviation / libm::sqrtf(*gain),
                        SOFT_SCALE_LLR * gain / (2.0 * deviation * deviation),
                    ),
                    None => (deviation, SOFT_SCALE),
                };
                self.axis.integer_soft_values(self.axis.level(bits) + deviation * noise, scale, soft);
            }
            for (value, place) in received.iter_mut().zip(&self.positions) {
                *value = soft[*place];
            }
        }
    }

    /// Decodes up to the tail; the code word ends there in the zero state.
    fn decode(&mut self) {
        self.soft.resize(2 * self.data.len(), 0);
        depuncture(self.code_rate, &self.received, &mut self.soft);
        let terminated = self.terminated_bits();
        self.viterbi.decode(&self.soft[..2 * terminated], &mut self.decoded);
    }
}

impl Link for BccLink {
    fn psdu_bit_errors(&mut self, snr_db: f64, rng: &mut ChaCha8Rng) -> usize {
        self.draw_data(rng);
        self.transmit();
        self.receive(deviation_per_axis(snr_db) as f32, rng);
        self.decode();
        let psdu = SERVICE_BITS..SERVICE_BITS + self.psdu_bits;
        self.data[psdu.clone()].iter().zip(&self.decoded[psdu]).filter(|(sent, got)| sent != got).count()
    }
}
