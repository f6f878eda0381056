//! What the channel of a plan must satisfy to be modelled.

mod interferers;
mod ranges;
mod selective;

use std::collections::BTreeMap;

use airtcp_plan::{
    AirNic, AirPlan, ChannelPlan, Fading, LinkTrace, Propagation, RssiLink, Shadowing, TracePoint, Wall,
};
use airtcp_units::{Dbm, Decibel, Metre};

use crate::setup_error::{Check, SetupError};
pub use ranges::check_place;
use ranges::{
    COORDINATES, LENGTHS, NUMBERS, PERMITTIVITIES, PREAMBLE_DETECTIONS, PROBABILITIES, SHAPES, SIZES, within,
};

/// Whether [`super::Channel`] can model this plan: its channel, and places and powers of its NICs.
///
/// # Errors
/// [`SetupError`] names the first key that is wrong.
pub fn check(plan: &AirPlan) -> Check {
    for (i, nic) in plan.nics.iter().enumerate() {
        check_nic(i, nic, &plan.channel.propagation)?;
    }
    let channel = &plan.channel;
    check_receivers(channel)?;
    check_propagation(&channel.propagation, plan.nics.len())?;
    channel.shadowing.as_ref().map_or(Ok(()), check_shadowing)?;
    check_fading(&channel.fading)?;
    selective::check(plan)?;
    check_traces(&channel.traces, plan.nics.len())?;
    check_losses(plan)?;
    interferers::check_interferers(plan)
}

/// Refuses anything but the numbers of two different NICs.
fn check_ends(key: &str, [a, b]: [u32; 2], nics: usize) -> Check {
    if a != b && a.max(b) < nics as u32 {
        return Ok(());
    }
    let reason = format!("air.nics[{a}] and air.nics[{b}] are not two NICs");
    Err(SetupError::new(key, reason, "name two different NICs of the plan"))
}

/// Refuses times that do not rise.
fn check_rising(key: &str, previous_ns: Option<u64>, time_ns: u64) -> Check {
    match previous_ns {
        Some(previous_ns) if previous_ns >= time_ns => {
            let reason = format!("{time_ns} ns does not come after {previous_ns} ns");
            Err(SetupError::new(key, reason, "sort by time, and use each time once"))
        }
        _ => Ok(()),
    }
}

fn check_nic(i: usize, nic: &AirNic, propagation: &Propagation) -> Check {
    let key = format!("air.nics[{i}]");
    let power = nic.tx_power_dbm.get();
    within(&format!("{key}.tx_power_dbm"), power, &NUMBERS, "use a power such as 20 dBm")?;
    check_place(&format!("{key}.position_m"), nic.position_m, propagation)?;
    let mut previous_ns = None;
    for (j, waypoint) in nic.waypoints.iter().enumerate() {
        let key = format!("{key}.waypoints[{j}]");
        check_rising(&format!("{key}.time_ns"), previous_ns, waypoint.time_ns)?;
        check_place(&format!("{key}.position_m"), waypoint.position_m, propagation)?;
        previous_ns = Some(waypoint.time_ns);
    }
    Ok(())
}

/// Whether a NIC can receive another with this power.
///
/// # Errors
/// [`SetupError`] with the key.
pub fn check_power(key: &str, power: Dbm) -> Check {
    within(key, power.get(), &NUMBERS, "use a level such as -60 dBm")
}

fn check_receivers(channel: &ChannelPlan) -> Check {
    let key = |name| format!("air.channel.{name}");
    let level = channel.carrier_sense_dbm.get();
    within(&key("carrier_sense_dbm"), level, &NUMBERS, "use a level such as -82 dBm")?;
    let sensitivity = channel.sensitivity_dbm.get();
    within(&key("sensitivity_dbm"), sensitivity, &NUMBERS, "use a level such as -92 dBm")?;
    let detection = channel.preamble_detection_ns as f64;
    within(&key("preamble_detection_ns"), detection, &PREAMBLE_DETECTIONS, "use 4000, as the standard does")?;
    let figure = channel.noise_figure_db.get();
    within(&key("noise_figure_db"), figure, &SIZES, "use about 7 dB")?;
    if let Some(capture) = channel.capture_db {
        within(&key("capture_db"), capture.get(), &SIZES, "use about 10 dB, or null")?;
    }
    if channel.update_ns == 0 {
        let reason = "it is 0, so that updates would never end";
        return Err(SetupError::new(key("update_ns"), reason, "use for example 100 ms"));
    }
    Ok(())
}

