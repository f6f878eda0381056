//! The input of rate control from the channel before each chain.

use airtcp_units::{BitRate, Decibel};

/// Spatial streams of a PPDU at most (IEEE 802.11ax-2021, 27.1.1).
pub(crate) const STREAMS_MAX: usize = 8;

/// The state of a link at the moment a chain is requested.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LinkState {
    /// The true signal-to-noise ratio at the receiver in decibels, over the noise in the whole width of the link. Only
    /// `Ideal` reads it. `None`: noise has no influence on reception.
    pub(crate) snr_db: Option<f64>,
    /// True signal-to-noise ratio in decibels for modes of each number of streams, less one, where the channel's response decides
    /// what they cost.
    pub(crate) snr_db_by_streams: Option<[f64; STREAMS_MAX]>,
    /// The fastest rate that may be used now (a replayed trace); where no mode is that slow, the slowest is used.
    pub(crate) rate_cap: Option<BitRate>,
}

impl LinkState {
    /// The link with this much more signal, or less.
    pub(crate) fn raised(mut self, more: Decibel) -> Self {
        self.snr_db = self.snr_db.map(|snr_db| snr_db + more.get());
        self.snr_db_by_streams = self.snr_db_by_streams.map(|ratios| ratios.map(|ratio| ratio + more.get()));
        self
    }

    /// The signal-to-noise ratio for modes of this many streams, in decibels.
    #[inline]
    pub(crate) fn snr_db_of(&self, streams: u8) -> Option<f64> {
        match self.snr_db_by_streams {
            Some(by_streams) => Some(by_streams[usize::from(streams).clamp(1, STREAMS_MAX) - 1]),
            None => self.snr_db,
        }
    }
}
