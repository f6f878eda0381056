//! What is on the air together, and so disturbs each other.
//!
//! A PPDU that is sent by its sender's own decision meets all that are on the air when it begins (`Transmissions::meet`), and the primary
//! channel counts two at once as a collision (`PrimaryChannel::begin`).
//!
//! PPDUs of one trigger start together by intent, in disjoint resource units (IEEE 802.11ax-2021, 26.5.2): they do not meet, and are
//! no collision. [`Trigger`] says which belong together. In a random access RU several may meet. What goes before their data is the same in
//! all and disturbs nobody (27.3.11: the fields up to HE-SIG-A have nothing of the station); their data collides.

use airtcp_units::Instant;

use crate::channel::EmissionId;
use crate::phy::{Allocation, Width};
use crate::{NicId, TimeSpan};

/// What PPDUs that answer one trigger frame have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trigger {
    /// The NIC that sent the trigger frame.
    pub(crate) by: NicId,
    /// The start of all answers.
    pub(crate) start: Instant,
    /// Tones of all RUs that it names.
    pub(crate) tones: u32,
}

/// Another PPDU that was on the air at the same time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overlap {
    pub(crate) from: NicId,
    /// What its data field fills.
    pub(crate) allocation: Allocation,
    /// The part of its sender's power that it is sent with.
    pub(crate) power_share: f64,
    pub(crate) start: Instant,
    /// From when on it disturbs: its start, or that of its data if both answer one trigger frame.
    pub(crate) disturbs_from: Instant,
    /// The far future while it lasts.
    pub(crate) end: Instant,
}

impl Overlap {
    /// Whether both are answers to one trigger frame in the same RU.
    #[inline]
    pub(crate) fn is_in_same_ru(&self) -> bool {
        self.disturbs_from > self.start
    }

    /// Width of its channel, of which an RU is a part.
    #[inline]
    pub(crate) fn width(&self) -> Width {
        self.allocation.width()
    }

    /// Whether the other PPDU is on the air within a span.
    #[inline]
    pub(crate) fn meets(&self, span: TimeSpan) -> bool {
        self.disturbs_from < span.end && self.end > span.start
    }
}

/// An emission that is on the air, or was lately.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Emitted {
    pub(crate) emission: EmissionId,
    pub(crate) start: Instant,
    /// The far future while it lasts.
    pub(crate) end: Instant,
}

impl Emitted {
    /// Whether the emission is on the air.
    #[inline]
    pub(crate) fn lasts(&self) -> bool {
        self.end == Instant::FAR_FUTURE
    }

    /// Whether the emission is on the air within a span.
    #[inline]
    pub(crate) fn meets(&self, span: TimeSpan) -> bool {
        self.start < span.end && self.end > span.start
    }
}
