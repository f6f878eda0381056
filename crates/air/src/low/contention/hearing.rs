//! Which NICs hear which others, and the groups that follow from it.

use std::collections::BTreeMap;

use typed_index_collections::{TiVec, ti_vec};

use super::MemberId;
use crate::handle::index_type;

index_type! {
    /// A hearing group, by its place among those of its medium.
    #[derive(Default)]
    pub(crate) struct GroupId(u32);
}

/// Which NICs sense the carrier of which others. NICs that hear exactly the same transmitters form a hearing group: their carrier sense
/// never differs, so it is kept once for all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hearing {
    group_of: TiVec<MemberId, GroupId>,
    heard_by: TiVec<MemberId, Vec<GroupId>>,
    groups: usize,
}

impl Hearing {
    /// Groups these NICs by `hears(listener, sender)`. Everybody hears itself, whatever `hears` says. Groups are
    /// numbered in the order of their first NIC.
    pub(crate) fn new(nics: usize, hears: impl Fn(MemberId, MemberId) -> bool) -> Self {
        let ids = || (0..nics as u32).map(MemberId);
        let mut numbers: BTreeMap<Vec<bool>, GroupId> = BTreeMap::new();
        let mut group_of = TiVec::with_capacity(nics);
        let mut heard_by = ti_vec![Vec::new(); nics];
        for listener in ids() {
            let row: Vec<bool> = ids().map(|sender| sender == listener || hears(listener, sender)).collect();
            let next = GroupId::from(numbers.len());
            let group = *numbers.entry(row).or_insert_with_key(|row| {
                let senders = heard_by.iter_mut().zip(row).filter(|(_, heard)| **heard);
                senders.for_each(|(groups, _)| groups.push(next));
                next
            });
            group_of.push(group);
        }
        Self { group_of, heard_by, groups: numbers.len() }
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

    /// The groups that hear a NIC, in rising order; its own is always among them.
    #[inline]
    pub(crate) fn heard_by(&self, nic: MemberId) -> &[GroupId] {
        &self.heard_by[nic]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_all_hear_each_other_are_one_group() {
        let hearing = Hearing::new(3, |_, _| true);
        assert_eq!(hearing.groups(), 1);
        assert_eq!(hearing.heard_by(MemberId(2)), [0].map(GroupId));
    }

    #[test]
    fn hidden_stations_are_groups_of_their_own() {
        // 0 and 3 hear 1 and 2 but not each other.
        let hearing = Hearing::new(4, |a, b| a.0.abs_diff(b.0) < 3);
        assert_eq!(hearing.group_of.raw, [0, 1, 1, 2].map(GroupId));
        assert_eq!(hearing.heard_by(MemberId(0)), [0, 1].map(GroupId));
        assert_eq!(hearing.heard_by(MemberId(1)), [0, 1, 2].map(GroupId));
        assert_eq!(hearing.heard_by(MemberId(3)), [1, 2].map(GroupId));
    }

    #[test]
    fn hearing_need_not_be_mutual_but_everybody_hears_itself() {
        let hearing = Hearing::new(2, |listener, sender| listener == MemberId(0) && sender == MemberId(1));
        assert_eq!(hearing.group_of.raw, [0, 1].map(GroupId));
        assert_eq!(hearing.heard_by(MemberId(0)), [0].map(GroupId));
        assert_eq!(hearing.heard_by(MemberId(1)), [0, 1].map(GroupId));
    }
}
