//! Agreements about aggregates.

use airtcp_plan::{AirNic, AirPlan};
use airtcp_units::Duration;

use super::txq::TxqState;
use crate::NicId;
use crate::border::{Mpdu, Receiver};
use crate::low::cell::runs_linux;
use crate::low::psdu::AggregateLimits;

/// Limits of aggregates by sender and receiver; `None`: no agreement.
#[derive(Debug)]
pub(super) struct Aggregation {
    nics: usize,
    limits: Vec<Option<AggregateLimits>>,
    /// By sender: whether the upper half makes agreements for each queue (`ampdu_action`). If not, those of the plan hold.
    per_queue: Vec<bool>,
}

impl Aggregation {
    /// Limits of aggregation from each NIC to each other. Both must have an agreement; the narrower limits hold.
    pub(super) fn of_plan(plan: &AirPlan) -> Self {
        let nics = plan.nics.len();
        let mut limits = Vec::with_capacity(nics * nics);
        for from in &plan.nics {
            for to in &plan.nics {
                let both = from
                    .aggregation
                    .zip(to.aggregation)
                    .filter(|(a, b)| a.ampdu_bytes > 0 && b.ampdu_bytes > 0);
                limits.push(both.filter(|_| meet(plan, from, to)).map(|(a, b)| AggregateLimits {
                    bytes: a.ampdu_bytes.min(b.ampdu_bytes),
                    duration: Duration::from_micros(u64::from(a.ampdu_us)),
                    window: a.block_ack_window.min(b.block_ack_window) as u16,
                    start_spacing: Duration::from_nanos(u64::from(b.start_spacing_ns)),
                }));
            }
        }
        let per_queue = (0..nics as u32).map(|nic| runs_linux(plan, NicId(nic))).collect();
        Self { nics, limits, per_queue }
    }

    /// The limits from one NIC to another.
    #[inline]
    pub(super) fn between(&self, from: NicId, to: NicId) -> Option<AggregateLimits> {
        self.limits[from.index() * self.nics + to.index()]
    }

    /// The limits of an aggregate that begins with this MPDU. Queues of mac80211 have a window of their own, and a receiver may be
    /// gone.
    #[inline]
    pub(super) fn limits(&self, nic: NicId, mpdu: &Mpdu, txq: Option<&TxqState>) -> Option<AggregateLimits> {
        let limits = match mpdu.receiver {
            Receiver::One(to) => self.between(nic, to),
            Receiver::Group => None,
            Receiver::Absent => self.between(nic, nic),
        };
        if !self.per_queue[nic.index()] {
            return limits;
        }
        let window = txq?.window?;
        limits.map(|limits| AggregateLimits { window, ..limits })
    }
}

/// Whether two NICs may exchange frames: those of one cell, and all radios of mac80211.
fn meet(plan: &AirPlan, a: &AirNic, b: &AirNic) -> bool {
    let linux = |nic: &AirNic| plan.cells[nic.cell as usize].linux.is_some();
    a.cell == b.cell || linux(a) && linux(b)
}
