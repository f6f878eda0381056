//! A host's side of a NIC: whether it takes frames, and which sources wait for that.

use std::collections::VecDeque;

use super::agenda::SourceId;

/// What a host knows of its NIC.
#[derive(Debug, Default)]
pub(super) struct HostNic {
    /// The NIC asked for silence, and has not said that it has room again.
    pub(super) stopped: bool,
    /// The NIC dropped a frame for want of room, and none has left it since.
    pub(super) refused: bool,
    /// Sources that have frames, in the order of their turns.
    pub(super) waiting: VecDeque<SourceId>,
}

impl HostNic {
    /// Whether a saturated source may give it a frame. (Others do not look at what was refused: their frames come when they come.)
    #[inline]
    pub(super) const fn is_open(&self) -> bool {
        !self.stopped && !self.refused
    }
}
