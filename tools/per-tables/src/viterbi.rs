//! Soft-decision Viterbi decoding of the terminated code, traced back over the whole frame.
//!
//! A new state n is reached from the states 2(n mod 32) and 2(n mod 32) + 1.
//! Both generators contain the newest and the oldest bit of the register, so
//! the four branches between the pair (2k, 2k + 1) and the pair (k, k + 32)
//! carry only two code words, one the complement of the other:
//!
//! ```text
//!   2k   ---- +m ----> k          m = sum of the soft values, each with the
//!       \         /                   sign of the code bit of branch 2k -> k
//!        -- -m --
//!       /         \
//!   2k+1 ---- +m ----> k + 32     (crossed branches: -m)
//! ```

use crate::constellation::SOFT_LIMIT;
use crate::convolutional::{STATES, outputs};

const PAIRS: usize = STATES / 2;

/// Most trellis steps of a frame. The best metric grows by at most twice
/// `SOFT_LIMIT` per step and must stay within `i32`; the 64 steps of margin
/// cover the branch being added.
const STEPS_MAX: usize = (i32::MAX / (2 * SOFT_LIMIT)) as usize - 64;

/// Metric of the states in which the encoder does not start. After six steps
/// every state has a path from the zero state; until then a path from another
/// state gains at most 24 times `SOFT_LIMIT` on it, too little to win.
const UNREACHABLE: i32 = -(32 * SOFT_LIMIT);

/// A decoder with its memory, used for frame after frame.
#[derive(Clone, Debug)]
pub struct Viterbi {
    /// For each pair: -1 where the code bit of branch 2k -> k is one, else 0.
    masks: [[i32; PAIRS]; 2],
    /// For each step and new state: 1 if the better predecessor is the odd one.
    decisions: Vec<[u8; STATES]>,
}

impl Default for Viterbi {
    fn default() -> Self {
        Self::new()
    }
}

impl Viterbi {
    /// A decoder for the code of [`crate::convolutional`].
    pub fn new() -> Self {
        let mask = |which: usize| std::array::from_fn(|k| -i32::from(outputs(2 * k as u32)[which]));
        Self { masks: [mask(0), mask(1)], decisions: Vec::new() }
    }

    /// Decodes soft values (A, B, A, B, ...; positive favours zero) of a code
    /// word that starts and ends in the zero state into `data`, one bit per byte.
    ///
    /// # Panics
    /// If the frame has more than `STEPS_MAX` steps (16,319).
    pub fn decode(&mut self, soft: &[i32], data: &mut Vec<u8>) {
        let steps = soft.len() / 2;
        assert!(steps <= STEPS_MAX, "metrics of {steps} steps could overflow");
        self.decisions.resize(steps, [0; STATES]);
        let mut metrics = [UNREACHABLE; STATES];
        metrics[0] = 0;
        for (pair, decisions) in soft.chunks_exact(2).zip(&mut self.decisions) {
            metrics = step(&self.masks, &metrics, [pair[0], pair[1]], decisions);
        }
        self.trace_back(data);
    }

    fn trace_back(&self, data: &mut Vec<u8>) {
        data.clear();
        data.resize(self.decisions.len(), 0);
        let mut state = 0;
        for (bit, decisions) in data.iter_mut().zip(&self.decisions).rev() {
            *bit = (state / PAIRS) as u8;
            state = 2 * (state % PAIRS) + usize::from(decisions[state]);
        }
    }
}

