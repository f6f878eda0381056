//! Quantities as types: an instant is not a duration, a byte count is not a
//! bit rate, and a level in dBm is not a ratio in dB. Only meaningful
//! arithmetic exists; overflow panics (it is always our bug).
//!
//! Everything here is plain data: no clock is read, nothing is allocated.

mod data;
mod radio;
mod time;

pub use data::{BitRate, Bytes};
pub use radio::{Dbm, Decibel, Hertz, Metre, Milliwatt};
pub use time::{Duration, Instant};
