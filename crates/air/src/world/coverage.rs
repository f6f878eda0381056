//! The signal and the rate that a station would have of each access point, at many places.
//!
//! Nothing is sent. A probe, a station of the cell, goes to each place, in the channel that a run has: so path loss, walls, powers,
//! noise, error rates and rate control are those of the run. What differs from link to link by chance (shadowing, fading) and what is
//! known of certain links alone (recordings) is left out.

use airtcp_plan::coverage::{AccessPointCoverage, Coverage, CoverageMode, CoverageRequest};
use airtcp_plan::{AirNic, AirPlan, Fading, MacAddress, NicRole, Propagation, RateControlPlan};
use airtcp_units::{Dbm, Instant};

use super::build::{Errors, convolutional, widths};
use super::{ChannelLinks, check};
use crate::channel::{Channel, Position};
use crate::high::{Links, link_modes};
use crate::low::{ErrorRates, error_rates};
use crate::phy::TxVector;
use crate::random::{Purpose, Stream};
use crate::rate::{Controller, RateSet};
use crate::{NicId, SetupError};

/// The address of probes, which no NIC of a plan has: it belongs to groups.
const PROBE: MacAddress = MacAddress([0xff; 6]);

/// What a station would have of each access point of a plan, at each place.
///
/// # Errors
/// [`SetupError`] with the key at fault: what a run of the plan would be refused for, and a plan in which places mean nothing.
pub fn coverage(plan: &AirPlan, request: &CoverageRequest) -> Result<Coverage, SetupError> {
    check::check(plan)?;
    if matches!(plan.channel.propagation, Propagation::Rssi { .. }) {
        let remedy = "give the channel a model of propagation, and the radios positions";
        let reason = "received powers are given: places mean nothing".to_owned();
        return Err(SetupError::new("air.channel.propagation".to_owned(), reason, remedy));
    }
    let errors = error_rates(plan)?;
    let is_access_point = |nic: &&AirNic| nic.role == NicRole::AccessPoint;
    let numbers = (0..).zip(&plan.nics).filter(|(_, nic)| is_access_point(nic));
    let access_points = numbers.map(|(nic, _)| of_access_point(plan, nic, errors.as_deref(), request));
    Ok(Coverage {
        sensitivity_dbm: plan.channel.sensitivity_dbm,
        access_points: access_points.collect::<Result<_, _>>()?,
    })
}

/// The access point and a probe alone, in a channel without chance.
fn alone(plan: &AirPlan, access_point: &AirNic) -> AirPlan {
    let like = |nic: &&AirNic| nic.cell == access_point.cell && nic.role == NicRole::Station;
    let station = plan.nics.iter().find(like).unwrap_or(access_point);
    let staying = |nic: &AirNic| AirNic { waypoints: Vec::new(), mesh_routes: Vec::new(), ..nic.clone() };
    let mut alone = plan.clone();
    alone.nics =
        vec![staying(access_point), AirNic { mac: PROBE, role: NicRole::Station, ..staying(station) }];
    let channel = &mut alone.channel;
    (channel.shadowing, channel.fading) = (None, Fading::None);
    (channel.traces, channel.losses, channel.interferers) = (Vec::new(), Vec::new(), Vec::new());
    alone
}

fn of_access_point(
    plan: &AirPlan,
    nic: u32,
    errors: Option<&dyn ErrorRates>,
    request: &CoverageRequest,
) -> Result<AccessPointCoverage, SetupError> {
    let access_point = &plan.nics[nic as usize];
    let alone = alone(plan, access_point);
    let [from, to] = [NicId(0), NicId(1)];
    let refused = |e: crate::rate::RateError| {
        SetupError::new(format!("air.nics[{nic}]"), e.to_string(), "choose what the standard has")
    };
    let modes = link_modes(&alone, 0, &alone.nics[0], &alone.nics[1])?;
    let ideal = RateControlPlan::Ideal { error_rate: request.error_rate };
    let mut controller = RateSet::of(modes)
        .and_then(|rates| Controller::new(&ideal, rates, &Errors(errors)))
        .map_err(refused)?;
    let mut rng = Stream::new(0, Purpose::RateControl, access_point.mac, PROBE);
    let mut links = ChannelLinks {
        channel: Channel::new(&alone, 0, Instant::ZERO),
        noisy: errors.is_some(),
        widths: widths(&alone),
        convolutional: convolutional(&alone),
    };
    let mut found = AccessPointCoverage {
        nic,
        node: access_point.node.clone(),
        cell: plan.cells[access_point.cell as usize].name.clone(),
        signal_dbm: Vec::with_capacity(request.places_m.len()),
        mode: Vec::with_capacity(request.places_m.len()),
        modes: Vec::new(),
    };
    for place in &request.places_m {
        links.channel.move_to(Instant::ZERO, to, Position::new(*place));
        let state = links.link_state(Instant::ZERO, [from, to], true);
        let tx = controller.chain(Instant::ZERO, state, &mut rng).stages()[0].tx;
        add(&mut found, links.channel.mean_dbm(from, to), tx);
    }
    Ok(found)
}

/// What is known of one place more.
fn add(found: &mut AccessPointCoverage, signal: Dbm, tx: TxVector) {
    let mode = CoverageMode { name: tx.to_string(), rate_bps: tx.bit_rate() };
    let place = found.modes.iter().position(|known| *known == mode).unwrap_or_else(|| {
        found.modes.push(mode);
        found.modes.len() - 1
    });
    found.signal_dbm.push(signal);
    found.mode.push(place as u32);
}
