//! Which stations share a PPDU of their access point, and in which resource units.
//!
//! A [`Scheduler`] decides it when the access point has won the medium, among stations whose queues have their turns. Each is a file of
//! its own, named as in scenarios.

mod buffer_status;
#[cfg(test)]
mod conformance;
mod equal_rus;
mod latency;
mod ofdma_backoff;
mod proportional;
#[cfg(test)]
mod questions;
mod queue_size;
mod round_robin;
mod ru_division;
mod ru_tree;
mod scheduler;
mod uplink;

use airtcp_plan::{MultiUserPlan, MultiUserScheduler};

use latency::Latency;
use proportional::Proportional;
use round_robin::RoundRobin;

pub(crate) use {
    buffer_status::BufferStatus,
    equal_rus::{equal_rus, rus_beside_random},
    ofdma_backoff::OfdmaBackoff,
    queue_size::QueueSize,
    scheduler::{Candidate, Scheduler},
    uplink::{Asked, TriggerKind, UNKNOWN_OCTETS, UplinkTurns},
};

/// The scheduler of a plan.
pub(crate) fn of_plan(plan: MultiUserPlan) -> Box<dyn Scheduler> {
    match plan.scheduler {
        MultiUserScheduler::RoundRobin => Box::new(RoundRobin::new(plan.stations)),
        MultiUserScheduler::Latency => Box::new(Latency::new(plan.stations)),
        MultiUserScheduler::Proportional => Box::new(Proportional::new(plan.stations)),
    }
}
