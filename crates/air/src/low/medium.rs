//! One medium: the NICs on one primary channel, which of them hear which others, and what is on the air.

use airtcp_units::Instant;
use typed_index_collections::{TiSlice, TiVec, ti_vec};

use super::carrier_sense::CarrierSense;
use super::cell::CellId;
use super::contention::{Contention, GroupId, Hearing, MemberId};
use super::medium_time::{Activity, MediumTime};
use crate::NicId;
use crate::channel::Channel;
use crate::handle::index_type;

index_type! {
    /// A medium, by its place among those of the air.
    pub(crate) struct MediumId(u32);
}

/// The members of a group that receive a transmitter weakest and strongest, itself excepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extremes {
    pub(crate) weakest: NicId,
    pub(crate) strongest: NicId,
}

/// Members of a medium that hear the same transmitters.
#[derive(Clone, Debug, Default)]
pub(crate) struct HearingGroup {
    pub(crate) members: Vec<NicId>,
    /// By transmitter; `None`: the group has no other member.
    pub(crate) extremes: TiVec<MemberId, Option<Extremes>>,
}

/// What is shared by the NICs on one primary channel.
#[derive(Debug)]
pub(crate) struct Medium {
    /// 0: that of all channels which no cell of the plan has.
    pub(crate) frequency_mhz: u32,
    pub(crate) members: TiVec<MemberId, NicId>,
    /// By member: centre of the primary channel that it is tuned to; 0 if that is not here.
    pub(crate) tuned: TiVec<MemberId, u32>,
    /// The cell whose parameters hold for radios that are not at home here.
    pub(crate) cell: CellId,
    pub(crate) contention: Contention,
    pub(crate) groups: TiVec<GroupId, HearingGroup>,
    /// NICs with a PPDU on the air.
    pub(crate) on_air: Vec<NicId>,
    /// NICs that wait for a response, which may not come.
    pub(crate) awaiting: Vec<NicId>,
    /// Whether two PPDUs have been on the air at once since it was last silent.
    pub(crate) collided: bool,
    /// EDCAFs that wait for access.
    pub(crate) backlogged: u32,
    /// Exchanges under way.
    pub(crate) exchanges: u32,
    /// PPDUs that will follow by SIFS.
    pub(crate) following: u32,
    pub(crate) airtime: MediumTime,
    /// Whether powers change from PPDU to PPDU.
    pub(crate) fades: bool,
}

/// Which members hear which others: those on one channel whose received power is at or above the level of carrier sense. A NIC
/// hears itself.
pub(crate) fn hearing(
    members: &TiSlice<MemberId, NicId>,
    tuned: &TiSlice<MemberId, u32>,
    channel: &Channel,
    carrier_sense: &CarrierSense,
) -> Hearing {
    let id = |member: MemberId| members[member];
    let on = |member: MemberId| tuned[member];
    Hearing::new(members.len(), |listener, sender| {
        listener == sender
            || on(listener) == on(sender)
                && on(sender) != 0
                && channel.mean_dbm(id(sender), id(listener)).get()
                    >= carrier_sense.level_dbm(id(listener), id(sender))
    })
}

/// The groups of a hearing, with the extremes of received power.
pub(crate) fn groups(
    members: &TiSlice<MemberId, NicId>,
    hearing: &Hearing,
    channel: &Channel,
) -> TiVec<GroupId, HearingGroup> {
    let mut groups = ti_vec![HearingGroup::default(); hearing.groups()];
    for (member, &id) in members.iter_enumerated() {
        groups[hearing.group_of(member)].members.push(id);
    }
    for group in &mut groups {
        let power = |from: NicId, to: NicId| channel.mean_dbm(from, to).get();
        let extremes = members.iter().map(|&from| {
            let others = || group.members.iter().copied().filter(|&to| to != from);
            let weakest = others().min_by(|&a, &b| power(from, a).total_cmp(&power(from, b)))?;
            let strongest = others().max_by(|&a, &b| power(from, a).total_cmp(&power(from, b)))?;
            Some(Extremes { weakest, strongest })
        });
        group.extremes = extremes.collect();
    }
    groups
}

impl Medium {
    /// The members that hear each other have changed, perhaps because one has been tuned to this medium.
    pub(crate) fn update_hearing(
        &mut self,
        now: Instant,
        hearing: Hearing,
        channel: &Channel,
        newcomer: Option<MemberId>,
    ) {
        self.groups = groups(&self.members, &hearing, channel);
        match newcomer {
            Some(member) => self.contention.join(now, hearing, member),
            None => self.contention.update_hearing(now, hearing),
        }
    }

    /// Whether two members are tuned to one channel, so that what they send at once meets.
    pub(crate) fn meet(&self, a: MemberId, b: MemberId) -> bool {
        self.frequency_mhz != 0 || self.tuned[a] == self.tuned[b]
    }

    /// A PPDU begins, with data or a control frame.
    #[inline]
    pub(crate) fn begin(&mut self, now: Instant, nic: NicId, carries_data: bool) {
        self.on_air.push(nic);
        self.collided |= self.on_air.len() > 1;
        let activity = match carries_data {
            _ if self.collided => Activity::Collision,
            true => Activity::Data,
            false => Activity::Control,
        };
        self.airtime.turn_to(now, activity);
    }

    /// A PPDU has ended. [`Self::settle`] looks at what follows it when that is known.
    #[inline]
    pub(crate) fn end(&mut self, nic: NicId) {
        self.on_air.retain(|&other| other != nic);
        self.collided &= !self.on_air.is_empty();
    }

    /// Nothing more happens at this instant: what silence counts as from now on.
    #[inline]
    pub(crate) fn settle(&mut self, now: Instant) {
        if !self.on_air.is_empty() {
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
