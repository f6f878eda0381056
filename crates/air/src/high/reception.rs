//! MPDUs arrive.

use airtcp_units::Instant;

use super::addressing::Handling;
use super::host::Action;
use super::reorder::Arrived;
use super::reordering::Buffer;
use super::upper::Upper;
use crate::NicId;
use crate::border::{Link, Mpdu, MpduHandle, MpduKind, Receiver, RxStatus};
use crate::queue::TxqKey;

impl Upper {
    /// MPDUs of one PPDU arrived at this NIC, in their order.
    pub(super) fn rx(
        &mut self,
        now: Instant,
        to: NicId,
        mpdus: &[Mpdu],
        status: &RxStatus,
        out: &mut Vec<Action>,
    ) {
        let from = status.from;
        let alike = |a: &Mpdu, b: &Mpdu| (a.kind, a.receiver, a.tid) == (b.kind, b.receiver, b.tid);
        for mpdus in mpdus.chunk_by(alike) {
            match (mpdus[0].receiver, mpdus[0].kind) {
                (_, MpduKind::Beacon) => {}
                (Receiver::Absent, _)
                | (_, MpduKind::Management | MpduKind::NoAck | MpduKind::NoAckManagement) => {
                    unreachable!("only mac80211 sends these")
                }
                (Receiver::Group, _) => {
                    for mpdu in mpdus {
                        self.receive_group(to, mpdu, from, out);
                    }
                }
                (Receiver::One(_), MpduKind::Data) => {
                    for mpdu in mpdus {
                        self.receive_alone(to, mpdu, from, out);
                    }
                }
                (Receiver::One(_), MpduKind::Aggregable) => {
                    self.receive_in_order(now, Link { from, to }, mpdus, out);
                }
                (Receiver::One(_), MpduKind::BlockAckReq) => {
                    for mpdu in mpdus {
                        self.move_buffer(now, to, mpdu, from, out);
                    }
                }
            }
        }
        if let Some(Mpdu { receiver: Receiver::One(_), tid, .. }) = mpdus.first() {
            self.count_airtime(now, to, *tid, status);
        }
    }

    /// A PPDU from a station counts against its airtime as one to it does (mac80211, `AIRTIME_USE_RX`), once,
    /// even if its MPDUs come one by one.
    fn count_airtime(&mut self, now: Instant, to: NicId, tid: u8, status: &RxStatus) {
        let nic = self.nic_mut(to);
        let number = nic.station(status.from);
        let station = &mut nic.stations[number as usize];
        if station.last_heard == status.start {
            return;
        }
        station.last_heard = status.start;
        let key = TxqKey { station: number, tid };
        nic.queues.airtime_used(now, key, status.share.of(status.end.since(status.start)));
    }

    #[inline(never)]
    fn receive_group(&mut self, to: NicId, mpdu: &Mpdu, from: NicId, out: &mut Vec<Action>) {
        // The lower half may call for every NIC that decodes it; only members of the cell process it.
        if self.nic(to).bss == self.nic(from).bss {
            self.deliver(from, to, mpdu.handle, out);
        }
    }

    fn receive_alone(&mut self, to: NicId, mpdu: &Mpdu, from: NicId, out: &mut Vec<Action>) {
        let nic = self.nic_mut(to);
        let number = nic.station(from) as usize;
        let arriving = &mut nic.stations[number].arriving[usize::from(mpdu.tid)];
        if arriving.duplicates.is_new(mpdu.sequence) {
            self.deliver(from, to, mpdu.handle, out);
        } else {
            nic.counters.discarded += 1;
        }
    }

    /// MPDUs of one TID under block acknowledgement.
    fn receive_in_order(&mut self, now: Instant, link: Link, mpdus: &[Mpdu], out: &mut Vec<Action>) {
        let Link { from, to } = link;
        let place = self.buffer_of(from, to, mpdus[0].tid);
        for mpdu in mpdus {
            if self.reordering.buffer(place).reorder.passes(mpdu.sequence) {
                self.hand_over(from, to, mpdu.handle, out);
            } else {
                self.reorder(now, place, mpdu, out);
            }
        }
    }

