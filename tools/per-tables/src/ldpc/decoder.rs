//! Layered belief propagation.
//!
//! The rows of blocks are the layers. A layer takes the posterior values of its bits, subtracts its messages to
//! them from the previous iteration, computes new messages and adds those, so that the next layer uses them at once
//! (Hocevar 2004, IEEE Workshop on Signal Processing Systems). The checks of a layer share no bit; they are done
//! side by side, one lane each.

use super::base_matrix::Block;
use super::code::Code;

/// Iterations after which the decoder gives up.
pub const ITERATIONS: usize = 20;

/// Factor of the messages of [`CheckRule::MinSum`].
pub const NORMALISATION: f32 = 0.8;

/// A soft value that outweighs every other: of a bit that the receiver knows.
pub const CERTAIN: f32 = 1e6;

/// How a parity check combines the messages of its other bits about one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CheckRule {
    /// Normalised min-sum (Chen and Fossorier 2002, IEEE Commun. Lett. 6(5)): the least of the others, times
    /// [`NORMALISATION`]. Does not depend on the scale of the soft values.
    MinSum,
    /// The same with another factor, for comparisons.
    MinSumTimes(f32),
    /// The exact rule of belief propagation; soft values must be logarithms of likelihood ratios. Slow.
    SumProduct,
}

/// A decoder with its memory, used for codeword after codeword.
#[derive(Clone, Debug)]
pub struct Decoder {
    rule: CheckRule,
    iterations: usize,
    posterior: Vec<f32>,
    /// The last messages of each layer, in the order of layers, their blocks and lanes.
    messages: Vec<f32>,
    /// The messages of the bits of a layer to it, block by block.
    inbound: Vec<f32>,
}

impl Decoder {
    /// A decoder for every code.
    pub fn new(rule: CheckRule, iterations: usize) -> Self {
        Self { rule, iterations, posterior: Vec::new(), messages: Vec::new(), inbound: Vec::new() }
    }

    /// Decodes soft values (positive favours zero) of a codeword of `code` and returns the values after decoding:
    /// a bit is one where the sign of its value is negative.
    ///
    /// # Panics
    /// If the blocks of `code` have a size that 802.11 does not have.
    pub fn decode(&mut self, code: &Code, soft: &[f32]) -> &[f32] {
        match code.z() {
            27 => self.decode_lanes::<27>(code, soft),
            42 => self.decode_lanes::<42>(code, soft),
            54 => self.decode_lanes::<54>(code, soft),
            81 => self.decode_lanes::<81>(code, soft),
            z => panic!("no code of 802.11 has blocks of size {z}"),
        }
        &self.posterior
    }

    /// The number of lanes is a constant, so that the compiler makes vectors of them.
    fn decode_lanes<const Z: usize>(&mut self, code: &Code, soft: &[f32]) {
        self.posterior.clear();
        self.posterior.extend_from_slice(soft);
        let blocks: usize = code.layers().iter().map(Vec::len).sum();
        self.messages.clear();
        self.messages.resize(blocks * Z, 0.0);
        for _ in 0..self.iterations {
            if is_codeword::<Z>(code, &self.posterior) {
                break;
            }
            let mut messages = &mut self.messages[..];
            for layer in code.layers() {
                let (own, rest) = messages.split_at_mut(layer.len() * Z);
                self.inbound.clear();
                subtract::<Z>(layer, &self.posterior, own, &mut self.inbound);
                match self.rule {
                    CheckRule::MinSum => min_sum::<Z>(NORMALISATION, &self.inbound, own),
                    CheckRule::MinSumTimes(factor) => min_sum::<Z>(factor, &self.inbound, own),
                    CheckRule::SumProduct => sum_product::<Z>(&self.inbound, own),
                }
                add::<Z>(layer, &self.inbound, own, &mut self.posterior);
                messages = rest;
            }
        }
    }
}

