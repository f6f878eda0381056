//! The frames of all flows of a NIC, in one array that only grows.

use airtcp_units::Instant;

use super::Waiting;
use super::chain::{Chain, Links};

/// A frame and the time at which it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Queued<T> {
    /// The frame.
    pub(super) frame: Waiting<T>,
    /// Time at which the frame arrived.
    pub(super) since: Instant,
}

/// The array; places left by frames are used again.
#[derive(Debug)]
pub(super) struct Packets<T> {
    places: Vec<Queued<T>>,
    links: Links,
    free: Chain,
}

impl<T: Copy> Packets<T> {
    /// Without frames.
    pub(super) fn new() -> Self {
        Self { places: Vec::new(), links: Links::new(0), free: Chain::EMPTY }
    }

    /// Adds a frame at the end of a list.
    #[inline(always)]
    pub(super) fn push_back(&mut self, list: &mut Chain, packet: Queued<T>) {
        let place = if let Some(place) = self.free.pop_front(&self.links) {
            self.places[place as usize] = packet;
            place
        } else {
            self.places.push(packet);
            self.links.grow();
            self.places.len() as u32 - 1
        };
        list.push_back(&mut self.links, place);
    }

    /// Takes the first frame of a list. What is at its place may be read until the next frame is added.
    #[inline]
    pub(super) fn pop_front(&mut self, list: &mut Chain) -> Option<u32> {
        list.move_first(&mut self.free, &mut self.links)
    }

    /// What is at a place.
    #[inline]
    pub(super) fn at(&self, place: u32) -> &Queued<T> {
        &self.places[place as usize]
    }

    /// The first frame of a list.
    #[inline]
    pub(super) fn first(&self, list: &Chain) -> Option<&Queued<T>> {
        list.first().map(|place| &self.places[place as usize])
    }
}

#[cfg(test)]
impl<T> Packets<T> {
    /// Places in the array.
    pub(super) const fn places(&self) -> usize {
        self.places.len()
    }
}
