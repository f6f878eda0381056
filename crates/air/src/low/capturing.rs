//! What goes over the air, for a capture: see [`crate::trace::AirCapture`].

use airtcp_units::Instant;

use super::answers::no_bitmap;
use super::ppdu::{Ppdu, Reception};
use super::{Low, Surroundings};
use crate::NicId;
use crate::border::Receiver;
use crate::trace::{AirCapture, CapturedMpdu, CapturedPpdu, PpduOutcome};

/// The state of a capture of the air.
#[derive(Debug)]
pub(crate) struct Capturing {
    /// PPDUs are captured that start in this span.
    span: (Instant, Instant),
    pub(crate) captured: AirCapture,
}

impl Capturing {
    pub(crate) fn new(span: (Instant, Instant)) -> Self {
        Self { span, captured: AirCapture::default() }
    }

    fn takes(&self, ppdu: &Ppdu) -> bool {
        ppdu.start >= self.span.0 && ppdu.start < self.span.1
    }
}

impl Low {
    /// Captures the PPDU of a NIC, which ends now.
    #[cold]
    pub(super) fn capture(&mut self, nic: NicId, read: bool, high: &mut impl Surroundings) {
        let ppdu = self.air.take(nic);
        if self.capturing.as_ref().is_some_and(|capturing| capturing.takes(&ppdu)) {
            self.capture_mpdus(&ppdu, read, high);
            self.capture_ppdu(&ppdu, read, high);
        }
        self.air.put(ppdu);
    }

    fn capture_mpdus(&mut self, ppdu: &Ppdu, read: bool, high: &mut impl Surroundings) {
        let Some(capturing) = &mut self.capturing else { return };
        let outcome = ppdu.outcome(read);
        let sender = &self.radios[ppdu.from];
        // A NIC's MPDUs stay where they are until it knows what became of them.
        for (index, (mpdu, held)) in ppdu.mpdus.iter().zip(&sender.psdu).enumerate() {
            let received = match ppdu.receiver {
                Receiver::One(_) | Receiver::Absent => ppdu.received[index] == Reception::Good,
                Receiver::Group => outcome == PpduOutcome::Received,
            };
            let radio = sender.tuning.is_some().then_some(mpdu.handle);
            let carries = radio.is_none() && mpdu.kind.carries_data();
            let frames = carries.then(|| high.frames(mpdu.handle)).into_iter().flatten();
            let mut told = CapturedMpdu::new(mpdu.bytes, (mpdu.tid, mpdu.sequence), held.tries > 0, received);
            told.radio = radio;
            capturing.captured.add_mpdu(&told, frames);
        }
    }

    fn capture_ppdu(&mut self, ppdu: &Ppdu, read: bool, high: &mut impl Surroundings) {
        let mut bitmap = no_bitmap();
        let said = self.block_ack(ppdu, &mut bitmap, high);
        let addresses = self.control_addresses(ppdu, high);
        let primary_mhz = self.primary_mhz(ppdu.from);
        let on_air = self.media.iter().flat_map(|medium| &medium.on_air);
        let from_epoch = |at: Instant| at.as_nanos().cast_signed() - self.epoch.as_nanos().cast_signed();
        let on_air_since_ns = on_air.map(|&other| from_epoch(self.air[other].start)).min();
        let to = match ppdu.receiver {
            Receiver::One(to) => Some(to),
            Receiver::Group | Receiver::Absent => None,
        };
        let (start_ns, end_ns) = (from_epoch(ppdu.start), from_epoch(ppdu.end));
        let Some(Capturing { captured, .. }) = self.capturing.as_deref_mut() else { return };
        let block_ack = said.map(|said| captured.add_block_ack(&said));
        captured.add(&CapturedPpdu {
            start_ns,
            end_ns,
            to,
            addresses,
            primary_mhz,
            bytes: ppdu.psdu_bytes,
            outcome: ppdu.outcome(read),
            nav: ppdu.nav_until.saturating_since(ppdu.end),
            power: to.map(|to| high.channel().mean_dbm(ppdu.from, to)),
            block_ack,
            on_air_since_ns,
            ..CapturedPpdu::new(ppdu.from, ppdu.kind, ppdu.tx)
        });
    }
}
