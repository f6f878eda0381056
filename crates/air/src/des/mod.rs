//! Discrete events: what can happen, and in which order it happens.

mod event;
mod queue;

pub(crate) use event::{Phase, Phased};
pub(crate) use queue::{EventQueue, assert_in_time};
