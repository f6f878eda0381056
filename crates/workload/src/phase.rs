//! When the first of events at equal intervals happens.

use airtcp_plan::{Phase, Ping};
use airtcp_random::Stream;

use crate::Purpose;
use crate::draws::stream;

/// When the first request of a ping is sent, from the epoch; `number` is that of the ping in its plan.
pub fn first_request_ns(plan: &Ping, seed: u64, number: u32) -> u64 {
    let range_ns = plan.interval_ns.min(plan.stop_ns.saturating_sub(plan.start_ns));
    plan.start_ns + phase_ns(plan.phase, range_ns, stream(seed, Purpose::PingPhase, number))
}

/// A phase below `range_ns`.
pub(crate) fn phase_ns(phase: Phase, range_ns: u64, mut random: Stream) -> u64 {
    match phase {
        Phase::None => 0,
        Phase::Random => (random.unit() * range_ns as f64) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ping(interval_ns: u64, phase: Phase) -> Ping {
        Ping {
            name: "ping".to_owned(),
            from: "a".to_owned(),
            to: "b".to_owned(),
            to_address: [10, 0, 0, 1].into(),
            start_ns: 1_000,
            stop_ns: 1_001_000,
            interval_ns,
            phase,
            payload_bytes: 56,
            dscp: 0,
        }
    }

    #[test]
    fn phases_are_of_seed_and_number_and_fill_the_interval() {
        let plan = ping(200_000, Phase::Random);
        let phases: Vec<u64> = (0..1000).map(|n| first_request_ns(&plan, 7, n) - 1_000).collect();
        assert!(phases.iter().all(|&phase| phase < 200_000));
        let mean = phases.iter().sum::<u64>() as f64 / 1000.0 / 200_000.0;
        // Standard error of the mean of uniform numbers: 0.289 / sqrt(1000) = 0.0091; four of them.
        assert!((mean - 0.5).abs() < 0.037, "{mean}");
        assert_eq!(first_request_ns(&plan, 7, 3), first_request_ns(&plan, 7, 3));
        assert_ne!(first_request_ns(&plan, 7, 3), first_request_ns(&plan, 8, 3));
    }

    #[test]
    fn what_has_a_time_sends_at_least_once() {
        // An interval longer than the time there is.
        let plan = ping(60_000_000_000, Phase::Random);
        assert!((0..1000).all(|n| first_request_ns(&plan, 7, n) < plan.stop_ns));
    }

    #[test]
    fn without_a_phase_the_start_is_the_first() {
        assert_eq!(first_request_ns(&ping(200_000, Phase::None), 7, 3), 1_000);
    }
}
