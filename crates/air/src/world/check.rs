//! What cells and NICs must satisfy to be modelled.

use std::collections::BTreeMap;

use airtcp_plan::{
    AccessParameters, Aggregation, AirNic, AirPlan, Cell, CellKind, ErpProtection, FqCodelPlan, NicRole,
    QueuePlan, Standard,
};

use airtcp_units::BitRate;

use super::check_card::check_card;
use super::check_multi_user::check_multi_user;
use crate::phy::{
    Band, NominalPadding, PROTECTION_SENTENCE, Width, can_be_basic, check_channel, check_width, format_of,
    is_in_band, standard_bands_sentence,
};
use crate::setup_error::{Check, refuse};

/// No queue of frames or aggregates comes near; what is multiplied with it stays within 32 bits.
const QUEUE_LIMIT: u32 = 1 << 20;
/// More than 4096, as mac80211 has, help no network; each takes memory before there is a frame.
const FLOWS_LIMIT: u32 = 1 << 20;

/// Largest contention window that can be announced (IEEE 802.11-2020, 9.4.2.28: `ECWmax` 15).
const CW_LIMIT: u32 = (1 << 15) - 1;
/// Largest AIFSN that can be announced (9.4.2.28: four bits).
const AIFSN_LIMIT: u32 = 15;
/// Longest TXOP limit that can be announced (9.4.2.28: 16 bits of 32 us).
const TXOP_LIMIT_US: u32 = 65_535 * 32;
/// Longest beacon interval (9.4.1.3: 16 bits of 1024 us).
const BEACON_INTERVAL_LIMIT_US: u32 = 65_535 * 1024;
/// What the Minimum MPDU Start Spacing subfield can say (IEEE 802.11-2020, Table 9-185).
const START_SPACINGS_NS: [u32; 8] = [0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000];

/// Checks cells, what of NICs belongs to their cells, and the channel. (Rates, and what rate control asks for, the upper half
/// checks.)
pub(crate) fn check(plan: &AirPlan) -> Check {
    check_nics(plan)?;
    for (c, cell) in plan.cells.iter().enumerate() {
        check_upper_half(c, cell, &plan.nics)?;
        check_place(c, cell)?;
        check_rates(c, cell)?;
        check_access(c, cell)?;
        check_members(c, cell, &plan.nics)?;
        check_generations(c, cell, &plan.nics)?;
        check_own_access(c, cell, &plan.nics)?;
        check_multi_user(c, cell, &plan.nics)?;
    }
    crate::channel::check(plan)
}

/// What only mac80211 has is in its cells only.
fn check_upper_half(c: usize, cell: &Cell, nics: &[AirNic]) -> Check {
    if cell.linux.is_some() {
        return check_radios(c, cell);
    }
    if cell.kind == CellKind::Ibss {
        let reason = format!("'{}' is an IBSS, which airtcp's own MAC has not", cell.name);
        return refuse(format!("air.cells[{c}].kind"), reason, "use mac = \"linux\", or a mesh");
    }
    let foreign =
        |nic: &AirNic| nic.cell as usize == c && matches!(nic.role, NicRole::Ibss | NicRole::Monitor);
    match nics.iter().position(foreign) {
        Some(i) => {
            let reason = format!("'{}' has a role that airtcp's own MAC has not", nics[i].node);
            refuse(format!("air.nics[{i}].role"), reason, "use mac = \"linux\"")
        }
        None => Ok(()),
    }
}

/// mac80211 has no 60 GHz, and sends its own beacons.
fn check_radios(c: usize, cell: &Cell) -> Check {
    if cell.standard == Standard::Dmg {
        let reason = format!("'{}' is at 60 GHz, which mac80211 has not", cell.name);
        return refuse(format!("air.cells[{c}].linux"), reason, "use mac = \"airtcp\"");
    }
    if cell.beacon.is_some() {
        let reason = format!("the beacons of '{}' are frames of mac80211", cell.name);
        return refuse(format!("air.cells[{c}].beacon"), reason, "use null");
    }
    Ok(())
}

