//! Radios of mac80211 change their channel: which medium they are on, and what they can decode there.

use airtcp_plan::RadioChannel;
use airtcp_units::{Duration, Instant};

use super::OnAir;
use super::ppdu::Ppdu;
use super::primary_channel::{PrimaryChannel, PrimaryId};
use super::station::{MediumId, MediumPlace, Station, Tuning};
use crate::NicId;
use crate::border::AccessCategory;
use crate::channel::{Channel, part_of};
use crate::low::cell::{Cell, CellId};
use crate::low::contention::{AccessFunction, Aifs, EdcafId, MemberId};
use crate::phy::{Band, Width, clear_distance_mhz};

/// Whether a radio on one channel can decode what another sends with this width on its own: it must be as wide, and the same part
/// of the spectrum.
const fn covers(own: RadioChannel, others: RadioChannel, width_mhz: u32) -> bool {
    own.primary_mhz == others.primary_mhz
        && own.width_mhz >= width_mhz
        && others.width_mhz >= width_mhz
        && part_of(own, width_mhz) == part_of(others, width_mhz)
}

impl OnAir {
    /// Whether a NIC can be a receiver of a PPDU at all: airtcp's own are, of their cell's. A radio of mac80211 must have been tuned
    /// to its channel since it began, and be wide enough.
    #[inline]
    pub(crate) fn is_tuned(&self, ppdu: &Ppdu, listener: NicId) -> bool {
        !self.any_tuned || self.is_tuned_to(ppdu, listener)
    }

    #[inline(never)]
    fn is_tuned_to(&self, ppdu: &Ppdu, listener: NicId) -> bool {
        let [sender, receiver] = [ppdu.from, listener].map(|nic| &self.stations[nic]);
        match (&sender.tuning, &receiver.tuning) {
            (None, None) => true,
            (Some(from), Some(to)) => {
                let channels = from.channel.zip(to.channel);
                let same = sender.place.medium == receiver.place.medium && to.since <= ppdu.start;
                same && channels.is_some_and(|(from, to)| covers(to, from, ppdu.first().tx.width().mhz()))
            }
            _ => false,
        }
    }

    /// Whether a radio has no channel. A NIC that is not tuned is never off.
    #[inline]
    pub(crate) fn is_off(&self, nic: NicId) -> bool {
        self.stations[nic].tuning.as_ref().is_some_and(|tuning| tuning.channel.is_none())
    }

    /// Centre of the primary channel of a NIC; 0 if it is off.
    pub(crate) fn primary_mhz(&self, nic: NicId) -> u32 {
        let station = &self.stations[nic];
        let here = self.primaries[station.place.primary].frequency_mhz;
        station.tuning.as_ref().map_or(here, |tuning| tuning.primary_mhz())
    }

    fn tuning(&mut self, nic: NicId) -> &mut Tuning {
        self.stations[nic].tuning.as_mut().expect("it is a radio of mac80211")
    }

    /// A radio of mac80211 that is in no exchange is on another channel now, or off. True if that is in another place.
    pub(crate) fn retune(
        &mut self,
        now: Instant,
        nic: NicId,
        tuned: Option<RadioChannel>,
        channel: &mut Channel,
    ) -> bool {
        let tuning = self.tuning(nic);
        let before = tuning.primary_mhz();
        if tuning.channel == tuned {
            return false;
        }
        (tuning.channel, tuning.since) = (tuned, now);
        if tuning.primary_mhz() == before {
            // Only its width is another: it stays where it is, with its backoffs.
            channel.tune(now, nic, tuned);
            self.update_hearing_of(now, self.stations[nic].place.medium, channel, None);
            return false;
        }
        let left = self.leave_medium(now, nic);
        channel.tune(now, nic, tuned);
        let MediumPlace { medium: joined, member, .. } = self.join_medium(nic, tuned);
        if joined != left {
            self.update_hearing_of(now, left, channel, None);
        }
        let slot = self.cell(nic).times.slot;
        self.update_hearing_of(now, joined, channel, Some((member, slot)));
        true
    }

    fn update_hearing_of(
        &mut self,
        now: Instant,
        medium: MediumId,
        channel: &Channel,
        newcomer: Option<(MemberId, Duration)>,
    ) {
        self.media[medium].update_hearing(now, channel, &self.carrier_sense, newcomer);
    }

    /// A radio leaves its medium, with what was left of its backoffs.
    fn leave_medium(&mut self, now: Instant, nic: NicId) -> MediumId {
        let MediumPlace { medium: left, member, primary } = self.stations[nic].place;
        let medium = &mut self.media[left];
        let primary = &mut self.primaries[primary];
        for function in AccessFunction::ALL {
            let id = EdcafId::new(member, function);
            primary.backlogged -= u32::from(medium.contention.is_waiting(id));
            medium.contention.withdraw(now, id);
        }
        medium.present[member] = false;
        primary.settle(now);
        left
    }

