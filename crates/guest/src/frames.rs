//! The frames that are on their way through the air.
//!
//! The model names a frame by its place in this table, not by the kernel's
//! pointer: places depend on nothing but the order of events, so they may be
//! compared, printed and hashed.
//!
//! A handle is counted like a reference (see [`airtcp_air::high`]): the sender has one until it is done with the
//! frame, and each receiver that holds the frame back has one more. The kernel counts the same on its side.

use airtcp_air::FrameHandle;
use airtcp_air::high::{Class, classify};
use airtcp_plan::{DscpMap, MacAddress};

use crate::frame_hash;
use crate::frame_heads::FrameHeads;

/// Bytes of an Ethernet header; every frame has them at its beginning.
const ETHERNET_HEADER_BYTES: usize = 14;
/// Where the values of `skb->priority` begin that name a user priority directly
/// (Linux, `cfg80211_classify8021d` in `net/wireless/util.c`).
const DIRECT_PRIORITY: u32 = 256;

/// The kernel's name for a frame (a pointer that only the kernel may follow).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelHandle(pub usize);

/// The metadata of a frame in transit.
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
    /// Class of the frame for the queues of a MAC: flow, priority and ECN.
    pub class: Class,
}

impl Travelling {
    /// Reads what the model needs from the first bytes of a frame. `skb_priority`: what its socket or a filter of the
    /// kernel says of its priority; 256 to 263 count before anything in the frame.
    pub fn read(kernel: KernelHandle, head: &[u8], bytes: u32, skb_priority: u32, map: DscpMap) -> Self {
        assert!(head.len() >= ETHERNET_HEADER_BYTES, "a frame without an Ethernet header");
        let address = |at: usize| MacAddress(head[at..at + 6].try_into().expect("six bytes"));
        let mut class = classify(head, map);
        if let Some(priority @ 0..=7) = skb_priority.checked_sub(DIRECT_PRIORITY) {
            class.priority = priority as u8;
        }
        let hash = frame_hash::of_frame(head, bytes);
        Self { kernel, hash, bytes, destination: address(0), source: address(6), class }
    }
}

/// A place of the table.
#[derive(Clone, Copy, Debug)]
struct Place {
    frame: Travelling,
    /// The sender's, and one for each receiver that holds it. Zero: the place is free.
    references: u32,
    /// The sender is done with it.
    ended: bool,
}

/// A table with a free list: no allocation once it has grown to the most
/// frames that were ever on their way at once.
#[derive(Debug, Default)]
pub struct Frames {
    places: Vec<Place>,
    free: Vec<u32>,
    /// First bytes of frames; `None` if the air is not captured.
    heads: Option<FrameHeads>,
    dscp_map: DscpMap,
}

impl Frames {
    /// Priorities of frames that are read from now on follow this map.
    pub const fn set_dscp_map(&mut self, map: DscpMap) {
        self.dscp_map = map;
    }

    /// Keeps this many bytes of each frame that is read from now on. Panics if a frame is in transit already.
    pub fn keep_heads(&mut self, snap_bytes: usize) {
        assert!(self.places.is_empty(), "the heads of frames are kept from the first on");
        self.heads = Some(FrameHeads::new(snap_bytes));
    }

    /// Reads a frame, as [`Travelling::read`], for the next [`Self::insert`].
    pub fn read(&mut self, kernel: KernelHandle, head: &[u8], bytes: u32, skb_priority: u32) -> Travelling {
        if let Some(heads) = &mut self.heads {
            heads.read(head);
        }
        Travelling::read(kernel, head, bytes, skb_priority, self.dscp_map)
    }

    /// Reads a copy of a frame, for the next [`Self::insert`].
    pub fn copy(&mut self, kernel: KernelHandle, original: FrameHandle) -> Travelling {
        if let Some(heads) = &mut self.heads {
            heads.copy(original.index());
        }
        Travelling { kernel, ..*self.get(original) }
    }

    /// The first bytes of a frame, as far as the kernel showed them. Panics if none are kept.
    pub fn head(&self, handle: FrameHandle) -> &[u8] {
        self.heads.as_ref().expect("heads are kept").get(handle.index())
    }

    /// Congestion was marked in a frame.
    pub fn mark_ce(&mut self, handle: FrameHandle) {
        if let Some(heads) = &mut self.heads {
            heads.mark_ce(handle.index());
        }
    }

    /// Adds a frame of a sender; its handle is the most recently freed place.
    pub fn insert(&mut self, frame: Travelling) -> FrameHandle {
        let entry = Place { frame, references: 1, ended: false };
        let place = if let Some(place) = self.free.pop() {
            self.places[place as usize] = entry;
            place as usize
        } else {
            self.places.push(entry);
            self.places.len() - 1
        };
        if let Some(heads) = &mut self.heads {
            heads.settle(place);
        }
        FrameHandle(place as u64)
    }