fn check_propagation(propagation: &Propagation, nics: usize) -> Check {
    let key = |name: &str| format!("air.channel.propagation.{name}");
    match propagation {
        Propagation::Rssi { links, default_dbm } => {
            within(&key("default_dbm"), default_dbm.get(), &NUMBERS, "use a level such as -60 dBm")?;
            check_given(links, nics)
        }
        Propagation::FreeSpace => Ok(()),
        Propagation::LogDistance { exponent, reference_loss_db, reference_distance_m } => {
            check_log_distance(*exponent, *reference_loss_db)?;
            let remedy = "use a distance above 0 m, such as 1 m";
            within(&key("reference_distance_m"), reference_distance_m.get(), &LENGTHS, remedy)
        }
        Propagation::TwoRay { permittivity } => permittivity.map_or(Ok(()), |value| {
            within(&key("permittivity"), value, &PERMITTIVITIES, "use 15 for average ground, or null")
        }),
        Propagation::ItuIndoor { coefficient, floor_loss_db, floor_height_m } => {
            within(&key("coefficient"), *coefficient, &SIZES, "use about 30")?;
            for (i, loss) in floor_loss_db.iter().enumerate() {
                within(&key(&format!("floor_loss_db[{i}]")), loss.get(), &SIZES, "use about 15 dB")?;
            }
            within(&key("floor_height_m"), floor_height_m.get(), &LENGTHS, "use about 3 m")
        }
        Propagation::MultiWall { exponent, reference_loss_db, floor_plan } => {
            check_log_distance(*exponent, *reference_loss_db)?;
            floor_plan.walls.iter().enumerate().try_for_each(|(i, wall)| check_wall(i, wall))
        }
    }
}

fn check_log_distance(exponent: f64, reference_loss: Option<Decibel>) -> Check {
    let key = |name| format!("air.channel.propagation.{name}");
    within(&key("exponent"), exponent, &SIZES, "use an exponent from 0, such as 3")?;
    reference_loss.map_or(Ok(()), |loss| {
        within(&key("reference_loss_db"), loss.get(), &NUMBERS, "use about 40 dB for 1 m at 2.4 GHz")
    })
}

fn check_given(links: &[RssiLink], nics: usize) -> Check {
    let mut seen = BTreeMap::new();
    for (i, link) in links.iter().enumerate() {
        let key = format!("air.channel.propagation.links[{i}]");
        check_ends(&key, [link.a, link.b], nics)?;
        let level = link.rssi_dbm.get();
        within(&format!("{key}.rssi_dbm"), level, &NUMBERS, "use a level such as -60 dBm")?;
        if let Some(first) = seen.insert((link.a.min(link.b), link.a.max(link.b)), i) {
            let reason = format!("it is about the same NICs as links[{first}]");
            let remedy = "keep one of them: a link has one value both ways";
            return Err(SetupError::new(key, reason, remedy));
        }
    }
    Ok(())
}

fn check_wall(i: usize, wall: &Wall) -> Check {
    let key = format!("air.channel.propagation.floor_plan.walls[{i}]");
    for (name, end) in [("from_m", wall.from_m), ("to_m", wall.to_m), ("height_m", wall.height_m)] {
        for coordinate in end {
            let remedy = "use metres from the origin of the positions";
            within(&format!("{key}.{name}"), coordinate.get(), &COORDINATES, remedy)?;
        }
    }
    within(&format!("{key}.loss_db"), wall.loss_db.get(), &SIZES, "use for example 7 dB for a heavy wall")?;
    let [x, y] = [0, 1].map(|i| wall.to_m[i].get() - wall.from_m[i].get());
    let remedy = "give it two ends that are apart";
    within(&format!("{key}.to_m"), libm::sqrt(x * x + y * y), &LENGTHS, remedy)?;
    let [lower, upper] = wall.height_m.map(Metre::get);
    within(&format!("{key}.height_m"), upper - lower, &LENGTHS, "name the lower edge, then the upper one")
}

