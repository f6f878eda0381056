//! The lower half of the MAC: from winning the medium to the end of a frame exchange.
//!
//! ```text
//!  access ---> compose ---> emit ---(PPDU on the air)---> arrival ---> outcome ---> access
//!  the start   the PSDU     RTS, data, responses          reception    retry, next in TXOP, backoff
//! ```
//! [`contention`] decides when an EDCAF may start. [`access`] lets it start, [`share_txop`] chooses the users of its PPDU, [`compose`]
//! pulls their MPDUs from the upper half, [`emit`] puts PPDUs on the air, [`arrival`] ends them: [`decoding`] decides what the users
//! decode, [`overhearing`] what everybody else does, and [`outcome`] reports to the sender. Everything that waits is an [`Event`].
//! What cards with a queue of their own do is in [`prefetch`] and [`formed`], what only radios of mac80211 do in [`tuning`], [`purging`]
//! and [`radio_reception`].

mod buffer;
mod cell;
pub(crate) mod contention;
mod event;
mod exchange;
mod noted;
mod on_air;
mod psdu;

use airtcp_units::{Duration, Instant};
use typed_index_collections::TiVec;

use crate::NicId;
use crate::border::{HighMac, Requests, TxqId};
use crate::channel::{Burst, Channel};
use crate::des::EventQueue;
use crate::trace::EventRecords;
use contention::MemberId;
use on_air::SensedPreambles;

pub(crate) use buffer::{Edcaf, Edcafs, TxqState};
pub(crate) use cell::{Cell, CellId, RetryLimits};
pub(crate) use contention::{AccessFunction, PIFS_AIFSN};
pub(crate) use event::Event;
pub(crate) use exchange::{Capabilities, Prefetch, Radio, RadioCounters};
pub(crate) use noted::{Answers, Capturing};
pub(crate) use on_air::{
    Activity, CarrierSense, Decoder, ErrorRates, Listeners, Medium, MediumId, MediumPlace, PrimaryChannel,
    PrimaryId, Transmissions, Tuning, by_preamble, error_rates, groups, hearing, is_uniform,
};
#[cfg(test)]
pub(crate) use on_air::{Ppdu, Reception, UserId};
pub(crate) use psdu::AggregateLimits;

/// What the lower half calls: the upper halves, and the channel.
pub(crate) trait LowerMacContext: HighMac {
    /// The channel.
    fn channel(&mut self) -> &mut Channel;
}

/// The lower halves of all NICs, and the media between them.
#[derive(Debug)]
pub(crate) struct Low {
    pub(crate) radios: TiVec<NicId, Radio>,
    pub(crate) cells: TiVec<CellId, Cell>,
    pub(crate) media: TiVec<MediumId, Medium>,
    pub(crate) primaries: TiVec<PrimaryId, PrimaryChannel>,
    pub(crate) air: Transmissions,
    pub(crate) txqs: TiVec<TxqId, TxqState>,
    pub(crate) aggregation: Aggregation,
    pub(crate) decoder: Decoder,
    pub(crate) events: EventQueue<Event>,
    /// What the upper half wants; empty between calls.
    pub(crate) requests: Requests,
    /// Events that ended, if they are recorded.
    pub(crate) records: Option<EventRecords>,
    /// PPDUs with all that is in them, if the air is captured.
    pub(crate) capturing: Option<Box<Capturing>>,
    /// The contents of responses, kept if a capture or a monitor needs them.
    pub(crate) answers: Option<Box<Answers>>,
    /// Every PPDU that ended, for tests that want to see more than its record.
    #[cfg(test)]
    pub(crate) journal: Option<Vec<Ppdu>>,
    /// Traffic time zero, for records.
    pub(crate) epoch: Instant,
    pub(crate) carrier_sense: CarrierSense,
    /// The present or next burst of each source that is no NIC.
    pub(crate) bursts: Vec<Burst>,
    /// Whether there is a radio that its upper half tunes.
    pub(crate) any_tuned: bool,
    /// Radios of mac80211 that will change their channel when their exchange is over.
    pub(crate) retuning: Vec<NicId>,
    /// How many radios are in monitor mode.
    pub(crate) monitors: u32,
    pub(crate) scratch: Scratch,
}

