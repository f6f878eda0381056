//! Channel access: which EDCAFs may start a PPDU, and when (IEEE 802.11-2020, 10.3.4 for DCF and 10.23.2 for EDCA).
//!
//! ```text
//!   busy      |<- AIFS ->|slot|slot|slot|                busy |<- AIFS ->|slot|
//! ============+----------+----+----+----+=====================+----------+----+===
//!          ready       start            | another starts:
//!                                       | the slots passed are taken off
//! ```
//! Nothing happens per slot: an access time is known as long as the medium stays idle. Nor does anything happen per
//! contender, where many do the same:
//!
//! - NICs that hear exactly the same transmitters form a **group** ([`Hearing`]). Carrier sense, NAV and EIFS are the
//!   group's. A PPDU heard by one group and not by another freezes only the first.
//! - The EDCAFs of a group with one AIFS form a **lane**, which counts idle slots. A contender remembers at which count
//!   its backoff ends and waits in a heap, so a freeze is one addition for all of them.
//! - A NIC that must wait for something else than its group (the sender of an unanswered PPDU, a NIC that alone did not
//!   decode what the others did: [`Contention::set_apart`]), or begins inside an idle period, counts for itself until
//!   the medium is busy again, and then returns to its lane with the slots left.
//!
//! A slot is the time to sense a PPDU, decide, and turn to sending (10.3.7). So **an EDCAF that starts less than a slot after
//! another could not sense it**, and collides. Only the other EDCAFs of the NIC that starts know at once.
//!
//! # The contract
//! `now` never runs backwards, and never passes [`Contention::next`] without [`Contention::take_starts`]. At one instant PPDUs
//! end first, then responses start and waiting ends, then frames come, then starts are taken; a backoff may begin, and a NIC be
//! set apart, before or after the end of the PPDU they follow. If several PPDUs end at one instant, whether EIFS follows is
//! decided by the last call. A NIC whose access is due does not transmit before it has been taken, and a PPDU lasts
//! more than no time.

mod access_function;
mod backoff;
mod busy_time;
mod earliest;
mod edcaf;
mod group;
mod heap;
mod hearing;
mod lane;
mod nav;
mod update_access;
mod update_hearing;

use airtcp_units::{Duration, Instant};
use typed_index_collections::{TiVec, ti_vec};

use busy_time::Membership;
use earliest::Earliest;
use edcaf::{Contender, Members, Nic, Standing};
use group::Group;

use crate::channel::EmissionId;
use crate::low::cell::BssId;
use crate::phy::Width;

pub(crate) use access_function::{AccessFunction, PIFS_AIFSN};
pub(crate) use edcaf::{Aifs, EDCAFS_PER_NIC, EdcafId};
pub(crate) use hearing::{GroupId, Hearing, HearingScene, MemberId};
pub(crate) use nav::{Deference, Reservation, Tentative};

/// The contenders on one medium, in hearing groups.
#[derive(Debug)]
pub(crate) struct Contention {
    /// Slot time of each NIC; all NICs of a group have the same.
    slots: TiVec<MemberId, Duration>,
    aifs: Vec<Aifs>,
    hearing: Hearing,
    groups: TiVec<GroupId, Group>,
    members: Members,
    earliest: Earliest,
    /// Emissions on the air.
    emissions: Vec<EmissionId>,
    /// How long carrier sense of each NIC was busy in groups that are no more.
    busy_before: TiVec<MemberId, Duration>,
    memberships: TiVec<MemberId, Membership>,
}

impl Contention {
    /// Contenders on a medium that was never busy, in no BSS; `aifs` by EDCAF, five for each NIC. Panics if they are not.
    pub(crate) fn new(slots: TiVec<MemberId, Duration>, hearing: Hearing, aifs: &[Aifs]) -> Self {
        assert_eq!(aifs.len(), hearing.nics() * EDCAFS_PER_NIC as usize, "each NIC has five EDCAFs");
        let free =
            Contender { standing: Standing::Free, waiting: false, suspended: false, lane: 0, place: 0 };
        let members = Members { edcafs: vec![free; aifs.len()], nics: vec![Nic::default(); hearing.nics()] };
        let earliest = Earliest::new(hearing.groups());
        let aifs = aifs.to_vec();
        let (groups, emissions) = (TiVec::new(), Vec::new());
        let busy_before = ti_vec![Duration::ZERO; hearing.nics()];
        let memberships = ti_vec![Membership::default(); hearing.nics()];
        let mut new =
            Self { slots, aifs, hearing, groups, members, earliest, emissions, busy_before, memberships };
        new.found_groups();
        new
    }

