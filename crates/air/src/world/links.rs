//! The channel as the two halves of the MAC see it.

use airtcp_units::{Dbm, Instant};

use crate::NicId;
use crate::channel::Channel;
use crate::high::Links;
use crate::phy::{Format, Guard, TxVector, Width};
use crate::rate::{LinkState, STREAMS_MAX};

/// The channel, and what of it is rate control's to know.
#[derive(Debug)]
pub(super) struct ChannelLinks {
    pub(super) channel: Channel,
    pub(super) noisy: bool,
    /// Width of the channel that two NICs use, by sender, then receiver.
    pub(super) widths: Vec<Width>,
    /// Whether data goes with the convolutional code, in the same order.
    pub(super) convolutional: Vec<bool>,
}

impl Links for ChannelLinks {
    #[inline(always)]
    fn link_state(&mut self, now: Instant, [from, to]: [NicId; 2], snr: bool) -> LinkState {
        let wanted = snr && self.noisy;
        let snr_db = wanted.then(|| {
            let noise = self.channel.noise_mw(self.widths[self.place(from, to)]);
            10.0 * libm::log10(self.channel.power_mw(now, from, to) / noise)
        });
        let snr_db_by_streams =
            (wanted && self.channel.is_selective()).then(|| self.snr_db_by_streams(now, [from, to]));
        LinkState { snr_db, snr_db_by_streams, rate_cap: self.channel.rate_cap(now, from, to) }
    }

    fn power(&self, from: NicId, to: NicId) -> Dbm {
        self.channel.mean_dbm(from, to)
    }
}

/// The MCS by whose constellation, 64-QAM in the middle of all, effective ratios are found first. With LDPC those of others
/// differ little.
const REFERENCE_MCS: u8 = 5;

/// The MCS (of one stream) that stands for those which a ratio is about enough for. With the convolutional code effective ratios
/// differ by constellation more than with LDPC, since each goes by its own distance of neighbours. Between the highest ratio at
/// which one constellation, and the lowest at which the next, has a packet error rate of 10 % in white noise
/// (`docs/models/packet-error-rate.md`).
fn convolutional_mcs(snr_db: f64) -> u8 {
    match snr_db {
        ..2.2 => 0,
        ..7.8 => 1,
        ..14.7 => 3,
        ..21.4 => 5,
        _ => 8,
    }
}

impl ChannelLinks {
    #[inline]
    fn place(&self, from: NicId, to: NicId) -> usize {
        // They are square tables.
        from.index() * self.widths.len().isqrt() + to.index()
    }

    /// Effective ratios over the whole channel by number of streams, in decibels.
    fn snr_db_by_streams(&mut self, now: Instant, ends: [NicId; 2]) -> [f64; STREAMS_MAX] {
        let place = self.place(ends[0], ends[1]);
        let (width, convolutional) = (self.widths[place], self.convolutional[place]);
        let noise = self.channel.noise_mw(width);
        let most = self.channel.streams_of(ends);
        let mut by_streams = [f64::NEG_INFINITY; STREAMS_MAX];
        for (streams, ratio_db) in (1..).zip(&mut by_streams).take(most) {
            let format = if convolutional { Format::Vht } else { Format::He };
            let mut effective_db = |mcs| {
                let tx = TxVector::mimo(format, mcs, streams, width, Guard::Ns800);
                10.0 * libm::log10(self.channel.sinr(now, ends, tx, 1.0, &[noise]))
            };
            *ratio_db = effective_db(REFERENCE_MCS);
            let mcs = convolutional_mcs(*ratio_db - 10.0 * libm::log10(f64::from(streams)));
            if convolutional && mcs != REFERENCE_MCS {
                *ratio_db = effective_db(mcs);
            }
        }
        by_streams
    }
}
