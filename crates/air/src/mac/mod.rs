//! The MAC: channel access, frame exchanges, and who receives what.
//!
//! The lower half (`contention`, `exchange`, `medium`) decides when a NIC sends and
//! what becomes of it. It pulls: the head of the queue and its rate are asked for when
//! access is won, not before. So the upper half (`queue`, `rate`, `addressing`) can be
//! replaced, later by the kernel's own mac80211, without the lower half noticing.

mod addressing;
mod contention;
mod dcf;
mod exchange;
mod hearing;
mod host;
mod intake;
mod medium;
mod nic;

use std::fmt;

use airtcp_units::Instant;

pub(crate) use crate::low::{Activity, Airtime};
pub(crate) use addressing::{Cell, Receiver};
pub(crate) use contention::Contention;
pub(crate) use dcf::Dcf;
pub use host::{Action, Frame, Outbox};
pub(crate) use medium::Medium;
pub(crate) use nic::{Books, Nic};

use crate::channel::Reception;
use crate::des::EventQueue;

/// Every MAC of a world, and the media between them.
#[derive(Debug)]
pub(crate) struct Mac {
    pub(crate) nics: Vec<Nic>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) media: Vec<Medium>,
    pub(crate) reception: Reception,
    pub(crate) events: EventQueue<crate::des::Event>,
    /// Traffic time zero, for records.
    pub(crate) epoch: Instant,
    /// Whether PPDUs are recorded.
    pub(crate) trace: bool,
    /// Contenders that start now; kept for its memory.
    pub(crate) starting: Vec<usize>,
}

/// A NIC, by its place in `air.nics` of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NicId(pub u32);

/// The caller's name for a frame; the model only hands it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameHandle(pub u64);

/// Why a frame was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// The NIC's queue was full.
    QueueFull,
    /// No acknowledgement came for as many attempts as the cell allows.
    RetryLimit,
    /// The access point has no station with the destination's address.
    NoSuchStation,
    /// A station tried to send with the source address of somebody else, which frames
    /// to an access point can't carry (IEEE 802.11-2020, 9.3.2.1: the transmitter is the source).
    ForeignSource,
    /// The frame is longer than an MSDU may be (2304 octets, IEEE 802.11-2020, Table 9-25).
    TooLong,
}

impl DropReason {
    /// Every reason.
    pub const ALL: [Self; 5] =
        [Self::QueueFull, Self::RetryLimit, Self::NoSuchStation, Self::ForeignSource, Self::TooLong];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::RetryLimit => "retry_limit",
            Self::NoSuchStation => "no_such_station",
            Self::ForeignSource => "foreign_source",
            Self::TooLong => "too_long",
        }
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
