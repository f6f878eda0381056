//! The hearing changes: NICs move between groups and take their backoffs along.

use airtcp_units::{Duration, Instant};
use typed_index_collections::TiVec;

use super::MemberId;
use super::edcaf::{Contender, EdcafId, Nic, Standing};
use super::group::Group;
use super::nav::Nav;
use super::{Contention, Earliest, GroupId, Hearing};

/// The groups before the change.
struct Before {
    hearing: Hearing,
    groups: TiVec<GroupId, Group>,
    edcafs: Vec<Contender>,
}

impl Before {
    fn group(&self, nic: MemberId) -> &Group {
        &self.groups[self.hearing.group_of(nic)]
    }

    /// Where an EDCAF stands, without its lane: an EDCAF that counts, or starts within the slot, goes on; others are frozen.
    fn standing(&self, id: EdcafId) -> Standing {
        let (group, edcaf) = (self.group(id.member()), &self.edcafs[id.index()]);
        if matches!(edcaf.standing, Standing::Suspended { .. }) {
            return edcaf.standing;
        }
        if group.is_busy() && group.access(edcaf) >= group.sensed_at {
            let left = group.left(edcaf, group.busy_since);
            return left.map_or(Standing::Free, |slots| Standing::Frozen { slots });
        }
        let Standing::Lane { ends_at } = edcaf.standing else { return edcaf.standing };
        let lane = &group.lanes[edcaf.lane as usize];
        match lane.slots_to(ends_at, edcaf.waiting) {
            Some(slots) => Standing::Own { from: lane.start(), slots },
            None => Standing::Free,
        }
    }
}

impl Contention {
    /// From now on others hear each other, also what is on the air already. Every backoff keeps its slots, and its time
    /// if its NIC senses an idle medium before and after. A carrier that is new to a NIC begins for it now; where one has
    /// vanished the medium is idle from now on. A new group has read what any of its NICs has, and has the latest start of AIFS.
    pub(crate) fn update_hearing(&mut self, now: Instant, hearing: Hearing) {
        self.check(now);
        assert_eq!(hearing.nics(), self.hearing.nics(), "NICs neither come nor go");
        if hearing != self.hearing {
            self.regroup(now, hearing, None);
        }
    }

    /// A NIC that did not hear the others comes among them, and was not ready to send before: what is on the air it has sensed, and
    /// on an idle medium its AIFS begins now. For the other members nothing changes.
    pub(crate) fn join(&mut self, now: Instant, hearing: Hearing, newcomer: MemberId, slot: Duration) {
        self.check(now);
        self.slots[newcomer] = slot;
        self.regroup(now, hearing, Some(newcomer));
        if !self.group(newcomer).is_busy() {
            self.set_apart(now, newcomer, now);
        }
    }

    fn regroup(&mut self, now: Instant, hearing: Hearing, newcomer: Option<MemberId>) {
        for nic in (0..self.members.nics.len() as u32).map(MemberId) {
            self.busy_before[nic] = self.busy_time(now, nic);
            self.memberships[nic].carry(now, &self.groups[self.hearing.group_of(nic)].busy);
        }
        let before = Before {
            hearing: std::mem::replace(&mut self.hearing, hearing),
            groups: std::mem::take(&mut self.groups),
            edcafs: self.members.edcafs.clone(),
        };
        self.found_groups();
        self.carry_carrier(now, &before, newcomer);
        self.carry_apart(&before);
        for id in (0..before.edcafs.len() as u32).map(EdcafId) {
            self.carry_edcaf(id, before.standing(id));
        }
        self.earliest = Earliest::new(self.groups.len());
        for (id, group) in self.groups.iter_enumerated() {
            self.earliest.set(id, group.next());
        }
    }

