//! The receiving end of a flow: takes everything at once, asleep in the kernel.

use std::os::fd::AsFd;
use std::sync::atomic::Ordering;

use rustix::net::{SocketFlags, accept_with};

use super::flow::FlowState;
use super::watch::Watch;
use crate::clock::Timeline;
use crate::sys::tcp::discard;

/// Lives the receiver's life.
pub(super) fn run(flow: &FlowState, timeline: Timeline, watch: &Watch) {
    let receiver = match accept_with(&flow.listener, SocketFlags::CLOEXEC) {
        Ok(receiver) => flow.receiver.get_or_init(|| receiver),
        Err(error) => return flow.note_error("accept", error),
    };
    if let Err(error) = watch.flow_begins(flow.number, receiver) {
        return flow.note_failure("watch", &error);
    }
    let mut taken = 0;
    loop {
        match discard(receiver.as_fd()) {
            Ok(0) => break,
            Ok(count) => taken += count,
            Err(error) => return flow.note_error("receive", error),
        }
    }
    if let Err(error) = watch.flow_ends(flow.number) {
        flow.note_failure("watch", &error);
    }
    flow.taken_bytes.store(taken, Ordering::Release);
    let now_ns = u64::try_from(timeline.now_ns()).expect("a flow ends after the epoch");
    flow.finished_ns.set(now_ns).expect("a flow finishes once");
}
