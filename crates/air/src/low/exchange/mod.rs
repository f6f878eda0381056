//! Frame exchanges, from access to the medium to their outcome.

mod access;
mod arrival;
mod compose;
mod emit;
mod outcome;
mod protection;
mod radio;
mod radio_reception;

pub(crate) use radio::{Capabilities, Exchange, Prefetch, Radio, RadioCounters};
