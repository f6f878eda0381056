//! OFDM in 20 MHz channels (IEEE 802.11-2020, clause 17).

use airtcp_units::{BitRate, Duration};

/// A modulation and coding of OFDM, named by its rate in Mb/s (Table 17-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OfdmRate {
    /// BPSK 1/2.
    Mbps6,
    /// BPSK 3/4.
    Mbps9,
    /// QPSK 1/2.
    Mbps12,
    /// QPSK 3/4.
    Mbps18,
    /// 16-QAM 1/2.
    Mbps24,
    /// 16-QAM 3/4.
    Mbps36,
    /// 64-QAM 2/3.
    Mbps48,
    /// 64-QAM 3/4.
    Mbps54,
}

/// Preamble and SIGNAL field (Table 17-5: `T_PREAMBLE` and `T_SIGNAL`).
const PREAMBLE_AND_SIGNAL: Duration = Duration::from_micros(16 + 4);
/// One OFDM symbol with its guard interval (Table 17-5: `T_SYM`).
const SYMBOL: Duration = Duration::from_micros(4);
/// SERVICE field (17.3.5.2) and tail (17.3.5.3).
const SERVICE_AND_TAIL_BITS: u32 = 16 + 6;

impl OfdmRate {
    /// Every rate, slowest first.
    pub const ALL: [Self; 8] = [
        Self::Mbps6,
        Self::Mbps9,
        Self::Mbps12,
        Self::Mbps18,
        Self::Mbps24,
        Self::Mbps36,
        Self::Mbps48,
        Self::Mbps54,
    ];

    /// The rate of this many bits per second, if the standard has it.
    pub fn from_bit_rate(rate: BitRate) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.bit_rate() == rate)
    }

    /// Data bits per OFDM symbol, `N_DBPS` (Table 17-4).
    #[inline]
    pub const fn data_bits_per_symbol(self) -> u32 {
        match self {
            Self::Mbps6 => 24,
            Self::Mbps9 => 36,
            Self::Mbps12 => 48,
            Self::Mbps18 => 72,
            Self::Mbps24 => 96,
            Self::Mbps36 => 144,
            Self::Mbps48 => 192,
            Self::Mbps54 => 216,
        }
    }

    /// Its nominal rate.
    #[inline]
    pub const fn bit_rate(self) -> BitRate {
        // A symbol of 4 us carries N_DBPS bits.
        BitRate::from_bps(self.data_bits_per_symbol() as u64 * 250_000)
    }

    /// Whether every OFDM station can use it (17.2.2.3: 6, 12 and 24 Mb/s).
    pub const fn is_mandatory(self) -> bool {
        matches!(self, Self::Mbps6 | Self::Mbps12 | Self::Mbps24)
    }

    /// Duration of a PPDU with this PSDU, without signal extension (17.4.3, TXTIME).
    #[inline]
    pub const fn ppdu_duration(self, psdu_bytes: u32) -> Duration {
        let bits = SERVICE_AND_TAIL_BITS + 8 * psdu_bytes;
        let symbols = bits.div_ceil(self.data_bits_per_symbol());
        Duration::from_nanos(PREAMBLE_AND_SIGNAL.as_nanos() + SYMBOL.as_nanos() * symbols as u64)
    }

    /// Rate of the control response to a frame at this rate (10.6.6.5.2): the highest
    /// basic rate that is not faster, else the highest mandatory one.
    #[must_use]
    pub fn response_rate(self, basic: &[Self]) -> Self {
        let highest = |rates: &mut dyn Iterator<Item = Self>| rates.filter(|&r| r <= self).max();
        highest(&mut basic.iter().copied())
            .or_else(|| highest(&mut Self::ALL.into_iter().filter(|r| r.is_mandatory())))
            .unwrap_or(Self::Mbps6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_their_numbers_agree() {
        let mbps = [6, 9, 12, 18, 24, 36, 48, 54];
        for (rate, mbps) in OfdmRate::ALL.into_iter().zip(mbps) {
            assert_eq!(rate.bit_rate(), BitRate::from_mbps(mbps));
            assert_eq!(OfdmRate::from_bit_rate(BitRate::from_mbps(mbps)), Some(rate));
        }
        assert_eq!(OfdmRate::from_bit_rate(BitRate::from_mbps(11)), None);
    }

    #[test]
    fn responses_use_the_highest_basic_rate_not_above() {
        let basic = [OfdmRate::Mbps6, OfdmRate::Mbps12, OfdmRate::Mbps24];
        let answers = OfdmRate::ALL.map(|r| r.response_rate(&basic).bit_rate().as_bps() / 1_000_000);
        assert_eq!(answers, [6, 6, 12, 12, 24, 24, 24, 24]);
        assert_eq!(OfdmRate::Mbps54.response_rate(&[OfdmRate::Mbps6]), OfdmRate::Mbps6);
        assert_eq!(OfdmRate::Mbps54.response_rate(&[OfdmRate::Mbps54]), OfdmRate::Mbps54);
    }

    #[test]
    fn responses_fall_back_to_mandatory_rates() {
        let basic = [OfdmRate::Mbps24];
        assert_eq!(OfdmRate::Mbps18.response_rate(&basic), OfdmRate::Mbps12);
        assert_eq!(OfdmRate::Mbps9.response_rate(&basic), OfdmRate::Mbps6);
    }
}
