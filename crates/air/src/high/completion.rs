//! MPDUs come to their end.

use airtcp_units::{Duration, Instant};

use super::block_ack_req::BarRequest;
use super::host::{Action, DropReason};
use super::nic::Nic;
use super::txqs::{Txq, TxqKey, following};
use super::upper::Upper;
use crate::NicId;
use crate::border::{Mpdu, MpduFate, MpduHandle, MpduKind, Receiver, Request, Requests, TxqId};
use crate::phy::BLOCK_ACK_REQ_BYTES;

/// Marks the names of `BlockAckReq` frames, of which a queue has one at most: the rest of the name is its number. Other
/// names have this bit only after 2^31 uses of one place.
const BLOCK_ACK_REQ_NAME: u64 = 1 << 63;

impl Upper {
    /// An MPDU is at its end for its sender.
    #[inline(always)]
    pub(super) fn mpdu_done(
        &mut self,
        mpdu: &Mpdu,
        fate: MpduFate,
        requests: &mut Requests,
        out: &mut Vec<Action>,
    ) {
        match mpdu.kind {
            MpduKind::Beacon | MpduKind::Management | MpduKind::NoAck | MpduKind::NoAckManagement => {}
            MpduKind::BlockAckReq => self.block_ack_req_done(mpdu, fate, requests),
            MpduKind::Data | MpduKind::Aggregable => {
                let txq = self.complete(mpdu.handle, fate, requests, out);
                self.move_window_of(txq, mpdu, fate, requests);
            }
        }
    }

    /// Ends the frames of a data MPDU for their sender; the queue it came from.
    #[inline(always)]
    pub(crate) fn complete(
        &mut self,
        mpdu: MpduHandle,
        fate: MpduFate,
        requests: &mut Requests,
        out: &mut Vec<Action>,
    ) -> TxqId {
        let bundle = *self.bundles.get(mpdu);
        let &Txq { nic: id, key, .. } = self.txqs.get(bundle.txq);
        let nic = &mut self.nics[id.index()];
        for frame in self.bundles.frames_of(&bundle) {
            nic.queues.finished(key);
            if fate == MpduFate::GivenUp {
                let reason = DropReason::RetryLimit;
                nic.counters.dropped[reason as usize] += 1;
                out.push(Action::Dropped { nic: id, frame: frame.handle, reason });
            } else {
                nic.counters.sent += 1;
                out.push(Action::Sent { nic: id, frame: frame.handle });
            }
        }
        let Nic { airtime_limited, stopped, .. } = *nic;
        if airtime_limited {
            self.return_airtime(id, key, bundle.airtime_ns, requests);
        }
        if bundle.held {
            self.bundles.get_mut(mpdu).ended = true;
        } else {
            self.bundles.end(mpdu);
        }
        if stopped {
            self.nic_mut(id).wake_if_room(id, out);
        }
        bundle.txq
    }

    /// Airtime that an MPDU had announced is free again, which may let its and other queues send.
    #[inline(never)]
    fn return_airtime(&mut self, id: NicId, key: TxqKey, airtime_ns: u64, requests: &mut Requests) {
        let before = self.pending_categories(id);
        let announced = Duration::from_nanos(airtime_ns);
        self.nic_mut(id).queues.airtime_completed(key, announced);
        self.request_risen(id, before, requests);
    }

    /// A data MPDU is at its end, and its frames will be completed later.
    pub(crate) fn move_window(&mut self, mpdu: &Mpdu, fate: MpduFate, requests: &mut Requests) {
        let txq = self.bundles.get(mpdu.handle).txq;
        self.move_window_of(txq, mpdu, fate, requests);
    }

    /// The receiver must not wait for what was given up.
    #[inline]
    fn move_window_of(&mut self, txq: TxqId, mpdu: &Mpdu, fate: MpduFate, requests: &mut Requests) {
        if mpdu.kind != MpduKind::Aggregable {
            return;
        }
        let pending = &mut self.txqs.get_mut(txq).block_ack_req;
        let request = match fate {
            MpduFate::GivenUp => pending.advance(following(mpdu.sequence)),
            MpduFate::Acked | MpduFate::Sent => pending.heard(),
            MpduFate::Purged => BarRequest::Nothing,
        };
        self.ask(txq, request, requests);
    }

    fn block_ack_req_done(&mut self, mpdu: &Mpdu, fate: MpduFate, requests: &mut Requests) {
        let txq = TxqId((mpdu.handle.0 & !BLOCK_ACK_REQ_NAME) as u32);
        let request = self.txqs.get_mut(txq).block_ack_req.done(fate != MpduFate::GivenUp);
        self.ask(txq, request, requests);
    }

    #[inline]
    fn ask(&mut self, txq: TxqId, request: BarRequest, requests: &mut Requests) {
        if request != BarRequest::Nothing {
            self.ask_for_ack(txq, request, requests);
        }
    }

    #[inline(never)]
    fn ask_for_ack(&mut self, txq: TxqId, request: BarRequest, requests: &mut Requests) {
        let handle = MpduHandle(BLOCK_ACK_REQ_NAME | u64::from(txq.0));
        match request {
            BarRequest::Nothing => {}
            BarRequest::Send(start) => {
                let queue = self.txqs.get(txq);
                let (id, key) = (queue.nic, queue.key);
                let nic = &mut self.nics[id.index()];
                nic.counters.block_ack_reqs += 1;
                let mpdu = Mpdu {
                    handle,
                    bytes: BLOCK_ACK_REQ_BYTES,
                    receiver: Receiver::One(nic.stations[key.station as usize].nic),
                    tid: key.tid,
                    sequence: start,
                    kind: MpduKind::BlockAckReq,
                };
                requests.push(Request::SendFirst(id, key.category(), mpdu));
            }
            BarRequest::Amend(start) => self.amend(txq, handle, start, requests),
        }
    }

    /// Puts a newer start into a `BlockAckReq` that the lower half has not taken yet.
    fn amend(&mut self, txq: TxqId, handle: MpduHandle, start: u16, requests: &mut Requests) {
        let untaken = requests.iter_mut().find_map(|request| match request {
            Request::SendFirst(_, _, mpdu) if mpdu.handle == handle => Some(mpdu),
            _ => None,
        });
        if let Some(mpdu) = untaken {
            mpdu.sequence = start;
            self.txqs.get_mut(txq).block_ack_req.amended(start);
        }
    }

    /// Reordering buffers give up waiting where it is time.
    pub(crate) fn expire(&mut self, now: Instant, out: &mut Vec<Action>) {
        if self.reordering.timeout() > now {
            return;
        }
        let mut reordering = std::mem::take(&mut self.reordering);
        let mut released = std::mem::take(&mut self.released);
        reordering.expire(now, &mut released, |from, to, mpdu| self.hand_over(from, to, mpdu, out));
        (self.reordering, self.released) = (reordering, released);
    }
}
