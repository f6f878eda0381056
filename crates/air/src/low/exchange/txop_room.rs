//! What is left of a TXOP for the next exchange (IEEE 802.11-2020, 10.23.2.8, 10.23.2.9).

use airtcp_units::Duration;

use crate::TimeSpan;
use crate::phy::Width;

/// What is left of a TXOP.
#[derive(Clone, Copy, Debug)]
pub(super) struct TxopRoom {
    pub(super) span: TimeSpan,
    /// The widest PPDU that may be sent.
    pub(super) widest: Width,
    /// Whether the next exchange is its first.
    pub(super) begins_txop: bool,
}

impl TxopRoom {
    /// How much time is left.
    #[inline]
    pub(super) fn left(self) -> Duration {
        self.span.end.saturating_since(self.span.start)
    }
}
