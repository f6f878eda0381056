//! What tapped delay lines must satisfy.

use std::ops::RangeInclusive;

use airtcp_plan::{AirPlan, Fading, FadingProfile, FadingTap, Standard};

use super::ranges::{NUMBERS, within};
use crate::SetupError;
use crate::channel::fading::{ANTENNAS, coherence_ns};
use crate::setup_error::Check;

/// Speeds in metres per second; faster ones do not pass the rule about coherence.
const SPEEDS: RangeInclusive<f64> = 0.0..=1e3;
/// Delays in nanoseconds: a guard interval of OFDM lasts 800, the longest of HE 3200.
const DELAYS: RangeInclusive<f64> = 0.0..=3_200.0;
/// Taps of one's own.
const TAPS_MAX: usize = 64;
/// The longest PPDU (`aPPDUMaxTime`, IEEE 802.11-2020, Table 21-28), in nanoseconds. The response is that of its beginning.
const PPDU_MAX_NS: f64 = 5_484_000.0;

/// Whether the plan's tapped delay lines, if it has some, can be modelled.
pub(super) fn check(plan: &AirPlan) -> Check {
    let Fading::Tapped { profile, speed_mps, .. } = &plan.channel.fading else { return Ok(()) };
    let key = |name: &str| format!("air.channel.fading.{name}");
    within(&key("speed_mps"), *speed_mps, &SPEEDS, "use a speed such as 1 m/s, or 0 where nothing moves")?;
    if let FadingProfile::Taps { taps } = profile {
        check_taps(taps)?;
    }
    if let Some(cell) = plan.cells.iter().find(|cell| cell.standard == Standard::Dmg) {
        let reason = format!("cell '{}' is 11ad, and no tapped delay line is meant for 60 GHz", cell.name);
        return Err(SetupError::new("air.channel.fading", reason, "use block fading, such as 'rician'"));
    }
    check_antennas(plan)?;
    let fastest = plan.cells.iter().map(|cell| cell.channel.centre_mhz).max().unwrap_or(0);
    let coherence = coherence_ns(&plan.channel.fading, 1e6 * f64::from(fastest));
    if coherence < PPDU_MAX_NS {
        let reason = format!(
            "at {fastest} MHz the channel keeps its state for {:.2} ms (correlation 1/2), less than the longest PPDU of \
             5.484 ms, in which the model holds it",
            coherence / 1e6
        );
        return Err(SetupError::new(key("speed_mps"), reason, "use a lower speed, or block fading"));
    }
    Ok(())
}

fn check_antennas(plan: &AirPlan) -> Check {
    for (i, nic) in plan.nics.iter().enumerate() {
        let (key, antennas) = (format!("air.nics[{i}].antennas"), nic.antennas);
        if antennas < nic.streams {
            let reason = format!("{} streams need as many antennas, not {antennas}", nic.streams);
            return Err(SetupError::new(key, reason, "use more antennas, or fewer streams"));
        }
        if antennas as usize > ANTENNAS {
            let reason = format!("there are {antennas}, and the models have correlations of {ANTENNAS}");
            return Err(SetupError::new(key, reason, "use at most 8"));
        }
    }
    Ok(())
}

fn check_taps(taps: &[FadingTap]) -> Check {
    let key = |i: usize, name: &str| format!("air.channel.fading.profile.taps[{i}].{name}");
    if taps.is_empty() || taps.len() > TAPS_MAX {
        let reason = format!("there are {} taps", taps.len());
        let remedy = "give at least one tap and at most 64";
        return Err(SetupError::new("air.channel.fading.profile.taps", reason, remedy));
    }
    for (i, tap) in taps.iter().enumerate() {
        within(&key(i, "delay_ns"), tap.delay_ns, &DELAYS, "use a delay within a guard interval")?;
        within(&key(i, "power_db"), tap.power_db.get(), &NUMBERS, "use a power such as -5 dB")?;
        if let Some(k) = tap.k_db {
            within(&key(i, "k_db"), k.get(), &NUMBERS, "use about 6 dB, or null")?;
        }
        if let Some(speed) = tap.speed_mps {
            within(&key(i, "speed_mps"), speed, &SPEEDS, "use a speed such as 1 m/s")?;
        }
    }
    Ok(())
}
