//! What an access point has for PPDUs of several users, and how it divides a width among them.

use airtcp_plan::{AirPlan, HeLtf, MultiUserAcknowledgement, NicRole};
use airtcp_units::Duration;

use super::shared_by_users::MultiUser;
use crate::NicId;
use crate::low::buffer::Head;
use crate::low::multi_user::{Candidate, Scheduler, TriggerKind, equal_rus, of_plan, rus_beside_random};
use crate::low::on_air::{Others, Users};
use crate::low::psdu::PsduLength;
use crate::phy::multi_user::{MuPpdu, MuUser};
use crate::phy::{Allocation, Band, Format, Guard, TxVector, Width, mu_bar_trigger_bytes};

/// What an access point has for PPDUs of several users.
#[derive(Debug)]
pub(super) struct Sharing {
    pub(super) scheduler: Box<dyn Scheduler>,
    /// Kept for their memory.
    candidates: Vec<Candidate>,
    rus: Vec<Allocation>,
    pub(super) heads: Others<Head>,
    /// The users of the PPDU at hand, and what they answer a trigger frame.
    pub(super) users: Vec<MuUser>,
    preamble: Duration,
    pub(super) answers: Vec<MuUser>,
    /// What users of the exchange before have shared; kept for its memory.
    pub(super) multi_user: Option<Box<MultiUser>>,
    pub(super) acknowledgement: MultiUserAcknowledgement,
    pub(super) mu_rts: bool,
}

impl Sharing {
    /// What a NIC of a plan has; `None`: it sends PPDUs of one user only.
    pub(super) fn of_plan(plan: &AirPlan, id: NicId) -> Option<Box<Self>> {
        let nic = &plan.nics[id.index()];
        let cell = &plan.cells[nic.cell as usize];
        let of_cell = cell.multi_user.filter(|_| nic.role == NicRole::AccessPoint)?;
        Some(Box::new(Self {
            scheduler: of_plan(of_cell),
            candidates: Vec::new(),
            rus: Vec::new(),
            heads: Others::default(),
            users: Vec::new(),
            preamble: Duration::ZERO,
            answers: Vec::new(),
            multi_user: None,
            acknowledgement: of_cell.acknowledgement,
            mu_rts: of_cell.mu_rts,
        }))
    }

    /// Octets of the trigger frame at the end of each PSDU of this format; 0: there is none.
    pub(super) fn aggregated_trigger_bytes(&self, format: Format) -> u32 {
        match self.acknowledgement {
            MultiUserAcknowledgement::AggregatedMuBar => mu_bar_trigger_bytes(1, format),
            MultiUserAcknowledgement::Sequential | MultiUserAcknowledgement::MuBar => 0,
        }
    }

    /// Divides a width among users with these first MPDUs, behind which so many octets wait, as far as the scheduler wants it and the
    /// standard has it. Without users the first is sent its PPDU alone.
    pub(super) fn divide(
        &mut self,
        heads: &Users<Head>,
        widest: Width,
        band: Band,
        mut octets_behind: impl FnMut(&Head) -> u64,
    ) {
        let weighs_backlogs = self.scheduler.weighs_backlogs();
        self.candidates.clear();
        self.rus.clear();
        self.users.clear();
        self.candidates.extend(heads.iter().map(|head| {
            let tx = head.stage.tx;
            let first_octets = head.held.frame_octets();
            Candidate {
                tx: tx.within(tx.width().min(widest).into()),
                octets: if weighs_backlogs { u64::from(first_octets) + octets_behind(head) } else { 0 },
                first_octets,
            }
        }));
        self.scheduler.share(&self.candidates, &mut self.rus);
        if self.rus.len() < 2 {
            return;
        }
        let first = self.candidates[0].tx;
        let trigger_bytes = self.aggregated_trigger_bytes(first.format);
        for ((candidate, &ru), head) in self.candidates.iter().zip(&self.rus).zip(heads.iter()) {
            let Some(tx) = in_ru(candidate.tx, ru, first, band) else {
                return self.users.clear();
            };
            let psdu_bytes = PsduLength::one(tx.format, head.held.mpdu.bytes).ended_by(trigger_bytes).bytes();
            self.users.push(MuUser { tx, coding: tx.coding(), psdu_bytes });
        }
        let ppdu = MuPpdu::new(&self.users);
        self.preamble = ppdu.preamble_duration();
        let is_too_long = first.max_ppdu_duration().is_some_and(|longest| ppdu.duration() > longest);
        if is_too_long || ppdu.check(band).is_err() {
            self.users.clear();
        }
    }

    /// The PPDU as it has been divided.
    ///
    /// # Panics
    /// If it has no user.
    pub(super) fn ppdu(&self) -> MuPpdu<'_> {
        MuPpdu::with_preamble(&self.users, self.preamble)
    }

    /// Resource units for stations that a trigger frame names, and after them so many for random access: for data as the scheduler divides
    /// the width, for reports, which are alike, and beside random access of one size.
    pub(super) fn divide_uplink(
        &mut self,
        kind: TriggerKind,
        width: Width,
        candidates: &[Candidate],
        random: usize,
    ) -> (&[Allocation], &[Allocation]) {
        let count = candidates.len();
        self.rus.clear();
        match kind {
            _ if random > 0 => self.rus.extend(rus_beside_random(width, count, random)),
            TriggerKind::Basic => self.scheduler.share_uplink(candidates, &mut self.rus),
            TriggerKind::Bsrp => self.rus.extend(equal_rus(width, count).take(count)),
        }
        let named = self.rus.len().saturating_sub(random).max(count.min(1));
        self.rus.split_at(if random > 0 { named } else { self.rus.len() })
    }
}

/// The mode of a user in its resource unit: what rate control has chosen for the whole width, with the guard interval and LTF that all
/// users share, and a lower MCS if the resource unit has not its own.
fn in_ru(tx: TxVector, ru: Allocation, first: TxVector, band: Band) -> Option<TxVector> {
    let ltf = match (first.guard, first.ltf) {
        (Guard::Ns3200, _) | (Guard::Ns800, HeLtf::X4) => HeLtf::X4,
        _ => HeLtf::X2,
    };
    TxVector { guard: first.guard, ltf, ..tx.within(ru) }.lowered_to_legal(band)
}
