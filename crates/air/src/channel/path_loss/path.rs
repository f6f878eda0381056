//! The way of a signal from one antenna to another.

use airtcp_units::{Dbm, Decibel, Hertz};

use crate::channel::mobility::Position;

/// Speed of light in vacuum, metres per second (exact: SI Brochure, 9th edition, 2.2).
pub(in crate::channel) const SPEED_OF_LIGHT: f64 = 299_792_458.0;

/// One direction of a link.
#[derive(Clone, Copy, Debug)]
pub(in crate::channel) struct Path {
    /// Numbers of the sending and of the receiving NIC.
    pub(in crate::channel) ends: [usize; 2],
    /// Where their antennas are.
    pub(in crate::channel) places: [Position; 2],
    /// Centre of the sender's channel.
    pub(in crate::channel) frequency: Hertz,
    /// Transmit power.
    pub(in crate::channel) sent: Dbm,
}

impl Path {
    /// Length of the straight line, in metres.
    pub(super) fn distance(&self) -> f64 {
        self.places[0].distance(self.places[1])
    }

    /// Wavelength in metres.
    pub(super) fn wavelength(&self) -> f64 {
        SPEED_OF_LIGHT / self.frequency.get()
    }
}

/// A ratio of powers in decibels.
pub(super) fn decibel(ratio: f64) -> Decibel {
    Decibel::new(10.0 * libm::log10(ratio))
}
