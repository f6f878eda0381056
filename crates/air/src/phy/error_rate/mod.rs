//! The probability with which a PSDU is received: `docs/models/packet-error-rate.md`.
//!
//! [`ErrorModel`] is the whole. It gives a [`Decay`] for a PPDU and a signal-to-noise ratio, which a caller keeps and
//! asks for every length. Its parts: [`PerTable`] for OFDM and directional multi-gigabit, [`nist`] as an
//! alternative for OFDM, [`dsss`] for DSSS and HR/DSSS, [`es_n0`], which refers a ratio in the channel to a
//! subcarrier, [`effective_snr`], which puts one ratio in place of subcarriers that differ, and `effective_table`, which does so by
//! tables.

mod decay;
pub mod dsss;
pub mod effective_snr;
pub(crate) mod effective_table;
mod model;
pub mod nist;
mod per_table;
mod subcarrier_snr;
mod waterfall;

pub use decay::Decay;
pub use model::ErrorModel;
pub use per_table::PerTable;
pub use subcarrier_snr::es_n0;
