//! Random streams: numbers that depend on a key alone.
//!
//! What a key is made of is its user's; keys that differ give streams that never overlap.

mod variate;

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

pub use variate::draw;

/// One random stream: the generator `ChaCha8`.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of this key.
    pub fn new(key: [u8; 32]) -> Self {
        Self(ChaCha8Rng::from_seed(key))
    }

    /// Part number `part` of that stream: it starts anew without what came before. The number is the
    /// nonce of the generator, so parts never overlap, however much is drawn from one. `new` gives part 0.
    #[must_use]
    pub fn part(mut self, part: u64) -> Self {
        self.0.set_stream(part);
        self
    }

    /// 32 random bits.
    #[inline]
    pub fn bits(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// Uniform over `[0, 1)` in steps of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Exponential with mean 1, by inversion.
    pub fn exponential(&mut self) -> f64 {
        // `1 - unit` is never 0, whose logarithm does not exist.
        -libm::log(1.0 - self.unit())
    }

    /// Two independent normal numbers, mean 0 and variance 1 (Box and Muller, Ann. Math. Stat. 29, 1958).
    pub fn normal_pair(&mut self) -> [f64; 2] {
        let radius = libm::sqrt(2.0 * self.exponential());
        let angle = 2.0 * std::f64::consts::PI * self.unit();
        [radius * libm::cos(angle), radius * libm::sin(angle)]
    }

    /// A normal number, mean 0 and variance 1.
    pub fn normal(&mut self) -> f64 {
        self.normal_pair()[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_its_key_and_part_alone() {
        let draws = |mut stream: Stream| -> Vec<u32> { (0..16).map(|_| stream.bits()).collect() };
        let stream = Stream::new([1; 32]);
        assert_eq!(draws(stream.clone()), draws(Stream::new([1; 32]).part(0)));
        assert_ne!(draws(stream.clone()), draws(Stream::new([2; 32])));
        assert_ne!(draws(stream.clone()), draws(stream.part(1)));
    }

    #[test]
    fn exponential_numbers_have_their_mean() {
        let mut stream = Stream::new([3; 32]);
        let mean = (0..100_000).map(|_| stream.exponential()).sum::<f64>() / 1e5;
        // Standard error 0.00316; five of them.
        assert!((mean - 1.0).abs() < 0.0158, "{mean}");
    }
}
