//! The lower half of the MAC: from winning the medium to the end of a frame exchange.
//!
//! ```text
//!  access ---> compose ---> emit ---(PPDU on the air)---> arrival ---> outcome ---> access
//!  the start   the PSDU     RTS, data, responses          reception    retry, next in TXOP, backoff
//! ```
//! It has five rooms, each of which keeps its state to itself. [`contention`] decides when an EDCAF may start. [`on_air`] knows where
//! NICs are, what they send, and who hears and decodes it. [`buffer`] holds MPDUs, from their queue to their last attempt. [`noted`]
//! counts, records and captures. [`exchange`] has the steps above, which call the others; [`Low`] joins them. Everything that waits is
//! an [`Event`].

mod buffer;
mod build;
mod cell;
mod channel_load;
pub(crate) mod contention;
mod context;
mod event;
mod exchange;
mod multi_user;
mod noted;
mod on_air;
mod psdu;

use airtcp_units::Instant;

use crate::NicId;
use crate::border::{HighMac, Requests, TxqId};
use crate::des::{EventQueue, assert_in_time};
use buffer::Buffers;
use exchange::Exchanges;
use on_air::OnAir;

pub(crate) use build::Setup;
pub(crate) use cell::BssId;
pub(crate) use context::Context;
pub(crate) use event::Event;
pub(crate) use multi_user::rus_beside_random;
pub(crate) use noted::{Notes, RadioCounters};
pub(crate) use on_air::{ErrorRates, error_rates};
#[cfg(test)]
pub(crate) use {
    cell::Cell,
    on_air::{MediumId, Ppdu, PpduUser, Reception, UserId},
};

/// The lower halves of all NICs, and the media between them. What only one room knows, it is asked itself.
#[derive(Debug)]
pub(crate) struct Low {
    pub(crate) on_air: OnAir,
    pub(crate) buffers: Buffers,
    pub(crate) exchanges: Exchanges,
    pub(crate) notes: Notes,
    events: EventQueue<Event>,
    /// What the upper half wants; empty between calls.
    pub(crate) requests: Requests,
}

impl Low {
    /// When [`Self::run`] must be called next.
    #[inline]
    pub(crate) fn next_wakeup(&self) -> Instant {
        self.events.next_at().min(self.on_air.next_start())
    }

    /// Handles everything that is due at `now`, and returns how many events there were; panics if something was due before. Ends
    /// come first, what follows by SIFS next, then timeouts, then new access.
    pub(crate) fn run(&mut self, now: Instant, high: &mut impl Context) -> u64 {
        let mut handled = 0;
        loop {
            while self.events.next_at() <= now {
                let (due, event) = self.events.take().expect("it was there");
                assert_in_time(now, due);
                self.handle(now, event, high);
                if self.exchanges.any_will_leave() {
                    self.retune_free(now, high);
                }
                self.grant(now, high);
                handled += 1;
            }
            let Some(medium) = self.on_air.medium_due(now) else { break };
            self.access(now, medium, high);
            self.grant(now, high);
            handled += 1;
        }
        debug_assert!(self.next_wakeup() > now, "something due was left");
        handled
    }

    #[inline(always)]
    fn handle(&mut self, now: Instant, event: Event, high: &mut impl Context) {
        match event {
            Event::MpduEnd(nic, user) => self.mpdu_ends(now, nic, user, high),
            Event::PpduEnd(nic) => self.ppdu_ends(now, nic, high),
            Event::Respond(nic) | Event::Continue(nic) => {
                self.on_air.follows(nic);
                match event {
                    Event::Respond(_) => self.respond(now, nic, high),
                    _ => self.go_on_with(now, nic, high),
                }
                self.on_air.settle(now, self.on_air.place(nic).primary);
            }
            Event::ResponseTimeout(nic) => self.response_timeout(now, nic, high),
            Event::Beacon(nic) => self.beacon(now, nic),
            Event::UplinkRequest(nic) => self.request_uplink(now, nic),
            Event::MuEdcaTimer(nic, ac) => self.end_mu_edca(now, nic, ac),
            Event::EmissionStart(source) => {
                let end = self.on_air.emission_starts(now, source, high.channel());
                self.events.schedule(end, Event::EmissionEnd(source));
            }
            Event::EmissionEnd(source) => {
                let next = self.on_air.emission_ends(now, source, high.channel());
                self.events.schedule(next, Event::EmissionStart(source));
            }
        }
    }

    /// Ends the waiting MPDUs of a queue of mac80211. What is in an exchange ends with it.
    pub(crate) fn purge(&mut self, now: Instant, nic: NicId, txq: TxqId, high: &mut impl HighMac) {
        self.exchanges.purge(nic, |of| of == Some(txq));
        self.buffers.purge(now, txq, high, &mut self.requests);
    }

    /// Ends all waiting MPDUs of a radio of mac80211. What is in an exchange ends with it.
    pub(crate) fn purge_all(&mut self, now: Instant, nic: NicId, high: &mut impl HighMac) {
        self.exchanges.purge(nic, |_| true);
        self.buffers.purge_all(now, nic, high, &mut self.requests);
    }

    /// Whether no MPDU of a NIC is buffered, and it is in no exchange.
    pub(crate) fn is_empty(&self, nic: NicId) -> bool {
        !self.exchanges.is_in_exchange(nic) && self.buffers.is_empty(nic)
    }
}