    /// What is on the air counts for those that hear it from now on. A NIC that missed the preamble of a PPDU and comes to others
    /// senses what they sense.
    fn count_carriers(&mut self, now: Instant) {
        for nic in (0..self.members.nics.len() as u32).map(MemberId) {
            let Nic { transmitting: Some(width), transmits_in, unsensed, .. } =
                &mut self.members.nics[nic.index()]
            else {
                continue;
            };
            unsensed.retain(|&other| self.hearing.is_alone(other));
            for &group in self.hearing.heard_by(nic, *width) {
                if !self.hearing.misses(unsensed, group) {
                    self.groups[group].busy.rises(now, *transmits_in);
                }
            }
        }
        for &emission in &self.emissions {
            for &group in self.hearing.sensed_by(emission) {
                self.groups[group].busy.rises(now, None);
            }
        }
    }

    fn carry_carrier(&mut self, now: Instant, before: &Before, newcomer: Option<MemberId>) {
        self.count_carriers(now);
        let nics = || (0..self.members.nics.len() as u32).map(MemberId);
        for number in self.groups.keys() {
            let members = || nics().filter(|&nic| self.hearing.group_of(nic) == number);
            let is_new = |nic| newcomer == Some(nic);
            let alone = members().all(is_new);
            let old = || members().filter(|&nic| alone || !is_new(nic)).map(|nic| before.group(nic));
            let was_idle = old().any(|group| !group.is_busy());
            let was_busy = old().any(Group::is_busy);
            let latest = |of: fn(&Group) -> Instant| old().map(of).max().expect("a group has NICs");
            let mut nav = Nav::default();
            old().for_each(|group| nav.join(&group.nav));
            let (busy_since, sensed_at) = (latest(|g| g.busy_since), latest(|g| g.sensed_at));
            let (ready, idle_since) = (latest(|g| g.ready), old().filter_map(|g| g.idle_since).max());
            let eifs_extra = old().map(|group| group.eifs_extra).max().unwrap_or(Duration::ZERO);
            let group = &mut self.groups[number];
            let fell_silent = was_busy && !group.is_busy();
            group.busy_since = if was_idle { now } else { busy_since };
            group.sensed_at = match was_idle {
                true if alone => now,
                true => now + group.slot,
                false => sensed_at,
            };
            group.idle_since = if fell_silent { Some(now) } else { idle_since };
            group.ready = if fell_silent { now.max(nav.until()) } else { ready };
            group.nav = nav;
            group.eifs_extra = eifs_extra;
            if group.idle_since.is_some() {
                let ready = group.ready;
                group.lanes.iter_mut().for_each(|lane| lane.start_after(ready));
            }
        }
    }

    fn carry_apart(&mut self, before: &Before) {
        for nic in (0..self.members.nics.len() as u32).map(MemberId) {
            let old = before.group(nic);
            let next = old.apart_next.iter().find(|(other, _)| *other == nic);
            let group = &mut self.groups[self.hearing.group_of(nic)];
            let apart = &mut self.members.nics[nic.index()].apart;
            if group.is_busy() {
                group.apart_next.extend(next);
            } else if old.is_busy() {
                *apart = next.map(|&(_, not_before)| not_before);
            }
            if apart.is_some() {
                group.apart.push(nic);
            }
        }
    }

    fn carry_edcaf(&mut self, id: EdcafId, standing: Standing) {
        let members = &mut self.members;
        members.edcafs[id.index()].standing = Standing::Free;
        let group = &mut self.groups[self.hearing.group_of(id.member())];
        let apart = members.nics[id.member().index()].apart.is_some();
        let Contender { lane, suspended, .. } = members.edcafs[id.index()];
        let start = group.lanes[lane as usize].start();
        match standing {
            Standing::Free | Standing::Lane { .. } => {}
            Standing::Suspended { .. } => members.edcafs[id.index()].standing = standing,
            Standing::Frozen { slots } if group.is_busy() => group.freeze(id, slots, members),
            Standing::Frozen { slots } => group.join(id, slots, members),
            Standing::Own { from, slots } if from == start && !group.is_busy() && !apart && !suspended => {
                group.join(id, slots, members);
            }
            alone => group.stand_alone(id, alone, members),
        }
    }
}
