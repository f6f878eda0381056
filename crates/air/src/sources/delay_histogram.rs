//! A distribution of delays in constant memory.

use airtcp_plan::scene_report::DelayReport;
use airtcp_units::Duration;

/// Buckets for each factor of two, as a power of two: a bucket is at most 1/32 of its lower edge wide.
const RESOLUTION_BITS: u32 = 5;
const PER_OCTAVE: usize = 1 << RESOLUTION_BITS;
/// Delays below `PER_OCTAVE` nanoseconds have a bucket each; above, every further factor of two has `PER_OCTAVE`.
const BUCKETS: usize = (64 - RESOLUTION_BITS as usize + 1) * PER_OCTAVE;

/// Counts of delays in buckets of logarithmic width.
#[derive(Clone, Debug)]
pub(super) struct DelayHistogram {
    counts: Box<[u64; BUCKETS]>,
    count: u64,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
}

impl DelayHistogram {
    /// No delay yet.
    pub(super) fn new() -> Self {
        Self { counts: Box::new([0; BUCKETS]), count: 0, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.counts.fill(0);
        (self.count, self.sum_ns, self.min_ns, self.max_ns) = (0, 0, u64::MAX, 0);
    }

    #[inline]
    pub(super) fn add(&mut self, delay: Duration) {
        let ns = delay.as_nanos();
        self.counts[bucket(ns)] += 1;
        self.count += 1;
        self.sum_ns += u128::from(ns);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Statistics of the delays; `None` without any.
    pub(super) fn report(&self) -> Option<DelayReport> {
        (self.count > 0).then(|| DelayReport {
            mean_ns: self.sum_ns as f64 / self.count as f64,
            min_ns: self.min_ns,
            p50_ns: self.quantile(500),
            p90_ns: self.quantile(900),
            p95_ns: self.quantile(950),
            p99_ns: self.quantile(990),
            p99_9_ns: self.quantile(999),
            max_ns: self.max_ns,
        })
    }

    /// The middle of the bucket of the delay that so many of a thousand do not exceed.
    fn quantile(&self, per_mille: u64) -> u64 {
        let rank = (u128::from(self.count) * u128::from(per_mille)).div_ceil(1000).max(1) as u64;
        let mut seen = 0;
        let place = self.counts.iter().position(|&count| {
            seen += count;
            seen >= rank
        });
        middle(place.expect("every delay is in a bucket")).clamp(self.min_ns, self.max_ns)
    }
}

#[inline]
const fn bucket(ns: u64) -> usize {
    if ns < PER_OCTAVE as u64 {
        return ns as usize;
    }
    // How often it must be halved to have RESOLUTION_BITS + 1 digits.
    let halvings = ns.ilog2() - RESOLUTION_BITS;
    halvings as usize * PER_OCTAVE + (ns >> halvings) as usize
}

const fn middle(bucket: usize) -> u64 {
    if bucket < 2 * PER_OCTAVE {
        return bucket as u64;
    }
    let halvings = bucket / PER_OCTAVE - 1;
    let lower = ((bucket - halvings * PER_OCTAVE) as u64) << halvings;
    lower + (1 << (halvings - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_each_other_and_are_narrow() {
        assert_eq!((bucket(0), bucket(63), bucket(64), bucket(65)), (0, 63, 64, 64));
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
        let mut last = 0;
        for ns in 0..200_000 {
            let place = bucket(ns);
            assert!(place == last || place == last + 1, "{ns}");
            last = place;
        }
        for ns in (0..200_000).chain((0..58).map(|k| (1 << k) * 37 / 32)) {
            let error = middle(bucket(ns)).abs_diff(ns);
            assert!(error * 64 <= ns, "{ns} is {error} from the middle");
        }
    }

    #[test]
    fn quantiles_of_known_delays() {
        let mut histogram = DelayHistogram::new();
        assert_eq!(histogram.report(), None);
        (1..=1000).rev().for_each(|us| histogram.add(Duration::from_micros(us)));
        let report = histogram.report().expect("there are delays");
        assert_eq!((report.mean_ns, report.min_ns, report.max_ns), (500_500.0, 1_000, 1_000_000));
        let wanted = [500, 900, 950, 990, 999];
        let found = [report.p50_ns, report.p90_ns, report.p95_ns, report.p99_ns, report.p99_9_ns];
        for (found, wanted) in found.into_iter().zip(wanted) {
            assert!(found.abs_diff(wanted * 1000) * 64 <= wanted * 1000, "{found} for {wanted} us");
        }
        histogram.clear();
        assert_eq!(histogram.report(), None);
    }
}
