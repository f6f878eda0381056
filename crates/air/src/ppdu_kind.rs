//! The kinds of PPDUs.

/// What a PPDU carries. Records give its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PpduKind {
    /// A data frame.
    Data = 0,
    /// An acknowledgement.
    Ack = 1,
    /// A block acknowledgement.
    BlockAck = 2,
    /// A request to send.
    Rts = 3,
    /// A clear to send, also to oneself.
    Cts = 4,
    /// A request for a block acknowledgement.
    BlockAckReq = 5,
    /// A beacon.
    Beacon = 6,
    /// A management frame of mac80211, other than a beacon.
    Management = 7,
    /// A trigger frame that asks several stations for block acknowledgements (MU-BAR).
    Trigger = 8,
}

impl PpduKind {
    /// The name of each kind, by its number.
    pub const NAMES: [&str; 9] =
        ["data", "Ack", "BlockAck", "RTS", "CTS", "BlockAckReq", "beacon", "management", "trigger"];
}
