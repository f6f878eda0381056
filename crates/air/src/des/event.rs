//! What comes first at one instant.

/// Order of events at one instant.
///
/// 1. What was on the air ends: receivers know before anybody decides anything.
/// 2. What follows by SIFS begins.
/// 3. Waiting ends: a timeout at the instant in which another PPDU ends sees the
///    medium as that end left it.
/// 4. (Access: PPDUs of whoever won the medium begin. They are not events: until it happens, a new frame or another
///    station may still change it. Channel access keeps them, and the world asks.)
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
    /// Phase of the event: its place among the events of one instant.
    fn phase(self) -> Phase;
}
