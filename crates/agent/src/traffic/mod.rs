//! What happens in the network: flows, datagrams, pings, the user's programs, and the samples of it.

mod account;
mod bursts;
mod client;
pub(crate) mod conductor;
pub(crate) mod datagrams;
pub(crate) mod flow;
pub(crate) mod heartbeat;
pub(crate) mod ping;
pub(crate) mod program;
pub(crate) mod reaper;
pub(crate) mod records;
pub(crate) mod run_end;
mod server;
mod sink;
mod sockets;
mod source;
pub(crate) mod transfers;
pub(crate) mod watch;

use std::thread;

use crate::failure::{Outcome, because};

/// Bytes of a thread's stack; only touched pages cost memory.
const STACK_BYTES: usize = 256 * 1024;

/// Starts a thread of the agent.
pub(crate) fn spawn(name: String, work: impl FnOnce() + Send + 'static) -> Outcome<()> {
    let remedy = "give the guest more memory (memory_mib)";
    let place = name.clone();
    let builder = thread::Builder::new().name(name).stack_size(STACK_BYTES);
    let started = builder.spawn(work).map_err(because("a thread can't be started", &place, remedy));
    // Threads are not waited for: they end with the guest.
    started.map(drop)
}
