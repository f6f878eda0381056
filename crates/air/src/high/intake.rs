//! Frames enter the queues of a NIC.

use airtcp_units::Instant;

use super::addressing::Destination;
use super::host::{Action, DropReason, Frame};
use super::mpdu_length::msdu_bytes;
use super::nic::Outgoing;
use super::upper::Upper;
use crate::NicId;
use crate::border::{Receiver, Request, Requests};
use crate::queue::Waiting;

impl Upper {
    /// A frame enters a NIC's queues, or is dropped at once. Panics if it is shorter than its header.
    ///
    /// What this makes possible for the lower half is added to `requests`.
    pub(crate) fn transmit(
        &mut self,
        now: Instant,
        id: NicId,
        frame: &Frame,
        requests: &mut Requests,
        out: &mut Vec<Action>,
    ) {
        self.nic_mut(id).counters.accepted += 1;
        match self.admit(id, frame) {
            Ok((waiting, relayed)) => {
                let ac = waiting.key().category();
                let nic = &mut self.nics[id.index()];
                let before = nic.queues.has(ac);
                // A stopped qdisc may have had a frame on its way, which a driver can't refuse. A relayed frame has no qdisc
                // that could have been stopped.
                if nic.backpressure && !relayed {
                    nic.queues.enqueue_beyond(now, waiting, &mut self.expelled);
                } else {
                    nic.queues.enqueue(now, waiting, &mut self.expelled);
                }
                if !before && nic.queues.has(ac) {
                    requests.push(Request::Pending(id, ac));
                }
                self.carry_out_expulsions(id, out);
                self.stop_if_full(id, out);
            }
            Err(reason) => {
                self.nic_mut(id).counters.dropped[reason as usize] += 1;
                out.push(Action::Dropped { nic: id, frame: frame.handle, reason });
            }
        }
    }

    /// The receiver of the frame, as its queue needs it, and whether this NIC only forwards it.
    #[inline(always)]
    fn admit(&self, id: NicId, frame: &Frame) -> Result<(Waiting<Outgoing>, bool), DropReason> {
        let nic = self.nic(id);
        let bss = &self.cells[nic.bss];
        let msdu_bytes = msdu_bytes(frame.bytes)?;
        let Destination { receiver, arrival, relayed, proxied } = bss.cell.destination(id, nic.mac, frame)?;
        let (station, group) = match receiver {
            Receiver::One(other) => (nic.station(other), false),
            Receiver::Group => (nic.group(), true),
            Receiver::Absent => unreachable!("a frame for no NIC of the cell was refused"),
        };
        let waiting = Waiting {
            item: Outgoing { handle: frame.handle, msdu_bytes, arrival, proxied },
            station,
            tid: bss.tid(frame.priority, group),
            flow: frame.flow,
            bytes: frame.bytes,
            ect: frame.ect,
        };
        Ok((waiting, relayed))
    }

    #[inline]
    fn stop_if_full(&mut self, id: NicId, out: &mut Vec<Action>) {
        let nic = self.nic_mut(id);
        if nic.backpressure && !nic.stopped && nic.queues.is_full() {
            nic.stopped = true;
            out.push(Action::Stop { nic: id });
        }
    }
}