/// The channel, and what depends on its band.
fn check_place(c: usize, cell: &Cell) -> Check {
    let key = |name: &str| format!("air.cells[{c}].{name}");
    let channel = cell.channel;
    let Some(width) = Width::from_mhz(channel.width_mhz) else {
        let reason = format!("there is no channel of {} MHz", channel.width_mhz);
        return refuse(key("channel.width_mhz"), reason, "choose 20, 40, 80, 160, 320, or 2160 in 11ad");
    };
    let Some(band) = Band::of_mhz(channel.primary_mhz) else {
        let reason = format!("{} MHz is in no band of 802.11", channel.primary_mhz);
        return refuse(key("channel.primary_mhz"), reason, "choose a channel at 2.4, 5, 6 or 60 GHz");
    };
    if !is_in_band(cell.standard, band) {
        let reason = standard_bands_sentence(cell.standard).replace("{}", &band.to_string());
        return refuse(key("channel.primary_mhz"), reason, "choose another channel or standard");
    }
    check_channel(format_of(cell.standard), band, channel.primary_mhz, channel.centre_mhz, width)
        .or_else(|e| refuse(key("channel"), e.to_string(), "choose a channel of the standard"))?;
    if cell.protection != ErpProtection::None && (band != Band::Ghz2_4 || cell.standard == Standard::HrDsss) {
        return refuse(key("protection"), PROTECTION_SENTENCE, "use none");
    }
    Ok(())
}

/// Basic rates exist, and group frames use one of them.
fn check_rates(c: usize, cell: &Cell) -> Check {
    // In 11ad the rates of control frames follow from the MCS alone (IEEE 802.11-2020, 10.6.7): basic rates mean nothing.
    if cell.standard == Standard::Dmg {
        return Ok(());
    }
    if cell.basic_rates_bps.is_empty() {
        let remedy = "name at least the slowest rate of the standard";
        return refuse(format!("air.cells[{c}].basic_rates_bps"), "there is no basic rate", remedy);
    }
    if !cell.basic_rates_bps.contains(&cell.group_rate_bps) {
        let reason = format!("{} is not a basic rate of '{}'", cell.group_rate_bps, cell.name);
        let remedy = "choose a basic rate, or make this one basic";
        return refuse(format!("air.cells[{c}].group_rate_bps"), reason, remedy);
    }
    let band = Band::of_mhz(cell.channel.primary_mhz);
    for (i, &rate) in cell.basic_rates_bps.iter().enumerate() {
        let (Some(tx), Some(band)) = (crate::phy::BasicRates::tx_vector_of(rate), band) else { continue };
        if !can_be_basic(cell.standard, band, tx) {
            let reason = format!("{rate} is not a rate of '{}'", cell.name);
            return refuse(
                format!("air.cells[{c}].basic_rates_bps[{i}]"),
                reason,
                "name rates of the standard",
            );
        }
    }
    Ok(())
}

fn check_access(c: usize, cell: &Cell) -> Check {
    let key = |name: &str| format!("air.cells[{c}].{name}");
    if ![1, 4].contains(&cell.access.len()) {
        let reason = format!("{} entries are neither DCF nor EDCA", cell.access.len());
        return refuse(key("access"), reason, "give one entry for DCF, four for EDCA");
    }
    for (i, parameters) in cell.access.iter().enumerate() {
        check_parameters(&key(&format!("access[{i}]")), *parameters)?;
    }
    let given = |limit: Option<u32>| limit.unwrap_or(1);
    for (name, limit) in [
        ("rts_retry_limit", given(cell.rts_retry_limit)),
        ("block_ack_req_retry_limit", given(cell.block_ack_req_retry_limit)),
        ("short_retry_limit", cell.short_retry_limit),
        ("long_retry_limit", cell.long_retry_limit),
        ("subframe_retry_limit", cell.subframe_retry_limit),
        ("station_retry_limit", cell.station_retry_limit),
    ] {
        if limit == 0 {
            return refuse(key(name), "with no attempt no frame is ever sent", "allow at least 1 attempt");
        }
    }
    match cell.beacon {
        Some(beacon) if !(1024..=BEACON_INTERVAL_LIMIT_US).contains(&beacon.interval_us) => {
            let reason =
                format!("{} us is not between 1 and 65535 time units of 1024 us", beacon.interval_us);
            refuse(key("beacon.interval_us"), reason, "use 102400 us, or null for no beacons")
        }
        _ => Ok(()),
    }
}

