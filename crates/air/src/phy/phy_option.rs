//! Options of PPDUs that the standard leaves to the sender: their values, and which modes have them.

use airtcp_plan::{HeLtf, PhyOptions};

use super::tx_vector::mandatory_ltf;
use super::{Format, Guard, TxVector};

/// An option; each is a field of [`PhyOptions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhyOption {
    /// Size of the HE-LTF.
    HeLtf,
}

const HE_LTFS: [(&str, HeLtf); 3] = [("1x", HeLtf::X1), ("2x", HeLtf::X2), ("4x", HeLtf::X4)];

impl PhyOption {
    /// Every option.
    pub const ALL: [Self; 1] = [Self::HeLtf];

    /// The field of [`PhyOptions`], and the key of scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HeLtf => "he_ltf",
        }
    }

    /// What the standard calls it.
    pub const fn term(self) -> &'static str {
        match self {
            Self::HeLtf => "HE-LTF",
        }
    }

    /// Every value, as scenarios write it.
    pub fn values(self) -> Vec<(&'static str, PhyOptions)> {
        match self {
            Self::HeLtf => HE_LTFS.map(|(text, ltf)| (text, PhyOptions { he_ltf: Some(ltf) })).into(),
        }
    }

    /// Whether the format leaves a choice.
    pub const fn is_of(self, format: Format) -> bool {
        match self {
            Self::HeLtf => matches!(format, Format::He),
        }
    }

    /// Whether the standard has this mode with the value it has. 1x and 4x HE-LTFs with 0.8 us are optional (IEEE 802.11ax-2021,
    /// 27.1.1); formats without a choice have the one value that they are described with.
    pub(super) const fn is_legal(self, tx: TxVector) -> bool {
        match (self, tx.format) {
            (Self::HeLtf, Format::He) => matches!(
                (tx.ltf, tx.guard),
                (HeLtf::X1, Guard::Ns800)
                    | (HeLtf::X2, Guard::Ns800 | Guard::Ns1600)
                    | (HeLtf::X4, Guard::Ns800 | Guard::Ns3200)
            ),
            (Self::HeLtf, _) => tx.ltf as u8 == mandatory_ltf(tx.guard) as u8,
        }
    }

    /// What the format has; `{}` stands for the refused value and what of the mode it does not go with.
    pub const fn sentence(self, format: Format) -> &'static str {
        match (self, format) {
            (Self::HeLtf, Format::He) => {
                "HE has the HE-LTF 1x with a guard interval of 800 ns, 2x with 800 and 1600 ns, and 4x with 800 and 3200 ns, \
                 not {} (IEEE 802.11ax-2021, Table 27-18)"
            }
            (Self::HeLtf, _) => "only HE (11ax) has an HE-LTF, so not {} (IEEE 802.11ax-2021, 27.3.11.10)",
        }
    }

    /// What of an illegal mode the sentence refuses.
    pub(super) fn asked(self, tx: TxVector) -> String {
        match self {
            Self::HeLtf => {
                let text = HE_LTFS.iter().find(|(_, ltf)| *ltf == tx.ltf).map_or("", |(text, _)| text);
                format!("{text} with {} ns", tx.guard.nanos())
            }
        }
    }
}
