//! Log-normal shadowing.
//!
//! Each link has a normal number of decibels, the same in both directions. When an end moves it changes as a
//! first-order autoregression over the way gone (Gudmundson, Correlation Model for Shadow Fading in Mobile Radio
//! Systems, Electronics Letters 27, 1991): after d metres, `S' = r S + sqrt(1 - r^2) sigma N` with `r = exp(-d / D)`. If both
//! ends move, r is the product of both (Wang, Tameh and Nix, Joint Shadowing Process in Urban Peer-to-Peer Radio
//! Channels, IEEE Trans. Vehicular Technology 57, 2008), so d is the sum of both ways.

use airtcp_plan as plan;
use airtcp_plan::MacAddress;

use super::pair;
use crate::random::{Purpose, Stream};

/// The shadowing of every link.
#[derive(Debug)]
pub(super) struct Shadowing {
    seed: u64,
    sigma_db: f64,
    decorrelation_m: f64,
    addresses: Vec<MacAddress>,
    /// By unordered pair.
    links: Vec<Shadow>,
}

#[derive(Debug)]
struct Shadow {
    level_db: f64,
    /// Made when an end first moves; its first number is the level at the start.
    stream: Option<Box<Stream>>,
}

impl Shadowing {
    pub(super) fn new(shadowing: plan::Shadowing, addresses: Vec<MacAddress>, seed: u64) -> Self {
        let sigma_db = shadowing.sigma_db.get();
        let mut links = Vec::with_capacity(pair::count(addresses.len()));
        for b in 0..addresses.len() {
            links.extend((0..b).map(|a| {
                let level_db = sigma_db * stream(seed, &addresses, a, b).normal();
                Shadow { level_db, stream: None }
            }));
        }
        Self { seed, sigma_db, decorrelation_m: shadowing.decorrelation_m.get(), addresses, links }
    }

    /// Level of a link in decibels, to be added to the mean power.
    pub(super) fn level_db(&self, a: usize, b: usize) -> f64 {
        self.links[pair::unordered(a, b)].level_db
    }

    /// The ends of a link have moved, this many metres together.
    pub(super) fn move_ends(&mut self, a: usize, b: usize, way_m: f64) {
        let link = &mut self.links[pair::unordered(a, b)];
        let stream = link.stream.get_or_insert_with(|| {
            let mut stream = Box::new(stream(self.seed, &self.addresses, a, b));
            stream.normal();
            stream
        });
        let kept = libm::exp(-way_m / self.decorrelation_m);
        // 1 - kept^2 without cancelling for short ways.
        let new = libm::sqrt(-libm::expm1(-2.0 * way_m / self.decorrelation_m));
        link.level_db = kept * link.level_db + new * self.sigma_db * stream.normal();
    }
}

fn stream(seed: u64, addresses: &[MacAddress], a: usize, b: usize) -> Stream {
    let [first, second] = pair::addresses(addresses, a, b);
    Stream::new(seed, Purpose::Shadowing, first, second)
}

#[cfg(test)]
mod tests {
    use airtcp_units::{Decibel, Metre};

    use super::super::scene;
    use super::*;

    /// 11 175 links.
    const NICS: usize = 150;
    const SIGMA_DB: f64 = 6.0;

    fn shadowing(seed: u64) -> Shadowing {
        let plan = scene::plan(&[[0.0; 3]; NICS]);
        let model = plan::Shadowing { sigma_db: Decibel::new(SIGMA_DB), decorrelation_m: Metre::new(5.0) };
        Shadowing::new(model, plan.nics.iter().map(|n| n.mac).collect(), seed)
    }

    /// Moves an end of every link.
    fn move_all(shadowing: &mut Shadowing, way_m: f64) {
        for b in 0..NICS {
            (0..b).for_each(|a| shadowing.move_ends(a, b, way_m));
        }
    }

    /// Levels of all links in standard deviations.
    fn levels(shadowing: &Shadowing) -> Vec<f64> {
        shadowing.links.iter().map(|l| l.level_db / SIGMA_DB).collect()
    }

    fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
        let n = values.len() as f64;
        values.sum::<f64>() / n
    }

    /// Correlation of numbers that have mean 0 and variance 1.
    fn correlation(a: &[f64], b: &[f64]) -> f64 {
        mean(a.iter().zip(b).map(|(a, b)| a * b))
    }

    /// Four standard errors of a mean of products of standard normal numbers with this correlation:
    /// their variance is 1 + rho^2.
    fn error(rho: f64) -> f64 {
        4.0 * ((1.0 + rho * rho) / pair::count(NICS) as f64).sqrt()
    }

    #[track_caller]
    fn assert_standard_normal(levels: &[f64]) {
        assert!(mean(levels.iter().copied()).abs() < error(0.0));
        assert!((correlation(levels, levels) - 1.0).abs() < error(1.0));
        // Shares beyond one and two standard deviations.
        for (bound, share) in [(1.0, 0.317_311), (2.0, 0.045_500)] {
            let beyond = mean(levels.iter().map(|l| f64::from(u8::from(l.abs() > bound))));
            let error = 4.0 * (share * (1.0 - share) / levels.len() as f64).sqrt();
            assert!((beyond - share).abs() < error, "{beyond} beyond {bound}");
        }
    }

    #[test]
    fn levels_are_normal_at_the_start_and_stay_so() {
        let mut shadowing = shadowing(1);
        assert_standard_normal(&levels(&shadowing));
        for way_m in [0.01, 1.0, 30.0, 1e-6] {
            move_all(&mut shadowing, way_m);
            assert_standard_normal(&levels(&shadowing));
        }
    }

    /// Gudmundson: the correlation after d metres is exp(-d / 5 m), however the way is cut.
    #[test]
    fn levels_decorrelate_over_the_way() {
        for (way_m, steps) in [(0.5, 1), (5.0, 1), (5.0, 20), (15.0, 6)] {
            let mut shadowing = shadowing(2);
            let start = levels(&shadowing);
            (0..steps).for_each(|_| move_all(&mut shadowing, way_m / f64::from(steps)));
            let expected = libm::exp(-way_m / 5.0);
            let found = correlation(&start, &levels(&shadowing));
            assert!((found - expected).abs() < error(expected), "{way_m} m: {found}, not {expected}");
        }
    }

    #[test]
    fn links_are_independent() {
        let shadowing = shadowing(3);
        let levels = levels(&shadowing);
        // Neighbours in the table share a NIC; so do those of one place, in reverse.
        assert!(correlation(&levels[1..], &levels[..levels.len() - 1]).abs() < error(0.0));
        let other: Vec<f64> = self::levels(&self::shadowing(4));
        assert!(correlation(&levels, &other).abs() < error(0.0));
    }

    #[test]
    fn one_link_does_not_move_another() {
        let [mut alone, mut among] = [shadowing(5), shadowing(5)];
        for _ in 0..10 {
            alone.move_ends(3, 7, 1.0);
            move_all(&mut among, 1.0);
        }
        assert_eq!(alone.level_db(3, 7).to_bits(), among.level_db(7, 3).to_bits());
        assert_eq!(alone.level_db(3, 8).to_bits(), shadowing(5).level_db(3, 8).to_bits());
    }
}
