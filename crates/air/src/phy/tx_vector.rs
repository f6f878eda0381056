//! How a PPDU is sent: format, modulation, streams, width, guard interval.

use airtcp_plan::{HeLtf, PhyOptions};

use super::{Allocation, Format, NominalPadding, Width};

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
    /// What it fills: the whole width, or in a PPDU for several users an RU.
    pub allocation: Allocation,
    /// Guard interval; `Ns800` where the format has no choice.
    pub guard: Guard,
    /// Size of the HE-LTF or EHT-LTF; `X2` where the format has none.
    pub ltf: HeLtf,
    /// What the sender chooses of what its format leaves open.
    pub option: FormatOption,
}

// It is passed in one register.
const _: () = assert!(size_of::<TxVector>() == 8);

/// What a format leaves to its sender: none has two of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FormatOption {
    /// Nothing: the format has no option, or the option is not used.
    #[default]
    None,
    /// The short preamble of HR/DSSS.
    ShortPreamble,
    /// LDPC instead of BCC in HT and VHT (`FEC_CODING`); other formats allow no choice ([`TxVector::coding`]).
    Ldpc,
    /// 8 us after the data of HE and EHT (`NOMINAL_PACKET_PADDING`).
    Padding8Us,
    /// 16 us after the data of HE and EHT.
    Padding16Us,
    /// 20 us after the data of EHT.
    Padding20Us,
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
            allocation: Allocation::whole(Width::Mhz20),
            guard: Guard::Ns800,
            ltf: HeLtf::X2,
            option: if short_preamble { FormatOption::ShortPreamble } else { FormatOption::None },
        }
    }

    /// A PPDU of OFDM or ERP-OFDM.
    pub const fn ofdm(index: u8) -> Self {
        Self {
            format: Format::Ofdm,
            index,
            streams: 1,
            allocation: Allocation::whole(Width::Mhz20),
            guard: Guard::Ns800,
            ltf: HeLtf::X2,
            option: FormatOption::None,
        }
    }

    /// A PPDU of HT, VHT, HE or EHT; HT and VHT with BCC, HE and EHT with the shortest LTF that receivers must support.
    pub const fn mimo(format: Format, mcs: u8, streams: u8, width: Width, guard: Guard) -> Self {
        let ltf = mandatory_ltf(guard);
        let (allocation, option) = (Allocation::whole(width), FormatOption::None);
        Self { format, index: mcs, streams, allocation, guard, ltf, option }
    }

    /// This mode in a part of its channel, or in another channel.
    #[must_use]
    pub const fn within(self, allocation: Allocation) -> Self {
        Self { allocation, ..self }
    }

    /// Width of the channel, of which an RU is a part.
    #[inline]
    pub const fn width(self) -> Width {
        self.allocation.width()
    }

    /// Whether the preamble is the short one of HR/DSSS.
    #[inline]
    pub const fn has_short_preamble(self) -> bool {
        matches!(self.option, FormatOption::ShortPreamble)
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
        let option = match padding {
            NominalPadding::Us0 => FormatOption::None,
            NominalPadding::Us8 => FormatOption::Padding8Us,
            NominalPadding::Us16 => FormatOption::Padding16Us,
            NominalPadding::Us20 => FormatOption::Padding20Us,
        };
        match self.format {
            Format::He | Format::Eht => Self { option, ..self },
            _ => self,
        }
    }

    /// The padding after the data; `Us0` where the format has none.
    #[inline]
    pub const fn padding(self) -> NominalPadding {
        match self.option {
            FormatOption::None | FormatOption::ShortPreamble | FormatOption::Ldpc => NominalPadding::Us0,
            FormatOption::Padding8Us => NominalPadding::Us8,
            FormatOption::Padding16Us => NominalPadding::Us16,
            FormatOption::Padding20Us => NominalPadding::Us20,
        }
    }

    /// Whether the sender chose LDPC where the format allows BCC.
    #[inline]
    pub const fn has_chosen_ldpc(self) -> bool {
        matches!(self.option, FormatOption::Ldpc)
    }

    /// This mode with LDPC instead of BCC where a format has the choice (HT and VHT).
    #[must_use]
    pub const fn with_ldpc(self) -> Self {
        match self.format {
            Format::Ht | Format::Vht => Self { option: FormatOption::Ldpc, ..self },
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
