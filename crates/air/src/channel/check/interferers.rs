//! Sources that are no NICs.

use std::ops::RangeInclusive;

use airtcp_plan::{AirPlan, EmissionPattern, EmissionPower, Interferer, Propagation};

use super::ranges::{NUMBERS, check_place, within};
use crate::SetupError;
use crate::setup_error::Check;

/// Frequencies in kHz: far beyond all bands of 802.11.
const FREQUENCIES: RangeInclusive<f64> = 1.0..=100e6;
/// Lengths of bursts and periods in ns: a microsecond, so that events don't flood a run, to a day.
const TIMES: RangeInclusive<f64> = 1e3..=8.64e13;
/// Most centre frequencies, and most sources.
const MOST: usize = 1024;

pub(super) fn check_interferers(plan: &AirPlan) -> Check {
    let sources = &plan.channel.interferers;
    if sources.len() > MOST {
        let reason = format!("there are {} of them", sources.len());
        return Err(SetupError::new("air.channel.interferers", reason, "use at most 1024"));
    }
    for (i, source) in sources.iter().enumerate() {
        let key = format!("air.channel.interferers[{i}]");
        check_power(&key, source, plan)?;
        check_spectrum(&key, source, plan)?;
        check_pattern(&key, source.pattern)?;
    }
    Ok(())
}

fn check_power(key: &str, source: &Interferer, plan: &AirPlan) -> Check {
    let (propagation, nics) = (&plan.channel.propagation, plan.nics.len());
    match &source.power {
        EmissionPower::Received { levels, default_dbm } => {
            let remedy = "use a level such as -60 dBm";
            within(&format!("{key}.power.default_dbm"), default_dbm.get(), &NUMBERS, remedy)?;
            for (j, level) in levels.iter().enumerate() {
                let key = format!("{key}.power.levels[{j}]");
                within(&format!("{key}.rssi_dbm"), level.rssi_dbm.get(), &NUMBERS, remedy)?;
                if level.nic as usize >= nics {
                    let reason = format!("there is no air.nics[{}]", level.nic);
                    return Err(SetupError::new(format!("{key}.nic"), reason, "use the number of a NIC"));
                }
            }
            Ok(())
        }
        EmissionPower::Sent { .. } if matches!(propagation, Propagation::Rssi { .. }) => {
            let reason = "received powers are given, so that no path loss can be computed";
            Err(SetupError::new(format!("{key}.power"), reason, "give received powers here as well"))
        }
        EmissionPower::Sent { tx_power_dbm, position_m } => {
            let remedy = "use a power such as 20 dBm";
            within(&format!("{key}.power.tx_power_dbm"), tx_power_dbm.get(), &NUMBERS, remedy)?;
            check_place(&format!("{key}.power.position_m"), *position_m, propagation)
        }
    }
}

fn check_spectrum(key: &str, source: &Interferer, plan: &AirPlan) -> Check {
    let bandwidth = f64::from(source.bandwidth_khz);
    within(&format!("{key}.bandwidth_khz"), bandwidth, &FREQUENCIES, "use for example 20000")?;
    let centres_key = format!("{key}.centres_khz");
    if !(1..=MOST).contains(&source.centres_khz.len()) {
        let reason = format!("it has {} centre frequencies", source.centres_khz.len());
        return Err(SetupError::new(centres_key, reason, "give 1 to 1024"));
    }
    for &centre in &source.centres_khz {
        within(&centres_key, f64::from(centre) - bandwidth / 2.0, &FREQUENCIES, "use for example 2437000")?;
        within(&centres_key, f64::from(centre) + bandwidth / 2.0, &FREQUENCIES, "use for example 2437000")?;
    }
    let meets = |channel: airtcp_plan::RadioChannel| {
        let channel = super::super::spectrum::channel_khz(channel);
        let half = source.bandwidth_khz / 2;
        source.centres_khz.iter().any(|c| c - half < channel.end && c + half.max(1) > channel.start)
    };
    if plan.cells.iter().any(|cell| meets(cell.channel)) {
        return Ok(());
    }
    let reason = format!("'{}' has no effect: no channel of a cell overlaps its frequencies", source.name);
    Err(SetupError::new(centres_key, reason, "move it, or leave it out"))
}

fn check_pattern(key: &str, pattern: EmissionPattern) -> Check {
    let key = |name: &str| format!("{key}.pattern.{name}");
    let time = |name: &str, ns: u64| within(&key(name), ns as f64, &TIMES, "use a microsecond to a day");
    match pattern {
        EmissionPattern::Periodic { period_ns, on_ns, phase_ns, jitter_ns } => {
            time("period_ns", period_ns)?;
            time("on_ns", on_ns)?;
            if phase_ns as f64 > *TIMES.end() {
                return time("phase_ns", phase_ns);
            }
            if on_ns.saturating_add(jitter_ns) > period_ns {
                let reason = format!("{on_ns} ns and a jitter of {jitter_ns} ns are longer than the period");
                return Err(SetupError::new(key("on_ns"), reason, "shorten them, or raise period_ns"));
            }
            Ok(())
        }
        EmissionPattern::Random { mean_on_ns, mean_off_ns } => {
            time("mean_on_ns", mean_on_ns)?;
            time("mean_off_ns", mean_off_ns)
        }
    }
}
