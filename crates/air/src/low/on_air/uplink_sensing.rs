//! Carrier sensing of a station before it answers a trigger frame for an uplink (IEEE 802.11ax-2021, 26.5.2.5: UL MU CS).

use super::OnAir;
use super::overlap::Trigger;
use crate::NicId;
use crate::channel::{Channel, subchannels_in};
use crate::phy::Allocation;

impl OnAir {
    /// Whether a station senses energy in one of the 20 MHz channels that its RU is in. What others answer to the same trigger frame
    /// begins at the same instant, and is not sensed.
    pub(crate) fn senses_energy_in(
        &self,
        nic: NicId,
        ru: Allocation,
        trigger: Trigger,
        channel: &Channel,
    ) -> bool {
        let medium = &self.media[self.stations[nic].place.medium];
        let is_other = |&&other: &&NicId| other != nic && self.ppdus[other].trigger != Some(trigger);
        if !medium.on_air.iter().any(|other| is_other(&other)) && medium.emissions.is_empty() {
            return false;
        }
        let own = channel.shares(trigger.by, nic, ru.width()).occupied_by(ru.subchannels());
        subchannels_in(own).any(|k| {
            let of_ppdus = medium.on_air.iter().filter(is_other).map(|&other| {
                let share = channel.shares(other, nic, self.ppdus[other].width).of(k);
                channel.mean_dbm(other, nic).to_milliwatt().get() * share
            });
            let lasting = medium.emissions.iter().filter(|emitted| emitted.lasts());
            let of_sources = lasting.map(|emitted| channel.emission_mw(emitted.emission, nic, k));
            of_ppdus.chain(of_sources).sum::<f64>() >= self.carrier_sense.energy_mw()
        })
    }
}
