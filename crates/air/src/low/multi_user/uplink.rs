//! When an access point asks its stations for data, and whom: the uplink of `round_robin`.
//!
//! ```text
//!   a PPDU to several stations was sent --.                  .-> BSRP --> Basic     bsrp
//!                                          >--> due: access <
//!   nothing sent for the interval --------'                  '-> Basic              otherwise
//! ```
//! Each is an access to the medium of its own, unless the TXOP has room for the next. Stations have their turns in a fixed order; those
//! that were asked for data are behind all others. `RrMultiUserScheduler` of ns-3 asks in this order too, and after each PPDU to several
//! stations.
//!
//! With random access (26.5.4) trigger frames also have resource units for stations that they do not name. Those of which nothing is known
//! are left to these, and any station may have got something since its report: an uplink is due after each interval.

use airtcp_plan::{MultiUserPlan, RandomAccessPlan, UplinkPlan};
use airtcp_units::{Duration, Instant};

use super::buffer_status::{Belief, BufferStatus, Reports};
use crate::NicId;
use crate::border::AccessCategory;

/// What is asked of a station whose buffer status is not known: octets of its PSDU (`UlPsduSize` of ns-3's scheduler).
pub(crate) const UNKNOWN_OCTETS: u64 = 500;

/// What a trigger frame asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TriggerKind {
    /// Data.
    Basic,
    /// Buffer status.
    Bsrp,
}

/// A station that may be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) station: NicId,
    /// What it should send from, if that has something.
    pub(crate) preferred: AccessCategory,
    /// What it probably has.
    pub(crate) octets: u64,
    /// Whether it has reported that.
    pub(crate) is_known: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Nothing,
    /// An uplink, in this category.
    Uplink(AccessCategory),
    /// Its data, since the buffer status has been asked for.
    Data(AccessCategory),
}

/// A station that has turns, and what its access point knows of it.
#[derive(Clone, Copy, Debug)]
struct Member {
    station: NicId,
    reports: Reports,
    /// A station that sleeps is not asked (IEEE 802.11ax-2021, 26.5.2.2.1).
    asleep: bool,
}

impl Member {
    const fn new(station: NicId) -> Self {
        Self { station, reports: Reports::NONE, asleep: false }
    }
}

/// The turns of stations to be asked.
#[derive(Debug)]
pub(crate) struct UplinkTurns {
    plan: UplinkPlan,
    most: usize,
    /// In the order of their turns.
    stations: Vec<Member>,
    due: Due,
    /// When the access point has last won the medium.
    accessed: Instant,
}

impl UplinkTurns {
    /// The turns of these stations; `None`: the plan has no uplink.
    pub(crate) fn of_plan(plan: &MultiUserPlan, stations: impl Iterator<Item = NicId>) -> Option<Self> {
        Some(Self {
            plan: plan.uplink?,
            most: plan.stations as usize,
            stations: stations.map(Member::new).collect(),
            due: Due::Nothing,
            accessed: Instant::ZERO,
        })
    }

    /// A station is the access point's from now on: it is asked after all others.
    pub(crate) fn join(&mut self, station: NicId) {
        self.leave(station);
        self.stations.push(Member::new(station));
    }

    /// A station is the access point's no more.
    pub(crate) fn leave(&mut self, station: NicId) {
        self.stations.retain(|member| member.station != station);
    }

    /// A station sleeps, or has woken up.
    pub(crate) fn sleep(&mut self, station: NicId, asleep: bool) {
        if let Some(member) = self.member(station) {
            member.asleep = asleep;
        }
    }

    /// A station has said what waits in its queues.
    pub(crate) fn hear(&mut self, now: Instant, station: NicId, status: &BufferStatus) {
        if let Some(member) = self.member(station) {
            member.reports.note(now, status);
        }
    }

    fn member(&mut self, station: NicId) -> Option<&mut Member> {
        self.stations.iter_mut().find(|member| member.station == station)
    }

    fn awake(&self) -> impl Iterator<Item = &Member> {
        self.stations.iter().filter(|member| !member.asleep)
    }

    /// The access point has won the medium.
    pub(crate) fn access(&mut self, now: Instant) {
        self.accessed = now;
    }

    /// A PPDU to several stations is sent, in this category: an uplink follows.
    pub(crate) fn downlink(&mut self, ac: AccessCategory) {
        if self.due == Due::Nothing {
            self.due = Due::Uplink(ac);
        }
    }

    /// The category in which the access point contends for a trigger frame.
    pub(crate) fn category(&self) -> Option<AccessCategory> {
        match self.due {
            Due::Nothing => None,
            Due::Uplink(ac) | Due::Data(ac) => Some(ac),
        }
    }

