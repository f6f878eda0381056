//! The meaning of a format's MCS index: constellation, code rate, default code.

use super::{CodeRate, Coding, Constellation, Format, Modulation, TxVector};
use CodeRate::{FiveEighths, FiveSixths, Half, ThirteenSixteenths, ThreeQuarters, TwoThirds};
use Constellation::{Bpsk, Qam16, Qam64, Qam256, Qam1024, Qam4096, Qpsk};

/// OFDM, 6 to 54 Mbit/s (IEEE 802.11-2020, Table 17-4).
const OFDM: [Modulation; 8] = [
    Modulation::new(Bpsk, Half),
    Modulation::new(Bpsk, ThreeQuarters),
    Modulation::new(Qpsk, Half),
    Modulation::new(Qpsk, ThreeQuarters),
    Modulation::new(Qam16, Half),
    Modulation::new(Qam16, ThreeQuarters),
    Modulation::new(Qam64, TwoThirds),
    Modulation::new(Qam64, ThreeQuarters),
];

/// MCS of HT, VHT, HE and EHT, whose tables continue each other (19.5, 21.5; IEEE 802.11ax-2021,
/// 27.5; IEEE 802.11be, 36.5).
const MIMO: [Modulation; 14] = [
    Modulation::new(Bpsk, Half),
    Modulation::new(Qpsk, Half),
    Modulation::new(Qpsk, ThreeQuarters),
    Modulation::new(Qam16, Half),
    Modulation::new(Qam16, ThreeQuarters),
    Modulation::new(Qam64, TwoThirds),
    Modulation::new(Qam64, ThreeQuarters),
    Modulation::new(Qam64, FiveSixths),
    Modulation::new(Qam256, ThreeQuarters),
    Modulation::new(Qam256, FiveSixths),
    Modulation::new(Qam1024, ThreeQuarters),
    Modulation::new(Qam1024, FiveSixths),
    Modulation::new(Qam4096, ThreeQuarters),
    Modulation::new(Qam4096, FiveSixths),
];

/// DMG single carrier, MCS 1 to 12 (20.6.3, DMG SC mode modulation and coding schemes).
const DMG: [Modulation; 12] = [
    Modulation::new(Bpsk, Half),
    Modulation::new(Bpsk, Half),
    Modulation::new(Bpsk, FiveEighths),
    Modulation::new(Bpsk, ThreeQuarters),
    Modulation::new(Bpsk, ThirteenSixteenths),
    Modulation::new(Qpsk, Half),
    Modulation::new(Qpsk, FiveEighths),
    Modulation::new(Qpsk, ThreeQuarters),
    Modulation::new(Qpsk, ThirteenSixteenths),
    Modulation::new(Qam16, Half),
    Modulation::new(Qam16, FiveEighths),
    Modulation::new(Qam16, ThreeQuarters),
];

/// Modulation of an MCS of HT, VHT, HE or EHT.
#[inline]
pub(super) const fn mimo(mcs: u8) -> Modulation {
    MIMO[mcs as usize]
}

/// Modulation of a DMG MCS from 1 on.
#[inline]
pub(super) const fn dmg_single_carrier(mcs: u8) -> Modulation {
    DMG[mcs as usize - 1]
}

impl TxVector {
    /// Constellation and code rate. None for HR/DSSS and for the DMG control mode (DMG MCS 0), which spread
    /// their symbols. DMG MCS 1 is MCS 2 with every bit sent twice: the same modulation, 3 dB more energy per bit.
    #[inline]
    pub const fn modulation(self) -> Option<Modulation> {
        match self.format {
            Format::HrDsss => None,
            Format::Ofdm => Some(OFDM[self.index as usize]),
            Format::Ht | Format::Vht | Format::He | Format::Eht => Some(mimo(self.index)),
            Format::Dmg if self.index == 0 => None,
            Format::Dmg => Some(dmg_single_carrier(self.index)),
        }
    }

    /// The error-correcting code of the PPDU: BCC up to VHT, unless HT or VHT selects LDPC; LDPC in HE and EHT, where it is
    /// mandatory from 40 MHz, from five streams and from 1024-QAM on (IEEE 802.11ax-2021, 27.1.1) and what devices use below;
    /// LDPC in DMG, the only code there. HR/DSSS has none; it answers `Bcc`.
    #[inline]
    pub const fn coding(self) -> Coding {
        match self.format {
            Format::Ht | Format::Vht if self.has_chosen_ldpc() => Coding::Ldpc,
            Format::HrDsss | Format::Ofdm | Format::Ht | Format::Vht => Coding::Bcc,
            Format::He | Format::Eht | Format::Dmg => Coding::Ldpc,
        }
    }
}
