//! What NICs answer, kept only if a capture or a monitor needs it.

use crate::NicId;
use crate::border::{Addresses, BlockAckQuery, Link, Mpdu, MpduKind};
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
        answer.requested = first.kind == MpduKind::BlockAckReq;
        let receptions = ppdu.received[user].iter().map(|&reception| reception == Reception::Good);
        answer.note(first, ppdu.mpdus[user].iter().map(|mpdu| mpdu.sequence).zip(receptions));
    }

    /// What this NIC answers to a trigger frame after these MPDUs.
    #[cold]
    pub(super) fn note_triggered(&mut self, ppdu: &Ppdu, to: NicId, asked: Option<Addresses>, sent: &[Held]) {
        let answer = &mut self.0[to.index()];
        (answer.asker, answer.asked, answer.requested) = (ppdu.from, asked, false);
        let Some(Held { mpdu: first, .. }) = sent.first() else { return };
        answer.note(first, sent.iter().map(|held| (held.mpdu.sequence, held.arrived)));
    }
}

impl Answering {
    /// Which MPDUs from the first on have arrived, by their numbers.
    fn note(&mut self, first: &Mpdu, arrived: impl Iterator<Item = (u16, bool)>) {
        (self.tid, self.start) = (first.tid, first.sequence);
        self.bitmap.fill(0);
        let mut next = 0;
        for (sequence, has_arrived) in arrived {
            let place = sequence.wrapping_sub(first.sequence) & 0xfff;
            (next..place).for_each(|known| mark(&mut self.bitmap, known));
            if has_arrived {
                mark(&mut self.bitmap, place);
            }
            next = place + 1;
        }
    }

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

/// Says that the MPDU at this place from the first on has arrived, if the bitmap goes so far.
pub(crate) fn mark(bitmap: &mut [u8], place: u16) {
    if let Some(octet) = bitmap.get_mut(usize::from(place / 8)) {
        *octet |= 1 << (place % 8);
    }
}

/// Room for the bitmap of the `BlockAck` at hand.
pub(crate) const fn no_bitmap() -> Bitmap {
    [0; BITMAP_OCTETS_MAX]
}
