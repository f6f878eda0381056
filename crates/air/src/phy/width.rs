//! Widths of channels.

/// Width of the channel that a PPDU fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// 20 MHz (DSSS: 22 MHz between zeros).
    Mhz20,
    /// 40 MHz.
    Mhz40,
    /// 80 MHz.
    Mhz80,
    /// 160 MHz.
    Mhz160,
    /// 320 MHz.
    Mhz320,
    /// 2.16 GHz, the channel of DMG.
    Mhz2160,
}

impl Width {
    /// Every width.
    pub const ALL: [Self; 6] =
        [Self::Mhz20, Self::Mhz40, Self::Mhz80, Self::Mhz160, Self::Mhz320, Self::Mhz2160];

    /// Megahertz.
    #[inline]
    pub const fn mhz(self) -> u32 {
        match self {
            Self::Mhz20 => 20,
            Self::Mhz40 => 40,
            Self::Mhz80 => 80,
            Self::Mhz160 => 160,
            Self::Mhz320 => 320,
            Self::Mhz2160 => 2160,
        }
    }

    /// The width of this many megahertz, if it exists.
    pub const fn from_mhz(mhz: u32) -> Option<Self> {
        Some(match mhz {
            20 => Self::Mhz20,
            40 => Self::Mhz40,
            80 => Self::Mhz80,
            160 => Self::Mhz160,
            320 => Self::Mhz320,
            2160 => Self::Mhz2160,
            _ => return None,
        })
    }
}
