//! The PPDU that each NIC sends, or sent last.

use std::ops::{Index, IndexMut};

use super::ppdu::Ppdu;
use crate::NicId;

/// One PPDU for each NIC, which has one place in memory for ever.
#[derive(Debug)]
pub(crate) struct Transmissions(Vec<Option<Box<Ppdu>>>);

impl Transmissions {
    /// Transmissions of silent NICs.
    pub(crate) fn idle(nics: impl Iterator<Item = NicId>) -> Self {
        Self(nics.map(|nic| Some(Box::new(Ppdu::idle(nic)))).collect())
    }

    /// Takes a NIC's PPDU, to look at it while others change. Until it is put back nobody may ask for it.
    #[inline]
    pub(crate) fn take(&mut self, nic: NicId) -> Box<Ppdu> {
        self.0[nic.index()].take().expect("a PPDU is taken once")
    }

    /// Puts it back.
    #[inline]
    pub(crate) fn put(&mut self, ppdu: Box<Ppdu>) {
        let place = &mut self.0[ppdu.from.index()];
        let taken = place.replace(ppdu);
        debug_assert!(taken.is_none(), "a PPDU is put back once");
        // Nothing is left to drop, which the compiler cannot know.
        std::mem::forget(taken);
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
    #[inline]
    fn index_mut(&mut self, nic: NicId) -> &mut Ppdu {
        self.0[nic.index()].as_mut().expect("the PPDU is not taken")
    }
}
