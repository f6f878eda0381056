//! Access to the medium: which EDCAFs contend, and which of them start.

use airtcp_plan::BandwidthOperation;
use airtcp_units::Instant;

use super::compose::TxopRoom;
use super::contention::EdcafId;
use super::medium::MediumId;
use super::radio::{RadioCounters, Wait};
use super::txq::Held;
use super::{Event, Low, LowerMacContext};
use crate::border::{AccessCategory, Mpdu, MpduHandle, MpduKind, Receiver, Request};
use crate::phy::Width;
use crate::trace::{TxopCounts, TxopRecord};
use crate::{NicId, TimeSpan};

impl Low {
    /// Carries out what the upper half wants.
    pub(crate) fn grant(&mut self, now: Instant, high: &mut impl LowerMacContext) {
        high.take_requests(&mut self.requests);
        let mut place = 0;
        while let Some(&request) = self.requests.get(place) {
            match request {
                Request::Pending(nic, ac) => self.contend_if_pending(now, nic, ac, high),
                Request::SendFirst(nic, ac, mpdu) => {
                    let direct = &mut self.radios[nic].edcafs[ac as usize].direct;
                    direct.push_back(Held::new(mpdu));
                    self.contend(now, nic, ac);
                }
            }
            place += 1;
            if place == self.requests.len() {
                high.take_requests(&mut self.requests);
            }
        }
        self.requests.clear();
    }

    /// A category may have something to send, for which it does not contend.
    pub(super) fn contend_if_pending(
        &mut self,
        now: Instant,
        nic: NicId,
        ac: AccessCategory,
        high: &mut impl LowerMacContext,
    ) {
        self.prefetch(now, nic, ac, high);
        let radio = &self.radios[nic];
        let id = EdcafId::new(radio.member, ac);
        if self.media[radio.medium].contention.is_waiting(id) {
            return;
        }
        let edcaf = &self.radios[nic].edcafs[ac as usize];
        if !edcaf.direct.is_empty() || edcaf.held > 0 || high.pending(now, nic, ac) {
            self.contend(now, nic, ac);
        }
    }

    /// A category has something to send: it contends, unless it does already or is in an exchange.
    /// A radio that is off waits for its channel.
    pub(super) fn contend(&mut self, now: Instant, nic: NicId, ac: AccessCategory) {
        if self.is_off(nic) {
            return;
        }
        let radio = &mut self.radios[nic];
        if radio.exchange.as_ref().is_some_and(|exchange| exchange.ac == ac) {
            return;
        }
        let medium = &mut self.media[radio.medium];
        let id = EdcafId::new(radio.member, ac);
        if medium.contention.is_waiting(id) {
            return;
        }
        let edcaf = &mut radio.edcafs[ac as usize];
        medium.contention.arrive(now, id, || edcaf.draw());
        self.primaries[radio.primary].one_waits(now);
    }

