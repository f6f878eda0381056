//! The frames that the hosts own: a table whose places are used again.

use airtcp_units::Instant;

use super::agenda::SourceId;
use crate::FrameHandle;

/// A host's metadata of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnedFrame {
    pub(super) source: SourceId,
    /// A copy that a forwarding NIC made.
    pub(super) forwarded: bool,
    /// The number of users: its sender, and receivers that hold it.
    users: u32,
    /// Number of the frame among those of its source.
    pub(super) number: u64,
    /// Time at which the frame arrived.
    pub(super) came: Instant,
}

/// All frames that have not ended.
#[derive(Debug, Default)]
pub(super) struct FrameSlab {
    frames: Vec<OwnedFrame>,
    /// Places of frames that have ended.
    free: Vec<u32>,
}

impl FrameSlab {
    /// A new frame, used by its sender.
    #[inline]
    pub(super) fn own(&mut self, source: SourceId, number: u64, came: Instant) -> FrameHandle {
        self.put(OwnedFrame { source, forwarded: false, users: 1, number, came })
    }

    /// A copy for a NIC that forwards it.
    pub(super) fn copy(&mut self, frame: FrameHandle) -> FrameHandle {
        self.put(OwnedFrame { forwarded: true, users: 1, ..*self.get(frame) })
    }

    #[inline]
    fn put(&mut self, frame: OwnedFrame) -> FrameHandle {
        let place = if let Some(place) = self.free.pop() {
            self.frames[place as usize] = frame;
            place
        } else {
            self.frames.push(frame);
            self.frames.len() as u32 - 1
        };
        FrameHandle(u64::from(place))
    }

    #[inline]
    pub(super) fn get(&self, frame: FrameHandle) -> &OwnedFrame {
        let frame = &self.frames[frame.index()];
        debug_assert!(frame.users > 0, "the frame has ended");
        frame
    }

    /// Adds a user to a frame.
    #[inline]
    pub(super) fn hold(&mut self, frame: FrameHandle) {
        self.frames[frame.index()].users += 1;
    }

    /// Removes a user; what it used. Panics if there is none.
    #[inline]
    pub(super) fn release(&mut self, handle: FrameHandle) -> OwnedFrame {
        let place = &mut self.frames[handle.index()];
        // Read before the store: a load that is wider than a store has to wait for it.
        let frame = *place;
        place.users = frame.users.checked_sub(1).expect("a frame ends once");
        if place.users == 0 {
            self.free.push(handle.0 as u32);
        }
        frame
    }

    /// Frames that have not ended.
    pub(super) fn len(&self) -> usize {
        self.frames.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_ends_when_nobody_needs_it() {
        let mut slab = FrameSlab::default();
        let first = slab.own(SourceId(3), 7, Instant::from_nanos(5));
        slab.hold(first);
        slab.release(first);
        let copy = slab.copy(first);
        assert_ne!(copy, first);
        assert!(slab.get(copy).forwarded && slab.get(copy).number == 7);
        slab.release(first);
        assert_eq!((slab.len(), slab.own(SourceId(0), 0, Instant::ZERO)), (1, first));
    }

    #[test]
    #[should_panic(expected = "a frame ends once")]
    fn a_frame_does_not_end_twice() {
        let mut slab = FrameSlab::default();
        let frame = slab.own(SourceId(0), 0, Instant::ZERO);
        slab.release(frame);
        slab.release(frame);
    }
}
