//! Which stations share a PPDU of their access point, and in which resource units.
//!
//! A [`Scheduler`] decides it when the access point has won the medium, among stations whose queues have their turns. Each is a file of
//! its own, named as in scenarios.

mod equal_rus;
mod round_robin;
mod scheduler;

pub(crate) use scheduler::{Candidate, Scheduler, of_plan};
