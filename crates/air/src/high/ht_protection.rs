//! Protection of HT and newer formats from members of the cell that can't receive them (IEEE 802.11-2020, 10.27.3).
//!
//! An access point announces in the HT Protection field whether a member has no HT (non-HT mixed mode), or only 20 MHz of a wider
//! channel. What goes before the data then is the sender's choice. HT, VHT, HE and EHT PPDUs begin with a header that every OFDM
//! station reads, and are answered at a basic rate: that alone is one of the mechanisms of 10.27.3.2. Some drivers begin with RTS.

use airtcp_plan::{AirPlan, HtProtection, HtProtectionMode};

use crate::border::Protection;
use crate::phy::{Format, TxVector, Width};

/// Protection of PPDUs with an MCS (10.27.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HtProtectionPolicy {
    /// What they begin with.
    pub(crate) mechanism: HtProtection,
    /// Which of them do.
    pub(crate) mode: HtProtectionMode,
}

impl HtProtectionPolicy {
    /// That of a cell of the plan, by its members.
    pub(crate) fn of_cell(plan: &AirPlan, c: usize) -> Self {
        Self { mechanism: plan.cells[c].ht_protection, mode: plan.ht_protection_mode(c) }
    }

    /// Whether it changes nothing.
    pub(super) const fn is_idle(self) -> bool {
        matches!(self.mechanism, HtProtection::None) || matches!(self.mode, HtProtectionMode::None)
    }

    /// What goes before data in this mode.
    pub(crate) fn over(self, tx: TxVector) -> Protection {
        let concerns = match self.mode {
            HtProtectionMode::None => false,
            HtProtectionMode::Narrow => tx.width() > Width::Mhz20,
            HtProtectionMode::NonHt => true,
        };
        match self.mechanism {
            _ if !concerns || matches!(tx.format, Format::HrDsss | Format::Ofdm) => Protection::None,
            HtProtection::None => Protection::None,
            HtProtection::CtsToSelf => Protection::CtsToSelf,
            HtProtection::RtsCts => Protection::RtsCts,
        }
    }
}

#[cfg(test)]
mod tests {
    use Protection::{CtsToSelf, None, RtsCts};

    use super::*;
    use crate::phy::Guard;

    #[test]
    fn what_a_member_cannot_receive_is_protected() {
        let mcs = |format, width| TxVector::mimo(format, 3, 1, width, Guard::Ns800);
        let modes = [
            TxVector::ofdm(7),
            mcs(Format::Ht, Width::Mhz20),
            mcs(Format::Ht, Width::Mhz40),
            mcs(Format::He, Width::Mhz80),
        ];
        let over = |mechanism, mode| modes.map(|tx| HtProtectionPolicy { mechanism, mode }.over(tx));
        assert_eq!(over(HtProtection::None, HtProtectionMode::NonHt), [None; 4]);
        assert_eq!(over(HtProtection::RtsCts, HtProtectionMode::None), [None; 4]);
        assert_eq!(over(HtProtection::RtsCts, HtProtectionMode::Narrow), [None, None, RtsCts, RtsCts]);
        assert_eq!(
            over(HtProtection::CtsToSelf, HtProtectionMode::NonHt),
            [None, CtsToSelf, CtsToSelf, CtsToSelf]
        );
    }
}
