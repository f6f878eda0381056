//! The eight OFDM rates and their parameters (IEEE 802.11-2020, 17.3.2.3, Table 17-4).

/// Data subcarriers of an OFDM symbol (IEEE 802.11-2020, Table 17-5).
pub const DATA_SUBCARRIERS: usize = 48;

/// Bits of the SERVICE field (17.3.5.2).
pub const SERVICE_BITS: usize = 16;

/// Zero bits that end the code in the zero state (17.3.5.3).
pub const TAIL_BITS: usize = 6;

/// The constellation of a data subcarrier (17.3.5.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// One bit per subcarrier, on the in-phase axis.
    Bpsk,
    /// Two bits per subcarrier.
    Qpsk,
    /// Four bits per subcarrier.
    Qam16,
    /// Six bits per subcarrier.
    Qam64,
}

impl Modulation {
    /// Coded bits per subcarrier (`N_BPSC` of the standard).
    pub const fn bits_per_subcarrier(self) -> usize {
        match self {
            Self::Bpsk => 1,
            Self::Qpsk => 2,
            Self::Qam16 => 4,
            Self::Qam64 => 6,
        }
    }
}

/// The rate of the punctured convolutional code (17.3.5.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeRate {
    /// 1/2, not punctured.
    Half,
    /// 2/3.
    TwoThirds,
    /// 3/4.
    ThreeQuarters,
}

impl CodeRate {
    /// Data bits and coded bits of the code rate's fraction.
    pub const fn fraction(self) -> (usize, usize) {
        match self {
            Self::Half => (1, 2),
            Self::TwoThirds => (2, 3),
            Self::ThreeQuarters => (3, 4),
        }
    }
}

/// One rate of the OFDM PHY with 20 MHz channel spacing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfdmRate {
    /// Data rate in Mbit/s, the name of the rate.
    pub rate_mbps: u32,
    /// Constellation of the data subcarriers.
    pub modulation: Modulation,
    /// Rate of the convolutional code.
    pub code_rate: CodeRate,
}

/// The eight rates in ascending order.
pub const OFDM_RATES: [OfdmRate; 8] = [
    OfdmRate { rate_mbps: 6, modulation: Modulation::Bpsk, code_rate: CodeRate::Half },
    OfdmRate { rate_mbps: 9, modulation: Modulation::Bpsk, code_rate: CodeRate::ThreeQuarters },
    OfdmRate { rate_mbps: 12, modulation: Modulation::Qpsk, code_rate: CodeRate::Half },
    OfdmRate { rate_mbps: 18, modulation: Modulation::Qpsk, code_rate: CodeRate::ThreeQuarters },
    OfdmRate { rate_mbps: 24, modulation: Modulation::Qam16, code_rate: CodeRate::Half },
    OfdmRate { rate_mbps: 36, modulation: Modulation::Qam16, code_rate: CodeRate::ThreeQuarters },
    OfdmRate { rate_mbps: 48, modulation: Modulation::Qam64, code_rate: CodeRate::TwoThirds },
    OfdmRate { rate_mbps: 54, modulation: Modulation::Qam64, code_rate: CodeRate::ThreeQuarters },
];

impl OfdmRate {
    /// Coded bits per OFDM symbol (`N_CBPS`).
    pub const fn coded_bits_per_symbol(self) -> usize {
        DATA_SUBCARRIERS * self.modulation.bits_per_subcarrier()
    }

    /// Data bits per OFDM symbol (`N_DBPS`).
    pub const fn data_bits_per_symbol(self) -> usize {
        let (data, coded) = self.code_rate.fraction();
        self.coded_bits_per_symbol() * data / coded
    }

    /// OFDM symbols that carry a PSDU of `psdu_bytes` (17.3.5.4).
    pub const fn symbols(self, psdu_bytes: usize) -> usize {
        (SERVICE_BITS + 8 * psdu_bytes + TAIL_BITS).div_ceil(self.data_bits_per_symbol())
    }

    /// The least SNR per subcarrier, in dB, at which any code could carry this
    /// rate (Shannon): one real dimension for BPSK, two for the others.
    pub fn shannon_limit_db(self) -> f64 {
        let bits = self.data_bits_per_symbol() as f64 / DATA_SUBCARRIERS as f64;
        let snr = match self.modulation {
            Modulation::Bpsk => (libm::exp2(2.0 * bits) - 1.0) / 2.0,
            _ => libm::exp2(bits) - 1.0,
        };
        10.0 * libm::log10(snr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_bits_per_symbol_are_those_of_table_17_4() {
        let bits: Vec<_> = OFDM_RATES.iter().map(|rate| rate.data_bits_per_symbol()).collect();
        assert_eq!(bits, [24, 36, 48, 72, 96, 144, 192, 216]);
    }

    /// An OFDM symbol lasts 4 us, so the rate in Mbit/s is the data bits over 4.
    #[test]
    fn rate_is_data_bits_over_symbol_time() {
        for rate in OFDM_RATES {
            assert_eq!(rate.rate_mbps as usize * 4, rate.data_bits_per_symbol());
        }
    }

    /// (16 + 8 * 1536 + 6) / 216 = 56.99: 57 symbols of 4 us after 20 us of preamble and SIGNAL are 248 us.
    #[test]
    fn symbols_round_up() {
        assert_eq!(OFDM_RATES[7].symbols(1536), 57);
        assert_eq!(OFDM_RATES[0].symbols(14), 6);
    }
}
