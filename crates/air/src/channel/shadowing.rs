//! Log-normal shadowing.
//!
//! Each link has a normal number of decibels, the same in both directions. When an end moves it changes as a
//! first-order autoregression over the way gone (Gudmundson, Correlation Model for Shadow Fading in Mobile Radio
//! Systems, Electronics Letters 27, 1991): after d metres, `S' = r S + sqrt(1 - r^2) sigma N` with `r = exp(-d / D)`. If both
//! ends move, r is the product of both (Wang, Tameh and Nix, Joint Shadowing Process in Urban Peer-to-Peer Radio
//! Channels, IEEE Trans. Vehicular Technology 57, 2008), so d is the sum of both ways.

use airtcp_plan::MacAddress;
use airtcp_plan::wifi;

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
    pub(super) fn new(plan: wifi::Shadowing, addresses: Vec<MacAddress>, seed: u64) -> Self {
        let sigma_db = plan.sigma_db.get();
        let mut links = Vec::with_capacity(pair::count(addresses.len()));
        for b in 0..addresses.len() {
            links.extend((0..b).map(|a| {
                let level_db = sigma_db * stream(seed, &addresses, a, b).normal();
                Shadow { level_db, stream: None }
            }));
        }
        Self { seed, sigma_db, decorrelation_m: plan.decorrelation_m.get(), addresses, links }
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
