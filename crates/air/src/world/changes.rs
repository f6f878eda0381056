//! Changes of the air from outside while it runs, as a user makes them.

use airtcp_units::{Dbm, Instant};

use super::{Outbox, World};
use crate::NicId;
use crate::channel::Position;

impl World {
    /// A NIC is at this place from now on, at once. Waypoints that it had are void.
    pub fn move_nic(&mut self, now: Instant, nic: NicId, position: Position, out: &mut Outbox) {
        self.pass(now, out);
        if self.links.channel.move_to(now, nic, position) {
            self.low.on_air.update_hearing(now, &self.links.channel);
        }
    }

    /// A NIC receives another with this mean power from now on, wherever both are. A recorded power is void; recorded losses and
    /// rates hold as they are now.
    pub fn fix_power(&mut self, now: Instant, [from, to]: [NicId; 2], power: Dbm, out: &mut Outbox) {
        self.pass(now, out);
        if self.links.channel.fix_power(now, [from, to], power) {
            self.low.on_air.update_hearing(now, &self.links.channel);
        }
    }

    /// A data MPDU from a NIC to another is lost with this probability from now on, beside losses of reception and of a recording.
    pub fn fix_loss(&mut self, now: Instant, [from, to]: [NicId; 2], probability: f64, out: &mut Outbox) {
        self.pass(now, out);
        self.links.channel.fix_loss([from, to], probability);
    }
}
