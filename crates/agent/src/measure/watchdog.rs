//! Ends a worker that nobody needs any more.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use airtcp_plan::measurement::SILENCE_MOST_NS;
use rustix::process::{Pid, getppid};

use super::children::end_children;
use super::journal;
use crate::clock::{since_boot_ns, sleep_until_since_boot};
use crate::failure::Outcome;
use crate::process::spawn;

/// Interval of its looks.
const LOOK_NS: u64 = 500_000_000;

/// When the last order came.
static HEARD_NS: AtomicU64 = AtomicU64::new(0);

/// An order has come.
pub(super) fn hear() {
    HEARD_NS.store(since_boot_ns(), Ordering::Release);
}

/// Starts the thread.
///
/// # Errors
/// The thread can't be started.
pub(super) fn start(guard: Option<Pid>, folder: PathBuf) -> Outcome<()> {
    hear();
    spawn("watchdog".to_owned(), move || {
        loop {
            let now_ns = since_boot_ns();
            if getppid() != guard {
                // The guard was killed: its work is done here, once the change is made that may be under way.
                let _alone = journal::changing();
                end_children();
                journal::undo_all(&folder);
                std::process::exit(1);
            }
            if now_ns.saturating_sub(HEARD_NS.load(Ordering::Acquire)) > SILENCE_MOST_NS {
                std::process::exit(1);
            }
            sleep_until_since_boot(now_ns + LOOK_NS);
        }
    })
}
