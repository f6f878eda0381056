//! How the time of a primary channel is spent, and whose parameters hold there.

use airtcp_plan::report::MediumReport;
use airtcp_units::Instant;

use super::medium_time::{Activity, MediumTime};
use crate::TimeSpan;
use crate::handle::index_type;
use crate::low::cell::CellId;

index_type! {
    /// A primary channel, by its place among those of the air.
    pub(crate) struct PrimaryId(u32);
}

/// What the NICs on one primary channel do with its time. What others do there, whose primary channel is another, is not counted.
#[derive(Debug)]
pub(super) struct PrimaryChannel {
    /// 0: all channels which no cell of the plan has.
    pub(super) frequency_mhz: u32,
    /// The cell whose parameters hold for radios that are not at home here.
    pub(super) cell: CellId,
    /// PPDUs on the air.
    on_air: u32,
    /// Whether two PPDUs have been on the air at once since it was last silent.
    collided: bool,
    /// EDCAFs that wait for access.
    pub(super) backlogged: u32,
    /// Exchanges under way.
    pub(super) exchanges: u32,
    /// PPDUs that will follow by SIFS.
    pub(super) following: u32,
    pub(super) airtime: MediumTime,
}

impl PrimaryChannel {
    /// A primary channel that was never used; its time counts from the epoch on. What happens before is the setting up of the
    /// network.
    pub(super) const fn new(frequency_mhz: u32, cell: CellId, epoch: Instant) -> Self {
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

    /// A PPDU begins, with data or a control frame. `joins`: it answers the same trigger frame as another on the air.
    #[inline]
    pub(super) fn begin(&mut self, now: Instant, carries_data: bool, joins: bool) {
        self.on_air += 1;
        self.collided |= self.on_air > 1 && !joins;
        let activity = match carries_data {
            _ if self.collided => Activity::Collision,
            true => Activity::Data,
            false => Activity::Control,
        };
        self.airtime.turn_to(now, activity);
    }

    /// A PPDU has ended. [`Self::settle`] looks at what follows it when that is known.
    #[inline]
    pub(super) fn end(&mut self) {
        self.on_air -= 1;
        self.collided &= self.on_air > 0;
    }

    /// Nothing more happens at this instant: what silence counts as from now on.
    #[inline]
    pub(super) fn settle(&mut self, now: Instant) {
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

    /// How its time was spent in a span, which ends no earlier than anything that has been handled.
    pub(super) fn report(&mut self, counted: TimeSpan) -> MediumReport {
        self.airtime.turn_to(counted.end, self.airtime.activity());
        let ns = |activity| self.airtime.spent(activity).as_nanos();
        let report = MediumReport {
            frequency_mhz: self.frequency_mhz,
            data_ns: ns(Activity::Data),
            response_ns: ns(Activity::Control),
            collision_ns: ns(Activity::Collision),
            contention_ns: ns(Activity::Contention),
            idle_ns: ns(Activity::Idle),
        };
        let counted_ns = counted.end.saturating_since(counted.start).as_nanos();
        assert_eq!(report.total_ns(), counted_ns, "time of the medium at {} MHz", report.frequency_mhz);
        report
    }

    /// One more EDCAF waits for access.
    #[inline]
    pub(super) fn one_waits(&mut self, now: Instant) {
        self.backlogged += 1;
        if self.airtime.activity() == Activity::Idle {
            self.settle(now);
        }
    }
}