    /// The groups of `hearing` and their lanes, with nobody in them.
    fn found_groups(&mut self) {
        self.groups = TiVec::with_capacity(self.hearing.groups());
        for (nic, state) in self.members.nics.iter_mut().enumerate() {
            let nic = MemberId(nic as u32);
            state.group = self.hearing.group_of(nic);
            // Groups are numbered in the order of their first NIC.
            if usize::from(state.group) == self.groups.len() {
                self.groups.push(Group::new(state.group, self.slots[nic]));
            }
            debug_assert_eq!(self.groups[state.group].slot, self.slots[nic], "a group has one slot");
        }
        for (edcaf, &aifs) in self.aifs.iter().enumerate() {
            let group = self.hearing.group_of(EdcafId(edcaf as u32).member());
            self.members.edcafs[edcaf].lane = self.groups[group].lane(aifs);
        }
    }

    /// When the next PPDU starts, if nothing new happens; the far future if nobody is about to send.
    #[inline]
    pub(crate) fn next(&self) -> Instant {
        self.earliest.at()
    }

    /// The EDCAFs that start at `now` leave contention and are added to `starting`, in the order of [`EdcafId`]. Of several
    /// EDCAFs of one NIC the caller lets one transmit; the others begin a new backoff (internal collision, 10.23.2.4).
    #[inline(always)]
    pub(crate) fn take_starts(&mut self, now: Instant, starting: &mut Vec<EdcafId>) {
        self.check(now);
        let first = starting.len();
        while self.earliest.at() == now {
            let group = self.earliest.group();
            self.groups[group].take(now, &mut self.members, starting);
            self.earliest.set(group, self.groups[group].next());
        }
        starting[first..].sort_unstable();
    }

    /// A NIC begins to transmit with this width: every group that hears it has one more PPDU on the air, except for the groups of
    /// `unsensed`: NICs that missed its preamble, each of which is alone in its group.
    pub(crate) fn ppdu_starts(&mut self, now: Instant, nic: MemberId, width: Width, unsensed: &[MemberId]) {
        self.check(now);
        let state = &mut self.members.nics[nic.index()];
        assert!(state.transmitting.is_none(), "{nic:?} transmits already");
        let bss = self.memberships[nic].bss;
        (state.transmitting, state.transmits_in) = (Some(width), bss);
        if !unsensed.is_empty() {
            state.unsensed.extend_from_slice(unsensed);
        }
        let own = self.hearing.group_of(nic);
        for &heard_by in self.hearing.heard_by(nic, width) {
            if self.hearing.misses(unsensed, heard_by) {
                continue;
            }
            let group = &mut self.groups[heard_by];
            let mut changes = group.carrier_rises(now, bss);
            if heard_by == own {
                changes |= group.silence(nic, now, &mut self.members);
            }
            if changes {
                self.earliest.set(heard_by, group.next());
            }
        }
    }

    /// The PPDU of a NIC ends. Each group that heard it is asked what its NICs understood of it.
    pub(crate) fn ppdu_ends(
        &mut self,
        now: Instant,
        nic: MemberId,
        mut deference: impl FnMut(GroupId) -> Deference,
    ) {
        self.check(now);
        let state = &mut self.members.nics[nic.index()];
        let width = state.transmitting.take().expect("what ends was transmitted");
        let bss = state.transmits_in;
        let mut unsensed = std::mem::take(&mut state.unsensed);
        for &group in self.hearing.heard_by(nic, width) {
            if self.hearing.misses(&unsensed, group) {
                continue;
            }
            let deference = deference(group);
            if self.groups[group].carrier_falls(now, bss, deference, &mut self.members) {
                self.earliest.set(group, self.groups[group].next());
            }
        }
        // Few PPDUs ever have any: an empty list needs no way back.
        if !unsensed.is_empty() {
            unsensed.clear();
            self.members.nics[nic.index()].unsensed = unsensed;
        }
    }

