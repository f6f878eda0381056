//! From a plan to a world.

use std::collections::BTreeMap;

use airtcp_plan::{AirNic, AirPlan, NicRole};
use airtcp_units::Instant;

use super::check::{self, CheckedCell};
use super::{SetupError, World, WorldOptions};
use crate::channel::Reception;
use crate::des::EventQueue;
use crate::mac::{Airtime, Books, Cell, Contention, Dcf, Mac, Medium, Nic, NicId};
use crate::phy::{ACK_BYTES, OfdmRate, Timing};
use crate::queue::DropTail;
use crate::random::{Purpose, Stream};
use crate::rate::RateControl;
use crate::trace::Sampler;

impl World {
    /// The air of this plan, silent since the start of virtual time.
    ///
    /// # Errors
    /// [`SetupError`] with the key at fault if the plan asks for something that does
    /// not exist or is not modelled.
    pub fn new(plan: &AirPlan, seed: u64, options: WorldOptions) -> Result<Self, SetupError> {
        check::check(plan)?;
        let checked = plan.cells.iter().enumerate().map(|(c, cell)| check::cell_rates(c, cell));
        let checked = checked.collect::<Result<Vec<_>, _>>()?;
        let media = media(plan, seed);
        let nics = plan.nics.iter().enumerate();
        let nics = nics.map(|(i, nic)| build_nic(i, nic, &media)).collect::<Result<Vec<_>, _>>()?;
        let mac = Mac {
            cells: checked.iter().enumerate().map(|(c, cell)| build_cell(plan, c, cell)).collect(),
            reception: Reception::new(&plan.channel, &plan.nics, seed),
            // At most one event per NIC, and its response.
            events: EventQueue::with_capacity(2 * plan.nics.len()),
            epoch: options.epoch,
            trace: options.ppdu_trace,
            starting: Vec::with_capacity(plan.nics.len()),
            nics,
            media,
        };
        Ok(Self {
            mac,
            sampler: Sampler::new(options.epoch, options.sample_interval, options.end),
            nodes: plan.nics.iter().map(|nic| nic.node.clone()).collect(),
            now: Instant::ZERO,
            events: 0,
        })
    }
}

fn ids() -> impl Iterator<Item = NicId> {
    (0..).map(NicId)
}

/// One medium per frequency, lowest first.
fn media(plan: &AirPlan, seed: u64) -> Vec<Medium> {
    let mut by_frequency: BTreeMap<u32, Vec<NicId>> = BTreeMap::new();
    for (id, nic) in ids().zip(&plan.nics) {
        by_frequency.entry(plan.cells[nic.cell as usize].frequency_mhz).or_default().push(id);
    }
    let build = |(frequency_mhz, members): (u32, Vec<NicId>)| {
        let cell_of = |id: NicId| &plan.cells[plan.nics[id.0 as usize].cell as usize];
        // A frequency belongs to one band, a band to one standard.
        let timing = Timing::of(cell_of(members[0]).standard);
        let mut dcf = Dcf::default();
        for &id in &members {
            let (mac, contention) = (plan.nics[id.0 as usize].mac, cell_of(id).contention);
            let stream = Stream::new(seed, Purpose::Backoff, mac, mac);
            dcf.join(contention.cw_min, contention.cw_max, stream);
        }
        Medium {
            frequency_mhz,
            timing,
            contention: Contention::new(timing.slot, members.len()),
            members,
            dcf,
            on_air: 0,
            on_air_since: Instant::ZERO,
            collided: false,
            backlogged: 0,
            airtime: Airtime::new(),
        }
    };
    by_frequency.into_iter().map(build).collect()
}

fn build_nic(i: usize, nic: &AirNic, media: &[Medium]) -> Result<Nic, SetupError> {
    let places = media.iter().enumerate();
    let mut places = places.filter_map(|(m, medium)| {
        let member = medium.members.iter().position(|id| id.0 as usize == i)?;
        Some((m, member))
    });
    let (medium, member) = places.next().expect("every NIC has a cell, every cell a medium");
    Ok(Nic {
        mac: nic.mac,
        role: nic.role,
        cell: nic.cell as usize,
        medium,
        member,
        rate: RateControl::Fixed(check::rate(format!("air.nics[{i}].rate_bps"), nic.rate_bps)?),
        queue: DropTail::new(nic.queue_packets as usize),
        backpressure: nic.backpressure,
        stopped: false,
        attempts: 0,
        sending: None,
        read_group: true,
        books: Books::default(),
    })
}

fn build_cell(plan: &AirPlan, c: usize, checked: &CheckedCell) -> Cell {
    let cell = &plan.cells[c];
    let timing = Timing::of(cell.standard);
    let members = || ids().zip(&plan.nics).filter(|(_, nic)| nic.cell as usize == c);
    let (access_point, nic) =
        members().find(|(_, nic)| nic.role == NicRole::AccessPoint).expect("the plan was checked");
    let stations = members().filter(|(_, nic)| nic.role == NicRole::Station);
    let mut stations: Vec<_> = stations.map(|(id, nic)| (nic.mac, id)).collect();
    stations.sort_by_key(|(mac, _)| mac.0);
    Cell {
        access_point,
        access_point_mac: nic.mac,
        stations,
        group_rate: checked.group_rate,
        responses: OfdmRate::ALL.map(|data| {
            let rate = data.response_rate(&checked.basic_rates);
            (rate, timing.ppdu_duration(rate, ACK_BYTES))
        }),
        retry_limit: cell.contention.retry_limit,
    }
}
