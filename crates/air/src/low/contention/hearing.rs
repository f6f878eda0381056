//! Which NICs hear which others, and the groups that follow from it.

use std::collections::BTreeMap;

use typed_index_collections::{TiVec, ti_vec};

use crate::channel::EmissionId;
use crate::handle::index_type;
use crate::phy::Width;

index_type! {
    /// A NIC, by its place among the members of its medium. The same NIC has another one on another medium.
    pub(crate) struct MemberId(u32);
}

index_type! {
    /// A hearing group, by its place among those of its medium.
    #[derive(Default)]
    pub(crate) struct GroupId(u32);
}

/// Which NICs sense the carrier of which others. That depends on the width of the PPDU: the wider it is, the less of its power falls
/// into a listener's primary channel. NICs that hear exactly the same transmitters, whatever these send, form a hearing group: their
/// carrier sense never differs, so it is kept once for all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hearing {
    group_of: TiVec<MemberId, GroupId>,
    /// By width: its place in `heard_by`. Widths that nobody sends have that of the first.
    places: [u8; Width::ALL.len()],
    /// By place of the width, then by sender.
    heard_by: Vec<TiVec<MemberId, Vec<GroupId>>>,
    /// By emission.
    sensed_by: Vec<Vec<GroupId>>,
    groups: usize,
}

/// What a hearing is made from.
pub(crate) struct HearingScene<'a, K, H, S> {
    /// Widths that occur; at least one.
    pub(crate) widths: &'a [Width],
    /// What the members of a group must have in common beside what they hear.
    pub(crate) kind: K,
    /// Whether a listener hears what a sender sends with a width.
    pub(crate) hears: H,
    /// How many emissions there are of sources that are no NICs.
    pub(crate) emissions: u32,
    /// Whether a listener senses the energy of one.
    pub(crate) senses: S,
}

impl Hearing {
    /// Groups these NICs. Everybody hears itself, whatever the scene says. Groups are numbered in the order of their first NIC.
    pub(crate) fn new<T: Ord>(
        nics: usize,
        scene: &HearingScene<
            '_,
            impl Fn(MemberId) -> T,
            impl Fn(MemberId, MemberId, Width) -> bool,
            impl Fn(MemberId, EmissionId) -> bool,
        >,
    ) -> Self {
        let HearingScene { widths, kind, hears, emissions, senses } = scene;
        let ids = || (0..nics as u32).map(MemberId);
        let mut places = [0; Width::ALL.len()];
        for (place, &width) in (0..).zip(*widths) {
            places[width as usize] = place;
        }
        let mut numbers: BTreeMap<(T, Vec<bool>), GroupId> = BTreeMap::new();
        let mut group_of = TiVec::with_capacity(nics);
        let mut heard_by = vec![ti_vec![Vec::new(); nics]; widths.len()];
        let mut sensed_by = vec![Vec::new(); *emissions as usize];
        for listener in ids() {
            let row = |&width: &Width| ids().map(move |sender| (sender, width));
            let heard = |(sender, width)| sender == listener || hears(listener, sender, width);
            let sensed = (0..*emissions).map(|emission| senses(listener, EmissionId(emission)));
            let row: Vec<bool> = widths.iter().flat_map(row).map(heard).chain(sensed).collect();
            let next = GroupId::from(numbers.len());
            let group = *numbers.entry((kind(listener), row)).or_insert_with_key(|(_, row)| {
                let groups = heard_by.iter_mut().flat_map(|by_sender: &mut TiVec<_, Vec<_>>| by_sender);
                groups
                    .chain(&mut sensed_by)
                    .zip(row)
                    .filter(|(_, heard)| **heard)
                    .for_each(|(groups, _)| groups.push(next));
                next
            });
            group_of.push(group);
        }
        Self { group_of, places, heard_by, sensed_by, groups: numbers.len() }
    }

    /// How many NICs there are.
    #[inline]
    pub(crate) fn nics(&self) -> usize {
        self.group_of.len()
    }

    /// How many groups there are.
    #[inline]
    pub(crate) fn groups(&self) -> usize {
        self.groups
    }

    /// The group of a NIC.
    #[inline]
    pub(crate) fn group_of(&self, nic: MemberId) -> GroupId {
        self.group_of[nic]
    }

