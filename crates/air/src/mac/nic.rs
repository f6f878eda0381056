//! One radio interface.

use airtcp_plan::{MacAddress, NicRole};
use airtcp_units::{Duration, Instant};

use super::{DropReason, FrameHandle, Receiver};
use crate::phy::OfdmRate;
use crate::queue::DropTail;
use crate::rate::RateControl;

/// A frame in the transmit queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outgoing {
    pub(crate) handle: FrameHandle,
    pub(crate) psdu_bytes: u32,
    pub(crate) receiver: Receiver,
    /// Its receiver has it; further copies are duplicates (IEEE 802.11-2020, 10.3.2.14).
    pub(crate) received: bool,
}

/// The data PPDU that a NIC sends, or sent last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sending {
    pub(crate) start: Instant,
    pub(crate) rate: OfdmRate,
}

/// What a NIC did so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Books {
    pub(crate) accepted: u64,
    pub(crate) sent: u64,
    pub(crate) dropped: [u64; DropReason::ALL.len()],
    pub(crate) delivered: u64,
    pub(crate) transmissions: u64,
    pub(crate) retries: u64,
    pub(crate) collisions: u64,
    pub(crate) corrupted: u64,
    pub(crate) airtime: Duration,
}

/// One radio interface.
#[derive(Debug)]
pub(crate) struct Nic {
    pub(crate) mac: MacAddress,
    pub(crate) role: NicRole,
    pub(crate) cell: usize,
    pub(crate) medium: usize,
    /// Its place among the contenders of its medium.
    pub(crate) member: usize,
    pub(crate) rate: RateControl,
    pub(crate) queue: DropTail<Outgoing>,
    pub(crate) backpressure: bool,
    pub(crate) stopped: bool,
    /// Attempts to send the head of the queue.
    pub(crate) attempts: u32,
    pub(crate) sending: Option<Sending>,
    /// Whether it could read the last group-addressed PPDU meant for it.
    pub(crate) read_group: bool,
    pub(crate) books: Books,
}

impl Books {
    pub(crate) fn dropped_sum(&self) -> u64 {
        self.dropped.iter().sum()
    }
}