    /// Time between requests for access; `None`: there are none.
    pub(crate) fn interval(&self) -> Option<Duration> {
        (self.plan.interval_us > 0).then(|| Duration::from_micros(u64::from(self.plan.interval_us)))
    }

    /// If the access point has not won the medium for an interval, and a station may have something, it contends for a trigger frame.
    /// When to look again.
    pub(crate) fn request(&mut self, now: Instant) -> Instant {
        let Some(interval) = self.interval() else { return Instant::FAR_FUTURE };
        let at = self.accessed + interval;
        if at > now {
            return at;
        }
        let asks_all = self.plan.bsrp || self.plan.random_access.is_some();
        let may_have = self.awake().any(|of| asks_all || self.belief(now, of) != Belief::Empty);
        if self.due == Due::Nothing && may_have {
            self.due = Due::Uplink(AccessCategory::BestEffort);
        }
        now + interval
    }

    fn belief(&self, now: Instant, of: &Member) -> Belief {
        of.reports.belief(now, Duration::from_micros(u64::from(self.plan.report_lifetime_us)))
    }

    /// The trigger frame that comes next; `None`: none is due.
    pub(crate) const fn next(&self) -> Option<TriggerKind> {
        match self.due {
            Due::Nothing => None,
            Due::Uplink(_) if self.plan.bsrp => Some(TriggerKind::Bsrp),
            Due::Uplink(_) | Due::Data(_) => Some(TriggerKind::Basic),
        }
    }

    /// The most stations of a trigger frame.
    pub(crate) const fn most(&self) -> usize {
        self.most
    }

    /// Random access RUs of a trigger frame that names so many stations; `None`: it has none.
    pub(crate) fn random_access(&self, kind: TriggerKind, named: usize) -> Option<RandomAccessPlan> {
        // After BSRP nobody has more to say.
        let is_repeated = kind == TriggerKind::Basic && self.plan.bsrp && named == 0;
        self.plan.random_access.filter(|_| !is_repeated && self.awake().next().is_some())
    }

    /// Stations that do not sleep, which may use a random access RU.
    pub(crate) fn listeners(&self) -> impl Iterator<Item = NicId> {
        self.awake().map(|member| member.station)
    }

    /// Stations that may be asked, in the order of their turns.
    pub(crate) fn candidates(&self, now: Instant, kind: TriggerKind) -> impl Iterator<Item = Asked> {
        self.awake().filter_map(move |of| {
            let belief = self.belief(now, of);
            let is_known = belief != Belief::Unknown;
            let asked = |preferred, octets| Some(Asked { station: of.station, preferred, octets, is_known });
            match (kind, belief) {
                (TriggerKind::Bsrp, _) => asked(AccessCategory::BestEffort, 0),
                (TriggerKind::Basic, Belief::Waiting(ac, octets)) => asked(ac, octets),
                // With BSRP it has just been asked, and has not answered; with random access it asks itself.
                (TriggerKind::Basic, Belief::Unknown)
                    if !self.plan.bsrp && self.plan.random_access.is_none() =>
                {
                    asked(AccessCategory::BestEffort, UNKNOWN_OCTETS)
                }
                (TriggerKind::Basic, _) => None,
            }
        })
    }

    /// These stations are asked.
    pub(crate) fn ask(&mut self, kind: TriggerKind, asked: &[Asked]) {
        if kind == TriggerKind::Bsrp {
            self.due = self.category().map_or(Due::Nothing, Due::Data);
            return;
        }
        self.due = Due::Nothing;
        let is_asked = |station: NicId| asked.iter().any(|one| one.station == station);
        // Their order among themselves stays.
        self.stations.sort_by_key(|member| is_asked(member.station));
    }

