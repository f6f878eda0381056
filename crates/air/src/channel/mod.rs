//! What happens between antennas: received power, noise, and loss.

mod noise;
mod propagation;
mod reception;

pub use noise::{es_n0, thermal_noise};
pub use propagation::received_power;
pub(crate) use reception::{Link, Reception};
