//! Airtime as both Minstrels count it: without knowing contention, the basic rates or the true length of a frame.
//!
//! Source: Linux, `net/mac80211/rc80211_minstrel.c` and `rc80211_minstrel_ht.c` (behaviour and numbers).

use airtcp_units::Duration;

use crate::phy::{ACK_BYTES, Format, TxVector};

/// Octets of a frame check sequence.
pub(super) const FCS_BYTES: u32 = 4;
/// The PSDU whose airtime represents all: 1200 octets and FCS (Linux: `AVG_PKT_SIZE`).
pub(super) const REFERENCE_BYTES: u32 = 1_200 + FCS_BYTES;
/// Time that the attempts of one stage may take (Linux: `segment_size`).
const SEGMENT: Duration = Duration::from_millis(6);
/// Most attempts of one stage (Linux: `max_retry` where a driver sets none).
const TRIES_MAX: u8 = 7;
/// The slot time, whatever it is in truth (Linux: `t_slot`).
const SLOT: Duration = Duration::from_micros(9);
/// First and last contention window (Linux: `cw_min`, `cw_max`).
const CW: (u64, u64) = (15, 1_023);

/// Short inter-frame space with the signal extension of 2.4 GHz: equal in all bands but 60 GHz (IEEE 802.11-2020, Tables
/// 16-4, 17-21, 18-5 and 20-32).
pub(super) const fn sifs(format: Format) -> Duration {
    match format {
        Format::HrDsss => Duration::from_micros(10),
        Format::Dmg => Duration::from_micros(3),
        _ => Duration::from_micros(16),
    }
}

/// A PPDU with this PSDU and the space after it.
pub(super) fn frame(tx: TxVector, psdu_bytes: u32) -> Duration {
    tx.ppdu_duration(psdu_bytes) + sifs(tx.format)
}

/// An Ack in this mode and the space after it.
pub(super) fn ack(tx: TxVector) -> Duration {
    frame(tx, ACK_BYTES)
}

/// Mean backoffs of the attempts of one frame: half a contention window, which doubles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backoffs {
    window: u64,
}

impl Backoffs {
    /// Backoffs of a new frame.
    pub(super) const fn new() -> Self {
        Self { window: CW.0 }
    }

    /// The next one, in whole microseconds as in Linux.
    pub(super) fn next(&mut self) -> Duration {
        let half = Duration::from_micros(SLOT.as_nanos() / 1_000 * self.window / 2);
        self.window = CW.1.min(2 * self.window + 1);
        half
    }
}

/// Attempts that fit into a segment, after some that are planned anyway and take this long together.
pub(super) fn tries_in_segment(planned: u8, taken: Duration, each: Duration, mut backoffs: Backoffs) -> u8 {
    let mut total = taken;
    let more = (planned..TRIES_MAX).take_while(|_| {
        total += each + backoffs.next();
        total < SEGMENT
    });
    planned + more.count() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_doubles_up_to_its_end() {
        let mut backoffs = Backoffs::new();
        let micros: Vec<u64> = (0..8).map(|_| backoffs.next().as_nanos() / 1_000).collect();
        assert_eq!(micros, [67, 139, 283, 571, 1_147, 2_299, 4_603, 4_603]);
    }

    /// 54 Mbit/s: 45 symbols of 4 us, preamble 20 us, SIFS 16 us. 11 Mbit/s: 192 us, 876 us, SIFS 10 us.
    #[test]
    fn the_reference_frame_has_its_time() {
        let micros = |tx| frame(tx, REFERENCE_BYTES).as_nanos() / 1_000;
        assert_eq!((micros(TxVector::ofdm(7)), micros(TxVector::ofdm(0))), (216, 1_648));
        assert_eq!(micros(TxVector::hr_dsss(3, false)), 1_078);
        assert_eq!(ack(TxVector::ofdm(0)).as_nanos(), 60_000);
    }

    #[test]
    fn a_segment_has_six_milliseconds_and_seven_tries() {
        let tries = |each_us| {
            let each = Duration::from_micros(each_us);
            tries_in_segment(1, each, each, Backoffs::new())
        };
        // 7 x 100 + 67 + 139 + 283 + 571 + 1147 + 2299 = 5206.
        assert_eq!(tries(100), 7);
        // 6 x 700 + 2207 is too long, 5 x 700 + 1060 is not.
        assert_eq!(tries(700), 5);
        assert_eq!(tries(6_000), 1);
    }
}
