//! What the lower half has taken from the upper: MPDUs that wait, and those of the exchange under way.
//!
//! ```text
//!   queues above ---> held of its queue ---> PSDU of a user ---> done
//!                          ^                      |
//!                          '------- again --------'
//! ```
//! [`Buffers`] holds all of them. When MPDUs leave their queues and where they wait is the business of each access function's
//! [`Buffer`]: most chips compose a PPDU when the medium has been won ([`at_access`]), some form aggregates when MPDUs enter them
//! ([`at_entry`]).

mod aggregation;
mod at_access;
mod at_entry;
mod ends;
mod intake;
mod nic_buffers;
mod psdus;
mod share_txop;
mod txq;

use airtcp_plan::AirPlan;
use airtcp_units::{Duration, Instant};
use typed_index_collections::TiVec;

use crate::NicId;
use crate::border::{HighMac, Mpdu, MpduFate, Requests, TxqId};
use crate::low::contention::AccessFunction;
use crate::low::on_air::{PerUser, Reception, UserId};
use crate::low::psdu::AggregateLimits;
use crate::phy::TxVector;
use aggregation::Aggregation;
use intake::know;
use nic_buffers::NicBuffers;
use txq::TxqState;

pub(crate) use at_entry::UnderWay;
pub(crate) use ends::{Attempt, SentAs};
pub(crate) use psdus::{PsduOf, PsduRoom};
pub(crate) use share_txop::Gathering;
pub(crate) use txq::{Head, Held};

/// The MPDUs of all NICs.
#[derive(Debug)]
pub(crate) struct Buffers {
    nics: TiVec<NicId, NicBuffers>,
    txqs: TiVec<TxqId, TxqState>,
    aggregation: Aggregation,
}

impl Buffers {
    /// The empty buffers of a plan's NICs, for the queues that are known already.
    pub(crate) fn new(plan: &AirPlan, txqs: u32) -> Self {
        Self {
            nics: (0..plan.nics.len() as u32).map(|nic| NicBuffers::new(plan, NicId(nic))).collect(),
            txqs: (0..txqs).map(|_| TxqState::default()).collect(),
            aggregation: Aggregation::of_plan(plan),
        }
    }

    /// The block acknowledgement window of a queue of mac80211; `None`: there is no agreement any more.
    pub(crate) fn agree(&mut self, txq: TxqId, window: Option<u16>) {
        know(&mut self.txqs, txq);
        self.txqs[txq].window = window;
    }

    /// The block acknowledgement windows of all queues.
    pub(crate) fn windows(&self) -> impl Iterator<Item = Option<u16>> {
        self.txqs.iter().map(|txq| txq.window)
    }

    /// The MPDUs of the exchange under way for a user.
    #[inline(always)]
    pub(crate) fn psdu(&self, nic: NicId, user: UserId) -> &[Held] {
        &self.nics[nic].psdus[user]
    }

    /// The MPDUs of the exchange under way for all users.
    #[inline]
    pub(crate) fn psdus(&self, nic: NicId) -> &PerUser<Held> {
        &self.nics[nic].psdus
    }

    /// MPDUs of the exchange under way remember whether they arrived.
    #[inline(always)]
    pub(crate) fn note_arrivals(&mut self, nic: NicId, user: UserId, received: &[Reception]) {
        for (held, reception) in self.nics[nic].psdus[user].iter_mut().zip(received) {
            held.arrived = *reception == Reception::Good;
        }
    }

    /// The most octets of a PSDU from this NIC whose PPDU is no longer than this, without signal extension; 0 if none is.
    #[inline]
    pub(crate) fn largest_psdu(&mut self, nic: NicId, tx: TxVector, duration: Duration) -> u32 {
        self.nics[nic].limit.bytes(tx, duration)
    }

    /// The limits of aggregates from one NIC to another; `None`: there is no agreement.
    #[inline]
    pub(crate) fn limits_between(&self, from: NicId, to: NicId) -> Option<AggregateLimits> {
        self.aggregation.between(from, to)
    }

    /// The limits of an aggregate that begins with this MPDU of a queue; `None`: there is no agreement.
    #[inline(always)]
    pub(crate) fn limits_of(&self, nic: NicId, mpdu: &Mpdu, txq: Option<TxqId>) -> Option<AggregateLimits> {
        self.aggregation.limits(nic, mpdu, txq.map(|txq| &self.txqs[txq]))
    }

