//! A frame that waits, and what can happen to it before its turn.

use crate::border::AccessCategory;

/// A frame in a queue; `T` is the caller's name for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting<T> {
    /// The caller's name for the frame.
    pub item: T,
    /// Index of the receiver among the stations of this NIC, from 0; the number of stations is the index of group-addressed frames.
    pub station: u32,
    /// User priority, 0 to 7 (0 without `QoS`).
    pub tid: u8,
    /// Hash of the addresses, ports and protocol: frames of one flow have one hash.
    pub flow: u32,
    /// Length of the frame in octets, as queues count it.
    pub bytes: u32,
    /// Whether the frame's IP header is ECN-capable (ECT(0), ECT(1) or CE; RFC 3168), so that it may be marked.
    pub ect: bool,
}

impl<T> Waiting<T> {
    /// The queue it belongs to.
    #[inline]
    pub(crate) const fn key(&self) -> TxqKey {
        TxqKey { station: self.station, tid: self.tid }
    }
}

/// The queue to one receiver with one TID (mac80211's `ieee80211_txq`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TxqKey {
    /// Index of the receiver, as [`Waiting::station`].
    pub station: u32,
    /// User priority, as [`Waiting::tid`].
    pub tid: u8,
}

impl TxqKey {
    /// The access category it contends in (IEEE 802.11-2020, Table 10-1).
    #[inline]
    pub(crate) const fn category(self) -> AccessCategory {
        AccessCategory::of_priority(self.tid)
    }
}

/// Why a queue dropped a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum DropCause {
    /// The limit of frames or of memory was reached.
    QueueFull,
    /// The delay of the flow stayed above the target (`CoDel`, RFC 8289).
    CoDel,
}

/// What a queue did to a frame on its own. The caller owns the vector and drains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expelled<T> {
    /// The frame was dropped.
    Dropped(T, DropCause),
    /// The frame must carry "congestion experienced" (RFC 3168) from now on; it is still sent.
    Marked(T),
}