/// Whether the signs of `posterior` meet every parity check.
fn is_codeword<const Z: usize>(code: &Code, posterior: &[f32]) -> bool {
    code.layers().iter().all(|layer| {
        let mut signs = [0_u32; Z];
        for block in layer {
            let bits = &posterior[block.column * Z..][..Z];
            let (wrapped, straight) = bits.split_at(block.shift);
            let (of_straight, of_wrapped) = signs.split_at_mut(straight.len());
            of_straight.iter_mut().zip(straight).for_each(|(sign, value)| *sign ^= value.to_bits());
            of_wrapped.iter_mut().zip(wrapped).for_each(|(sign, value)| *sign ^= value.to_bits());
        }
        signs.iter().fold(0, |any, sign| any | sign) >> 31 == 0
    })
}

/// The messages of the bits of a layer to its checks: their values without the layer's own messages.
fn subtract<const Z: usize>(layer: &[Block], posterior: &[f32], messages: &[f32], inbound: &mut Vec<f32>) {
    for (block, messages) in layer.iter().zip(messages.chunks_exact(Z)) {
        let bits = &posterior[block.column * Z..][..Z];
        let (wrapped, straight) = bits.split_at(block.shift);
        let (of_straight, of_wrapped) = messages.split_at(straight.len());
        inbound.extend(straight.iter().zip(of_straight).map(|(value, message)| value - message));
        inbound.extend(wrapped.iter().zip(of_wrapped).map(|(value, message)| value - message));
    }
}

/// The values of the bits with the layer's new messages.
fn add<const Z: usize>(layer: &[Block], inbound: &[f32], messages: &[f32], posterior: &mut [f32]) {
    let sums = inbound.chunks_exact(Z).zip(messages.chunks_exact(Z));
    for (block, (inbound, messages)) in layer.iter().zip(sums) {
        let bits = &mut posterior[block.column * Z..][..Z];
        let (wrapped, straight) = bits.split_at_mut(block.shift);
        let split = straight.len();
        for (lane, value) in straight.iter_mut().enumerate() {
            *value = inbound[lane] + messages[lane];
        }
        for (lane, value) in wrapped.iter_mut().enumerate() {
            *value = inbound[split + lane] + messages[split + lane];
        }
    }
}

const SIGN: u32 = 1 << 31;

fn min_sum<const Z: usize>(factor: f32, inbound: &[f32], messages: &mut [f32]) {
    let (mut least, mut second) = ([f32::INFINITY; Z], [f32::INFINITY; Z]);
    let mut parity = [0_u32; Z];
    for block in inbound.chunks_exact(Z) {
        for lane in 0..Z {
            let magnitude = block[lane].abs();
            let above = if magnitude > least[lane] { magnitude } else { least[lane] };
            second[lane] = if above < second[lane] { above } else { second[lane] };
            least[lane] = if magnitude < least[lane] { magnitude } else { least[lane] };
            parity[lane] ^= block[lane].to_bits();
        }
    }
    for (block, messages) in inbound.chunks_exact(Z).zip(messages.chunks_exact_mut(Z)) {
        for lane in 0..Z {
            let own = block[lane].abs();
            // Of two equally small ones, each sees the other.
            let of_others = factor * if own > least[lane] { least[lane] } else { second[lane] };
            let sign = (parity[lane] ^ block[lane].to_bits()) & SIGN;
            messages[lane] = f32::from_bits(of_others.to_bits() | sign);
        }
    }
}

/// Most that a message or an argument of it may be, so that the functions stay finite.
const SUM_PRODUCT_LIMIT: f32 = 30.0;

