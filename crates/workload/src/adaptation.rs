//! How a player chooses the rate of the next segment.

use std::collections::VecDeque;

use airtcp_plan::Adaptation;

/// Chooses one of the rates at which a film is there.
#[derive(Clone, Debug)]
pub struct Chooser {
    /// In ascending order.
    rates_bps: Vec<u64>,
    adaptation: Adaptation,
    /// Place of the rate chosen last; the lowest before the first.
    chosen: usize,
    /// Rates at which past segments came, the last one at the end.
    seen_bps: VecDeque<f64>,
}

impl Chooser {
    /// A chooser among these rates, of which there is at least one.
    pub fn new(rates_bps: Vec<u64>, adaptation: Adaptation) -> Self {
        Self { rates_bps, adaptation, chosen: 0, seen_bps: VecDeque::new() }
    }

    /// A segment of so many bytes came in so long.
    pub fn saw(&mut self, bytes: u64, took_ns: u64) {
        let Adaptation::Throughput { segments, .. } = self.adaptation else { return };
        self.seen_bps.push_back(bytes as f64 * 8e9 / took_ns.max(1) as f64);
        if self.seen_bps.len() > segments as usize {
            self.seen_bps.pop_front();
        }
    }

    /// The rate of the next segment, with so much in the buffer.
    pub fn choose(&mut self, level_ns: u64) -> u64 {
        self.chosen = match self.adaptation {
            Adaptation::Fixed {} => 0,
            Adaptation::Buffer { reservoir_ns, upper_ns } => self.by_buffer(level_ns, reservoir_ns, upper_ns),
            Adaptation::Throughput { safety, .. } => self.by_throughput(safety),
        };
        self.rates_bps[self.chosen]
    }

    /// Algorithm 1 of Huang et al., SIGCOMM 2014: the rate only changes when the limit passes the next one.
    fn by_buffer(&self, level_ns: u64, reservoir_ns: u64, upper_ns: u64) -> usize {
        let last = self.rates_bps.len() - 1;
        if level_ns <= reservoir_ns {
            return 0;
        }
        if level_ns >= upper_ns {
            return last;
        }
        let (low, high) = (self.rates_bps[0] as f64, self.rates_bps[last] as f64);
        let part = (level_ns - reservoir_ns) as f64 / (upper_ns - reservoir_ns) as f64;
        let limit_bps = low + (high - low) * part;
        let rate = |place: usize| self.rates_bps[place] as f64;
        if limit_bps >= rate((self.chosen + 1).min(last)) {
            (0..=last).rev().find(|&place| rate(place) < limit_bps).unwrap_or(0)
        } else if limit_bps <= rate(self.chosen.saturating_sub(1)) {
            (0..=last).find(|&place| rate(place) > limit_bps).unwrap_or(last)
        } else {
            self.chosen
        }
    }

    /// The highest rate below a part of the harmonic mean, which outliers move less (Jiang et al., `CoNEXT` 2012, 4.4).
    fn by_throughput(&self, safety: f64) -> usize {
        if self.seen_bps.is_empty() {
            return 0;
        }
        let mean_bps = self.seen_bps.len() as f64 / self.seen_bps.iter().map(|bps| 1.0 / bps).sum::<f64>();
        let below = |&&bps: &&u64| bps as f64 <= safety * mean_bps;
        self.rates_bps.iter().filter(below).count().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;
    const RATES_BPS: [u64; 4] = [1_000_000, 2_000_000, 3_000_000, 5_000_000];

    #[test]
    fn by_buffer_the_limit_grows_from_the_reservoir_to_the_upper_level() {
        let adaptation = Adaptation::Buffer { reservoir_ns: 10 * S, upper_ns: 26 * S };
        let mut chooser = Chooser::new(RATES_BPS.to_vec(), adaptation);
        // The limit in Mbit/s is 1 + (level - 10 s) / 4 s.
        for (level_s, mbps) in [
            (0, 1),  // in the reservoir
            (10, 1), // its edge
            (13, 1), // 1.75: below the next rate, 2
            (15, 2), // 2.25: above it
            (17, 2), // 2.75: kept
            (20, 3), // 3.5
            (15, 3), // 2.25: between the rate below, 2, and the next, 5: kept
            (14, 3), // 2.0: not above the rate below: the lowest of those above 2.0
            (13, 2), // 1.75: the lowest above it
            (26, 5), // the upper level
            (25, 5), // 4.75: above 3, kept
            (11, 2), // 1.25: the lowest above it
            (9, 1),  // in the reservoir
        ] {
            assert_eq!(chooser.choose(level_s * S), mbps * 1_000_000, "at {level_s} s");
        }
    }

    #[test]
    fn by_throughput_the_harmonic_mean_of_the_last_segments_counts() {
        let adaptation = Adaptation::Throughput { segments: 3, safety: 0.8 };
        let mut chooser = Chooser::new(RATES_BPS.to_vec(), adaptation);
        assert_eq!(chooser.choose(0), 1_000_000);
        // 500 kB in 1 s: 4 Mbit/s, of which 0.8 are 3.2.
        chooser.saw(500_000, S);
        assert_eq!(chooser.choose(0), 3_000_000);
        // 4 and 12 Mbit/s: harmonic mean 6, of which 4.8.
        chooser.saw(1_500_000, S);
        assert_eq!(chooser.choose(0), 3_000_000);
        // With 12 more: 3 / (1/4 + 2/12) = 7.2, of which 5.76.
        chooser.saw(1_500_000, S);
        assert_eq!(chooser.choose(0), 5_000_000);
        // The first is forgotten: 12, 12, 0.5 have 1.38, of which 1.1.
        chooser.saw(62_500, S);
        assert_eq!(chooser.choose(0), 1_000_000);
    }

    #[test]
    fn without_a_choice_there_is_one_rate() {
        let mut chooser = Chooser::new(vec![7], Adaptation::Fixed {});
        chooser.saw(1, 1);
        assert_eq!(chooser.choose(S), 7);
    }
}
