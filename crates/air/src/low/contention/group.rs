//! A hearing group: carrier sense, NAV and EIFS, and how it freezes and resumes backoffs.

use airtcp_units::{Duration, Instant};

use super::Deference;
use super::busy_time::BusyTimes;
use super::edcaf::{Aifs, Contender, EdcafId, Members, Standing};
use super::lane::Lane;
use super::nav::Nav;
use super::{GroupId, MemberId};
use crate::low::cell::BssId;

/// NICs that hear the same transmitters, and their EDCAFs.
///
/// A busy period changes nothing at first: an EDCAF that would start within a slot cannot sense it and starts. Backoffs are
/// frozen when it is over, as they were at its start.
#[derive(Clone, Debug)]
pub(super) struct Group {
    id: GroupId,
    pub(super) slot: Duration,
    pub(super) lanes: Vec<Lane>,
    /// PPDUs and emissions heard now, and for how long there were any since the group exists, of each BSS and of all.
    pub(super) busy: BusyTimes,
    /// EIFS - DIFS after the PPDU that ended last in the present busy period; zero if its NICs decoded it (10.3.2.3.7). What is no
    /// PPDU changes nothing.
    pub(super) eifs_extra: Duration,
    /// Start of the present or last busy period.
    pub(super) busy_since: Instant,
    /// An EDCAF that would start before this instant cannot have sensed the present or last busy period.
    pub(super) sensed_at: Instant,
    /// End of the last busy period; `None`: there was none.
    pub(super) idle_since: Option<Instant>,
    pub(super) nav: Nav,
    /// When AIFS begins or began in the present or last idle period.
    pub(super) ready: Instant,
    /// EDCAFs in [`Standing::Own`] or [`Standing::First`].
    pub(super) own: Vec<EdcafId>,
    /// The next access of those.
    pub(super) own_next: Instant,
    /// EDCAFs in [`Standing::Frozen`].
    pub(super) frozen: Vec<EdcafId>,
    /// NICs that defer longer than the group in the present or last idle period.
    pub(super) apart: Vec<MemberId>,
    /// NICs that defer longer than the group in the next idle period, and when their AIFS may begin.
    pub(super) apart_next: Vec<(MemberId, Instant)>,
}

impl Group {
    /// A group on a medium that was never busy.
    pub(super) fn new(id: GroupId, slot: Duration) -> Self {
        Self {
            id,
            slot,
            lanes: Vec::new(),
            busy: BusyTimes::default(),
            eifs_extra: Duration::ZERO,
            busy_since: Instant::ZERO,
            sensed_at: Instant::ZERO,
            idle_since: None,
            nav: Nav::default(),
            ready: Instant::ZERO,
            own: Vec::new(),
            own_next: Instant::FAR_FUTURE,
            frozen: Vec::new(),
            apart: Vec::new(),
            apart_next: Vec::new(),
        }
    }

    /// The lane of this AIFS.
    pub(super) fn lane(&mut self, aifs: Aifs) -> u32 {
        let place = self.lanes.iter().position(|lane| lane.aifs == aifs).unwrap_or_else(|| {
            let mut lane = Lane::new(aifs, self.slot);
            if self.idle_since.is_some() {
                lane.start_after(self.ready);
            }
            self.lanes.push(lane);
            self.lanes.len() - 1
        });
        place as u32
    }

    #[inline]
    pub(super) fn is_busy(&self) -> bool {
        self.busy.on_air() > 0
    }

    /// The next access in this group.
    #[inline]
    pub(super) fn next(&self) -> Instant {
        let next = self.idle_next();
        if self.is_busy() && next >= self.sensed_at { Instant::FAR_FUTURE } else { next }
    }

    /// The next access in this group, if the medium stays idle.
    #[inline]
    fn idle_next(&self) -> Instant {
        match &*self.lanes {
            [only] => self.own_next.min(only.next()),
            lanes => lanes.iter().fold(self.own_next, |next, lane| next.min(lane.next())),
        }
    }

    /// When this EDCAF starts, if the medium stays idle.
    #[inline]
    pub(super) fn access(&self, edcaf: &Contender) -> Instant {
        match edcaf.standing {
            _ if !edcaf.waiting => Instant::FAR_FUTURE,
            Standing::Free | Standing::Frozen { .. } | Standing::Suspended { .. } => Instant::FAR_FUTURE,
            Standing::Lane { ends_at } => self.lanes[edcaf.lane as usize].time_of(ends_at),
            Standing::Own { from, slots } => from + self.slot * u64::from(slots),
            Standing::First { at, .. } => at,
        }
    }

