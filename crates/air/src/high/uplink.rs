//! What lower halves need for uplinks that an access point triggers: the backlog of their own queues, and modes.

use airtcp_units::{Decibel, Instant};

use super::upper::{Links, Upper};
use crate::NicId;
use crate::border::{Backlog, Link};
use crate::phy::TxVector;
use crate::queue::TxqKey;

/// The number of its access point among the NICs that a station sends to.
const ACCESS_POINT: u32 = 0;

impl Upper {
    /// What waits in a station's queue with this TID.
    pub(super) fn backlog_to_access_point(&self, station: NicId, tid: u8) -> Backlog {
        let txq = self.txqs.id(station, TxqKey { station: ACCESS_POINT, tid });
        Backlog { txq, octets: self.nic(station).queues.bytes_of(tid) }
    }

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
