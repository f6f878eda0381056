//! Which sets of users the standard has in one PPDU, and why not the others.

use std::fmt;

use airtcp_plan::HeLtf;
use thiserror::Error;

use super::{MuUser, SigMcs};
use crate::phy::{Allocation, Band, Coding, Extent, Format, Guard, IllegalMode, TxVector};

/// A PPDU of several users that the standard does not have, or that is not modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMultiUser {
    /// There is no user.
    NoUser,
    /// The mode of a user does not exist.
    Mode(#[from] IllegalMode),
    /// The format has no PPDU of several users.
    Format {
        /// The format.
        format: Format,
    },
    /// Users differ in what all have in common.
    Differs {
        /// What they differ in.
        what: &'static str,
    },
    /// Two users have tones in common.
    Shared {
        /// What one has.
        one: Allocation,
        /// What the other has.
        other: Allocation,
    },
    /// A punctured channel in a PPDU of several users, or in an uplink one.
    Punctured {
        /// The channel.
        allocation: Allocation,
    },
    /// BCC where there is only LDPC.
    Bcc {
        /// The mode.
        tx: TxVector,
    },
    /// No such HE-LTF and guard interval in this kind of PPDU.
    Training {
        /// Whether the PPDU answers a trigger.
        uplink: bool,
        /// The HE-LTF or EHT-LTF.
        ltf: HeLtf,
        /// The guard interval.
        guard: Guard,
    },
    /// HE-SIG-B or EHT-SIG has no such modulation.
    Sig {
        /// The format.
        format: Format,
        /// The modulation.
        sig: SigMcs,
    },
}

impl fmt::Display for IllegalMultiUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoUser => f.write_str("a PPDU has at least one user; name one"),
            Self::Mode(illegal) => illegal.fmt(f),
            Self::Format { format } => write!(
                f,
                "only HE and EHT have PPDUs of several users with resource units, not {format}; use HE (11ax) or EHT (11be)"
            ),
            Self::Differs { what } => write!(f, "the users of a PPDU have one {what}; give all the same"),
            Self::Shared { one, other } => write!(
                f,
                "two users have {one} and {other}, which have tones in common (MU-MIMO, which is not modelled); give them \
                 disjoint resource units"
            ),
            Self::Punctured { allocation } => write!(
                f,
                "{allocation} is for a PPDU of one user from its sender's own decision (IEEE 802.11be, 36.3.12.11); give users \
                 resource units outside of what is punctured"
            ),
            Self::Bcc { tx } => write!(
                f,
                "{tx} has no BCC, which ends at 242 tones, four streams and 256-QAM (IEEE 802.11ax-2021, 27.1.1); use LDPC"
            ),
            Self::Training { uplink, ltf, guard } => write!(
                f,
                "{} no {}x LTF with {} ns; use 2x with {}1600 ns or 4x with {}3200 ns (IEEE 802.11ax-2021, 27.3.11.7 and 9.3.1.22.1)",
                if uplink { "an answer to a trigger has" } else { "a PPDU to several users has" },
                [1, 2, 4][ltf as usize],
                guard.nanos(),
                if uplink { "" } else { "800 or " },
                if uplink { "" } else { "800 or " },
            ),
            Self::Sig { format, sig } => write!(
                f,
                "{} no MCS {}{}; use {} (IEEE 802.11ax-2021, 27.3.11.7; IEEE 802.11be, 36.3.12.7)",
                if matches!(format, Format::Eht) { "EHT-SIG has" } else { "HE-SIG-B has" },
                sig.mcs,
                if sig.dcm { " with DCM" } else { "" },
                if matches!(format, Format::Eht) {
                    "MCS 0, 1 or 3, or 0 with DCM"
                } else {
                    "MCS 0 to 5, or 0, 1, 3 or 4 with DCM"
                },
            ),
        }
    }
}

impl TxVector {
    /// Whether its data may be coded with BCC: up to 242 tones, four streams and 256-QAM (IEEE 802.11ax-2021, 27.1.1).
    pub const fn can_have_bcc(self) -> bool {
        match self.format {
            Format::He | Format::Eht => {
                self.allocation.tone_count() <= 242 && self.streams <= 4 && self.index <= 9
            }
            Format::Dmg => false,
            _ => !self.has_chosen_ldpc(),
        }
    }
}

impl IllegalMultiUser {
    /// Whether these can be the users of a PPDU from an access point.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check_downlink(users: &[MuUser], band: Band) -> Result<(), Self> {
        Self::check(users, band, false)
    }

    /// Whether these can answer one trigger.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check_uplink(users: &[MuUser], band: Band) -> Result<(), Self> {
        Self::check(users, band, true)
    }

    fn check(users: &[MuUser], band: Band, uplink: bool) -> Result<(), Self> {
        let first = users.first().ok_or(Self::NoUser)?.tx;
        for (place, user) in users.iter().enumerate() {
            let MuUser { tx, coding, .. } = *user;
            tx.check(band)?;
            Self::check_beside(first, tx)?;
            if matches!(coding, Coding::Bcc) && !tx.can_have_bcc() {
                return Err(Self::Bcc { tx });
            }
            let is_punctured = matches!(tx.allocation.extent(), Extent::Punctured(_));
            if is_punctured && (uplink || users.len() > 1) {
                return Err(Self::Punctured { allocation: tx.allocation });
            }
            let tones = tx.allocation.tones(tx.format);
            let before = users[..place].iter().map(|user| user.tx.allocation);
            if let Some(other) = before.into_iter().find(|other| other.tones(tx.format).overlap(&tones)) {
                return Err(Self::Shared { one: other, other: tx.allocation });
            }
        }
        Self::check_training(first, uplink)
    }

    fn check_beside(first: TxVector, tx: TxVector) -> Result<(), Self> {
        if !matches!(tx.format, Format::He | Format::Eht) {
            return Err(Self::Format { format: tx.format });
        }
        let common = [
            ("format", tx.format == first.format),
            ("width", tx.width() == first.width()),
            ("guard interval", tx.guard == first.guard),
            ("HE-LTF or EHT-LTF", tx.ltf == first.ltf),
        ];
        match common.into_iter().find(|(_, is_common)| !is_common) {
            Some((what, _)) => Err(Self::Differs { what }),
            None => Ok(()),
        }
    }

    /// HE MU: 2x with 0.8 and 1.6 us, 4x with 0.8 and 3.2 us. HE TB: 2x with 1.6 us, 4x with 3.2 us.
    fn check_training(tx: TxVector, uplink: bool) -> Result<(), Self> {
        let is_legal = match (tx.ltf, tx.guard) {
            (HeLtf::X2, Guard::Ns1600) | (HeLtf::X4, Guard::Ns3200) => true,
            (HeLtf::X2 | HeLtf::X4, Guard::Ns800) => !uplink,
            _ => false,
        };
        if is_legal { Ok(()) } else { Err(Self::Training { uplink, ltf: tx.ltf, guard: tx.guard }) }
    }
}
