//! MPDUs between their first sending and their last use, and the frames in them.
//!
//! Two tables with free lists: nothing is allocated once they have grown to the most that were ever on their way.

use super::addressing::Arrival;
use crate::FrameHandle;
use crate::border::{MpduHandle, TxqId};

/// No place in a table.
const NOWHERE: u32 = u32::MAX;

/// A frame inside an MPDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    pub(super) handle: FrameHandle,
    pub(super) arrival: Arrival,
}

#[derive(Clone, Copy, Debug)]
struct FramePlace {
    frame: Carried,
    /// The next frame of the MPDU, or the next free place.
    next: u32,
}

/// A data MPDU: one frame, or those of an A-MSDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bundle {
    /// The queue it was taken from.
    pub(super) txq: TxqId,
    /// Medium time that was announced for it, in nanoseconds.
    pub(super) airtime_ns: u64,
    /// Whether the MPDU waits in its receiver's reordering buffer.
    pub(super) held: bool,
    /// Whether the receiver's host has the MPDU.
    pub(super) delivered: bool,
    /// Whether the sender is done with the MPDU.
    pub(super) ended: bool,
    /// How often this place was used, so that a name is never used again.
    generation: u32,
    first: u32,
    last: u32,
}

/// Every data MPDU on its way.
#[derive(Debug)]
pub(super) struct Bundles {
    places: Vec<Bundle>,
    free_places: Vec<u32>,
    frames: Vec<FramePlace>,
    free_frame: u32,
}

impl Default for Bundles {
    fn default() -> Self {
        Self { places: Vec::new(), free_places: Vec::new(), frames: Vec::new(), free_frame: NOWHERE }
    }
}

impl Bundles {
    /// A new MPDU with its first frame.
    #[inline(always)]
    pub(super) fn begin(&mut self, txq: TxqId, frame: Carried) -> MpduHandle {
        let only = self.place(frame);
        let fresh = |generation| Bundle {
            txq,
            airtime_ns: 0,
            held: false,
            delivered: false,
            ended: false,
            generation,
            first: only,
            last: only,
        };
        let (generation, place) = if let Some(place) = self.free_places.pop() {
            let bundle = &mut self.places[place as usize];
            *bundle = fresh(bundle.generation);
            (bundle.generation, place)
        } else {
            self.places.push(fresh(0));
            (0, self.places.len() as u32 - 1)
        };
        MpduHandle(u64::from(generation) << 32 | u64::from(place))
    }

    /// Puts a frame into the table; its place.
    #[inline]
    fn place(&mut self, frame: Carried) -> u32 {
        if self.free_frame == NOWHERE {
            self.frames.push(FramePlace { frame, next: NOWHERE });
            return self.frames.len() as u32 - 1;
        }
        let place = self.free_frame;
        let free = &mut self.frames[place as usize];
        self.free_frame = free.next;
        (free.frame, free.next) = (frame, NOWHERE);
        place
    }

    /// Adds a frame at the end of an MPDU.
    pub(super) fn add(&mut self, mpdu: MpduHandle, frame: Carried) {
        let place = self.place(frame);
        let last = std::mem::replace(&mut self.get_mut(mpdu).last, place);
        self.frames[last as usize].next = place;
    }

    /// The MPDU of this name. Panics if it has ended.
    #[inline]
    pub(super) fn get(&self, mpdu: MpduHandle) -> &Bundle {
        let bundle = &self.places[mpdu.0 as u32 as usize];
        assert_eq!(bundle.generation, (mpdu.0 >> 32) as u32, "{mpdu:?} has ended");
        bundle
    }

    /// The MPDU of this name, to be changed. Panics if it has ended.
    #[inline]
    pub(super) fn get_mut(&mut self, mpdu: MpduHandle) -> &mut Bundle {
        let bundle = &mut self.places[mpdu.0 as u32 as usize];
        assert_eq!(bundle.generation, (mpdu.0 >> 32) as u32, "{mpdu:?} has ended");
        bundle
    }

    /// Frames of the MPDU of this name, in their order.
    #[inline]
    pub(super) fn frames(&self, mpdu: MpduHandle) -> impl Iterator<Item = Carried> + '_ {
        self.walk(self.get(mpdu).first)
    }

    /// Frames of an MPDU, in their order.
    #[inline]
    pub(super) fn frames_of(&self, bundle: &Bundle) -> impl Iterator<Item = Carried> + '_ {
        self.walk(bundle.first)
    }

    #[inline]
    fn walk(&self, first: u32) -> impl Iterator<Item = Carried> + '_ {
        let mut at = first;
        std::iter::from_fn(move || {
            let place = self.frames.get(at as usize)?;
            at = place.next;
            Some(place.frame)
        })
    }

    /// Forgets an MPDU and its frames.
    #[inline(always)]
    pub(super) fn end(&mut self, mpdu: MpduHandle) {
        let bundle = self.get_mut(mpdu);
        let (first, last) = (bundle.first, bundle.last);
        // The name is void from now on, even before the place is used again.
        bundle.generation = bundle.generation.wrapping_add(1);
        (bundle.held, bundle.ended, bundle.first) = (false, true, NOWHERE);
        self.frames[last as usize].next = self.free_frame;
        self.free_frame = first;
        self.free_places.push(mpdu.0 as u32);
    }

    /// MPDUs on their way, those that only wait at their receivers included.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free_places.len()
    }

    /// How many places both tables have.
    #[cfg(test)]
    pub(super) fn places(&self) -> (usize, usize) {
        (self.places.len(), self.frames.len())
    }

    /// MPDUs that only wait at their receivers, and frames in all the others.
    pub(super) fn census(&self) -> (usize, usize) {
        let held = self.places.iter().filter(|bundle| bundle.ended && bundle.held).count();
        let living = self.places.iter().filter(|bundle| !bundle.ended);
        (held, living.map(|bundle| self.walk(bundle.first).count()).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(bundles: &mut Bundles, frames: &[u64]) -> MpduHandle {
        let mut frames =
            frames.iter().map(|&frame| Carried { handle: FrameHandle(frame), arrival: Arrival::Host });
        let mpdu = bundles.begin(TxqId(0), frames.next().expect("an MPDU has a frame"));
        frames.for_each(|frame| bundles.add(mpdu, frame));
        mpdu
    }

    fn frames(bundles: &Bundles, mpdu: MpduHandle) -> Vec<u64> {
        bundles.frames(mpdu).map(|frame| frame.handle.0).collect()
    }

    #[test]
    fn frames_keep_their_order_and_places_are_used_again() {
        let mut bundles = Bundles::default();
        let first = bundle(&mut bundles, &[1, 2, 3]);
        let second = bundle(&mut bundles, &[4]);
        assert_eq!(frames(&bundles, first), [1, 2, 3]);
        bundles.end(first);
        let third = bundle(&mut bundles, &[5, 6, 7, 8]);
        assert_eq!((frames(&bundles, second), frames(&bundles, third)), (vec![4], vec![5, 6, 7, 8]));
        assert_ne!(first, third);
        assert_eq!((bundles.places(), bundles.len()), ((2, 5), 2));
        assert_eq!(frames(&bundles, third).len(), 4);
    }

    #[test]
    #[should_panic(expected = "has ended")]
    fn an_mpdu_that_has_ended_is_unknown() {
        let mut bundles = Bundles::default();
        let mpdu = bundle(&mut bundles, &[1]);
        bundles.end(mpdu);
        bundles.get(mpdu);
    }
}
