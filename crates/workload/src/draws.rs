//! Numbers with a distribution.

use airtcp_plan::Variate;
use airtcp_random::{Stream, draw};

/// What a stream of numbers is for. The air has purposes of its own, below 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Length or size of a burst.
    On = 101,
    /// Silence after a burst.
    Off = 102,
    /// Size of an answer.
    Response = 103,
    /// Time before the next request.
    Think = 104,
    /// Size of a page's main object.
    Page = 105,
    /// Number of embedded objects.
    Objects = 106,
    /// Size of an embedded object.
    Object = 107,
    /// Time between a page's main object and the requests for the others.
    Parse = 108,
    /// Time before the next page.
    Reading = 109,
    /// Times between datagrams.
    Departure = 110,
    /// Phase of datagrams at equal intervals.
    DatagramPhase = 111,
    /// Phase of echo requests.
    PingPhase = 112,
    /// Lengths of talk spurts and pauses.
    TalkSpurt = 113,
}

/// The random stream of a purpose of a flow (or of a stream of datagrams), by its number.
pub(crate) fn stream(seed: u64, purpose: Purpose, number: u32) -> Stream {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&(purpose as u64).to_le_bytes());
    key[16..20].copy_from_slice(&number.to_le_bytes());
    Stream::new(key)
}

/// Numbers of one distribution, one after the other.
#[derive(Clone, Debug)]
pub struct Draws {
    variate: Variate,
    stream: Stream,
}

impl Draws {
    /// The numbers of this purpose of a flow.
    pub fn new(variate: Variate, seed: u64, purpose: Purpose, flow: u32) -> Self {
        Self { variate, stream: stream(seed, purpose, flow) }
    }

    /// The next one.
    pub fn draw(&mut self) -> u64 {
        draw(&self.variate, &mut self.stream)
    }

    /// The next one, of a size: at least one byte.
    pub fn draw_bytes(&mut self) -> u64 {
        self.draw().max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: u32 = 100_000;

    fn drawn(variate: Variate) -> Vec<u64> {
        variate.check().unwrap();
        let mut draws = Draws::new(variate, 1, Purpose::Response, 0);
        (0..COUNT).map(|_| draws.draw()).collect()
    }

    fn mean(values: &[u64]) -> f64 {
        values.iter().sum::<u64>() as f64 / values.len() as f64
    }

    fn share(values: &[u64], of: impl Fn(u64) -> bool) -> f64 {
        values.iter().filter(|&&v| of(v)).count() as f64 / values.len() as f64
    }

    fn near(value: f64, expected: f64, share: f64) {
        assert!((value - expected).abs() < share * expected, "{value}, not {expected}");
    }

    #[test]
    fn distributions_have_their_means_and_quantiles() {
        assert!(drawn(Variate::Constant { value: 7 }).iter().all(|&v| v == 7));
        let exponential = drawn(Variate::Exponential { mean: 1_000_000 });
        near(mean(&exponential), 1e6, 0.02);
        near(share(&exponential, |v| v > 1_000_000), libm::exp(-1.0), 0.02);
        let uniform = drawn(Variate::Uniform { least: 10, most: 19 });
        near(mean(&uniform), 14.5, 0.01);
        near(share(&uniform, |v| v == 19), 0.1, 0.05);
        assert!(uniform.iter().all(|v| (10..=19).contains(v)));
        let lognormal = drawn(Variate::Lognormal { median: 100_000, sigma: 0.5, least: None, most: None });
        near(share(&lognormal, |v| v < 100_000), 0.5, 0.02);
        near(mean(&lognormal), 1e5 * libm::exp(0.125), 0.01);
        let pareto = drawn(Variate::Pareto { scale: 1000, shape: 2.0, most: None, less: 0 });
        near(share(&pareto, |v| v > 2000), 0.25, 0.03);
        assert!(pareto.iter().all(|&v| v >= 1000));
    }

    /// The web model of 3GPP TR 25.892. Its sizes have means of 10710 and 7758 bytes, and within their limits, by the integral
    /// of the log-normal distribution, 10734 and 8212; its pages have 5.64 embedded objects.
    #[test]
    fn the_web_model_has_the_means_of_its_source() {
        let main = Variate::Lognormal { median: 4213, sigma: 1.366, least: Some(100), most: Some(2_000_000) };
        near(mean(&drawn(main)), 10_734.0, 0.03);
        let embedded =
            Variate::Lognormal { median: 476, sigma: 2.3625, least: Some(50), most: Some(2_000_000) };
        near(mean(&drawn(embedded)), 8_212.0, 0.1);
        let objects = Variate::Pareto { scale: 2, shape: 1.1, most: Some(55), less: 2 };
        near(mean(&drawn(objects)), 5.64, 0.05);
    }

    #[test]
    fn truncated_draws_keep_their_limits() {
        let narrow = Variate::Lognormal { median: 100, sigma: 2.0, least: Some(50), most: Some(200) };
        assert!(drawn(narrow).iter().all(|v| (50..=200).contains(v)));
        let capped = drawn(Variate::Pareto { scale: 2, shape: 1.1, most: Some(55), less: 2 });
        assert!(capped.iter().all(|&v| v <= 53));
        // The probability beyond the limit stands at the limit, with what rounds to it.
        near(share(&capped, |v| v == 53), libm::pow(2.0 / 54.5, 1.1), 0.1);
    }

    #[test]
    fn streams_differ_by_seed_purpose_and_flow() {
        let first = |seed, purpose, flow| {
            Draws::new(Variate::Exponential { mean: 1 << 40 }, seed, purpose, flow).draw()
        };
        let one = first(1, Purpose::On, 0);
        assert_eq!(one, first(1, Purpose::On, 0));
        assert!(
            [first(2, Purpose::On, 0), first(1, Purpose::Off, 0), first(1, Purpose::On, 1)]
                .iter()
                .all(|&other| other != one)
        );
    }
}