    /// There is nobody to ask.
    pub(crate) fn drop_due(&mut self) {
        self.due = Due::Nothing;
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::{MultiUserAcknowledgement, MultiUserScheduler};

    use super::super::queue_size::QueueSize;
    use super::*;

    fn turns(bsrp: bool) -> UplinkTurns {
        let uplink = UplinkPlan {
            bsrp,
            interval_us: 10_000,
            report_lifetime_us: 20_000,
            target_rssi_dbm: None,
            mu_edca: None,
            random_access: None,
        };
        let plan = MultiUserPlan {
            scheduler: MultiUserScheduler::RoundRobin,
            stations: 2,
            acknowledgement: MultiUserAcknowledgement::Sequential,
            mu_rts: false,
            uplink: Some(uplink),
        };
        UplinkTurns::of_plan(&plan, (1..=3).map(NicId)).expect("there is an uplink")
    }

    fn us(us: u64) -> Instant {
        Instant::from_nanos(us * 1000)
    }

    fn candidates(turns: &UplinkTurns, at: u64, kind: TriggerKind) -> Vec<(u32, u64)> {
        turns.candidates(us(at), kind).map(|one| (one.station.0, one.octets)).collect()
    }

    #[test]
    fn those_who_were_asked_are_behind_the_others() {
        let mut turns = turns(false);
        assert_eq!(candidates(&turns, 0, TriggerKind::Basic), [(1, 500), (2, 500), (3, 500)]);
        let asked: Vec<_> = turns.candidates(us(0), TriggerKind::Basic).take(2).collect();
        turns.ask(TriggerKind::Basic, &asked);
        turns.hear(us(0), NicId(2), &BufferStatus::one(0, QueueSize::of(0)));
        turns.hear(us(0), NicId(1), &BufferStatus::one(0, QueueSize::of(100)));
        assert_eq!(candidates(&turns, 1, TriggerKind::Basic), [(3, 500), (1, 112)]);
        assert_eq!(candidates(&turns, 20_000, TriggerKind::Basic), [(3, 500), (1, 500), (2, 500)]);
    }

    /// One that sleeps keeps its turn. One that joins again comes last, and what it said before counts no more.
    #[test]
    fn stations_come_and_go_and_sleep() {
        let mut turns = turns(false);
        turns.sleep(NicId(1), true);
        assert_eq!(candidates(&turns, 0, TriggerKind::Basic), [(2, 500), (3, 500)]);
        turns.sleep(NicId(1), false);
        turns.hear(us(0), NicId(2), &BufferStatus::one(0, QueueSize::of(100)));
        turns.leave(NicId(2));
        assert_eq!(candidates(&turns, 0, TriggerKind::Basic), [(1, 500), (3, 500)]);
        turns.sleep(NicId(1), true);
        for station in [2, 1] {
            turns.join(NicId(station));
        }
        assert_eq!(candidates(&turns, 0, TriggerKind::Basic), [(3, 500), (2, 500), (1, 500)]);
        (1..=3).for_each(|station| turns.leave(NicId(station)));
        assert_eq!((turns.request(us(10_000)), turns.next()), (us(20_000), None));
    }

    /// With random access nobody is asked of whom nothing is known, and an uplink is due also where all have nothing. After a BSRP frame
    /// that nobody has answered there is no Basic one.
    #[test]
    fn random_access_is_for_those_of_whom_nothing_is_known() {
        for bsrp in [false, true] {
            let mut turns = turns(bsrp);
            let plan = RandomAccessPlan { rus: 2, ocw_min: 7, ocw_max: 31 };
            turns.plan.random_access = Some(plan);
            turns.hear(us(0), NicId(2), &BufferStatus::one(0, QueueSize::of(100)));
            assert_eq!(candidates(&turns, 1, TriggerKind::Basic), [(2, 112)]);
            (1..=3).for_each(|nic| turns.hear(us(1), NicId(nic), &BufferStatus::one(0, QueueSize::of(0))));
            assert_eq!(turns.request(us(10_000)), us(20_000));
            assert!(turns.next().is_some());
            assert_eq!(turns.random_access(TriggerKind::Basic, 0), (!bsrp).then_some(plan));
            assert_eq!(turns.random_access(TriggerKind::Bsrp, 0), Some(plan));
            turns.sleep(NicId(1), true);
            assert_eq!(turns.listeners().collect::<Vec<_>>(), [NicId(2), NicId(3)]);
        }
    }

    #[test]
    fn an_uplink_is_due_after_a_downlink_or_an_interval() {
        let mut turns = turns(true);
        assert_eq!((turns.next(), turns.request(us(9_000))), (None, us(10_000)));
        turns.access(us(4_000));
        assert_eq!((turns.request(us(10_000)), turns.next()), (us(14_000), None));
        assert_eq!((turns.request(us(14_000)), turns.next()), (us(24_000), Some(TriggerKind::Bsrp)));
        turns.ask(TriggerKind::Bsrp, &[]);
        assert_eq!(turns.next(), Some(TriggerKind::Basic));
        // Nobody has answered.
        assert_eq!(candidates(&turns, 15_000, TriggerKind::Basic), []);
        turns.drop_due();
        turns.downlink(AccessCategory::Video);
        assert_eq!((turns.category(), turns.next()), (Some(AccessCategory::Video), Some(TriggerKind::Bsrp)));
    }
}
