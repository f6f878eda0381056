//! What goes over the air, for a capture: see [`crate::trace::AirCapture`].

use super::answers::no_bitmap;
use super::{Capturing, Notes};
use crate::PpduKind;
use crate::border::Receiver;
use crate::low::buffer::Held;
use crate::low::context::Context;
use crate::low::on_air::{OnAir, PerUser, Ppdu, PpduUser, Reception, UserId};
use crate::trace::{CapturedMpdu, CapturedPpdu, PpduOutcome};

impl Notes {
    /// Captures a PPDU that ends now, if the air is captured: once for each user.
    #[inline]
    pub(crate) fn capture(
        &mut self,
        ppdu: &Ppdu,
        on_air: &OnAir,
        psdus: &PerUser<Held>,
        high: &mut impl Context,
    ) {
        if self.capturing.is_some() {
            self.capture_users(ppdu, on_air, psdus, high);
        }
    }

    #[cold]
    fn capture_users(&mut self, ppdu: &Ppdu, on_air: &OnAir, psdus: &PerUser<Held>, high: &mut impl Context) {
        if ppdu.is_trigger_frame() || matches!(ppdu.kind, PpduKind::QosNull | PpduKind::MultiStaBlockAck) {
            // Their contents are not modelled.
            return;
        }
        if self.capturing.as_ref().is_some_and(|capturing| capturing.span.contains(ppdu.start)) {
            for user in ppdu.users.ids() {
                self.capture_mpdus(ppdu, user, &psdus[user], high);
                self.capture_ppdu(ppdu, user, on_air, psdus, high);
            }
        }
    }

    fn capture_mpdus(&mut self, ppdu: &Ppdu, user: UserId, mpdus: &[Held], high: &mut impl Context) {
        let Some(capturing) = &mut self.capturing else { return };
        let outcome = ppdu.outcome(user);
        // A NIC's MPDUs stay where they are until it knows what became of them.
        for (index, (mpdu, held)) in ppdu.mpdus[user].iter().zip(mpdus).enumerate() {
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

    fn capture_ppdu(
        &mut self,
        ppdu: &Ppdu,
        user: UserId,
        on_air: &OnAir,
        psdus: &PerUser<Held>,
        high: &mut impl Context,
    ) {
        let mut bitmap = no_bitmap();
        let block_ack = self.block_ack(ppdu, &mut bitmap, high);
        let addresses = self.control_addresses(ppdu, psdus, high);
        // The same PPDU comes once more for its next user.
        let is_last = ppdu.users.ids().last() == Some(user);
        let own = (!is_last).then_some(ppdu.start);
        let on_air_since = on_air.on_air_since().into_iter().chain(own).min();
        let on_air_since_ns = on_air_since.map(|start| self.since_epoch_ns(start));
        let PpduUser { receiver, tx, psdu_bytes, .. } = ppdu.users[user];
        let to = receiver.nic();
        let (start_ns, end_ns) = (self.since_epoch_ns(ppdu.start), self.since_epoch_ns(ppdu.end));
        let Some(Capturing { captured, .. }) = self.capturing.as_deref_mut() else { return };
        let block_ack = block_ack.map(|block_ack| captured.add_block_ack(&block_ack));
        captured.add(&CapturedPpdu {
            start_ns,
            end_ns,
            to,
            addresses,
            primary_mhz: on_air.primary_mhz(ppdu.from),
            bytes: psdu_bytes,
            outcome: ppdu.outcome(user),
            nav: ppdu.nav(),
            power: to.map(|to| high.channel().mean_dbm(ppdu.from, to)),
            block_ack,
            on_air_since_ns,
            is_triggered: ppdu.trigger.is_some(),
            ..CapturedPpdu::new(ppdu.from, ppdu.kind, tx)
        });
    }
}
