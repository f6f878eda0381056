//! What NICs have for uplinks that access points trigger (IEEE 802.11ax-2021, 26.5.2): access points in [`super::triggering`], stations in
//! [`super::solicited`] and [`super::buffer_reports`].

use airtcp_plan::{AirPlan, Cell, NicRole, RandomAccessPlan, UplinkPlan};
use airtcp_units::{Dbm, Duration};

use crate::NicId;
use crate::border::AccessCategory;
use crate::low::cell::runs_linux;
use crate::low::multi_user::{Asked, Candidate, TriggerKind, UplinkTurns};
use crate::low::on_air::DataSpan;
use crate::phy::TxVector;
use crate::phy::multi_user::{CommonData, MuUser};

/// What an access point has for uplinks that it triggers.
#[derive(Debug)]
pub(super) struct Triggering {
    pub(super) turns: UplinkTurns,
    /// Power with which it wants to receive each station; `None`: all that they have.
    pub(super) target: Option<Dbm>,
    /// Whom the trigger frame at hand asks, and for what.
    pub(super) asked: Vec<Asked>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) users: Vec<MuUser>,
    pub(super) trigger: Option<UplinkTrigger>,
}

/// A trigger frame for an uplink, and the PPDUs that answer it.
#[derive(Clone, Copy, Debug)]
pub(super) struct UplinkTrigger {
    pub(super) kind: TriggerKind,
    /// Mode and length of the frame itself.
    pub(super) request: TxVector,
    pub(super) bytes: u32,
    pub(super) duration: Duration,
    /// Of the PPDUs that answer it.
    pub(super) response: Duration,
    pub(super) span: DataSpan,
    pub(super) data: CommonData,
    /// What follows them at most: SIFS and a `BlockAck` for all stations, or nothing.
    pub(super) acknowledgement: Duration,
    /// What holds for its random access RUs; `None`: it has none.
    pub(super) random_access: Option<RandomAccessPlan>,
}

impl Triggering {
    /// What a NIC of a plan has; `None`: it triggers nothing.
    pub(super) fn of_plan(plan: &AirPlan, id: NicId) -> Option<Box<Self>> {
        let nic = &plan.nics[id.index()];
        let multi_user = plan.cells[nic.cell as usize].multi_user?;
        if nic.role != NicRole::AccessPoint {
            return None;
        }
        // Those of mac80211 come when they are associated.
        let of_cell = |other: &NicId| {
            let is_there = !runs_linux(plan, id);
            let other = &plan.nics[other.index()];
            is_there && other.cell == nic.cell && other.role == NicRole::Station
        };
        let stations = (0..plan.nics.len() as u32).map(NicId).filter(of_cell);
        Some(Box::new(Self {
            turns: UplinkTurns::of_plan(&multi_user, stations)?,
            target: multi_user.uplink.and_then(|uplink| uplink.target_rssi_dbm),
            asked: Vec::new(),
            candidates: Vec::new(),
            users: Vec::new(),
            trigger: None,
        }))
    }
}

/// What a trigger frame lets a station send.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grant {
    pub(super) kind: TriggerKind,
    /// The category from which it should send if it can.
    pub(super) preferred: AccessCategory,
    /// Octets of its PSDU.
    pub(super) octets: u32,
    /// Power with which the access point wants to receive it.
    pub(super) target: Option<Dbm>,
    /// Whether it is not named, and uses an RU for everybody.
    pub(super) by_random_access: bool,
}

/// Whether a NIC is a station whose access point may trigger uplinks of this kind. That of a station of mac80211 may be in any cell.
pub(super) fn may_be_asked(plan: &AirPlan, id: NicId, kind: impl Fn(&UplinkPlan) -> bool) -> bool {
    let nic = &plan.nics[id.index()];
    let own = &plan.cells[nic.cell as usize];
    let triggers = |cell: &Cell| {
        cell.multi_user.and_then(|multi_user| multi_user.uplink).is_some_and(|uplink| kind(&uplink))
    };
    let may_join = |cell: &&Cell| own.linux.is_some() && cell.linux.is_some();
    nic.role == NicRole::Station && (triggers(own) || plan.cells.iter().filter(may_join).any(triggers))
}
