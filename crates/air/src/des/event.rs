//! What can happen, and what comes first at one instant.

use crate::mac::NicId;

/// Something that will happen at a known instant.
///
/// The start of a PPDU is not an event: until it happens, a new frame or another
/// station may still change it. Channel access keeps it, and the world asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The data PPDU of this NIC ends.
    DataEnd(NicId),
    /// The acknowledgement for this NIC's data ends.
    AckEnd(NicId),
    /// This NIC has waited long enough for an acknowledgement.
    AckTimeout(NicId),
}

/// Order of events at one instant.
///
/// 1. What was on the air ends: receivers know before anybody decides anything.
/// 2. Waiting ends: a timeout at the instant in which another PPDU ends sees the
///    medium as that end left it.
/// 3. (Calls of [`crate::World::transmit`] at that instant.)
/// 4. (Access: PPDUs start. A frame that comes at the very instant at which another
///    station starts can't know of it, as little as one that comes within the same slot.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// The end of something on the air.
    End,
    /// A PPDU that follows another by SIFS, without contention.
    Follow,
    /// The end of waiting.
    Timeout,
}

/// What has a place among the events of one instant.
pub(crate) trait Phased {
    /// Its place.
    fn phase(self) -> Phase;
}

impl Phased for Event {
    fn phase(self) -> Phase {
        match self {
            Self::DataEnd(_) | Self::AckEnd(_) => Phase::End,
            Self::AckTimeout(_) => Phase::Timeout,
        }
    }
}
