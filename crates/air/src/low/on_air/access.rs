//! EDCAFs contend: each medium knows when its next one starts, and primary channels count those that wait.

use airtcp_units::Instant;

use super::OnAir;
use super::primary_channel::PrimaryId;
use super::station::MediumId;
use crate::NicId;
use crate::des::assert_in_time;
use crate::low::contention::{AccessFunction, EdcafId};

impl OnAir {
    /// When an EDCAF starts next.
    #[inline]
    pub(crate) fn next_start(&self) -> Instant {
        match &*self.media.raw {
            [only] => only.contention.next(),
            media => media.iter().map(|medium| medium.contention.next()).min().unwrap_or(Instant::FAR_FUTURE),
        }
    }

    /// The first medium in which an EDCAF starts, up to `now`.
    #[inline]
    pub(crate) fn medium_due(&self, now: Instant) -> Option<MediumId> {
        match &*self.media.raw {
            [only] => (only.contention.next() <= now).then_some(MediumId(0)),
            _ => self.media.position(|medium| medium.contention.next() <= now),
        }
    }

    /// EDCAFs of a medium that start now are added to a list, those of one NIC together.
    #[inline(always)]
    pub(crate) fn take_starts(&mut self, now: Instant, medium: MediumId, starting: &mut Vec<EdcafId>) {
        assert_in_time(now, self.media[medium].contention.next());
        self.media[medium].contention.take_starts(now, starting);
    }

    /// The NIC whose EDCAFs these are. They have started, and wait no more.
    pub(crate) fn leave_contention(&mut self, medium: MediumId, of_one: &[EdcafId]) -> NicId {
        let nic = self.media[medium].members[of_one[0].member()];
        self.primaries[self.stations[nic].place.primary].backlogged -= of_one.len() as u32;
        nic
    }

    /// Whether a function waits for access.
    #[inline(always)]
    pub(crate) fn is_waiting(&self, nic: NicId, function: AccessFunction) -> bool {
        let place = self.stations[nic].place;
        self.media[place.medium].contention.is_waiting(EdcafId::new(place.member, function))
    }

    /// A function has something to send: it contends, unless it does already. It draws a backoff if it needs one.
    #[inline(always)]
    pub(crate) fn contend(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        draw: impl FnOnce() -> u32,
    ) {
        let place = self.stations[nic].place;
        let contention = &mut self.media[place.medium].contention;
        let id = EdcafId::new(place.member, function);
        if !contention.is_waiting(id) {
            contention.arrive(now, id, draw);
            self.primaries[place.primary].one_waits(now);
        }
    }

    /// A function that could not send waits again, after a backoff of this many slots.
    pub(crate) fn back_off(&mut self, now: Instant, nic: NicId, function: AccessFunction, slots: u32) {
        let place = self.stations[nic].place;
        let id = EdcafId::new(place.member, function);
        self.media[place.medium].contention.begin_backoff(now, id, slots, true);
        self.primaries[place.primary].one_waits(now);
    }

    /// A NIC defers until an instant, whatever the others of its group do.
    pub(crate) fn defer(&mut self, now: Instant, nic: NicId, until: Instant) {
        let place = self.stations[nic].place;
        self.media[place.medium].contention.set_apart(now, place.member, until);
    }

    /// A NIC begins a TXOP.
    #[inline(always)]
    pub(crate) fn begin_txop(&mut self, nic: NicId) {
        self.primaries[self.stations[nic].place.primary].exchanges += 1;
    }

    /// A TXOP of a function is over: a backoff of this many slots follows, with or without more to send (IEEE 802.11-2020, 10.23.2.2).
    #[inline(always)]
    pub(crate) fn end_txop(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        slots: u32,
        waiting: bool,
    ) {
        let place = self.stations[nic].place;
        let id = EdcafId::new(place.member, function);
        self.media[place.medium].contention.begin_backoff(now, id, slots, waiting);
        let primary = &mut self.primaries[place.primary];
        primary.exchanges -= 1;
        primary.backlogged += u32::from(waiting);
        primary.settle(now);
    }

    /// Something of a NIC will follow what has ended by SIFS.
    #[inline(always)]
    pub(crate) fn will_follow(&mut self, nic: NicId) {
        self.primaries[self.stations[nic].place.primary].following += 1;
    }

    /// What would follow by SIFS begins now.
    #[inline(always)]
    pub(crate) fn follows(&mut self, nic: NicId) {
        self.primaries[self.stations[nic].place.primary].following -= 1;
    }

    /// Nothing more happens at this instant in the primary channel of a NIC.
    #[inline(always)]
    pub(crate) fn settle(&mut self, now: Instant, primary: PrimaryId) {
        self.primaries[primary].settle(now);
    }

    /// Whether a NIC whose response has not come may go on in its TXOP: it senses nothing, and nobody else has reserved the medium.
    pub(crate) fn may_recover(&self, now: Instant, nic: NicId) -> bool {
        let place = self.stations[nic].place;
        !self.media[place.medium].contention.senses_any(place.member) && self.nav_until(nic, nic) <= now
    }

    /// Until when the medium is reserved for a NIC; a reservation that the asker has made does not count.
    pub(crate) fn nav_until(&self, nic: NicId, asker: NicId) -> Instant {
        let place = self.stations[nic].place;
        let asker = self.stations[asker].place.member;
        self.media[place.medium].contention.nav_until(place.member, Some(asker))
    }
}
