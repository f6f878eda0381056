//! How a PPDU is sent: format, modulation, streams, width, guard interval.

use airtcp_plan::{HeLtf, PhyOptions};

use super::NominalPadding;

/// The format of a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// DSSS and HR/DSSS (IEEE 802.11-2020, clauses 15 and 16): index 0 to 3 are 1, 2, 5.5 and 11 Mbit/s.
    HrDsss,
    /// OFDM and ERP-OFDM (clauses 17 and 18): index 0 to 7 are 6 to 54 Mbit/s.
    Ofdm,
    /// HT-mixed (clause 19): index is the MCS of one stream, 0 to 7.
    Ht,
    /// VHT single user (clause 21): MCS 0 to 9.
    Vht,
    /// HE single user (IEEE 802.11ax-2021, clause 27): MCS 0 to 11.
    He,
    /// EHT MU for one user on the whole width (IEEE 802.11be, clause 36): MCS 0 to 13.
    Eht,
    /// Directional multi-gigabit single carrier (clause 20): MCS 1 to 12.
    Dmg,
}

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

/// Guard interval between OFDM symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guard {
    /// 0.4 us: short, HT and VHT.
    Ns400,
    /// 0.8 us: long in OFDM, HT and VHT; the shortest of HE and EHT.
    Ns800,
    /// 1.6 us: HE and EHT.
    Ns1600,
    /// 3.2 us: HE and EHT.
    Ns3200,
}

/// Everything about a PPDU but its length (TXVECTOR of IEEE 802.11-2020, 8.3.4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TxVector {
    /// The format.
    pub format: Format,
    /// Rate index or MCS within the format.
    pub index: u8,
    /// Spatial streams; 1 where the format has no more.
    pub streams: u8,
    /// Width.
    pub width: Width,
    /// Guard interval; `Ns800` where the format has no choice.
    pub guard: Guard,
    /// Size of the HE-LTF or EHT-LTF; `X2` where the format has none.
    pub ltf: HeLtf,
    /// The short preamble of HR/DSSS; false in every other format.
    pub short_preamble: bool,
    /// What the sender does for the decoder of the receiver.
    pub decoder: DecoderOption,
}

// It is passed in one register.
const _: () = assert!(size_of::<TxVector>() == 8);

/// What a format lets a sender do for the decoder of the receiver: no format has both options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DecoderOption {
    /// Nothing: the format has no option, or the option is not used.
    #[default]
    None,
    /// LDPC instead of BCC in HT and VHT (`FEC_CODING`); other formats allow no choice ([`TxVector::coding`]).
    Ldpc,
    /// 8 us after the data of HE and EHT (`NOMINAL_PACKET_PADDING`).
    Padding8Us,
    /// 16 us after the data of HE and EHT.
    Padding16Us,
    /// 20 us after the data of EHT.
    Padding20Us,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 7] =
        [Self::HrDsss, Self::Ofdm, Self::Ht, Self::Vht, Self::He, Self::Eht, Self::Dmg];
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

impl Guard {
    /// Every guard interval.
    pub const ALL: [Self; 4] = [Self::Ns400, Self::Ns800, Self::Ns1600, Self::Ns3200];

    /// Nanoseconds.
    #[inline]
    pub const fn nanos(self) -> u64 {
        match self {
            Self::Ns400 => 400,
            Self::Ns800 => 800,
            Self::Ns1600 => 1600,
            Self::Ns3200 => 3200,
        }
    }

    /// The guard interval of this many nanoseconds, if it exists.
    pub const fn from_nanos(nanos: u32) -> Option<Self> {
        Some(match nanos {
            400 => Self::Ns400,
            800 => Self::Ns800,
            1600 => Self::Ns1600,
            3200 => Self::Ns3200,
            _ => return None,
        })
    }
}

impl TxVector {
    /// A PPDU of HR/DSSS.
    pub const fn hr_dsss(index: u8, short_preamble: bool) -> Self {
        Self {
            format: Format::HrDsss,
            index,
            streams: 1,
            width: Width::Mhz20,
            guard: Guard::Ns800,
            ltf: HeLtf::X2,
            short_preamble,
            decoder: DecoderOption::None,
        }
    }

    /// A PPDU of OFDM or ERP-OFDM.
    pub const fn ofdm(index: u8) -> Self {
        Self {
            format: Format::Ofdm,
            index,
            streams: 1,
            width: Width::Mhz20,
            guard: Guard::Ns800,
            ltf: HeLtf::X2,
            short_preamble: false,
            decoder: DecoderOption::None,
        }
    }

    /// A PPDU of HT, VHT, HE or EHT; HT and VHT with BCC, HE and EHT with the shortest LTF that receivers must support.
    pub const fn mimo(format: Format, mcs: u8, streams: u8, width: Width, guard: Guard) -> Self {
        let ltf = mandatory_ltf(guard);
        let decoder = DecoderOption::None;
        Self { format, index: mcs, streams, width, guard, ltf, short_preamble: false, decoder }
    }

    /// This mode with the options of a radio, whether the format has them or not ([`TxVector::check`]).
    #[must_use]
    pub const fn with_options(self, options: PhyOptions) -> Self {
        let PhyOptions { he_ltf } = options;
        let ltf = match he_ltf {
            Some(ltf) => ltf,
            None => self.ltf,
        };
        Self { ltf, ..self }
    }

    /// This mode towards a receiver that needs this padding after the data, if the format has a packet extension.
    #[must_use]
    pub const fn to_receiver(self, padding: NominalPadding) -> Self {
        let decoder = match padding {
            NominalPadding::Us0 => DecoderOption::None,
            NominalPadding::Us8 => DecoderOption::Padding8Us,
            NominalPadding::Us16 => DecoderOption::Padding16Us,
            NominalPadding::Us20 => DecoderOption::Padding20Us,
        };
        match self.format {
            Format::He | Format::Eht => Self { decoder, ..self },
            _ => self,
        }
    }

    /// The padding after the data; `Us0` where the format has none.
    #[inline]
    pub const fn padding(self) -> NominalPadding {
        match self.decoder {
            DecoderOption::None | DecoderOption::Ldpc => NominalPadding::Us0,
            DecoderOption::Padding8Us => NominalPadding::Us8,
            DecoderOption::Padding16Us => NominalPadding::Us16,
            DecoderOption::Padding20Us => NominalPadding::Us20,
        }
    }

    /// Whether the sender chose LDPC where the format allows BCC.
    #[inline]
    pub const fn has_chosen_ldpc(self) -> bool {
        matches!(self.decoder, DecoderOption::Ldpc)
    }

    /// This mode with LDPC instead of BCC where a format has the choice (HT and VHT).
    #[must_use]
    pub const fn with_ldpc(self) -> Self {
        match self.format {
            Format::Ht | Format::Vht => Self { decoder: DecoderOption::Ldpc, ..self },
            _ => self,
        }
    }
}

/// The shortest HE-LTF or EHT-LTF with this guard interval that every receiver supports (IEEE 802.11ax-2021, 27.1.1;
/// Table 27-18, `GI+LTF Size`, lists all pairs of an HE SU PPDU).
pub(super) const fn mandatory_ltf(guard: Guard) -> HeLtf {
    match guard {
        Guard::Ns3200 => HeLtf::X4,
        _ => HeLtf::X2,
    }
}
