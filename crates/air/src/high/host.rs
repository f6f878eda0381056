//! The border to the hosts: frames in, actions out.
//!
//! # The life of a frame
//! The host gives a frame with a handle ([`Frame`]) and keeps its bytes. Its sender's last action on it is
//! [`Action::Sent`] or [`Action::Dropped`]: it has left the sender's queues, so the host completes it towards its qdisc
//! and its socket. That is also the end of the handle, **unless a receiver holds the frame**: a MPDU that was
//! received out of order waits in its receiver's reordering buffer while the sender has its acknowledgement.
//! So a handle is counted like a reference:
//!
//! | action | the host |
//! |---|---|
//! | `transmit` | counts 1 |
//! | [`Action::Hold`] | counts one more |
//! | [`Action::Deliver`], [`Action::Relay`] | makes the receiver's copy; the count stays |
//! | [`Action::Sent`], [`Action::Dropped`] | completes it towards its sender, and counts one less |
//! | [`Action::Release`] | counts one less |
//!
//! At zero the frame ends. Most frames are never held: `Deliver`, then `Sent`.

use airtcp_plan::MacAddress;

use crate::{FrameHandle, NicId};

/// An Ethernet frame that a host gives to its NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The caller's name for it.
    pub handle: FrameHandle,
    /// Length of the frame with the 14 bytes of header, without frame check sequence.
    pub bytes: u32,
    /// Source address of its header.
    pub source: MacAddress,
    /// Destination address of its header.
    pub destination: MacAddress,
    /// User priority, 0 to 7 (see [`super::classify`]).
    pub priority: u8,
    /// Hash of its flow.
    pub flow: u32,
    /// Whether congestion may be marked in it.
    pub ect: bool,
}

/// What the caller must do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Hand a copy of the frame to this NIC's host. One frame may have several.
    Deliver {
        /// The receiving NIC.
        nic: NicId,
        /// The frame.
        frame: FrameHandle,
    },
    /// An access point or a mesh station forwards the frame inside its cell: make an own copy, and give it to this NIC
    /// with a new handle and the same addresses.
    Relay {
        /// The forwarding NIC.
        nic: NicId,
        /// The frame.
        frame: FrameHandle,
    },
    /// A receiver has the frame and waits for others before it: the frame must outlive its sender's last action.
    Hold {
        /// The frame.
        frame: FrameHandle,
    },
    /// A receiver no longer needs a frame it held.
    Release {
        /// The frame.
        frame: FrameHandle,
    },
    /// The frame was acknowledged, or sent to a group: it has left the sender. Its sender's last action.
    Sent {
        /// The sending NIC.
        nic: NicId,
        /// The frame.
        frame: FrameHandle,
    },
    /// The frame was dropped. Its sender's last action.
    Dropped {
        /// The sending NIC.
        nic: NicId,
        /// The frame.
        frame: FrameHandle,
        /// Why.
        reason: DropReason,
    },
    /// Congestion: set the ECN field of the frame to CE (RFC 3168). It is still on its way.
    MarkCe {
        /// The sending NIC.
        nic: NicId,
        /// The frame.
        frame: FrameHandle,
    },
    /// The NIC's queue is full: stop the qdisc above it.
    Stop {
        /// The NIC.
        nic: NicId,
    },
    /// The NIC's queue has room again.
    Wake {
        /// The NIC.
        nic: NicId,
    },
}

/// Why a frame was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// The NIC's queue was full.
    QueueFull,
    /// `CoDel` dropped it: it had waited too long for too long (RFC 8289).
    CoDel,
    /// No acknowledgement came for as many attempts as the cell allows.
    RetryLimit,
    /// No NIC of the cell has the destination's address.
    NoSuchStation,
    /// A station tried to send with the source address of somebody else, which frames
    /// to an access point can't carry (IEEE 802.11-2020, 9.3.2.1: the transmitter is the source).
    ForeignSource,
    /// The frame is longer than an MSDU may be (2304 octets, IEEE 802.11-2020, Table 9-25).
    TooLong,
}

impl DropReason {
    /// Every reason.
    pub const ALL: [Self; 6] = [
        Self::QueueFull,
        Self::CoDel,
        Self::RetryLimit,
        Self::NoSuchStation,
        Self::ForeignSource,
        Self::TooLong,
    ];

    /// Name of the reason in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::CoDel => "codel",
            Self::RetryLimit => "retry_limit",
            Self::NoSuchStation => "no_such_station",
            Self::ForeignSource => "foreign_source",
            Self::TooLong => "too_long",
        }
    }
}

impl std::fmt::Display for DropReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
