//! The frames that are on their way through the air.
//!
//! The model names a frame by its place in this table, not by the kernel's
//! pointer: places depend on nothing but the order of events, so they may be
//! compared, printed and hashed.

use airtcp_air::FrameHandle;
use airtcp_plan::MacAddress;

/// The kernel's name for a frame (a pointer that only the kernel may follow).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelHandle(pub usize);

/// What is known of a frame on its way.
#[derive(Clone, Copy, Debug)]
pub struct Travelling {
    /// The kernel's name for it.
    pub kernel: KernelHandle,
    /// Hash of its first bytes and its length.
    pub hash: u64,
    /// Length of the Ethernet frame without FCS.
    pub bytes: u32,
    /// Sender's address in its Ethernet header.
    pub source: MacAddress,
    /// Receiver's address in its Ethernet header.
    pub destination: MacAddress,
}

/// A table with a free list: no allocation once it has grown to the most
/// frames that were ever on their way at once.
#[derive(Debug, Default)]
pub struct Frames {
    places: Vec<Option<Travelling>>,
    free: Vec<u32>,
}

impl Frames {
    /// Adds a frame; its handle is the most recently freed place.
    pub fn insert(&mut self, frame: Travelling) -> FrameHandle {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = Some(frame);
            return FrameHandle(u64::from(place));
        }
        self.places.push(Some(frame));
        FrameHandle(self.places.len() as u64 - 1)
    }

    /// The frame of this handle. Panics if it has ended.
    pub fn get(&self, handle: FrameHandle) -> &Travelling {
        self.places[handle.0 as usize].as_ref().expect("the air named a frame that has ended")
    }

    /// Ends a frame. Panics if it has ended before.
    pub fn remove(&mut self, handle: FrameHandle) -> Travelling {
        let frame = self.places[handle.0 as usize].take().expect("the air ended a frame twice");
        self.free.push(handle.0 as u32);
        frame
    }

    /// Frames on their way.
    pub fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kernel: usize) -> Travelling {
        let mac = MacAddress([2, 0, 0, 0, 0, 1]);
        Travelling { kernel: KernelHandle(kernel), hash: 0, bytes: 60, source: mac, destination: mac }
    }

    #[test]
    fn places_are_used_again() {
        let mut frames = Frames::default();
        let first = frames.insert(frame(7));
        let second = frames.insert(frame(8));
        assert_ne!(first, second);
        assert_eq!(frames.remove(first).kernel, KernelHandle(7));
        assert_eq!(frames.insert(frame(9)), first);
        assert_eq!(frames.get(second).kernel, KernelHandle(8));
        assert_eq!(frames.len(), 2);
    }

    #[test]
    #[should_panic(expected = "ended a frame twice")]
    fn a_frame_ends_once() {
        let mut frames = Frames::default();
        let only = frames.insert(frame(7));
        frames.remove(only);
        frames.remove(only);
    }
}
