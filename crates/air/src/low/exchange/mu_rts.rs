//! MU-RTS: a trigger frame before a PPDU of several users, which all of them answer with the same CTS at once (IEEE 802.11ax-2021,
//! 26.2.6).
//!
//! ```text
//! | MU-RTS to all |SIFS| CTS of all whose medium is idle |SIFS| data for all, also for those without CTS
//! ```
//! The CTSs are the same bits at the same time, so nobody can tell them apart: they are no collision, and one is enough to go on.

use airtcp_units::Instant;

use super::emit::duplicated;
use super::radio::Step;
use crate::border::Protection;
use crate::channel::Channel;
use crate::low::Low;
use crate::low::on_air::Emission;
use crate::phy::mu_rts_bytes;
use crate::{NicId, PpduKind};

impl Low {
    /// Asks all users of an exchange for CTS.
    pub(super) fn send_mu_rts(&mut self, now: Instant, nic: NicId, channel: &mut Channel) {
        self.notes.sends(nic, PpduKind::Rts);
        self.step(nic, Step::Clearing);
        let exchange = self.exchange(nic);
        let cell = self.on_air.cell(nic);
        let tx = cell.control(exchange.tx(), Protection::RtsCts);
        let bytes = mu_rts_bytes(exchange.users.count() as u32);
        let emission = Emission {
            kind: PpduKind::Rts,
            start: now,
            width: duplicated(tx, exchange.width()),
            duration: cell.times.ppdu_duration(tx, bytes),
            nav_until: now + exchange.total(cell),
        };
        self.send_to_all(nic, tx, bytes);
        self.emit(now, nic, emission, channel);
    }
}
