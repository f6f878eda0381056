//! Cells of mac80211.

use super::refusal::{Check, wrong};
use crate::{
    BeaconAccess, Cell, CellKind, INTERFACE_NAME_MAX, LINUX_BSS_MAX, LinuxBss, LinuxCell, LinuxRateControl,
    LinuxSetup, NicRole, Node, Plan, RtsPolicy, Security, Standard,
};

/// Longest SSID (IEEE 802.11-2020, 9.4.2.2).
const SSID_MAX: usize = 32;
/// Lengths of a passphrase (IEEE 802.11-2020, J.4).
const PASSPHRASE: std::ops::RangeInclusive<usize> = 8..=63;
/// Beacon intervals that cfg80211 takes (`cfg80211_validate_beacon_int`).
const BEACON_TU: std::ops::RangeInclusive<u32> = 10..=10_000;
/// DTIM periods (IEEE 802.11-2020, 9.4.2.5: an octet, not 0).
const DTIM: std::ops::RangeInclusive<u32> = 1..=255;

impl Plan {
    /// Checks cells of mac80211 and their radios, and that other cells have no settings of mac80211.
    pub(super) fn check_linux(&self) -> Check {
        for (c, cell) in self.air.cells.iter().enumerate() {
            let key = format!("air.cells[{c}]");
            match &cell.linux {
                Some(linux) if linux.setup == LinuxSetup::Programs && !self.guest.privileged => {
                    return wrong(format!("{key}.linux.setup"), "only privileged programs set up radios");
                }
                Some(linux) => {
                    check_cell(&key, cell, linux)?;
                    self.check_bss(&key, c, linux)?;
                }
                None if cell.kind == CellKind::Ibss => {
                    return wrong(format!("{key}.kind"), "an IBSS needs a cell of mac80211");
                }
                None => {}
            }
        }
        for (i, nic) in self.air.nics.iter().enumerate() {
            let cell = &self.air.cells[nic.cell as usize];
            if cell.linux.is_none() && matches!(nic.role, NicRole::Ibss | NicRole::Monitor) {
                return wrong(format!("air.nics[{i}].role"), "needs a cell of mac80211");
            }
            if cell.linux.is_some() && !fits(nic.role, cell.kind) {
                let why = format!("does not belong to the kind of cell of '{}'", cell.name);
                return wrong(format!("air.nics[{i}].role"), why);
            }
            if cell.linux.is_some() && !nic.mesh_routes.is_empty() {
                return wrong(format!("air.nics[{i}].mesh_routes"), "mac80211 finds its own routes");
            }
        }
        Ok(())
    }
}

impl Plan {
    fn check_bss(&self, key: &str, c: usize, linux: &LinuxCell) -> Check {
        if linux.bss.is_empty() {
            return Ok(());
        }
        if linux.setup != LinuxSetup::Daemons || linux.bss.len() > LINUX_BSS_MAX {
            let why = format!("a radio has at most {LINUX_BSS_MAX} further ones, and hostapd makes them");
            return wrong(format!("{key}.linux.bss"), why);
        }
        let access_point =
            self.air.nics.iter().find(|nic| nic.cell as usize == c && nic.role == NicRole::AccessPoint);
        let node = access_point.and_then(|nic| self.node(&nic.node));
        for (b, bss) in linux.bss.iter().enumerate() {
            let inside = |name: &str| format!("{key}.linux.bss[{b}].{name}");
            if !(1..=SSID_MAX).contains(&bss.ssid.len()) {
                return wrong(inside("ssid"), format!("must have 1 to {SSID_MAX} octets"));
            }
            let (interface, bridge) = (&bss.interface, &bss.bridge);
            if !(1..=INTERFACE_NAME_MAX).contains(&interface.len()) {
                return wrong(inside("interface"), format!("must have 1 to {INTERFACE_NAME_MAX} octets"));
            }
            let has_name = |other: &LinuxBss| other.interface == *interface;
            let has_device = |node: &Node| node.device(interface).is_some();
            if node.is_some_and(has_device) || linux.bss[..b].iter().any(has_name) {
                let why = format!("the name {interface} is already taken: choose another for this network");
                return wrong(inside("interface"), why);
            }
            if !node.is_some_and(|node| node.bridges.iter().any(|own| own.name == *bridge)) {
                return wrong(inside("bridge"), format!("the access point has no bridge {bridge}"));
            }
            let is_station = |nic: &u32| {
                let nic = self.air.nics.get(*nic as usize);
                nic.is_some_and(|nic| nic.cell as usize == c && nic.role == NicRole::Station)
            };
            if !bss.stations.iter().all(is_station) {
                return wrong(inside("stations"), "are not all stations of the cell");
            }
            check_passphrase(&inside("security"), &bss.security)?;
        }
        Ok(())
    }
}

