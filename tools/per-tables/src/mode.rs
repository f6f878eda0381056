//! A simulated mode: a code with a constellation and a code rate.

use std::fmt;

use crate::code_rate::CodeRate::{
    self, FiveEighths, FiveSixths, Half, ThirteenSixteenths, ThreeQuarters, TwoThirds,
};
use crate::constellation::Constellation::{self, Bpsk, Qam16, Qam64, Qam256, Qam1024, Qam4096, Qpsk};

/// Chips of a bit of the control mode of DMG (IEEE 802.11-2020, 20.4.3.3.4).
pub const CONTROL_SPREADING: usize = 32;

/// A code with a constellation and a code rate. Its text is its name in the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// OFDM with the convolutional code (17.3.5.6, 19.3.11.6).
    Bcc(Constellation, CodeRate),
    /// OFDM with the low-density parity-check codes of Annex F (19.3.11.7).
    Ldpc(Constellation, CodeRate),
    /// Directional multi-gigabit: MCS 0, the control mode (20.4), or 1 to 12, the single carrier (20.6).
    Dmg(u8),
}

/// Everything that 802.11 sends with the convolutional code: the eight rates of clause 17, and what HT and VHT added.
pub const BCC_MODES: [Mode; 11] = [
    Mode::Bcc(Bpsk, Half),
    Mode::Bcc(Bpsk, ThreeQuarters),
    Mode::Bcc(Qpsk, Half),
    Mode::Bcc(Qpsk, ThreeQuarters),
    Mode::Bcc(Qam16, Half),
    Mode::Bcc(Qam16, ThreeQuarters),
    Mode::Bcc(Qam64, TwoThirds),
    Mode::Bcc(Qam64, ThreeQuarters),
    Mode::Bcc(Qam64, FiveSixths),
    Mode::Bcc(Qam256, ThreeQuarters),
    Mode::Bcc(Qam256, FiveSixths),
];

/// MCS 0 to 13 of HT, VHT, HE and EHT with LDPC.
pub const LDPC_MODES: [Mode; 14] = [
    Mode::Ldpc(Bpsk, Half),
    Mode::Ldpc(Qpsk, Half),
    Mode::Ldpc(Qpsk, ThreeQuarters),
    Mode::Ldpc(Qam16, Half),
    Mode::Ldpc(Qam16, ThreeQuarters),
    Mode::Ldpc(Qam64, TwoThirds),
    Mode::Ldpc(Qam64, ThreeQuarters),
    Mode::Ldpc(Qam64, FiveSixths),
    Mode::Ldpc(Qam256, ThreeQuarters),
    Mode::Ldpc(Qam256, FiveSixths),
    Mode::Ldpc(Qam1024, ThreeQuarters),
    Mode::Ldpc(Qam1024, FiveSixths),
    Mode::Ldpc(Qam4096, ThreeQuarters),
    Mode::Ldpc(Qam4096, FiveSixths),
];

/// MCS 0 to 12 of DMG.
pub const DMG_MODES: [Mode; 13] = [
    Mode::Dmg(0),
    Mode::Dmg(1),
    Mode::Dmg(2),
    Mode::Dmg(3),
    Mode::Dmg(4),
    Mode::Dmg(5),
    Mode::Dmg(6),
    Mode::Dmg(7),
    Mode::Dmg(8),
    Mode::Dmg(9),
    Mode::Dmg(10),
    Mode::Dmg(11),
    Mode::Dmg(12),
];

impl Mode {
    /// Its constellation.
    pub const fn constellation(self) -> Constellation {
        match self {
            Self::Bcc(constellation, _) | Self::Ldpc(constellation, _) => constellation,
            Self::Dmg(0..=5) => Bpsk,
            Self::Dmg(6..=9) => Qpsk,
            Self::Dmg(_) => Qam16,
        }
    }

    /// The rate of its code, before shortening and repetition (for DMG 20.4.3.3.3 and 20.6.3, the table of MCS).
    pub const fn code_rate(self) -> CodeRate {
        match self {
            Self::Bcc(_, code_rate) | Self::Ldpc(_, code_rate) => code_rate,
            Self::Dmg(1 | 2 | 6 | 10) => Half,
            Self::Dmg(3 | 7 | 11) => FiveEighths,
            Self::Dmg(0 | 4 | 8 | 12) => ThreeQuarters,
            Self::Dmg(_) => ThirteenSixteenths,
        }
    }