    /// The groups that hear what a NIC sends with this width, in rising order; its own is always among them.
    #[inline(always)]
    pub(crate) fn heard_by(&self, nic: MemberId, width: Width) -> &[GroupId] {
        const ONLY: &[GroupId] = &[GroupId(0)];
        if self.groups == 1 { ONLY } else { &self.heard_by[usize::from(self.places[width as usize])][nic] }
    }
}

impl Hearing {
    /// Whether one of these NICs is all of a group.
    #[inline]
    pub(crate) fn misses(&self, unsensed: &[MemberId], group: GroupId) -> bool {
        !unsensed.is_empty() && unsensed.iter().any(|&nic| self.group_of[nic] == group)
    }

    /// Whether a NIC is alone in its group.
    pub(crate) fn is_alone(&self, nic: MemberId) -> bool {
        let own = self.group_of[nic];
        self.group_of.iter_enumerated().all(|(other, &group)| other == nic || group != own)
    }

    /// The groups that sense the energy of an emission, in rising order.
    #[inline]
    pub(crate) fn sensed_by(&self, emission: EmissionId) -> &[GroupId] {
        &self.sensed_by[emission.0 as usize]
    }
}

/// The hearing of NICs that all send with one width.
#[cfg(test)]
pub(super) fn of_one_width(nics: usize, hears: impl Fn(MemberId, MemberId) -> bool) -> Hearing {
    let hears = |listener, sender, _| hears(listener, sender);
    Hearing::new(
        nics,
        &HearingScene { widths: &[Width::Mhz20], kind: |_| (), hears, emissions: 0, senses: |_, _| false },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_all_hear_each_other_are_one_group() {
        let hearing = of_one_width(3, |_, _| true);
        assert_eq!(hearing.groups(), 1);
        assert_eq!(hearing.heard_by(MemberId(2), Width::Mhz20), [0].map(GroupId));
    }

    #[test]
    fn hidden_stations_are_groups_of_their_own() {
        // 0 and 3 hear 1 and 2 but not each other.
        let hearing = of_one_width(4, |a, b| a.0.abs_diff(b.0) < 3);
        assert_eq!(hearing.group_of.raw, [0, 1, 1, 2].map(GroupId));
        assert_eq!(hearing.heard_by(MemberId(0), Width::Mhz20), [0, 1].map(GroupId));
        assert_eq!(hearing.heard_by(MemberId(1), Width::Mhz20), [0, 1, 2].map(GroupId));
        assert_eq!(hearing.heard_by(MemberId(3), Width::Mhz20), [1, 2].map(GroupId));
    }

    #[test]
    fn hearing_need_not_be_mutual_but_everybody_hears_itself() {
        let hearing = of_one_width(2, |listener, sender| listener == MemberId(0) && sender == MemberId(1));
        assert_eq!(hearing.group_of.raw, [0, 1].map(GroupId));
        assert_eq!(hearing.heard_by(MemberId(0), Width::Mhz20), [0].map(GroupId));
        assert_eq!(hearing.heard_by(MemberId(1), Width::Mhz20), [0, 1].map(GroupId));
    }

    /// 1 hears what 0 sends with 20 MHz and not with 80, 2 hears both: they are no group.
    #[test]
    fn a_wide_ppdu_is_heard_by_fewer() {
        let hears = |listener: MemberId, _, width| listener != MemberId(1) || width == Width::Mhz20;
        let widths = [Width::Mhz20, Width::Mhz80];
        let hearing = Hearing::new(
            3,
            &HearingScene { widths: &widths, kind: |_| (), hears, emissions: 0, senses: |_, _| false },
        );
        assert_eq!(hearing.group_of.raw, [0, 1, 0].map(GroupId));
        assert_eq!(hearing.heard_by(MemberId(0), Width::Mhz20), [0, 1].map(GroupId));
        assert_eq!(hearing.heard_by(MemberId(0), Width::Mhz80), [0].map(GroupId));
        // Who hears alike, but is of another kind, has a group of its own.
        let hears = |_, _, _| true;
        let apart = Hearing::new(
            2,
            &HearingScene { widths: &widths, kind: |nic| nic, hears, emissions: 0, senses: |_, _| false },
        );
        assert_eq!(apart.groups(), 2);
    }
}
