//! Threads of the agent.

use std::thread;

use crate::failure::{Outcome, because};

/// Bytes of a thread's stack; only touched pages cost memory.
const STACK_BYTES: usize = 256 * 1024;

/// Starts a thread, which ends with the guest.
///
/// # Errors
/// The guest has no memory left.
pub(crate) fn spawn(name: String, work: impl FnOnce() + Send + 'static) -> Outcome<()> {
    let remedy = "give the guest more memory (memory_mib)";
    let place = name.clone();
    let builder = thread::Builder::new().name(name).stack_size(STACK_BYTES);
    let started = builder.spawn(work).map_err(because("a thread can't be started", &place, remedy));
    started.map(drop)
}