    /// A NIC that is alone in its group, and sensed what another transmits by its preamble, turns to something else: it transmits, or
    /// receives another PPDU. It does not sense the rest.
    pub(crate) fn carrier_lost(&mut self, now: Instant, nic: MemberId, sender: MemberId) {
        self.check(now);
        debug_assert!(self.senses(nic, sender), "only what is sensed can be lost");
        let sender = &mut self.members.nics[sender.index()];
        sender.unsensed.push(nic);
        let group = self.hearing.group_of(nic);
        let bss = sender.transmits_in;
        if self.groups[group].carrier_lost(now, bss, &mut self.members) {
            self.earliest.set(group, self.groups[group].next());
        }
    }

    /// Whether this NIC senses what another transmits now.
    #[inline]
    pub(crate) fn senses(&self, nic: MemberId, sender: MemberId) -> bool {
        let state = &self.members.nics[sender.index()];
        let hears = state.transmitting.is_some_and(|width| self.hears(nic, sender, width));
        hears && !self.hearing.misses(&state.unsensed, self.hearing.group_of(nic))
    }

    /// Whether a group that hears what a NIC transmits now senses it.
    #[inline]
    pub(crate) fn is_sensed_by(&self, sender: MemberId, group: GroupId) -> bool {
        !self.hearing.misses(&self.members.nics[sender.index()].unsensed, group)
    }

    /// An emission begins: the medium turns busy for every group that senses its energy.
    pub(crate) fn energy_starts(&mut self, now: Instant, emission: EmissionId) {
        self.check(now);
        self.emissions.push(emission);
        for &group in self.hearing.sensed_by(emission) {
            if self.groups[group].energy_rises(now) {
                self.earliest.set(group, self.groups[group].next());
            }
        }
    }

    /// An emission ends. It has no Duration field, and no EIFS follows.
    pub(crate) fn energy_ends(&mut self, now: Instant, emission: EmissionId) {
        self.check(now);
        let place = self.emissions.iter().position(|&other| other == emission).expect("what ends began");
        self.emissions.remove(place);
        for &group in self.hearing.sensed_by(emission) {
            if self.groups[group].energy_falls(now, &mut self.members) {
                self.earliest.set(group, self.groups[group].next());
            }
        }
    }

    /// This NIC alone waits for something else than its group: in the idle period that runs now, or else in the next,
    /// its slots count from AIFS after `not_before` (or after the medium became idle, if that is later), without the
    /// group's EIFS and NAV. It may carry an EIFS, NAV ([`Self::nav_until`]) or response timeout of its own. Inside a period the
    /// slots counted already stay counted. To a frame that comes, a medium that is idle until `not_before` is idle.
    pub(crate) fn set_apart(&mut self, now: Instant, nic: MemberId, not_before: Instant) {
        self.check(now);
        let group = self.hearing.group_of(nic);
        self.groups[group].set_apart(now, nic, not_before, &mut self.members);
        self.earliest.set(group, self.groups[group].next());
    }

    /// A frame comes to an EDCAF that had none, and takes part in no exchange. `draw` is called at most once: if the
    /// frame needs a backoff now, or will if the medium does not stay idle until it starts.
    ///
    /// It starts without backoff if none is pending and the medium is idle, and stays so, until AIFS has passed since
    /// it was busy (10.3.4.2). A frame inside a post-backoff waits for its end.
    #[inline]
    pub(crate) fn arrive(&mut self, now: Instant, edcaf: EdcafId, draw: impl FnOnce() -> u32) {
        self.check(now);
        let group = self.hearing.group_of(edcaf.member());
        self.groups[group].arrive(now, edcaf, &mut self.members, draw);
        self.earliest.set(group, self.groups[group].next());
    }

