//! Random streams: one per seed, purpose and entity.
//!
//! The key of a `ChaCha8` generator is the text (seed, purpose, address, address),
//! so two streams never overlap, a station that joins does not move the draws of
//! others, and neither does its place in the plan.

use airtcp_plan::MacAddress;

/// What a stream is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Purpose {
    /// Backoff slots of one NIC.
    Backoff = 1,
    /// Noise on data, from a sender to its receiver.
    Data = 2,
    /// Noise on control responses, from a responder to the sender of the data.
    Response = 3,
    /// Noise on what a NIC overhears of another.
    Overheard = 4,
    /// Log-normal shadowing of a link, both directions.
    Shadowing = 5,
    /// Fading gains of a link, both directions.
    Fading = 6,
    /// Rates that one NIC samples towards another.
    RateControl = 7,
    /// The beginning of a source of constant rate.
    SourcePhase = 8,
    /// Choice among PPDUs of one strength that start together: to which of them a NIC is tuned.
    Tuning = 9,
    /// Delays of the host of one NIC.
    HostDelay = 10,
    /// Times and centre frequencies of a source that is no NIC.
    Interference = 12,
    /// Counters and resource units of a station's OFDMA random access.
    RandomAccess = 13,
}

/// One random stream.
#[derive(Clone, Debug)]
pub(crate) struct Stream(airtcp_random::Stream);

impl Stream {
    /// The stream of this purpose between two addresses (the same twice for one NIC).
    pub(crate) fn new(seed: u64, purpose: Purpose, from: MacAddress, to: MacAddress) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&(purpose as u64).to_le_bytes());
        key[16..22].copy_from_slice(&from.0);
        key[24..30].copy_from_slice(&to.0);
        Self(airtcp_random::Stream::new(key))
    }

    /// Part number `part` of that stream, see [`airtcp_random::Stream::part`].
    pub(crate) fn part(seed: u64, purpose: Purpose, ends: [MacAddress; 2], part: u64) -> Self {
        Self(Self::new(seed, purpose, ends[0], ends[1]).0.part(part))
    }

    /// Uniform over `0..=cw`; `cw + 1` is a power of two, so the low bits are exact.
    #[inline]
    pub(crate) fn slots(&mut self, cw: u32) -> u32 {
        self.0.bits() & cw
    }
}

impl std::ops::Deref for Stream {
    type Target = airtcp_random::Stream;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl std::ops::DerefMut for Stream {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: MacAddress = MacAddress([2, 0, 0, 0, 0, 1]);
    const B: MacAddress = MacAddress([2, 0, 0, 0, 0, 2]);

    fn draws(mut stream: Stream) -> Vec<u32> {
        (0..16).map(|_| stream.slots(1023)).collect()
    }

    #[test]
    fn streams_differ_by_seed_purpose_and_entity() {
        let first = draws(Stream::new(1, Purpose::Backoff, A, A));
        assert_eq!(first, draws(Stream::new(1, Purpose::Backoff, A, A)));
        assert_ne!(first, draws(Stream::new(2, Purpose::Backoff, A, A)));
        assert_ne!(first, draws(Stream::new(1, Purpose::Data, A, A)));
        assert_ne!(first, draws(Stream::new(1, Purpose::Backoff, B, B)));
        assert_ne!(draws(Stream::new(1, Purpose::Data, A, B)), draws(Stream::new(1, Purpose::Data, B, A)));
    }

    #[test]
    fn slots_are_uniform() {
        let mut stream = Stream::new(3, Purpose::Backoff, A, A);
        let mut count = [0_u32; 16];
        for _ in 0..160_000 {
            count[stream.slots(15) as usize] += 1;
        }
        // Chi-square with 15 degrees of freedom: above 37.7 once in a thousand seeds.
        let chi2: f64 = count.iter().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi2 < 37.7, "{chi2}");
    }

    #[test]
    fn parts_of_a_stream_differ_and_stay() {
        let part = |k| draws(Stream::part(1, Purpose::Fading, [A, B], k));
        assert_eq!(part(0), draws(Stream::new(1, Purpose::Fading, A, B)));
        assert_eq!(part(7), part(7));
        assert_ne!(part(7), part(8));
        assert_ne!(part(u64::MAX), part(0));
        // Longer than the generator's buffer of 64 words.
        let mut long = Stream::part(1, Purpose::Fading, [A, B], 7);
        let next = draws(Stream::part(1, Purpose::Fading, [A, B], 8));
        let words: Vec<u32> = (0..4096).map(|_| long.slots(1023)).collect();
        assert!(words.windows(16).all(|w| w != next));
    }

    #[test]
    fn normal_numbers_have_their_moments_and_tail() {
        let mut stream = Stream::new(5, Purpose::Shadowing, A, B);
        let n = 100_000;
        let pairs: Vec<[f64; 2]> = (0..n).map(|_| stream.normal_pair()).collect();
        let mean = |f: &dyn Fn(&[f64; 2]) -> f64| pairs.iter().map(f).sum::<f64>() / f64::from(n);
        // Four standard errors, of variances 1, 2, 96 and 1; the share beyond 1.96 is 5 %.
        let error = 4.0 / f64::from(n).sqrt();
        for i in [0, 1] {
            assert!(mean(&|p| p[i]).abs() < error);
            assert!((mean(&|p| p[i].powi(2)) - 1.0).abs() < error * 2.0_f64.sqrt());
            assert!((mean(&|p| p[i].powi(4)) - 3.0).abs() < error * 96.0_f64.sqrt());
            let beyond = mean(&|p| f64::from(u8::from(p[i].abs() > 1.959_964)));
            assert!((beyond - 0.05).abs() < error * (0.05_f64 * 0.95).sqrt(), "{beyond}");
        }
        assert!(mean(&|p| p[0] * p[1]).abs() < error);
    }

    #[test]
    fn the_unit_interval_has_its_mean() {
        let mut stream = Stream::new(4, Purpose::Data, A, B);
        let mean = (0..100_000).map(|_| stream.unit()).sum::<f64>() / 1e5;
        // Standard error 0.000913; five of them.
        assert!((mean - 0.5).abs() < 0.0046, "{mean}");
    }
}
