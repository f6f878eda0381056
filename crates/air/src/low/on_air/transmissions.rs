//! The PPDU that each NIC sends, or sent last.

use std::ops::{Index, IndexMut};

use airtcp_units::Instant;

use super::overlap::{Emitted, Overlap};
use super::ppdu::Ppdu;
use crate::{NicId, PpduKind};

/// One PPDU for each NIC, which has one place in memory for ever.
#[derive(Debug)]
pub(super) struct Transmissions(Vec<Option<Box<Ppdu>>>);

impl Transmissions {
    /// Transmissions of silent NICs.
    pub(super) fn idle(nics: impl Iterator<Item = NicId>) -> Self {
        Self(nics.map(|nic| Some(Box::new(Ppdu::idle(nic)))).collect())
    }

    /// Takes a NIC's PPDU, to look at it while others change. Until it is put back nobody may ask for it.
    #[inline]
    pub(super) fn take(&mut self, nic: NicId) -> Box<Ppdu> {
        self.0[nic.index()].take().expect("a PPDU is taken once")
    }

    /// Puts it back.
    #[inline]
    pub(super) fn put(&mut self, ppdu: Box<Ppdu>) {
        let place = &mut self.0[ppdu.from.index()];
        let taken = place.replace(ppdu);
        debug_assert!(taken.is_none(), "a PPDU is put back once");
        // Nothing is left to drop, which the compiler cannot know.
        std::mem::forget(taken);
    }
}

impl Transmissions {
    /// Notes what is on the air in a medium when a PPDU begins there.
    #[inline(never)]
    pub(super) fn meet(&mut self, ppdu: &mut Ppdu, on_air: &[NicId], emissions: &[Emitted]) {
        ppdu.emissions.extend(emissions.iter().filter(|emitted| emitted.lasts()));
        for &other in on_air {
            let there = &mut self[other];
            if ppdu.is_triggered_with(there) {
                // Answers are in disjoint RUs, or in the same.
                if ppdu.kind != PpduKind::Cts && ppdu.allocation() == there.allocation() {
                    there.overlaps.push(Overlap::in_ru(ppdu, Instant::FAR_FUTURE));
                    ppdu.overlaps.push(Overlap::in_ru(there, Instant::FAR_FUTURE));
                }
                continue;
            }
            there.overlaps.push(Overlap::of(ppdu, Instant::FAR_FUTURE));
            ppdu.overlaps.push(Overlap::of(there, Instant::FAR_FUTURE));
        }
    }

    /// The PPDU of a NIC ends for those that it has met, of what these NICs send.
    #[inline(never)]
    pub(super) fn end_overlaps(&mut self, now: Instant, from: NicId, on_air: &[NicId]) {
        for &other in on_air {
            let lasting = |o: &&mut Overlap| o.from == from && o.end == Instant::FAR_FUTURE;
            if let Some(overlap) = self[other].overlaps.iter_mut().find(lasting) {
                overlap.end = now;
            }
        }
    }
}

impl Index<NicId> for Transmissions {
    type Output = Ppdu;

    #[inline]
    fn index(&self, nic: NicId) -> &Ppdu {
        self.0[nic.index()].as_ref().expect("the PPDU is not taken")
    }
}

impl IndexMut<NicId> for Transmissions {
    #[inline(always)]
    fn index_mut(&mut self, nic: NicId) -> &mut Ppdu {
        self.0[nic.index()].as_mut().expect("the PPDU is not taken")
    }
}
