//! What goes over the air, for a capture: see [`crate::trace::AirCapture`].

use airtcp_units::Instant;

use super::ppdu::{Ppdu, Reception};
use super::{Low, Surroundings};
use crate::NicId;
use crate::border::{MpduKind, Receiver};
use crate::phy::BLOCK_ACK_64_BYTES;
use crate::trace::{AirCapture, CapturedBlockAck, CapturedMpdu, CapturedPpdu, PpduKind, PpduOutcome};

/// Most MPDUs that the bitmap of a `BlockAck` covers (IEEE 802.11be, 9.3.1.8.2).
const BITMAP_OCTETS_MAX: usize = 1024 / 8;
/// Octets of a `BlockAck` around its bitmap (IEEE 802.11-2020, 9.3.1.8.2).
const AROUND_BITMAP_BYTES: u32 = BLOCK_ACK_64_BYTES - 8;

/// The state of a capture of the air.
#[derive(Debug)]
pub(crate) struct Capturing {
    /// PPDUs are captured that start in this span.
    span: (Instant, Instant),
    pub(crate) captured: AirCapture,
    /// What each NIC answers to the aggregate or `BlockAckReq` that it received last.
    answers: Vec<Answering>,
}

/// What a `BlockAck` will say.
#[derive(Clone, Debug)]
struct Answering {
    asker: NicId,
    tid: u8,
    start: u16,
    /// It was asked for by a `BlockAckReq`: its receiver's buffer knows what has arrived.
    requested: bool,
    bitmap: [u8; BITMAP_OCTETS_MAX],
}

impl Capturing {
    pub(crate) fn new(span: (Instant, Instant), nics: usize) -> Self {
        let bitmap = [0; BITMAP_OCTETS_MAX];
        let nothing = Answering { asker: NicId(0), tid: 0, start: 0, requested: false, bitmap };
        Self { span, captured: AirCapture::default(), answers: vec![nothing; nics] }
    }

    /// What this NIC answers to the PPDU that it has just received. A number between those of an aggregate that is missing there
    /// belongs to an MPDU that had arrived before.
    #[cold]
    pub(super) fn note_answer(&mut self, ppdu: &Ppdu, to: NicId) {
        let Some(first) = ppdu.mpdus.first() else { return };
        let answer = &mut self.answers[to.0 as usize];
        (answer.asker, answer.tid, answer.start) = (ppdu.from, first.tid, first.sequence);
        answer.requested = first.kind == MpduKind::BlockAckReq;
        answer.bitmap.fill(0);
        let mut next = 0;
        for (mpdu, reception) in ppdu.mpdus.iter().zip(&ppdu.received) {
            let place = mpdu.sequence.wrapping_sub(first.sequence) & 0xfff;
            (next..place).for_each(|known| set(&mut answer.bitmap, known));
            if *reception == Reception::Good {
                set(&mut answer.bitmap, place);
            }
            next = place + 1;
        }
    }
}

fn set(bitmap: &mut [u8], place: u16) {
    if let Some(octet) = bitmap.get_mut(usize::from(place / 8)) {
        *octet |= 1 << (place % 8);
    }
}

impl Low {
    /// Captures the PPDU of a NIC, which ends now.
    #[cold]
    pub(super) fn capture(&mut self, nic: NicId, read: bool, high: &mut impl Surroundings) {
        let Some(capturing) = &mut self.capturing else { return };
        let ppdu = &self.air[nic];
        if ppdu.start < capturing.span.0 || ppdu.start >= capturing.span.1 {
            return;
        }
        let outcome = ppdu.outcome(read);
        let captured = &mut capturing.captured;
        // A NIC's MPDUs stay where they are until it knows what became of them.
        for (index, (mpdu, held)) in ppdu.mpdus.iter().zip(&self.radios[nic.0 as usize].psdu).enumerate() {
            let received = match ppdu.receiver {
                Receiver::One(_) | Receiver::Absent => ppdu.received[index] == Reception::Good,
                Receiver::Group => outcome == PpduOutcome::Received,
            };
            let radio = self.radios[nic.0 as usize].tuning.is_some().then_some(mpdu.handle);
            let carries = radio.is_none() && mpdu.kind.carries_data();
            let frames = carries.then(|| high.frames(mpdu.handle)).into_iter().flatten();
            let mut told = CapturedMpdu::new(mpdu.bytes, (mpdu.tid, mpdu.sequence), held.tries > 0, received);
            told.radio = radio;
            captured.add_mpdu(&told, frames);
        }
        let block_ack = (ppdu.kind == PpduKind::BlockAck).then(|| {
            let octets = ppdu.psdu_bytes - AROUND_BITMAP_BYTES;
            block_ack(captured, &capturing.answers[nic.0 as usize], (nic, octets), high)
        });
        let on_air = self.media.iter().flat_map(|medium| &medium.on_air);
        let from_epoch = |at: Instant| at.as_nanos().cast_signed() - self.epoch.as_nanos().cast_signed();
        let to = match ppdu.receiver {
            Receiver::One(to) => Some(to),
            Receiver::Group | Receiver::Absent => None,
        };
        captured.add(&CapturedPpdu {
            start_ns: from_epoch(ppdu.start),
            end_ns: from_epoch(ppdu.end),
            to,
            bytes: ppdu.psdu_bytes,
            outcome,
            nav: ppdu.nav_until.saturating_since(ppdu.end),
            power: to.map(|to| high.channel().mean_dbm(nic, to)),
            block_ack,
            on_air_since_ns: on_air.map(|&other| from_epoch(self.air[other].start)).min(),
            ..CapturedPpdu::new(nic, ppdu.kind, ppdu.tx)
        });
    }
}

/// What a NIC's `BlockAck` with so many octets of bitmap says.
fn block_ack(
    captured: &mut AirCapture,
    answer: &Answering,
    (nic, octets): (NicId, u32),
    high: &mut impl Surroundings,
) -> CapturedBlockAck {
    let named = (answer.tid, answer.start);
    if !answer.requested {
        return captured.add_bitmap(named, answer.bitmap[..octets as usize].iter().copied());
    }
    let octet = |number: u32| {
        (0..8).fold(0, |octet, bit| {
            let sequence = (u32::from(answer.start) + number * 8 + bit) & 0xfff;
            let arrived = high.has_arrived((answer.asker, nic), answer.tid, sequence as u16);
            octet | u8::from(arrived) << bit
        })
    };
    captured.add_bitmap(named, (0..octets).map(octet))
}