    /// An MPDU arrived that is not the next, or while others wait for it.
    #[inline(never)]
    fn reorder(&mut self, now: Instant, place: u32, mpdu: &Mpdu, out: &mut Vec<Action>) {
        let mut released = std::mem::take(&mut self.released);
        let Buffer { from, to, reorder, .. } = self.reordering.buffer(place);
        let (from, to) = (*from, *to);
        match reorder.receive(now, mpdu.sequence, mpdu.handle, &mut released) {
            Arrived::Discarded => self.nic_mut(to).counters.discarded += 1,
            Arrived::Taken => {
                for &mpdu in &released {
                    self.hand_over(from, to, mpdu, out);
                }
                self.hold_unless_delivered(mpdu.handle, out);
                self.reordering.watch(place);
            }
        }
        released.clear();
        self.released = released;
    }

    #[inline(never)]
    fn move_buffer(&mut self, now: Instant, to: NicId, request: &Mpdu, from: NicId, out: &mut Vec<Action>) {
        let place = self.buffer_of(from, to, request.tid);
        let mut released = std::mem::take(&mut self.released);
        self.reordering.buffer(place).reorder.move_to(now, request.sequence, &mut released);
        for mpdu in released.drain(..) {
            self.hand_over(from, to, mpdu, out);
        }
        self.reordering.watch(place);
        self.released = released;
    }

    /// The reordering buffer at `to` for what `from` sends with this TID.
    #[inline]
    pub(super) fn buffer_of(&mut self, from: NicId, to: NicId, tid: u8) -> u32 {
        let nic = &mut self.nics[to.index()];
        let number = nic.station(from) as usize;
        let station = &mut nic.stations[number];
        let window = station.reorder_window;
        let reordering = &mut self.reordering;
        let buffer = &mut station.arriving[usize::from(tid)].buffer;
        *buffer.get_or_insert_with(|| reordering.open(from, to, window))
    }

    /// What has just arrived and can't be delivered yet must outlive its sender's interest in it.
    #[inline]
    fn hold_unless_delivered(&mut self, mpdu: MpduHandle, out: &mut Vec<Action>) {
        let bundle = self.bundles.get_mut(mpdu);
        if bundle.delivered {
            return;
        }
        bundle.held = true;
        out.extend(self.bundles.frames(mpdu).map(|frame| Action::Hold { frame: frame.handle }));
    }

    /// An MPDU under block acknowledgement is delivered, and no longer buffered if it was.
    #[inline(always)]
    pub(super) fn hand_over(&mut self, from: NicId, to: NicId, mpdu: MpduHandle, out: &mut Vec<Action>) {
        self.deliver(from, to, mpdu, out);
        let bundle = self.bundles.get_mut(mpdu);
        assert!(!bundle.delivered, "{mpdu:?} is delivered a second time");
        bundle.delivered = true;
        if bundle.held {
            self.let_go(mpdu, out);
        }
    }

    /// A receiver does not buffer an MPDU any more.
    #[inline(never)]
    fn let_go(&mut self, mpdu: MpduHandle, out: &mut Vec<Action>) {
        let bundle = self.bundles.get_mut(mpdu);
        bundle.held = false;
        let ended = bundle.ended;
        out.extend(self.bundles.frames(mpdu).map(|frame| Action::Release { frame: frame.handle }));
        if ended {
            self.bundles.end(mpdu);
        }
    }

    /// Hands the frames of an MPDU to the receiver's host, or back to it to be forwarded.
    #[inline(always)]
    fn deliver(&mut self, from: NicId, to: NicId, mpdu: MpduHandle, out: &mut Vec<Action>) {
        let nic = &mut self.nics[to.index()];
        let cell = &self.cells[nic.bss].cell;
        for frame in self.bundles.frames(mpdu) {
            let Handling { host, forward } = cell.arrive(from, to, frame.arrival);
            if host {
                nic.counters.delivered += 1;
                out.push(Action::Deliver { nic: to, frame: frame.handle });
            }
            if forward {
                nic.counters.relayed += 1;
                out.push(Action::Relay { nic: to, frame: frame.handle });
            }
        }
    }
}
