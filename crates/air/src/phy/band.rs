//! Frequency bands.

use super::{Format, TxVector};

/// A frequency band with its own channels and rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Band {
    /// 2.4 GHz.
    Ghz2_4,
    /// 5 GHz.
    Ghz5,
    /// 6 GHz.
    Ghz6,
    /// 60 GHz.
    Ghz60,
}

impl Band {
    /// Every band.
    pub const ALL: [Self; 4] = [Self::Ghz2_4, Self::Ghz5, Self::Ghz6, Self::Ghz60];

    /// The band of a channel with this centre, from the lowest to the highest that any channel has (IEEE
    /// 802.11-2020, 16.3.6.3, 17.3.8.4, 20.3.1; IEEE 802.11ax-2021, 27.3.23.2).
    pub const fn of_mhz(mhz: u32) -> Option<Self> {
        Some(match mhz {
            2_412..=2_484 => Self::Ghz2_4,
            5_160..=5_885 => Self::Ghz5,
            5_935..=7_115 => Self::Ghz6,
            58_320..=69_120 => Self::Ghz60,
            _ => return None,
        })
    }

    /// The slowest rate that every station of the band can receive, for Ack times in EIFS: 1 Mbit/s where stations
    /// of HR/DSSS may be (`hr_dsss`), else 6 Mbit/s OFDM, at 60 GHz the control mode (16.2.3, 17.2.2.3, 20.4.1).
    pub const fn lowest_mandatory(self, hr_dsss: bool) -> TxVector {
        match self {
            Self::Ghz2_4 if hr_dsss => TxVector::hr_dsss(0, false),
            Self::Ghz60 => TxVector::mimo(Format::Dmg, 0, 1, super::Width::Mhz2160, super::Guard::Ns800),
            _ => TxVector::ofdm(0),
        }
    }
}
