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
    /// A trigger frame: it asks several stations for block acknowledgements (MU-BAR), data (Basic) or their buffer status (BSRP).
    Trigger = 8,
    /// `QoS` Null frames: what a station has nothing to send with when a trigger frame asks it.
    QosNull = 9,
    /// A block acknowledgement for several stations.
    MultiStaBlockAck = 10,
}

impl PpduKind {
    /// The name of each kind, by its number.
    pub const NAMES: [&str; 11] = [
        "data",
        "Ack",
        "BlockAck",
        "RTS",
        "CTS",
        "BlockAckReq",
        "beacon",
        "management",
        "trigger",
        "QoS Null",
        "multi-STA BlockAck",
    ];
}
