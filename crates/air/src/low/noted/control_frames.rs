//! The contents of control frames, known only if a capture or a monitor needs them.

use super::Notes;
use super::answers::Bitmap;
use crate::border::{Addresses, BlockAck, ControlFrame, Receiver};
use crate::low::buffer::Held;
use crate::low::context::Context;
use crate::low::on_air::{PerUser, Ppdu, UserId};
use crate::phy::BLOCK_ACK_64_BYTES;
use crate::{NicId, PpduKind};

/// Octets of a `BlockAck` around its bitmap (IEEE 802.11-2020, 9.3.1.8.2).
const AROUND_BITMAP_BYTES: u32 = BLOCK_ACK_64_BYTES - 8;

impl Notes {
    /// Notes the contents of the response that a user prepares, if a capture or a monitor needs them.
    #[inline]
    pub(crate) fn answer(
        &mut self,
        ppdu: &Ppdu,
        user: UserId,
        to: NicId,
        sent: &[Held],
        high: &mut impl Context,
    ) {
        let Some(answers) = &mut self.answers else { return };
        let asked = sent.first().and_then(|held| high.addresses(ppdu.from, &held.mpdu));
        if ppdu.kind == PpduKind::Trigger {
            return answers.note_triggered(ppdu, to, asked, sent);
        }
        answers.note(ppdu, user, to, asked);
    }

    /// The `BlockAck` of a NIC that ends now.
    pub(super) fn block_ack<'b>(
        &self,
        ppdu: &Ppdu,
        bitmap: &'b mut Bitmap,
        high: &mut impl Context,
    ) -> Option<BlockAck<'b>> {
        if ppdu.kind != PpduKind::BlockAck {
            return None;
        }
        let answer = self.answers.as_ref()?.of(ppdu.from);
        let bitmap = &mut bitmap[..(ppdu.first().psdu_bytes - AROUND_BITMAP_BYTES) as usize];
        let start = answer.fill(ppdu.from, bitmap, high);
        Some(BlockAck { tid: answer.tid, start, bitmap })
    }

    /// The addresses of a control frame that a radio of mac80211 has made itself, if they are known.
    pub(super) fn control_addresses(
        &self,
        ppdu: &Ppdu,
        announced: &PerUser<Held>,
        high: &mut impl Context,
    ) -> Option<Addresses> {
        if ppdu.is_trigger_frame() {
            // Its contents are not modelled.
            return None;
        }
        match (ppdu.kind, ppdu.first().receiver) {
            (PpduKind::BlockAckReq, receiver) if ppdu.is_made_below() => {
                let asked = announced.iter().find(|held| held.mpdu.receiver == receiver)?;
                high.addresses(ppdu.from, &asked.mpdu)
            }
            (PpduKind::Rts, _) | (PpduKind::Cts, Receiver::Group) => {
                let first = announced.first().first()?;
                let Addresses { receiver, transmitter } = high.addresses(ppdu.from, &first.mpdu)?;
                let to_self = ppdu.kind == PpduKind::Cts;
                Some(Addresses { receiver: if to_self { transmitter } else { receiver }, transmitter })
            }
            (PpduKind::Cts | PpduKind::Ack | PpduKind::BlockAck, _) => {
                let asked = self.answers.as_ref()?.of(ppdu.from).asked?;
                Some(Addresses { receiver: asked.transmitter, transmitter: asked.receiver })
            }
            _ => None,
        }
    }

    /// A control frame that a radio of mac80211 has made itself; `None` if it is none, or its addresses are not known.
    pub(crate) fn control_frame<'b>(
        &self,
        ppdu: &Ppdu,
        announced: &PerUser<Held>,
        bitmap: &'b mut Bitmap,
        high: &mut impl Context,
    ) -> Option<ControlFrame<'b>> {
        let addresses = self.control_addresses(ppdu, announced, high)?;
        let block_ack = match ppdu.mpdus.first().first() {
            Some(request) => Some(BlockAck { tid: request.tid, start: request.sequence, bitmap: &[] }),
            None => self.block_ack(ppdu, bitmap, high),
        };
        Some(ControlFrame { kind: ppdu.kind, addresses, nav: ppdu.nav(), block_ack })
    }
}
