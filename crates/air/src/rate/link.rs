//! The input of rate control from the channel before each chain.

use airtcp_units::BitRate;

/// The state of a link at the moment a chain is requested.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LinkState {
    /// The true signal-to-noise ratio at the receiver in decibels, over the noise in the whole width of the link. Only
    /// `Ideal` reads it. `None`: noise has no influence on reception.
    pub(crate) snr_db: Option<f64>,
    /// The fastest rate that may be used now (a replayed trace); where no mode is that slow, the slowest is used.
    pub(crate) rate_cap: Option<BitRate>,
}
