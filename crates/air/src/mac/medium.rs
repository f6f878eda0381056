//! One medium: the cells on one frequency, and everybody in them.

use airtcp_units::Instant;

use super::{Contention, Dcf, NicId};
use crate::low::{Activity, Airtime};
use crate::phy::Timing;

/// What is shared by the NICs on one frequency.
#[derive(Debug)]
pub(crate) struct Medium {
    pub(crate) frequency_mhz: u32,
    pub(crate) timing: Timing,
    /// Its NICs in the order of its contenders.
    pub(crate) members: Vec<NicId>,
    pub(crate) contention: Contention,
    pub(crate) dcf: Dcf,
    /// Data PPDUs on the air.
    pub(crate) on_air: u32,
    /// When the first of them started.
    pub(crate) on_air_since: Instant,
    /// Whether they were more than one.
    pub(crate) collided: bool,
    /// Members with a frame in their queue.
    pub(crate) backlogged: u32,
    pub(crate) airtime: Airtime,
}

impl Medium {
    /// A member's queue is no longer empty.
    pub(crate) fn member_backlogged(&mut self, now: Instant) {
        self.backlogged += 1;
        if self.airtime.activity() == Activity::Idle {
            self.airtime.turn_to(now, Activity::Contention);
        }
    }

    /// A member's queue is empty.
    pub(crate) fn member_drained(&mut self, now: Instant) {
        self.backlogged -= 1;
        if self.backlogged == 0 && self.airtime.activity() == Activity::Contention {
            self.airtime.turn_to(now, Activity::Idle);
        }
    }

    /// Nothing is on the air any more.
    pub(crate) fn fall_silent(&mut self, now: Instant) {
        let activity = if self.backlogged > 0 { Activity::Contention } else { Activity::Idle };
        self.airtime.turn_to(now, activity);
    }
}
