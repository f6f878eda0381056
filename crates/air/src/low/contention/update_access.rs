//! An EDCAF waits for another AIFS from now on, or is suspended.

use airtcp_units::Instant;

use super::Contention;
use super::edcaf::{Aifs, Contender, EdcafId, Members, Standing};
use super::group::Group;

impl Contention {
    /// From now on an EDCAF waits for this before it counts slots; `None`: it is suspended, and neither counts nor starts until it has
    /// an AIFS again (AIFSN 0 of MU EDCA parameters; IEEE 802.11ax-2021, 26.2.7).
    ///
    /// An AIFS that has begun gets the new length. A backoff that counts goes on as it is, and who starts at this instant starts. To one
    /// that is suspended the medium is busy: what it is given draws a backoff.
    pub(crate) fn set_aifs(&mut self, now: Instant, edcaf: EdcafId, aifs: Option<Aifs>) {
        self.check(now);
        let id = self.hearing.group_of(edcaf.member());
        let group = &mut self.groups[id];
        match aifs {
            Some(aifs) => {
                self.aifs[edcaf.index()] = aifs;
                group.set_aifs(now, edcaf, aifs, &mut self.members);
            }
            None => group.suspend(now, edcaf, &mut self.members),
        }
        self.earliest.set(id, group.next());
    }
}

impl Group {
    /// Whether this EDCAF starts within the slot in which others have begun to transmit, or on an idle medium.
    fn will_start(&self, edcaf: &Contender) -> bool {
        edcaf.waiting && (!self.is_busy() || self.access(edcaf) < self.sensed_at)
    }

    fn starts_at(&self, now: Instant, edcaf: &Contender) -> bool {
        self.will_start(edcaf) && self.access(edcaf) == now
    }

    fn suspend(&mut self, now: Instant, id: EdcafId, members: &mut Members) {
        let edcaf = &mut members.edcafs[id.index()];
        if std::mem::replace(&mut edcaf.suspended, true) {
            return;
        }
        if self.starts_at(now, &members.edcafs[id.index()]) {
            return self.count_alone(id, members);
        }
        let until = if self.is_busy() { self.busy_since } else { now };
        let left = self.left(&members.edcafs[id.index()], until);
        self.leave(id, members);
        if let Some(slots) = left {
            self.freeze(id, slots, members);
        }
    }

    fn set_aifs(&mut self, now: Instant, id: EdcafId, aifs: Aifs, members: &mut Members) {
        let lane = self.lane(aifs);
        let edcaf = &mut members.edcafs[id.index()];
        let was_suspended = std::mem::take(&mut edcaf.suspended);
        if let Standing::Suspended { slots } = edcaf.standing {
            debug_assert!(was_suspended, "{id:?} stands as if it were suspended");
            edcaf.lane = lane;
            return self.wake(now, id, slots, members);
        }
        if edcaf.lane == lane {
            return;
        }
        let edcaf = &members.edcafs[id.index()];
        if self.starts_at(now, edcaf) || self.is_busy() && self.will_start(edcaf) {
            self.count_alone(id, members);
            members.edcafs[id.index()].lane = lane;
        } else if self.is_busy() {
            let left = self.left(edcaf, self.busy_since);
            self.leave(id, members);
            members.edcafs[id.index()].lane = lane;
            if let Some(slots) = left {
                self.freeze(id, slots, members);
            }
        } else {
            self.move_to(now, id, lane, members);
        }
    }

    /// On an idle medium an EDCAF changes its lane.
    fn move_to(&mut self, now: Instant, id: EdcafId, lane: u32, members: &mut Members) {
        self.count_alone(id, members);
        let edcaf = &mut members.edcafs[id.index()];
        let before = self.lanes[std::mem::replace(&mut edcaf.lane, lane) as usize].aifs.duration;
        let aifs = self.lanes[lane as usize].aifs.duration;
        // What has not begun to count has the new AIFS, from where the old one began.
        let changed = |from: Instant| {
            if from > now { now + (from.since(now) + aifs).saturating_sub(before) } else { from }
        };
        match edcaf.standing {
            Standing::Own { from, slots } => {
                self.leave(id, members);
                self.count_from(changed(from), id, slots, members);
            }
            Standing::First { at, drawn } => {
                edcaf.standing = Standing::First { at: changed(at), drawn };
                self.seek_own_next(members);
            }
            Standing::Free | Standing::Lane { .. } | Standing::Frozen { .. } | Standing::Suspended { .. } => {
            }
        }
    }

    /// An EDCAF that was suspended takes part again.
    fn wake(&mut self, now: Instant, id: EdcafId, slots: u32, members: &mut Members) {
        if self.is_busy() {
            return self.freeze(id, slots, members);
        }
        let lane = &self.lanes[members.edcafs[id.index()].lane as usize];
        let start = self.own_start(id.member(), lane.aifs.duration, members).unwrap_or(lane.start());
        self.count_from(start.max(now), id, slots, members);
    }

    /// Slots count from an instant of this idle period on.
    fn count_from(&mut self, from: Instant, id: EdcafId, slots: u32, members: &mut Members) {
        let start = self.lanes[members.edcafs[id.index()].lane as usize].start();
        if from == start && members.nics[id.member().index()].apart.is_none() {
            self.join(id, slots, members);
        } else {
            self.stand_alone(id, Standing::Own { from, slots }, members);
        }
    }

    /// An EDCAF that counts with its lane counts for itself in this idle period.
    fn count_alone(&mut self, id: EdcafId, members: &mut Members) {
        let edcaf = &members.edcafs[id.index()];
        let Standing::Lane { ends_at } = edcaf.standing else { return };
        let lane = &self.lanes[edcaf.lane as usize];
        let (from, slots) = (lane.start(), lane.slots_to(ends_at, edcaf.waiting));
        self.leave(id, members);
        if let Some(slots) = slots {
            self.stand_alone(id, Standing::Own { from, slots }, members);
        }
    }
}