    /// Slots left of its backoff if the idle period ends at `until`; `None` if none is pending then.
    pub(super) fn left(&self, edcaf: &Contender, until: Instant) -> Option<u32> {
        let lane = &self.lanes[edcaf.lane as usize];
        let (from, slots) = match edcaf.standing {
            Standing::Free => return None,
            Standing::Frozen { slots } | Standing::Suspended { slots } => return Some(slots),
            Standing::First { drawn, .. } => {
                // An EDCAF that starts in the instant of its arrival has drawn nothing; if a PPDU ends then, it has no slots to wait.
                return Some(drawn.unwrap_or(0));
            }
            Standing::Lane { ends_at } => (lane.start(), lane.slots_to(ends_at, edcaf.waiting)?),
            Standing::Own { from, slots } => (from, slots),
        };
        let left = match lane.aifs.counted(from, until, self.slot) {
            None => return Some(slots),
            Some(counted) => u64::from(slots).saturating_sub(counted) as u32,
        };
        // At zero a backoff with nothing to send is over.
        (left > 0 || edcaf.waiting).then_some(left)
    }

    /// Takes those whose access is now out of contention.
    #[inline]
    pub(super) fn take(&mut self, now: Instant, members: &mut Members, starting: &mut Vec<EdcafId>) {
        for lane in &mut self.lanes {
            while lane.next() == now {
                let id = lane.pop(&mut members.edcafs);
                let edcaf = &mut members.edcafs[id.index()];
                (edcaf.standing, edcaf.waiting) = (Standing::Free, false);
                starting.push(id);
            }
        }
        if self.own_next == now {
            self.take_own(now, members, starting);
        }
    }

    #[inline(never)]
    fn take_own(&mut self, now: Instant, members: &mut Members, starting: &mut Vec<EdcafId>) {
        let mut own = std::mem::take(&mut self.own);
        own.retain(|&id| {
            let stays = self.access(&members.edcafs[id.index()]) != now;
            if !stays {
                let edcaf = &mut members.edcafs[id.index()];
                (edcaf.standing, edcaf.waiting) = (Standing::Free, false);
                starting.push(id);
            }
            stays
        });
        self.own = own;
        self.seek_own_next(members);
    }

    /// Finds the next access of the EDCAFs that count for themselves.
    pub(super) fn seek_own_next(&mut self, members: &Members) {
        let accesses = self.own.iter().map(|id| self.access(&members.edcafs[id.index()]));
        self.own_next = accesses.min().unwrap_or(Instant::FAR_FUTURE);
    }

    /// One more PPDU is on the air, of this BSS. Says whether the group turned busy.
    #[inline]
    pub(super) fn carrier_rises(&mut self, now: Instant, bss: Option<BssId>) -> bool {
        self.nav.hears(now);
        self.begin(now, bss)
    }

    /// One more thing is on the air, perhaps without a preamble. Says whether the group turned busy.
    #[inline]
    pub(super) fn energy_rises(&mut self, now: Instant) -> bool {
        self.begin(now, None)
    }

    #[inline(always)]
    fn begin(&mut self, now: Instant, bss: Option<BssId>) -> bool {
        self.busy.rises(now, bss);
        if self.busy.on_air() == 1 {
            self.eifs_extra = Duration::ZERO;
            self.busy_since = now;
            self.sensed_at = now + self.slot;
        }
        self.busy.on_air() == 1
    }

    /// A PPDU has ended, of this BSS. Says whether the next access may have changed.
    #[inline]
    pub(super) fn carrier_falls(
        &mut self,
        now: Instant,
        bss: Option<BssId>,
        deference: Deference,
        members: &mut Members,
    ) -> bool {
        if let Some(reservation) = deference.reservation {
            self.nav.add(now, reservation);
        }
        if let Some(eifs_extra) = deference.eifs_extra {
            self.eifs_extra = eifs_extra;
        }
        self.end(now, bss, members)
    }

    /// Something on the air has ended that is no PPDU. Says whether the next access may have changed.
    pub(super) fn energy_falls(&mut self, now: Instant, members: &mut Members) -> bool {
        self.end(now, None, members)
    }

    #[inline(always)]
    fn end(&mut self, now: Instant, bss: Option<BssId>, members: &mut Members) -> bool {
        self.busy.falls(now, bss);
        // A PPDU may be shorter than a slot (DMG). An EDCAF that starts in the instant of its end cannot have sensed it.
        let noticed = now + Duration::from_nanos(1) < self.sensed_at;
        if noticed {
            self.sensed_at = now + Duration::from_nanos(1);
        }
        if !self.is_busy() {
            self.turn_idle(now, members);
        }
        noticed || !self.is_busy()
    }

