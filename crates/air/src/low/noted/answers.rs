//! What NICs answer, kept only if a capture or a monitor needs it.

use crate::NicId;
use crate::border::{Addresses, BlockAckQuery, Link, MpduKind};
use crate::low::buffer::Held;
use crate::low::context::Context;
use crate::low::on_air::{Ppdu, Reception, UserId};

/// Most octets of the bitmap of a `BlockAck` (IEEE 802.11be, 9.3.1.8.2).
const BITMAP_OCTETS_MAX: usize = 1024 / 8;

/// Room for the bitmap of a `BlockAck`.
pub(crate) type Bitmap = [u8; BITMAP_OCTETS_MAX];

/// What each NIC answers to the PPDU that it received last.
#[derive(Debug)]
pub(super) struct Answers(Vec<Answering>);

/// What a response will say.
#[derive(Clone, Debug)]
pub(super) struct Answering {
    asker: NicId,
    /// Addresses of the MPDU to which the response answers, if a radio of mac80211 sent that.
    pub(super) asked: Option<Addresses>,
    pub(super) tid: u8,
    /// Number of the first MPDU, or what a `BlockAckReq` asks for.
    start: u16,
    /// Whether a `BlockAckReq` asked for the response: the receiver's buffer knows then what has arrived.
    requested: bool,
    bitmap: Bitmap,
}

impl Answers {
    pub(super) fn new(nics: usize) -> Self {
        let bitmap = [0; BITMAP_OCTETS_MAX];
        let nothing = Answering { asker: NicId(0), asked: None, tid: 0, start: 0, requested: false, bitmap };
        Self(vec![nothing; nics])
    }

    /// What a NIC answers.
    pub(super) fn of(&self, nic: NicId) -> &Answering {
        &self.0[nic.index()]
    }

    /// What this NIC answers to the PPDU that it has just received. A number between those of an aggregate that is missing there
    /// belongs to an MPDU that had arrived before.
    #[cold]
    pub(super) fn note(&mut self, ppdu: &Ppdu, user: UserId, to: NicId, asked: Option<Addresses>) {
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

impl Answers {
    /// What this NIC answers to a trigger frame after these MPDUs.
    #[cold]
    pub(super) fn note_triggered(&mut self, ppdu: &Ppdu, to: NicId, sent: &[Held]) {
        let answer = &mut self.0[to.index()];
        (answer.asker, answer.asked, answer.requested) = (ppdu.from, None, false);
        let Some(Held { mpdu: first, .. }) = sent.first() else { return };
        (answer.tid, answer.start) = (first.tid, first.sequence);
        answer.bitmap.fill(0);
        let mut next = 0;
        for held in sent {
            let place = held.mpdu.sequence.wrapping_sub(first.sequence) & 0xfff;
            (next..place).for_each(|known| set(&mut answer.bitmap, known));
            if held.arrived {
                set(&mut answer.bitmap, place);
            }
            next = place + 1;
        }
    }
}

impl Answering {
    /// Fills the bitmap, and returns with which number it begins.
    pub(super) fn fill(&self, own: NicId, bitmap: &mut [u8], high: &mut impl Context) -> u16 {
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

/// Room for the bitmap of the `BlockAck` at hand.
pub(crate) const fn no_bitmap() -> Bitmap {
    [0; BITMAP_OCTETS_MAX]
}
