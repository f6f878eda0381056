//! What a plan's air must satisfy to be modelled.

use std::collections::BTreeMap;

use airtcp_plan::{AirNic, AirPlan, Cell, ChannelPlan, NicRole, Propagation, Reception, Standard};
use airtcp_units::BitRate;

use super::SetupError;
use crate::channel::received_power;
use crate::phy::OfdmRate;

type Check = Result<(), SetupError>;

/// Channels closer than this overlap (IEEE 802.11-2020, 17.3.8.4.2: 20 MHz apart).
const CHANNEL_SPACING_MHZ: u32 = 20;
/// Largest contention window that can be announced (9.4.2.28: `ECWmax` 15).
const CW_LIMIT: u32 = (1 << 15) - 1;

/// What was learnt about a cell while it was checked.
pub(super) struct CheckedCell {
    pub(super) basic_rates: Vec<OfdmRate>,
    pub(super) group_rate: OfdmRate,
}

/// Checks everything but rates.
pub(super) fn check(plan: &AirPlan) -> Check {
    for (c, cell) in plan.cells.iter().enumerate() {
        check_frequency(c, cell, &plan.cells)?;
        check_contention(c, cell)?;
        check_access_point(c, cell, &plan.nics)?;
    }
    check_nics(plan)?;
    check_channel(&plan.channel, plan.nics.len())?;
    check_hearing(plan)
}

/// The rates of a cell.
pub(super) fn cell_rates(c: usize, cell: &Cell) -> Result<CheckedCell, SetupError> {
    let key = format!("air.cells[{c}].basic_rates_bps");
    if cell.basic_rates_bps.is_empty() {
        return Err(SetupError::new(key, "there is no basic rate", "name at least 6 Mb/s"));
    }
    let basic = cell.basic_rates_bps.iter().enumerate();
    let basic_rates = basic.map(|(i, &r)| rate(format!("{key}[{i}]"), r)).collect::<Result<Vec<_>, _>>()?;
    let key = format!("air.cells[{c}].group_rate_bps");
    let group_rate = rate(key.clone(), cell.group_rate_bps)?;
    if !basic_rates.contains(&group_rate) {
        let reason = format!("{} is not a basic rate of '{}'", cell.group_rate_bps, cell.name);
        return Err(SetupError::new(key, reason, "choose a basic rate, or make this one basic"));
    }
    Ok(CheckedCell { basic_rates, group_rate })
}

/// The standard's rate with this number.
pub(super) fn rate(key: String, rate: BitRate) -> Result<OfdmRate, SetupError> {
    OfdmRate::from_bit_rate(rate).ok_or_else(|| {
        let remedy = "choose 6, 9, 12, 18, 24, 36, 48 or 54 Mb/s";
        SetupError::new(key, format!("{rate} is not a rate of 802.11a/g"), remedy)
    })
}

fn check_frequency(c: usize, cell: &Cell, cells: &[Cell]) -> Check {
    let key = format!("air.cells[{c}].frequency_mhz");
    let f = cell.frequency_mhz;
    let (valid, remedy) = match cell.standard {
        // Channel starting frequency 5 GHz, channels 34 to 177 (17.3.8.4, Annex E).
        Standard::Ofdm => {
            ((5170..=5885).contains(&f) && f.is_multiple_of(5), "11a uses 5170 to 5885 MHz, in steps of 5")
        }
        // Channels 1 to 13 (15.4.4.3); channel 14 has no OFDM.
        Standard::ErpOfdm => {
            ((2412..=2472).contains(&f) && f % 5 == 2, "11g uses 2412 to 2472 MHz, in steps of 5")
        }
    };
    if !valid {
        return Err(SetupError::new(key, format!("{f} MHz is not a channel of '{}'", cell.name), remedy));
    }
    for other in &cells[..c] {
        let apart = f.abs_diff(other.frequency_mhz);
        if apart != 0 && apart < CHANNEL_SPACING_MHZ {
            let reason = format!(
                "'{}' at {f} MHz and '{}' at {} MHz overlap in part, which is not modelled",
                cell.name, other.name, other.frequency_mhz
            );
            let remedy = format!("use one frequency, or {CHANNEL_SPACING_MHZ} MHz between them");
            return Err(SetupError::new(key, reason, remedy));
        }
    }
    Ok(())
}

fn check_contention(c: usize, cell: &Cell) -> Check {
    let key = |name| format!("air.cells[{c}].contention.{name}");
    let contention = cell.contention;
    for (name, cw) in [("cw_min", contention.cw_min), ("cw_max", contention.cw_max)] {
        if cw > CW_LIMIT || !(cw + 1).is_power_of_two() {
            let reason = format!("{cw} is not one less than a power of two up to {}", CW_LIMIT + 1);
            return Err(SetupError::new(key(name), reason, "use a value such as 15 or 1023"));
        }
    }
    if contention.cw_min > contention.cw_max {
        let reason = format!("cw_min {} is more than cw_max {}", contention.cw_min, contention.cw_max);
        return Err(SetupError::new(key("cw_min"), reason, "lower cw_min or raise cw_max"));
    }
    if contention.retry_limit == 0 {
        let reason = "with no attempt no frame is ever sent";
        return Err(SetupError::new(key("retry_limit"), reason, "allow at least 1 attempt"));
    }
    Ok(())
}

