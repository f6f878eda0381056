//! What a cell with PPDUs of several users must satisfy.

use airtcp_plan::{
    AggregatesFormed, AirNic, Cell, CellKind, LinuxCell, LinuxRateControl, LinuxSetup, MuEdcaParameters,
    NicRole, RandomAccessPlan, Standard,
};

use crate::low::rus_beside_random;
use crate::phy::Width;
use crate::setup_error::{Check, refuse};

/// Users of a PPDU: as many as the smallest resource units of 320 MHz could have are more than any signalling field describes; HE-SIG-B
/// of 160 MHz has 74 (IEEE 802.11ax-2021, Table 27-6).
const STATIONS_LIMIT: u32 = 74;

const fn has_ofdma(standard: Standard) -> bool {
    matches!(standard, Standard::He | Standard::Eht)
}

/// Checks the PPDUs of several users of the cell with this number.
pub(super) fn check_multi_user(c: usize, cell: &Cell, nics: &[AirNic]) -> Check {
    let Some(plan) = &cell.multi_user else { return Ok(()) };
    let key = |name: &str| format!("air.cells[{c}].multi_user{name}");
    if cell.kind != CellKind::Infrastructure {
        let reason =
            format!("only an access point sends to several stations at once, and '{}' has none", cell.name);
        return refuse(key(""), reason, "use a cell of kind infrastructure, or leave multi_user out");
    }
    if !has_ofdma(cell.standard) {
        let reason = format!(
            "only 11ax and 11be have resource units, and the access point of '{}' is older",
            cell.name
        );
        return refuse(key(""), reason, "choose standard 11ax or 11be, or leave multi_user out");
    }
    if !(2..=STATIONS_LIMIT).contains(&plan.stations) {
        let reason = format!("{} stations do not share a PPDU", plan.stations);
        return refuse(key(".stations"), reason, "use 2 to 74; ns-3 has 4");
    }
    if let Some(linux) = &cell.linux {
        check_linux(c, &cell.name, linux)?;
    }
    let members = || nics.iter().enumerate().filter(|(_, nic)| nic.cell as usize == c);
    let understands = |nic: &AirNic| {
        nic.role == NicRole::Station
            && has_ofdma(nic.standard_in(cell))
            && nic.aggregation.is_some_and(|limits| limits.ampdu_bytes > 0)
    };
    // Stations of other cells of mac80211 may roam to a cell that has none.
    let may_have = cell.linux.is_none() || members().any(|(_, nic)| nic.role == NicRole::Station);
    if may_have && !members().any(|(_, nic)| understands(nic)) {
        let reason = format!(
            "'{}' has no station of 11ax or 11be with aggregation, so no station understands it",
            cell.name
        );
        return refuse(key(""), reason, "give it one, or leave multi_user out");
    }
    if plan.uplink.is_some() {
        check_uplink(c, cell, nics)?;
    }
    match members().find(|(_, nic)| nic.role == NicRole::AccessPoint && forms_ahead(nic)) {
        Some((i, nic)) => {
            let reason = format!(
                "the card of '{}' forms aggregates before it knows with whom it will share a PPDU",
                nic.node
            );
            refuse(
                format!("air.nics[{i}].card.hardware_queue.aggregates"),
                reason,
                "use at_access, or leave multi_user of the cell out",
            )
        }
        None => Ok(()),
    }
}

/// What mac80211 and its daemons must leave as it is.
fn check_linux(c: usize, name: &str, linux: &LinuxCell) -> Check {
    let key = |field: &str| format!("air.cells[{c}].{field}");
    if linux.setup == LinuxSetup::Programs {
        let reason = format!("programs set up the network of '{name}', so its access point is not known");
        return refuse(key("multi_user"), reason, "choose another setup, or leave multi_user out");
    }
    if linux.rate_control == LinuxRateControl::Kernel {
        let reason = format!("the kernel's rate control, which '{name}' has, knows no modes of 11ax");
        return refuse(key("linux.rate_control"), reason, "use ours, or leave multi_user out");
    }
    let is_without_he = |line: &&String| {
        let (option, value) = line.split_once('=').unwrap_or((line, ""));
        matches!((option.trim(), value.trim()), ("ieee80211ax", "0") | ("disable_he", "1"))
    };
    let lists = [("linux.hostapd", &linux.hostapd), ("linux.wpa_supplicant", &linux.wpa_supplicant)];
    for (field, lines) in lists {
        if let Some(line) = lines.iter().find(is_without_he) {
            let reason = format!("'{line}' makes '{name}' a network without 11ax");
            return refuse(key(field), reason, "leave that line out, or multi_user");
        }
    }
    Ok(())
}

/// Whether a card forms aggregates before it has the medium.
fn forms_ahead(nic: &AirNic) -> bool {
    nic.card.hardware_queue.is_some_and(|queue| queue.aggregates == AggregatesFormed::AtEntry)
}

