//! The sending end of a flow of bursts and silence.

use std::os::fd::AsFd;

use airtcp_plan::{Burst, Variate};
use airtcp_workload::{Draws, Purpose};
use rustix::io::{Errno, Result, ioctl_fionbio};
use rustix::net::{Shutdown, shutdown};

use super::flow::FlowState;
use super::source::send_zeros;
use crate::clock::{Timeline, timespec};
use crate::ending;
use crate::sys::tcp::wait_writable;

/// The most bytes of one system call: the end of a burst is looked for in between.
const PIECE_BYTES: u64 = 256 * 1024;

/// What is drawn for each burst.
#[derive(Debug)]
pub(super) struct Draw {
    on: Draws,
    /// Whether `on` is the length of a burst in time; else an amount.
    by_time: bool,
    off: Draws,
}

impl Draw {
    /// The draws of a flow, by its number.
    pub(super) fn new(on: Burst, off_ns: Variate, seed: u64, number: u32) -> Self {
        let (by_time, on) = match on {
            Burst::Time { on_ns } => (true, on_ns),
            Burst::Bytes { amount_bytes } => (false, amount_bytes),
        };
        Self {
            on: Draws::new(on, seed, Purpose::On, number),
            by_time,
            off: Draws::new(off_ns, seed, Purpose::Off, number),
        }
    }
}

/// The thread of the sending end, from connecting to the end of the data.
pub(super) fn run(flow: &FlowState, timeline: Timeline, mut draw: Draw) {
    if !flow.connect(timeline) {
        return;
    }
    flow.note_connected(timeline);
    if let Err(failure) = flow.checked_congestion_control() {
        ending::fail(failure);
    }
    // A burst of a given time must not wait in a system call beyond it.
    let sent = ioctl_fionbio(flow.caller(), true).and_then(|()| send_bursts(flow, timeline, &mut draw));
    flow.update_bursts(airtcp_workload::Bursts::close);
    if let Err(error) = sent.and_then(|()| shutdown(flow.caller(), Shutdown::Write)) {
        flow.note_error("send", error);
    }
}

fn send_bursts(flow: &FlowState, timeline: Timeline, draw: &mut Draw) -> Result<()> {
    let stop_ns = flow.plan.stop_ns;
    let mut now_ns = timeline.now_from_epoch_ns();
    while now_ns < stop_ns {
        let drawn = draw.on.draw();
        let (most, until_ns) =
            if draw.by_time { (u64::MAX, now_ns.saturating_add(drawn)) } else { (drawn.max(1), stop_ns) };
        flow.update_bursts(|bursts| bursts.begin(now_ns));
        let ended_ns = write_until(flow, timeline, most, until_ns.min(stop_ns));
        flow.update_bursts(airtcp_workload::Bursts::end);
        now_ns = ended_ns?.saturating_add(draw.off.draw());
        if now_ns < stop_ns {
            timeline.sleep_until(now_ns);
        }
    }
    Ok(())
}

/// Writes so many bytes, or until a time; returns when it ended.
fn write_until(flow: &FlowState, timeline: Timeline, most: u64, until_ns: u64) -> Result<u64> {
    let mut left = most;
    loop {
        let piece = left.min(PIECE_BYTES);
        let sent = match send_zeros(flow.caller().as_fd(), piece) {
            Err(Errno::AGAIN) => 0,
            other => other?,
        };
        if sent > 0 {
            flow.update_bursts(|bursts| bursts.wrote(sent));
        }
        left -= sent;
        let now_ns = timeline.now_from_epoch_ns();
        if left == 0 || now_ns >= until_ns {
            return Ok(now_ns.min(until_ns));
        }
        if sent < piece && !wait_writable(flow.caller(), timespec(until_ns - now_ns))? {
            return Ok(until_ns);
        }
    }
}