fn check_access_point(c: usize, cell: &Cell, nics: &[AirNic]) -> Check {
    let members = nics.iter().filter(|n| n.cell as usize == c);
    let access_points = members.filter(|n| n.role == NicRole::AccessPoint).count();
    if access_points == 1 {
        return Ok(());
    }
    let reason = format!("'{}' has {access_points} access points", cell.name);
    Err(SetupError::new(format!("air.cells[{c}]"), reason, "give each cell exactly one"))
}

fn check_nics(plan: &AirPlan) -> Check {
    let mut owners = BTreeMap::new();
    for (i, nic) in plan.nics.iter().enumerate() {
        let key = |name| format!("air.nics[{i}].{name}");
        if nic.cell as usize >= plan.cells.len() {
            let reason = format!("there is no air.cells[{}]", nic.cell);
            return Err(SetupError::new(key("cell"), reason, "use the number of a cell"));
        }
        if nic.mac.is_group() {
            let reason = format!("{} is a group address", nic.mac);
            return Err(SetupError::new(key("mac"), reason, "use an individual address"));
        }
        if let Some(owner) = owners.insert(nic.mac.0, &nic.node) {
            let reason = format!("'{}' and '{owner}' have the same address {}", nic.node, nic.mac);
            return Err(SetupError::new(key("mac"), reason, "give every NIC its own"));
        }
        if nic.queue_packets == 0 {
            let reason = format!("the queue of '{}' holds no frame", nic.node);
            return Err(SetupError::new(key("queue_packets"), reason, "use at least 1"));
        }
        let numbers = nic.position_m.map(airtcp_units::Metre::get);
        if !(nic.tx_power_dbm.get().is_finite() && numbers.iter().all(|x| x.is_finite())) {
            return Err(SetupError::new(
                key("position_m"),
                "power or position is not a number",
                "use finite numbers",
            ));
        }
    }
    Ok(())
}

fn check_channel(channel: &ChannelPlan, nics: usize) -> Check {
    let wrong = |key: &str, reason: String, remedy: &str| {
        Err(SetupError::new(format!("air.channel.{key}"), reason, remedy))
    };
    if let Reception::PerTable { noise_figure_db } = channel.reception {
        if !noise_figure_db.get().is_finite() {
            return wrong("reception.noise_figure_db", "it is not a number".to_owned(), "use about 7 dB");
        }
    }
    match &channel.propagation {
        Propagation::LogDistance { exponent, reference_distance_m, reference_loss_db } => {
            let numbers = [*exponent, reference_distance_m.get(), reference_loss_db.get()];
            let valid = numbers.iter().all(|x| x.is_finite()) && *exponent >= 0.0 && numbers[1] > 0.0;
            if !valid {
                let reason = "exponent, reference loss and distance make no path loss".to_owned();
                return wrong("propagation", reason, "use an exponent from 0 and a distance above 0 m");
            }
        }
        Propagation::Rssi { links, .. } => {
            let mut seen = BTreeMap::new();
            for (i, link) in links.iter().enumerate() {
                let key = format!("propagation.links[{i}]");
                let ends = (link.a.min(link.b), link.a.max(link.b));
                if ends.0 == ends.1 || ends.1 as usize >= nics {
                    let reason = format!("air.nics[{}] and air.nics[{}] are not two NICs", link.a, link.b);
                    return wrong(&key, reason, "name two different NICs of the plan");
                }
                if let Some(first) = seen.insert(ends, i) {
                    let reason = format!("it is about the same NICs as links[{first}]");
                    return wrong(&key, reason, "keep one of them: a link has one value both ways");
                }
            }
        }
    }
    Ok(())
}

/// Every NIC must hear every other on its frequency: hidden stations are not modelled.
fn check_hearing(plan: &AirPlan) -> Check {
    let frequency = |i: usize| plan.cells[plan.nics[i].cell as usize].frequency_mhz;
    let threshold = plan.channel.carrier_sense_dbm;
    for from in 0..plan.nics.len() {
        for to in (0..plan.nics.len()).filter(|&to| to != from && frequency(to) == frequency(from)) {
            let power = received_power(&plan.channel.propagation, &plan.nics, from, to);
            // Not `power < threshold`: what is not a number must be refused as well.
            if power >= threshold {
                continue;
            }
            let [sender, listener] = [from, to].map(|i| format!("'{}' (air.nics[{i}])", plan.nics[i].node));
            let reason = format!(
                "{listener} hears {sender} at {:.1} dBm, below its carrier sense of {:.1} dBm, and hidden \
                 stations are not modelled yet",
                power.get(),
                threshold.get()
            );
            let remedy = "move them closer, raise the power, or use another frequency";
            return Err(SetupError::new("air.channel.carrier_sense_dbm", reason, remedy));
        }
    }
    Ok(())
}