fn check_shadowing(shadowing: &Shadowing) -> Check {
    let key = |name| format!("air.channel.shadowing.{name}");
    within(&key("sigma_db"), shadowing.sigma_db.get(), &SIZES, "use about 6 dB")?;
    within(&key("decorrelation_m"), shadowing.decorrelation_m.get(), &LENGTHS, "use about 6 m indoors")
}

fn check_fading(fading: &Fading) -> Check {
    let key = |name| format!("air.channel.fading.{name}");
    let coherence_ns = match *fading {
        Fading::None | Fading::Tapped { .. } => return Ok(()),
        Fading::Rayleigh { coherence_ns } => coherence_ns,
        Fading::Rician { k_db, coherence_ns } => {
            within(&key("k_db"), k_db.get(), &NUMBERS, "use about 6 dB")?;
            coherence_ns
        }
        Fading::Nakagami { m, coherence_ns } => {
            within(&key("m"), m, &SHAPES, "use a shape from 0.5, such as 2")?;
            coherence_ns
        }
    };
    if coherence_ns == 0 {
        let reason = "it is 0, so that a gain would have no duration";
        return Err(SetupError::new(key("coherence_ns"), reason, "use for example 20 ms"));
    }
    Ok(())
}

fn check_traces(traces: &[LinkTrace], nics: usize) -> Check {
    let mut seen = BTreeMap::new();
    for (i, trace) in traces.iter().enumerate() {
        let key = format!("air.channel.traces[{i}]");
        check_ends(&key, [trace.from, trace.to], nics)?;
        check_first(&key, "traces", seen.insert((trace.from, trace.to), i))?;
        if trace.points.is_empty() {
            return Err(SetupError::new(key, "it has no points", "give it at least one, or leave it out"));
        }
        let mut previous_ns = None;
        for (j, point) in trace.points.iter().enumerate() {
            check_point(&format!("{key}.points[{j}]"), point, previous_ns)?;
            previous_ns = Some(point.time_ns);
        }
        if trace.repeat && previous_ns == Some(0) {
            let reason = "it repeats and ends at 0 ns";
            let remedy = "end it with a point at the time at which it starts again";
            return Err(SetupError::new(format!("{key}.repeat"), reason, remedy));
        }
    }
    Ok(())
}

fn check_point(key: &str, point: &TracePoint, previous_ns: Option<u64>) -> Check {
    check_rising(&format!("{key}.time_ns"), previous_ns, point.time_ns)?;
    if let Some(level) = point.rssi_dbm {
        within(&format!("{key}.rssi_dbm"), level.get(), &NUMBERS, "use a level such as -60 dBm, or null")?;
    }
    if let Some(loss) = point.loss {
        within(&format!("{key}.loss"), loss, &PROBABILITIES, "use a probability, or null")?;
    }
    if point.rate_bps.is_some_and(|rate| rate.as_bps() == 0) {
        let reason = "it is 0 b/s, at which no frame ends";
        return Err(SetupError::new(format!("{key}.rate_bps"), reason, "use a loss of 1, or null"));
    }
    Ok(())
}

fn check_losses(plan: &AirPlan) -> Check {
    let mut seen = BTreeMap::new();
    for (i, link) in plan.channel.losses.iter().enumerate() {
        let key = format!("air.channel.losses[{i}]");
        check_ends(&key, [link.from, link.to], plan.nics.len())?;
        check_first(&key, "losses", seen.insert((link.from, link.to), i))?;
        within(&format!("{key}.loss"), link.loss, &PROBABILITIES, "use a probability")?;
    }
    Ok(())
}

/// Refuses a second entry about one direction of a link.
fn check_first(key: &str, list: &str, first: Option<usize>) -> Check {
    first.map_or(Ok(()), |first| {
        let reason = format!("it is about the same direction as {list}[{first}]");
        Err(SetupError::new(key, reason, "keep one of them"))
    })
}

#[cfg(test)]
mod tests;