/// Limits of aggregates by sender and receiver; `None`: no agreement.
#[derive(Debug)]
pub(crate) struct Aggregation {
    pub(crate) nics: usize,
    pub(crate) limits: Vec<Option<AggregateLimits>>,
}

impl Aggregation {
    /// The limits from one NIC to another.
    #[inline]
    pub(crate) fn between(&self, from: NicId, to: NicId) -> Option<AggregateLimits> {
        self.limits[from.index() * self.nics + to.index()]
    }
}

/// Panics if the caller comes after what was due.
#[inline]
pub(crate) fn assert_in_time(now: Instant, due: Instant) {
    assert!(now <= due, "the air had to run at {due}, but it is {now}");
}

/// Lists that are empty between events; kept for their memory.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) starting: Vec<contention::EdcafId>,
    /// NICs that wait for something else than their group, and until when.
    pub(crate) apart: Vec<(NicId, Instant)>,
    pub(crate) sensed: SensedPreambles,
}

impl Low {
    /// When [`Self::run`] must be called next.
    #[inline]
    pub(crate) fn next_wakeup(&self) -> Instant {
        let of_events = self.events.next_at();
        match &*self.media.raw {
            [only] => of_events.min(only.contention.next()),
            media => media.iter().fold(of_events, |next, medium| next.min(medium.contention.next())),
        }
    }

    /// The first medium in which an access is due.
    #[inline]
    fn medium_due(&self, now: Instant) -> Option<MediumId> {
        match &*self.media.raw {
            [only] => (only.contention.next() <= now).then_some(MediumId(0)),
            _ => self.media.position(|medium| medium.contention.next() <= now),
        }
    }

    /// Handles everything that is due at `now`, and returns how many events there were; panics if something was due before. Ends
    /// come first, what follows by SIFS next, then timeouts, then new access.
    pub(crate) fn run(&mut self, now: Instant, high: &mut impl LowerMacContext) -> u64 {
        let mut handled = 0;
        loop {
            while self.events.next_at() <= now {
                let (due, event) = self.events.take().expect("it was there");
                assert_in_time(now, due);
                self.handle(now, event, high);
                if !self.retuning.is_empty() {
                    self.retune_free(now, high);
                }
                self.grant(now, high);
                handled += 1;
            }
            let Some(medium) = self.medium_due(now) else { break };
            assert_in_time(now, self.media[medium].contention.next());
            self.access(now, medium, high);
            self.grant(now, high);
            handled += 1;
        }
        debug_assert!(self.next_wakeup() > now, "something due was left");
        handled
    }

    fn handle(&mut self, now: Instant, event: Event, high: &mut impl LowerMacContext) {
        match event {
            Event::MpduEnd(nic, user) => self.mpdu_ends(now, nic, user, high),
            Event::PpduEnd(nic) => self.ppdu_ends(now, nic, high),
            Event::Respond(nic) | Event::Continue(nic) => {
                let primary = self.radios[nic].primary;
                self.primaries[primary].following -= 1;
                match event {
                    Event::Respond(_) => self.respond(now, nic, high.channel()),
                    _ => self.send_data(now, nic, high.channel()),
                }
                self.primaries[primary].settle(now);
            }
            Event::ResponseTimeout(nic) => self.response_timeout(now, nic, high),
            Event::Beacon(nic) => self.beacon(now, nic),
            Event::EmissionStart(source) => self.emission_starts(now, source, high.channel()),
            Event::EmissionEnd(source) => self.emission_ends(now, source, high.channel()),
        }
    }

    /// Received powers have changed, and with them perhaps which NICs hear which others.
    pub(crate) fn update_hearing(&mut self, now: Instant, channel: &Channel) {
        for medium in self.media.keys() {
            self.update_hearing_of(now, medium, channel, None);
        }
    }

    pub(crate) fn update_hearing_of(
        &mut self,
        now: Instant,
        medium: MediumId,
        channel: &Channel,
        newcomer: Option<(MemberId, Duration)>,
    ) {
        self.media[medium].update_hearing(now, channel, &self.carrier_sense, newcomer);
    }

    /// Registers a queue: makes room for its state if it has none.
    #[inline]
    pub(crate) fn know(&mut self, txq: TxqId) {
        if txq.index() >= self.txqs.len() {
            self.txqs.resize_with(txq.index() + 1, TxqState::default);
        }
    }
}
