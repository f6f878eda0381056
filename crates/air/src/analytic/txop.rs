//! What one access to the medium carries, when there are always enough frames of one length.

use airtcp_units::Duration;

use super::{FrameLengths, Link};
use crate::border::Protection;
use crate::phy::{RTS_BYTES, TxVector};

/// One exchange: what protects it, data, response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Ethernet frames in each MPDU.
    pub frames_per_mpdu: u32,
    /// MPDUs in the PSDU.
    pub mpdus: u32,
    /// Octets of each.
    pub mpdu_bytes: u32,
    /// Octets of the PSDU.
    pub psdu_bytes: u32,
    /// The frames before the data.
    pub protection: Protection,
    /// Duration of the protecting PPDUs and the SIFS after each; zero without protection.
    pub protection_duration: Duration,
    /// The first of them, or the data: what is lost in a collision.
    pub exposed: Duration,
    /// The data PPDU with its signal extension.
    pub data: Duration,
    /// The Ack or `BlockAck`.
    pub response: Duration,
    /// Duration of the whole exchange, with the SIFS between.
    pub total: Duration,
}

/// The exchanges of one access, a SIFS apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Txop {
    /// At least one.
    pub exchanges: Vec<Exchange>,
    /// From the first octet on the air to the last.
    pub duration: Duration,
}

impl Link {
    /// The exchange of so many MPDUs with frames of this length; `protected`: it begins with what the link's frames begin with.
    pub fn exchange(&self, frame_bytes: u32, mpdus: u32, protected: bool) -> Exchange {
        let frames_per_mpdu = self.lengths.frames_per_mpdu(frame_bytes);
        let mpdu_bytes = self.lengths.mpdu(frame_bytes, frames_per_mpdu);
        let psdu_bytes = FrameLengths::psdu(self.tx, mpdu_bytes, mpdus, self.start_spacing());
        let protection = if protected { self.protection(psdu_bytes, mpdus) } else { Protection::None };
        let data = self.times.ppdu_duration(self.tx, psdu_bytes);
        let response = self.times.ppdu_duration(self.response_mode(), self.response_bytes(mpdus));
        let sifs = self.times.sifs;
        let cts = self.times.ppdu_duration(self.cts_mode(), self.cts_bytes());
        let rts = self.times.ppdu_duration(self.control_mode(), RTS_BYTES);
        let (protection_duration, exposed) = match protection {
            Protection::None => (Duration::ZERO, data),
            Protection::CtsToSelf => (cts + sifs, cts),
            Protection::RtsCts => (rts + sifs + cts + sifs, rts),
        };
        let total = protection_duration + data + sifs + response;
        Exchange {
            frames_per_mpdu,
            mpdus,
            mpdu_bytes,
            psdu_bytes,
            protection,
            protection_duration,
            exposed,
            data,
            response,
            total,
        }
    }

    /// The mode of the link, or a faster one if an A-MSDU of these frames would last longer in it than a PPDU may.
    fn fitting(&self, frame_bytes: u32) -> TxVector {
        let one = self.exchange(frame_bytes, 1, false);
        self.tx.fitting(self.band, one.psdu_bytes)
    }

    /// The longest exchange that fits into `room`; `None` if not even one MPDU does.
    fn longest(&self, frame_bytes: u32, protected: bool, room: Option<Duration>) -> Option<Exchange> {
        let fits = |mpdus: u32| {
            let exchange = self.exchange(frame_bytes, mpdus, protected);
            let in_room = room.is_none_or(|room| exchange.total <= room);
            (in_room && (mpdus == 1 || self.may_aggregate(&exchange))).then_some(exchange)
        };
        let alone = fits(1)?;
        let window = self.aggregation.map_or(1, |a| if a.ampdu_bytes > 0 { a.block_ack_window } else { 1 });
        // Longer aggregates last longer, so what fits is a range from 1.
        let (mut best, mut most) = (alone, window);
        while best.mpdus < most {
            let middle = (best.mpdus + most).div_ceil(2);
            match fits(middle) {
                Some(exchange) => best = exchange,
                None => most = middle - 1,
            }
        }
        Some(best)
    }

    /// The limits of the standard and of the plan: octets of the PSDU, and TXTIME without signal extension.
    fn may_aggregate(&self, exchange: &Exchange) -> bool {
        let Some(limits) = self.aggregation else { return false };
        let longest = Duration::from_micros(u64::from(limits.ampdu_us));
        let longest = self.tx.max_ppdu_duration().map_or(longest, |most| most.min(longest));
        exchange.psdu_bytes <= limits.ampdu_bytes.min(self.tx.max_psdu_bytes())
            && self.tx.ppdu_duration(exchange.psdu_bytes) <= longest
    }

    /// What a station that has enough frames sends in one access: one exchange without a TXOP limit, else as many as fit. The first
    /// may be longer than the TXOP if it has one MPDU (IEEE 802.11-2020, 10.23.2.9). Each begins where the one before left off, so
    /// the last may be shorter. Only the first is protected.
    pub fn txop(&self, frame_bytes: u32) -> Txop {
        let tx = self.fitting(frame_bytes);
        if tx != self.tx {
            return Self { tx, ..*self }.txop(frame_bytes);
        }
        let limit = Duration::from_micros(u64::from(self.access.txop_us));
        if limit == Duration::ZERO {
            let exchange = self.longest(frame_bytes, true, None).expect("one MPDU always goes");
            return Txop { exchanges: vec![exchange], duration: exchange.total };
        }
        let first = self.longest(frame_bytes, true, Some(limit));
        let first = first.unwrap_or_else(|| self.exchange(frame_bytes, 1, true));
        let (mut exchanges, mut duration) = (vec![first], first.total);
        loop {
            let begin = duration + self.times.sifs;
            let room = limit.saturating_sub(begin);
            let Some(next) = self.longest(frame_bytes, false, Some(room)) else { break };
            duration = begin + next.total;
            exchanges.push(next);
        }
        Txop { exchanges, duration }
    }
}

impl Txop {
    /// Ethernet frames in all exchanges.
    pub fn frames(&self) -> u32 {
        self.exchanges.iter().map(|exchange| exchange.frames_per_mpdu * exchange.mpdus).sum()
    }
}
