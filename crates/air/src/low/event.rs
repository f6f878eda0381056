//! What happens in the lower half without anybody's doing.

use crate::NicId;
use crate::border::AccessCategory;
use crate::channel::SourceId;
use crate::des::{Phase, Phased};
use crate::low::on_air::UserId;

/// An event of the lower half, at the instant that it is scheduled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// An MPDU inside the A-MPDU that this NIC sends to this user ends, and its receiver wants it at once.
    MpduEnd(NicId, UserId),
    /// The PPDU of this NIC ends.
    PpduEnd(NicId),
    /// This NIC answers what it received, SIFS after it.
    Respond(NicId),
    /// This NIC goes on in its TXOP: data after a CTS, or the next exchange.
    Continue(NicId),
    /// This NIC has waited long enough for a response.
    ResponseTimeout(NicId),
    /// This source that is no NIC begins to emit.
    EmissionStart(SourceId),
    /// This source that is no NIC stops emitting.
    EmissionEnd(SourceId),
    /// The target beacon transmission time of this NIC.
    Beacon(NicId),
    /// This access point looks whether it asks its stations for uplinks.
    UplinkRequest(NicId),
    /// The MU EDCA timer of this category of a station may have ended.
    MuEdcaTimer(NicId, AccessCategory),
}

impl Phased for Event {
    fn phase(self) -> Phase {
        match self {
            Self::MpduEnd(..) | Self::PpduEnd(_) | Self::EmissionEnd(_) => Phase::End,
            Self::Respond(_) | Self::Continue(_) | Self::EmissionStart(_) => Phase::Follow,
            Self::ResponseTimeout(_) | Self::Beacon(_) | Self::UplinkRequest(_) | Self::MuEdcaTimer(..) => {
                Phase::Timeout
            }
        }
    }
}
