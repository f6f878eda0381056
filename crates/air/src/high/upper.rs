//! The upper halves of all NICs of a world.

use airtcp_units::{Dbm, Instant};

use super::bss::{Bss, CellRates};
use super::bundles::Bundles;
use super::counters::Counters;
use super::host::Action;
use super::nic::{Nic, Outgoing};
use super::reordering::Reordering;
use super::txqs::Txqs;
use crate::border::{AccessCategory, Link, MpduHandle, Request, Requests};
use crate::phy::TxVector;
use crate::queue::Expelled;
use crate::rate::LinkState;
use crate::{FrameHandle, NicId};

/// What the upper half wants to know of the channel.
pub(crate) trait Links {
    /// The state of the link from one NIC to another now; its signal-to-noise ratios only if `snr`.
    fn link_state(&mut self, now: Instant, ends: [NicId; 2], snr: bool) -> LinkState;

    /// The mean power with which one NIC receives another.
    fn power(&self, from: NicId, to: NicId) -> Dbm;
}

/// The upper halves of all NICs.
///
/// Frames come in by [`Self::transmit`]; the lower halves are served by an [`super::OwnMac`], which adds what belongs
/// to others: the channel's links and the host's list of actions.
#[derive(Debug)]
pub(crate) struct Upper {
    pub(super) nics: Vec<Nic>,
    pub(super) cells: Vec<Bss>,
    pub(super) txqs: Txqs,
    pub(super) bundles: Bundles,
    pub(super) reordering: Reordering,
    /// Kept for their memory.
    pub(super) expelled: Vec<Expelled<Outgoing>>,
    pub(super) released: Vec<MpduHandle>,
}

impl Upper {
    #[inline]
    pub(super) fn nic(&self, id: NicId) -> &Nic {
        &self.nics[id.index()]
    }

    #[inline]
    pub(super) fn nic_mut(&mut self, id: NicId) -> &mut Nic {
        &mut self.nics[id.index()]
    }

    /// Carries out what the queues of this NIC did to frames without being asked.
    #[inline(always)]
    pub(super) fn carry_out_expulsions(&mut self, id: NicId, out: &mut Vec<Action>) {
        if !self.expelled.is_empty() {
            self.nics[id.index()].end_expelled(id, &mut self.expelled, out);
        }
    }

    /// The categories in which this NIC may send, a bit each.
    #[inline]
    pub(super) fn pending_categories(&self, id: NicId) -> u8 {
        let queues = &self.nic(id).queues;
        AccessCategory::ALL.iter().fold(0, |bits, &ac| bits | u8::from(queues.has(ac)) << ac as u8)
    }

    /// Says which categories may send now that could not before.
    #[inline]
    pub(super) fn request_risen(&self, id: NicId, before: u8, requests: &mut Requests) {
        let risen = self.pending_categories(id) & !before;
        for ac in AccessCategory::ALL {
            if risen >> ac as u8 & 1 == 1 {
                requests.push(Request::Pending(id, ac));
            }
        }
    }

    /// When [`Self::expire`] must be called, if the world would otherwise let time pass over it. It may turn out that
    /// nothing is due then.
    #[inline]
    pub(crate) const fn next_timeout(&self) -> Instant {
        self.reordering.timeout()
    }

    /// The rates of a cell, for radios of mac80211.
    pub(crate) fn cell_rates(&self, cell: usize) -> CellRates {
        self.cells[cell].cell_rates()
    }

    /// The modes that a NIC may use towards another one, slowest first; one if the mode is fixed.
    pub(crate) fn modes(&self, from: NicId, to: NicId) -> Vec<TxVector> {
        let nic = self.nic(from);
        nic.stations[nic.station(to) as usize].controller.modes()
    }

    /// The frames of a data MPDU that is on its way.
    pub(crate) fn frames(&self, mpdu: MpduHandle) -> impl Iterator<Item = FrameHandle> + '_ {
        self.bundles.frames(mpdu).map(|carried| carried.handle)
    }

    /// Whether the receiver of a link has an MPDU of this TID, or does not wait for it any more.
    pub(crate) fn has_arrived(&mut self, Link { from, to }: Link, tid: u8, sequence: u16) -> bool {
        let place = self.buffer_of(from, to, tid);
        self.reordering.buffer(place).reorder.has(sequence)
    }

    /// A NIC's counts.
    pub(crate) fn counters(&self, nic: NicId) -> &Counters {
        &self.nic(nic).counters
    }

    /// Frames in a NIC's queues and on their way.
    pub(crate) fn in_flight(&self, nic: NicId) -> u32 {
        self.nic(nic).in_flight()
    }

    /// Frames of a NIC that met a flow used by another of its queues.
    pub(crate) fn flow_collisions(&self, nic: NicId) -> u64 {
        self.nic(nic).queues.collisions()
    }

    /// Most frames that a NIC's queues ever held, those on their way included.
    pub(crate) fn queue_max(&self, nic: NicId) -> u32 {
        self.nic(nic).queues.longest()
    }

    /// How many queues there are: their numbers are below.
    pub(crate) fn txq_count(&self) -> u32 {
        self.txqs.len()
    }

    /// Checks the counters at the end of a run. Panics if they do not balance, which is our bug.
    pub(crate) fn finish(&self) {
        for (i, nic) in self.nics.iter().enumerate() {
            let counters = &nic.counters;
            assert_eq!(
                counters.accepted,
                counters.sent + counters.dropped_sum() + u64::from(nic.in_flight()),
                "counters of air.nics[{i}]: accepted = sent + dropped + in flight"
            );
        }
        let (ended, frames) = self.bundles.census();
        let outstanding: u32 = self.nics.iter().map(|nic| nic.queues.outstanding()).sum();
        assert_eq!(
            frames, outstanding as usize,
            "frames in MPDUs whose senders are not done; {ended} are held"
        );
    }
}
