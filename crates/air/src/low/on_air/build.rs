//! The media of a plan, and where NICs are at first.

use std::collections::BTreeMap;

use airtcp_plan::{AirPlan, BeaconAccess, CellKind, Fading, NicRole};
use airtcp_units::{Duration, Instant};
use typed_index_collections::{TiSlice, TiVec};

use super::OnAir;
use super::carrier_sense::CarrierSense;
use super::decoding::Decoder;
use super::medium::{Listeners, Medium, SensedPreambles, by_preamble, groups, hearing, is_uniform};
use super::primary_channel::{PrimaryChannel, PrimaryId};
use super::station::{MediumId, MediumPlace, Station, Tuning};
use super::transmissions::Transmissions;
use crate::border::AccessCategory;
use crate::channel::{Channel, are_coupled, mask_of};
use crate::low::cell::{BssId, Cell, CellId, cell_of, runs_linux};
use crate::low::contention::{AccessFunction, Aifs, Contention, MemberId, PIFS_AIFSN};
use crate::phy::{Format, InterFrame, Width, format_of};
use crate::{NicId, SetupError};

impl OnAir {
    /// The silent media of a plan.
    ///
    /// # Errors
    /// [`SetupError`] with the key at fault if cells on one channel differ in what they must have in common.
    pub(crate) fn new(
        plan: &AirPlan,
        cells: TiVec<CellId, Cell>,
        channel: &Channel,
        decoder: Decoder,
        epoch: Instant,
    ) -> Result<Self, SetupError> {
        let builder = MediaBuilder { plan, cells: &cells, channel, epoch };
        let primaries = builder.primaries()?;
        let media = builder.media();
        let station = |nic| Station {
            cell: cell_of(plan, nic),
            place: place(plan, nic, &media, &primaries),
            standard: plan.standard_of(&plan.nics[nic.index()]),
            channel: plan.nics[nic.index()].channel_in(&plan.cells[plan.nics[nic.index()].cell as usize]),
            responses: [None; 2],
            eifs_extra: Duration::ZERO,
            tuning: runs_linux(plan, nic).then(|| Box::new(Tuning::off(cell_of(plan, nic)))),
        };
        Ok(Self {
            stations: ids(plan).map(station).collect(),
            media,
            primaries,
            ppdus: Transmissions::idle(ids(plan)),
            decoder,
            carrier_sense: CarrierSense::new(plan),
            bursts: Vec::new(),
            any_tuned: ids(plan).any(|nic| runs_linux(plan, nic)),
            sensed: SensedPreambles::default(),
            apart: Vec::new(),
            cells,
        })
    }
}

fn ids(plan: &AirPlan) -> impl Iterator<Item = NicId> + '_ {
    (0..plan.nics.len() as u32).map(NicId)
}

/// Builds the media of a plan.
struct MediaBuilder<'a> {
    plan: &'a AirPlan,
    cells: &'a TiSlice<CellId, Cell>,
    channel: &'a Channel,
    epoch: Instant,
}

