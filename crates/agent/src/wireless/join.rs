//! Radios that need no access point: mesh stations, stations of an IBSS, monitors.

use airtcp_plan::{NicRole, RateControlPlan};

use super::element::basic_rates;
use super::radio::{Radio, RadioFacts};
use super::tuning::bitrate_mask;
use crate::clock::{since_boot_ns, sleep_until_since_boot};
use crate::failure::{KERNEL_REMEDY, Outcome, because, failure};
use crate::netlink::Request;
use crate::netlink::generic::HEADER_BYTES;
use crate::netlink::message::find;
use crate::netlink::nl80211::{self, attribute, command};

/// `NL80211_STA_INFO_PLINK_STATE`.
const STA_INFO_PLINK_STATE: u16 = 6;
/// `NL80211_PLINK_ESTAB`.
const PLINK_ESTABLISHED: u8 = 4;
/// When neighbours are first looked for; then after twice as long, and so on.
const LOOK_FIRST_NS: u64 = 10_000_000;

/// The network begins, or the station joins it.
pub(super) fn join(radio: &mut Radio) -> Outcome<()> {
    let facts = radio.facts.clone();
    match facts.nic.role {
        NicRole::Mesh => {
            let request = mesh_request(radio.request(command::JOIN_MESH), &facts);
            radio.execute("join the mesh", request)
        }
        NicRole::Ibss => {
            let request = ibss_request(radio.request(command::JOIN_IBSS), &facts);
            radio.execute("join the IBSS", request)
        }
        NicRole::Monitor => {
            let request = radio.request(command::SET_WIPHY);
            let request = nl80211::tuned(request, facts.cell.channel, facts.has_ht());
            radio.execute("tune the monitor", request)
        }
        NicRole::AccessPoint | NicRole::Station => Ok(()),
    }
}

fn mesh_request(request: Request, facts: &RadioFacts) -> Request {
    let linux = facts.linux();
    let rates: Vec<u8> = basic_rates(&facts.cell).collect();
    let request = request
        .attribute(attribute::MESH_ID, linux.ssid.as_bytes())
        .u32(attribute::BEACON_INTERVAL, linux.beacon_tu)
        .u32(attribute::DTIM_PERIOD, linux.dtim)
        .attribute(attribute::BSS_BASIC_RATES, &rates);
    nl80211::tuned(request, facts.cell.channel, facts.has_ht())
}

/// The BSSID is fixed by the plan, so it does not depend on which station is received first.
fn ibss_request(request: Request, facts: &RadioFacts) -> Request {
    let linux = facts.linux();
    let rates: Vec<u8> = basic_rates(&facts.cell).collect();
    // Individual, and locally administered (IEEE 802.11-2020, 11.1.4.4).
    let bssid = [0x02, 0xad, 0x0c, 0, (facts.nic.cell >> 8) as u8, facts.nic.cell as u8];
    let request = request
        .attribute(attribute::SSID, linux.ssid.as_bytes())
        .attribute(attribute::MAC, &bssid)
        .flag(attribute::FREQ_FIXED)
        .u32(attribute::BEACON_INTERVAL, linux.beacon_tu)
        .attribute(attribute::BSS_BASIC_RATES, &rates);
    nl80211::tuned(request, facts.cell.channel, facts.has_ht())
}

/// Lets virtual time pass until every station of a mesh or an IBSS has a neighbour.
pub(super) fn wait_for_neighbours(radios: &mut [Radio], epoch_ns: u64) -> Outcome<()> {
    let mut step_ns = LOOK_FIRST_NS;
    for radio in radios.iter_mut().filter(|r| matches!(r.facts.nic.role, NicRole::Mesh | NicRole::Ibss)) {
        while !has_neighbour(radio)? {
            if since_boot_ns() >= epoch_ns {
                let what = format!(
                    "{} found no neighbour within {} virtual s",
                    radio.facts.nic.node,
                    epoch_ns as f64 / 1e9
                );
                let remedy = "bring its neighbours nearer, or choose a later epoch";
                return Err(failure(what, &radio.facts.place, remedy));
            }
            sleep_until_since_boot(since_boot_ns() + step_ns);
            step_ns *= 2;
        }
    }
    Ok(())
}

/// Whether the kernel lists another station; in a mesh, whether a peering with one is established.
fn has_neighbour(radio: &mut Radio) -> Outcome<bool> {
    let is_mesh = radio.facts.nic.role == NicRole::Mesh;
    let place = radio.facts.place.clone();
    let mut found = false;
    let listed = radio.dump(command::GET_STATION, |body| {
        let attributes = body.get(HEADER_BYTES..).unwrap_or_default();
        found |= !is_mesh || peered(attributes);
    });
    listed.map_err(because("stations can't be listed", &place, KERNEL_REMEDY))?;
    Ok(found)
}

fn peered(attributes: &[u8]) -> bool {
    let info = find(attributes, attribute::STA_INFO).unwrap_or_default();
    find(info, STA_INFO_PLINK_STATE).is_some_and(|state| state.first() == Some(&PLINK_ESTABLISHED))
}

/// What is set of every radio once its interface is up: a pinned mode, power save. (Limits the driver has from the plan.)
pub(super) fn tune(radio: &mut Radio) -> Outcome<()> {
    let facts = radio.facts.clone();
    if let RateControlPlan::Fixed { mode } = facts.nic.rate_control {
        if facts.linux().rate_control == airtcp_plan::LinuxRateControl::Kernel {
            let request = radio.request(command::SET_TX_BITRATE_MASK);
            let request = bitrate_mask(request, mode, facts.cell.channel.primary_mhz, &facts.band);
            radio.execute("pin the rate", request)?;
        }
    }
    if facts.nic.role == NicRole::Station {
        return set_power_save(radio, facts.linux().power_save);
    }
    Ok(())
}

fn set_power_save(radio: &mut Radio, on: bool) -> Outcome<()> {
    let request = radio.request(command::SET_POWER_SAVE).u32(attribute::PS_STATE, on.into());
    match radio.try_execute("set power save", request) {
        // A driver that never sleeps has nothing to switch off.
        Err(refusal) if !on && refusal.errno == rustix::io::Errno::OPNOTSUPP => Ok(()),
        other => other.map_err(crate::netlink::refused),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlink::generic::header;
    use crate::netlink::message::{attributes, replies};
    use crate::wireless::sample::facts;

    fn kinds(request: Request) -> Vec<u16> {
        let bytes = request.finish(1, 0);
        let body = replies(&bytes).next().unwrap().body;
        attributes(&body[HEADER_BYTES..]).map(|(kind, _)| kind).collect()
    }

    fn empty() -> Request {
        Request::new(30, 0, &header(0))
    }

    #[test]
    fn a_mesh_and_an_ibss_request_their_channel() {
        assert_eq!(kinds(mesh_request(empty(), &facts())), [24, 12, 13, 36, 38, 159]);
        assert_eq!(kinds(ibss_request(empty(), &facts())), [52, 6, 60, 12, 36, 38, 159]);
    }

    #[test]
    fn a_peering_is_one_that_is_established() {
        let joined = |state| {
            let bytes = Request::new(30, 0, &[])
                .nest(attribute::STA_INFO, &[], |r| r.u8(STA_INFO_PLINK_STATE, state))
                .finish(1, 0);
            peered(replies(&bytes).next().unwrap().body)
        };
        assert!(joined(PLINK_ESTABLISHED) && !joined(1));
    }
}
