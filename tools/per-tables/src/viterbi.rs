//! Soft-decision Viterbi decoding of the terminated code.
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

use std::ops::Range;

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

/// How far the decoder looks ahead before it decides a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traceback {
    /// To the end of the frame: the most likely code word.
    WholeFrame,
    /// A bit is decided from the best state this many steps after it (its own
    /// step included), as hardware with little memory does; only the last bits
    /// are traced back from the tail. For comparisons with such receivers.
    Depth(usize),
}

/// A decoder with its memory, used for frame after frame.
#[derive(Clone, Debug)]
pub struct Viterbi {
    traceback: Traceback,
    /// For each pair: -1 where the code bit of branch 2k -> k is one, else 0.
    masks: [[i32; PAIRS]; 2],
    /// For each step and new state: 1 if the better predecessor is the odd one.
    decisions: Vec<[u8; STATES]>,
}

impl Viterbi {
    /// A decoder for the code of [`crate::convolutional`].
    pub fn new(traceback: Traceback) -> Self {
        let mask = |which: usize| std::array::from_fn(|k| -i32::from(outputs(2 * k as u32)[which]));
        Self { traceback, masks: [mask(0), mask(1)], decisions: Vec::new() }
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
        data.clear();
        data.resize(steps, 0);
        let mut metrics = [UNREACHABLE; STATES];
        metrics[0] = 0;
        let depth = match self.traceback {
            Traceback::WholeFrame => usize::MAX,
            Traceback::Depth(depth) => depth,
        };
        let mut decided = 0;
        for (at, pair) in soft.chunks_exact(2).enumerate() {
            metrics = step(&self.masks, &metrics, [pair[0], pair[1]], &mut self.decisions[at]);
            if at + 1 >= depth {
                decided = at + 1 - depth;
                data[decided] = self.first_bit(decided..at + 1, best(&metrics));
                decided += 1;
            }
        }
        self.trace_back(decided, data);
    }

    /// The bit at the start of `steps` on the path that ends them in `state`.
    fn first_bit(&self, steps: Range<usize>, state: usize) -> u8 {
        let end = self.decisions[steps.start + 1..steps.end].iter().rev();
        (end.fold(state, predecessor) / PAIRS) as u8
    }

    /// Traces the path from the zero state at the end back to the step `first`.
    fn trace_back(&self, first: usize, data: &mut [u8]) {
        let mut state = 0;
        for (bit, decisions) in data.iter_mut().zip(&self.decisions).skip(first).rev() {
            *bit = (state / PAIRS) as u8;
            state = predecessor(state, decisions);
        }
    }
}

fn predecessor(state: usize, decisions: &[u8; STATES]) -> usize {
    2 * (state % PAIRS) + usize::from(decisions[state])
}

/// The first of the states with the best metric.
fn best(metrics: &[i32; STATES]) -> usize {
    (0..STATES).rev().max_by_key(|state| metrics[*state]).expect("there are states")
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
        let (mut viterbi, mut decoded) = (Viterbi::new(Traceback::WholeFrame), Vec::new());
        for bits in [1, 7, 500, 11_680] {
            let data = random_word(&mut rng, bits);
            viterbi.decode(&soft_word(&data), &mut decoded);
            assert!(decoded == data);
        }
    }

    /// Free distance 10: any four wrong bits are corrected, the five bits of the
    /// lightest path's half are a tie and six of them are too many.
    #[test]
    fn corrects_four_errors_anywhere_and_not_six_on_the_lightest_path() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let (mut viterbi, mut decoded) = (Viterbi::new(Traceback::WholeFrame), Vec::new());
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
            assert!(decoded == data);
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
        let (mut viterbi, mut decoded) = (Viterbi::new(Traceback::WholeFrame), Vec::new());
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

    /// A deep traceback decides like the whole frame, a shallow one makes errors of its own.
    #[test]
    fn traceback_depth_matters_when_shallow() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let soft: Vec<i32> = soft_word(&random_word(&mut rng, 8000))
            .iter()
            .map(|value| value + rng.random_range(-160..=160))
            .collect();
        let decode = |traceback| {
            let mut decoded = Vec::new();
            Viterbi::new(traceback).decode(&soft, &mut decoded);
            decoded
        };
        let whole = decode(Traceback::WholeFrame);
        assert!(decode(Traceback::Depth(200)) == whole);
        assert!(decode(Traceback::Depth(10_000)) == whole);
        let differing = decode(Traceback::Depth(15)).iter().zip(&whole).filter(|(a, b)| a != b).count();
        assert!((1..1000).contains(&differing), "{differing}");
    }

    /// The strongest soft values over the longest frame of the table do not overflow.
    #[test]
    fn metrics_hold_the_largest_soft_values() {
        let (mut viterbi, mut decoded) = (Viterbi::new(Traceback::WholeFrame), Vec::new());
        let data = vec![0; STEPS_MAX];
        viterbi.decode(&vec![SOFT_LIMIT; 2 * STEPS_MAX], &mut decoded);
        assert!(decoded == data);
    }
}
