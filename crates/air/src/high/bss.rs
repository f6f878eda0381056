//! What the members of a cell have in common.

use airtcp_plan::{CellKind, ErpProtection};

use super::addressing::Cell;
use super::ht_protection::HtProtectionPolicy;
use super::mpdu_length::Framing;
use crate::border::{Protection, RateChain, RateStage};
use crate::phy::{BasicRates, Format, TxVector};

/// A basic service set, as the upper halves of its members use it.
#[derive(Debug)]
pub(super) struct Bss {
    pub(super) cell: Cell,
    /// Four access categories, and so `QoS` data frames.
    pub(super) qos: bool,
    pub(super) basic: BasicRates,
    pub(super) group: RateStage,
    pub(super) policy: ProtectionPolicy,
    /// Attempts for a `BlockAckReq`.
    pub(super) short_retry_limit: u8,
    /// By whether it goes to a group, and whether its source is behind a mesh station.
    framings: [[Framing; 2]; 2],
}

impl Bss {
    /// The members' common ground. `qos`: the cell has four access categories.
    pub(super) fn new(cell: Cell, qos: bool, rates: Rates) -> Self {
        let framing = |group, proxied| Framing::new(cell.kind, qos, group, proxied);
        let framings = [false, true].map(|group| [false, true].map(|proxied| framing(group, proxied)));
        let group =
            rates.policy.over_group(RateStage { tx: rates.group, tries: 1, protection: Protection::None });
        let Rates { basic, policy, short_retry_limit, .. } = rates;
        Self { cell, qos, basic, group, policy, short_retry_limit, framings }
    }

    /// What radios of mac80211 have of it.
    pub(super) const fn cell_rates(&self) -> CellRates {
        CellRates { group: self.group, policy: self.policy, basic: self.basic }
    }

    /// What is around the MSDUs of a frame.
    #[inline]
    pub(super) fn framing(&self, group: bool, proxied: bool) -> Framing {
        self.framings[usize::from(group)][usize::from(proxied)]
    }

    /// The TID of a frame with this user priority. Without `QoS` there is one for all; so there is for what an access
    /// point sends to its group, which goes as non-QoS data (mac80211 does the same, `ieee80211_select_queue`).
    #[inline]
    pub(super) fn tid(&self, priority: u8, group: bool) -> u8 {
        assert!(priority < 8, "a user priority has three bits");
        if self.qos && (self.cell.kind == CellKind::Mesh || !group) { priority } else { 0 }
    }
}

/// How control and group frames of a cell are sent, and what is protected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    pub(super) basic: BasicRates,
    pub(super) group: TxVector,
    pub(super) policy: ProtectionPolicy,
    pub(super) short_retry_limit: u8,
}

/// The rates of a cell for users that choose the modes of data themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellRates {
    group: RateStage,
    policy: ProtectionPolicy,
    basic: BasicRates,
}

impl CellRates {
    /// How group frames go.
    #[inline]
    pub(crate) const fn group_chain(&self) -> RateChain {
        RateChain::one(self.group)
    }

    /// The chain with the protection of the cell.
    #[inline]
    pub(crate) fn protected(&self, chain: RateChain) -> RateChain {
        self.policy.over(chain)
    }

    /// Rates that every member can receive.
    #[inline]
    pub(crate) const fn basic(&self) -> BasicRates {
        self.basic
    }
}

/// What goes before the data beside what rate control asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProtectionPolicy {
    /// What every PPDU that an HR/DSSS station can't decode begins with, at 2.4 GHz (10.27.2).
    pub(super) erp: ErpProtection,
    /// What PPDUs with an MCS begin with that some member of the cell can't receive.
    pub(super) ht: HtProtectionPolicy,
    /// Whether an RTS for which rate control asks is sent.
    pub(super) asked_by_rate_control: bool,
}

impl ProtectionPolicy {
    /// The chain with its protection. (The RTS threshold is the lower half's: only that knows how long a PSDU becomes.)
    #[inline]
    pub(super) fn over(self, chain: RateChain) -> RateChain {
        if self.erp == ErpProtection::None && self.ht.is_idle() && self.asked_by_rate_control {
            return chain;
        }
        let mut stages = chain.stages().iter().map(|&stage| self.over_stage(stage));
        let mut protected = RateChain::one(stages.next().expect("a chain is not empty"));
        protected.probe = chain.probe;
        stages.fold(protected, RateChain::then)
    }

    fn over_stage(self, stage: RateStage) -> RateStage {
        let foreign = stage.tx.format != Format::HrDsss;
        let asked = if self.asked_by_rate_control { stage.protection } else { Protection::None };
        let protection = match (asked, self.erp) {
            (Protection::RtsCts, _) => Protection::RtsCts,
            (_, ErpProtection::RtsCts) if foreign => Protection::RtsCts,
            (_, ErpProtection::CtsToSelf) if foreign => Protection::CtsToSelf,
            (Protection::None, _) => self.ht.over(stage.tx),
            (asked, _) => asked,
        };
        RateStage { protection, ..stage }
    }

    /// Nobody answers an RTS to a group: it is protected by a CTS to itself.
    fn over_group(self, stage: RateStage) -> RateStage {
        let foreign = stage.tx.format != Format::HrDsss && self.erp != ErpProtection::None;
        RateStage { protection: if foreign { Protection::CtsToSelf } else { Protection::None }, ..stage }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAIN: [(TxVector, Protection); 3] = [
        (TxVector::ofdm(7), Protection::None),
        (TxVector::ofdm(4), Protection::RtsCts),
        (TxVector::hr_dsss(3, true), Protection::None),
    ];

    fn protections(erp: ErpProtection) -> Vec<Protection> {
        let stage = |(tx, protection)| RateStage { tx, tries: 2, protection };
        let mut chain = RateChain::one(stage(CHAIN[0])).then(stage(CHAIN[1])).then(stage(CHAIN[2]));
        chain.probe = true;
        let chain = ProtectionPolicy { erp, ht: HtProtectionPolicy::default(), asked_by_rate_control: true }
            .over(chain);
        assert_eq!((chain.probe, chain.tries()), (true, 6));
        chain.stages().iter().map(|stage| stage.protection).collect()
    }

    #[test]
    fn ofdm_is_protected_where_hr_dsss_stations_are() {
        use Protection::{CtsToSelf, None, RtsCts};
        assert_eq!(protections(ErpProtection::None), [None, RtsCts, None]);
        assert_eq!(protections(ErpProtection::CtsToSelf), [CtsToSelf, RtsCts, None]);
        assert_eq!(protections(ErpProtection::RtsCts), [RtsCts, RtsCts, None]);
    }

    #[test]
    fn a_group_frame_never_begins_with_rts() {
        let over = |tx, erp| {
            let policy =
                ProtectionPolicy { erp, ht: HtProtectionPolicy::default(), asked_by_rate_control: true };
            policy.over_group(RateStage { tx, tries: 1, protection: Protection::None }).protection
        };
        assert_eq!(over(TxVector::ofdm(0), ErpProtection::None), Protection::None);
        assert_eq!(over(TxVector::ofdm(0), ErpProtection::RtsCts), Protection::CtsToSelf);
        assert_eq!(over(TxVector::hr_dsss(0, false), ErpProtection::RtsCts), Protection::None);
    }
}