    /// Data bits that a subcarrier, or a chip of DMG, carries.
    pub fn data_bits_per_subcarrier(self) -> f64 {
        let (data, coded) = self.code_rate().fraction();
        match self {
            // The control mode shortens rate 3/4 to at most 1/2 and sends 32 chips for a bit.
            Self::Dmg(0) => 0.5 / CONTROL_SPREADING as f64,
            // 168 data bits in 672.
            Self::Dmg(1) => 0.25,
            _ => (self.constellation().bits_per_subcarrier() * data) as f64 / coded as f64,
        }
    }

    /// The least SNR per subcarrier, in dB, at which any code could carry this
    /// mode (Shannon): one real dimension for BPSK, two for the others.
    pub fn shannon_limit_db(self) -> f64 {
        let bits = self.data_bits_per_subcarrier();
        let snr = match self.constellation().axes() {
            1 => (libm::exp2(2.0 * bits) - 1.0) / 2.0,
            _ => libm::exp2(bits) - 1.0,
        };
        10.0 * libm::log10(snr)
    }

    /// Two numbers that no other mode has: they choose its random streams. The first is the rate in Mbit/s that the
    /// mode would have in the OFDM of clause 17 (12 Mbit/s for each data bit per subcarrier), or the MCS of DMG; the
    /// second the code.
    pub fn stream_key(self) -> [u32; 2] {
        match self {
            Self::Bcc(..) => [(12.0 * self.data_bits_per_subcarrier()) as u32, 0],
            Self::Ldpc(..) => [(12.0 * self.data_bits_per_subcarrier()) as u32, 1],
            Self::Dmg(mcs) => [mcs.into(), 2],
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Bcc(constellation, code_rate) | Self::Ldpc(constellation, code_rate) => {
                let (data, coded) = code_rate.fraction();
                let name = format!("{constellation:?}").to_lowercase();
                write!(f, "{name}-{data}/{coded}")
            }
            Self::Dmg(mcs) => write!(f, "mcs-{mcs}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `N_DBPS` of 20 MHz over the data subcarriers: Table 17-4 and, from 64-QAM 5/6 on, the tables of HT (19.5), HE
    /// (IEEE 802.11ax-2021, 27.5) and EHT (IEEE 802.11be, 36.5).
    #[test]
    fn data_bits_are_those_of_the_standard() {
        let legacy: Vec<_> =
            BCC_MODES[..8].iter().map(|mode| 48.0 * mode.data_bits_per_subcarrier()).collect();
        assert_eq!(legacy, [24.0, 36.0, 48.0, 72.0, 96.0, 144.0, 192.0, 216.0]);
        let he: Vec<_> = LDPC_MODES.iter().map(|m| (234.0 * m.data_bits_per_subcarrier()).round()).collect();
        let of_mcs = [117, 234, 351, 468, 702, 936, 1053, 1170, 1404, 1560, 1755, 1950, 2106, 2340];
        assert_eq!(he, of_mcs.map(f64::from));
    }

    /// Rates of the single carrier in Mbit/s (20.6.3): 1760 million chips a second, of which 448 of 512 carry data.
    #[test]
    fn dmg_rates_are_those_of_the_standard() {
        let rates = DMG_MODES.map(|mode| 1760.0 * mode.data_bits_per_subcarrier() * 448.0 / 512.0);
        let of_mcs =
            [385.0, 770.0, 962.5, 1155.0, 1251.25, 1540.0, 1925.0, 2310.0, 2502.5, 3080.0, 3850.0, 4620.0];
        assert_eq!(rates[1..], of_mcs);
        // The control mode has no guard intervals: 27.5 Mbit/s.
        assert!((1760.0 * DMG_MODES[0].data_bits_per_subcarrier() - 27.5).abs() < 1e-9);
    }

    #[test]
    fn names_and_streams_are_distinct() {
        for modes in [&BCC_MODES[..], &LDPC_MODES, &DMG_MODES] {
            let mut names: Vec<_> = modes.iter().map(ToString::to_string).collect();
            let mut keys: Vec<_> = modes.iter().map(|mode| mode.stream_key()).collect();
            names.sort_unstable();
            names.dedup();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!([names.len(), keys.len()], [modes.len(); 2]);
        }
        assert_eq!(BCC_MODES[7].to_string(), "qam64-3/4");
        // The name of the rate in clause 17.
        assert_eq!(BCC_MODES[7].stream_key(), [54, 0]);
        assert_eq!(DMG_MODES[5].to_string(), "mcs-5");
    }
}
