//! Random histories: what hosts do, and how it is played.

use airtcp_units::{Duration, Instant};
use proptest::prelude::*;

use super::hosts::Hosts;
use super::random_plans::{Knobs, destination};
use crate::high::{Action, Frame};
use crate::{FrameHandle, NicId, TimeSpan};

/// What hosts do.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Time passes.
    Wait { ns: u64 },
    /// A NIC gets frames.
    Send { nic: u32, to: u32, bytes: u32, priority: u8, flow: u32, ect: bool, count: u32 },
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    // Less than a slot, about an exchange, longer than an aggregate.
    let gap = prop_oneof![2 => 1..9_000_u64, 3 => 9_000..600_000_u64, 1 => 600_000..6_000_000_u64];
    let bytes = prop_oneof![1 => Just(1514_u32), 1 => 60..2318_u32];
    let frame = (0..16_u32, 0..20_u32, bytes, 0..8_u8, 0..3_u32);
    let count = prop_oneof![3 => Just(1_u32), 1 => 2..12_u32];
    prop_oneof![
        2 => gap.prop_map(|ns| Step::Wait { ns }),
        3 => (frame, any::<bool>(), count).prop_map(|((nic, to, bytes, priority, flow), ect, count)| Step::Send {
            nic, to, bytes, priority, flow, ect, count
        }),
    ]
}

/// The longest that hosts wait for their frames to end after the last was given.
const PATIENCE: Duration = Duration::from_micros(60_000_000);

/// Plays a history to the end of every frame. `visits`: instants in nanoseconds at which the caller runs the air without need.
pub(super) fn play(knobs: &Knobs, steps: &[Step], visits: &[u64]) -> Hosts {
    play_with(Hosts::new(knobs.plan(), knobs.seed), steps, visits)
}

/// The same while everything on the air is captured.
pub(super) fn play_captured(knobs: &Knobs, steps: &[Step]) -> Hosts {
    let mut h = Hosts::new(knobs.plan(), knobs.seed);
    h.world.capture(TimeSpan { start: Instant::ZERO, end: Instant::FAR_FUTURE });
    play_with(h, steps, &[])
}

fn play_with(mut h: Hosts, steps: &[Step], visits: &[u64]) -> Hosts {
    let nics = h.plan.nics.len() as u32;
    let mut visits = visits.iter().map(|&ns| Instant::from_nanos(ns)).peekable();
    for step in steps {
        match *step {
            Step::Wait { ns } => {
                let until = h.now + Duration::from_nanos(ns);
                while let Some(visit) = visits.next_if(|&visit| visit < until) {
                    visit_at(&mut h, visit);
                }
                h.advance_to(until);
            }
            Step::Send { nic, to, bytes, priority, flow, ect, count } => {
                let nic = NicId(nic % nics);
                let destination = destination(&h.plan, to % (nics + 4));
                // Each flow has one of the 4096 queues for itself, which the highest bits choose.
                let flow = (to % 32 * 8 + u32::from(priority)) * 4 + flow;
                let frame = Frame {
                    handle: FrameHandle(0),
                    bytes,
                    source: h.mac(nic),
                    destination,
                    priority,
                    flow: flow << 20,
                    ect,
                };
                (0..count).for_each(|_| h.give_frame(nic, frame));
                h.drain();
            }
        }
    }
    let given_up = h.now + PATIENCE;
    while !all_over(&h) && h.world.next_wakeup() <= given_up {
        h.advance_to(h.world.next_wakeup());
    }
    h
}

fn visit_at(h: &mut Hosts, at: Instant) {
    if at > h.now {
        h.advance_to(at);
        h.run();
    }
}

/// Every frame has ended, and no receiver holds one.
fn all_over(h: &Hosts) -> bool {
    h.unended == 0 && h.held == 0
}

/// Frames that have ended for their sender, in order.
pub(super) fn ended(action: Action) -> Option<FrameHandle> {
    match action {
        Action::Sent { frame, .. } | Action::Dropped { frame, .. } => Some(frame),
        _ => None,
    }
}
