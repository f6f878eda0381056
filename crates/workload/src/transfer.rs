//! One transfer: a burst, an answer, a page, a segment.

/// Stands for a time that was not reached, or a level that does not exist.
pub const NEVER: i64 = -1;

/// A transfer. Times are nanoseconds from the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Time at which the transfer was asked for, or at which its sender began to write.
    pub asked_ns: i64,
    /// Time at which the first byte was there.
    pub first_byte_ns: i64,
    /// Time at which the last byte was there.
    pub end_ns: i64,
    /// Application bytes; of one without an end, those that were asked for or written so far.
    pub bytes: u64,
    /// Rate of the video segment, in bit/s; 0 without video.
    pub rate_bps: u64,
    /// Playing time in the buffer of the video player at the end of the segment, with it.
    pub buffer_ns: i64,
}

impl Transfer {
    /// A transfer of which nothing has arrived.
    pub fn asked(asked_ns: u64) -> Self {
        let asked_ns = asked_ns.cast_signed();
        Self { asked_ns, first_byte_ns: NEVER, end_ns: NEVER, bytes: 0, rate_bps: 0, buffer_ns: NEVER }
    }
}
