//! What a NIC spends its time with, as a survey of its channel tells it.

use airtcp_units::{Duration, Instant};

use super::Low;
use super::cell::BssId;
use crate::NicId;
use crate::border::ChannelLoad;

impl Low {
    /// The load of a NIC's channel up to `now`.
    pub(crate) fn channel_load(&self, now: Instant, nic: NicId) -> ChannelLoad {
        let (counters, present) = (self.notes.counters(nic), self.present_airtime(now, nic));
        let in_bss = if self.on_air.ppdu(nic).in_bss { present } else { Duration::ZERO };
        let load = ChannelLoad {
            busy: self.on_air.busy_time(now, nic),
            tx: counters.all_airtime + present,
            bss_rx: self.on_air.own_bss_time(now, nic).saturating_sub(counters.bss_airtime + in_bss),
        };
        debug_assert!(load.busy >= load.tx + load.bss_rx, "{nic:?} senses what it sends and hears: {load:?}");
        load
    }

    /// A NIC is in this BSS from now on.
    pub(crate) fn turn_to_bss(&mut self, now: Instant, nic: NicId, bss: Option<BssId>) {
        if self.on_air.bss(nic) == bss {
            return;
        }
        if self.on_air.ppdu(nic).in_bss {
            // What is on the air has been in the BSS so far.
            let present = self.present_airtime(now, nic);
            self.notes.add_bss_airtime(nic, present);
            self.on_air.leaves_bss(nic);
        }
        self.on_air.turn_to_bss(now, nic, bss);
    }

    /// For how long the present PPDU of a NIC has been on the air.
    pub(crate) fn present_airtime(&self, now: Instant, nic: NicId) -> Duration {
        let ppdu = self.on_air.ppdu(nic);
        if ppdu.on_air { now.saturating_since(ppdu.start) } else { Duration::ZERO }
    }
}
