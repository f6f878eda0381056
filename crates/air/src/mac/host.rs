//! The border to the hosts: frames in, actions out.

use airtcp_plan::MacAddress;

use super::{DropReason, FrameHandle, NicId};
use crate::trace::{NicSample, PpduRecord};

/// An Ethernet frame that a host gives to its NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The caller's name for it.
    pub handle: FrameHandle,
    /// Its length with the 14 bytes of header, without frame check sequence.
    pub bytes: u32,
    /// Source address of its header.
    pub source: MacAddress,
    /// Destination address of its header.
    pub destination: MacAddress,
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
    /// An access point forwards the frame inside its cell: make an own copy, and call
    /// [`crate::World::transmit`] for it with this NIC and a new handle.
    Relay {
        /// The access point.
        nic: NicId,
        /// The frame.
        frame: FrameHandle,
    },
    /// The frame was acknowledged, or sent to a group: it has left the air. Last action of a frame.
    Sent {
        /// The sending NIC.
        nic: NicId,
        /// The frame.
        frame: FrameHandle,
    },
    /// The frame was dropped. Last action of a frame.
    Dropped {
        /// The sending NIC.
        nic: NicId,
        /// The frame.
        frame: FrameHandle,
        /// Why.
        reason: DropReason,
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

/// What the model has to say. The caller drains it and keeps its memory.
#[derive(Debug, Default)]
pub struct Outbox {
    /// To be carried out in this order.
    pub actions: Vec<Action>,
    /// PPDUs that ended, if asked for.
    pub ppdus: Vec<PpduRecord>,
    /// Samples that were due, if asked for.
    pub samples: Vec<NicSample>,
}
