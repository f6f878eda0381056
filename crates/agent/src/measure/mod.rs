//! The agent on a real machine: an ordinary process that runs the traffic of one node, and leaves nothing behind.
//!
//! ```text
//! guard    starts the worker; when that has ended, in whatever way, ends what it started and undoes what it changed
//! worker   reads orders on standard input, answers on standard output (`airtcp_plan::measurement`)
//!   traffic    the threads of the guest's traffic, for the ends of this node
//!   sampler    reads tcp_info and queueing disciplines
//!   arrivals   times datagrams that arrive
//!   watchdog   ends the worker if its guard is gone, or nothing is ordered any more
//! ```
//! The end of standard input ends the worker: whoever ordered is gone.

mod answers;
mod arrivals;
mod children;
mod command;
mod files;
mod guard;
mod journal;
mod poll;
mod programs;
mod sampler;
mod traffic;
mod watchdog;
mod worker;

use std::process::ExitCode;

use worker::WORKER;

/// The first argument of the guard.
const MEASURE: &str = "measure";

/// What this process is to be, if it was started for a measurement.
pub(crate) fn asked_for() -> Option<fn() -> ExitCode> {
    let mut words = std::env::args();
    if words.next().is_some_and(|name| name == WORKER) {
        return Some(worker::run);
    }
    (words.next()? == MEASURE).then_some(guard::run as fn() -> ExitCode)
}
