//! When the datagrams of a stream leave.

use airtcp_plan::{DatagramStream, Spacing};
use airtcp_random::Stream;

use crate::Purpose;
use crate::draws::stream;
use crate::phase::phase_ns;

const NS_PER_S: u128 = 1_000_000_000;

/// The times of a stream's datagrams, from the epoch, one after the other.
#[derive(Clone, Debug)]
pub struct Departures {
    /// The first one at a constant rate.
    first_ns: u64,
    stop_ns: u64,
    bits: u128,
    rate_bps: u128,
    /// Of a Poisson process: its random numbers, and the time of the last datagram.
    random: Option<(Stream, u64)>,
    count: u64,
}

impl Departures {
    /// Those of a stream of the plan, by its number.
    pub fn new(plan: &DatagramStream, seed: u64, number: u32) -> Self {
        let random = match plan.spacing {
            Spacing::Constant {} => None,
            Spacing::Poisson {} => Some((stream(seed, Purpose::Departure, number), plan.start_ns)),
        };
        let (bits, rate_bps) = (u128::from(plan.payload_bytes) * 8, u128::from(plan.rate_bps));
        let interval_ns = u64::try_from(bits * NS_PER_S / rate_bps).unwrap_or(u64::MAX);
        let range_ns = interval_ns.min(plan.stop_ns.saturating_sub(plan.start_ns));
        let phase_ns = phase_ns(plan.phase, range_ns, stream(seed, Purpose::DatagramPhase, number));
        Self { first_ns: plan.start_ns + phase_ns, stop_ns: plan.stop_ns, bits, rate_bps, random, count: 0 }
    }
}

impl Iterator for Departures {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let due_ns = match &mut self.random {
            // Counted from the first, so that no rounding adds up.
            None => {
                let after_ns = u128::from(self.count) * self.bits * NS_PER_S / self.rate_bps;
                self.first_ns.saturating_add(u64::try_from(after_ns).unwrap_or(u64::MAX))
            }
            Some((random, last_ns)) => {
                let mean_ns = (self.bits * NS_PER_S) as f64 / self.rate_bps as f64;
                *last_ns = last_ns.saturating_add(libm::round(mean_ns * random.exponential()) as u64);
                *last_ns
            }
        };
        self.count += 1;
        (due_ns < self.stop_ns).then_some(due_ns)
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::Phase;

    use super::*;

    fn plan(spacing: Spacing) -> DatagramStream {
        DatagramStream {
            name: "voice".to_owned(),
            from: "a".to_owned(),
            to: "b".to_owned(),
            address: [10, 0, 0, 1].into(),
            port: 5001,
            payload_bytes: 1000,
            rate_bps: 3_000_000,
            spacing,
            phase: Phase::None,
            dscp: 0,
            start_ns: 1_000_000,
            stop_ns: 1_001_000_000,
        }
    }

    #[test]
    fn a_constant_rate_does_not_drift() {
        // 8000 bits at 3 Mbit/s: 8/3 ms.
        let due: Vec<u64> = Departures::new(&plan(Spacing::Constant {}), 1, 0).collect();
        assert_eq!(due[..4], [1_000_000, 3_666_666, 6_333_333, 9_000_000]);
        assert_eq!(due.len(), 375);
        assert_eq!(due[374], 998_333_333);
    }

    #[test]
    fn streams_of_one_start_have_phases_of_their_own() {
        let mut shared = plan(Spacing::Constant {});
        shared.phase = Phase::Random;
        let of = |number| Departures::new(&shared, 1, number).collect::<Vec<u64>>();
        let (one, other) = (of(0), of(1));
        // Intervals of 8/3 ms.
        assert!((1_000_000..3_666_667).contains(&one[0]) && (1_000_000..3_666_667).contains(&other[0]));
        assert!(one[0].abs_diff(other[0]) > 1_000, "{} {}", one[0], other[0]);
        assert_eq!(one[3] - one[0], 8_000_000);
        assert_ne!(one, Departures::new(&shared, 2, 0).collect::<Vec<u64>>());
    }

    #[test]
    fn a_poisson_process_has_its_rate_and_no_memory() {
        let mut long = plan(Spacing::Poisson {});
        long.stop_ns = 100_001_000_000;
        let due: Vec<u64> = Departures::new(&long, 1, 0).collect();
        // 37500 are expected; five standard deviations.
        assert!(due.len().abs_diff(37_500) < 968, "{}", due.len());
        let gaps: Vec<u64> = due.windows(2).map(|two| two[1] - two[0]).collect();
        let long_ones = gaps.iter().filter(|&&gap| gap > 2_666_667).count() as f64 / gaps.len() as f64;
        assert!((long_ones - libm::exp(-1.0)).abs() < 0.0125, "{long_ones}");
        assert!(Departures::new(&long, 2, 0).ne(Departures::new(&long, 1, 0)));
    }
}
