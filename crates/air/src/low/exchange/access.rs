//! Access to the medium: which EDCAFs contend, and which of them start.

use airtcp_plan::BandwidthOperation;
use airtcp_units::{Duration, Instant};

use super::radio::Wait;
use super::txop_room::TxopRoom;
use crate::border::{Mpdu, MpduHandle, MpduKind, Receiver, Request};
use crate::low::Low;
use crate::low::buffer::UnderWay;
use crate::low::contention::AccessFunction;
use crate::low::context::Context;
use crate::low::event::Event;
use crate::low::on_air::MediumId;
use crate::phy::Width;
use crate::{NicId, TimeSpan};

impl Low {
    /// Carries out what the upper half wants.
    #[inline]
    pub(crate) fn grant(&mut self, now: Instant, high: &mut impl Context) {
        high.take_requests(&mut self.requests);
        if !self.requests.is_empty() {
            self.carry_out_requests(now, high);
        }
    }

    #[inline(never)]
    fn carry_out_requests(&mut self, now: Instant, high: &mut impl Context) {
        let mut place = 0;
        while let Some(&request) = self.requests.get(place) {
            match request {
                Request::Pending(nic, ac) => self.contend_if_pending(now, nic, ac.into(), high),
                Request::SendFirst(nic, ac, mpdu) => {
                    let function = self.exchanges.radios[nic].function_for(mpdu.kind, ac);
                    self.buffers.send_first(nic, function, mpdu);
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
        high: &mut impl Context,
    ) {
        self.prefetch(now, nic, function, high);
        if !self.on_air.is_waiting(nic, function) && self.has_frames(now, nic, function, high) {
            self.contend(now, nic, function);
        }
    }

    /// A NIC takes what it may buffer of a category before it has won the medium.
    #[inline]
    pub(super) fn prefetch(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        high: &mut impl Context,
    ) {
        if self.buffers.prefetches(nic) {
            self.fill_ahead(now, nic, function, high);
        }
    }

    #[inline(never)]
    fn fill_ahead(&mut self, now: Instant, nic: NicId, function: AccessFunction, high: &mut impl Context) {
        if self.on_air.is_off(nic) {
            return;
        }
        let Some(ac) = function.category() else { return };
        let Some(exchange) = &self.exchanges.radios[nic].exchange else {
            return self.buffers.prefetch(now, nic, ac, None, high);
        };
        let memory = std::mem::take(&mut self.exchanges.txqs);
        let under_way =
            UnderWay { function: exchange.function, txqs: exchange.users.map(memory, |user| user.txq) };
        self.buffers.prefetch(now, nic, ac, Some(&under_way), high);
        self.exchanges.txqs = under_way.txqs.into_memory();
    }

    /// Whether a function has something to send, here or above.
    #[inline(always)]
    pub(super) fn has_frames(
        &self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        high: &mut impl Context,
    ) -> bool {
        self.buffers.has_frames(nic, function)
            || function.category().is_some_and(|ac| high.pending(now, nic, ac))
            || self.exchanges.radios[nic].wants_trigger(function)
    }

    /// A function has something to send: it contends, unless it does already or is in an exchange. A radio that is off waits for
    /// its channel.
    pub(super) fn contend(&mut self, now: Instant, nic: NicId, function: AccessFunction) {
        let radio = &mut self.exchanges.radios[nic];
        let is_in_exchange = radio.exchange.as_ref().is_some_and(|exchange| exchange.function == function);
        if !is_in_exchange && !self.on_air.is_off(nic) {
            self.on_air.contend(now, nic, function, || radio.edcafs[function].draw());
        }
    }

    /// EDCAFs of a medium start now. Of several of one NIC the highest function sends; for the others it is as if they
    /// had collided (IEEE 802.11-2020, 10.23.2.4).
    pub(crate) fn access(&mut self, now: Instant, medium: MediumId, high: &mut impl Context) {
        let mut starting = std::mem::take(&mut self.exchanges.starting);
        starting.clear();
        self.on_air.take_starts(now, medium, &mut starting);
        for of_one in starting.chunk_by(|a, b| a.member() == b.member()) {
            let nic = self.on_air.leave_contention(medium, of_one);
            let mut sends = false;
            for &id in of_one.iter().rev() {
                if sends && self.exchanges.is_in_exchange(nic) {
                    self.exchanges.radios[nic].edcafs[id.function()].widen_window();
                    self.back_off(now, nic, id.function());
                } else if self.is_free(nic) {
                    self.begin(now, nic, id.function(), high);
                    sends = true;
                } else {
                    self.stay_behind(now, nic, id.function());
                }
            }
            self.on_air.settle(now, self.on_air.place(nic).primary);
        }
        self.exchanges.starting = starting;
    }

    /// Whether a NIC is in no exchange, and has not decoded the beginning of a PPDU for it that others may not have sensed yet.
    #[inline(always)]
    fn is_free(&self, nic: NicId) -> bool {
        !self.exchanges.is_in_exchange(nic) && !self.on_air.is_receiving(nic)
    }

    /// The NIC must not transmit although its backoff expired. Either it has decoded a part of what others will only sense at the
    /// end of the slot; or it is in an exchange, but does not hear the other side any more because one of them has moved: then it
    /// defers until the exchange is over, or its response timeout.
    #[inline(never)]
    fn stay_behind(&mut self, now: Instant, nic: NicId, function: AccessFunction) {
        let radio = &self.exchanges.radios[nic];
        if radio.exchange.is_some() {
            // When the NIC may contend again: at the end of what it waits for, at its timeout, or, if it has decoded a frame for itself,
            // when its response begins.
            let over = match radio.wait {
                Some(Wait { hears: Some(other), .. }) => self.on_air.ppdu(other).end,
                Some(wait) => wait.timeout_at,
                None => now + self.on_air.cell(nic).times.sifs,
            };
            self.on_air.defer(now, nic, over);
        }
        self.back_off(now, nic, function);
    }

    /// A function that could not send waits for another access.
    #[inline(never)]
    fn back_off(&mut self, now: Instant, nic: NicId, function: AccessFunction) {
        let slots = self.exchanges.radios[nic].edcafs[function].draw();
        self.on_air.back_off(now, nic, function, slots);
    }

    /// Begins a TXOP, if there is something to send after all.
    ///
    /// How wide it may be is known before MPDUs are taken, which depend on it. The exchange stands before its first PPDU, which is made of
    /// it, and before the card takes the next MPDUs, among which it counts.
    fn begin(&mut self, now: Instant, nic: NicId, function: AccessFunction, high: &mut impl Context) {
        let limit = self.exchanges.radios[nic].edcafs[function].txop_limit;
        let end = if limit == Duration::ZERO { Instant::FAR_FUTURE } else { now + limit };
        let idle = self.on_air.idle_width(now, nic, high.channel());
        if idle.is_some() && self.waits_for_all(nic, function) {
            // As if the primary channel were busy, with the same contention window (10.23.2.5, e).
            return self.back_off(now, nic, function);
        }
        let span = TimeSpan { start: now, end };
        let room = TxopRoom { span, widest: idle.unwrap_or(Width::Mhz2160), begins_txop: true };
        if self.compose(now, nic, function, room, high) {
            self.on_air.begin_txop(nic);
            self.notes.begin_txop(now, nic);
            self.start_exchange(now, nic, high.channel());
            self.prefetch(now, nic, function, high);
        }
    }

    /// Whether a NIC sends nothing of a category while a part of its channel is busy. Beacons, management and `BlockAckReq` frames are
    /// as narrow as the primary channel.
    fn waits_for_all(&self, nic: NicId, function: AccessFunction) -> bool {
        let is_static = self.on_air.cell(nic).bandwidth_operation == BandwidthOperation::Static;
        is_static && self.buffers.direct(nic, function).next().is_none()
    }

    /// A TXOP is over: backoff, with or without more to send (10.23.2.2).
    pub(crate) fn finish(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        high: &mut impl Context,
    ) {
        let radio = &mut self.exchanges.radios[nic];
        self.notes.end_txop(now, nic, || radio.recorded_category(function));
        radio.exchange = None;
        let (slots, asks_others) = (radio.edcafs[function].draw(), radio.capabilities.airtime_limit_above);
        self.prefetch(now, nic, function, high);
        let waiting = self.has_frames(now, nic, function, high);
        self.on_air.end_txop(now, nic, function, slots, waiting);
        if asks_others {
            self.ask_other_categories(now, nic, function, high);
        }
    }

    /// What has ended may let queues send that the upper half held back for the airtime that they had on its way.
    #[inline(never)]
    pub(super) fn ask_other_categories(
        &mut self,
        now: Instant,
        nic: NicId,
        function: AccessFunction,
        high: &mut impl Context,
    ) {
        for other in AccessFunction::ALL {
            if other != function {
                self.contend_if_pending(now, nic, other, high);
            }
        }
    }

    /// The target beacon transmission time: the beacon follows PIFS, or goes before everything of the highest category.
    pub(crate) fn beacon(&mut self, now: Instant, nic: NicId) {
        let radio = &self.exchanges.radios[nic];
        let (interval, bytes) = self.on_air.cell(nic).beacon.expect("this cell has beacons");
        let function = radio.function_for(MpduKind::Beacon, radio.beacon_category());
        let mpdu = Mpdu {
            handle: MpduHandle::NONE,
            bytes,
            receiver: Receiver::Group,
            tid: 0,
            sequence: 0,
            kind: MpduKind::Beacon,
        };
        // One that has not been sent until the next is due is not sent any more.
        if !self.buffers.direct(nic, function).any(|mpdu| mpdu.kind == MpduKind::Beacon) {
            self.buffers.send_first(nic, function, mpdu);
        }
        self.contend(now, nic, function);
        self.events.schedule(now + interval, Event::Beacon(nic));
    }
}
