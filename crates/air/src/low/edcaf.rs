//! An enhanced distributed channel access function: what one access category of a NIC knows of its contention.

use std::collections::VecDeque;

use airtcp_plan::{AccessParameters, MacAddress};
use airtcp_units::Duration;

use super::formed::Formed;
use super::txq::Held;
use crate::border::TxqId;
use crate::random::{Purpose, Stream};

/// A queue's turn that is held ready, and how many MPDUs left mac80211 for it that still wait.
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
    /// TXOP limit; zero: one exchange.
    pub(crate) txop_limit: Duration,
    rng: Stream,
    /// Frames that go before all queues.
    pub(crate) direct: VecDeque<Held>,
    /// The queue whose exchange failed: it is repeated before another queue has its turn.
    pub(crate) repeated: Option<TxqId>,
    /// MPDUs held for repetition or ahead of access, over all queues of the category.
    pub(crate) held: u32,
    /// Their time at their data rates, if the card counts it.
    pub(crate) held_airtime: Duration,
    /// Turns that are held ready (see `prefetch`).
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
    ) -> Self {
        // The second address tells the categories' streams apart; DCF has the NIC's alone.
        let entity = category.map_or(mac, |ac| MacAddress([ac, 0, 0, 0, 0, 0]));
        Self {
            cw_min: parameters.cw_min,
            cw_max: parameters.cw_max,
            cw: parameters.cw_min,
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

    /// One more MPDU is held.
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

    /// Other access parameters hold from the next backoff on.
    pub(crate) fn set(&mut self, parameters: &AccessParameters) {
        (self.cw_min, self.cw_max) = (parameters.cw_min, parameters.cw_max);
        self.cw = parameters.cw_min;
        self.txop_limit = Duration::from_micros(u64::from(parameters.txop_us));
    }

    /// An exchange went well, or a frame was given up (10.3.3).
    #[inline]
    pub(crate) fn reset_window(&mut self) {
        self.cw = self.cw_min;
    }

    /// An exchange failed, or the NIC's own higher category was first (10.3.3, 10.23.2.2).
    #[inline]
    pub(crate) fn widen_window(&mut self) {
        self.cw = (2 * self.cw + 1).min(self.cw_max);
    }

    /// Draws a backoff.
    #[inline]
    pub(crate) fn draw(&mut self) -> u32 {
        self.rng.slots(self.cw)
    }
}
