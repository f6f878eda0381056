//! An enhanced distributed channel access function: the backoff and the TXOP limit of one access category of a NIC.

use std::ops::{Index, IndexMut};

use airtcp_plan::{AccessParameters, MacAddress};
use airtcp_units::Duration;

use crate::low::contention::{AccessFunction, PIFS_AIFSN};
use crate::random::{Purpose, Stream};

/// The access functions of a NIC.
#[derive(Debug)]
pub(super) struct Edcafs([Edcaf; AccessFunction::COUNT]);

impl Edcafs {
    /// One for each function.
    pub(super) fn new(edcaf: impl FnMut(AccessFunction) -> Edcaf) -> Self {
        Self(AccessFunction::ALL.map(edcaf))
    }

    /// All EDCAFs, lowest priority first.
    #[cfg(test)]
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Edcaf> {
        self.0.iter()
    }
}

impl<F: Into<AccessFunction>> Index<F> for Edcafs {
    type Output = Edcaf;

    #[inline]
    fn index(&self, function: F) -> &Edcaf {
        &self.0[function.into().index()]
    }
}

impl<F: Into<AccessFunction>> IndexMut<F> for Edcafs {
    #[inline]
    fn index_mut(&mut self, function: F) -> &mut Edcaf {
        &mut self.0[function.into().index()]
    }
}

/// The state of one EDCAF (IEEE 802.11-2020, 10.23.2), or of DCF.
#[derive(Debug)]
pub(super) struct Edcaf {
    cw_min: u32,
    cw_max: u32,
    cw: u32,
    /// Failures in a row (QSRC), and how many widen the window.
    retry_count: u32,
    retry_limit: u32,
    /// TXOP limit; zero: one exchange.
    pub(super) txop_limit: Duration,
    rng: Stream,
}

impl Edcaf {
    /// An EDCAF that never sent. `category` is `None` with DCF.
    pub(super) fn new(
        parameters: &AccessParameters,
        seed: u64,
        mac: MacAddress,
        category: Option<u8>,
        retry_limit: u32,
    ) -> Self {
        // The second address tells the categories' streams apart; DCF has the NIC's alone.
        let entity = category.map_or(mac, |ac| MacAddress([ac, 0, 0, 0, 0, 0]));
        Self {
            cw_min: parameters.cw_min,
            cw_max: parameters.cw_max,
            cw: parameters.cw_min,
            retry_count: 0,
            retry_limit,
            txop_limit: Duration::from_micros(u64::from(parameters.txop_us)),
            rng: Stream::new(seed, Purpose::Backoff, mac, entity),
        }
    }

    /// The access function of beacons: no backoff, one exchange.
    pub(super) fn of_beacons(seed: u64, mac: MacAddress) -> Self {
        let none = AccessParameters { aifsn: PIFS_AIFSN, cw_min: 0, cw_max: 0, txop_us: 0 };
        Self::new(&none, seed, mac, Some(AccessFunction::Beacons.index() as u8), 1)
    }

    /// Sets access parameters, which hold from the next backoff on.
    pub(super) fn set(&mut self, parameters: &AccessParameters) {
        (self.cw_min, self.cw_max) = (parameters.cw_min, parameters.cw_max);
        self.reset_window();
        self.set_txop_limit(parameters);
    }

    /// Sets the TXOP limit of access parameters, which holds for the next TXOP.
    pub(super) fn set_txop_limit(&mut self, parameters: &AccessParameters) {
        self.txop_limit = Duration::from_micros(u64::from(parameters.txop_us));
    }

    /// Other bounds of the contention window: a window between them stays (MU EDCA; IEEE 802.11ax-2021, 26.2.7).
    pub(super) fn bound_window(&mut self, cw_min: u32, cw_max: u32) {
        (self.cw_min, self.cw_max) = (cw_min, cw_max);
        self.cw = self.cw.clamp(cw_min, cw_max);
    }

    /// An exchange went well, or a frame was given up (10.3.3).
    #[inline]
    pub(super) fn reset_window(&mut self) {
        (self.cw, self.retry_count) = (self.cw_min, 0);
    }

    /// An exchange failed, or the NIC's own higher category was first: the window doubles, and after as many failures in a row as the
    /// limit says it returns to the smallest (10.3.3, 10.23.2.2).
    #[inline]
    pub(super) fn widen_window(&mut self) {
        if self.retry_count >= self.retry_limit {
            return self.reset_window();
        }
        self.retry_count += 1;
        self.cw = (2 * self.cw + 1).min(self.cw_max);
    }

    /// Draws a backoff.
    #[inline]
    pub(super) fn draw(&mut self) -> u32 {
        self.rng.slots(self.cw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QSRC below its limit: the window is 2^QSRC (`CWmin` + 1) - 1. At the limit both begin anew.
    #[test]
    fn after_as_many_failures_as_the_limit_says_the_window_begins_anew() {
        let parameters = AccessParameters { aifsn: 2, cw_min: 15, cw_max: 255, txop_us: 0 };
        let windows = |limit: u32| {
            let mut edcaf = Edcaf::new(&parameters, 1, MacAddress([2, 0, 0, 0, 0, 1]), None, limit);
            [(); 9].map(|()| {
                edcaf.widen_window();
                edcaf.cw
            })
        };
        assert_eq!(windows(7), [31, 63, 127, 255, 255, 255, 255, 15, 31]);
        assert_eq!(windows(2), [31, 63, 15, 31, 63, 15, 31, 63, 15]);
        assert_eq!(windows(100), [31, 63, 127, 255, 255, 255, 255, 255, 255]);
    }

    #[test]
    fn other_bounds_keep_a_window_that_is_between_them() {
        let parameters = AccessParameters { aifsn: 2, cw_min: 15, cw_max: 1023, txop_us: 0 };
        let mut edcaf = Edcaf::new(&parameters, 1, MacAddress([2, 0, 0, 0, 0, 1]), None, 7);
        edcaf.widen_window();
        let cw = [(15, 1023), (63, 1023), (7, 15), (31, 31)].map(|(cw_min, cw_max)| {
            edcaf.bound_window(cw_min, cw_max);
            edcaf.cw
        });
        assert_eq!(cw, [31, 63, 15, 31]);
        edcaf.reset_window();
        assert_eq!(edcaf.cw, 31);
    }

    #[test]
    fn a_success_begins_the_count_anew() {
        let parameters = AccessParameters { aifsn: 2, cw_min: 15, cw_max: 1023, txop_us: 0 };
        let mut edcaf = Edcaf::new(&parameters, 1, MacAddress([2, 0, 0, 0, 0, 1]), None, 2);
        edcaf.widen_window();
        edcaf.reset_window();
        edcaf.widen_window();
        edcaf.widen_window();
        assert_eq!(edcaf.cw, 63);
    }
}