impl MediaBuilder<'_> {
    /// The primary channels of the plan, lowest first, and those of all other channels, by band.
    fn primaries(&self) -> Result<TiVec<PrimaryId, PrimaryChannel>, SetupError> {
        let mut by_primary: BTreeMap<u32, Vec<CellId>> = BTreeMap::new();
        let of_nics = ids(self.plan).map(|id| cell_of(self.plan, id));
        for cell in of_nics.chain(self.without_nics()) {
            by_primary.entry(self.cells[cell].primary_mhz).or_default().push(cell);
        }
        let of_plan = by_primary.into_iter().map(|(mhz, present)| self.primary(mhz, &present));
        let mut primaries = of_plan.collect::<Result<TiVec<_, _>, _>>()?;
        for cell in self.cells.keys().skip(self.plan.cells.len()) {
            primaries.push(PrimaryChannel::new(0, cell, self.epoch));
        }
        Ok(primaries)
    }

    /// Cells that have none of the NICs: radios of mac80211 come there.
    fn without_nics(&self) -> impl Iterator<Item = CellId> {
        let has_nics = |c: u32| self.plan.nics.iter().any(|nic| nic.cell == c);
        (0..self.plan.cells.len() as u32).filter(move |&c| !has_nics(c)).map(CellId)
    }

    /// The primary channel of NICs of these cells.
    fn primary(&self, frequency_mhz: u32, present: &[CellId]) -> Result<PrimaryChannel, SetupError> {
        let first = present[0];
        let times = self.cells[first].times;
        for &cell in present {
            let other = &self.cells[cell].times;
            if (other.slot, other.sifs) != (times.slot, times.sifs) {
                let reason = format!("cells on {frequency_mhz} MHz have slots of different lengths");
                let remedy = "give cells on one channel the same slot, or other channels";
                return Err(SetupError::new(format!("air.cells[{}].slot", cell.0), reason, remedy));
            }
        }
        let with_linux = present.iter().find(|cell| self.plan.cells[usize::from(**cell)].linux.is_some());
        let cell = with_linux.copied().unwrap_or(first);
        Ok(PrimaryChannel::new(frequency_mhz, cell, self.epoch))
    }

    /// One medium for cells whose channels have something to do with each other, in the order of their lowest primary channels, and
    /// those of all other channels. Radios of mac80211 are members of every one.
    fn media(&self) -> TiVec<MediumId, Medium> {
        let of_plan = 0..self.plan.cells.len();
        let spectrum = |c: usize| (self.plan.cells[c].channel, mask_of(self.plan, c));
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for c in of_plan {
            let coupled =
                |part: &Vec<usize>| part.iter().any(|&other| are_coupled(spectrum(c), spectrum(other)));
            let (joined, apart) = std::mem::take(&mut parts).into_iter().partition::<Vec<_>, _>(coupled);
            parts = apart;
            parts.push(joined.into_iter().flatten().chain([c]).collect());
        }
        for part in &mut parts {
            part.sort_unstable();
        }
        parts.sort_by_key(|part| part.iter().map(|&c| self.plan.cells[c].channel.primary_mhz).min());
        let elsewhere = (self.plan.cells.len()..self.cells.len()).map(|c| vec![c]);
        let cells = parts.into_iter().chain(elsewhere);
        cells.map(|cells| self.medium(cells.into_iter().map(|c| CellId(c as u32)).collect())).collect()
    }

    fn medium(&self, cells: Vec<CellId>) -> Medium {
        let Self { plan, channel, .. } = *self;
        let at_home = |id: NicId| cells.contains(&cell_of(plan, id));
        let members: TiVec<MemberId, _> =
            ids(plan).filter(|&id| at_home(id) || runs_linux(plan, id)).collect();
        // Radios of mac80211 come when they are tuned to a channel.
        let present: TiVec<MemberId, bool> = members.iter().map(|&id| !runs_linux(plan, id)).collect();
        let with_linux =
            |cell: &&CellId| plan.cells.get(usize::from(**cell)).is_some_and(|c| c.linux.is_some());
        let foreign = *cells.iter().find(with_linux).unwrap_or(&cells[0]);
        let place = |id: NicId| if at_home(id) { cell_of(plan, id) } else { foreign };
        let slots = members.iter().map(|&id| self.cells[place(id)].times.slot).collect();
        let aifs: Vec<Aifs> =
            members.iter().flat_map(|&id| self.aifs(id, &self.cells[place(id)].times)).collect();
        let widths = self.widths(&members);
        let formats = members.iter().map(|&id| self.newest_format(id)).collect::<TiVec<MemberId, _>>();
        let listeners =
            Listeners { members: &members, present: &present, formats: &formats, widths: &widths };
        let carrier_sense = CarrierSense::new(plan);
        let by_preamble = by_preamble(listeners, channel, &carrier_sense);
        let hearing = hearing(listeners, &by_preamble, channel, &carrier_sense);
        let groups = groups(&members, &hearing, channel);
        let mut contention = Contention::new(slots, hearing, &aifs);
        for (member, &id) in members.iter_enumerated() {
            contention.turn_to_bss(Instant::ZERO, member, bss_at_first(plan, id));
        }
        Medium {
            groups,
            contention,
            uniform: is_uniform(&members, &present, channel),
            any_by_preamble: by_preamble.iter().any(|&alone| alone),
            by_preamble,
            cells,
            cell: foreign,
            members,
            present,
            formats,
            widths,
            on_air: Vec::new(),
            ended: Vec::new(),
            emissions: Vec::new(),
            fades: plan.channel.fading != Fading::None,
        }
    }

    /// AIFS of the access functions of a NIC in a cell with these times. That of beacons is one more only where they have a function
    /// of their own.
    fn aifs(&self, id: NicId, times: &InterFrame) -> [Aifs; AccessFunction::COUNT] {
        let nic = &self.plan.nics[id.index()];
        let access = nic.access_in(&self.plan.cells[nic.cell as usize]);
        let pifs = times.aifs(PIFS_AIFSN);
        let after_pifs = beacons_after_pifs(self.plan, id);
        AccessFunction::ALL.map(|function| match (access, function) {
            ([_], AccessFunction::Beacons) if after_pifs => Aifs::dcf(pifs),
            (_, AccessFunction::Beacons) if after_pifs => Aifs::edca(pifs),
            ([dcf], _) => Aifs::dcf(times.aifs(dcf.aifsn)),
            (categories, _) => {
                let ac = function.category().unwrap_or(AccessCategory::Voice);
                Aifs::edca(times.aifs(categories[ac as usize].aifsn))
            }
        })
    }

    /// The newest format that a NIC can decode; all can decode OFDM.
    fn newest_format(&self, id: NicId) -> Format {
        format_of(self.plan.standard_of(&self.plan.nics[id.index()])).max(Format::Ofdm)
    }

    /// The widths in which these NICs may send: up to those of their cells.
    fn widths(&self, members: &TiSlice<MemberId, NicId>) -> Vec<Width> {
        let width = |&id: &NicId| self.plan.cells[usize::from(cell_of(self.plan, id))].channel.width_mhz;
        let most = members.iter().map(width).max().unwrap_or(20);
        let up_to = |width: &Width| width.mhz() <= most && (most <= 320) == (width.mhz() <= 320);
        Width::ALL.into_iter().filter(up_to).collect()
    }
}

