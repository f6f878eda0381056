//! From a plan to upper halves.

use airtcp_plan::{self, AirNic, AirPlan, CellKind, NicRole, QueuePlan, RtsPolicy, Standard};
use airtcp_units::Instant;

use super::addressing::{Cell, Members};
use super::aggregation::{Agreement, aggregate_frames, agreement, check_aggregation};
use super::bss::{Bss, ProtectionPolicy, Rates};
use super::bundles::Bundles;
use super::counters::Counters;
use super::ht_protection::HtProtectionPolicy;
use super::link_modes::{band_of, link_modes, link_standard};
use super::mesh_routes::MeshRoutes;
use super::nic::{Arriving, Nic, Numbering, Station};
use super::reordering::Reordering;
use super::txqs::Txqs;
use super::upper::Upper;
use crate::NicId;
use crate::phy::{BasicRates, Format, Guard, TxVector, Width};
use crate::queue::Queues;
use crate::random::{Purpose, Stream};
use crate::rate::{Controller, ErrorModel, LinkModes, RateSet};
use crate::setup_error::{SetupError, refuse};

impl Upper {
    /// The upper halves of a plan's NICs, with empty queues. `errors`: what `ideal` rate control knows.
    ///
    /// # Errors
    /// [`SetupError`] with the key at fault: rates that a link does not have, parameters of rate control outside their
    /// range, aggregation where there is none, mesh routes that lead nowhere.
    pub(crate) fn new(plan: &AirPlan, seed: u64, errors: &dyn ErrorModel) -> Result<Self, SetupError> {
        let cells =
            plan.cells.iter().enumerate().map(|(c, _)| bss(plan, c)).collect::<Result<Vec<_>, _>>()?;
        let mut builder = Builder { plan, seed, errors, controllers: Vec::new() };
        let nics = (0..plan.nics.len()).map(|i| builder.nic(i, &cells)).collect::<Result<Vec<_>, _>>()?;
        let mut txqs = Txqs::default();
        for nic in &nics {
            txqs.join(nic.group() + 1);
        }
        Ok(Self {
            nics,
            cells,
            txqs,
            bundles: Bundles::default(),
            reordering: Reordering::default(),
            expelled: Vec::new(),
            released: Vec::new(),
        })
    }
}

fn members(plan: &AirPlan, c: usize) -> impl Iterator<Item = (NicId, &AirNic)> {
    (0..).map(NicId).zip(&plan.nics).filter(move |(_, nic)| nic.cell as usize == c)
}

fn bss(plan: &AirPlan, c: usize) -> Result<Bss, SetupError> {
    let cell = &plan.cells[c];
    let access_point = members(plan, c).find(|(_, nic)| nic.role == NicRole::AccessPoint);
    let addressing = Cell {
        kind: cell.kind,
        access_point: access_point.map(|(id, nic)| (nic.mac, id)),
        members: Members::new(members(plan, c).map(|(id, nic)| (nic.mac, id))),
        routes: mesh_routes(plan, c)?,
    };
    let basic = BasicRates::from_bit_rates(&cell.basic_rates_bps).or_else(|rate| {
        let key = format!("air.cells[{c}].basic_rates_bps");
        refuse(
            key,
            format!("{rate} is no rate of HR/DSSS or OFDM"),
            "choose from 1, 2, 5.5, 11, 6 to 54 Mbit/s",
        )
    })?;
    let rates = Rates {
        basic,
        group: group_mode(c, cell)?,
        policy: ProtectionPolicy {
            erp: cell.protection,
            ht: HtProtectionPolicy::of_cell(plan, c),
            asked_by_rate_control: cell.rts_policy == RtsPolicy::RateControl,
        },
        short_retry_limit: u8::try_from(cell.short_retry_limit).unwrap_or(u8::MAX),
    };
    Ok(Bss::new(addressing, is_qos(cell), rates))
}

/// Whether data frames of a cell have a `QoS` Control field: where there are four access categories.
fn is_qos(cell: &airtcp_plan::Cell) -> bool {
    cell.access.len() == 4
}

fn group_mode(c: usize, cell: &airtcp_plan::Cell) -> Result<TxVector, SetupError> {
    let rate = cell.group_rate_bps;
    let of_dmg = || {
        let dmg = |index| TxVector::mimo(Format::Dmg, index, 1, Width::Mhz2160, Guard::Ns800);
        (0..=12).map(dmg).find(|tx| tx.bit_rate() == rate)
    };
    let mode = match cell.standard {
        Standard::Dmg => of_dmg(),
        _ => BasicRates::tx_vector_of(rate),
    };
    let Some(tx) = mode else {
        let key = format!("air.cells[{c}].group_rate_bps");
        return refuse(key, format!("{rate} is no rate for control and group frames"), "choose a basic rate");
    };
    // 1 Mbit/s has only the long preamble (IEEE 802.11-2020, 16.2.2.3).
    let is_short = cell.short_preamble && tx.format == Format::HrDsss && tx.index > 0;
    Ok(if is_short { TxVector::hr_dsss(tx.index, true) } else { tx })
}

