//! What the upper half keeps for a radio interface and for each station it sends to.

use airtcp_plan::MacAddress;
use airtcp_units::Instant;

use super::addressing::Arrival;
use super::counters::Counters;
use super::host::{Action, DropReason};
use super::mpdu_length::AmsduLimits;
use crate::phy::TxVector;
use crate::queue::{DropCause, Expelled, Queues};
use crate::random::Stream;
use crate::rate::Controller;
use crate::{FrameHandle, NicId};

/// A set of TIDs, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tids(u8);

impl Tids {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ALL: Self = Self(0xff);
    /// All but the user priorities of access category voice, 6 and 7 (IEEE 802.11-2020, table 10-1).
    pub(super) const ALL_BUT_VOICE: Self = Self(0x3f);

    #[inline]
    pub(super) const fn contains(self, tid: u8) -> bool {
        self.0 >> tid & 1 != 0
    }
}

/// A frame that waits in the queues of a NIC.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outgoing {
    pub(super) handle: FrameHandle,
    pub(super) msdu_bytes: u32,
    pub(super) arrival: Arrival,
    pub(super) proxied: bool,
}

/// One radio interface.
#[derive(Debug)]
pub(super) struct Nic {
    pub(super) mac: MacAddress,
    /// Number of its cell.
    pub(super) bss: usize,
    pub(super) queues: Queues<Outgoing>,
    /// By their numbers in [`crate::queue::TxqKey`]; that of the group is the next.
    pub(super) stations: Vec<Station>,
    pub(super) numbering: Numbering,
    /// Whether the queues keep account of airtime on its way.
    pub(super) airtime_limited: bool,
    /// A full queue stops the qdisc above.
    pub(super) backpressure: bool,
    pub(super) stopped: bool,
    pub(super) counters: Counters,
}

/// How a NIC numbers its stations.
#[derive(Clone, Debug)]
pub(super) enum Numbering {
    /// A station has one: its access point.
    Only,
    /// An access point or a mesh station: by their places in this ascending list.
    List(Vec<NicId>),
}

impl Nic {
    /// The number of this other NIC among its stations. Panics if it is none.
    #[inline(always)]
    pub(super) fn station(&self, other: NicId) -> u32 {
        match &self.numbering {
            Numbering::Only => {
                assert_eq!(self.stations[0].nic, other, "a station's peer is its access point");
                0
            }
            Numbering::List(list) => {
                // Most often the NICs of a cell follow each other in the plan.
                let place = other.0.wrapping_sub(list[0].0);
                if list.get(place as usize) == Some(&other) { place } else { search(list, other) }
            }
        }
    }

    /// The number that stands for the group.
    #[inline]
    pub(super) fn group(&self) -> u32 {
        self.stations.len() as u32
    }

    /// Carries out what its queues did to frames without being asked.
    #[inline(never)]
    pub(super) fn end_expelled(
        &mut self,
        own: NicId,
        expelled: &mut Vec<Expelled<Outgoing>>,
        out: &mut Vec<Action>,
    ) {
        for expelled in expelled.drain(..) {
            match expelled {
                Expelled::Dropped(frame, cause) => {
                    let reason = match cause {
                        DropCause::QueueFull => DropReason::QueueFull,
                        DropCause::CoDel => DropReason::CoDel,
                    };
                    self.counters.dropped[reason as usize] += 1;
                    out.push(Action::Dropped { nic: own, frame: frame.handle, reason });
                }
                Expelled::Marked(frame) => {
                    self.counters.marked += 1;
                    out.push(Action::MarkCe { nic: own, frame: frame.handle });
                }
            }
        }
        self.wake_if_room(own, out);
    }

    /// Lets the qdisc above go on if there is room again.
    #[inline]
    pub(super) fn wake_if_room(&mut self, own: NicId, out: &mut Vec<Action>) {
        if self.stopped && !self.queues.is_full() {
            self.stopped = false;
            out.push(Action::Wake { nic: own });
        }
    }

    /// Frames in its queues and on their way.
    pub(super) fn in_flight(&self) -> u32 {
        self.queues.len() + self.queues.outstanding()
    }
}

fn search(list: &[NicId], nic: NicId) -> u32 {
    list.binary_search(&nic).expect("peers are members of one cell") as u32
}

/// A NIC that another one sends to and receives from.
#[derive(Debug)]
pub(super) struct Station {
    pub(super) nic: NicId,
    pub(super) controller: Controller,
    pub(super) rng: Stream,
    /// Mode of the last PPDU to this NIC.
    pub(super) last_tx: TxVector,
    /// TIDs that there is a block acknowledgement agreement for.
    pub(super) aggregable: Tids,
    /// Limits of A-MSDUs to this NIC.
    pub(super) amsdu: AmsduLimits,
    /// MPDUs that its window of reception has room for; a power of two.
    pub(super) reorder_window: u16,
    /// What is kept for reception from it, for each TID.
    pub(super) arriving: [Arriving; 8],
    /// Start of the last PPDU from it whose airtime was counted.
    pub(super) last_heard: Instant,
}

/// Reception of one TID.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arriving {
    /// Place of its reordering buffer, if it needed one so far.
    pub(super) buffer: Option<u32>,
    pub(super) duplicates: super::reorder::DuplicateFilter,
}