    /// A frame that goes before all queues of a function.
    pub(crate) fn send_first(&mut self, nic: NicId, function: AccessFunction, mpdu: Mpdu) {
        self.nics[nic].functions[function.index()].direct.push_back(Held::new(mpdu));
    }

    /// Frames that go before all queues of a function.
    pub(crate) fn direct(&self, nic: NicId, function: AccessFunction) -> impl Iterator<Item = &Mpdu> {
        self.nics[nic].functions[function.index()].direct.iter().map(|held| &held.mpdu)
    }

    /// Whether a function has something to send.
    #[inline(always)]
    pub(crate) fn has_frames(&self, nic: NicId, function: AccessFunction) -> bool {
        let of_function = &self.nics[nic].functions[function.index()];
        !of_function.direct.is_empty() || of_function.held.mpdus > 0
    }

    /// Octets of the frames in MPDUs of a queue that wait here.
    pub(crate) fn octets_held(&self, txq: TxqId) -> u64 {
        let held = self.txqs.get(txq).into_iter().flat_map(|state| &state.held);
        held.map(|held| u64::from(held.frame_octets())).sum()
    }

    /// Whether no MPDU waits in the buffers of a NIC.
    pub(crate) fn is_empty(&self, nic: NicId) -> bool {
        AccessFunction::ALL.iter().all(|&function| !self.has_frames(nic, function))
    }

    /// Number of MPDUs of queues that wait in a NIC.
    #[cfg(test)]
    pub(crate) fn waiting(&self, nic: NicId) -> u32 {
        self.nics[nic].functions.iter().map(|of| of.held.mpdus).sum()
    }

    /// Number of MPDUs in aggregates of a NIC that are formed.
    #[cfg(test)]
    pub(crate) fn in_aggregates(&self, nic: NicId) -> usize {
        self.nics[nic].functions.iter().flat_map(|of| of.buffer.formed()).count()
    }

    /// Number of MPDUs of a NIC here: of all kinds, and of those with data.
    pub(crate) fn held_for(&self, nic: NicId) -> (u32, u32) {
        let NicBuffers { functions, psdus, .. } = &self.nics[nic];
        let direct = functions.iter().flat_map(|of| &of.direct);
        let own = |state: &&TxqState| state.owner.is_some_and(|(owner, _)| owner == nic);
        let queued = self.txqs.iter().filter(own).flat_map(|state| &state.held);
        let formed = functions.iter().flat_map(|of| of.buffer.formed());
        let all = direct.chain(queued).chain(formed).chain(psdus.iter()).map(|held| &held.mpdu);
        all.fold((0, 0), |(all, data), mpdu| (all + 1, data + u32::from(mpdu.kind.carries_data())))
    }

    /// Ends the waiting MPDUs of a queue of mac80211. What is in an exchange ends with it.
    pub(crate) fn purge(
        &mut self,
        now: Instant,
        txq: TxqId,
        high: &mut impl HighMac,
        requests: &mut Requests,
    ) {
        let Some(state) = self.txqs.get_mut(txq) else { return };
        state.end_chain();
        let Some((nic, ac)) = state.owner else { return };
        let of_function = &mut self.nics[nic].functions[ac as usize];
        let held = std::mem::take(&mut state.held);
        let formed = of_function.buffer.forget(txq);
        for held in held.iter().chain(&formed) {
            of_function.held.remove(held);
            high.mpdu_done(now, nic, &held.mpdu, MpduFate::Purged, requests);
        }
    }

    /// Ends all waiting MPDUs of a radio of mac80211.
    pub(crate) fn purge_all(
        &mut self,
        now: Instant,
        nic: NicId,
        high: &mut impl HighMac,
        requests: &mut Requests,
    ) {
        for txq in self.txqs.keys() {
            if self.txqs[txq].owner.is_some_and(|(owner, _)| owner == nic) {
                self.purge(now, txq, high, requests);
            }
        }
        for of_function in &mut self.nics[nic].functions {
            for held in of_function.direct.drain(..) {
                high.mpdu_done(now, nic, &held.mpdu, MpduFate::Purged, requests);
            }
        }
    }
}