/// Received power of 20 MHz that a trigger frame can ask for (IEEE 802.11ax-2021, 9.3.1.22.1: UL Target Receive Power).
const TARGET_RSSI_DBM: std::ops::RangeInclusive<f64> = -110.0..=-20.0;

/// Checks what answers to trigger frames need beside.
fn check_uplink(c: usize, cell: &Cell, nics: &[AirNic]) -> Check {
    let key = |name: &str| format!("air.cells[{c}].multi_user.uplink{name}");
    if cell.access.len() != 4 {
        let reason = format!("trigger frames ask for QoS frames, and '{}' has DCF", cell.name);
        return refuse(key(""), reason, "give its access four categories, or leave uplink out");
    }
    let target = cell.multi_user.and_then(|plan| plan.uplink).and_then(|uplink| uplink.target_rssi_dbm);
    if let Some(target) = target.filter(|target| !TARGET_RSSI_DBM.contains(&target.get())) {
        let reason = format!("a trigger frame can't ask for {} dBm", target.get());
        return refuse(key(".target_rssi_dbm"), reason, "use -110 to -20 dBm");
    }
    check_mu_edca(c, cell)?;
    check_random_access(c, cell)?;
    let mut members = nics.iter().enumerate().filter(|(_, nic)| nic.cell as usize == c);
    match members.find(|(_, nic)| nic.role == NicRole::Station && forms_ahead(nic)) {
        Some((i, nic)) => {
            let reason = format!(
                "the card of '{}' forms aggregates before it knows how much a trigger frame grants",
                nic.node
            );
            let place = format!("air.nics[{i}].card.hardware_queue.aggregates");
            refuse(place, reason, "use at_access, or leave uplink of the cell out")
        }
        None => Ok(()),
    }
}

/// The largest OFDMA contention window: `EOCWmax` of 7 (IEEE 802.11ax-2021, 9.4.2.250).
const OCW_LIMIT: u32 = (1 << 7) - 1;
/// A user information field announces 32 RA-RUs at most (9.3.1.22.1: Number Of RA-RU).
const RANDOM_RUS_LIMIT: u32 = 32;

/// Checks resource units for random access: with those of one station they go into the channel.
fn check_random_access(c: usize, cell: &Cell) -> Check {
    let key = |name: &str| format!("air.cells[{c}].multi_user.uplink.random_access.{name}");
    let uplink = cell.multi_user.and_then(|plan| plan.uplink);
    let Some(plan) = uplink.and_then(|uplink| uplink.random_access) else { return Ok(()) };
    let RandomAccessPlan { rus, ocw_min, ocw_max } = plan;
    let width = Width::from_mhz(cell.channel.width_mhz).unwrap_or(Width::Mhz20);
    let most =
        (rus_beside_random(width, 1, RANDOM_RUS_LIMIT as usize).count() as u32 - 1).min(RANDOM_RUS_LIMIT);
    if !(1..=most).contains(&rus) {
        let reason = format!("{rus} random access RUs do not go into {} MHz", width.mhz());
        return refuse(key("rus"), reason, &format!("use 1 to {most}"));
    }
    let is_window = |ocw: u32| (ocw + 1).is_power_of_two() && ocw <= OCW_LIMIT;
    if !is_window(ocw_min) || !is_window(ocw_max) || ocw_min > ocw_max {
        let reason = format!("{ocw_min} to {ocw_max} are no OFDMA contention windows");
        return refuse(key("ocw_min"), reason, "use powers of two less one, the smaller first, to 127");
    }
    Ok(())
}

/// The largest contention window that an element can announce: `ECWmax` of 15 (IEEE 802.11-2020, 9.4.2.28).
const CW_LIMIT: u32 = (1 << 15) - 1;

/// Checks how stations contend after they have answered a trigger frame.
fn check_mu_edca(c: usize, cell: &Cell) -> Check {
    for (ac, of_category) in cell.mu_edca().iter().flatten().enumerate() {
        let key = |name: &str| format!("air.cells[{c}].multi_user.uplink.mu_edca[{ac}].{name}");
        let MuEdcaParameters { aifsn, cw_min, cw_max, timer } = *of_category;
        let is_window = |cw: u32| (cw + 1).is_power_of_two() && cw <= CW_LIMIT;
        if aifsn == 1 || aifsn > 15 {
            let reason = format!("{aifsn} is no AIFSN of a station");
            return refuse(key("aifsn"), reason, "use 2 to 15, or 0 for a category that does not contend");
        }
        if !is_window(cw_min) || !is_window(cw_max) || cw_min > cw_max {
            let reason = format!("{cw_min} to {cw_max} are no contention windows");
            return refuse(key("cw_min"), reason, "use powers of two less one, the smaller first, to 32767");
        }
        if timer == 0 {
            return refuse(key("timer"), "a timer of 0 is reserved", "use 1 to 255, or leave mu_edca out");
        }
    }
    Ok(())
}
