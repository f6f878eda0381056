//! PSDUs of an exchange: MPDUs of a queue join, and may have to leave again.

use airtcp_units::Instant;

use super::Buffers;
use super::nic_buffers::{Buffer, NicBuffers, Waiting};
use super::txq::Held;
use crate::NicId;
use crate::border::{HighMac, Mpdu, MpduKind, TxqId};
use crate::low::contention::AccessFunction;
use crate::low::on_air::UserId;
use crate::low::psdu::{PsduLength, subframe};
use crate::phy::TxVector;

/// Whose PSDU it is: that of a user of an exchange, with MPDUs of a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PsduOf {
    pub(crate) nic: NicId,
    pub(crate) function: AccessFunction,
    pub(crate) user: UserId,
    pub(crate) txq: TxqId,
}

/// What a PSDU may become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PsduRoom {
    pub(crate) tx: TxVector,
    /// Octets.
    pub(crate) most: u32,
    /// Octets of the trigger frame that ends it; 0: there is none.
    pub(crate) trigger_bytes: u32,
    pub(crate) spacing_octets: u32,
    /// Block acknowledgement window.
    pub(crate) window: u16,
}

impl PsduRoom {
    /// The most octets before the trigger frame, and before the last MPDU: as many subframes fit as with [`PsduLength::ended_by`], which
    /// rounds up the last subframe and keeps it from being shorter than the spacing.
    const fn without_trigger(&self) -> (u32, u32) {
        if self.trigger_bytes == 0 {
            return (self.most, u32::MAX);
        }
        let before_trigger = self.most.saturating_sub(subframe(self.trigger_bytes, false, 0)) / 4 * 4;
        (before_trigger, before_trigger.saturating_sub(self.spacing_octets.next_multiple_of(4)))
    }
}

impl Buffers {
    /// Adds MPDUs under an agreement to a PSDU while they fit: into its room and the block acknowledgement window. `None`: it has only
    /// one; else its length.
    #[inline(always)]
    pub(crate) fn extend(
        &mut self,
        now: Instant,
        of: PsduOf,
        room: PsduRoom,
        high: &mut impl HighMac,
    ) -> Option<PsduLength> {
        let PsduOf { nic, function, user, txq } = of;
        let NicBuffers { functions, psdus, prefetch, .. } = &mut self.nics[nic];
        let Waiting { held: count, buffer, .. } = &mut functions[function.index()];
        let psdu = &mut psdus[user];
        let first = psdu[0].mpdu;
        let mut length = PsduLength::one(room.tx.format, first.bytes).spaced(room.spacing_octets);
        let (most, most_before_last) = room.without_trigger();
        let joins = |length: PsduLength, next: &Mpdu| {
            let ahead = next.sequence.wrapping_sub(first.sequence) & 0xfff;
            let joins = next.kind == MpduKind::Aggregable && ahead < room.window;
            let fits =
                |longer: &PsduLength| longer.bytes() <= most && longer.before_last() <= most_before_last;
            Some(length.with(next.bytes)).filter(|longer| joins && fits(longer))
        };
        let mut lengthen = |next: &Mpdu| {
            let longer = joins(length, next);
            length = longer.unwrap_or(length);
            longer.is_some()
        };
        let queue = &mut self.txqs[txq].held;
        match buffer {
            Buffer::AtEntry(aggregates) => aggregates.take(count, psdu, lengthen),
            Buffer::AtAccess(_) => {
                while let Some(held) = queue.front() {
                    if !lengthen(&held.mpdu) {
                        break;
                    }
                    count.remove(held);
                    psdu.extend(queue.pop_front());
                }
                // A card that has taken MPDUs ahead sends no others.
                if prefetch.ppdus == 0 && queue.is_empty() {
                    high.dequeue_while(now, txq, |mpdu| {
                        let (held, fits) = (Held::new(mpdu), lengthen(&mpdu));
                        if fits {
                            psdu.push(held);
                        } else {
                            count.add(&held);
                            queue.push_front(held);
                        }
                        fits
                    });
                }
            }
        }
        (psdu.len() > 1).then_some(length.ended_by(room.trigger_bytes))
    }

    /// MPDUs of a PSDU after the first so many go back to their queue.
    pub(crate) fn shorten(&mut self, of: PsduOf, fitting: usize) {
        let PsduOf { nic, function, user, txq } = of;
        let NicBuffers { functions, psdus, .. } = &mut self.nics[nic];
        let Waiting { held: count, buffer, .. } = &mut functions[function.index()];
        let queue = &mut self.txqs[txq].held;
        buffer.keep(queue, psdus[user].drain(fitting..), count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::Format;

    /// What fits by both limits is what fits with the trigger frame.
    #[test]
    fn a_trigger_frame_has_its_room() {
        for (spacing_octets, most) in
            [(0, 3200), (0, 3129), (0, 3128), (601, 1500), (601, 1244), (601, 1245), (30, 40)]
        {
            let room =
                PsduRoom { tx: TxVector::ofdm(0), most, trigger_bytes: 37, spacing_octets, window: 64 };
            let (before_trigger, before_last) = room.without_trigger();
            for bytes in [40, 90, 600, 601, 602, 1538] {
                let length = PsduLength::one(Format::He, 90).spaced(spacing_octets).with(bytes);
                let fits = length.bytes() <= before_trigger && length.before_last() <= before_last;
                assert_eq!(fits, length.ended_by(37).bytes() <= most, "{room:?} {bytes}");
            }
        }
    }
}
