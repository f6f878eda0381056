//! The mode of uplinks that an access point triggers.

use airtcp_units::{Decibel, Instant};

use super::upper::{Links, Upper};
use crate::border::Link;
use crate::phy::TxVector;

impl Upper {
    /// The mode in which an access point asks a station for data: what its rate control for the station holds for the best. One that
    /// reads signal-to-noise ratios reads that of the uplink, which this is above that of the link.
    pub(super) fn uplink_mode(
        &mut self,
        now: Instant,
        link: Link,
        more: Decibel,
        links: &mut impl Links,
    ) -> TxVector {
        let Link { from: station, to: access_point } = link;
        let nic = &mut self.nics[access_point.index()];
        let number = nic.station(station) as usize;
        let controller = &mut nic.stations[number].controller;
        let state = links.link_state(now, [station, access_point], controller.reads_snr());
        controller.mode_on(state.raised(more))
    }
}