fn fits(role: NicRole, kind: CellKind) -> bool {
    match role {
        NicRole::AccessPoint | NicRole::Station => kind == CellKind::Infrastructure,
        NicRole::Mesh => kind == CellKind::Mesh,
        NicRole::Ibss => kind == CellKind::Ibss,
        NicRole::Monitor => true,
    }
}

fn check_cell(key: &str, cell: &Cell, linux: &LinuxCell) -> Check {
    let inside = |name: &str| format!("{key}.linux.{name}");
    if cell.beacon.is_some() {
        return wrong(format!("{key}.beacon"), "mac80211 sends its own beacons");
    }
    if matches!(cell.standard, Standard::Dmg | Standard::Eht) {
        return wrong(format!("{key}.standard"), "is not supported with mac80211");
    }
    if !(1..=SSID_MAX).contains(&linux.ssid.len()) {
        return wrong(inside("ssid"), format!("must have 1 to {SSID_MAX} octets"));
    }
    if !BEACON_TU.contains(&linux.beacon_tu) {
        return wrong(inside("beacon_tu"), "must be from 10 to 10000");
    }
    if !DTIM.contains(&linux.dtim) {
        return wrong(inside("dtim"), "must be from 1 to 255");
    }
    let foreign = cell.standard == Standard::He || cell.channel.width_mhz > 80;
    if foreign && linux.rate_control == LinuxRateControl::Kernel {
        return wrong(inside("rate_control"), "minstrel_ht supports neither HE nor more than 80 MHz");
    }
    let own_rts = cell.rts_policy != RtsPolicy::RateControl || cell.rts_threshold_us.is_some();
    if own_rts && linux.rate_control == LinuxRateControl::Kernel {
        return wrong(format!("{key}.rts_policy"), "the kernel's rate control says what begins with RTS");
    }
    if cell.kind == CellKind::Ibss && cell.beacon_access == BeaconAccess::Pifs {
        return wrong(format!("{key}.beacon_access"), "the stations of an IBSS contend for their beacons");
    }
    if linux.setup != LinuxSetup::Daemons && linux.security != Security::Open {
        return wrong(inside("security"), "encryption needs the set-up by hostapd and wpa_supplicant");
    }
    if linux.setup != LinuxSetup::Direct && cell.kind != CellKind::Infrastructure {
        return wrong(inside("setup"), "only the agent sets up a mesh or an IBSS");
    }
    check_texts(key, linux)
}

/// Texts become lines of configuration files.
fn check_texts(key: &str, linux: &LinuxCell) -> Check {
    check_passphrase(&format!("{key}.linux.security"), &linux.security)?;
    for (name, lines) in [("hostapd", &linux.hostapd), ("wpa_supplicant", &linux.wpa_supplicant)] {
        if let Some(l) = lines.iter().position(|line| !is_line(line)) {
            return wrong(format!("{key}.linux.{name}[{l}]"), "must be a line of printable ASCII");
        }
    }
    Ok(())
}

fn check_passphrase(key: &str, security: &Security) -> Check {
    match security {
        Security::Wpa2 { passphrase } | Security::Wpa3 { passphrase }
            if !PASSPHRASE.contains(&passphrase.len()) || !is_line(passphrase) =>
        {
            wrong(format!("{key}.passphrase"), "must have 8 to 63 characters of printable ASCII")
        }
        _ => Ok(()),
    }
}

fn is_line(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}
