//! An enhanced distributed channel access function: what one access category of a NIC knows of its contention.

use std::collections::VecDeque;
use std::ops::{Index, IndexMut};

use airtcp_plan::{AccessParameters, MacAddress};
use airtcp_units::Duration;

use super::formed::Formed;
use super::txq::Held;
use crate::border::TxqId;
use crate::low::contention::{AccessFunction, PIFS_AIFSN};
use crate::random::{Purpose, Stream};

/// The access functions of a NIC.
#[derive(Debug)]
pub(crate) struct Edcafs([Edcaf; AccessFunction::COUNT]);

impl Edcafs {
    /// One for each function.
    pub(crate) fn new(edcaf: impl FnMut(AccessFunction) -> Edcaf) -> Self {
        Self(AccessFunction::ALL.map(edcaf))
    }

    /// All EDCAFs, lowest priority first.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Edcaf> {
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

/// A prefetched turn of a queue, and how many MPDUs left mac80211 for it that still wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) txq: TxqId,
    pub(crate) mpdus: usize,
}

/// The state of one EDCAF (IEEE 802.11-2020, 10.23.2), or of DCF.
#[derive(Debug)]
pub(crate) struct Edcaf {
    cw_min: u32,
    cw_max: u32,
    cw: u32,
    /// Failures in a row (QSRC), and how many widen the window.
    retry_count: u32,
    retry_limit: u32,
    /// TXOP limit; zero: one exchange.
    pub(crate) txop_limit: Duration,
    rng: Stream,
    /// Frames that go before all queues.
    pub(crate) direct: VecDeque<Held>,
    /// The queue whose exchange failed: it is repeated before another queue has its turn.
    pub(crate) repeated: Option<TxqId>,
    /// MPDUs buffered for retry or ahead of access, over all queues of the category.
    pub(crate) held: u32,
    /// Airtime of the buffered MPDUs at their data rates, if the card counts it.
    pub(crate) held_airtime: Duration,
    /// Prefetched turns (see `prefetch`).
    pub(crate) ready: VecDeque<Turn>,
    /// Aggregates that are formed (see `formed`), and the MPDUs of all of them.
    pub(crate) formed: VecDeque<Formed>,
    pub(crate) formed_mpdus: VecDeque<Held>,
    /// What has not been taken of the aggregate whose exchange is being composed.
    pub(crate) sending: Option<Formed>,
}

impl Edcaf {
    /// An EDCAF that never sent. `category` is `None` with DCF.
    pub(crate) fn new(
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
            direct: VecDeque::new(),
            repeated: None,
            held: 0,
            held_airtime: Duration::ZERO,
            ready: VecDeque::new(),
            formed: VecDeque::new(),
            formed_mpdus: VecDeque::new(),
            sending: None,
        }
    }

    /// The access function of beacons: no backoff, one exchange.
    pub(crate) fn of_beacons(seed: u64, mac: MacAddress) -> Self {
        let none = AccessParameters { aifsn: PIFS_AIFSN, cw_min: 0, cw_max: 0, txop_us: 0 };
        Self::new(&none, seed, mac, Some(AccessFunction::Beacons.index() as u8), 1)
    }

    /// An MPDU that was not sent, or was lost, waits in its queue again, before all that come after it: the last one of a PSDU
    /// first. `forms`: aggregates are formed when they enter the card.
    #[inline]
    pub(crate) fn keep(&mut self, queue: &mut VecDeque<Held>, held: Held, forms: bool) {
        if forms {
            self.keep_to_form(queue, held);
        } else {
            self.holds(&held);
            queue.push_front(held);
        }
    }

    /// One more MPDU is buffered.
    #[inline]
    pub(crate) fn holds(&mut self, held: &Held) {
        self.held += 1;
        self.held_airtime += held.airtime;
    }

    /// An MPDU is not held any more.
    #[inline]
    pub(crate) fn releases(&mut self, held: &Held) {
        self.held -= 1;
        self.held_airtime = self.held_airtime - held.airtime;
    }

    /// Sets access parameters, which hold from the next backoff on.
    pub(crate) fn set(&mut self, parameters: &AccessParameters) {
        (self.cw_min, self.cw_max) = (parameters.cw_min, parameters.cw_max);
        self.reset_window();
        self.txop_limit = Duration::from_micros(u64::from(parameters.txop_us));
    }

    /// An exchange went well, or a frame was given up (10.3.3).
    #[inline]
    pub(crate) fn reset_window(&mut self) {
        (self.cw, self.retry_count) = (self.cw_min, 0);
    }

    /// An exchange failed, or the NIC's own higher category was first: the window doubles, and after as many failures in a row as the
    /// limit says it returns to the smallest (10.3.3, 10.23.2.2).
    #[inline]
    pub(crate) fn widen_window(&mut self) {
        if self.retry_count >= self.retry_limit {
            return self.reset_window();
        }
        self.retry_count += 1;
        self.cw = (2 * self.cw + 1).min(self.cw_max);
    }

    /// Draws a backoff.
    #[inline]
    pub(crate) fn draw(&mut self) -> u32 {
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
