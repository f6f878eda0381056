//! The times between PPDUs.

use airtcp_plan::Standard;
use airtcp_units::Duration;

use super::{ACK_BYTES, OfdmRate};

/// Inter-frame times of one PHY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// aSlotTime.
    pub slot: Duration,
    /// aSIFSTime.
    pub sifs: Duration,
    /// DIFS = SIFS + 2 slots (IEEE 802.11-2020, 10.3.7).
    pub difs: Duration,
    /// EIFS = SIFS + an Ack at 6 Mb/s + DIFS (10.3.2.3.7, 10.3.7).
    pub eifs: Duration,
    /// `AckTimeout` = SIFS + slot + aRxPHYStartDelay (10.3.2.11).
    pub ack_timeout: Duration,
    /// Silence that belongs to the end of every PPDU (aSignalExtension, 18.5.4).
    pub signal_extension: Duration,
}

/// aRxPHYStartDelay of OFDM (Table 17-21, 20 MHz) and of ERP-OFDM (Table 18-5).
const RX_PHY_START_DELAY: Duration = Duration::from_micros(20);

impl Timing {
    /// The times of this standard.
    pub fn of(standard: Standard) -> Self {
        match standard {
            // Table 17-21.
            Standard::Ofdm => Self::new(9, 16, 0),
            // Table 18-5; the short slot, as no 11b station is there (18.5.4).
            Standard::ErpOfdm => Self::new(9, 10, 6),
        }
    }

    fn new(slot_us: u64, sifs_us: u64, extension_us: u64) -> Self {
        let [slot, sifs] = [slot_us, sifs_us].map(Duration::from_micros);
        let signal_extension = Duration::from_micros(extension_us);
        let difs = sifs + slot * 2;
        let slowest_ack = OfdmRate::Mbps6.ppdu_duration(ACK_BYTES) + signal_extension;
        Self {
            slot,
            sifs,
            difs,
            eifs: sifs + slowest_ack + difs,
            ack_timeout: sifs + slot + RX_PHY_START_DELAY,
            signal_extension,
        }
    }

    /// Duration of a PPDU with its signal extension (17.4.3, 18.5.3).
    #[inline]
    pub fn ppdu_duration(&self, rate: OfdmRate, psdu_bytes: u32) -> Duration {
        rate.ppdu_duration(psdu_bytes) + self.signal_extension
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_11a_and_11g() {
        let us = Duration::from_micros;
        let a = Timing::of(Standard::Ofdm);
        assert_eq!((a.slot, a.sifs, a.difs), (us(9), us(16), us(34)));
        assert_eq!((a.eifs, a.ack_timeout), (us(16 + 44 + 34), us(16 + 9 + 20)));
        let g = Timing::of(Standard::ErpOfdm);
        assert_eq!((g.slot, g.sifs, g.difs), (us(9), us(10), us(28)));
        assert_eq!((g.eifs, g.ack_timeout), (us(10 + 50 + 28), us(10 + 9 + 20)));
    }
}
