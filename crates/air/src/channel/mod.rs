//! What happens between antennas: received power, noise, and loss.
//!
//! [`Channel`] is the whole. Its parts: `path_loss` (a file per model), `mobility`, `shadowing`, `fading`, `trace`,
//! `interference`, `spectrum`, `tone_overlap`, `thermal_noise`; `check` has the conditions for a plan.

mod check;
mod fading;
mod interference;
mod links;
mod mobility;
mod pair;
mod path_loss;
#[cfg(test)]
pub(crate) mod scene;
#[cfg(test)]
mod selective_loss;
mod shadowing;
mod spectrum;
pub mod thermal_noise;
mod tone_overlap;
mod trace;

pub use check::{check, check_place, check_power};
pub(crate) use interference::{Burst, EmissionId, SourceId};
pub use links::Channel;
pub(crate) use links::Sending;
pub use mobility::Position;
pub(crate) use spectrum::{Shares, are_coupled, mask_of, part_of, subchannels_in};
