//! Access to the medium: which EDCAFs contend, and which of them start.

use airtcp_plan::BandwidthOperation;
use airtcp_units::Instant;

use super::compose::TxopRoom;
use super::radio::{RadioCounters, Wait};
use crate::border::{Mpdu, MpduHandle, MpduKind, Receiver, Request};
use crate::low::buffer::Held;
use crate::low::contention::{AccessFunction, EdcafId};
use crate::low::event::Event;
use crate::low::on_air::MediumId;
use crate::low::{Low, LowerMacContext};
use crate::phy::Width;
use crate::trace::{TxopCounts, TxopRecord};
use crate::{NicId, TimeSpan};

impl Low {
    /// Carries out what the upper half wants.
    #[inline]
    pub(crate) fn grant(&mut self, now: Instant, high: &mut impl LowerMacContext) {
        high.take_requests(&mut self.requests);
        if !self.requests.is_empty() {
            self.carry_out_requests(now, high);
        }
    }

    #[inline(never)]
    fn carry_out_requests(&mut self, now: Instant, high: &mut impl LowerMacContext) {
        let mut place = 0;
        while let Some(&request) = self.requests.get(place) {
            match request {
                Request::Pending(nic, ac) => self.contend_if_pending(now, nic, ac.into(), high),
                Request::SendFirst(nic, ac, mpdu) => {
                    let radio = &mut self.radios[nic];
                    let function = radio.function_for(mpdu.kind, ac);
                    radio.edcafs[function].direct.push_back(Held::new(mpdu));
                    self.contend(now, nic, function);
                }
            }
            place += 1;
            if place == self.requests.len() {
                high.take_requests(&mut self.requests);
            }
        }
        self.requests.clear();
    }

    /// A function may have something to send, for which it does not contend.
    pub(crate) fn contend_if_pending(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        high: &mut impl LowerMacContext,
    ) {
        self.prefetch(now, nic, function, high);
        let radio = &self.radios[nic];
        let id = EdcafId::new(radio.member, function);
        if self.media[radio.medium].contention.is_waiting(id) {
            return;
        }
        if self.has_frames(now, nic, function, high) {
            self.contend(now, nic, function);
        }
    }

    /// Whether a function has something to send, here or above.
    #[inline(always)]
    fn has_frames(
        &self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        high: &mut impl LowerMacContext,
    ) -> bool {
        let edcaf = &self.radios[nic].edcafs[function];
        let held = !edcaf.direct.is_empty() || edcaf.held > 0;
        held || function.category().is_some_and(|ac| high.pending(now, nic, ac))
    }

    /// A function has something to send: it contends, unless it does already or is in an exchange. A radio that is off waits for
    /// its channel.
    pub(crate) fn contend(&mut self, now: Instant, nic: NicId, function: AccessFunction) {
        if self.is_off(nic) {
            return;
        }
        let radio = &mut self.radios[nic];
        if radio.exchange.as_ref().is_some_and(|exchange| exchange.function == function) {
            return;
        }
        let medium = &mut self.media[radio.medium];
        let id = EdcafId::new(radio.member, function);
        if medium.contention.is_waiting(id) {
            return;
        }
        let edcaf = &mut radio.edcafs[function];
        medium.contention.arrive(now, id, || edcaf.draw());
        self.primaries[radio.primary].one_waits(now);
    }

    /// EDCAFs of a medium start now. Of several of one NIC the highest function sends; for the others it is as if they
    /// had collided (IEEE 802.11-2020, 10.23.2.4).
    pub(crate) fn access(&mut self, now: Instant, medium: MediumId, high: &mut impl LowerMacContext) {
        let mut starting = std::mem::take(&mut self.scratch.starting);
        starting.clear();
        self.media[medium].contention.take_starts(now, &mut starting);
        for of_one in starting.chunk_by(|a, b| a.member() == b.member()) {
            let nic = self.media[medium].members[of_one[0].member()];
            let primary = self.radios[nic].primary;
            self.primaries[primary].backlogged -= of_one.len() as u32;
            let mut sends = false;
            for &id in of_one.iter().rev() {
                if sends && self.radios[nic].exchange.is_some() {
                    self.lose_to_own(now, nic, id);
                } else if self.is_free(nic, medium) {
                    self.begin(now, nic, id.function(), high);
                    sends = true;
                } else {
                    self.stay_behind(now, nic, id);
                }
            }
            self.primaries[primary].settle(now);
        }
        self.scratch.starting = starting;
    }

