//! What the lower half calls.

use crate::border::HighMac;
use crate::channel::Channel;

/// The upper halves, and the channel.
pub(crate) trait Context: HighMac {
    /// The channel.
    fn channel(&mut self) -> &mut Channel;
}
