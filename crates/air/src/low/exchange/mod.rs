//! Frame exchanges, from access to the medium to their outcome.
//!
//! Its files are the steps of the lower half, which join the rooms: what an exchange does to the air, to buffers and to notes is a
//! call of theirs.

mod access;
mod access_parameters;
mod acknowledge;
mod arrival;
mod buffer_reports;
mod captured;
mod compose;
mod edcaf;
mod emit;
mod mu_edca;
mod mu_rts;
mod multi_user;
mod outcome;
mod protection;
mod radio;
mod radio_reception;
mod random_access;
mod shared_by_users;
mod sharing;
mod solicited;
mod triggering;
mod tune;
mod txop_room;
mod uplink;

use airtcp_plan::{AirPlan, RadioChannel};
use airtcp_units::Instant;
use typed_index_collections::TiVec;

use crate::NicId;
use crate::border::TxqId;
use crate::low::contention::EdcafId;
use crate::low::on_air::Others;
use radio::Radio;

/// What every NIC does at present.
#[derive(Debug)]
pub(crate) struct Exchanges {
    radios: TiVec<NicId, Radio>,
    /// NICs that wait for a response, which may not come.
    awaiting: Vec<NicId>,
    /// Whether an access point triggers uplinks.
    any_triggers: bool,
    /// Whether a station may use random access RUs.
    any_random_access: bool,
    /// How many radios are in monitor mode.
    monitors: u32,
    /// Radios of mac80211 that will be on another channel, or off, when their exchange is over.
    retuning: Vec<(NicId, Option<RadioChannel>)>,
    /// EDCAFs that start now; kept for its memory.
    starting: Vec<EdcafId>,
    /// Queues of the users of an exchange; kept for its memory.
    txqs: Others<Option<TxqId>>,
}

impl Exchanges {
    /// NICs of a plan that do nothing yet.
    pub(crate) fn new(plan: &AirPlan, seed: u64) -> Self {
        let radios: TiVec<_, _> =
            (0..plan.nics.len() as u32).map(|nic| Radio::new(plan, NicId(nic), seed)).collect();
        Self {
            any_triggers: radios.iter().any(|radio| radio.triggering.is_some()),
            any_random_access: radios.iter().any(|radio| radio.ofdma_backoff.is_some()),
            radios,
            awaiting: Vec::new(),
            monitors: 0,
            retuning: Vec::new(),
            starting: Vec::new(),
            txqs: Others::default(),
        }
    }

    /// Whether a NIC is in an exchange.
    pub(crate) fn is_in_exchange(&self, nic: NicId) -> bool {
        self.radios[nic].exchange.is_some()
    }

    /// NICs that trigger uplinks, and when each looks for the first time whether it asks its stations.
    pub(crate) fn uplink_requests(&self) -> impl Iterator<Item = (NicId, Instant)> {
        self.radios.iter_enumerated().filter_map(|(nic, radio)| {
            let interval = radio.triggering.as_ref()?.turns.interval()?;
            Some((nic, Instant::ZERO + interval))
        })
    }

    /// A radio of mac80211 is associated with this access point, or with none any more: who may ask it for an uplink.
    pub(crate) fn associated(&mut self, station: NicId, access_point: Option<NicId>) {
        for (nic, radio) in self.radios.iter_mut_enumerated() {
            if let Some(triggering) = &mut radio.triggering {
                if access_point == Some(nic) {
                    triggering.turns.join(station);
                } else {
                    triggering.turns.leave(station);
                }
            }
        }
    }

    /// A station of an access point of mac80211 sleeps, or has woken up.
    pub(crate) fn asleep(&mut self, access_point: NicId, station: NicId, asleep: bool) {
        if let Some(triggering) = &mut self.radios[access_point].triggering {
            triggering.turns.sleep(station, asleep);
        }
    }

    /// Switches monitor mode of a radio: it gets every frame that it can decode.
    pub(crate) fn monitor(&mut self, nic: NicId, on: bool) {
        let before = std::mem::replace(&mut self.radios[nic].monitors, on);
        self.monitors = self.monitors + u32::from(on) - u32::from(before);
    }

    /// What is left of the exchange that a NIC is in is not repeated: for the users that this names.
    pub(crate) fn purge(&mut self, nic: NicId, whose: impl Fn(Option<TxqId>) -> bool) {
        if let Some(exchange) = &mut self.radios[nic].exchange {
            exchange.users.iter_mut().for_each(|user| user.purged |= whose(user.txq));
        }
    }

    /// TXOP limits of the functions of a NIC.
    #[cfg(test)]
    pub(crate) fn txop_limits(&self, nic: NicId) -> impl Iterator<Item = airtcp_units::Duration> + Clone {
        self.radios[nic].edcafs.iter().map(|edcaf| edcaf.txop_limit)
    }

    /// Until when a NIC waits for a response, if it has heard nothing so far.
    #[inline]
    fn response_timeout(&self, nic: NicId) -> Option<Instant> {
        let wait = self.radios[nic].wait.filter(|wait| wait.hears.is_none())?;
        Some(wait.timeout_at)
    }
}
