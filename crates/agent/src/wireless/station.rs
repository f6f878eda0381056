//! A station without `wpa_supplicant`: it joins its access point, and again when it was lost.

use airtcp_plan::MacAddress;
use airtcp_plan::report::Failure;

use super::radio::Radio;
use crate::clock::since_boot_ns;
use crate::failure::{Outcome, failure};
use crate::netlink::generic::HEADER_BYTES;
use crate::netlink::message::{find, u16_at, u32_at};
use crate::netlink::nl80211::{self, Bss, attribute, command};

/// Wait after an attempt to join that failed.
const RETRY_NS: u64 = 50_000_000;

/// One station.
#[derive(Debug)]
pub(super) struct Station {
    pub(super) radio: Radio,
    access_point: MacAddress,
    access_point_node: String,
    state: State,
    last: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The station is not associated, and tries again at this time since boot.
    Apart { retry_ns: u64 },
    /// The kernel scans, authenticates or associates.
    Joining,
    /// Associated.
    Joined,
}

impl Station {
    /// A station that has not started to join this access point.
    pub(super) fn new(radio: Radio, access_point: MacAddress, access_point_node: String) -> Self {
        let last = "it got no answer".to_owned();
        Self { radio, access_point, access_point_node, state: State::Apart { retry_ns: 0 }, last }
    }

    /// Time since boot at which the station tries again, in nanoseconds; `None` if it is joining or has joined.
    pub(super) fn retry_ns(&self) -> Option<u64> {
        if let State::Apart { retry_ns } = self.state { Some(retry_ns) } else { None }
    }

    /// Whether the station is associated.
    pub(super) fn joined(&self) -> bool {
        self.state == State::Joined
    }

    /// Begins to join, if it is time.
    pub(super) fn try_to_join(&mut self) -> Outcome<()> {
        if self.retry_ns().is_none_or(|retry_ns| retry_ns > since_boot_ns()) {
            return Ok(());
        }
        let facts = &self.radio.facts;
        let bss = Bss {
            ssid: facts.linux().ssid.as_bytes(),
            bssid: self.access_point,
            primary_mhz: facts.cell.channel.primary_mhz,
        };
        let request = nl80211::connect(self.radio.bare_request(command::CONNECT), facts.index, bss);
        self.state = State::Joining;
        match self.radio.try_execute("connect", request) {
            Err(refusal) if refusal.errno == rustix::io::Errno::ALREADY => Ok(()),
            other => other.map_err(crate::netlink::refused),
        }
    }

    /// Handles an event of its association.
    pub(super) fn handle_event(&mut self, event: u8, attributes: &[u8]) {
        match event {
            command::CONNECT => {
                let status = find(attributes, attribute::STATUS_CODE).map_or(0, |value| u16_at(value, 0));
                let timed_out = find(attributes, attribute::TIMED_OUT).is_some();
                if status == 0 && !timed_out {
                    self.state = State::Joined;
                    return;
                }
                self.last = if timed_out {
                    "the access point did not answer".to_owned()
                } else {
                    format!("status {status} (IEEE 802.11-2020, table 9-50)")
                };
                self.try_later();
            }
            command::DISCONNECT => {
                "it lost the access point".clone_into(&mut self.last);
                self.try_later();
            }
            _ => {}
        }
    }

    fn try_later(&mut self) {
        self.state = State::Apart { retry_ns: since_boot_ns() + RETRY_NS };
    }

    /// Why the run can't begin.
    pub(super) fn failure(&self, epoch_ns: u64) -> Failure {
        let (own, seconds) = (&self.radio.facts, epoch_ns as f64 / 1e9);
        let what = format!(
            "{} did not associate with {} within {seconds} virtual s: {}",
            own.nic.node, self.access_point_node, self.last
        );
        failure(what, &own.place, "bring them nearer, or choose a later epoch")
    }
}

/// Command, interface and attributes of an event.
pub(super) fn event(body: &[u8]) -> Option<(u8, Option<u32>, &[u8])> {
    let (&number, attributes) = (body.first()?, body.get(HEADER_BYTES..)?);
    Some((number, find(attributes, attribute::IFINDEX).map(|value| u32_at(value, 0)), attributes))
}