/// Access parameters that a NIC has instead of its cell's are as many.
fn check_own_access(c: usize, cell: &Cell, nics: &[AirNic]) -> Check {
    for (i, nic) in nics.iter().enumerate().filter(|(_, nic)| nic.cell as usize == c) {
        let Some(own) = &nic.access else { continue };
        if own.len() != cell.access.len() {
            let reason = format!("'{}' has {}, and its cell {}", nic.node, own.len(), cell.access.len());
            return refuse(format!("air.nics[{i}].access"), reason, "give as many entries as the cell has");
        }
        for (n, parameters) in own.iter().enumerate() {
            check_parameters(&format!("air.nics[{i}].access[{n}]"), *parameters)?;
        }
    }
    Ok(())
}

fn check_parameters(key: &str, parameters: AccessParameters) -> Check {
    for (name, cw) in [("cw_min", parameters.cw_min), ("cw_max", parameters.cw_max)] {
        if cw > CW_LIMIT || !(cw + 1).is_power_of_two() {
            let reason = format!("{cw} is not one less than a power of two up to {}", CW_LIMIT + 1);
            return refuse(format!("{key}.{name}"), reason, "use a value such as 15 or 1023");
        }
    }
    if parameters.cw_min > parameters.cw_max {
        let reason = format!("cw_min {} is more than cw_max {}", parameters.cw_min, parameters.cw_max);
        return refuse(format!("{key}.cw_min"), reason, "lower cw_min or raise cw_max");
    }
    if !(1..=AIFSN_LIMIT).contains(&parameters.aifsn) {
        let reason = format!("an AIFSN of {} can't be announced", parameters.aifsn);
        return refuse(format!("{key}.aifsn"), reason, "use 1 to 15; DCF has 2");
    }
    if parameters.txop_us > TXOP_LIMIT_US {
        let reason = format!("a TXOP limit of {} us can't be announced", parameters.txop_us);
        return refuse(format!("{key}.txop_us"), reason, "use up to 2097120 us; 0 is one exchange");
    }
    Ok(())
}

fn check_members(c: usize, cell: &Cell, nics: &[AirNic]) -> Check {
    let members = || nics.iter().enumerate().filter(|(_, n)| n.cell as usize == c);
    let access_points = members().filter(|(_, n)| n.role == NicRole::AccessPoint).count();
    match cell.kind {
        CellKind::Infrastructure if cell.has_access_point() && access_points != 1 => {
            let reason = format!("'{}' has {access_points} access points", cell.name);
            return refuse(format!("air.cells[{c}]"), reason, "give each infrastructure cell exactly one");
        }
        CellKind::Mesh if members().count() == 0 => {
            let reason = format!("'{}' has no mesh station", cell.name);
            return refuse(format!("air.cells[{c}]"), reason, "give it at least one");
        }
        _ => {}
    }
    let fits = |role: NicRole| match cell.kind {
        _ if role == NicRole::Monitor => cell.linux.is_some(),
        CellKind::Infrastructure => matches!(role, NicRole::AccessPoint | NicRole::Station),
        CellKind::Mesh => role == NicRole::Mesh,
        CellKind::Ibss => role == NicRole::Ibss,
    };
    match members().find(|(_, n)| !fits(n.role)) {
        Some((i, nic)) => {
            let reason = format!("'{}' has another role than '{}' has members", nic.node, cell.name);
            let remedy = "mesh cells have mesh stations, others an access point and stations";
            refuse(format!("air.nics[{i}].role"), reason, remedy)
        }
        None => Ok(()),
    }
}

/// A NIC with a PHY or a width of its own has what the band allows, and understands the basic rates.
fn check_generations(c: usize, cell: &Cell, nics: &[AirNic]) -> Check {
    let Some(band) = Band::of_mhz(cell.channel.primary_mhz) else { return Ok(()) };
    for (i, nic) in nics.iter().enumerate().filter(|(_, nic)| nic.cell as usize == c) {
        let standard = nic.standard_in(cell);
        let key = |name: &str| format!("air.nics[{i}].{name}");
        if !is_in_band(standard, band) || (standard == Standard::Dmg) != (cell.standard == Standard::Dmg) {
            let reason = standard_bands_sentence(standard).replace("{}", &band.to_string());
            return refuse(key("standard"), reason, "choose a standard of the band");
        }
        if let Some(width_mhz) = nic.width_mhz {
            let known = Width::from_mhz(width_mhz).filter(|_| width_mhz <= cell.channel.width_mhz);
            let Some(width) = known else {
                let reason =
                    format!("{width_mhz} MHz is no part of a channel of {} MHz", cell.channel.width_mhz);
                return refuse(key("width_mhz"), reason, "use the cell's or a narrower one");
            };
            check_width(format_of(standard), width, band)
                .or_else(|e| refuse(key("width_mhz"), e.to_string(), "choose a narrower one"))?;
        }
        let knows = |rate: &BitRate| {
            crate::phy::BasicRates::tx_vector_of(*rate).is_none_or(|tx| can_be_basic(standard, band, tx))
        };
        if let Some(rate) = cell.basic_rates_bps.iter().find(|rate| nic.standard.is_some() && !knows(rate)) {
            let reason = format!("'{}' has no {rate}, which is a basic rate of '{}'", nic.node, cell.name);
            return refuse(key("standard"), reason, "choose basic rates that every member has");
        }
    }
    Ok(())
}