    /// The only NIC of this group does not sense any more what goes on. Says whether the next access may have changed.
    #[inline(never)]
    pub(super) fn carrier_lost(&mut self, now: Instant, bss: Option<BssId>, members: &mut Members) -> bool {
        if self.busy.on_air() > 1 {
            // Something else keeps the medium busy.
            self.busy.falls(now, bss);
            return false;
        }
        self.end(now, bss, members)
    }

    /// A NIC of this group that transmits knows it at once: its own EDCAFs don't start within the slot.
    #[inline]
    pub(super) fn silence(&mut self, nic: MemberId, now: Instant, members: &mut Members) -> bool {
        if self.next() == Instant::FAR_FUTURE {
            return false;
        }
        let mut silenced = false;
        while let Some(id) = members.find(nic, |edcaf| self.access(edcaf) < self.sensed_at) {
            let edcaf = &members.edcafs[id.index()];
            // A response goes before an access in the same instant: both fall together where the NIC decoded a PPDU that is
            // below its carrier sense.
            assert!(self.access(edcaf) >= now, "{id:?} is late");
            let slots = self.left(edcaf, self.busy_since);
            self.leave(id, members);
            self.freeze(id, slots.expect("an EDCAF that waits has a backoff"), members);
            silenced = true;
        }
        silenced
    }

    /// Whether EIFS follows depends on the PPDU that ended last (10.3.2.3.7).
    #[inline(always)]
    fn turn_idle(&mut self, now: Instant, members: &mut Members) {
        debug_assert!(now >= self.busy_since, "a PPDU ends after it began, or was first heard");
        if !self.own.is_empty() {
            self.freeze_own(members);
        }
        self.idle_since = Some(now);
        let after_eifs = now + self.eifs_extra;
        self.ready = after_eifs.max(self.nav.until());
        for lane in &mut self.lanes {
            lane.turn_idle(self.busy_since, self.ready);
        }
        if self.ready > after_eifs {
            self.release_announcers(now, after_eifs, members);
        }
        if !self.apart.is_empty() || !self.apart_next.is_empty() {
            self.change_apart(members);
        }
        self.resume(members);
    }

    /// The sender of an RTS or CTS is not bound by it.
    #[inline(never)]
    fn release_announcers(&mut self, now: Instant, after_eifs: Instant, members: &Members) {
        for nic in self.nav.announcers(now) {
            let ready = after_eifs.max(self.nav.until_for(nic, None));
            let known = self.apart_next.iter().any(|&(other, _)| other == nic);
            let is_member = members.nics.get(nic.index()).is_some_and(|n| n.group == self.id);
            if is_member && ready < self.ready && !known {
                self.apart_next.push((nic, ready));
            }
        }
    }

    /// An EDCAF that counted for itself takes off the slots that passed before the medium became busy.
    #[inline(never)]
    fn freeze_own(&mut self, members: &mut Members) {
        while let Some(id) = self.own.pop() {
            match self.left(&members.edcafs[id.index()], self.busy_since) {
                Some(slots) => self.freeze(id, slots, members),
                None => members.edcafs[id.index()].standing = Standing::Free,
            }
        }
        self.own_next = Instant::FAR_FUTURE;
    }

    /// The longer deferral of single NICs ends with the idle period it was for, and begins for others.
    #[inline(never)]
    fn change_apart(&mut self, members: &mut Members) {
        while let Some(nic) = self.apart.pop() {
            members.nics[nic.index()].apart = None;
        }
        while let Some((nic, not_before)) = self.apart_next.pop() {
            members.nics[nic.index()].apart = Some(not_before);
            self.apart.push(nic);
            while let Some(id) = members.find(nic, |edcaf| matches!(edcaf.standing, Standing::Lane { .. })) {
                self.leave_lane(id, members);
            }
        }
    }

    /// Takes an EDCAF from its lane, where no slot of this idle period has passed.
    fn leave_lane(&mut self, id: EdcafId, members: &mut Members) {
        let edcaf = &members.edcafs[id.index()];
        let Standing::Lane { ends_at } = edcaf.standing else { return };
        let left = self.lanes[edcaf.lane as usize].slots_to(ends_at, edcaf.waiting);
        self.leave(id, members);
        if let Some(slots) = left {
            self.freeze(id, slots, members);
        }
    }

    /// Frozen backoffs count again.
    #[inline]
    pub(super) fn resume(&mut self, members: &mut Members) {
        while let Some(id) = self.frozen.pop() {
            let Standing::Frozen { slots } = members.edcafs[id.index()].standing else {
                unreachable!("{id:?} is listed as frozen")
            };
            self.join(id, slots, members);
        }
    }
}
