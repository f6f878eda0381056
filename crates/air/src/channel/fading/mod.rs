//! Fast variation by many paths.
//!
//! A gain is a pure function of (seed, addresses, time), the same in both directions (the channel is reciprocal), with
//! mean 1. So it does not matter which caller reads gains, in which order, or whether any does. Two kinds: [`BlockFading`]
//! is flat and drawn anew after each coherence time; [`TappedDelayLines`] differ over the band and change steadily.

mod block;
mod tapped;

pub(super) use block::BlockFading;
pub(super) use tapped::{ANTENNAS, TappedDelayLines, coherence_ns};