    /// A backoff of this many slots begins after the NIC transmitted: the post-backoff, which there is also with nothing
    /// to send (`waiting` is false), the one before a retry (10.3.4.3), or that after an internal collision. Inside an
    /// idle period it begins with an AIFS from now.
    #[inline(always)]
    pub(crate) fn begin_backoff(&mut self, now: Instant, edcaf: EdcafId, slots: u32, waiting: bool) {
        self.check(now);
        let group = self.hearing.group_of(edcaf.member());
        self.groups[group].begin_backoff(now, edcaf, slots, waiting, &mut self.members);
        self.earliest.set(group, self.groups[group].next());
    }

    /// An EDCAF leaves contention, with its backoff, because its NIC leaves the medium.
    pub(crate) fn withdraw(&mut self, now: Instant, edcaf: EdcafId) {
        self.check(now);
        let group = self.hearing.group_of(edcaf.member());
        self.groups[group].leave(edcaf, &mut self.members);
        self.members.edcafs[edcaf.index()].waiting = false;
        self.earliest.set(group, self.groups[group].next());
    }

    /// Whether a frame waits for access here.
    #[inline]
    pub(crate) fn is_waiting(&self, edcaf: EdcafId) -> bool {
        self.members.edcafs[edcaf.index()].waiting
    }

    /// Whether physical carrier sense tells this NIC that the medium is busy.
    pub(crate) fn senses_any(&self, nic: MemberId) -> bool {
        self.group(nic).is_busy()
    }

    /// Whether physical carrier sense and the NAV of its group tell this NIC that the medium is idle.
    #[cfg(test)]
    pub(crate) fn is_idle(&self, now: Instant, nic: MemberId) -> bool {
        let group = self.group(nic);
        !group.is_busy() && group.nav.until() <= now
    }

    /// When the NAV of this NIC ends or ended, as far as its group has read what set it. If `asker` asks it for a CTS, what that
    /// NIC itself has announced does not count (10.3.2.9).
    #[inline]
    pub(crate) fn nav_until(&self, nic: MemberId, asker: Option<MemberId>) -> Instant {
        self.group(nic).nav.until_for(nic, asker)
    }

    /// What a NIC sends was announced so much before its start, while the PPDU that it answers was on the air: in between the medium
    /// is not busy for those who count that.
    #[inline]
    pub(crate) fn leave_out(&mut self, now: Instant, nic: MemberId, width: Width, silence: Duration) {
        let bss = self.members.nics[nic.index()].transmits_in;
        for &group in self.hearing.heard_by(nic, width) {
            self.groups[group].busy.leave_out(now, silence, bss);
        }
    }

    /// For how long physical carrier sense has reported to this NIC that the medium is busy, by others or by itself.
    pub(crate) fn busy_time(&self, now: Instant, nic: MemberId) -> Duration {
        self.busy_before[nic] + self.group(nic).busy.so_far(now)
    }

    /// The time for which this NIC has sensed PPDUs of its BSS, its own among them.
    pub(crate) fn own_bss_time(&self, now: Instant, nic: MemberId) -> Duration {
        self.memberships[nic].so_far(now, &self.group(nic).busy)
    }

    /// The BSS of this NIC, if it is in one.
    #[inline]
    pub(crate) fn bss(&self, nic: MemberId) -> Option<BssId> {
        self.memberships[nic].bss
    }

    /// From now on this NIC is in this BSS. What is on the air stays in that in which it began.
    pub(crate) fn turn_to_bss(&mut self, now: Instant, nic: MemberId, bss: Option<BssId>) {
        let group = &self.groups[self.hearing.group_of(nic)];
        self.memberships[nic].turn_to(now, bss, &group.busy);
    }

    /// Whether this NIC hears what the other sends with this width.
    #[inline]
    pub(crate) fn hears(&self, nic: MemberId, other: MemberId, width: Width) -> bool {
        self.hearing.heard_by(other, width).contains(&self.hearing.group_of(nic))
    }

    /// The present hearing.
    #[inline]
    pub(crate) fn hearing(&self) -> &Hearing {
        &self.hearing
    }

    #[inline]
    fn group(&self, nic: MemberId) -> &Group {
        &self.groups[self.hearing.group_of(nic)]
    }

    #[inline]
    fn check(&self, now: Instant) {
        assert!(now <= self.next(), "the access at {} was missed: it is {now}", self.next());
    }
}

#[cfg(test)]
mod tests;
