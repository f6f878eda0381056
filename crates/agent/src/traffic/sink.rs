//! The receiving end of a flow: reads everything at once, asleep in the kernel.

use std::os::fd::{AsFd, BorrowedFd};

use airtcp_plan::Workload;
use airtcp_workload::Want;
use rustix::io::Result;
use rustix::net::{SocketFlags, accept_with};

use super::burst_reads;
use super::flow::FlowState;
use super::watch::Watch;
use crate::clock::Timeline;
use crate::sys::tcp::{CUT, discard, wait_readable, wake_at};

/// The thread of the receiving end, from accepting to the end of the data.
pub(super) fn run(flow: &FlowState, timeline: Timeline, watch: &Watch) {
    let receiver = match accept_with(flow.listener(), SocketFlags::CLOEXEC) {
        Ok(receiver) => flow.accepted.get_or_init(|| receiver),
        Err(error) => return flow.note_error("accept", error),
    };
    if let Err(error) = watch.receiver(flow.number, receiver) {
        return flow.note_failure("watch", &error);
    }
    if let Some(bytes) = flow.plan.low_water_bytes
        && let Err(error) = wake_at(receiver, bytes)
    {
        return flow.note_error("low water", error);
    }
    let taken = match flow.plan.workload {
        Workload::OnOff { .. } if flow.sends_here() => take_bursts(flow, receiver.as_fd(), timeline),
        Workload::OnOff { .. } => burst_reads::take(flow, receiver.as_fd(), timeline),
        _ => discard(receiver.as_fd(), u64::MAX),
    };
    match taken {
        Ok(taken) => flow.finish(taken, timeline, watch),
        Err(error) => flow.note_error("receive", error),
    }
}

/// Reads data as it arrives, and records where bursts begin and end.
fn take_bursts(flow: &FlowState, receiver: BorrowedFd<'_>, timeline: Timeline) -> Result<u64> {
    loop {
        match flow.shared_bursts.wait() {
            Want::FirstByte => {
                wait_readable(receiver)?;
                let now_ns = timeline.now_from_epoch_ns();
                flow.update_bursts(|bursts| bursts.first_byte(now_ns));
            }
            Want::Bytes(count) => {
                if discard(receiver, count)? < count {
                    return Err(CUT);
                }
                let now_ns = timeline.now_from_epoch_ns();
                flow.update_bursts(|bursts| bursts.took(count, now_ns));
            }
            Want::Nothing | Want::End => break,
        }
    }
    // Only the end of the data can follow.
    discard(receiver, u64::MAX).map(|beyond| flow.shared_bursts.taken() + beyond)
}