    /// Whether a NIC is in no exchange, and has not decoded the beginning of a PPDU for it that others may not have sensed yet.
    fn is_free(&self, nic: NicId, medium: MediumId) -> bool {
        let mut on_air = self.media[medium].on_air.iter().map(|&sender| &self.air[sender]);
        let receives =
            on_air.any(|ppdu| ppdu.user_of(nic).is_some_and(|user| ppdu.users[user].delivered > 0));
        self.radios[nic].exchange.is_none() && !receives
    }

    /// The NIC must not transmit although its backoff expired. Either it has decoded a part of what others will only sense at the
    /// end of the slot; or it is in an exchange, but does not hear the other side any more because one of them has moved: then it
    /// defers until the exchange is over, or its response timeout.
    #[inline(never)]
    fn stay_behind(&mut self, now: Instant, nic: NicId, id: EdcafId) {
        // When the NIC may contend again: at the end of what it waits for, at its timeout, or, if it has decoded a frame for itself, when its
        // response begins.
        let radio = &mut self.radios[nic];
        let over = match radio.wait {
            Some(Wait { hears: Some(other), .. }) => self.air[other].end,
            Some(wait) => wait.timeout_at,
            None => now + self.cells[radio.cell].times.sifs,
        };
        let medium = &mut self.media[radio.medium];
        if radio.exchange.is_some() {
            medium.contention.set_apart(now, id.member(), over);
        }
        medium.contention.begin_backoff(now, id, radio.edcafs[id.function()].draw(), true);
        self.primaries[radio.primary].one_waits(now);
    }

    #[inline(never)]
    fn lose_to_own(&mut self, now: Instant, nic: NicId, id: EdcafId) {
        let radio = &mut self.radios[nic];
        let edcaf = &mut radio.edcafs[id.function()];
        edcaf.widen_window();
        let medium = &mut self.media[radio.medium];
        medium.contention.begin_backoff(now, id, edcaf.draw(), true);
        self.primaries[radio.primary].one_waits(now);
    }

    /// Begins a TXOP, if there is something to send after all.
    fn begin(&mut self, now: Instant, nic: NicId, function: AccessFunction, high: &mut impl LowerMacContext) {
        let limit = self.radios[nic].edcafs[function].txop_limit;
        let end = if limit == airtcp_units::Duration::ZERO { Instant::FAR_FUTURE } else { now + limit };
        let idle = self.idle_width(now, nic, high.channel());
        if idle.is_some() && self.waits_for_all(nic, function) {
            return self.restart_access(now, nic, function);
        }
        let room = TxopRoom { span: TimeSpan { start: now, end }, widest: idle.unwrap_or(Width::Mhz2160) };
        if let Some(exchange) = self.compose(now, nic, function, room, high) {
            let radio = &mut self.radios[nic];
            radio.exchange = Some(exchange);
            self.primaries[radio.primary].exchanges += 1;
            if let Some(records) = &mut self.records {
                records.held_txops.begin(now, nic, sent_so_far(&radio.counters));
            }
            self.start_exchange(now, nic, high.channel());
            self.prefetch(now, nic, function, high);
        }
    }

    /// Whether a NIC sends nothing of a category while a part of its channel is busy. Beacons, management and `BlockAckReq` frames are
    /// as narrow as the primary channel.
    fn waits_for_all(&self, nic: NicId, function: AccessFunction) -> bool {
        let radio = &self.radios[nic];
        let is_static = self.cells[radio.cell].bandwidth_operation == BandwidthOperation::Static;
        is_static && radio.edcafs[function].direct.is_empty()
    }

