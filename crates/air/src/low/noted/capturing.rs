//! What goes over the air, for a capture: see [`crate::trace::AirCapture`].

use super::answers::no_bitmap;
use super::{Capturing, Notes};
use crate::border::Receiver;
use crate::low::buffer::Held;
use crate::low::context::Context;
use crate::low::on_air::{OnAir, PerUser, Ppdu, PpduUser, Reception, UserId};
use crate::trace::{AirCapture, CapturedMpdu, CapturedPpdu, CapturedTrigger, PpduOutcome};

/// What the sender of a captured PPDU knows of it.
#[derive(Debug)]
pub(crate) struct CapturedSending<'a> {
    /// The MPDUs for each user.
    pub(crate) psdus: &'a PerUser<Held>,
    /// The trigger frame that the PPDU is, or that ends the user's PSDU.
    pub(crate) trigger: Option<CapturedTrigger>,
}

impl Notes {
    /// The capture, if it has this PPDU.
    #[inline]
    pub(crate) fn capture_of(&mut self, ppdu: &Ppdu) -> Option<&mut AirCapture> {
        let capturing = self.capturing.as_deref_mut()?;
        capturing.span.contains(ppdu.start).then_some(&mut capturing.captured)
    }

    /// Captures a PPDU that ends now, as one of its users gets it. Of a trigger frame the stations are known already.
    pub(crate) fn capture(
        &mut self,
        ppdu: &Ppdu,
        user: UserId,
        on_air: &OnAir,
        seen: &CapturedSending<'_>,
        high: &mut impl Context,
    ) {
        self.capture_mpdus(ppdu, user, &seen.psdus[user], high);
        self.capture_ppdu(ppdu, user, on_air, seen, high);
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
        seen: &CapturedSending<'_>,
        high: &mut impl Context,
    ) {
        let mut bitmap = no_bitmap();
        let block_ack = self.block_ack(ppdu, &mut bitmap, high);
        let addresses = self.control_addresses(ppdu, seen.psdus, high);
        // The same PPDU comes once more for its next user.
        let for_all = ppdu.is_one_frame_for_all();
        let is_last = for_all || ppdu.users.ids().last() == Some(user);
        let own = (!is_last).then_some(ppdu.start);
        let on_air_since = on_air.on_air_since().into_iter().chain(own).min();
        let on_air_since_ns = on_air_since.map(|start| self.since_epoch_ns(start));
        let PpduUser { receiver, tx, psdu_bytes, .. } = ppdu.users[user];
        let to = receiver.nic().filter(|_| !for_all);
        let read_by = |user: &UserId| ppdu.outcome(*user) == PpduOutcome::Received;
        let outcome_of = ppdu.users.ids().find(read_by).filter(|_| for_all).unwrap_or(user);
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
            outcome: ppdu.outcome(outcome_of),
            nav: ppdu.nav(),
            power: to.map(|to| high.channel().mean_dbm(ppdu.from, to)),
            block_ack,
            on_air_since_ns,
            is_triggered: ppdu.trigger.is_some(),
            trigger: seen.trigger,
            trigger_received: ppdu.users[user].has_own_trigger(),
            queue_sizes: ppdu.buffer_status.queue_sizes(),
            ..CapturedPpdu::new(ppdu.from, ppdu.kind, tx)
        });
    }
}
