//! Frames enter and leave the queues of NICs.

use airtcp_plan::NicRole;
use airtcp_units::{Duration, Instant};

use super::addressing::psdu_bytes;
use super::host::{Action, Frame, Outbox};
use super::nic::Outgoing;
use super::{DropReason, Mac, NicId, Receiver};
use crate::phy::OfdmRate;

impl Mac {
    /// A frame enters a NIC's queue, or is dropped at once.
    pub(crate) fn transmit(&mut self, now: Instant, id: NicId, frame: Frame, out: &mut Outbox) {
        let nic = &mut self.nics[id.0 as usize];
        nic.books.accepted += 1;
        match self.admit(id, &frame) {
            Ok(outgoing) => self.enqueue(now, id, outgoing, out),
            Err(reason) => self.drop(id, frame.handle, reason, out),
        }
    }

    fn admit(&self, id: NicId, frame: &Frame) -> Result<Outgoing, DropReason> {
        let nic = &self.nics[id.0 as usize];
        let cell = &self.cells[nic.cell];
        let psdu_bytes = psdu_bytes(frame.bytes)?;
        let receiver = cell.receiver(nic, frame)?;
        if nic.queue.is_full() {
            // A stopped qdisc may have had a frame on its way. A relayed frame has no
            // qdisc that could be stopped.
            let relayed = nic.role == NicRole::AccessPoint && cell.station(frame.source).is_some();
            if relayed || !nic.backpressure {
                return Err(DropReason::QueueFull);
            }
        }
        Ok(Outgoing { handle: frame.handle, psdu_bytes, receiver, received: false })
    }

    fn enqueue(&mut self, now: Instant, id: NicId, outgoing: Outgoing, out: &mut Outbox) {
        let nic = &mut self.nics[id.0 as usize];
        let (medium, member) = (nic.medium, nic.member);
        nic.queue.push(outgoing);
        if nic.backpressure && !nic.stopped && nic.queue.is_full() {
            nic.stopped = true;
            out.actions.push(Action::Stop { nic: id });
        }
        if nic.queue.len() == 1 {
            let airtime = self.head_airtime(id).expect("the frame just came");
            let medium = &mut self.media[medium];
            medium.member_backlogged(now);
            medium.contention.arrive(member, now, airtime, &mut medium.dcf);
        }
    }

    /// The head of the queue leaves: sent, or dropped for this reason.
    pub(crate) fn leave(&mut self, now: Instant, id: NicId, why: Option<DropReason>, out: &mut Outbox) {
        let nic = &mut self.nics[id.0 as usize];
        let frame = nic.queue.pop().expect("a frame that leaves was in the queue");
        nic.attempts = 0;
        if nic.queue.is_empty() {
            self.media[nic.medium].member_drained(now);
        }
        match why {
            None => {
                nic.books.sent += 1;
                out.actions.push(Action::Sent { nic: id, frame: frame.handle });
            }
            Some(reason) => self.drop(id, frame.handle, reason, out),
        }
        let nic = &mut self.nics[id.0 as usize];
        if nic.stopped && !nic.queue.is_full() {
            nic.stopped = false;
            out.actions.push(Action::Wake { nic: id });
        }
    }

    fn drop(&mut self, id: NicId, frame: super::FrameHandle, reason: DropReason, out: &mut Outbox) {
        self.nics[id.0 as usize].books.dropped[reason as usize] += 1;
        out.actions.push(Action::Dropped { nic: id, frame, reason });
    }

    /// The rate at which the head of the queue would be sent now.
    #[inline]
    pub(crate) fn head_rate(&self, id: NicId) -> Option<OfdmRate> {
        let nic = &self.nics[id.0 as usize];
        Some(match nic.queue.head()?.receiver {
            Receiver::Group { .. } => self.cells[nic.cell].group_rate,
            Receiver::AccessPoint { .. } | Receiver::Station(_) => nic.rate.next(),
        })
    }

    /// The duration of the PPDU that would carry the head of the queue.
    #[inline]
    pub(crate) fn head_airtime(&self, id: NicId) -> Option<Duration> {
        let nic = &self.nics[id.0 as usize];
        let psdu_bytes = nic.queue.head()?.psdu_bytes;
        Some(self.media[nic.medium].timing.ppdu_duration(self.head_rate(id)?, psdu_bytes))
    }
}
