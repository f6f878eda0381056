//! What goes over the air, for a capture: see [`crate::trace::AirCapture`].

use airtcp_units::Instant;

use super::answers::no_bitmap;
use crate::TimeSpan;
use crate::border::Receiver;
use crate::low::on_air::{Ppdu, PpduUser, Reception, UserId};
use crate::low::{Low, LowerMacContext};
use crate::trace::{AirCapture, CapturedMpdu, CapturedPpdu, PpduOutcome};

/// The state of a capture of the air.
#[derive(Debug)]
pub(crate) struct Capturing {
    /// PPDUs are captured that start in this span.
    span: TimeSpan,
    pub(crate) captured: AirCapture,
}

impl Capturing {
    pub(crate) fn new(span: TimeSpan) -> Self {
        Self { span, captured: AirCapture::default() }
    }
}

impl Low {
    /// Captures a PPDU that ends now: once for each user.
    #[cold]
    pub(crate) fn capture(&mut self, ppdu: &Ppdu, high: &mut impl LowerMacContext) {
        if self.capturing.as_ref().is_some_and(|capturing| capturing.span.contains(ppdu.start)) {
            for user in ppdu.users.ids() {
                self.capture_mpdus(ppdu, user, high);
                self.capture_ppdu(ppdu, user, high);
            }
        }
    }

    fn capture_mpdus(&mut self, ppdu: &Ppdu, user: UserId, high: &mut impl LowerMacContext) {
        let Some(capturing) = &mut self.capturing else { return };
        let outcome = ppdu.outcome(user);
        let sender = &self.radios[ppdu.from];
        // A NIC's MPDUs stay where they are until it knows what became of them.
        for (index, (mpdu, held)) in ppdu.mpdus[user].iter().zip(&sender.psdus[user]).enumerate() {
            let received = match ppdu.users[user].receiver {
                Receiver::One(_) | Receiver::Absent => ppdu.received[user][index] == Reception::Good,
                Receiver::Group => outcome == PpduOutcome::Received,
            };
            let mut captured =
                CapturedMpdu::new(mpdu.bytes, mpdu.tid, mpdu.sequence, held.tries > 0, received);
            captured.radio = high.octets(ppdu.from, mpdu);
            capturing.captured.add_mpdu(&captured, high.frames(ppdu.from, mpdu));
        }
    }

    fn capture_ppdu(&mut self, ppdu: &Ppdu, user: UserId, high: &mut impl LowerMacContext) {
        let mut bitmap = no_bitmap();
        let block_ack = self.block_ack(ppdu, &mut bitmap, high);
        let addresses = self.control_addresses(ppdu, high);
        let primary_mhz = self.primary_mhz(ppdu.from);
        let on_air = self.media.iter().flat_map(|medium| &medium.on_air);
        let from_epoch = |at: Instant| at.as_nanos().cast_signed() - self.epoch.as_nanos().cast_signed();
        let on_air_since_ns = on_air.map(|&other| from_epoch(self.air[other].start)).min();
        let PpduUser { receiver, tx, psdu_bytes, .. } = ppdu.users[user];
        let to = receiver.nic();
        let (start_ns, end_ns) = (from_epoch(ppdu.start), from_epoch(ppdu.end));
        let Some(Capturing { captured, .. }) = self.capturing.as_deref_mut() else { return };
        let block_ack = block_ack.map(|block_ack| captured.add_block_ack(&block_ack));
        captured.add(&CapturedPpdu {
            start_ns,
            end_ns,
            to,
            addresses,
            primary_mhz,
            bytes: psdu_bytes,
            outcome: ppdu.outcome(user),
            nav: ppdu.nav(),
            power: to.map(|to| high.channel().mean_dbm(ppdu.from, to)),
            block_ack,
            on_air_since_ns,
            ..CapturedPpdu::new(ppdu.from, ppdu.kind, tx)
        });
    }
}