    /// The frame of this handle. Panics if it has ended.
    #[inline]
    pub fn get(&self, handle: FrameHandle) -> &Travelling {
        let place = &self.places[handle.index()];
        assert!(place.references > 0, "the air named a frame that has ended");
        &place.frame
    }

    /// A receiver holds a frame, also after its sender has completed it. Panics if it has ended.
    pub fn hold(&mut self, handle: FrameHandle) -> Travelling {
        let place = &mut self.places[handle.index()];
        assert!(place.references > 0, "the air holds a frame that has ended");
        place.references += 1;
        place.frame
    }

    /// The sender has completed a frame. Panics if it had before.
    pub fn end(&mut self, handle: FrameHandle) -> Travelling {
        let place = &mut self.places[handle.index()];
        assert!(place.references > 0 && !place.ended, "the air ended a frame twice");
        place.ended = true;
        self.unreference(handle)
    }

    /// A receiver no longer holds a frame. Panics if none does.
    pub fn release(&mut self, handle: FrameHandle) -> Travelling {
        let place = &self.places[handle.index()];
        let held = place.references > u32::from(!place.ended);
        assert!(held, "the air released a frame that nobody holds");
        self.unreference(handle)
    }

    fn unreference(&mut self, handle: FrameHandle) -> Travelling {
        let place = &mut self.places[handle.index()];
        place.references -= 1;
        if place.references == 0 {
            self.free.push(handle.0 as u32);
        }
        place.frame
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
        Travelling::read(KernelHandle(kernel), &[2; 60], 60, 0, DscpMap::Rfc8325)
    }

    /// An IPv4 packet of this traffic class.
    fn priority(traffic_class: u8, skb_priority: u32) -> u8 {
        let mut head = [0; 60];
        (head[12], head[14], head[15]) = (8, 0x45, traffic_class);
        Travelling::read(KernelHandle(1), &head, 60, skb_priority, DscpMap::Rfc8325).class.priority
    }

    #[test]
    fn places_are_used_again() {
        let mut frames = Frames::default();
        let first = frames.insert(frame(7));
        let second = frames.insert(frame(8));
        assert_ne!(first, second);
        assert_eq!(frames.end(first).kernel, KernelHandle(7));
        assert_eq!(frames.insert(frame(9)), first);
        assert_eq!(frames.get(second).kernel, KernelHandle(8));
        assert_eq!(frames.len(), 2);
    }

    #[test]
    fn a_held_frame_outlives_its_sender() {
        let mut frames = Frames::default();
        let only = frames.insert(frame(7));
        frames.hold(only);
        frames.hold(only);
        frames.end(only);
        frames.release(only);
        assert_eq!((frames.get(only).kernel, frames.len()), (KernelHandle(7), 1));
        frames.release(only);
        assert!(frames.is_empty());
    }

    #[test]
    fn a_frame_released_early_is_still_its_senders() {
        let mut frames = Frames::default();
        let only = frames.insert(frame(7));
        frames.hold(only);
        frames.release(only);
        assert_eq!(frames.end(only).kernel, KernelHandle(7));
        assert!(frames.is_empty());
    }

    #[test]
    #[should_panic(expected = "ended a frame twice")]
    fn a_frame_ends_once() {
        let mut frames = Frames::default();
        let only = frames.insert(frame(7));
        frames.end(only);
        frames.end(only);
    }

    #[test]
    #[should_panic(expected = "ended a frame twice")]
    fn a_held_frame_ends_once() {
        let mut frames = Frames::default();
        let only = frames.insert(frame(7));
        frames.hold(only);
        frames.end(only);
        frames.end(only);
    }

    #[test]
    #[should_panic(expected = "nobody holds")]
    fn the_senders_frame_cant_be_released() {
        let mut frames = Frames::default();
        let only = frames.insert(frame(7));
        frames.release(only);
    }

    #[test]
    #[should_panic(expected = "has ended")]
    fn an_ended_frame_is_unknown() {
        let mut frames = Frames::default();
        let only = frames.insert(frame(7));
        frames.end(only);
        frames.get(only);
    }

    #[test]
    fn a_socket_may_name_its_user_priority() {
        // Expedited forwarding is 6; 0 to 7 and what lies beyond the eight are of other meanings.
        let ef = 46 << 2;
        assert_eq!([0, 6, 255, 264].map(|skb| priority(ef, skb)), [6; 4]);
        assert_eq!([256, 261, 263].map(|skb| priority(ef, skb)), [0, 5, 7]);
    }
}
