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
    /// Time of the first datagram at a constant rate, in nanoseconds from the epoch.
    first_ns: u64,
    stop_ns: u64,
    bits: u128,
    rate_bps: u128,
    /// Random numbers of a Poisson process, and the time of its last datagram.
    random: Option<(Stream, u64)>,
    /// Talk spurts of a telephone call; `None`: datagrams depart without pauses.
    spurts: Option<TalkSpurts>,
    count: u64,
}

impl Departures {
    /// Departures of a stream of datagrams, whose number in the plan selects its random numbers.
    pub fn new(plan: &DatagramStream, seed: u64, number: u32) -> Self {
        let random = match plan.spacing {
            Spacing::Constant {} | Spacing::TalkSpurts { .. } => None,
            Spacing::Poisson {} => Some((stream(seed, Purpose::Departure, number), plan.start_ns)),
        };
        let spurts = match plan.spacing {
            Spacing::Constant {} | Spacing::Poisson {} => None,
            Spacing::TalkSpurts { talk_ns, pause_ns } => {
                let lengths = stream(seed, Purpose::TalkSpurt, number);
                Some(TalkSpurts::new(lengths, plan.start_ns, talk_ns.get() as f64, pause_ns.get() as f64))
            }
        };
        let (bits, rate_bps) = (u128::from(plan.payload_bytes) * 8, u128::from(plan.rate_bps));
        let interval_ns = u64::try_from(bits * NS_PER_S / rate_bps).unwrap_or(u64::MAX);
        let range_ns = interval_ns.min(plan.stop_ns.saturating_sub(plan.start_ns));
        let phase_ns = phase_ns(plan.phase, range_ns, stream(seed, Purpose::DatagramPhase, number));
        let first_ns = plan.start_ns + phase_ns;
        Self { first_ns, stop_ns: plan.stop_ns, bits, rate_bps, random, spurts, count: 0 }
    }

    /// When the next one is due, had it not to wait for a talk spurt.
    fn next_due_ns(&mut self) -> u64 {
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
        due_ns
    }
}

impl Iterator for Departures {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        loop {
            let due_ns = self.next_due_ns();
            if due_ns >= self.stop_ns {
                return None;
            }
            // An encoder frames speech all the time, and sends the frames that have some.
            if self.spurts.as_mut().is_none_or(|spurts| spurts.is_talk(due_ns)) {
                return Some(due_ns);
            }
        }
    }
}

/// Talk spurts and pauses of one side of a call, in turn. It is stationary from the start: the first one is a spurt with the
/// probability that somebody talks, and what is left of an exponential length has the same distribution as all of it.
#[derive(Clone, Debug)]
struct TalkSpurts {
    lengths: Stream,
    talk_ns: f64,
    pause_ns: f64,
    talks: bool,
    /// End of the current spurt or pause, from the epoch.
    until_ns: u64,
}

impl TalkSpurts {
    fn new(mut lengths: Stream, start_ns: u64, talk_ns: f64, pause_ns: f64) -> Self {
        // The turn in `is_talk` begins the first one.
        let talks = lengths.unit() >= talk_ns / (talk_ns + pause_ns);
        Self { lengths, talk_ns, pause_ns, talks, until_ns: start_ns }
    }

    /// Whether somebody talks at this time; times must not fall.
    fn is_talk(&mut self, at_ns: u64) -> bool {
        while self.until_ns <= at_ns {
            self.talks = !self.talks;
            let mean_ns = if self.talks { self.talk_ns } else { self.pause_ns };
            let length_ns = libm::round(mean_ns * self.lengths.exponential()) as u64;
            self.until_ns = self.until_ns.saturating_add(length_ns);
        }
        self.talks
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

    /// Lengths of ITU-T P.59, and a packet of 20 ms: 1.004 / (1.004 + 1.587) of the packets are sent, in spurts that begin 2.591 s
    /// apart on average.
    #[test]
    fn talk_spurts_have_their_share_and_keep_the_clock_of_the_encoder() {
        let [talk_ns, pause_ns] = [1_004_000_000, 1_587_000_000].map(|mean| mean.try_into().unwrap());
        let mut call = plan(Spacing::TalkSpurts { talk_ns, pause_ns });
        (call.payload_bytes, call.rate_bps) = (172, 68_800);
        call.stop_ns = 20_000_001_000_000;
        let due: Vec<u64> = Departures::new(&call, 1, 0).collect();
        assert!(due.iter().all(|due_ns| (due_ns - 1_000_000) % 20_000_000 == 0));
        let share = due.len() as f64 / 1e6;
        // Four deviations of the mean of a process with two states over 20000 s.
        assert!((share - 0.3875).abs() < 0.0152, "{share}");
        let spurts = due.windows(2).filter(|two| two[1] - two[0] > 20_000_000).count();
        // 7719 less those spurts and pauses that lie between two packets (10 ms over their mean: 1.6 %); four deviations.
        assert!(spurts.abs_diff(7_595) < 256, "{spurts}");
        assert!(Departures::new(&call, 1, 1).ne(due.iter().copied()));
    }
}
