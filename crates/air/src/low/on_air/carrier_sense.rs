//! From what received power on a NIC senses the PPDUs of another.

use airtcp_plan::{AirPlan, NicRole};
use airtcp_units::Dbm;

use crate::NicId;
use crate::channel::{Channel, Shares};
use crate::phy::Width;

/// A power on both scales.
#[derive(Clone, Copy, Debug)]
struct Level {
    dbm: f64,
    mw: f64,
}

impl From<Dbm> for Level {
    fn from(level: Dbm) -> Self {
        Self { dbm: level.get(), mw: level.to_milliwatt().get() }
    }
}

/// The level of carrier sense, and the receivers' sensitivity.
///
/// Carrier sense is what a receiver must at least detect (IEEE 802.11-2020, 17.3.10.6); what decodes a weaker PPDU takes the medium
/// for busy as well, until the end that the PPDU's length field names. The model counts that for the NICs that exchange frames:
/// between all others the plan's carrier sense says who hears whom, so that it says which stations are hidden.
#[derive(Clone, Debug)]
pub(super) struct CarrierSense {
    level: Level,
    /// The level for PPDUs of partners.
    of_partners: Level,
    /// By NIC: its cell, and whether it is a station of an access point.
    places: Vec<(u32, bool)>,
    /// The level for any energy in 20 MHz, whatever it is; not below that for PPDUs.
    energy: Level,
    /// The level for PPDUs whose preamble was missed.
    midpacket: Level,
}

impl CarrierSense {
    /// The carrier sense of a plan.
    pub(super) fn new(plan: &AirPlan) -> Self {
        let level = plan.channel.carrier_sense_dbm;
        let energy = plan.channel.energy_detection_dbm;
        let energy = if energy < level { level } else { energy };
        let midpacket = plan.channel.midpacket_detection_dbm;
        let sensitivity = plan.channel.sensitivity_dbm;
        let place = |nic: &airtcp_plan::AirNic| (nic.cell, nic.role == NicRole::Station);
        Self {
            level: level.into(),
            of_partners: if sensitivity < level { sensitivity } else { level }.into(),
            places: plan.nics.iter().map(place).collect(),
            energy: energy.into(),
            midpacket: if energy < midpacket { energy } else { midpacket }.into(),
        }
    }

    /// Whether what one NIC sends with this width makes the medium busy for another: by the mean power in its primary channel, as a
    /// PPDU that it can detect or as energy.
    pub(super) fn hears(&self, channel: &Channel, listener: NicId, sender: NicId, width: Width) -> bool {
        let shares = channel.shares(sender, listener, width);
        let power_dbm = channel.mean_dbm(sender, listener).get() + shares.primary_db();
        let detects = shares.has_preamble() && power_dbm >= self.level(listener, sender).dbm;
        detects || power_dbm >= self.energy.dbm
    }

    /// Whether a NIC hears the other by the preamble alone: if it missed that, the rest of a PPDU does not make the medium busy.
    pub(super) fn hears_preamble_only(
        &self,
        channel: &Channel,
        listener: NicId,
        sender: NicId,
        width: Width,
    ) -> bool {
        let power_dbm =
            channel.mean_dbm(sender, listener).get() + channel.shares(sender, listener, width).primary_db();
        power_dbm < self.midpacket.dbm && self.hears(channel, listener, sender, width)
    }

    /// The level from which on one NIC detects the preamble of another, in 20 MHz.
    #[inline]
    pub(super) fn level_mw(&self, listener: NicId, sender: NicId) -> f64 {
        self.level(listener, sender).mw
    }

    /// The level for any energy, in 20 MHz.
    #[inline]
    pub(super) const fn energy_mw(&self) -> f64 {
        self.energy.mw
    }

    /// The least power of another that a NIC notices in one of its subchannels.
    #[inline]
    pub(super) fn noticed_mw(&self, listener: NicId, sender: NicId, shares: &Shares, subchannel: u32) -> f64 {
        let is_ppdu = shares.occupied() >> subchannel & 1 == 1;
        if is_ppdu { self.level(listener, sender).mw } else { self.energy.mw }
    }

    #[inline]
    fn level(&self, listener: NicId, sender: NicId) -> Level {
        let [(own, is_station), (others, also_station)] =
            [listener, sender].map(|nic| self.places[nic.index()]);
        let are_partners = own == others && !(is_station && also_station);
        if are_partners { self.of_partners } else { self.level }
    }
}
