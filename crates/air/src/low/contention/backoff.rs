//! How EDCAFs come into contention, and how one NIC defers longer than its group.

use airtcp_units::{Duration, Instant};

use super::MemberId;
use super::edcaf::{Contender, EdcafId, Members, Standing};
use super::group::Group;

impl Group {
    /// A frame comes to an EDCAF that had none.
    #[inline]
    pub(super) fn arrive(
        &mut self,
        now: Instant,
        id: EdcafId,
        members: &mut Members,
        draw: impl FnOnce() -> u32,
    ) {
        assert!(!members.edcafs[id.index()].waiting, "{id:?} has a frame at its head already");
        if members.edcafs[id.index()].suspended {
            return self.arrive_in_sensed_busy(id, members, draw);
        }
        let transmits = members.nics[id.member().index()].transmitting;
        if self.is_busy() && (transmits.is_some() || now >= self.sensed_at) {
            self.arrive_in_sensed_busy(id, members, draw);
        } else if self.lasts_until(&members.edcafs[id.index()], now) {
            self.wait(id, members);
        } else {
            self.leave(id, members);
            members.edcafs[id.index()].waiting = true;
            self.arrive_without_backoff(now, id, members, draw);
        }
    }

    /// The frame waits for what was left of a backoff, or draws one.
    #[inline(never)]
    fn arrive_in_sensed_busy(&mut self, id: EdcafId, members: &mut Members, draw: impl FnOnce() -> u32) {
        let left = self.left(&members.edcafs[id.index()], self.busy_since);
        self.leave(id, members);
        members.edcafs[id.index()].waiting = true;
        self.freeze(id, left.unwrap_or_else(draw), members);
    }

    /// Whether a backoff with nothing to send is pending at `now`. At its very end it still is.
    fn lasts_until(&self, edcaf: &Contender, now: Instant) -> bool {
        match edcaf.standing {
            Standing::Free => false,
            Standing::Frozen { .. } | Standing::Suspended { .. } => true,
            Standing::First { .. } => unreachable!("a first frame waits"),
            Standing::Own { from, slots } => from + self.slot * u64::from(slots) >= now,
            Standing::Lane { ends_at } => {
                let lane = &self.lanes[edcaf.lane as usize];
                lane.slots_to(ends_at, false).is_some() && lane.time_of(ends_at) >= now
            }
        }
    }

    /// A frame has come to a pending backoff.
    #[inline(never)]
    fn wait(&mut self, id: EdcafId, members: &mut Members) {
        let edcaf = &mut members.edcafs[id.index()];
        edcaf.waiting = true;
        match edcaf.standing {
            Standing::Lane { ends_at } => {
                self.lanes[edcaf.lane as usize].push(ends_at, id, &mut members.edcafs);
            }
            _ => self.own_next = self.own_next.min(self.access(&members.edcafs[id.index()])),
        }
    }

    /// The frame starts after AIFS, if the medium is idle and stays so; else it draws a backoff. The instant in which
    /// a PPDU or the NAV ends still counts as busy.
    #[inline(never)]
    fn arrive_without_backoff(
        &mut self,
        now: Instant,
        id: EdcafId,
        members: &mut Members,
        draw: impl FnOnce() -> u32,
    ) {
        let (nic, lane) = (id.member(), &self.lanes[members.edcafs[id.index()].lane as usize]);
        let busy = self.idle_since.is_some_and(|idle| match members.nics[nic.index()].apart {
            Some(_) => now <= idle,
            None => now <= idle.max(self.nav.until()),
        });
        if busy && self.is_busy() {
            return self.freeze(id, draw(), members);
        } else if busy {
            return self.join(id, draw(), members);
        }
        let at = now.max(self.own_start(nic, lane.aifs.duration, members).unwrap_or(lane.start()));
        let drawn = (at > now).then(draw);
        self.stand_alone(id, Standing::First { at, drawn }, members);
    }

    /// A backoff begins after the NIC transmitted or gave up waiting for a response.
    #[inline]
    pub(super) fn begin_backoff(
        &mut self,
        now: Instant,
        id: EdcafId,
        slots: u32,
        waiting: bool,
        members: &mut Members,
    ) {
        assert!(!members.edcafs[id.index()].waiting, "{id:?} contends already");
        self.leave(id, members);
        members.edcafs[id.index()].waiting = waiting;
        let ready = self.own_ready(id.member(), members).unwrap_or(self.ready);
        let edcaf = &members.edcafs[id.index()];
        let aifs = self.lanes[edcaf.lane as usize].aifs.duration;
        if self.is_busy() || edcaf.suspended {
            self.freeze(id, slots, members);
        } else if self.idle_since.is_some() && now <= ready {
            self.join(id, slots, members);
        } else {
            // It begins inside an idle period: its AIFS does, too.
            self.stand_alone(id, Standing::Own { from: now.max(ready) + aifs, slots }, members);
        }
    }

    /// This NIC alone waits for `not_before`, in the idle period that runs or else in the next.
    pub(super) fn set_apart(
        &mut self,
        now: Instant,
        nic: MemberId,
        not_before: Instant,
        members: &mut Members,
    ) {
        if self.is_busy() {
            self.apart_next.retain(|&(other, _)| other != nic);
            self.apart_next.push((nic, not_before));
            return;
        }
        if members.nics[nic.index()].apart.replace(not_before).is_none() {
            self.apart.push(nic);
        }
        for id in EdcafId::all_of(nic) {
            self.restart(now, id, members);
        }
        self.seek_own_next(members);
    }

