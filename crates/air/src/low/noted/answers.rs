//! The contents of control frames, kept only if a capture or a monitor needs them.

use crate::border::{Addresses, BlockAck, BlockAckQuery, ControlFrame, Link, MpduKind, Receiver};
use crate::low::on_air::{Ppdu, Reception, UserId};
use crate::low::{Low, LowerMacContext};
use crate::phy::BLOCK_ACK_64_BYTES;
use crate::{NicId, PpduKind};

/// Most octets of the bitmap of a `BlockAck` (IEEE 802.11be, 9.3.1.8.2).
const BITMAP_OCTETS_MAX: usize = 1024 / 8;
/// Octets of a `BlockAck` around its bitmap (IEEE 802.11-2020, 9.3.1.8.2).
const AROUND_BITMAP_BYTES: u32 = BLOCK_ACK_64_BYTES - 8;

/// Room for the bitmap of a `BlockAck`.
pub(crate) type Bitmap = [u8; BITMAP_OCTETS_MAX];

/// What each NIC answers to the PPDU that it received last.
#[derive(Debug)]
pub(crate) struct Answers(Vec<Answering>);

/// What a response will say.
#[derive(Clone, Debug)]
struct Answering {
    asker: NicId,
    /// Addresses of the MPDU to which the response answers, if a radio of mac80211 sent that.
    asked: Option<Addresses>,
    tid: u8,
    /// Number of the first MPDU, or what a `BlockAckReq` asks for.
    start: u16,
    /// Whether a `BlockAckReq` asked for the response: the receiver's buffer knows then what has arrived.
    requested: bool,
    bitmap: Bitmap,
}

impl Answers {
    pub(crate) fn new(nics: usize) -> Self {
        let bitmap = [0; BITMAP_OCTETS_MAX];
        let nothing = Answering { asker: NicId(0), asked: None, tid: 0, start: 0, requested: false, bitmap };
        Self(vec![nothing; nics])
    }

    /// What this NIC answers to the PPDU that it has just received. A number between those of an aggregate that is missing there
    /// belongs to an MPDU that had arrived before.
    #[cold]
    pub(crate) fn note(&mut self, ppdu: &Ppdu, user: UserId, to: NicId, asked: Option<Addresses>) {
        let answer = &mut self.0[to.index()];
        (answer.asker, answer.asked) = (ppdu.from, asked);
        let Some(first) = ppdu.mpdus[user].first() else { return };
        (answer.tid, answer.start) = (first.tid, first.sequence);
        answer.requested = first.kind == MpduKind::BlockAckReq;
        answer.bitmap.fill(0);
        let mut next = 0;
        for (mpdu, reception) in ppdu.mpdus[user].iter().zip(&ppdu.received[user]) {
            let place = mpdu.sequence.wrapping_sub(first.sequence) & 0xfff;
            (next..place).for_each(|known| set(&mut answer.bitmap, known));
            if *reception == Reception::Good {
                set(&mut answer.bitmap, place);
            }
            next = place + 1;
        }
    }
}

impl Answering {
    /// Fills the bitmap, and returns with which number it begins.
    fn fill(&self, own: NicId, bitmap: &mut [u8], high: &mut impl LowerMacContext) -> u16 {
        let Self { asker, asked, tid, start, requested, .. } = *self;
        let link = Link { from: asker, to: own };
        let query = BlockAckQuery { link, addresses: asked, tid, start, requested };
        high.block_ack(&query, bitmap).unwrap_or_else(|| {
            bitmap.copy_from_slice(&self.bitmap[..bitmap.len()]);
            start
        })
    }
}

fn set(bitmap: &mut [u8], place: u16) {
    if let Some(octet) = bitmap.get_mut(usize::from(place / 8)) {
        *octet |= 1 << (place % 8);
    }
}

impl Low {
    /// Records the contents of the response that a user prepares, if a capture or a monitor needs them.
    #[inline]
    pub(crate) fn note_answer(
        &mut self,
        ppdu: &Ppdu,
        user: UserId,
        to: NicId,
        high: &mut impl LowerMacContext,
    ) {
        let Some(answers) = &mut self.answers else { return };
        let first = self.radios[ppdu.from].psdus[user].first();
        answers.note(ppdu, user, to, first.and_then(|held| high.addresses(ppdu.from, &held.mpdu)));
    }

    /// The `BlockAck` of a NIC that ends now.
    pub(crate) fn block_ack<'b>(
        &self,
        ppdu: &Ppdu,
        bitmap: &'b mut Bitmap,
        high: &mut impl LowerMacContext,
    ) -> Option<BlockAck<'b>> {
        if ppdu.kind != PpduKind::BlockAck {
            return None;
        }
        let answer = &self.answers.as_ref()?.0[ppdu.from.index()];
        let bitmap = &mut bitmap[..(ppdu.first().psdu_bytes - AROUND_BITMAP_BYTES) as usize];
        let start = answer.fill(ppdu.from, bitmap, high);
        Some(BlockAck { tid: answer.tid, start, bitmap })
    }

    /// The addresses of a control frame that a radio of mac80211 has made itself, if they are known.
    pub(crate) fn control_addresses(
        &self,
        ppdu: &Ppdu,
        high: &mut impl LowerMacContext,
    ) -> Option<Addresses> {
        match (ppdu.kind, ppdu.first().receiver) {
            (PpduKind::Rts, _) | (PpduKind::Cts, Receiver::Group) => {
                let announced = self.radios[ppdu.from].psdus.first().first()?;
                let Addresses { receiver, transmitter } = high.addresses(ppdu.from, &announced.mpdu)?;
                let to_self = ppdu.kind == PpduKind::Cts;
                Some(Addresses { receiver: if to_self { transmitter } else { receiver }, transmitter })
            }
            (PpduKind::Cts | PpduKind::Ack | PpduKind::BlockAck, _) => {
                let asked = self.answers.as_ref()?.0[ppdu.from.index()].asked?;
                Some(Addresses { receiver: asked.transmitter, transmitter: asked.receiver })
            }
            _ => None,
        }
    }

    /// A control frame that a radio of mac80211 has made itself; `None` if it is none, or its addresses are not known.
    pub(crate) fn control_frame<'b>(
        &self,
        ppdu: &Ppdu,
        bitmap: &'b mut Bitmap,
        high: &mut impl LowerMacContext,
    ) -> Option<ControlFrame<'b>> {
        let addresses = self.control_addresses(ppdu, high)?;
        let block_ack = self.block_ack(ppdu, bitmap, high);
        Some(ControlFrame { kind: ppdu.kind, addresses, nav: ppdu.nav(), block_ack })
    }
}

/// Room for the bitmap of the `BlockAck` at hand.
pub(crate) const fn no_bitmap() -> Bitmap {
    [0; BITMAP_OCTETS_MAX]
}