    /// EDCAFs of a medium start now. Of several of one NIC the highest category sends; for the others it is as if they
    /// had collided (IEEE 802.11-2020, 10.23.2.4).
    pub(super) fn access(&mut self, now: Instant, medium: MediumId, high: &mut impl LowerMacContext) {
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
                    self.begin(now, nic, id.category(), high);
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
    fn stay_behind(&mut self, now: Instant, nic: NicId, id: EdcafId) {
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
        medium.contention.begin_backoff(now, id, radio.edcafs[id.category() as usize].draw(), true);
        self.primaries[radio.primary].one_waits(now);
    }

    fn lose_to_own(&mut self, now: Instant, nic: NicId, id: EdcafId) {
        let radio = &mut self.radios[nic];
        let edcaf = &mut radio.edcafs[id.category() as usize];
        edcaf.widen_window();
        let medium = &mut self.media[radio.medium];
        medium.contention.begin_backoff(now, id, edcaf.draw(), true);
        self.primaries[radio.primary].one_waits(now);
    }

    /// Begins a TXOP, if there is something to send after all.
    fn begin(&mut self, now: Instant, nic: NicId, ac: AccessCategory, high: &mut impl LowerMacContext) {
        let limit = self.radios[nic].edcafs[ac as usize].txop_limit;
        let end = if limit == airtcp_units::Duration::ZERO { Instant::FAR_FUTURE } else { now + limit };
        let idle = self.idle_width(now, nic, high.channel());
        if idle.is_some() && self.waits_for_all(nic, ac) {
            return self.restart_access(now, nic, ac);
        }
        let room = TxopRoom { span: TimeSpan { start: now, end }, widest: idle.unwrap_or(Width::Mhz2160) };
        if let Some(exchange) = self.compose(now, nic, ac, room, high) {
            let radio = &mut self.radios[nic];
            radio.exchange = Some(exchange);
            self.primaries[radio.primary].exchanges += 1;
            if let Some(records) = &mut self.records {
                records.held_txops.begin(now, nic, sent_so_far(&radio.counters));
            }
            self.start_exchange(now, nic);
            self.prefetch(now, nic, ac, high);
        }
    }

    /// Whether a NIC sends nothing of a category while a part of its channel is busy. Beacons, management and `BlockAckReq` frames are
    /// as narrow as the primary channel.
    fn waits_for_all(&self, nic: NicId, ac: AccessCategory) -> bool {
        let radio = &self.radios[nic];
        let is_static = self.cells[radio.cell].bandwidth_operation == BandwidthOperation::Static;
        is_static && radio.edcafs[ac as usize].direct.is_empty()
    }

    /// A new backoff, as if the primary channel were busy, with the same contention window (10.23.2.5, e).
    fn restart_access(&mut self, now: Instant, nic: NicId, ac: AccessCategory) {
        let radio = &mut self.radios[nic];
        let (id, slots) = (EdcafId::new(radio.member, ac), radio.edcafs[ac as usize].draw());
        self.media[radio.medium].contention.begin_backoff(now, id, slots, true);
        self.primaries[radio.primary].one_waits(now);
    }

    /// A TXOP is over: backoff, with or without more to send (10.23.2.2).
    pub(super) fn finish(
        &mut self,
        now: Instant,
        nic: NicId,
        ac: AccessCategory,
        high: &mut impl LowerMacContext,
    ) {
        self.record_txop(now, nic, ac);
        self.radios[nic].exchange = None;
        self.prefetch(now, nic, ac, high);
        let radio = &mut self.radios[nic];
        let edcaf = &mut radio.edcafs[ac as usize];
        let held = !edcaf.direct.is_empty() || edcaf.held > 0;
        let waiting = held || high.pending(now, nic, ac);
        let medium = &mut self.media[radio.medium];
        let id = EdcafId::new(radio.member, ac);
        medium.contention.begin_backoff(now, id, edcaf.draw(), waiting);
        let primary = &mut self.primaries[radio.primary];
        primary.exchanges -= 1;
        primary.backlogged += u32::from(waiting);
        primary.settle(now);
        if radio.capabilities.airtime_limit_above {
            self.ask_other_categories(now, nic, ac, high);
        }
    }

    fn record_txop(&mut self, now: Instant, nic: NicId, ac: AccessCategory) {
        let Some(records) = &mut self.records else { return };
        if let Some((start, sent)) = records.held_txops.end(nic, sent_so_far(&self.radios[nic].counters)) {
            let from_epoch = |at: Instant| at.as_nanos().cast_signed() - self.epoch.as_nanos().cast_signed();
            let (start_ns, end_ns) = (from_epoch(start), from_epoch(now));
            records.txops.push(TxopRecord { start_ns, end_ns, nic, ac, sent });
        }
    }

    /// What has ended may let queues send that the upper half held back for the airtime that they had on its way.
    fn ask_other_categories(
        &mut self,
        now: Instant,
        nic: NicId,
        ac: AccessCategory,
        high: &mut impl LowerMacContext,
    ) {
        for other in AccessCategory::ALL {
            if other != ac {
                self.contend_if_pending(now, nic, other, high);
            }
        }
    }

    /// The target beacon transmission time: the beacon goes before everything of the highest category.
    pub(super) fn beacon(&mut self, now: Instant, nic: NicId) {
        let radio = &self.radios[nic];
        let (interval, bytes) = self.cells[radio.cell].beacon.expect("this cell has beacons");
        let ac = if radio.edca { AccessCategory::Voice } else { AccessCategory::BestEffort };
        let mpdu = Mpdu {
            handle: MpduHandle(u64::MAX),
            bytes,
            receiver: Receiver::Group,
            tid: 0,
            sequence: 0,
            kind: MpduKind::Beacon,
        };
        let direct = &mut self.radios[nic].edcafs[ac as usize].direct;
        // One that has not been sent until the next is due is not sent any more.
        if !direct.iter().any(|held| held.mpdu.kind == MpduKind::Beacon) {
            direct.push_back(Held::new(mpdu));
        }
        self.contend(now, nic, ac);
        self.events.schedule(now + interval, Event::Beacon(nic));
    }
}

/// What a NIC has sent, as TXOPs count it.
const fn sent_so_far(counters: &RadioCounters) -> TxopCounts {
    let &RadioCounters { transmissions: ppdus, mpdus, mpdus_lost, .. } = counters;
    TxopCounts { ppdus, mpdus, mpdus_lost }
}