    /// What is left of a backoff counts from the start that is the NIC's own now. An EDCAF that counts already and need not wait
    /// longer goes on; one that starts at this instant is not delayed.
    #[inline(always)]
    fn restart(&mut self, now: Instant, id: EdcafId, members: &mut Members) {
        let edcaf = &members.edcafs[id.index()];
        let from = match edcaf.standing {
            Standing::Free | Standing::Frozen { .. } | Standing::Suspended { .. } => return,
            Standing::First { at, .. } => at,
            Standing::Lane { .. } => self.lanes[edcaf.lane as usize].start(),
            Standing::Own { from, .. } => from,
        };
        self.restart_from(now, from, id, members);
    }

    #[inline(never)]
    fn restart_from(&mut self, now: Instant, from: Instant, id: EdcafId, members: &mut Members) {
        let edcaf = &members.edcafs[id.index()];
        let lane = &self.lanes[edcaf.lane as usize];
        if self.access(edcaf) == now {
            return;
        }
        let start =
            self.own_start(id.member(), lane.aifs.duration, members).expect("its NIC is apart").max(now);
        if let Standing::First { drawn, .. } = edcaf.standing {
            // It waited for AIFS, so it has drawn.
            members.edcafs[id.index()].standing = Standing::First { at: start, drawn };
            return;
        }
        if from <= now && start == now {
            return;
        }
        let left = self.left(edcaf, now);
        self.leave(id, members);
        if let Some(slots) = left {
            self.stand_alone(id, Standing::Own { from: start, slots }, members);
        }
    }

    /// When AIFS begins in this idle period for a NIC that defers longer than its group.
    #[inline]
    fn own_ready(&self, nic: MemberId, members: &Members) -> Option<Instant> {
        let not_before = members.nics[nic.index()].apart?;
        Some(self.idle_since.unwrap_or(Instant::ZERO).max(not_before))
    }

    /// When slots begin for a NIC that defers longer than its group.
    #[inline]
    pub(super) fn own_start(&self, nic: MemberId, aifs: Duration, members: &Members) -> Option<Instant> {
        self.own_ready(nic, members).map(|ready| ready + aifs)
    }

    /// A backoff counts from the start of this idle period's slots on.
    #[inline(always)]
    pub(super) fn join(&mut self, id: EdcafId, slots: u32, members: &mut Members) {
        let edcaf = &mut members.edcafs[id.index()];
        if edcaf.suspended {
            return self.freeze(id, slots, members);
        }
        let lane = &mut self.lanes[edcaf.lane as usize];
        // With nothing to send, a backoff of no slots ends with AIFS, which the lane's count can't tell.
        if members.nics[id.member().index()].apart.is_none() && (slots > 0 || edcaf.waiting) {
            let ends_at = lane.begin(slots);
            edcaf.standing = Standing::Lane { ends_at };
            if edcaf.waiting {
                lane.push(ends_at, id, &mut members.edcafs);
            }
            return;
        }
        let (start, aifs) = (lane.start(), lane.aifs.duration);
        let from = self.own_start(id.member(), aifs, members).unwrap_or(start);
        self.stand_alone(id, Standing::Own { from, slots }, members);
    }

    /// An EDCAF counts for itself in this idle period.
    #[inline(never)]
    pub(super) fn stand_alone(&mut self, id: EdcafId, standing: Standing, members: &mut Members) {
        members.edcafs[id.index()].standing = standing;
        self.own.push(id);
        self.own_next = self.own_next.min(self.access(&members.edcafs[id.index()]));
    }

    /// What is left of a backoff waits for the medium to become idle, and if its EDCAF is suspended for the end of that.
    #[inline]
    pub(super) fn freeze(&mut self, id: EdcafId, slots: u32, members: &mut Members) {
        let edcaf = &mut members.edcafs[id.index()];
        if edcaf.suspended {
            edcaf.standing = Standing::Suspended { slots };
            return;
        }
        edcaf.standing = Standing::Frozen { slots };
        self.frozen.push(id);
    }

    /// Takes an EDCAF out of wherever it stands; its frame, if there is one, still waits.
    #[inline(always)]
    pub(super) fn leave(&mut self, id: EdcafId, members: &mut Members) {
        let edcaf = &mut members.edcafs[id.index()];
        let was_next = match std::mem::replace(&mut edcaf.standing, Standing::Free) {
            Standing::Free | Standing::Suspended { .. } => return,
            Standing::Lane { .. } => {
                if edcaf.waiting {
                    self.lanes[edcaf.lane as usize].remove(id, &mut members.edcafs);
                }
                return;
            }
            Standing::Frozen { .. } => return remove(&mut self.frozen, id),
            Standing::Own { .. } | Standing::First { .. } => edcaf.waiting,
        };
        remove(&mut self.own, id);
        if was_next {
            self.seek_own_next(members);
        }
    }
}

/// Removes a member of a list whose order does not matter.
fn remove(list: &mut Vec<EdcafId>, id: EdcafId) {
    let place = list.iter().position(|&other| other == id).expect("it is listed where it stands");
    list.swap_remove(place);
}