    /// A new backoff, as if the primary channel were busy, with the same contention window (10.23.2.5, e).
    #[inline(never)]
    fn restart_access(&mut self, now: Instant, nic: NicId, function: AccessFunction) {
        let radio = &mut self.radios[nic];
        let (id, slots) = (EdcafId::new(radio.member, function), radio.edcafs[function].draw());
        self.media[radio.medium].contention.begin_backoff(now, id, slots, true);
        self.primaries[radio.primary].one_waits(now);
    }

    /// A TXOP is over: backoff, with or without more to send (10.23.2.2).
    pub(crate) fn finish(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        high: &mut impl LowerMacContext,
    ) {
        if self.records.is_some() {
            self.record_txop(now, nic, function);
        }
        self.radios[nic].exchange = None;
        self.prefetch(now, nic, function, high);
        let waiting = self.has_frames(now, nic, function, high);
        let radio = &mut self.radios[nic];
        let edcaf = &mut radio.edcafs[function];
        let medium = &mut self.media[radio.medium];
        let id = EdcafId::new(radio.member, function);
        medium.contention.begin_backoff(now, id, edcaf.draw(), waiting);
        let primary = &mut self.primaries[radio.primary];
        primary.exchanges -= 1;
        primary.backlogged += u32::from(waiting);
        primary.settle(now);
        if radio.capabilities.airtime_limit_above {
            self.ask_other_categories(now, nic, function, high);
        }
    }

    #[inline(never)]
    fn record_txop(&mut self, now: Instant, nic: NicId, function: AccessFunction) {
        let Some(records) = &mut self.records else { return };
        if let Some((start, sent)) = records.held_txops.end(nic, sent_so_far(&self.radios[nic].counters)) {
            let from_epoch = |at: Instant| at.as_nanos().cast_signed() - self.epoch.as_nanos().cast_signed();
            let (start_ns, end_ns) = (from_epoch(start), from_epoch(now));
            let ac = self.radios[nic].recorded_category(function);
            records.txops.push(TxopRecord { start_ns, end_ns, nic, ac, sent });
        }
    }

    /// What has ended may let queues send that the upper half held back for the airtime that they had on its way.
    #[inline(never)]
    fn ask_other_categories(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        high: &mut impl LowerMacContext,
    ) {
        for other in AccessFunction::ALL {
            if other != function {
                self.contend_if_pending(now, nic, other, high);
            }
        }
    }

    /// The target beacon transmission time: the beacon follows PIFS, or goes before everything of the highest category.
    pub(crate) fn beacon(&mut self, now: Instant, nic: NicId) {
        let radio = &self.radios[nic];
        let (interval, bytes) = self.cells[radio.cell].beacon.expect("this cell has beacons");
        let function = radio.function_for(MpduKind::Beacon, radio.beacon_category());
        let mpdu = Mpdu {
            handle: MpduHandle(u64::MAX),
            bytes,
            receiver: Receiver::Group,
            tid: 0,
            sequence: 0,
            kind: MpduKind::Beacon,
        };
        let direct = &mut self.radios[nic].edcafs[function].direct;
        // One that has not been sent until the next is due is not sent any more.
        if !direct.iter().any(|held| held.mpdu.kind == MpduKind::Beacon) {
            direct.push_back(Held::new(mpdu));
        }
        self.contend(now, nic, function);
        self.events.schedule(now + interval, Event::Beacon(nic));
    }
}

/// What a NIC has sent, as TXOPs count it.
const fn sent_so_far(counters: &RadioCounters) -> TxopCounts {
    let &RadioCounters { transmissions: ppdus, mpdus, mpdus_lost, .. } = counters;
    TxopCounts { ppdus, mpdus, mpdus_lost }
}
