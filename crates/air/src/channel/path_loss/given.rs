//! Received power as the plan gives it.

use airtcp_plan::RssiLink;
use airtcp_units::Dbm;

/// A power for each pair of NICs, the same in both directions; transmit power and place have no effect.
#[derive(Debug)]
pub(crate) struct Given {
    /// Sorted by ends, the lower number first.
    links: Vec<([usize; 2], Dbm)>,
    default: Dbm,
}

impl Given {
    pub(super) fn new(links: &[RssiLink], default: Dbm) -> Self {
        let mut links: Vec<_> =
            links.iter().map(|l| (sorted([l.a as usize, l.b as usize]), l.rssi_dbm)).collect();
        links.sort_by_key(|l| l.0);
        Self { links, default }
    }

    pub(super) fn mean_power(&self, ends: [usize; 2]) -> Dbm {
        let found = self.links.binary_search_by_key(&sorted(ends), |l| l.0);
        found.map_or(self.default, |i| self.links[i].1)
    }
}

fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}
