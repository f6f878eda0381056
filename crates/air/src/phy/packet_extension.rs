//! The packet extension of HE and EHT PPDUs: time in which their receiver finishes decoding.

/// What the data field of a PPDU is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Filling {
    /// Symbols.
    pub(super) symbols: u32,
    /// Quarters of the last symbol that carry coded bits: the pre-FEC padding factor, 1 to 4.
    pub(super) quarters: u32,
}

impl Filling {
    /// With another quarter of a symbol, which is in a new symbol if the last is full.
    #[inline]
    pub(super) const fn with_another_quarter(self) -> Self {
        if self.quarters < QUARTERS {
            Self { symbols: self.symbols, quarters: self.quarters + 1 }
        } else {
            Self { symbols: self.symbols + 1, quarters: 1 }
        }
    }

    /// With a quarter of a symbol less; `None`: nothing is left.
    pub(super) const fn with_a_quarter_less(self) -> Option<Self> {
        match self {
            Self { symbols: 1, quarters: 1 } => None,
            Self { symbols, quarters: 1 } => Some(Self { symbols: symbols - 1, quarters: QUARTERS }),
            Self { symbols, quarters } => Some(Self { symbols, quarters: quarters - 1 }),
        }
    }
}

/// What a receiver needs of it, the `NOMINAL_PACKET_PADDING` of a PPDU to it (IEEE 802.11ax-2021, Table 27-1; IEEE 802.11be, Table 36-1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NominalPadding {
    /// No packet extension: the receiver decodes as fast as symbols come.
    #[default]
    Us0,
    /// 8 us.
    Us8,
    /// 16 us.
    Us16,
    /// 20 us; EHT only.
    Us20,
}

impl NominalPadding {
    /// The nominal padding of this many microseconds, if it exists.
    pub const fn from_micros(us: u32) -> Option<Self> {
        Some(match us {
            0 => Self::Us0,
            8 => Self::Us8,
            16 => Self::Us16,
            20 => Self::Us20,
            _ => return None,
        })
    }

    /// The extension after a last symbol filled like this: the padding less the quarters of the symbol that carry nothing, 4 us each
    /// (IEEE 802.11ax-2021, 27.3.13, Table 27-46; IEEE 802.11be, 36.3.14). A receiver has so long from the end of the last
    /// quarter with data on.
    #[inline]
    pub(super) const fn extension_nanos(self, filling: Filling) -> u64 {
        let whole_us: u64 = match self {
            Self::Us0 => return 0,
            Self::Us8 => 8,
            Self::Us16 => 16,
            Self::Us20 => 20,
        };
        let empty_us = 4 * (QUARTERS - filling.quarters) as u64;
        1_000 * whole_us.saturating_sub(empty_us)
    }
}

/// Segments of a symbol before forward error correction (27.3.12.5).
pub(super) const QUARTERS: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    /// IEEE 802.11ax-2021, Table 27-46, by pre-FEC padding factor 1 to 4.
    #[test]
    fn extensions_are_those_of_the_table() {
        let row = |padding: NominalPadding| {
            [1, 2, 3, 4].map(|quarters| padding.extension_nanos(Filling { symbols: 1, quarters }) / 1000)
        };
        assert_eq!(row(NominalPadding::Us0), [0, 0, 0, 0]);
        assert_eq!(row(NominalPadding::Us8), [0, 0, 4, 8]);
        assert_eq!(row(NominalPadding::Us16), [4, 8, 12, 16]);
        assert_eq!(row(NominalPadding::Us20), [8, 12, 16, 20]);
        assert_eq!([8, 12].map(NominalPadding::from_micros), [Some(NominalPadding::Us8), None]);
    }
}