    /// A radio comes to the medium of this channel, or to that for all channels which no cell of the plan has.
    fn join_medium(&mut self, nic: NicId, channel: Option<RadioChannel>) -> MediumPlace {
        let primary_mhz = channel.map_or(0, |channel| channel.primary_mhz);
        let (joined, primary) = self.place_of(channel);
        let medium = &mut self.media[joined];
        let member = medium.members.position(|&other| other == nic);
        let member = member.expect("radios of mac80211 are members of every medium");
        medium.present[member] = channel.is_some();
        let PrimaryChannel { cell, frequency_mhz, .. } = self.primaries[primary];
        let foreign = if frequency_mhz == 0 { medium.cell } else { cell };
        let place = MediumPlace { medium: joined, member, primary };
        let home = self.tuning(nic).home;
        let at_home = primary_mhz == frequency_mhz && self.cells[home].primary_mhz == primary_mhz;
        let station = &mut self.stations[nic];
        (station.cell, station.place) = (if at_home { home } else { foreign }, place);
        station.responses = [None; 2];
        place
    }

    /// The medium and the primary channel that a channel belongs to: those of the cells that have its primary channel. With another one
    /// it is among the cells that its primary channel overlaps, or else on its own. Its width makes no difference: radios on one primary
    /// channel hear each other, however wide each of them is.
    fn place_of(&self, channel: Option<RadioChannel>) -> (MediumId, PrimaryId) {
        let primary_mhz = channel.map_or(0, |channel| channel.primary_mhz);
        let band = if Band::of_mhz(primary_mhz) == Some(Band::Ghz2_4) { Band::Ghz2_4 } else { Band::Ghz5 };
        let elsewhere = |p: &PrimaryChannel| p.frequency_mhz == 0 && self.cells[p.cell].band == band;
        let elsewhere = self.primaries.position(elsewhere).expect("there is a place for other channels");
        let of_cell = |cell: CellId| self.media.position(|medium| medium.cells.contains(&cell));
        if channel.is_none() {
            let medium = of_cell(self.primaries[elsewhere].cell);
            return (medium.expect("it has a medium"), elsewhere);
        }
        let here = |p: &PrimaryChannel| p.frequency_mhz == primary_mhz;
        if let Some(primary) = self.primaries.position(here) {
            return (of_cell(self.primaries[primary].cell).expect("its cell has a medium"), primary);
        }
        let overlaps = |cell: &Cell| {
            let Some(width) = Width::from_mhz(cell.channel.width_mhz) else { return false };
            cell.channel.centre_mhz.abs_diff(primary_mhz) < clear_distance_mhz(width, Width::Mhz20)
        };
        let cell = self.cells.position(overlaps).unwrap_or(self.primaries[elsewhere].cell);
        (of_cell(cell).expect("every cell has a medium"), elsewhere)
    }

    /// The AIFSN of a category of a radio. Where it is, and wherever it comes, its AIFS counts in the slots of the place.
    pub(crate) fn set_aifsn(&mut self, now: Instant, nic: NicId, ac: AccessCategory, aifsn: u32, edca: bool) {
        let Station { cell: home, place: MediumPlace { medium: here, .. }, .. } = self.stations[nic];
        for (id, medium) in self.media.iter_mut_enumerated() {
            let Some(member) = medium.members.position(|&other| other == nic) else { continue };
            let cell = if id == here { home } else { medium.cell };
            let duration = self.cells[cell].times.aifs(aifsn);
            let aifs = if edca { Aifs::edca(duration) } else { Aifs::dcf(duration) };
            medium.contention.set_aifs(now, EdcafId::new(member, ac), (aifsn > 0).then_some(aifs));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn channel(primary_mhz: u32, centre_mhz: u32, width_mhz: u32) -> RadioChannel {
        RadioChannel { primary_mhz, centre_mhz, width_mhz }
    }

    #[test]
    fn a_ppdu_is_read_by_who_is_as_wide_in_the_same_place() {
        let (narrow, lower, upper) =
            (channel(5180, 5180, 20), channel(5180, 5190, 40), channel(5200, 5190, 40));
        let wide = channel(5180, 5210, 80);
        assert!(covers(narrow, wide, 20) && covers(wide, narrow, 20));
        assert!(covers(lower, wide, 40) && !covers(lower, wide, 80) && !covers(narrow, wide, 40));
        // Nobody sends wider than his own channel.
        assert!(!covers(wide, narrow, 40));
        assert!(!covers(upper, lower, 20) && !covers(upper, lower, 40));
        // At 2.4 GHz the secondary channel may be on either side.
        assert!(!covers(channel(2437, 2447, 40), channel(2437, 2427, 40), 40));
        assert!(covers(channel(2437, 2447, 40), channel(2437, 2427, 40), 20));
    }
}
