//! Closed forms of what the air can carry: exchanges, goodput of one station, saturation throughput of many.
//!
//! They are derived from durations of PPDUs ([`crate::phy`]) and the texts they name alone, and share no code with the two
//! halves of the MAC, so that one can be held against the other. `docs/models/analytic.md` has the equations.
//!
//! ```text
//!  plan -> Link -> Txop: PPDUs of one access        -> goodput of one station
//!                     `-> Saturation (Bianchi)      -> throughput of n stations
//!  plan -> explain: all of it for every link, for people
//! ```

mod bianchi;
mod explain;
mod frame_lengths;
mod goodput;
mod link;
#[cfg(test)]
mod tests;
mod txop;

pub use bianchi::{AfterBusy, Saturated, Saturation};
pub use explain::{explain_links, explain_scene};
pub use frame_lengths::FrameLengths;
pub use goodput::{Goodput, goodput};
pub use link::Link;
pub use txop::{Exchange, Txop};