/// One step of the trellis: add, compare, select for all states.
#[inline]
fn step(
    masks: &[[i32; PAIRS]; 2],
    old: &[i32; STATES],
    [a, b]: [i32; 2],
    decisions: &mut [u8; STATES],
) -> [i32; STATES] {
    let mut new = [0; STATES];
    let (new_zero, new_one) = new.split_at_mut(PAIRS);
    let (decisions_zero, decisions_one) = decisions.split_at_mut(PAIRS);
    for k in 0..PAIRS {
        // With mask -1, (x ^ mask) - mask is -x.
        let metric = (a ^ masks[0][k]) - masks[0][k] + (b ^ masks[1][k]) - masks[1][k];
        let (even, odd) = (old[2 * k], old[2 * k + 1]);
        let zero = (even + metric, odd - metric);
        let one = (even - metric, odd + metric);
        new_zero[k] = zero.0.max(zero.1);
        new_one[k] = one.0.max(one.1);
        decisions_zero[k] = u8::from(zero.1 > zero.0);
        decisions_one[k] = u8::from(one.1 > one.0);
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convolutional::encode;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn random_word(rng: &mut ChaCha8Rng, bits: usize) -> Vec<u8> {
        let mut data: Vec<u8> = (0..bits).map(|_| u8::from(rng.random::<bool>())).collect();
        data.extend([0; 6]);
        data
    }

    fn soft_word(data: &[u8]) -> Vec<i32> {
        let mut coded = Vec::new();
        encode(data, &mut coded);
        coded.iter().map(|bit| 100 * (1 - 2 * i32::from(*bit))).collect()
    }

    #[test]
    fn noiseless_words_come_back() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut viterbi, mut decoded) = (Viterbi::new(), Vec::new());
        for bits in [1, 7, 500, 11_680] {
            let data = random_word(&mut rng, bits);
            viterbi.decode(&soft_word(&data), &mut decoded);
            assert_eq!(decoded, data);
        }
    }

    /// Free distance 10: any four wrong bits are corrected, the five bits of the
    /// lightest path's half are a tie and six of them are too many.
    #[test]
    fn corrects_four_errors_anywhere_and_not_six_on_the_lightest_path() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let (mut viterbi, mut decoded) = (Viterbi::new(), Vec::new());
        for _ in 0..200 {
            let data = random_word(&mut rng, 40);
            let mut soft = soft_word(&data);
            let mut places: Vec<usize> = (0..soft.len()).collect();
            for wrong in 0..4 {
                let place = rng.random_range(wrong..places.len());
                places.swap(wrong, place);
                soft[places[wrong]] *= -1;
            }
            viterbi.decode(&soft, &mut decoded);
            assert_eq!(decoded, data);
        }
        let zeros = [0; 46];
        let mut impulse = zeros;
        impulse[20] = 1;
        let mut soft = soft_word(&zeros);
        let differing: Vec<usize> = (0..soft.len()).filter(|i| soft_word(&impulse)[*i] < 0).collect();
        assert_eq!(differing.len(), 10);
        for place in &differing[..6] {
            soft[*place] *= -1;
        }
        viterbi.decode(&soft, &mut decoded);
        assert_eq!(decoded, impulse);
    }

    /// Against the definition: the best of all 2^8 words, over noisy soft values.
    #[test]
    fn finds_the_most_likely_word() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let (mut viterbi, mut decoded) = (Viterbi::new(), Vec::new());
        let words: Vec<Vec<u8>> = (0..256_u32)
            .map(|word| (0..14).map(|bit| if bit < 8 { (word >> bit & 1) as u8 } else { 0 }).collect())
            .collect();
        for _ in 0..300 {
            let soft: Vec<i32> = (0..28).map(|_| rng.random_range(-1000..=1000)).collect();
            let likelihood = |word: &Vec<u8>| -> i32 {
                soft_word(word).iter().zip(&soft).map(|(code, value)| code.signum() * value).sum()
            };
            viterbi.decode(&soft, &mut decoded);
            let best = words.iter().map(likelihood).max();
            assert_eq!(Some(likelihood(&decoded)), best);
        }
    }

    /// The strongest soft values over the longest frame of the table do not overflow.
    #[test]
    fn metrics_hold_the_largest_soft_values() {
        let (mut viterbi, mut decoded) = (Viterbi::new(), Vec::new());
        let data = vec![0; STEPS_MAX];
        viterbi.decode(&vec![SOFT_LIMIT; 2 * STEPS_MAX], &mut decoded);
        assert_eq!(decoded, data);
    }
}
