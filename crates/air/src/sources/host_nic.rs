//! A host's side of a NIC: whether it accepts frames, and which sources wait for that.

use std::collections::VecDeque;

use super::agenda::SourceId;

/// A host's state of its NIC.
#[derive(Debug, Default)]
pub(super) struct HostNic {
    /// The NIC has stopped its queue and not woken it.
    pub(super) stopped: bool,
    /// The NIC dropped a frame because its queue was full, and none has left it since.
    pub(super) refused: bool,
    /// Sources that have frames, in the order of their turns.
    pub(super) waiting: VecDeque<SourceId>,
}

impl HostNic {
    /// Whether a saturated source may pass it a frame. (Others ignore refusals: their frames arrive by the clock.)
    #[inline]
    pub(super) const fn is_open(&self) -> bool {
        !self.stopped && !self.refused
    }
}
