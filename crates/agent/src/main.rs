//! airtcp-agent: PID 1 of the guest; on a real machine, the process that measures there (`measure`).
//!
//! The kernel starts it from an initramfs that holds nothing else. It makes the
//! host's files the root (read-only), reads the plan from the run's working
//! folder, builds the network, runs the traffic in virtual time, samples,
//! writes `agent.json` and switches the guest off.
//!
//! ```text
//! boot -> network -> traffic: main thread   samples, ends flows and programs
//!                             source, sink  or client, server: one thread each per flow, asleep in the kernel
//!                             datagrams     one thread for each stream
//!                             pings         one thread for all
//!                             program       one thread each; one reaper for all children
//!                             session       two threads for each of its jobs; its flows are processes of this program
//!      -> report -> power off
//! ```
//! System calls are dear in the guest (16 us of CPU) and data is cheap, hence
//! batches of netlink messages and large reads and writes. Nothing polls.

mod boot;
mod clock;
mod ending;
mod failure;
mod guest_paths;
mod measure;
mod netlink;
mod network;
mod part;
mod process;
mod run;
#[cfg(test)]
mod sample_plan;
mod sys;
mod traffic;
mod wireless;

use std::process::ExitCode;

use rustix::process::getpid;

use traffic::{confinement, session_flow};

fn main() -> ExitCode {
    if let Some(flow) = session_flow::asked_for() {
        return session_flow::run(&flow);
    }
    if confinement::is_asked_for() {
        return confinement::run();
    }
    if let Some(run) = measure::asked_for() {
        return run();
    }
    if !getpid().is_init() {
        // What follows mounts over the root and switches the machine off.
        return no_guest();
    }
    std::panic::set_hook(Box::new(|panic| {
        ending::say(&format!("internal error, please report it: {panic}"));
        // The end of process 1 is a panic of the kernel: the guest ends at once.
        std::process::exit(101);
    }));
    match run::run() {
        Ok(report) => ending::end(&report),
        Err(failure) => ending::fail(failure),
    }
}

/// Runs when the agent is an ordinary process and was not started to measure: prints which program this is.
fn no_guest() -> ExitCode {
    println!("airtcp-agent {}", env!("CARGO_PKG_VERSION"));
    if std::env::args().nth(1).is_some_and(|word| word == "--version") {
        return ExitCode::SUCCESS;
    }
    eprintln!("airtcp-agent is process 1 of a guest, or measures: airtcp-agent measure");
    ExitCode::from(2)
}
