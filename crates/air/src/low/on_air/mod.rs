//! What is on the air: where NICs are, which of them contend, what they send, who hears and decodes it, and how the time of
//! channels is spent.
//!
//! [`OnAir`] holds all of it. A NIC joins contention ([`access`]), its PPDU begins ([`start`]) and ends ([`end`]); what its users
//! decode of it is in [`reception`], what all others do, and so how long they defer, in [`overhearing`].

mod access;
mod build;
mod carrier_sense;
mod decoding;
mod end;
mod error_rates;
mod interference;
mod medium;
mod medium_time;
mod nic_set;
mod overhearing;
mod overlap;
mod ppdu;
mod preambles;
mod primary_channel;
mod reception;
mod secondary_channels;
mod start;
mod station;
mod transmissions;
mod tuning;
mod uplink_sensing;
mod users;

use airtcp_plan::report::MediumReport;
use airtcp_units::{Duration, Instant};
use typed_index_collections::TiVec;

use crate::channel::{Burst, Channel};
use crate::low::cell::{BssId, Cell, CellId, Response};
use crate::low::contention::{Contention, MemberId};
use crate::phy::TxVector;
use crate::{NicId, TimeSpan};
use carrier_sense::CarrierSense;
use medium::{Medium, SensedPreambles};
use primary_channel::{PrimaryChannel, PrimaryId};
use station::{MediumPlace, Remembered, Station};
use transmissions::Transmissions;

pub(crate) use build::beacons_after_pifs;
pub(crate) use decoding::{Decoder, ErrorRates};
pub(crate) use error_rates::error_rates;
pub(crate) use overlap::Trigger;
pub(crate) use ppdu::{DataSpan, OwnTrigger, Part, Ppdu, PpduUser, Reception};
pub(crate) use start::Emission;
pub(crate) use station::MediumId;
pub(crate) use users::{Others, PerUser, UserId, Users};

/// The media, and what every NIC does there.
#[derive(Debug)]
pub(crate) struct OnAir {
    cells: TiVec<CellId, Cell>,
    stations: TiVec<NicId, Station>,
    media: TiVec<MediumId, Medium>,
    primaries: TiVec<PrimaryId, PrimaryChannel>,
    ppdus: Transmissions,
    decoder: Decoder,
    carrier_sense: CarrierSense,
    /// The present or next burst of each source that is no NIC.
    bursts: Vec<Burst>,
    /// Whether there is a radio that its upper half tunes.
    any_tuned: bool,
    /// What carrier sense must know of the PPDU that begins.
    sensed: SensedPreambles,
    /// NICs that wait for something else than their group after the PPDU that ends, and until when.
    apart: Vec<(NicId, Instant)>,
}

impl OnAir {
    /// The cell whose parameters hold for a NIC.
    #[inline(always)]
    pub(crate) fn cell(&self, nic: NicId) -> &Cell {
        &self.cells[self.stations[nic].cell]
    }

    /// The response to data of a NIC in this mode: see [`Cell::response`]. Most data is like that before.
    #[inline(always)]
    pub(crate) fn response(&mut self, nic: NicId, data: TxVector, window: Option<u16>) -> Response {
        let Station { cell, responses, .. } = &mut self.stations[nic];
        let last = &mut responses[usize::from(window.is_some())];
        match last {
            Some(last) if (last.data, last.window) == (data, window) => last.response,
            _ => {
                let response = self.cells[*cell].response(data, window);
                *last = Some(Remembered { data, window, response });
                response
            }
        }
    }

    /// Where a NIC is.
    #[inline(always)]
    pub(crate) fn place(&self, nic: NicId) -> MediumPlace {
        self.stations[nic].place
    }

    /// The PPDU that a NIC sends, or sent last.
    #[inline(always)]
    pub(crate) fn ppdu(&self, nic: NicId) -> &Ppdu {
        &self.ppdus[nic]
    }

    /// NICs that have a place in a medium, here or on another channel.
    pub(crate) fn members(&self, medium: MediumId) -> &[NicId] {
        &self.media[medium].members.raw
    }

    /// Whether all members of each medium are on one channel.
    #[cfg(test)]
    pub(crate) fn uniform(&self) -> impl Iterator<Item = bool> {
        self.media.iter().map(|medium| medium.uniform)
    }

    /// Start of the oldest PPDU on the air.
    pub(crate) fn on_air_since(&self) -> Option<Instant> {
        self.media.iter().flat_map(|medium| &medium.on_air).map(|&nic| self.ppdus[nic].start).min()
    }

    /// Time for which a NIC has sensed the medium as busy, on all its channels.
    pub(crate) fn busy_time(&self, now: Instant, nic: NicId) -> Duration {
        self.of_all_media(nic, |contention, member| contention.busy_time(now, member))
    }

    /// Time for which a NIC has sensed PPDUs of its BSS, its own among them, on all its channels.
    pub(crate) fn own_bss_time(&self, now: Instant, nic: NicId) -> Duration {
        self.of_all_media(nic, |contention, member| contention.own_bss_time(now, member))
    }

    fn of_all_media(&self, nic: NicId, time: impl Fn(&Contention, MemberId) -> Duration) -> Duration {
        let of = |medium: &Medium| {
            let member = medium.members.position(|&other| other == nic);
            member.map_or(Duration::ZERO, |member| time(&medium.contention, member))
        };
        self.media.iter().map(of).fold(Duration::ZERO, |all, one| all + one)
    }

    /// The BSS of a NIC, if it is in one.
    pub(crate) fn bss(&self, nic: NicId) -> Option<BssId> {
        let place = self.stations[nic].place;
        self.media[place.medium].contention.bss(place.member)
    }

    /// A NIC is in this BSS from now on, on all its channels.
    pub(crate) fn turn_to_bss(&mut self, now: Instant, nic: NicId, bss: Option<BssId>) {
        for medium in &mut self.media {
            if let Some(member) = medium.members.position(|&other| other == nic) {
                medium.contention.turn_to_bss(now, member, bss);
            }
        }
    }

    /// What a NIC transmits is not of its BSS any more, which it leaves.
    pub(crate) fn leaves_bss(&mut self, nic: NicId) {
        self.ppdus[nic].in_bss = false;
    }

    /// How the time of each primary channel of the plan was spent from the epoch up to `now`.
    pub(crate) fn media_reports(&mut self, counted: TimeSpan) -> Vec<MediumReport> {
        let known = self.primaries.iter_mut().filter(|primary| primary.frequency_mhz != 0);
        known.map(|primary| primary.report(counted)).collect()
    }

    /// Received powers have changed, and with them perhaps which NICs hear which others.
    pub(crate) fn update_hearing(&mut self, now: Instant, channel: &Channel) {
        for medium in &mut self.media {
            medium.update_hearing(now, channel, &self.carrier_sense, None);
        }
    }
}