fn mesh_routes(plan: &AirPlan, c: usize) -> Result<MeshRoutes, SetupError> {
    if plan.cells[c].kind != CellKind::Mesh {
        return Ok(MeshRoutes::default());
    }
    let stations: Vec<_> = members(plan, c).map(|(id, _)| id).collect();
    let mut routes = Vec::new();
    for (id, nic) in members(plan, c) {
        for (r, route) in nic.mesh_routes.iter().enumerate() {
            let ends = [NicId(route.to), NicId(route.via)];
            if ends.iter().any(|end| *end == id || !stations.contains(end)) {
                let key = format!("air.nics[{}].mesh_routes[{r}]", id.0);
                let reason = format!("NICs {} and {} are not two others of its mesh", route.to, route.via);
                return refuse(key, reason, "name NICs of the same mesh cell");
            }
            routes.push((id, ends[0], ends[1]));
        }
    }
    let routes = MeshRoutes::new(&stations, &routes);
    if let Some((from, to)) = routes.circle() {
        let key = format!("air.nics[{}].mesh_routes", from.0);
        return refuse(key, format!("the way to NIC {} never arrives", to.0), "let each hop come nearer");
    }
    Ok(routes)
}

/// What NICs are built from.
struct Builder<'a> {
    plan: &'a AirPlan,
    seed: u64,
    errors: &'a dyn ErrorModel,
    /// Rate controls built so far: most links are alike, and some rate controls take long to set up.
    controllers: Vec<(airtcp_plan::RateControlPlan, LinkModes, Controller)>,
}

impl Builder<'_> {
    fn nic(&mut self, i: usize, cells: &[Bss]) -> Result<Nic, SetupError> {
        let plan = &self.plan.nics[i];
        let bss = &cells[plan.cell as usize];
        check_aggregation(i, plan, self.plan.standard_of(plan), bss.qos)?;
        RateSet::of(link_modes(self.plan, i, plan, plan)?)
            .or_else(|e| refuse(format!("air.nics[{i}]"), e.to_string(), "choose what the standard has"))?;
        let peers = self.peers(i, bss);
        let stations: Vec<_> = peers.iter().map(|&peer| self.station(i, peer)).collect::<Result<_, _>>()?;
        let frames =
            stations.iter().map(|station| aggregate_frames(plan, station, bss.framing(false, false))).max();
        Ok(Nic {
            mac: plan.mac,
            bss: plan.cell as usize,
            queues: Queues::new(&plan.queue, stations.len() as u32, frames.unwrap_or(1)),
            numbering: match plan.role {
                NicRole::Station => Numbering::Only,
                NicRole::AccessPoint | NicRole::Mesh | NicRole::Ibss | NicRole::Monitor => {
                    Numbering::List(peers)
                }
            },
            airtime_limited: matches!(plan.queue, QueuePlan::FqCodel(parameters) if parameters.aql_us.is_some()),
            stations,
            backpressure: plan.backpressure,
            stopped: false,
            counters: Counters::default(),
        })
    }

    /// Whom this NIC exchanges frames with directly, in ascending order.
    fn peers(&self, i: usize, bss: &Bss) -> Vec<NicId> {
        let c = self.plan.nics[i].cell as usize;
        // Whom a radio of mac80211 sends to is mac80211's to know.
        if self.plan.cells[c].linux.is_some() {
            return Vec::new();
        }
        let others = members(self.plan, c).filter(|(id, _)| id.index() != i);
        let role = self.plan.nics[i].role;
        let wanted = |peer: NicRole| role != NicRole::Station || peer == NicRole::AccessPoint;
        let peers: Vec<_> = others.filter(|(_, nic)| wanted(nic.role)).map(|(id, _)| id).collect();
        assert!(role != NicRole::Station || bss.cell.access_point.is_some(), "a station has an access point");
        peers
    }

    fn station(&mut self, i: usize, peer: NicId) -> Result<Station, SetupError> {
        let (own, other) = (&self.plan.nics[i], &self.plan.nics[peer.index()]);
        let cell = &self.plan.cells[own.cell as usize];
        let controller = self.controller(i, own, link_modes(self.plan, i, own, other)?)?;
        let Agreement { aggregable, amsdu, reorder_window } =
            agreement(link_standard(self.plan, own, other), band_of(cell), own, other);
        Ok(Station {
            nic: peer,
            last_tx: controller.rates().mode(0),
            controller,
            rng: Stream::new(self.seed, Purpose::RateControl, own.mac, other.mac),
            aggregable,
            amsdu,
            reorder_window,
            arriving: [Arriving::default(); 8],
            last_heard: Instant::FAR_FUTURE,
        })
    }

    fn controller(&mut self, i: usize, own: &AirNic, modes: LinkModes) -> Result<Controller, SetupError> {
        let known = self.controllers.iter().find(|(plan, m, _)| (*plan, *m) == (own.rate_control, modes));
        if let Some((_, _, controller)) = known {
            return Ok(controller.clone());
        }
        let new = RateSet::of(modes)
            .and_then(|rates| Controller::new(&own.rate_control, rates, self.errors))
            .or_else(|e| {
                refuse(format!("air.nics[{i}].rate_control"), e.to_string(), "choose one of these")
            })?;
        self.controllers.push((own.rate_control, modes, new.clone()));
        Ok(new)
    }
}