/// With phi(x) = -ln tanh(x / 2), its own inverse: phi of the sum of phi of the others (Gallager 1963).
fn sum_product<const Z: usize>(inbound: &[f32], messages: &mut [f32]) {
    let phi = |x: f32| {
        let x = x.clamp(1e-6, SUM_PRODUCT_LIMIT);
        let e = libm::expf(-x);
        libm::log1pf(2.0 * e / (1.0 - e))
    };
    for lane in 0..Z {
        let of_lane = || inbound.chunks_exact(Z).map(|block| block[lane]);
        let parity = of_lane().fold(0, |parity, value| parity ^ value.to_bits());
        let phis: Vec<f32> = of_lane().map(|value| phi(value.abs())).collect();
        for (own, (value, messages)) in of_lane().zip(messages.chunks_exact_mut(Z)).enumerate() {
            let others = phis.iter().enumerate().filter(|(place, _)| *place != own);
            let magnitude = phi(others.map(|(_, phi)| phi).sum());
            messages[lane] = f32::from_bits(magnitude.to_bits() | (parity ^ value.to_bits()) & SIGN);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_rate::CodeRate;
    use crate::ldpc::{annex_f, dmg};
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    fn codes() -> impl Iterator<Item = Code> {
        let annex_f = [648, 1296, 1944].map(|bits| annex_f::base_matrix(bits, CodeRate::ThreeQuarters));
        let dmg = dmg::base_matrix(CodeRate::ThreeQuarters);
        annex_f.into_iter().chain([dmg]).map(|matrix| Code::new(matrix.expect("a matrix")))
    }

    fn random_codeword(code: &Code, rng: &mut ChaCha8Rng) -> Vec<u8> {
        let data: Vec<u8> = (0..code.data_bits()).map(|_| u8::from(rng.random::<bool>())).collect();
        let mut word = Vec::new();
        code.encode(&data, &mut word);
        word
    }

    fn hard(values: &[f32]) -> Vec<u8> {
        values.iter().map(|value| u8::from(value.is_sign_negative())).collect()
    }

    #[test]
    fn noiseless_codewords_come_back_at_once() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for code in codes() {
            let word = random_codeword(&code, &mut rng);
            let soft: Vec<f32> = word.iter().map(|bit| 1.0 - 2.0 * f32::from(*bit)).collect();
            assert_eq!(hard(Decoder::new(CheckRule::MinSum, 0).decode(&code, &soft)), word);
        }
    }

    /// BPSK at Es/N0 = 3.5 dB: 1.8 dB above the waterfall of rate 3/4, with 2 % of the bits wrong before decoding.
    #[test]
    fn errors_and_erasures_are_corrected_by_either_rule() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let deviation = crate::awgn::deviation_per_axis(3.5) as f32;
        for rule in [CheckRule::MinSum, CheckRule::SumProduct] {
            let mut decoder = Decoder::new(rule, ITERATIONS);
            for code in codes() {
                let word = random_codeword(&code, &mut rng);
                let mut soft: Vec<f32> = word
                    .iter()
                    .map(|bit| {
                        let noise: f32 = StandardNormal.sample(&mut rng);
                        (1.0 - 2.0 * f32::from(*bit) + deviation * noise) * 2.0 / (deviation * deviation)
                    })
                    .collect();
                soft[5] = 0.0;
                assert_ne!(hard(&soft), word);
                assert_eq!(hard(decoder.decode(&code, &soft)), word, "{rule:?} z {}", code.z());
            }
        }
    }

    /// One check over four bits, worked by hand: the least of the others, with the sign of their product.
    #[test]
    #[expect(clippy::float_cmp, reason = "halves are exact")]
    fn a_check_by_hand() {
        let inbound = [2.0, -1.0, 4.0, 3.0];
        let mut messages = [0.0; 4];
        min_sum::<1>(0.5, &inbound, &mut messages);
        assert_eq!(messages, [-0.5, 1.0, -0.5, -0.5]);
        sum_product::<1>(&inbound, &mut messages);
        let tanh = |x: f64| libm::tanh(x / 2.0);
        let exact = |others: [f64; 3]| 2.0 * libm::atanh(others.map(tanh).iter().product());
        for (message, others) in
            messages.iter().zip([[-1.0, 4.0, 3.0], [2.0, 4.0, 3.0], [2.0, -1.0, 3.0], [2.0, -1.0, 4.0]])
        {
            assert!((f64::from(*message) - exact(others)).abs() < 1e-4, "{message}");
        }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "whole numbers are exact")]
    fn two_equally_small_values_see_each_other() {
        let mut messages = [0.0; 3];
        min_sum::<1>(1.0, &[1.0, -1.0, 5.0], &mut messages);
        assert_eq!(messages, [-1.0, 1.0, -1.0]);
    }
}
