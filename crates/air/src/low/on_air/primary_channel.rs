//! How the time of a primary channel is spent, and whose parameters hold there.

use airtcp_units::Instant;

use super::medium_time::{Activity, MediumTime};
use crate::low::cell::CellId;

/// A primary channel, by its place among those of the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PrimaryId(pub(crate) u32);

impl From<PrimaryId> for usize {
    #[inline]
    fn from(primary: PrimaryId) -> Self {
        primary.0 as Self
    }
}

impl From<usize> for PrimaryId {
    #[inline]
    fn from(index: usize) -> Self {
        Self(index as u32)
    }
}

/// What the NICs on one primary channel do with its time. What others do there, whose primary channel is another, is not counted.
#[derive(Debug)]
pub(crate) struct PrimaryChannel {
    /// 0: all channels which no cell of the plan has.
    pub(crate) frequency_mhz: u32,
    /// The cell whose parameters hold for radios that are not at home here.
    pub(crate) cell: CellId,
    /// PPDUs on the air.
    on_air: u32,
    /// Whether two PPDUs have been on the air at once since it was last silent.
    collided: bool,
    /// EDCAFs that wait for access.
    pub(crate) backlogged: u32,
    /// Exchanges under way.
    pub(crate) exchanges: u32,
    /// PPDUs that will follow by SIFS.
    pub(crate) following: u32,
    pub(crate) airtime: MediumTime,
}

impl PrimaryChannel {
    /// A primary channel that was never used; its time counts from the epoch on. What happens before is the setting up of the
    /// network.
    pub(crate) const fn new(frequency_mhz: u32, cell: CellId, epoch: Instant) -> Self {
        Self {
            frequency_mhz,
            cell,
            on_air: 0,
            collided: false,
            backlogged: 0,
            exchanges: 0,
            following: 0,
            airtime: MediumTime::new(epoch),
        }
    }

    /// A PPDU begins, with data or a control frame.
    #[inline]
    pub(crate) fn begin(&mut self, now: Instant, carries_data: bool) {
        self.on_air += 1;
        self.collided |= self.on_air > 1;
        let activity = match carries_data {
            _ if self.collided => Activity::Collision,
            true => Activity::Data,
            false => Activity::Control,
        };
        self.airtime.turn_to(now, activity);
    }

    /// A PPDU has ended. [`Self::settle`] looks at what follows it when that is known.
    #[inline]
    pub(crate) fn end(&mut self) {
        self.on_air -= 1;
        self.collided &= self.on_air > 0;
    }

    /// Nothing more happens at this instant: what silence counts as from now on.
    #[inline]
    pub(crate) fn settle(&mut self, now: Instant) {
        if self.on_air > 0 {
            return;
        }
        let activity = match (self.following, self.backlogged + self.exchanges) {
            (0, 0) => Activity::Idle,
            (0, _) => Activity::Contention,
            _ => Activity::Control,
        };
        self.airtime.turn_to(now, activity);
    }

    /// One more EDCAF waits for access.
    #[inline]
    pub(crate) fn one_waits(&mut self, now: Instant) {
        self.backlogged += 1;
        if self.airtime.activity() == Activity::Idle {
            self.settle(now);
        }
    }
}
