//! The physical layer: rates, durations of PPDUs, times between them, error rates.

mod modulation;
mod ofdm;
mod per_table;
mod timing;
mod tx_vector;

pub use modulation::{CodeRate, Coding, Constellation, Modulation};
pub use ofdm::OfdmRate;
pub use per_table::{Decay, PerTable};
pub use timing::Timing;
pub use tx_vector::{Format, Guard, TxVector, Width};

/// Octets of an Ack frame with its frame check sequence (IEEE 802.11-2020, 9.3.1.4).
pub const ACK_BYTES: u32 = 14;
