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

use airtcp_units::Instant;

pub(crate) use crate::low::{Activity, Airtime};
pub(crate) use addressing::{Cell, Receiver};
pub(crate) use contention::Contention;
pub(crate) use dcf::Dcf;
pub use host::{Action, DropReason, Frame, Outbox};
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