/// Checks what a NIC asks of those who send to it.
fn check_as_receiver(i: usize, nic: &AirNic, standard: Standard) -> Check {
    let padding = NominalPadding::from_micros(nic.nominal_packet_padding_us);
    let has_padding = match padding {
        Some(NominalPadding::Us0) => true,
        Some(NominalPadding::Us20) => standard == Standard::Eht,
        Some(_) => matches!(standard, Standard::He | Standard::Eht),
        None => false,
    };
    if !has_padding {
        let reason =
            format!("a receiver of this standard cannot ask for {} us", nic.nominal_packet_padding_us);
        let remedy = "use 0; 8 or 16 in 11ax and 11be, 20 in 11be";
        return refuse(format!("air.nics[{i}].nominal_packet_padding_us"), reason, remedy);
    }
    match nic.aggregation {
        Some(Aggregation { start_spacing_ns, .. }) if !START_SPACINGS_NS.contains(&start_spacing_ns) => {
            let reason = format!("no receiver can announce {start_spacing_ns} ns");
            let remedy = "use 0, 250, 500, 1000, 2000, 4000, 8000 or 16000";
            refuse(format!("air.nics[{i}].aggregation.start_spacing_ns"), reason, remedy)
        }
        _ => Ok(()),
    }
}

fn check_nics(plan: &AirPlan) -> Check {
    let mut owners = BTreeMap::new();
    for (i, nic) in plan.nics.iter().enumerate() {
        check_card(i, nic)?;
        let key = |name: &str| format!("air.nics[{i}].{name}");
        if nic.cell as usize >= plan.cells.len() {
            let reason = format!("there is no air.cells[{}]", nic.cell);
            return refuse(key("cell"), reason, "use the number of a cell");
        }
        if nic.mac.is_group() {
            return refuse(
                key("mac"),
                format!("{} is a group address", nic.mac),
                "use an individual address",
            );
        }
        if let Some(owner) = owners.insert(nic.mac.0, &nic.node) {
            let reason = format!("'{}' and '{owner}' have the same address {}", nic.node, nic.mac);
            return refuse(key("mac"), reason, "give every NIC its own");
        }
        check_as_receiver(i, nic, nic.standard_in(&plan.cells[nic.cell as usize]))?;
        let (name, count) = match nic.queue {
            QueuePlan::Fifo { packets } => ("queue.packets", packets),
            QueuePlan::Direct { aggregates } => ("queue.aggregates", aggregates),
            QueuePlan::FqCodel(parameters) => ("queue.packets", parameters.packets.min(parameters.flows)),
        };
        if count == 0 {
            let reason = format!("the queue of '{}' holds no frame", nic.node);
            return refuse(key(name), reason, "use at least 1");
        }
        if count > QUEUE_LIMIT {
            let reason = format!("the queue of '{}' holds {count}", nic.node);
            return refuse(key(name), reason, "use at most 1048576");
        }
        if let QueuePlan::FqCodel(FqCodelPlan { flows, quantum_bytes, airtime_quantum_us, .. }) = nic.queue {
            if flows > FLOWS_LIMIT {
                let reason = format!("the queue of '{}' has {flows} flows", nic.node);
                return refuse(key("queue.flows"), reason, "use at most 1048576; mac80211 has 4096");
            }
            if airtime_quantum_us == 0 {
                let reason = "without an airtime quantum no station has a turn";
                return refuse(key("queue.airtime_quantum_us"), reason, "use at least 1; mac80211 has 256");
            }
            if quantum_bytes == 0 {
                let reason = format!("no flow of '{}' ever has its turn", nic.node);
                return refuse(key("queue.quantum_bytes"), reason, "use at least 1; mac80211 has 300");
            }
        }
    }
    Ok(())
}