/// Whether a NIC sends beacons from a function of their own: it sends them in its cell, or is a radio of mac80211, which may come to
/// send them. Those of an IBSS contend: their stations take turns by chance (IEEE 802.11-2020, 11.1.3.5).
pub(crate) fn beacons_after_pifs(plan: &AirPlan, id: NicId) -> bool {
    let cell = &plan.cells[plan.nics[id.index()].cell as usize];
    let mut senders = plan.beacon_senders(cell.channel.primary_mhz).into_iter();
    cell.beacon_access == BeaconAccess::Pifs
        && cell.kind != CellKind::Ibss
        && (cell.linux.is_some() || senders.any(|sender| sender.nic == id.index()))
}

/// The BSS of a NIC at first: that of its cell. Stations of mac80211 have none until they are associated.
fn bss_at_first(plan: &AirPlan, id: NicId) -> Option<BssId> {
    let kind = plan.cells[usize::from(cell_of(plan, id))].kind;
    match plan.nics[id.index()].role {
        _ if !runs_linux(plan, id) || kind != CellKind::Infrastructure => {
            Some(BssId::Cell(cell_of(plan, id)))
        }
        NicRole::AccessPoint => Some(BssId::AccessPoint(id)),
        _ => None,
    }
}

/// Where a NIC is at first. A radio of mac80211 is off.
fn place(
    plan: &AirPlan,
    nic: NicId,
    media: &TiSlice<MediumId, Medium>,
    primaries: &TiSlice<PrimaryId, PrimaryChannel>,
) -> MediumPlace {
    let home = usize::from(cell_of(plan, nic));
    let frequency_mhz = if runs_linux(plan, nic) { 0 } else { plan.cells[home].channel.primary_mhz };
    let primary = primaries.position(|primary| primary.frequency_mhz == frequency_mhz);
    let primary = primary.expect("every NIC has a primary channel");
    let medium = media.position(|medium| medium.cells.contains(&primaries[primary].cell));
    let medium = medium.expect("every NIC has a medium");
    let member = media[medium].members.position(|&other| other == nic).expect("it is a member");
    MediumPlace { medium, member, primary }
}
